//! A resolved function: its signature and how to run it.

use std::fmt;
use std::sync::Arc;

use stoa_types::{Clock, DataType, Ids};

use crate::refusal::Refusal;

/// The name of a function as a statement has it: names without quotes are in lower case already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionName<'a> {
    /// The keyspace before the point.
    pub keyspace: Option<&'a str>,
    /// The name proper.
    pub name: &'a str,
}

impl<'a> FunctionName<'a> {
    /// A name without a keyspace.
    #[must_use]
    pub fn unqualified(name: &'a str) -> Self {
        Self {
            keyspace: None,
            name,
        }
    }
}

impl fmt::Display for FunctionName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.keyspace {
            Some(keyspace) => write!(f, "{keyspace}.{}", self.name),
            None => f.write_str(self.name),
        }
    }
}

/// What functions need that is not in their arguments.
#[derive(Debug, Clone, Copy)]
pub struct Environment<'a> {
    /// The time of the `current_` functions.
    pub clock: &'a dyn Clock,
    /// The identifiers of `now` and `uuid`.
    pub ids: &'a dyn Ids,
}

/// What a call by name turned out to be.
#[derive(Debug, Clone)]
pub enum Resolved {
    /// A function of the values of one row.
    Scalar(ScalarFunction),
    /// A function of the values of many rows.
    Aggregate(AggregateFunction),
}

impl Resolved {
    /// Its names and types.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        match self {
            Self::Scalar(function) => &function.signature,
            Self::Aggregate(function) => &function.signature,
        }
    }
}

/// Names and types of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name with its keyspace, for messages: `system.abs`.
    pub name: String,
    /// The types that the arguments must be given in.
    pub argument_types: Vec<DataType>,
    /// The type of the answer.
    pub result: DataType,
    /// Whether the types were found for one call, as those of `max` are, which takes any type.
    ///
    /// As an argument of another call such a function fits every type only weakly
    /// (`FunctionCall.Raw.testAssignment`).
    pub is_generated: bool,
    column: ColumnName,
}

/// How a result column is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnName {
    /// `system.abs(v)`.
    Call,
    /// `cast(v as text)`.
    Cast,
    /// `a + b`.
    Infix(char),
    /// `-a`.
    Minus,
    /// `count`.
    CountOfRows,
}

impl Signature {
    /// The signature of a system function.
    pub(super) fn new(name: &str, argument_types: Vec<DataType>, result: DataType) -> Self {
        Self {
            name: format!("system.{name}"),
            argument_types,
            result,
            column: ColumnName::Call,
            is_generated: false,
        }
    }

    pub(super) fn with_column(mut self, column: ColumnName) -> Self {
        self.column = column;
        self
    }

    pub(super) fn generated(mut self) -> Self {
        self.is_generated = true;
        self
    }

    /// The name of a result column of it, given those of its arguments.
    #[must_use]
    pub fn column_name(&self, arguments: &[&str]) -> String {
        let argument = |index: usize| arguments.get(index).copied().unwrap_or_default();
        match self.column {
            ColumnName::Call => format!("{}({})", self.name, arguments.join(", ")),
            ColumnName::Cast => format!("cast({} as {})", argument(0), self.result),
            ColumnName::Infix(operator) => format!("{} {operator} {}", argument(0), argument(1)),
            ColumnName::Minus => format!("-{}", argument(0)),
            ColumnName::CountOfRows => "count".to_owned(),
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types: Vec<String> = self
            .argument_types
            .iter()
            .map(ToString::to_string)
            .collect();
        write!(
            f,
            "{} : ({}) -> {}",
            self.name,
            types.join(", "),
            self.result
        )
    }
}

/// An answer: native bytes, or `None` for null.
pub(super) type Answer = Result<Option<Vec<u8>>, Refusal>;

/// The values of one call.
pub(super) struct Call<'a> {
    pub(super) arguments: &'a [Option<&'a [u8]>],
    pub(super) environment: &'a Environment<'a>,
}

impl<'a> Call<'a> {
    /// The bytes of an argument; `None` if it is null.
    pub(super) fn argument(&self, index: usize) -> Option<&'a [u8]> {
        self.arguments.get(index).copied().flatten()
    }
}

type Body = Arc<dyn Fn(&Call<'_>) -> Answer + Send + Sync>;

/// Whether a function keeps the order of rows, so that one may group by it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Monotonicity {
    /// It does not.
    None,
    /// Greater arguments never give lesser answers.
    Always,
    /// So it is in the first argument, if the others are constants.
    InFirstArgument,
}

/// A function of the values of one row.
#[derive(Clone)]
pub struct ScalarFunction {
    signature: Signature,
    is_deterministic: bool,
    monotonicity: Monotonicity,
    body: Body,
}

impl ScalarFunction {
    pub(super) fn new(
        signature: Signature,
        body: impl Fn(&Call<'_>) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self {
            signature,
            is_deterministic: true,
            monotonicity: Monotonicity::None,
            body: Arc::new(body),
        }
    }

    pub(super) fn not_deterministic(mut self) -> Self {
        self.is_deterministic = false;
        self
    }

    pub(super) fn with_monotonicity(mut self, monotonicity: Monotonicity) -> Self {
        self.monotonicity = monotonicity;
        self
    }

    /// Its names and types.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Whether equal arguments always give equal answers.
    #[must_use]
    pub fn is_deterministic(&self) -> bool {
        self.is_deterministic
    }

    /// Whether it keeps the order of rows.
    #[must_use]
    pub fn monotonicity(&self) -> Monotonicity {
        self.monotonicity
    }

    /// Calls the function with values of its argument types.
    ///
    /// # Errors
    /// When it fails on these values, or one of them is not of its type.
    pub fn call(&self, arguments: &[Option<&[u8]>], environment: &Environment<'_>) -> Answer {
        (self.body)(&Call {
            arguments,
            environment,
        })
    }
}

impl fmt::Debug for ScalarFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signature)
    }
}

/// What gathers the values of a group of rows.
pub trait Accumulator: Send {
    /// Takes the argument values of one row.
    ///
    /// # Errors
    /// When a value is not of its type.
    fn add(&mut self, arguments: &[Option<&[u8]>]) -> Result<(), Refusal>;

    /// The answer for the rows since the start or the last reset.
    ///
    /// # Errors
    /// When there is none that the type can hold.
    fn finish(&mut self) -> Result<Option<Vec<u8>>, Refusal>;

    /// Starts anew, for the next group.
    fn reset(&mut self);
}

type Start = Arc<dyn Fn() -> Box<dyn Accumulator> + Send + Sync>;

/// A function of the values of many rows.
#[derive(Clone)]
pub struct AggregateFunction {
    signature: Signature,
    start: Start,
}

impl AggregateFunction {
    pub(super) fn new(
        signature: Signature,
        start: impl Fn() -> Box<dyn Accumulator> + Send + Sync + 'static,
    ) -> Self {
        Self {
            signature,
            start: Arc::new(start),
        }
    }

    /// Its names and types.
    #[must_use]
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Begins with no rows.
    #[must_use]
    pub fn start(&self) -> Box<dyn Accumulator> {
        (self.start)()
    }
}

impl fmt::Debug for AggregateFunction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.signature)
    }
}
