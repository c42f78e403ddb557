//! Conditions of a write: `IF NOT EXISTS`, `IF EXISTS`, `IF column = value`.

use std::borrow::Cow;
use std::cmp::Ordering;

use stoa_cql::ast::{self, Comparison, ConditionTarget, ConditionTest, InValues};
use stoa_types::{DataType, compare, frames};

use crate::catalog::{Column, Table};
use crate::refusal::Refusal;
use crate::restrict::relation::{find_column, receiver_of};
use crate::rows::Row;
use crate::terms::{self, Context, Given, Receiver, Term, Values, Variables};

/// What must hold before a write.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// Nothing.
    None,
    /// The row must not be there.
    NotExists,
    /// The row must be there.
    Exists,
    /// Its columns must be so.
    Columns(Vec<ColumnCondition>),
}

/// What a column must be.
#[derive(Debug, Clone)]
pub(crate) struct ColumnCondition {
    /// The place of the column in the table.
    pub(crate) column: usize,
    part: Part,
    test: Test,
}

/// A part of a value with its type; `None` is null.
type TypedPart<'r> = (DataType, Option<Cow<'r, [u8]>>);

#[derive(Debug, Clone)]
enum Part {
    Whole,
    Element(Term),
    Field(usize),
}

#[derive(Debug, Clone)]
enum Test {
    Compare(Comparison, Term),
    OneOf(Vec<Term>),
    OneOfList(Term),
    Contains(Term),
    ContainsKey(Term),
}

impl Condition {
    /// Resolves the condition of an update or deletion.
    pub(crate) fn new(
        condition: Option<&ast::UpdateCondition>,
        table: &Table,
        context: &Context<'_>,
        variables: &mut Variables,
    ) -> Result<Self, Refusal> {
        match condition {
            None => Ok(Self::None),
            Some(ast::UpdateCondition::Exists) => Ok(Self::Exists),
            Some(ast::UpdateCondition::All(all)) => all
                .iter()
                .map(|it| ColumnCondition::new(it, table, context, variables))
                .collect::<Result<_, _>>()
                .map(Self::Columns),
        }
    }

    /// The conditions on columns.
    pub(crate) fn columns(&self) -> &[ColumnCondition] {
        match self {
            Self::Columns(columns) => columns,
            Self::None | Self::NotExists | Self::Exists => &[],
        }
    }
}

impl ColumnCondition {
    fn new(
        condition: &ast::Condition,
        table: &Table,
        context: &Context<'_>,
        variables: &mut Variables,
    ) -> Result<Self, Refusal> {
        let (at, column) = find_column(table, &condition.column)?;
        if column.is_key() {
            return Err(Refusal::invalid(format!(
                "PRIMARY KEY column '{}' cannot have IF conditions",
                column.name
            )));
        }
        let mut prepare = |term: &ast::Term, receiver: &Receiver| {
            terms::prepare(term, receiver, context, variables)
        };
        let (part, receiver) = match &condition.target {
            ConditionTarget::Column => (Part::Whole, receiver_of(column)),
            ConditionTarget::Element(key) => {
                let (keys, values) = element_receivers(column)?;
                (Part::Element(prepare(key, &keys)?), values)
            }
            ConditionTarget::Field(name) => {
                let (number, receiver) = field_receiver(column, name)?;
                (Part::Field(number), receiver)
            }
        };
        let test = match &condition.test {
            ConditionTest::Compare(comparison, value) => {
                let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
                if is_order && receiver.data_type.contains_duration() {
                    return Err(Refusal::invalid(
                        "Slice conditions are not supported on durations",
                    ));
                }
                Test::Compare(*comparison, prepare(value, &receiver)?)
            }
            ConditionTest::In(InValues::List(list)) => {
                let list = list.iter().map(|it| prepare(it, &receiver));
                Test::OneOf(list.collect::<Result<_, _>>()?)
            }
            ConditionTest::In(InValues::Marker(marker)) => {
                let list = Receiver::new(
                    format!("in({})", receiver.name),
                    DataType::list(receiver.data_type).frozen(),
                );
                Test::OneOfList(prepare(&ast::Term::Marker(marker.clone()), &list)?)
            }
            ConditionTest::Contains(value) => {
                let element = contained(column)?;
                Test::Contains(prepare(value, &element)?)
            }
            ConditionTest::ContainsKey(key) => {
                let DataType::Map { key: keys, .. } = &column.data_type else {
                    return Err(Refusal::invalid(format!(
                        "Cannot use CONTAINS KEY on non-map column {}",
                        column.name
                    )));
                };
                let keys = Receiver::new(format!("key({})", column.name), (**keys).clone());
                Test::ContainsKey(prepare(key, &keys)?)
            }
        };
        Ok(Self {
            column: at,
            part,
            test,
        })
    }

