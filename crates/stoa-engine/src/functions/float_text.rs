//! Floats as Java writes them.
//!
//! Cassandra runs on a Java before 19, whose `Double.toString` does not always give the shortest
//! digits: 2e23 is `1.9999999999999998E23`. What a cast to text, a JSON document or a decimal made
//! of a float holds depends on it, so the old rule is followed here, digit by digit:
//!
//! 1. A whole number that fits 63 bits is written out, less the digits that its precision does not
//!    reach.
//! 2. Else digits are made one by one, as a quotient of two large integers, until the rest is less
//!    than half a unit in the last place, above or below.
//! 3. One to seven digits before the point, or up to three zeros after it, are written plainly;
//!    beyond that there is an exponent. At least one digit follows the point.

use std::cmp::Ordering;

use num_bigint::BigUint;

/// Bits of a double's fraction, without the hidden one.
const FRACTION_BITS: u32 = 52;
/// Powers of five below this fit 64 bits.
const SMALL_POWERS: u32 = 27;
/// The logarithm of two, with the digits that Java has of it.
#[expect(
    clippy::approx_constant,
    reason = "Java's guess of the exponent depends on it"
)]
const LOG10_OF_2: f64 = 0.301_029_995_663_981;
/// Whole numbers up to this power of two are written out.
const LARGEST_WHOLE_EXPONENT: i32 = 62;

/// The text of a double.
pub(crate) fn double_text(number: f64) -> String {
    if let Some(text) = special_text(number) {
        return text;
    }
    let bits = number.to_bits();
    let fraction = bits & ((1 << FRACTION_BITS) - 1);
    let exponent = i32::try_from((bits >> FRACTION_BITS) & 0x7FF).unwrap_or(0);
    let digits = if exponent == 0 {
        let shift = fraction.leading_zeros() - 11;
        Binary {
            fraction: fraction << shift,
            exponent: 1 - shift.cast_signed() - 1023,
            significant_bits: 64 - fraction.leading_zeros().cast_signed(),
        }
    } else {
        Binary {
            fraction: fraction | (1 << FRACTION_BITS),
            exponent: exponent - 1023,
            significant_bits: 53,
        }
    }
    .digits();
    digits.text(number.is_sign_negative())
}

/// The text of a float.
pub(crate) fn float_text(number: f32) -> String {
    if let Some(text) = special_text(f64::from(number)) {
        return text;
    }
    let bits = number.to_bits();
    let fraction = bits & 0x007F_FFFF;
    let exponent = i32::try_from((bits >> 23) & 0xFF).unwrap_or(0);
    let digits = if exponent == 0 {
        let shift = fraction.leading_zeros() - 8;
        Binary {
            fraction: u64::from(fraction << shift) << 29,
            exponent: 1 - shift.cast_signed() - 127,
            significant_bits: 32 - fraction.leading_zeros().cast_signed(),
        }
    } else {
        Binary {
            fraction: u64::from(fraction | 0x0080_0000) << 29,
            exponent: exponent - 127,
            significant_bits: 24,
        }
    }
    .digits();
    digits.text(number.is_sign_negative())
}

/// The text of zero, an infinity or NaN.
fn special_text(number: f64) -> Option<String> {
    let text = if number.is_nan() {
        "NaN"
    } else if number.is_infinite() {
        if number > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        }
    } else if number == 0.0 {
        if number.is_sign_negative() {
            "-0.0"
        } else {
            "0.0"
        }
    } else {
        return None;
    };
    Some(text.to_owned())
}

/// A positive number: `fraction / 2^52 * 2^exponent`, where bit 52 of the fraction is set.
struct Binary {
    fraction: u64,
    exponent: i32,
    significant_bits: i32,
}

/// Digits, and where the point is: before the first if zero.
struct Digits {
    digits: Vec<u8>,
    point: i32,
}

impl Binary {
    fn digits(&self) -> Digits {
        let fraction_bits = 53 - self.fraction.trailing_zeros().cast_signed();
        let bits_after_point = (fraction_bits - self.exponent - 1).max(0);
        if bits_after_point == 0 && self.exponent <= LARGEST_WHOLE_EXPONENT {
            return self.whole_digits();
        }
        self.quotient_digits(fraction_bits, bits_after_point)
    }

    fn whole_digits(&self) -> Digits {
        let shift = self.exponent - FRACTION_BITS.cast_signed();
        let number = if shift >= 0 {
            self.fraction << shift
        } else {
            self.fraction >> -shift
        };
        let beyond = u32::try_from(self.exponent - self.significant_bits - 1).unwrap_or(0);
        let insignificant = if beyond > 1 {
            beyond * 30_103 / 100_000
        } else {
            0
        };
        let mut rest = number;
        if insignificant > 0 {
            let power = 10_u64.pow(insignificant);
            rest = number / power + u64::from(number % power >= power / 2);
        }
        let digits = rest.to_string();
        let point = digits.len() + usize::try_from(insignificant).unwrap_or(0);
        Digits {
            digits: digits.trim_end_matches('0').bytes().collect(),
            point: i32::try_from(point).unwrap_or(0),
        }
    }

