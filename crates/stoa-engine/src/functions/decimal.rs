//! Arithmetic of decimals, as Java's `BigDecimal` and Cassandra's `DecimalType` do it.
//!
//! The scale of every answer is Java's, since 1.0 and 1.00 are stored apart.
//!
//! Invariants:
//! 1. No answer has more than [`MAX_DIGITS`] digits, whatever the scales: Java would try, and fail
//!    or take hours. Such a calculation is refused.

pub(super) mod transcendental;

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use stoa_types::Decimal;

/// The digits that Cassandra keeps of sums, differences and products.
const MAX_PRECISION: u64 = 10_000;
/// The least number of digits after the point, or of significant digits, of a quotient.
const MIN_QUOTIENT_SCALE: i32 = 32;
/// The greatest number of digits after the point of a quotient.
const MAX_QUOTIENT_SCALE: i32 = 1_000;
/// The most digits that a number is written out to.
const MAX_DIGITS: u64 = 1_000_000;

/// Why there is no answer, in Java's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NoAnswer(pub(super) &'static str);

const OVERFLOW: NoAnswer = NoAnswer("Overflow");

/// How digits are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    /// Towards zero.
    Down,
    /// To the nearest; away from zero if there are two.
    HalfUp,
    /// To the nearest; to the even one if there are two.
    HalfEven,
}

/// The sum, of 10,000 digits at most.
pub(super) fn add(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    if is_zero(left) || is_zero(right) {
        return add_zero(left, right);
    }
    let (big, small) = if left.scale() <= right.scale() {
        (left, right)
    } else {
        (right, left)
    };
    let last_place = i64::from(big.scale()) - digits_i64(big) + MAX_PRECISION.cast_signed();
    let first_place_of_small = i64::from(small.scale()) - digits_i64(small) + 1;
    let is_beyond =
        first_place_of_small > i64::from(big.scale()) + 2 && first_place_of_small > last_place + 2;
    if !is_beyond {
        return round(exact_sum(left, right)?, MAX_PRECISION, Rounding::HalfUp);
    }
    // The smaller one is not visible in the sum; only its sign matters, to rounding.
    let scale = i64::from(big.scale()).max(last_place) + 3;
    let sign = match small.unscaled().sign() {
        Sign::Minus => -1,
        Sign::NoSign | Sign::Plus => 1,
    };
    let trace = Decimal::new(sign.into(), checked_scale(scale)?);
    round(exact_sum(big, &trace)?, MAX_PRECISION, Rounding::HalfUp)
}

/// The sum where one of the two is zero: the other, in the greater scale if the digits allow.
fn add_zero(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    let preferred = left.scale().max(right.scale());
    if is_zero(left) && is_zero(right) {
        return Ok(Decimal::new(BigInt::ZERO, preferred));
    }
    let other = if is_zero(left) { right } else { left };
    let rounded = round(other.clone(), MAX_PRECISION, Rounding::HalfUp)?;
    match rounded.scale().cmp(&preferred) {
        Ordering::Equal => Ok(rounded),
        Ordering::Greater => Ok(strip_zeros_to(rounded, preferred)),
        Ordering::Less => {
            let room = MAX_PRECISION.saturating_sub(digits(&rounded)).cast_signed();
            let wanted = i64::from(preferred) - i64::from(rounded.scale());
            let added = wanted.min(room);
            let unscaled = rounded.unscaled() * ten_to(added.unsigned_abs())?;
            Ok(Decimal::new(
                unscaled,
                checked_scale(i64::from(rounded.scale()) + added)?,
            ))
        }
    }
}

/// The difference, of 10,000 digits at most.
pub(super) fn subtract(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    add(left, &negate(right))
}

/// The product, of 10,000 digits at most.
pub(super) fn multiply(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    let scale = checked_scale(i64::from(left.scale()) + i64::from(right.scale()))?;
    let product = Decimal::new(left.unscaled() * right.unscaled(), scale);
    round(product, MAX_PRECISION, Rounding::HalfUp)
}

/// The quotient, with some 32 digits, and no zeros at the end.
pub(super) fn divide(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    let first_digit =
        |decimal: &Decimal| (digits_i64(decimal) as i32).wrapping_sub(decimal.scale());
    let position = first_digit(left).wrapping_sub(first_digit(right));
    let scale = MIN_QUOTIENT_SCALE
        .wrapping_sub(position)
        .max(left.scale())
        .max(right.scale())
        .clamp(MIN_QUOTIENT_SCALE, MAX_QUOTIENT_SCALE);
    Ok(strip_zeros(divide_to_scale(
        left,
        right,
        scale,
        Rounding::HalfUp,
    )?))
}

/// The remainder of the division to a whole number, with the sign of the first.
pub(super) fn remainder(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    if is_zero(right) {
        return Err(NoAnswer("Division by zero"));
    }
    let preferred = i64::from(left.scale()) - i64::from(right.scale());
    let whole = divide_to_scale(left, right, 0, Rounding::Down)?;
    let quotient = if is_zero(&whole) {
        Decimal::new(BigInt::ZERO, clamped_scale(preferred))
    } else if preferred < 0 {
        strip_zeros_to(whole, clamped_scale(preferred))
    } else {
        set_scale(&whole, clamped_scale(preferred), Rounding::Down)?
    };
    let scale = checked_scale(i64::from(quotient.scale()) + i64::from(right.scale()))?;
    let product = Decimal::new(quotient.unscaled() * right.unscaled(), scale);
    exact_sum(left, &negate(&product))
}

