//! Ordered bytes to native bytes.

use super::reader::Reader;
use super::{
    NEXT, NEXT_EMPTY, NEXT_EMPTY_DESCENDING, NEXT_NULL, OrderedError, TERMINATOR, bytes, decimal,
    integer, is_escaped,
};
use crate::data_type::{ClusteringOrder, DataType};
use crate::frames;

/// Reads the component that a separator announces.
pub(super) fn read_component(
    reader: &mut Reader<'_>,
    data_type: &DataType,
    order: ClusteringOrder,
    separator: u8,
) -> Result<Option<Vec<u8>>, OrderedError> {
    match (separator, order) {
        (NEXT_NULL, _) => Ok(None),
        (NEXT_EMPTY, ClusteringOrder::Ascending)
        | (NEXT_EMPTY_DESCENDING, ClusteringOrder::Descending)
            if !is_escaped(data_type) =>
        {
            Ok(Some(Vec::new()))
        }
        (NEXT, ClusteringOrder::Ascending) => read_value(reader, data_type).map(Some),
        (NEXT, ClusteringOrder::Descending) => {
            reader.invert();
            let value = read_value(reader, data_type);
            reader.invert();
            value.map(Some)
        }
        _ => Err(reader.unexpected()),
    }
}

fn read_value(reader: &mut Reader<'_>, data_type: &DataType) -> Result<Vec<u8>, OrderedError> {
    match data_type {
        escaped if is_escaped(escaped) => bytes::read_escaped(reader),
        DataType::Boolean => match reader.next()? {
            byte @ (0 | 1) => Ok(vec![byte]),
            _ => Err(reader.unexpected()),
        },
        DataType::BigInt | DataType::Counter => {
            Ok(integer::read_variable(reader)?.to_be_bytes().to_vec())
        }
        DataType::VarInt => integer::read_varint(reader),
        DataType::Decimal => decimal::read(reader),
        DataType::Uuid | DataType::TimeUuid => {
            Ok(bytes::restore_uuid(data_type, reader.array()?).to_vec())
        }
        DataType::List { element, .. } | DataType::Set { element, .. } => {
            read_collection(reader, &[element])
        }
        DataType::Map { key, value, .. } => read_collection(reader, &[key, value]),
        DataType::Vector { element, dimension } => read_vector(reader, element, *dimension),
        DataType::Tuple(_) | DataType::UserDefined(_) => read_tuple(reader, &data_type.inner()),
        fixed => bytes::read_fixed(reader, fixed),
    }
}

/// Reads entries of one part (lists, sets) or two (maps) until the terminator. Single parts may be
/// null: Cassandra lets nulls into frozen lists.
fn read_collection(reader: &mut Reader<'_>, sides: &[&DataType]) -> Result<Vec<u8>, OrderedError> {
    let mut parts = Vec::new();
    let mut entries = 0;
    loop {
        for (index, side) in sides.iter().enumerate() {
            let separator = reader.next()?;
            if separator == TERMINATOR && index == 0 {
                let mut native = Vec::with_capacity(parts.len() + 4);
                frames::write_count(entries, &mut native).ok_or(OrderedError::OutOfRange)?;
                native.extend(parts);
                return Ok(native);
            }
            let value = read_component(reader, side, ClusteringOrder::Ascending, separator)?;
            if value.is_none() && sides.len() > 1 {
                return Err(reader.unexpected());
            }
            frames::write_part(value.as_deref(), &mut parts).ok_or(OrderedError::OutOfRange)?;
        }
        entries += 1;
    }
}

/// Reads an element that cannot be null.
fn read_element(
    reader: &mut Reader<'_>,
    data_type: &DataType,
    separator: u8,
) -> Result<Vec<u8>, OrderedError> {
    read_component(reader, data_type, ClusteringOrder::Ascending, separator)?
        .ok_or_else(|| reader.unexpected())
}

fn read_vector(
    reader: &mut Reader<'_>,
    element: &DataType,
    dimension: u32,
) -> Result<Vec<u8>, OrderedError> {
    let mut native = Vec::new();
    for _ in 0..dimension {
        let separator = reader.next()?;
        let value = read_element(reader, element, separator)?;
        if element
            .fixed_length()
            .is_some_and(|length| length != value.len())
        {
            return Err(reader.unexpected());
        }
        frames::write_vector_part(element, &value, &mut native);
    }
    match reader.next()? {
        TERMINATOR => Ok(native),
        _ => Err(reader.unexpected()),
    }
}

fn read_tuple(reader: &mut Reader<'_>, types: &[&DataType]) -> Result<Vec<u8>, OrderedError> {
    let mut native = Vec::new();
    let mut is_ended = false;
    for data_type in types {
        let mut value = None;
        if !is_ended {
            match reader.next()? {
                TERMINATOR => is_ended = true,
                separator => {
                    let order = ClusteringOrder::Ascending;
                    value = read_component(reader, data_type, order, separator)?;
                }
            }
        }
        frames::write_part(value.as_deref(), &mut native).ok_or(OrderedError::OutOfRange)?;
    }
    if !is_ended && reader.next()? != TERMINATOR {
        return Err(reader.unexpected());
    }
    Ok(native)
}
