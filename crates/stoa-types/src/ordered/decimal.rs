//! Ordered form of `decimal`: sign, exponent, mantissa, in base 100.
//!
//! Zero is the byte `80`. Any other number is written as `m * 100^e` with a mantissa m below 1
//! whose first pair of decimal digits is not zero:
//!
//! ```text
//! header    80 if positive, 00 if negative; plus 40; plus the number of exponent bytes, which
//!           is counted negative if the exponent (negated for negative numbers) is
//! exponent  that many bytes, two's complement
//! mantissa  80 + pair of digits, each; the first pair of a negative number counts downwards from
//!           zero and is rounded down, so that all pairs after it add to the number
//! end       00
//! ```

use num_bigint::{BigInt, Sign};

use super::OrderedError;
use super::reader::Reader;
use crate::decimal::Decimal;

const ZERO: u8 = 0x80;
const EXPONENT_HEADER: i32 = 0x40;
const END: u8 = 0x00;

/// How many powers of ten decoding moves from the exponent to the digits at most, when the
/// exponent alone is beyond the range of a scale. Only numbers with as many zeros at their end,
/// and a scale close to its limit, would need more.
const MAX_ZEROS_RESTORED: u32 = 1 << 16;

pub(super) fn append(value: &Decimal, out: &mut Vec<u8>) {
    if value.unscaled().sign() == Sign::NoSign {
        out.push(ZERO);
        return;
    }
    let is_negative = value.unscaled().sign() == Sign::Minus;
    let digits = value.digits();
    let power_of_ten = i64::try_from(digits.len()).unwrap_or(i64::MAX) - i64::from(value.scale());
    let exponent = power_of_ten.div_euclid(2) + power_of_ten.rem_euclid(2);
    append_exponent(
        if is_negative { -exponent } else { exponent },
        is_negative,
        out,
    );

    let lead = if power_of_ten.rem_euclid(2) == 1 {
        "0"
    } else {
        ""
    };
    let pairs = pairs_of(lead, digits.trim_end_matches('0'));
    if is_negative {
        append_negative(&pairs, out);
    } else {
        out.extend(pairs.iter().map(|pair| 0x80 + pair));
    }
    out.push(END);
}

fn append_exponent(modulated: i64, is_negative: bool, out: &mut Vec<u8>) {
    let significant_bits = 64 - modulated.unsigned_abs().leading_zeros();
    let length = significant_bits.div_ceil(8);
    let signed_length = if modulated < 0 {
        -(length as i32)
    } else {
        length as i32
    };
    let header = EXPONENT_HEADER + signed_length + if is_negative { 0 } else { 0x80 };
    out.push(header as u8);
    out.extend(modulated.to_be_bytes().iter().skip(8 - length as usize));
}

/// Pairs of decimal digits, padded with a zero at the end.
fn pairs_of(lead: &str, digits: &str) -> Vec<u8> {
    let all: Vec<u8> = lead
        .bytes()
        .chain(digits.bytes())
        .map(|digit| digit - b'0')
        .collect();
    let pair = |pair: &[u8]| match pair {
        [tens, ones] => tens * 10 + ones,
        [tens] => tens * 10,
        _ => 0,
    };
    all.chunks(2).map(pair).collect()
}

/// The pairs of `-m`, where m has these pairs: each rounded down, so that what is left is positive.
fn append_negative(pairs: &[u8], out: &mut Vec<u8>) {
    let last = pairs.len().saturating_sub(1);
    for (index, &pair) in pairs.iter().enumerate() {
        out.push(match (index == 0, index == last) {
            (true, true) => 0x80 - pair,
            (true, false) => 0x80 - pair - 1,
            (false, true) => 0x80 + 100 - pair,
            (false, false) => 0x80 + 99 - pair,
        });
    }
}

/// Reads a decimal into native bytes, in the form that Cassandra gives: an even scale and no more
/// pairs of digits than needed.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Vec<u8>, OrderedError> {
    let header = reader.next()?;
    if header == ZERO {
        return Ok(vec![0; 5]);
    }
    let is_negative = header < ZERO;
    let signed_length = i32::from(header & 0x7F) - EXPONENT_HEADER;
    if signed_length.abs() > 4 {
        return Err(reader.unexpected());
    }
    let mut modulated = if signed_length < 0 { -1_i64 } else { 0 };
    for _ in 0..signed_length.abs() {
        modulated = (modulated << 8) | i64::from(reader.next()?);
    }
    let exponent = if is_negative { -modulated } else { modulated };
    let pairs = read_pairs(reader, is_negative)?;

    let count = i64::try_from(pairs.len()).map_err(|_| OrderedError::OutOfRange)?;
    let power_of_ten = 2 * (exponent - count);
    let text: String = pairs.iter().map(|pair| format!("{pair:02}")).collect();
    let magnitude = BigInt::parse_bytes(text.as_bytes(), 10).ok_or(OrderedError::OutOfRange)?;
    let unscaled = if is_negative { -magnitude } else { magnitude };
    let mut native = Vec::new();
    with_scale(unscaled, power_of_ten)?.write_bytes(&mut native);
    Ok(native)
}

/// The absolute mantissa's pairs, up to the end marker.
fn read_pairs(reader: &mut Reader<'_>, is_negative: bool) -> Result<Vec<u8>, OrderedError> {
    let mut pairs = Vec::new();
    loop {
        let byte = reader.next()?;
        if byte == END {
            break;
        }
        let digits = i32::from(byte) - 0x80;
        let value = if is_negative && pairs.is_empty() {
            -digits
        } else {
            digits
        };
        let pair = u8::try_from(value).map_err(|_| reader.unexpected())?;
        if pair > 100 {
            return Err(reader.unexpected());
        }
        pairs.push(pair);
    }
    if is_negative && pairs.len() > 1 {
        // Undo the rounding down, from the last pair to the first.
        let last = pairs.len() - 1;
        for (index, pair) in pairs.iter_mut().enumerate() {
            let complement = match (index == 0, index == last) {
                (true, _) => pair.checked_sub(1),
                (false, true) => 100_u8.checked_sub(*pair),
                (false, false) => 99_u8.checked_sub(*pair),
            };
            *pair = complement.ok_or(OrderedError::OutOfRange)?;
        }
    }
    if pairs.is_empty() || pairs.iter().any(|&pair| pair > 99) {
        return Err(OrderedError::OutOfRange);
    }
    Ok(pairs)
}

/// The number `unscaled * 10^power_of_ten`. Where the power alone is beyond the range of a scale,
/// zeros are moved from it to the digits, or (the one that completes a last pair) from the digits.
fn with_scale(unscaled: BigInt, power_of_ten: i64) -> Result<Decimal, OrderedError> {
    let limit = i64::from(i32::MAX);
    if power_of_ten == -limit - 1 && (&unscaled % 10_u8).sign() == Sign::NoSign {
        return Ok(Decimal::new(unscaled / 10_u8, i32::MAX));
    }
    let excess = (power_of_ten - limit).max(0);
    let zeros = u32::try_from(excess).map_err(|_| OrderedError::OutOfRange)?;
    if zeros > MAX_ZEROS_RESTORED {
        return Err(OrderedError::OutOfRange);
    }
    let scale = i32::try_from(excess - power_of_ten).map_err(|_| OrderedError::OutOfRange)?;
    Ok(Decimal::new(unscaled * BigInt::from(10).pow(zeros), scale))
}