/// The same number with the other sign.
pub(super) fn negate(decimal: &Decimal) -> Decimal {
    Decimal::new(-decimal.unscaled(), decimal.scale())
}

/// The same number without its sign.
pub(super) fn abs(decimal: &Decimal) -> Decimal {
    let magnitude = decimal.unscaled().magnitude().clone();
    Decimal::new(BigInt::from(magnitude), decimal.scale())
}

/// The sum, with every digit.
pub(super) fn exact_sum(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    let scale = left.scale().max(right.scale());
    let aligned = |decimal: &Decimal| {
        let gap = i64::from(scale) - i64::from(decimal.scale());
        Ok::<BigInt, NoAnswer>(decimal.unscaled() * ten_to(gap.unsigned_abs())?)
    };
    Ok(Decimal::new(aligned(left)? + aligned(right)?, scale))
}

/// The quotient with this many digits after the point.
pub(super) fn divide_to_scale(
    left: &Decimal,
    right: &Decimal,
    scale: i32,
    rounding: Rounding,
) -> Result<Decimal, NoAnswer> {
    if is_zero(right) {
        return Err(NoAnswer("BigInteger divide by zero"));
    }
    let raise = i64::from(scale) + i64::from(right.scale()) - i64::from(left.scale());
    let quotient = if raise >= 0 {
        let dividend = left.unscaled() * ten_to(raise.unsigned_abs())?;
        rounded_quotient(&dividend, right.unscaled(), rounding)
    } else if raise.unsigned_abs() > digits(left) + 1 {
        // The divisor is so large that the quotient rounds to zero.
        BigInt::ZERO
    } else {
        let divisor = right.unscaled() * ten_to(raise.unsigned_abs())?;
        rounded_quotient(left.unscaled(), &divisor, rounding)
    };
    Ok(Decimal::new(quotient, scale))
}

/// The same number in another scale.
pub(super) fn set_scale(
    decimal: &Decimal,
    scale: i32,
    rounding: Rounding,
) -> Result<Decimal, NoAnswer> {
    divide_to_scale(decimal, &Decimal::from(BigInt::from(1)), scale, rounding)
}

/// The whole part.
pub(super) fn truncated(decimal: &Decimal) -> Result<BigInt, NoAnswer> {
    set_scale(decimal, 0, Rounding::Down).map(|whole| whole.unscaled().clone())
}

/// At most this many significant digits.
pub(super) fn round(
    decimal: Decimal,
    precision: u64,
    rounding: Rounding,
) -> Result<Decimal, NoAnswer> {
    let mut rounded = decimal;
    loop {
        let dropped = digits(&rounded).saturating_sub(precision);
        if dropped == 0 {
            return Ok(rounded);
        }
        let unscaled = rounded_quotient(rounded.unscaled(), &ten_to(dropped)?, rounding);
        let scale = checked_scale(i64::from(rounded.scale()) - dropped.cast_signed())?;
        rounded = Decimal::new(unscaled, scale);
    }
}

/// The quotient of this many significant digits; if it is exact, with no more zeros at the end than
/// the difference of the scales asks for.
fn divide_to_precision(
    left: &Decimal,
    right: &Decimal,
    precision: u64,
    rounding: Rounding,
) -> Result<Decimal, NoAnswer> {
    let preferred = i64::from(left.scale()) - i64::from(right.scale());
    if is_zero(left) {
        return Ok(Decimal::new(BigInt::ZERO, clamped_scale(preferred)));
    }
    // One digit more than wanted, or two: rounding drops them, unless the quotient is exact.
    let surplus = precision.cast_signed() + digits_i64(right) - digits_i64(left) + 1;
    let scale = checked_scale(preferred + surplus)?;
    let cut = divide_to_scale(left, right, scale, Rounding::Down)?;
    let back = Decimal::new(
        cut.unscaled() * right.unscaled(),
        checked_scale(i64::from(cut.scale()) + i64::from(right.scale()))?,
    );
    if back.compare(left) == Ordering::Equal {
        let exact = round(cut, precision, rounding)?;
        return Ok(strip_zeros_to(exact, clamped_scale(preferred)));
    }
    // What was cut off lies strictly between two digits: mark it, so that a half is no tie.
    let mark: i32 = if cut.unscaled().sign() == Sign::Minus {
        -1
    } else {
        1
    };
    let marked = Decimal::new(
        cut.unscaled() * 10 + mark,
        checked_scale(i64::from(scale) + 1)?,
    );
    round(marked, precision, rounding)
}

/// Without zeros at the end; zero has scale zero.
fn strip_zeros(decimal: Decimal) -> Decimal {
    if is_zero(&decimal) {
        return Decimal::from(BigInt::ZERO);
    }
    strip_zeros_to(decimal, i32::MIN)
}

