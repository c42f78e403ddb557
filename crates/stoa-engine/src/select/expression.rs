//! What is selected, ready to be computed from a row.

use std::borrow::Cow;

use stoa_cql::ast::CellFact;
use stoa_types::{DataType, compare, frames};

use crate::functions::ScalarFunction;
use crate::refusal::Refusal;
use crate::rows::element::key_type;
use crate::rows::{CellFacts, Cells, Row, field_path};
use crate::terms::{Given, Term, Values, sorted_map, sorted_set};

/// Something that gives a value for each row.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    /// A column, by its place in the table.
    Column(usize),
    /// A value that does not depend on the row.
    Term(Term),
    /// A function of other values.
    Call(Box<ScalarFunction>, Vec<Expression>),
    /// A field of a user type.
    Field(Box<Expression>, usize),
    /// An element of a set or map.
    Element(Box<Expression>, DataType, Key),
    /// A slice of a set or map.
    Slice(Box<Expression>, DataType, Option<Key>, Option<Key>),
    /// Time or lifetime of cells.
    Fact(CellFact, usize, FactPart),
    /// A collection, tuple or user type of other values; keys and values in turn for a map.
    Composite(DataType, Vec<Expression>),
    /// What an aggregate has gathered, by its number.
    Aggregate(usize),
    /// What was computed from the first row of a group, by its number.
    Leaf(usize),
}

/// The key of an element that is selected.
#[derive(Debug, Clone)]
pub(crate) struct Key {
    pub(crate) term: Term,
    /// The text of the collection, for messages.
    pub(crate) of: String,
}

/// Which cells of a column are asked about.
#[derive(Debug, Clone)]
pub(crate) enum FactPart {
    /// All of them.
    Whole(DataType),
    /// That of a field.
    Field(usize),
    /// That of an element.
    Element(DataType, Key),
    /// Those of a slice.
    Slice(DataType, Option<Key>, Option<Key>),
}

/// What aggregates and first rows have given, when a group is complete.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) aggregates: Vec<Option<Vec<u8>>>,
    pub(crate) leaves: Vec<Option<Vec<u8>>>,
}

/// A value, or null.
type Computed<'a> = Result<Option<Cow<'a, [u8]>>, Refusal>;

impl Expression {
    /// The value for a row.
    pub(crate) fn compute<'a>(
        &'a self,
        row: &'a dyn Row,
        values: &'a Values<'_>,
        gathered: &'a Gathered,
    ) -> Computed<'a> {
        match self {
            Self::Column(at) => Ok(row.value(*at)),
            Self::Term(term) => match term.give(values)? {
                Given::Bytes(bytes) => Ok(Some(bytes)),
                Given::Null => Ok(None),
                // Cassandra takes it for a value of no bytes here.
                Given::Unset => Ok(Some(Cow::Borrowed(&[]))),
            },
            Self::Call(function, arguments) => {
                let arguments = compute_all(arguments, row, values, gathered)?;
                let arguments: Vec<Option<&[u8]>> =
                    arguments.iter().map(Option::as_deref).collect();
                let answer = function.call(&arguments, &values.environment)?;
                Ok(answer.map(Cow::Owned))
            }
            Self::Field(of, number) => {
                let whole = of.compute(row, values, gathered)?;
                Ok(whole.and_then(|it| field(&it, *number)).map(Cow::Owned))
            }
            Self::Element(of, data_type, key) => {
                let key = key.bytes(values)?;
                let whole = of.compute(row, values, gathered)?;
                let found = whole.and_then(|it| element(data_type, &it, &key));
                Ok(found.map(Cow::Owned))
            }
            Self::Slice(of, data_type, from, to) => {
                let range = Range::new(from.as_ref(), to.as_ref(), values)?;
                let whole = of.compute(row, values, gathered)?;
                let found = whole.and_then(|it| slice(data_type, &it, &range));
                Ok(found.map(Cow::Owned))
            }
            Self::Fact(fact, column, part) => {
                let found = facts(*fact, *column, part, row, values)?;
                Ok(found.map(Cow::Owned))
            }
            Self::Composite(data_type, parts) => {
                let parts = compute_all(parts, row, values, gathered)?;
                composite(data_type, &parts).map(|it| Some(Cow::Owned(it)))
            }
            Self::Aggregate(number) => Ok(stored(&gathered.aggregates, *number)),
            Self::Leaf(number) => Ok(stored(&gathered.leaves, *number)),
        }
    }

    /// Whether there is an aggregate in it.
    pub(crate) fn has_aggregate(&self) -> bool {
        match self {
            Self::Aggregate(_) => true,
            Self::Column(_) | Self::Term(_) | Self::Fact(..) | Self::Leaf(_) => false,
            Self::Field(of, _) | Self::Element(of, ..) | Self::Slice(of, ..) => of.has_aggregate(),
            Self::Call(_, parts) | Self::Composite(_, parts) => {
                parts.iter().any(Self::has_aggregate)
            }
        }
    }

    /// Moves the largest parts without aggregates to `leaves`.
    pub(crate) fn cut_leaves(self, leaves: &mut Vec<Self>) -> Self {
        if !self.has_aggregate() {
            if let Self::Term(_) = self {
                return self;
            }
            leaves.push(self);
            return Self::Leaf(leaves.len() - 1);
        }
        let mut cut = |parts: Vec<Self>| {
            let parts = parts.into_iter();
            parts.map(|it| it.cut_leaves(leaves)).collect::<Vec<_>>()
        };
        match self {
            Self::Call(function, parts) => Self::Call(function, cut(parts)),
            Self::Composite(data_type, parts) => Self::Composite(data_type, cut(parts)),
            Self::Field(of, number) => Self::Field(Box::new(of.cut_leaves(leaves)), number),
            Self::Element(of, data_type, key) => {
                Self::Element(Box::new(of.cut_leaves(leaves)), data_type, key)
            }
            Self::Slice(of, data_type, from, to) => {
                Self::Slice(Box::new(of.cut_leaves(leaves)), data_type, from, to)
            }
            other => other,
        }
    }
}