    /// Whether it holds for a row; `None` is a row that is not there.
    pub(crate) fn holds(
        &self,
        table: &Table,
        row: Option<&dyn Row>,
        values: &Values<'_>,
    ) -> Result<bool, Refusal> {
        let Some(column) = table.columns.get(self.column) else {
            return Ok(false);
        };
        let whole = row.and_then(|row| row.value(self.column));
        let (data_type, actual) = self.part(column, whole, values)?;
        match &self.test {
            Test::Compare(comparison, term) => {
                let wanted = match term.give(values)? {
                    Given::Bytes(bytes) => Some(bytes),
                    Given::Null => None,
                    Given::Unset => return Err(unset()),
                };
                let wanted = wanted.filter(|it| !is_nothing(&data_type, it));
                compared(
                    &data_type,
                    actual.as_deref(),
                    *comparison,
                    wanted.as_deref(),
                )
            }
            Test::OneOf(list) => {
                for term in list {
                    let wanted = match term.give(values)? {
                        Given::Bytes(bytes) => Some(bytes),
                        Given::Null => None,
                        Given::Unset => continue,
                    };
                    let wanted = wanted.filter(|it| !is_nothing(&data_type, it));
                    if is_same(&data_type, actual.as_deref(), wanted.as_deref()) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::OneOfList(term) => {
                let list = match term.give(values)? {
                    Given::Bytes(bytes) => bytes,
                    Given::Null => {
                        return Err(Refusal::invalid("Invalid null list in IN condition"));
                    }
                    Given::Unset => return Err(unset()),
                };
                let parts = parts(&list, Shape::Elements)?.into_iter();
                let mut wanted = parts.map(|it| it.filter(|it| !is_nothing(&data_type, it)));
                Ok(wanted.any(|it| is_same(&data_type, actual.as_deref(), it)))
            }
            Test::Contains(term) => {
                contains(&data_type, actual.as_deref(), term, values, Side::Value)
            }
            Test::ContainsKey(term) => {
                contains(&data_type, actual.as_deref(), term, values, Side::Key)
            }
        }
    }

    /// The part of the column that is asked about, and its type.
    fn part<'r>(
        &self,
        column: &Column,
        whole: Option<Cow<'r, [u8]>>,
        values: &Values<'_>,
    ) -> Result<TypedPart<'r>, Refusal> {
        match &self.part {
            Part::Whole => Ok((column.data_type.clone(), whole)),
            Part::Element(key) => {
                let key = match key.give(values)? {
                    Given::Bytes(bytes) => Some(bytes),
                    Given::Null => {
                        let kind = match column.data_type {
                            DataType::List { .. } => "list",
                            _ => "map",
                        };
                        return Err(Refusal::invalid(format!(
                            "Invalid null value for {kind} element access"
                        )));
                    }
                    Given::Unset => None,
                };
                element_of(&column.data_type, whole.as_deref(), key.as_deref())
            }
            Part::Field(number) => {
                let DataType::UserDefined(user_type) = &column.data_type else {
                    return Ok((DataType::Blob, None));
                };
                let field = user_type.fields.get(*number);
                let data_type = field.map_or(DataType::Blob, |it| it.data_type.clone());
                let Some(whole) = whole else {
                    return Ok((data_type, None));
                };
                let parts = frames::tuple_parts(&whole, user_type.fields.len());
                let part = parts.flatten().nth(*number).flatten().map(<[u8]>::to_vec);
                Ok((data_type, part.map(Cow::Owned)))
            }
        }
    }
}

fn unset() -> Refusal {
    Refusal::invalid("Invalid 'unset' value in condition")
}

fn element_receivers(column: &Column) -> Result<(Receiver, Receiver), Refusal> {
    let name = &column.name;
    match &column.data_type {
        DataType::List { element, .. } => Ok((
            Receiver::new(format!("idx({name})"), DataType::Int),
            Receiver::new(format!("value({name})"), (**element).clone()),
        )),
        DataType::Map { key, value, .. } => Ok((
            Receiver::new(format!("key({name})"), (**key).clone()),
            Receiver::new(format!("value({name})"), (**value).clone()),
        )),
        DataType::Set { .. } => Err(Refusal::invalid(format!(
            "Invalid element access syntax for set column {name}"
        ))),
        _ => Err(Refusal::invalid(format!(
            "Invalid element access syntax for non-collection column {name}"
        ))),
    }
}

fn field_receiver(column: &Column, name: &ast::Name) -> Result<(usize, Receiver), Refusal> {
    let DataType::UserDefined(user_type) = &column.data_type else {
        return Err(Refusal::invalid(format!(
            "Cannot access field of non-user-type column {}",
            column.name
        )));
    };
    let mut fields = user_type.fields.iter().enumerate();
    let found = fields.find(|(_, it)| *name == *it.name);
    let (number, field) = found.ok_or_else(|| {
        Refusal::invalid(format!(
            "Unknown field {} for column {}",
            name.as_str(),
            column.name
        ))
    })?;
    let name = format!("{}.{}", column.name, field.name);
    Ok((number, Receiver::new(name, field.data_type.clone())))
}

