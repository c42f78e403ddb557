//! Restrictions: what a `WHERE` says, resolved against a table.
//!
//! Relations are resolved one by one ([`relation`]), those on the same columns are merged
//! ([`merge`]), and together they say which partitions and which slices to read, and what is left
//! to test on each row ([`plan`]). With the values of one execution they give keys and positions
//! ([`keys`], [`clusterings`]) and tests ([`filter`]).

pub(crate) mod clusterings;
pub(crate) mod filter;
pub(crate) mod indexes;
pub(crate) mod keys;
pub(crate) mod merge;
pub(crate) mod plan;
pub(crate) mod relation;

use stoa_cql::ast::Comparison;

use crate::terms::Term;

/// A value of several columns: a term for each, or one term for all of them.
#[derive(Debug, Clone)]
pub(crate) enum TupleTerm {
    /// A term for each column.
    Each(Vec<Term>),
    /// One variable that is a tuple of so many columns.
    Whole(Term, usize),
}

/// The values of an `IN`.
#[derive(Debug, Clone)]
pub(crate) enum InTerms {
    /// Terms one by one.
    List(Vec<TupleTerm>),
    /// One variable that is a list; of tuples, if there are several columns.
    Variable {
        /// The variable.
        list: Term,
        /// How many columns each element has; zero for a single column without a tuple.
        columns: usize,
    },
}

/// One end of a slice.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) value: TupleTerm,
    pub(crate) is_inclusive: bool,
}

/// What is asked of the elements of a collection.
#[derive(Debug, Clone)]
pub(crate) enum ElementTest {
    /// One of its values is this.
    Contains(Term),
    /// One of its keys is this.
    ContainsKey(Term),
    /// The value under a key is this.
    Entry(Term, Term),
}

/// What is asked of columns.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    /// They have this value.
    Equal(TupleTerm),
    /// They have one of these values.
    In(InTerms),
    /// They lie between these.
    Slice(Option<Bound>, Option<Bound>),
    /// The collection has all of these.
    Elements(Vec<ElementTest>),
    /// There is a value.
    NotNull,
    /// The text is like a pattern: only an index of a kind that there is not can tell.
    Like,
}

/// What is asked of one column, or of neighbouring clustering columns.
#[derive(Debug, Clone)]
pub(crate) struct Restriction {
    /// The places of the columns in the table, in the order of the key.
    pub(crate) columns: Vec<usize>,
    /// Whether it was written as a tuple of columns.
    pub(crate) is_multi: bool,
    pub(crate) test: Test,
}

impl Restriction {
    pub(crate) fn first(&self) -> usize {
        self.columns.first().copied().unwrap_or_default()
    }

    pub(crate) fn last(&self) -> usize {
        self.columns.last().copied().unwrap_or_default()
    }

    pub(crate) fn is_slice(&self) -> bool {
        matches!(self.test, Test::Slice(..))
    }

    pub(crate) fn is_elements(&self) -> bool {
        matches!(self.test, Test::Elements(_))
    }

    pub(crate) fn is_in(&self) -> bool {
        matches!(self.test, Test::In(_))
    }
}

/// What is asked of the token of the partition key.
#[derive(Debug, Clone)]
pub(crate) struct TokenTest {
    pub(crate) comparison: Comparison,
    pub(crate) value: Term,
}