    /// The first guess of the decimal exponent: right, or one too large.
    fn decimal_exponent(&self) -> i32 {
        let significand = self.fraction as f64 / (1_u64 << FRACTION_BITS) as f64;
        let guess = (significand - 1.5) * 0.289_529_654
            + 0.176_091_259
            + f64::from(self.exponent) * LOG10_OF_2;
        guess.floor() as i32
    }

    fn quotient_digits(&self, fraction_bits: i32, bits_after_point: i32) -> Digits {
        let mut exponent = self.decimal_exponent();
        let fives_above = (-exponent).max(0);
        let fives_below = exponent.max(0);
        let mut twos_above = fives_above + bits_after_point + self.exponent - (fraction_bits - 1);
        let mut twos_below = fives_below + bits_after_point;
        let mut twos_half_unit = twos_above + (fraction_bits - 1) - self.significant_bits;
        let shared = twos_above.min(twos_below);
        twos_above -= shared;
        twos_below -= shared;
        twos_half_unit -= shared;
        if fraction_bits == 1 {
            // Below a power of two the next number is only half as far away.
            twos_half_unit -= 1;
        }
        if twos_half_unit < 0 {
            twos_above -= twos_half_unit;
            twos_below -= twos_half_unit;
            twos_half_unit = 0;
        }
        let bits_above = fraction_bits + twos_above + bits_of_five_to(fives_above);
        let bits_below = twos_below + 1 + bits_of_five_to(fives_below + 1);
        let parts = Parts {
            rest: self.fraction >> self.fraction.trailing_zeros(),
            fives_above,
            twos_above,
            fives_below,
            twos_below,
            twos_half_unit,
        };
        let mut division: Box<dyn Division> = match bits_above.max(bits_below) {
            ..32 => Box::new(parts.small(|number| i64::from(number as i32))),
            32..64 => Box::new(parts.small(|number| number)),
            _ => Box::new(parts.large()),
        };
        let mut digits = Vec::new();
        let (first, mut stop) = division.next_digit();
        if first == 0 && !stop.high {
            exponent -= 1;
        } else {
            digits.push(first);
        }
        if !(-3..8).contains(&exponent) {
            // With an exponent there is always a second digit.
            stop = Stop::default();
        }
        while !stop.low && !stop.high {
            let (digit, next) = division.next_digit();
            digits.push(digit);
            stop = next;
        }
        let mut digits = Digits {
            digits: digits.into_iter().map(|digit| digit + b'0').collect(),
            point: exponent + 1,
        };
        let is_up = match division.half() {
            _ if !stop.low => true,
            Ordering::Less => false,
            Ordering::Equal => digits.digits.last().is_some_and(|last| last % 2 == 1),
            Ordering::Greater => true,
        };
        if stop.high && is_up {
            digits.round_up();
        }
        digits
    }
}

/// A quotient whose digits are taken one by one.
trait Division {
    /// The next digit, and whether it may be the last.
    fn next_digit(&mut self) -> (u8, Stop);

    /// Whether the number above the digits so far is nearer than that below, or as near.
    fn half(&self) -> Ordering;
}

/// Whether the digits so far, or the same plus one in the last place, are near enough.
#[derive(Clone, Copy, Default)]
struct Stop {
    low: bool,
    high: bool,
}

/// The dividend, the divisor, and half a unit in the last place, as powers of five and two.
struct Parts {
    rest: u64,
    fives_above: i32,
    twos_above: i32,
    fives_below: i32,
    twos_below: i32,
    twos_half_unit: i32,
}

impl Parts {
    fn small(&self, wrap: fn(i64) -> i64) -> SmallDivision {
        let five_two = |fives: i32, twos: i32| {
            wrap(
                5_i64
                    .wrapping_pow(fives.unsigned_abs())
                    .wrapping_shl(twos.unsigned_abs()),
            )
        };
        let divisor = five_two(self.fives_below, self.twos_below);
        let above = five_two(self.fives_above, self.twos_above);
        SmallDivision {
            rest: wrap(self.rest.cast_signed().wrapping_mul(above)),
            divisor,
            ten: wrap(divisor.wrapping_mul(10)),
            half_unit: five_two(self.fives_above, self.twos_half_unit),
            wrap,
        }
    }

    fn large(&self) -> LargeDivision {
        let five_two = |fives: i32, twos: i32| {
            BigUint::from(5_u32).pow(fives.unsigned_abs()) << twos.unsigned_abs()
        };
        let divisor = five_two(self.fives_below, self.twos_below);
        LargeDivision {
            rest: BigUint::from(self.rest) * five_two(self.fives_above, self.twos_above),
            ten: &divisor * 10_u32,
            divisor,
            half_unit: five_two(self.fives_above, self.twos_half_unit),
        }
    }
}

