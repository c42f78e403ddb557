//! CQL's `decimal`: an integer of any size, scaled by a power of ten.
//!
//! The value is `unscaled * 10^-scale`. 1.0 and 1.00 are different representations of one number:
//! `==` tells them apart, as they are stored apart, and [`Decimal::compare`] does not, as Cassandra
//! does not when it sorts.
//!
//! Bytes: the scale as four bytes big endian, then the unscaled number in two's complement.
//!
//! Text is that of Java's `BigDecimal`, both ways: plain digits where the exponent is small, and
//! `1.23E+7` where it is not.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use num_bigint::{BigInt, Sign};

/// A decimal number of any size.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    unscaled: BigInt,
    scale: i32,
}

impl Decimal {
    /// The number `unscaled * 10^-scale`.
    #[must_use]
    pub fn new(unscaled: BigInt, scale: i32) -> Self {
        Self { unscaled, scale }
    }

    /// The integer before scaling.
    #[must_use]
    pub fn unscaled(&self) -> &BigInt {
        &self.unscaled
    }

    /// The power of ten that the integer is divided by; negative for large numbers.
    #[must_use]
    pub fn scale(&self) -> i32 {
        self.scale
    }

    /// The digits of the unscaled number, without sign.
    pub(crate) fn digits(&self) -> String {
        self.unscaled.magnitude().to_str_radix(10)
    }

    /// Compares by numeric value: 1.0 equals 1.00.
    #[must_use]
    pub fn compare(&self, other: &Self) -> Ordering {
        let signs = self.unscaled.sign().cmp(&other.unscaled.sign());
        if signs != Ordering::Equal || self.unscaled.sign() == Sign::NoSign {
            return signs;
        }
        let magnitudes = self.compare_magnitudes(other);
        match self.unscaled.sign() {
            Sign::Minus => magnitudes.reverse(),
            Sign::NoSign | Sign::Plus => magnitudes,
        }
    }

    /// Compares absolute values of two numbers that are not zero. Only numbers of the same order
    /// of magnitude are aligned, so that scales far apart cost nothing.
    fn compare_magnitudes(&self, other: &Self) -> Ordering {
        let magnitude = |decimal: &Self| {
            let precision = i64::try_from(decimal.digits().len()).unwrap_or(i64::MAX);
            precision.saturating_sub(i64::from(decimal.scale))
        };
        magnitude(self).cmp(&magnitude(other)).then_with(|| {
            let gap = i64::from(self.scale) - i64::from(other.scale);
            let power = BigInt::from(10).pow(u32::try_from(gap.unsigned_abs()).unwrap_or(u32::MAX));
            let (left, right) = (self.unscaled.magnitude(), other.unscaled.magnitude());
            if gap < 0 {
                (left * power.magnitude()).cmp(right)
            } else {
                left.cmp(&(right * power.magnitude()))
            }
        })
    }

    /// Appends the native bytes.
    pub fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.scale.to_be_bytes());
        out.extend_from_slice(&self.unscaled.to_signed_bytes_be());
    }

    /// Reads native bytes; `None` if there is no scale or no number after it.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (scale, unscaled) = bytes.split_first_chunk::<4>()?;
        (!unscaled.is_empty()).then(|| Self {
            unscaled: BigInt::from_signed_bytes_be(unscaled),
            scale: i32::from_be_bytes(*scale),
        })
    }
}

impl From<BigInt> for Decimal {
    fn from(unscaled: BigInt) -> Self {
        Self { unscaled, scale: 0 }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.unscaled.sign() == Sign::Minus {
            f.write_str("-")?;
        }
        let digits = self.digits();
        let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
        let scale = i64::from(self.scale);
        let exponent = length - 1 - scale;
        if scale == 0 {
            return f.write_str(&digits);
        }
        if scale < 0 || exponent < -6 {
            let (first, rest) = digits.split_at_checked(1).unwrap_or((&digits, ""));
            let point = if rest.is_empty() { "" } else { "." };
            write!(f, "{first}{point}{rest}")?;
            return if exponent == 0 {
                Ok(())
            } else {
                write!(f, "E{exponent:+}")
            };
        }
        match usize::try_from(length - scale) {
            Ok(whole) if whole > 0 => {
                let (whole, fraction) = digits.split_at_checked(whole).unwrap_or((&digits, ""));
                write!(f, "{whole}.{fraction}")
            }
            _ => {
                let zeros = usize::try_from(scale - length).unwrap_or(0);
                write!(f, "0.{:0<zeros$}{digits}", "")
            }
        }
    }
}

