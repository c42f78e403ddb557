//! `CAST(x AS type)`: which types can be cast to which, and how.
//!
//! | to | from |
//! |---|---|
//! | a number | every other number, and counter |
//! | text, ascii | numbers, counter, boolean, inet, uuid, timeuuid, date, time, timestamp |
//! | text | also ascii |
//! | date | timestamp, timeuuid |
//! | timestamp | date, timeuuid |
//!
//! A cast is a function too (`cast_as_int`, in old style `castAsInt`), and resolved as such: what
//! is no such type itself, but has the bytes of one, is cast as well.

use stoa_types::{DataType, Decimal, native};

use super::argument::Argument;
use super::function::{
    Answer, Call, ColumnName, FunctionName, Resolved, ScalarFunction, Signature,
};
use super::number::{NUMBERS, Number};
use super::resolve::{Callee, choose};
use super::scalar_text::{DateSeparator, scalar_text};
use super::times;
use crate::refusal::Refusal;

/// The types that something can be cast to.
const TARGETS: [DataType; 12] = [
    DataType::TinyInt,
    DataType::SmallInt,
    DataType::Int,
    DataType::BigInt,
    DataType::Float,
    DataType::Double,
    DataType::Decimal,
    DataType::VarInt,
    DataType::Text,
    DataType::Ascii,
    DataType::Date,
    DataType::Timestamp,
];

/// Finds the function of a cast; `Ok(None)` if nothing can be cast to this type.
///
/// A cast to the argument's own type is nothing to do, and not asked for here. `receiver` is the
/// type that the answer is wanted in, where that is known.
///
/// # Errors
/// When the argument cannot be cast to this type, or in several ways.
pub fn resolve(
    argument: &dyn Argument,
    target: &DataType,
    receiver: Option<&DataType>,
) -> Result<Option<ScalarFunction>, Refusal> {
    let name = format!("cast_as_{target}");
    let callee = Callee::Function(FunctionName {
        keyspace: Some("system"),
        name: &name,
    });
    let candidates = overloads(&name).into_iter().map(Resolved::Scalar).collect();
    match choose(&callee, candidates, &[argument], receiver)? {
        Some(Resolved::Scalar(function)) => Ok(Some(function)),
        _ => Ok(None),
    }
}

/// The casts of this name.
pub(super) fn overloads(name: &str) -> Vec<ScalarFunction> {
    let target = TARGETS.iter().find(|target| {
        let type_name = target.native_name().unwrap_or_default();
        name.strip_prefix("cast_as_") == Some(type_name)
            || name
                .strip_prefix("castAs")
                .is_some_and(|capitalized| is_capitalized(capitalized, type_name))
    });
    let Some(target) = target else {
        return Vec::new();
    };
    sources(target)
        .iter()
        .map(|source| function(name, source, target))
        .collect()
}

fn is_capitalized(capitalized: &str, name: &str) -> bool {
    capitalized.starts_with(|first: char| first.is_ascii_uppercase())
        && capitalized.eq_ignore_ascii_case(name)
        && capitalized.chars().skip(1).eq(name.chars().skip(1))
}

/// The types that can be cast to this one.
fn sources(target: &DataType) -> Vec<DataType> {
    match target {
        DataType::Date => vec![DataType::TimeUuid, DataType::Timestamp],
        DataType::Timestamp => vec![DataType::TimeUuid, DataType::Date],
        DataType::Text | DataType::Ascii => {
            let others = [
                DataType::Boolean,
                DataType::Inet,
                DataType::Uuid,
                DataType::TimeUuid,
                DataType::Date,
                DataType::Time,
                DataType::Timestamp,
            ];
            let ascii = [DataType::Ascii]
                .into_iter()
                .filter(|ascii| ascii != target);
            NUMBERS.into_iter().chain(others).chain(ascii).collect()
        }
        number => NUMBERS
            .into_iter()
            .filter(|source| source != number)
            .collect(),
    }
}

fn function(name: &str, source: &DataType, target: &DataType) -> ScalarFunction {
    let signature =
        Signature::new(name, vec![source.clone()], target.clone()).with_column(ColumnName::Cast);
    let (source, target) = (source.clone(), target.clone());
    ScalarFunction::new(signature, move |call| match (&source, &target) {
        (DataType::Ascii, _) => Ok(call.argument(0).map(<[u8]>::to_vec)),
        (_, DataType::Text | DataType::Ascii) => text(call, &source),
        (_, DataType::Date | DataType::Timestamp) => times::convert(call, &source, &target),
        _ => number(call, &source, &target),
    })
}

fn text(call: &Call<'_>, source: &DataType) -> Answer {
    let Some(bytes) = call.argument(0).filter(|bytes| !bytes.is_empty()) else {
        return Ok(None);
    };
    let value =
        native::decode(source, bytes).map_err(|error| Refusal::server(error.to_string()))?;
    Ok(Some(scalar_text(&value, DateSeparator::T).into_bytes()))
}

fn number(call: &Call<'_>, source: &DataType, target: &DataType) -> Answer {
    let Some(number) = Number::read(source, call.argument(0))? else {
        return Ok(None);
    };
    let cast = match target {
        DataType::TinyInt => Number::TinyInt(number.to_i32() as i8),
        DataType::SmallInt => Number::SmallInt(number.to_i32() as i16),
        DataType::Int => Number::Int(number.to_i32()),
        DataType::BigInt => Number::BigInt(number.to_i64()),
        DataType::Float => Number::Float(number.to_f32()),
        DataType::Double => Number::Double(number.to_f64()),
        DataType::VarInt => Number::VarInt(number.to_i64().into()),
        _ => Number::Decimal(decimal(&number)?),
    };
    Ok(Some(cast.to_bytes()))
}

/// The decimal of a number's own text, which loses nothing.
fn decimal(number: &Number) -> Result<Decimal, Refusal> {
    let text = number.text();
    text.parse().map_err(|_| {
        Refusal::server(format!(
            "java.lang.NumberFormatException: {text} is no decimal number"
        ))
    })
}
