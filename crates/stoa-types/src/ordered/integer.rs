//! Ordered forms of `bigint` and `varint`.
//!
//! A 64-bit number takes one to nine bytes. The first bit is the inverted sign; as many more bits
//! as there are bytes after the first equal it, then comes one that differs, then the number in
//! two's complement. (With nine bytes the differing bit does not fit the first byte and is the
//! first of the second.) So among positive numbers a longer one is greater, among negative ones
//! less.
//!
//! A varint of up to six significant bytes takes the same form, whose first byte is then never
//! `00` or `FF`. A longer one is a byte for the sign (`00` negative, `FF` positive), the number of
//! significant bytes less seven as an unsigned vint (inverted if negative), and the bytes.

use super::OrderedError;
use super::reader::Reader;
use crate::vint;

/// The least number of significant bytes for which a varint carries its length.
const LONG_FORM: usize = 7;

pub(super) fn append_variable(value: i64, out: &mut Vec<u8>) {
    let negative = value >> 63;
    let magnitude = (value ^ negative).cast_unsigned();
    let bits = 64 - (magnitude | 1).leading_zeros();
    let length = bits / 7 + 1;
    let flip = negative.cast_unsigned();
    if length >= 9 {
        out.push(!(flip as u8));
        out.extend_from_slice(&((magnitude | (1 << 63)) ^ flip).to_be_bytes());
    } else {
        let ones = !(0xFF_u64 >> length) & 0xFF;
        let marked = (magnitude | (ones << (8 * (length - 1)))) ^ flip;
        out.extend(marked.to_be_bytes().iter().skip(8 - length as usize));
    }
}

pub(super) fn read_variable(reader: &mut Reader<'_>) -> Result<i64, OrderedError> {
    let first = reader.next()?;
    let flip = if first < 0x80 { 0xFF } else { 0 };
    let ones = (first ^ flip).leading_ones();
    let second_mark = reader.peek().is_some_and(|byte| (byte ^ flip) >= 0x80);
    let (more, top_bits) = match ones {
        8 if second_mark => (8, 0),
        8 => (7, 0),
        _ => (ones as usize - 1, u64::from(first ^ flip) & (0xFF >> ones)),
    };
    let mut magnitude = top_bits;
    for _ in 0..more {
        magnitude = (magnitude << 8) | u64::from(reader.next()? ^ flip);
    }
    let magnitude = (magnitude & (u64::MAX >> 1)).cast_signed();
    Ok(if flip == 0 { magnitude } else { !magnitude })
}

pub(super) fn append_varint(native: &[u8], out: &mut Vec<u8>) {
    let sign = sign_byte(native);
    let superfluous = native.iter().take_while(|&&byte| byte == sign).count();
    // At least one byte stays, so that 0 and -1 have a digit.
    let digits = native
        .get(superfluous.min(native.len().saturating_sub(1))..)
        .unwrap_or_default();
    if digits.len() < LONG_FORM {
        let start = if sign == 0 { 0 } else { -1_i64 };
        append_variable(
            digits
                .iter()
                .fold(start, |sum, &byte| (sum << 8) | i64::from(byte)),
            out,
        );
        return;
    }
    out.push(!sign);
    let length_at = out.len();
    vint::write_unsigned((digits.len() - LONG_FORM) as u64, out);
    out.iter_mut()
        .skip(length_at)
        .for_each(|byte| *byte ^= sign);
    out.extend_from_slice(digits);
}

pub(super) fn read_varint(reader: &mut Reader<'_>) -> Result<Vec<u8>, OrderedError> {
    let sign = match reader.peek().ok_or(OrderedError::CutShort)? {
        0x00 => 0xFF,
        0xFF => 0x00,
        _ => return Ok(shortest(&read_variable(reader)?.to_be_bytes())),
    };
    reader.next()?;
    let first = reader.next()? ^ sign;
    let mut length_bytes = vec![first];
    for _ in 0..first.leading_ones() {
        length_bytes.push(reader.next()? ^ sign);
    }
    let length = vint::read_unsigned(&mut length_bytes.as_slice()).ok_or(OrderedError::CutShort)?;
    let length = usize::try_from(length).map_err(|_| OrderedError::CutShort)?;
    let digits = reader.take(
        length
            .checked_add(LONG_FORM)
            .ok_or(OrderedError::CutShort)?,
    )?;
    let mut native = vec![sign];
    native.extend(digits);
    Ok(shortest(&native))
}

fn sign_byte(native: &[u8]) -> u8 {
    if native.first().is_some_and(|&byte| byte >= 0x80) {
        0xFF
    } else {
        0
    }
}

/// A number in two's complement without leading bytes that only repeat its sign.
fn shortest(native: &[u8]) -> Vec<u8> {
    let sign = sign_byte(native);
    let mut rest = native;
    while let [first, second, ..] = rest {
        if *first != sign || (second ^ sign) >= 0x80 {
            break;
        }
        rest = rest.get(1..).unwrap_or_default();
    }
    rest.to_vec()
}
