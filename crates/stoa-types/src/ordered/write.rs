//! Native bytes to ordered bytes.

use super::bytes::{self, escape};
use super::{
    NEXT, NEXT_EMPTY, NEXT_EMPTY_DESCENDING, NEXT_NULL, OrderedError, TERMINATOR, decimal, integer,
    is_escaped,
};
use crate::data_type::{ClusteringOrder, DataType, KeyColumn};
use crate::decimal::Decimal;
use crate::frames;

/// Appends the components of a clustering or a prefix of one, each with its separator.
pub(super) fn append_components(
    columns: &[KeyColumn],
    values: &[Option<&[u8]>],
    out: &mut Vec<u8>,
) -> Result<(), OrderedError> {
    for (column, value) in columns.iter().zip(values) {
        append_component(&column.data_type, column.order, *value, out)?;
    }
    Ok(())
}

fn append_component(
    data_type: &DataType,
    order: ClusteringOrder,
    value: Option<&[u8]>,
    out: &mut Vec<u8>,
) -> Result<(), OrderedError> {
    let Some(native) = value else {
        out.push(NEXT_NULL);
        return Ok(());
    };
    if native.is_empty() && !is_escaped(data_type) {
        out.push(match order {
            ClusteringOrder::Ascending => NEXT_EMPTY,
            ClusteringOrder::Descending => NEXT_EMPTY_DESCENDING,
        });
        return Ok(());
    }
    out.push(NEXT);
    let start = out.len();
    append_value(data_type, native, out)?;
    if order == ClusteringOrder::Descending {
        out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
    }
    Ok(())
}

/// Appends the bytes of one value, without separator and in ascending form.
fn append_value(
    data_type: &DataType,
    native: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), OrderedError> {
    let invalid = || OrderedError::InvalidValue {
        data_type: data_type.to_string(),
    };
    match data_type {
        escaped if is_escaped(escaped) => escape(native, out),
        DataType::Boolean => {
            let &[byte] = native else {
                return Err(invalid());
            };
            out.push(u8::from(byte != 0));
        }
        DataType::BigInt | DataType::Counter => {
            let number = native.try_into().map_err(|_| invalid())?;
            integer::append_variable(i64::from_be_bytes(number), out);
        }
        DataType::VarInt => integer::append_varint(native, out),
        DataType::Decimal => {
            let value = Decimal::from_bytes(native).ok_or_else(invalid)?;
            decimal::append(&value, out);
        }
        DataType::Uuid | DataType::TimeUuid => {
            let uuid = native.try_into().map_err(|_| invalid())?;
            out.extend_from_slice(&bytes::order_uuid(data_type, uuid));
        }
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            let (_, parts) = frames::nullable_parts(native, 1)?;
            append_sequence(parts.map(|part| Ok((&**element, part?))), out)?;
        }
        DataType::Map { key, value, .. } => {
            let (_, parts) = frames::collection_parts(native, 2)?;
            let sides = [&**key, &**value].into_iter().cycle();
            append_sequence(
                sides.zip(parts).map(|(side, part)| Ok((side, Some(part?)))),
                out,
            )?;
        }
        DataType::Vector { element, dimension } => {
            let parts = frames::vector_parts(native, element, *dimension);
            append_sequence(parts.map(|part| Ok((&**element, Some(part?)))), out)?;
        }
        DataType::Tuple(_) | DataType::UserDefined(_) => append_tuple(data_type, native, out)?,
        fixed => {
            let length = bytes::fixed_length(fixed).ok_or_else(invalid)?;
            if native.len() != length {
                return Err(invalid());
            }
            bytes::append_fixed(fixed, native, out);
        }
    }
    Ok(())
}

fn append_sequence<'a>(
    parts: impl Iterator<Item = Result<(&'a DataType, Option<&'a [u8]>), OrderedError>>,
    out: &mut Vec<u8>,
) -> Result<(), OrderedError> {
    for part in parts {
        let (data_type, value) = part?;
        append_component(data_type, ClusteringOrder::Ascending, value, out)?;
    }
    out.push(TERMINATOR);
    Ok(())
}

/// Nulls at the end are left out, so that a tuple written before a field was added compares equal
/// to one written after.
fn append_tuple(
    data_type: &DataType,
    native: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), OrderedError> {
    let types = data_type.inner();
    let parts: Result<Vec<_>, _> = frames::tuple_parts(native, types.len()).collect();
    let parts = parts?;
    let present = parts
        .iter()
        .rposition(Option::is_some)
        .map_or(0, |last| last + 1);
    append_sequence(types.into_iter().zip(parts).take(present).map(Ok), out)
}