/// The text is not a decimal number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a decimal number, or its exponent is out of range")]
pub struct NotADecimal;

impl FromStr for Decimal {
    type Err = NotADecimal;

    fn from_str(text: &str) -> Result<Self, NotADecimal> {
        let (significand, exponent) = match text.split_once(['e', 'E']) {
            Some((significand, exponent)) => (significand, exponent_of(exponent)?),
            None => (text, 0),
        };
        let (sign, digits) = match significand.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("", significand.strip_prefix('+').unwrap_or(significand)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all = format!("{sign}{whole}{fraction}");
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        if whole.len() + fraction.len() == 0 || !are_digits(whole) || !are_digits(fraction) {
            return Err(NotADecimal);
        }
        let fraction_length = i64::try_from(fraction.len()).map_err(|_| NotADecimal)?;
        let scale = i32::try_from(fraction_length - exponent).map_err(|_| NotADecimal)?;
        Ok(Self {
            unscaled: all.parse().map_err(|_| NotADecimal)?,
            scale,
        })
    }
}

fn exponent_of(text: &str) -> Result<i64, NotADecimal> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NotADecimal);
    }
    text.parse::<i32>().map(i64::from).map_err(|_| NotADecimal)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn text_is_that_of_java() {
        for (unscaled, scale, text) in [
            (123, 0, "123"),
            (-123, 0, "-123"),
            (123, -1, "1.23E+3"),
            (123, 1, "12.3"),
            (123, 5, "0.00123"),
            (123, 10, "1.23E-8"),
            (-123, 12, "-1.23E-10"),
            (0, 7, "0E-7"),
            (0, 6, "0.000000"),
            (0, 2, "0.00"),
            (0, -2, "0E+2"),
            (1, -2_147_483_648, "1E+2147483648"),
            (100, 2, "1.00"),
            (5, 1, "0.5"),
        ] {
            assert_eq!(Decimal::new(unscaled.into(), scale).to_string(), text);
        }
    }

    #[test]
    fn text_is_read_back() {
        for text in [
            "1.10",
            "-0.5",
            "1E+3",
            "1.23E-10",
            "0",
            "0E-7",
            "12345678901234567890.1",
        ] {
            assert_eq!(decimal(text).to_string(), text);
        }
        assert_eq!(decimal("+.5e2"), Decimal::new(5.into(), -1));
        assert_eq!(decimal("5."), Decimal::new(5.into(), 0));
        for wrong in [
            "",
            ".",
            "-",
            "1e",
            "1e+",
            "e5",
            "1_0",
            " 1",
            "--1",
            "1.2.3",
            "1e99999999999",
        ] {
            assert_eq!(wrong.parse::<Decimal>(), Err(NotADecimal), "{wrong:?}");
        }
    }

    #[test]
    fn order_is_numeric() {
        let rising = [
            "-1E+2147483647",
            "-2",
            "-1.5",
            "-1",
            "0",
            "1E-2147483647",
            "0.1",
            "1",
            "1.01",
            "1E+9",
        ];
        for (left, a) in rising.iter().enumerate() {
            for (right, b) in rising.iter().enumerate() {
                assert_eq!(decimal(a).compare(&decimal(b)), left.cmp(&right), "{a} {b}");
            }
        }
        assert_eq!(decimal("1.0").compare(&decimal("1.00")), Ordering::Equal);
        assert_eq!(decimal("0").compare(&decimal("0E+9")), Ordering::Equal);
        assert_ne!(decimal("1.0"), decimal("1.00"));
    }

    #[test]
    fn bytes_round_trip() {
        let mut bytes = Vec::new();
        decimal("-2.5").write_bytes(&mut bytes);
        assert_eq!(bytes, [0, 0, 0, 1, 0xE7]);
        assert_eq!(Decimal::from_bytes(&bytes), Some(decimal("-2.5")));
        assert_eq!(Decimal::from_bytes(&[0, 0, 0, 1]), None);
    }
}