fn contained(column: &Column) -> Result<Receiver, Refusal> {
    let element = match &column.data_type {
        DataType::List { element, .. } | DataType::Set { element, .. } => element,
        DataType::Map { value, .. } => value,
        _ => {
            return Err(Refusal::invalid(format!(
                "Cannot use CONTAINS on non-collection column {}",
                column.name
            )));
        }
    };
    Ok(Receiver::new(
        format!("value({})", column.name),
        (**element).clone(),
    ))
}

/// A collection of many cells without elements is the same as none.
fn is_nothing(data_type: &DataType, value: &[u8]) -> bool {
    data_type.is_multi_cell()
        && data_type.is_collection()
        && value.first_chunk::<4>() == Some(&[0; 4])
}

fn is_same(data_type: &DataType, left: Option<&[u8]>, right: Option<&[u8]>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => compare::compare(data_type, left, right).is_eq(),
        _ => false,
    }
}

fn compared(
    data_type: &DataType,
    actual: Option<&[u8]>,
    comparison: Comparison,
    wanted: Option<&[u8]>,
) -> Result<bool, Refusal> {
    let (actual, wanted) = match (actual, wanted, comparison) {
        (actual, None, Comparison::Equal) => return Ok(actual.is_none()),
        (actual, None, Comparison::NotEqual) => return Ok(actual.is_some()),
        (_, None, other) => {
            return Err(Refusal::invalid(format!(
                "Invalid comparison with null for operator \"{}\"",
                other.sign()
            )));
        }
        (None, Some(_), comparison) => return Ok(comparison == Comparison::NotEqual),
        (Some(actual), Some(wanted), _) => (actual, wanted),
    };
    let order = compare::compare(data_type, actual, wanted);
    Ok(match comparison {
        Comparison::Equal => order.is_eq(),
        Comparison::NotEqual => order.is_ne(),
        Comparison::Less => order == Ordering::Less,
        Comparison::LessOrEqual => order.is_le(),
        Comparison::Greater => order == Ordering::Greater,
        Comparison::GreaterOrEqual => order.is_ge(),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Key,
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Elements,
    Pairs,
}

fn shape(data_type: &DataType) -> Shape {
    match data_type {
        DataType::Map { .. } => Shape::Pairs,
        _ => Shape::Elements,
    }
}

fn parts(bytes: &[u8], shape: Shape) -> Result<Vec<Option<&[u8]>>, Refusal> {
    let broken = |problem: frames::FrameError| Refusal::invalid(problem.to_string());
    let (_, parts) =
        frames::nullable_parts(bytes, if shape == Shape::Pairs { 2 } else { 1 }).map_err(broken)?;
    parts.map(|it| it.map_err(broken)).collect()
}

fn contains(
    data_type: &DataType,
    actual: Option<&[u8]>,
    term: &Term,
    values: &Values<'_>,
    side: Side,
) -> Result<bool, Refusal> {
    let wanted = match term.give(values)? {
        Given::Bytes(bytes) => bytes,
        Given::Null => return Ok(false),
        Given::Unset => return Err(unset()),
    };
    let Some(actual) = actual else {
        return Ok(false);
    };
    let shape = shape(data_type);
    let (step, first, element) = match (shape, side, data_type) {
        (Shape::Pairs, Side::Key, DataType::Map { key, .. }) => (2, 0, key),
        (Shape::Pairs, Side::Value, DataType::Map { value, .. }) => (2, 1, value),
        (_, _, DataType::List { element, .. } | DataType::Set { element, .. }) => (1, 0, element),
        _ => return Ok(false),
    };
    let parts = parts(actual, shape)?;
    let mut parts = parts.into_iter().skip(first).step_by(step);
    Ok(parts.any(|it| is_same(element, it, Some(&wanted))))
}

/// An element of a collection by index or key.
fn element_of<'r>(
    data_type: &DataType,
    whole: Option<&[u8]>,
    key: Option<&[u8]>,
) -> Result<TypedPart<'r>, Refusal> {
    let (element, found) = match data_type {
        DataType::List { element, .. } => {
            let index = key.and_then(|it| it.first_chunk::<4>());
            let index = index.map_or(0, |it| i32::from_be_bytes(*it));
            let at = usize::try_from(index)
                .map_err(|_| Refusal::invalid(format!("Invalid negative list index {index}")))?;
            let parts = whole.map(|it| parts(it, Shape::Elements)).transpose()?;
            let found = parts.and_then(|it| it.get(at).copied().flatten());
            (element, found.map(<[u8]>::to_vec))
        }
        DataType::Map {
            key: keys, value, ..
        } => {
            let parts = whole.map(|it| parts(it, Shape::Pairs)).transpose()?;
            let parts = parts.unwrap_or_default();
            let mut pairs = parts.chunks_exact(2);
            let found = pairs.find_map(|pair| match pair {
                [Some(it), value] if is_same(keys, Some(it), key) => *value,
                _ => None,
            });
            (value, found.map(<[u8]>::to_vec))
        }
        _ => return Ok((DataType::Blob, None)),
    };
    Ok(((**element).clone(), found.map(Cow::Owned)))
}