fn stored(values: &[Option<Vec<u8>>], number: usize) -> Option<Cow<'_, [u8]>> {
    let value = values.get(number)?;
    value.as_deref().map(Cow::Borrowed)
}

fn compute_all<'a>(
    parts: &'a [Expression],
    row: &'a dyn Row,
    values: &'a Values<'_>,
    gathered: &'a Gathered,
) -> Result<Vec<Option<Cow<'a, [u8]>>>, Refusal> {
    let parts = parts.iter();
    parts.map(|it| it.compute(row, values, gathered)).collect()
}

impl Key {
    fn bytes<'a>(&'a self, values: &'a Values<'_>) -> Result<Cow<'a, [u8]>, Refusal> {
        match self.term.give(values)? {
            Given::Bytes(bytes) => Ok(bytes),
            Given::Null if self.term.is_constant() => {
                Err(Refusal::server("null for an element that is selected"))
            }
            Given::Null => Err(Refusal::invalid(format!(
                "Invalid null value for element selection on {}",
                self.of
            ))),
            Given::Unset => Err(Refusal::invalid(format!(
                "Invalid unset value for element selection on {}",
                self.of
            ))),
        }
    }
}

struct Range<'a> {
    from: Option<Cow<'a, [u8]>>,
    to: Option<Cow<'a, [u8]>>,
}

impl<'a> Range<'a> {
    fn new(
        from: Option<&'a Key>,
        to: Option<&'a Key>,
        values: &'a Values<'_>,
    ) -> Result<Self, Refusal> {
        Ok(Self {
            from: from.map(|it| it.bytes(values)).transpose()?,
            to: to.map(|it| it.bytes(values)).transpose()?,
        })
    }

    fn contains(&self, data_type: &DataType, key: &[u8]) -> bool {
        let compared = |bound: &[u8]| compare::compare(data_type, key, bound);
        self.from.as_ref().is_none_or(|it| compared(it).is_ge())
            && self.to.as_ref().is_none_or(|it| compared(it).is_le())
    }
}

/// A field of a user type or tuple.
fn field(whole: &[u8], number: usize) -> Option<Vec<u8>> {
    let mut parts = frames::tuple_parts(whole, number + 1).flatten();
    parts.nth(number).flatten().map(<[u8]>::to_vec)
}

/// Keys and values.
type Pairs<'v> = Vec<(&'v [u8], &'v [u8])>;

/// The keys and values of a map, or each element of a set twice; and the type of the keys.
fn entries<'t, 'v>(data_type: &'t DataType, whole: &'v [u8]) -> Option<(&'t DataType, Pairs<'v>)> {
    let (keys, is_map) = match data_type {
        DataType::Map { key, .. } => (key, true),
        DataType::Set { element, .. } => (element, false),
        _ => return None,
    };
    let (_, parts) = frames::collection_parts(whole, if is_map { 2 } else { 1 }).ok()?;
    let parts: Option<Vec<&[u8]>> = parts.map(Result::ok).collect();
    let parts = parts?;
    let pairs = match is_map {
        true => parts
            .chunks_exact(2)
            .filter_map(|pair| Some((*pair.first()?, *pair.get(1)?)))
            .collect(),
        false => parts.into_iter().map(|it| (it, it)).collect(),
    };
    Some((keys, pairs))
}

fn element(data_type: &DataType, whole: &[u8], wanted: &[u8]) -> Option<Vec<u8>> {
    let (keys, pairs) = entries(data_type, whole)?;
    let mut pairs = pairs.into_iter();
    let found = pairs.find(|(key, _)| compare::compare(keys, key, wanted).is_eq());
    found.map(|(_, value)| value.to_vec())
}

fn slice(data_type: &DataType, whole: &[u8], range: &Range<'_>) -> Option<Vec<u8>> {
    let (keys, pairs) = entries(data_type, whole)?;
    let inside: Vec<_> = pairs
        .into_iter()
        .filter(|(key, _)| range.contains(keys, key))
        .collect();
    if inside.is_empty() && data_type.is_multi_cell() {
        return None;
    }
    let mut out = Vec::new();
    frames::write_count(inside.len(), &mut out)?;
    for (key, value) in inside {
        frames::write_part(Some(key), &mut out)?;
        if matches!(data_type, DataType::Map { .. }) {
            frames::write_part(Some(value), &mut out)?;
        }
    }
    Some(out)
}