/// A division in 32 or 64 bits. They are barely enough, and where they are not, Java's overflow
/// decides about the last digit; so it does here.
struct SmallDivision {
    /// What is left, ten times larger after each digit.
    rest: i64,
    divisor: i64,
    /// Ten times the divisor.
    ten: i64,
    half_unit: i64,
    /// Cuts a number to the bits in use.
    wrap: fn(i64) -> i64,
}

impl Division for SmallDivision {
    fn next_digit(&mut self) -> (u8, Stop) {
        let digit = self.rest.checked_div(self.divisor).unwrap_or(0);
        let left = self.rest.checked_rem(self.divisor).unwrap_or(0);
        self.rest = (self.wrap)(left.wrapping_mul(10));
        self.half_unit = (self.wrap)(self.half_unit.wrapping_mul(10));
        let above = (self.wrap)(self.rest.wrapping_add(self.half_unit));
        let has_overflown = self.half_unit <= 0;
        let stop = Stop {
            low: has_overflown || self.rest < self.half_unit,
            high: has_overflown || above > self.ten,
        };
        (u8::try_from(digit).unwrap_or(9), stop)
    }

    fn half(&self) -> Ordering {
        let twice = (self.wrap)(self.rest.wrapping_shl(1));
        (self.wrap)(twice.wrapping_sub(self.ten)).cmp(&0)
    }
}

/// A division in as many bits as it takes.
struct LargeDivision {
    rest: BigUint,
    divisor: BigUint,
    ten: BigUint,
    half_unit: BigUint,
}

impl Division for LargeDivision {
    fn next_digit(&mut self) -> (u8, Stop) {
        let digit = &self.rest / &self.divisor;
        self.rest = (&self.rest % &self.divisor) * 10_u32;
        self.half_unit *= 10_u32;
        let stop = Stop {
            low: self.rest < self.half_unit,
            // Here, other than in few bits, a tie ends the digits.
            high: &self.rest + &self.half_unit >= self.ten,
        };
        (u8::try_from(digit).unwrap_or(9), stop)
    }

    fn half(&self) -> Ordering {
        (&self.rest * 2_u32).cmp(&self.ten)
    }
}

impl Digits {
    /// Adds one in the last place.
    fn round_up(&mut self) {
        for digit in self.digits.iter_mut().rev() {
            if *digit != b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        if let Some(first) = self.digits.first_mut() {
            *first = b'1';
        }
        self.point += 1;
    }

    fn text(&self, is_negative: bool) -> String {
        let digits = String::from_utf8_lossy(&self.digits);
        let sign = if is_negative { "-" } else { "" };
        match self.point {
            1..8 => {
                let width = usize::try_from(self.point).unwrap_or(1);
                let padded = format!("{digits:0<width$}");
                let (whole, fraction) = padded.split_at_checked(width).unwrap_or((&padded, ""));
                format!("{sign}{whole}.{}", or_zero(fraction))
            }
            -2..1 => {
                let zeros = usize::try_from(-self.point).unwrap_or(0);
                format!("{sign}0.{:0<zeros$}{digits}", "")
            }
            point => {
                let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
                format!("{sign}{first}.{}E{}", or_zero(rest), point - 1)
            }
        }
    }
}

fn or_zero(digits: &str) -> &str {
    if digits.is_empty() { "0" } else { digits }
}

/// The bits of a power of five, roughly where it is large.
fn bits_of_five_to(power: i32) -> i32 {
    match power.unsigned_abs() {
        0 => 0,
        small if small < SMALL_POWERS => 64 - 5_u64.pow(small).leading_zeros().cast_signed(),
        _ => power * 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded from Java 17.
    #[test]
    fn doubles_are_written_as_java_does() {
        for (number, text) in [
            (1.0, "1.0"),
            (-2.9, "-2.9"),
            (0.001, "0.001"),
            (0.0001, "1.0E-4"),
            (9_999_999.0, "9999999.0"),
            (1e7, "1.0E7"),
            (123_456_789.125, "1.23456789125E8"),
            (2e23, "1.9999999999999998E23"),
            (4.9e-324, "4.9E-324"),
            (f64::MAX, "1.7976931348623157E308"),
            (f64::MIN_POSITIVE, "2.2250738585072014E-308"),
            (0.1 + 0.2, "0.30000000000000004"),
            (9_223_372_036_854_775_807.0, "9.223372036854776E18"),
            (-0.0, "-0.0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(double_text(number), text);
        }
    }

    #[test]
    fn floats_are_written_as_java_does() {
        for (number, text) in [
            (0.1, "0.1"),
            (16_777_216.0, "1.6777216E7"),
            (3.402_823_5e38, "3.4028235E38"),
            (1.4e-45, "1.4E-45"),
            (f32::from_bits(0x6900_0000), "9.6714065E24"),
            (1e20, "1.0E20"),
            (300.5, "300.5"),
        ] {
            assert_eq!(float_text(number), text);
        }
    }
}
