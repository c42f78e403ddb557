//! The value of a term in one execution.

use std::borrow::Cow;

use stoa_session::bind::Cell;
use stoa_types::{DataType, frames, native};

use super::Term;
use super::bound::{self, sorted_map, sorted_set};
use super::prepare::element_type;
use crate::functions::Environment;
use crate::refusal::Refusal;

/// The variables of one execution, and what functions need.
#[derive(Clone)]
pub(crate) struct Values<'v> {
    pub(crate) cells: Vec<Cell<'v>>,
    pub(crate) environment: Environment<'v>,
}

impl<'v> Values<'v> {
    /// No variables.
    pub(crate) fn none(environment: Environment<'v>) -> Self {
        Self {
            cells: Vec::new(),
            environment,
        }
    }
}

/// What a term gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Given<'a> {
    /// Native bytes.
    Bytes(Cow<'a, [u8]>),
    /// No value.
    Null,
    /// Leave it as it is.
    Unset,
}

impl<'a> From<Option<Cow<'a, [u8]>>> for Given<'a> {
    fn from(bytes: Option<Cow<'a, [u8]>>) -> Self {
        bytes.map_or(Self::Null, Self::Bytes)
    }
}

impl Term {
    /// What it gives.
    pub(crate) fn give<'a>(&'a self, values: &'a Values<'_>) -> Result<Given<'a>, Refusal> {
        match self {
            Self::Constant(bytes) => Ok(bytes.as_deref().map(Cow::Borrowed).into()),
            Self::Variable(index, data_type) => variable(*index, data_type, values),
            Self::Call(function, parts) => {
                let arguments = parts
                    .iter()
                    .map(|part| part.bytes(values))
                    .collect::<Result<Vec<_>, _>>()?;
                let arguments: Vec<Option<&[u8]>> =
                    arguments.iter().map(Option::as_deref).collect();
                let answer = function.call(&arguments, &values.environment)?;
                Ok(answer.map(Cow::Owned).into())
            }
            Self::Composite(data_type, parts) => {
                let bytes = composite(data_type, parts, values)?;
                Ok(Given::Bytes(Cow::Owned(bytes)))
            }
            Self::Failing(why) => Err(Refusal::server(*why)),
        }
    }

    /// Its bytes; `None` for null. Where unset makes no sense it is refused.
    pub(crate) fn bytes<'a>(
        &'a self,
        values: &'a Values<'_>,
    ) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
        match self.give(values)? {
            Given::Bytes(bytes) => Ok(Some(bytes)),
            Given::Null => Ok(None),
            Given::Unset => Err(Refusal::invalid("Invalid unset value for argument")),
        }
    }
}

fn variable<'a>(
    index: usize,
    data_type: &DataType,
    values: &'a Values<'_>,
) -> Result<Given<'a>, Refusal> {
    let bytes = match values.cells.get(index) {
        Some(Cell::Bytes(bytes)) => *bytes,
        Some(Cell::Null) => return Ok(Given::Null),
        Some(Cell::Unset) => return Ok(Given::Unset),
        None => return Err(Refusal::invalid("Invalid amount of bind variables")),
    };
    bound::taken_in(data_type, bytes).map(Given::Bytes)
}

fn composite(
    data_type: &DataType,
    parts: &[Term],
    values: &Values<'_>,
) -> Result<Vec<u8>, Refusal> {
    match data_type {
        DataType::Tuple(_) | DataType::UserDefined(_) => fields(data_type, parts, values),
        _ => collection(data_type, parts, values),
    }
}

fn collection(
    data_type: &DataType,
    parts: &[Term],
    values: &Values<'_>,
) -> Result<Vec<u8>, Refusal> {
    let given = parts
        .iter()
        .map(|part| part.bytes(values))
        .collect::<Result<Vec<_>, _>>()?;
    let given: Option<Vec<&[u8]>> = given.iter().map(Option::as_deref).collect();
    let given =
        given.ok_or_else(|| Refusal::invalid("null is not supported inside collections"))?;
    let framed = |parts: Vec<&[u8]>, per_entry| {
        let parts: Vec<Option<&[u8]>> = parts.into_iter().map(Some).collect();
        bound::framed(&parts, per_entry)
    };
    match data_type {
        DataType::Set { element, .. } => framed(sorted_set(element, &given), 1),
        DataType::Map { key, .. } => framed(sorted_map(key, &given), 2),
        DataType::Vector { element, .. } => {
            let mut out = Vec::new();
            for part in given {
                frames::write_vector_part(element, part, &mut out);
            }
            Ok(out)
        }
        _ => framed(given, 1),
    }
}

fn fields(data_type: &DataType, parts: &[Term], values: &Values<'_>) -> Result<Vec<u8>, Refusal> {
    let mut out = Vec::new();
    for (position, part) in parts.iter().enumerate() {
        let given = part.give(values)?;
        let bytes = match &given {
            Given::Bytes(bytes) => Some(&**bytes),
            Given::Null => None,
            // A user type of many cells takes it for empty bytes, as Cassandra does.
            Given::Unset if data_type.is_multi_cell() => Some(&[][..]),
            Given::Unset => return Err(unset_field(data_type, position)),
        };
        if let (Some(bytes), Some(field)) = (bytes, element_type(data_type, position))
            && !matches!(given, Given::Unset)
        {
            native::validate(field, bytes)
                .map_err(|problem| Refusal::invalid(problem.to_string()))?;
        }
        frames::write_part(bytes, &mut out)
            .ok_or_else(|| Refusal::invalid("a field has 2 GiB or more"))?;
    }
    Ok(out)
}

fn unset_field(data_type: &DataType, position: usize) -> Refusal {
    match data_type {
        DataType::UserDefined(user_type) => {
            let field = user_type.fields.get(position);
            Refusal::invalid(format!(
                "Invalid unset value for field '{}' of user defined type {}",
                field.map_or("", |it| &it.name),
                user_type.name
            ))
        }
        _ => Refusal::invalid(format!(
            "Invalid unset value for tuple field number {position}"
        )),
    }
}
