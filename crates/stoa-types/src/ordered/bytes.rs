//! Ordered forms of raw bytes, fixed-length numbers and UUIDs.

use super::OrderedError;
use super::reader::Reader;
use crate::data_type::DataType;

/// Stands for a zero byte, or for the end.
const ESCAPE: u8 = 0x00;
/// After an escape: one zero byte, and no other byte follows it yet.
const ZERO_GOES_ON: u8 = 0xFE;
/// After an escape: one zero byte, then other bytes.
const ZERO_DONE: u8 = 0xFF;

/// Appends raw bytes so that they sort as they are and end where they end.
///
/// A run of n zeros becomes `00`, n-1 times `FE`, `FF`; at the very end the `FF` is an `FE`. If the
/// input does not end in a zero, `00` is appended. So `00` is followed by `FE`, `FF` or the end,
/// and any byte from `10` to `EF` written after makes the whole prefix-free. A partition key
/// that is followed by such a byte can be cut out of a longer key with [`unescape`].
pub fn escape(raw: &[u8], out: &mut Vec<u8>) {
    out.reserve(raw.len() + 1);
    let mut is_after_zero = false;
    for &byte in raw {
        match (byte, is_after_zero) {
            (0, true) => out.push(ZERO_GOES_ON),
            (0, false) => out.push(ESCAPE),
            (_, true) => out.extend_from_slice(&[ZERO_DONE, byte]),
            (_, false) => out.push(byte),
        }
        is_after_zero = byte == 0;
    }
    out.push(if is_after_zero { ZERO_GOES_ON } else { ESCAPE });
}

/// Takes escaped bytes off the front; returns them as they were, and what follows.
///
/// # Errors
/// When the end marker is missing.
pub fn unescape(encoded: &[u8]) -> Result<(Vec<u8>, &[u8]), OrderedError> {
    let mut reader = Reader::new(encoded);
    let raw = read_escaped(&mut reader)?;
    Ok((raw, reader.rest()))
}

pub(super) fn read_escaped(reader: &mut Reader<'_>) -> Result<Vec<u8>, OrderedError> {
    let mut raw = Vec::new();
    loop {
        match reader.next()? {
            ESCAPE => {
                while reader.peek() == Some(ZERO_GOES_ON) {
                    reader.next()?;
                    raw.push(0);
                }
                if reader.peek() != Some(ZERO_DONE) {
                    return Ok(raw);
                }
                reader.next()?;
                raw.push(0);
            }
            byte => raw.push(byte),
        }
    }
}

/// The length of types that are written with as many bytes as they have.
pub(super) fn fixed_length(data_type: &DataType) -> Option<usize> {
    match data_type {
        DataType::TinyInt => Some(1),
        DataType::SmallInt => Some(2),
        DataType::Int | DataType::Float | DataType::Date => Some(4),
        DataType::Timestamp | DataType::Double | DataType::Time => Some(8),
        _ => None,
    }
}

/// The bytes of the NaN that Java makes, if these are of any NaN.
pub(super) fn as_java_nan(data_type: &DataType, native: &[u8]) -> Option<&'static [u8]> {
    let is_nan = match data_type {
        DataType::Float => <[u8; 4]>::try_from(native).map(|it| f32::from_be_bytes(it).is_nan()),
        DataType::Double => <[u8; 8]>::try_from(native).map(|it| f64::from_be_bytes(it).is_nan()),
        _ => return None,
    };
    let nan: &[u8] = match data_type {
        DataType::Float => &[0x7F, 0xC0, 0, 0],
        _ => &[0x7F, 0xF8, 0, 0, 0, 0, 0, 0],
    };
    is_nan.is_ok_and(|it| it).then_some(nan)
}

/// Appends a value of a fixed length, which the caller has checked.
pub(super) fn append_fixed(data_type: &DataType, native: &[u8], out: &mut Vec<u8>) {
    let native = as_java_nan(data_type, native).unwrap_or(native);
    let is_negative = native.first().is_some_and(|&byte| byte >= 0x80);
    let (first_mask, rest_mask) = match data_type {
        DataType::Date | DataType::Time => (0, 0),
        DataType::Float | DataType::Double if is_negative => (0xFF, 0xFF),
        _ => (0x80, 0),
    };
    append_masked(native, first_mask, rest_mask, out);
}

pub(super) fn read_fixed(
    reader: &mut Reader<'_>,
    data_type: &DataType,
) -> Result<Vec<u8>, OrderedError> {
    let length = fixed_length(data_type).ok_or_else(|| reader.unexpected())?;
    let ordered = reader.take(length)?;
    let was_negative = ordered.first().is_some_and(|&byte| byte < 0x80);
    let (first_mask, rest_mask) = match data_type {
        DataType::Date | DataType::Time => (0, 0),
        DataType::Float | DataType::Double if was_negative => (0xFF, 0xFF),
        _ => (0x80, 0),
    };
    let mut native = Vec::with_capacity(length);
    append_masked(&ordered, first_mask, rest_mask, &mut native);
    Ok(native)
}

fn append_masked(bytes: &[u8], first_mask: u8, rest_mask: u8, out: &mut Vec<u8>) {
    let masks = std::iter::once(first_mask).chain(std::iter::repeat(rest_mask));
    out.extend(bytes.iter().zip(masks).map(|(byte, mask)| byte ^ mask));
}

/// Signed bytes sort as unsigned ones once their sign bits are flipped.
const LOW_HALF_SIGNS: u64 = 0x8080_8080_8080_8080;

/// Puts the version first, and for version 1 the time from its most to its least significant bits.
pub(super) fn order_uuid(data_type: &DataType, native: [u8; 16]) -> [u8; 16] {
    let (high, low) = uuid::Uuid::from_bytes(native).as_u64_pair();
    let version = (high >> 12) & 0xF;
    let is_time = matches!(data_type, DataType::TimeUuid);
    let high = if is_time || version == 1 {
        (high << 48) | ((high << 16) & 0xFFFF_0000_0000) | (high >> 32)
    } else {
        (version << 60) | ((high >> 4) & 0x0FFF_FFFF_FFFF_F000) | (high & 0xFFF)
    };
    let low = if is_time { low ^ LOW_HALF_SIGNS } else { low };
    uuid::Uuid::from_u64_pair(high, low).into_bytes()
}

/// The inverse of [`order_uuid`].
pub(super) fn restore_uuid(data_type: &DataType, ordered: [u8; 16]) -> [u8; 16] {
    let (high, low) = uuid::Uuid::from_bytes(ordered).as_u64_pair();
    let version = high >> 60;
    let is_time = matches!(data_type, DataType::TimeUuid);
    let high = if is_time || version == 1 {
        (high << 32) | ((high >> 16) & 0xFFFF_0000) | (high >> 48)
    } else {
        ((high << 4) & 0xFFFF_FFFF_FFFF_0000) | (version << 12) | (high & 0xFFF)
    };
    let low = if is_time { low ^ LOW_HALF_SIGNS } else { low };
    uuid::Uuid::from_u64_pair(high, low).into_bytes()
}