fn facts(
    fact: CellFact,
    column: usize,
    part: &FactPart,
    row: &dyn Row,
    values: &Values<'_>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let cells = match row.cells(column) {
        Cells::None => return Ok(None),
        // A frozen value is one cell, whatever part of it is asked about.
        Cells::One(facts) => return Ok(told(fact, Some(facts))),
        Cells::Many(cells) => cells,
    };
    match part {
        FactPart::Field(number) => {
            let path = field_path(*number);
            let found = cells.iter().find(|(it, _)| **it == path);
            Ok(told(fact, found.map(|(_, facts)| *facts)))
        }
        FactPart::Element(data_type, key) => {
            let key = key.bytes(values)?;
            let keys = key_type(data_type);
            let mut cells = cells.iter();
            let found = cells.find(|(it, _)| compare::compare(keys, it, &key).is_eq());
            Ok(told(fact, found.map(|(_, facts)| *facts)))
        }
        FactPart::Slice(data_type, from, to) => {
            let range = Range::new(from.as_ref(), to.as_ref(), values)?;
            let keys = key_type(data_type);
            let inside = cells.into_iter();
            let inside = inside.filter(|(it, _)| range.contains(keys, it)).collect();
            Ok(told_all(fact, in_order(data_type, inside)))
        }
        FactPart::Whole(data_type) => Ok(told_all(fact, in_order(data_type, cells))),
    }
}

/// The cells as the value tells them: sets and maps in the order of their type, user types with
/// nothing for missing fields.
fn in_order(data_type: &DataType, mut cells: Vec<(&[u8], CellFacts)>) -> Vec<Option<CellFacts>> {
    match data_type {
        DataType::UserDefined(user_type) => (0..user_type.fields.len())
            .map(|number| {
                let path = field_path(number);
                let found = cells.iter().find(|(it, _)| **it == path);
                found.map(|(_, facts)| *facts)
            })
            .collect(),
        DataType::Set { .. } | DataType::Map { .. } => {
            let keys = key_type(data_type);
            cells.sort_by(|(left, _), (right, _)| compare::compare(keys, left, right));
            cells.into_iter().map(|(_, facts)| Some(facts)).collect()
        }
        _ => cells.into_iter().map(|(_, facts)| Some(facts)).collect(),
    }
}

fn told(fact: CellFact, facts: Option<CellFacts>) -> Option<Vec<u8>> {
    let facts = facts?;
    match fact {
        CellFact::WriteTime | CellFact::MaxWriteTime => {
            Some(facts.written_at_micros.to_be_bytes().to_vec())
        }
        CellFact::TimeToLive => Some(facts.ttl_seconds?.to_be_bytes().to_vec()),
    }
}

fn told_all(fact: CellFact, all: Vec<Option<CellFacts>>) -> Option<Vec<u8>> {
    if all.is_empty() {
        return None;
    }
    if fact == CellFact::MaxWriteTime {
        let last = all.iter().flatten().map(|it| it.written_at_micros).max()?;
        return Some(last.to_be_bytes().to_vec());
    }
    let mut out = Vec::new();
    frames::write_count(all.len(), &mut out)?;
    for facts in all {
        frames::write_part(told(fact, facts).as_deref(), &mut out)?;
    }
    Some(out)
}

fn composite(data_type: &DataType, parts: &[Option<Cow<'_, [u8]>>]) -> Result<Vec<u8>, Refusal> {
    let too_large = || Refusal::invalid("a value has 2 GiB or more");
    let mut out = Vec::new();
    if let DataType::Tuple(_) | DataType::UserDefined(_) = data_type {
        for part in parts {
            frames::write_part(part.as_deref(), &mut out).ok_or_else(too_large)?;
        }
        return Ok(out);
    }
    if let DataType::List { .. } = data_type {
        frames::write_count(parts.len(), &mut out).ok_or_else(too_large)?;
        for part in parts {
            frames::write_part(part.as_deref(), &mut out).ok_or_else(too_large)?;
        }
        return Ok(out);
    }
    let given: Option<Vec<&[u8]>> = parts.iter().map(Option::as_deref).collect();
    let given =
        given.ok_or_else(|| Refusal::invalid("null is not supported inside collections"))?;
    let (parts, per_entry) = match data_type {
        DataType::Set { element, .. } => (sorted_set(element, &given), 1),
        DataType::Map { key, .. } => (sorted_map(key, &given), 2),
        DataType::Vector { element, .. } => {
            for part in given {
                frames::write_vector_part(element, part, &mut out);
            }
            return Ok(out);
        }
        _ => (given, 1),
    };
    frames::write_count(parts.len() / per_entry, &mut out).ok_or_else(too_large)?;
    for part in parts {
        frames::write_part(Some(part), &mut out).ok_or_else(too_large)?;
    }
    Ok(out)
}