/// With fewer zeros at the end, until the scale is as small as this.
fn strip_zeros_to(decimal: Decimal, least_scale: i32) -> Decimal {
    let text = decimal.unscaled().magnitude().to_str_radix(10);
    let zeros = text.len() - text.trim_end_matches('0').len();
    let room = (i64::from(decimal.scale()) - i64::from(least_scale)).max(0);
    let dropped = i64::try_from(zeros).unwrap_or(0).min(room);
    let (Ok(power), Ok(scale)) = (
        ten_to(dropped.unsigned_abs()),
        checked_scale(i64::from(decimal.scale()) - dropped),
    ) else {
        return decimal;
    };
    Decimal::new(decimal.unscaled() / power, scale)
}

fn rounded_quotient(dividend: &BigInt, divisor: &BigInt, rounding: Rounding) -> BigInt {
    let quotient = dividend / divisor;
    let rest = dividend % divisor;
    let twice = rest.magnitude() * 2_u32;
    let is_up = match (twice.cmp(divisor.magnitude()), rounding) {
        (_, Rounding::Down) | (Ordering::Less, _) => false,
        (Ordering::Greater, _) | (Ordering::Equal, Rounding::HalfUp) => true,
        (Ordering::Equal, Rounding::HalfEven) => quotient.magnitude().bit(0),
    };
    if !is_up {
        return quotient;
    }
    if (dividend.sign() == Sign::Minus) == (divisor.sign() == Sign::Minus) {
        quotient + 1
    } else {
        quotient - 1
    }
}

/// Whether the number is zero, of whatever scale.
fn is_zero(decimal: &Decimal) -> bool {
    decimal.unscaled().sign() == Sign::NoSign
}

/// The number of digits; zero has one.
pub(super) fn digits(decimal: &Decimal) -> u64 {
    decimal.unscaled().magnitude().to_str_radix(10).len() as u64
}

fn digits_i64(decimal: &Decimal) -> i64 {
    digits(decimal).cast_signed()
}

fn ten_to(power: u64) -> Result<BigInt, NoAnswer> {
    match u32::try_from(power) {
        Ok(small) if power <= MAX_DIGITS => Ok(BigInt::from(10).pow(small)),
        _ => Err(OVERFLOW),
    }
}

fn checked_scale(scale: i64) -> Result<i32, NoAnswer> {
    i32::try_from(scale).map_err(|_| {
        if scale > 0 {
            NoAnswer("Underflow")
        } else {
            OVERFLOW
        }
    })
}

fn clamped_scale(scale: i64) -> i32 {
    i32::try_from(scale).unwrap_or(if scale > 0 { i32::MAX } else { i32::MIN })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Operation = fn(&Decimal, &Decimal) -> Result<Decimal, NoAnswer>;

    fn reckon(operation: Operation, left: &str, right: &str) -> String {
        let answer = operation(&left.parse().unwrap(), &right.parse().unwrap());
        answer.map_or_else(|error| error.0.to_owned(), |decimal| decimal.to_string())
    }

    #[test]
    fn sums_keep_the_greater_scale() {
        for (left, right, sum) in [
            ("7.0", "3.25", "10.25"),
            ("1", "1e40", "10000000000000000000000000000000000000001"),
            ("0", "1.50", "1.50"),
            ("0.000", "1.5", "1.500"),
            ("0.00", "0.0", "0.00"),
            ("0", "1E+3", "1000"),
        ] {
            assert_eq!(reckon(add, left, right), sum);
        }
        let far = reckon(add, "1E+2000000000", "1");
        assert_eq!(far.len(), "1.E+2000000000".len() + 9_999);
        assert_eq!(reckon(subtract, "3.25", "7.0"), "-3.75");
        assert_eq!(reckon(multiply, "7.0", "3.25"), "22.750");
        assert_eq!(
            reckon(multiply, "1E+2000000000", "1E+2000000000"),
            "Overflow"
        );
    }

    #[test]
    fn quotients_have_some_32_digits() {
        for (left, right, quotient) in [
            ("1", "3", "0.33333333333333333333333333333333"),
            ("2", "3.0", "0.66666666666666666666666666666667"),
            ("1", "4", "0.25"),
            (
                "1e20",
                "7",
                "14285714285714285714.28571428571428571428571428571429",
            ),
            ("1", "1e40", "1E-40"),
            ("10", "5", "2"),
            ("0.00001", "300000", "3.3333333333333333333333333333333E-11"),
            ("0.0", "3", "0"),
            ("7.0", "0", "BigInteger divide by zero"),
        ] {
            assert_eq!(reckon(divide, left, right), quotient);
        }
    }

    #[test]
    fn remainders_have_the_sign_of_the_first() {
        for (left, right, rest) in [
            ("7.0", "3.25", "0.50"),
            ("3.25", "3.25", "0.00"),
            ("11", "1.5", "0.5"),
            ("-7", "2", "-1"),
            ("7", "-2", "1"),
            ("3.25", "11", "3.25"),
            ("1", "0.0", "Division by zero"),
        ] {
            assert_eq!(reckon(remainder, left, right), rest);
        }
    }
}
