//! Exponentials and logarithms of decimals.
//!
//! Cassandra asks for as many digits as the argument has, but for 32 at least, and rounds half to
//! even. Here series are reckoned as integers over a power of two, with enough bits to spare that
//! the digits asked for are right. The exponential of a large number is raised to a power as in
//! Cassandra, with its few digits to spare: its last digits are then wrong in the same way.
//!
//! ```text
//! exp(x) = exp(1 + f / n)^n, x = n + f, with n whole, and for numbers near one
//! exp(x) = 10^k * exp(r),  r = x - k ln 10, and exp(r) = exp(r / 2^h)^(2^h) by its series
//! log(x) = k ln 10 + log(m), x = m * 10^k, and log(m) = 2^(h+1) artanh((s-1)/(s+1)), s^(2^h) = m
//! ```

use num_bigint::{BigInt, Sign};
use stoa_types::Decimal;

use super::{
    MAX_PRECISION, NoAnswer, OVERFLOW, Rounding, checked_scale, digits, digits_i64,
    divide_to_precision, exact_sum, is_zero, negate, round, ten_to, truncated,
};

/// The least number of digits of an answer.
const MIN_PRECISION: u64 = 32;
/// Bits beyond those of the digits asked for.
const SPARE_BITS: u64 = 96;
/// Digits that Cassandra has to spare while it raises to a power.
const GUARD_DIGITS: u64 = 10;
const HALF_EVEN: Rounding = Rounding::HalfEven;
/// How often an argument is halved, or its root taken, before its series begins.
const HALVINGS: u32 = 16;

/// The exponential.
pub(in super::super) fn exp(decimal: &Decimal) -> Result<Decimal, NoAnswer> {
    if is_zero(decimal) {
        return Ok(Decimal::from(BigInt::from(1)));
    }
    let precision = precision_for(decimal);
    // Beyond this the exponent would not fit, and below this nothing but one remains.
    let magnitude = digits_i64(decimal) - i64::from(decimal.scale());
    if magnitude > 10 || i32::try_from(&truncated(decimal).unwrap_or_default()).is_err() {
        return Err(OVERFLOW);
    }
    if magnitude < -precision.cast_signed() - 2 {
        let one = ten_to(precision - 1)?;
        return Ok(Decimal::new(
            one,
            checked_scale(precision.cast_signed() - 1)?,
        ));
    }
    let whole = truncated(decimal)?;
    if whole.sign() == Sign::NoSign {
        return series(decimal, precision);
    }
    let wide = precision + GUARD_DIGITS;
    let power = i64::try_from(&whole).map_err(|_| OVERFLOW)?;
    let whole = Decimal::from(whole);
    let rest = exact_sum(decimal, &negate(&whole))?;
    let one = Decimal::from(BigInt::from(1));
    let base = exact_sum(&one, &divide_to_precision(&rest, &whole, wide, HALF_EVEN)?)?;
    let power = raised(&series(&base, wide)?, power, wide)?;
    round(power, precision, HALF_EVEN)
}

/// The exponential of a number between -1 and 2, by its series.
fn series(decimal: &Decimal, precision: u64) -> Result<Decimal, NoAnswer> {
    let fixed = Fixed::for_digits(precision + 12);
    let argument = fixed.of_decimal(decimal)?;
    let ln_ten = fixed.ln_ten();
    let power = floor_quotient(&argument, &ln_ten);
    let rest = argument - &power * &ln_ten;
    let power = i64::try_from(&power).map_err(|_| OVERFLOW)?;
    fixed.to_decimal(&fixed.exp(&rest), power, precision)
}

/// A number to a whole power by squaring, rounded on the way.
fn raised(base: &Decimal, power: i64, precision: u64) -> Result<Decimal, NoAnswer> {
    let wide = precision + GUARD_DIGITS;
    let one = Decimal::from(BigInt::from(1));
    if power < 0 {
        let inverse = raised(base, -power, wide)?;
        let value = divide_to_precision(&one, &inverse, wide, HALF_EVEN)?;
        return round(value, precision, HALF_EVEN);
    }
    let (mut result, mut square, mut left) = (one, base.clone(), power);
    while left > 0 {
        if left % 2 == 1 {
            result = round(exact_product(&result, &square)?, wide, HALF_EVEN)?;
        }
        left /= 2;
        if left > 0 {
            square = round(exact_product(&square, &square)?, wide, HALF_EVEN)?;
        }
    }
    round(result, precision, HALF_EVEN)
}

fn exact_product(left: &Decimal, right: &Decimal) -> Result<Decimal, NoAnswer> {
    let scale = checked_scale(i64::from(left.scale()) + i64::from(right.scale()))?;
    Ok(Decimal::new(left.unscaled() * right.unscaled(), scale))
}

/// The natural logarithm.
pub(in super::super) fn log(decimal: &Decimal) -> Result<Decimal, NoAnswer> {
    if decimal.unscaled().sign() != Sign::Plus {
        return Err(NoAnswer("Natural log of number zero or less"));
    }
    log_to(decimal, precision_for(decimal))
}

/// The logarithm to the base of ten.
pub(in super::super) fn log10(decimal: &Decimal) -> Result<Decimal, NoAnswer> {
    if decimal.unscaled().sign() != Sign::Plus {
        return Err(NoAnswer("Log10 of number zero or less"));
    }
    let precision = precision_for(decimal);
    let (log, ln_ten) = (
        log_to(decimal, precision + 2)?,
        log_to(&Decimal::from(BigInt::from(10)), precision + 2)?,
    );
    let quotient = divide_to_precision(&log, &ln_ten, precision + 2, HALF_EVEN)?;
    round(quotient, precision, HALF_EVEN)
}

fn precision_for(decimal: &Decimal) -> u64 {
    digits(decimal).clamp(MIN_PRECISION, MAX_PRECISION)
}

fn log_to(decimal: &Decimal, precision: u64) -> Result<Decimal, NoAnswer> {
    let is_one = decimal.compare(&Decimal::from(BigInt::from(1))) == std::cmp::Ordering::Equal;
    if is_one {
        return Ok(Decimal::from(BigInt::ZERO));
    }
    let fixed = Fixed::for_digits(precision + 24 + zeros_of_distance_to_one(decimal));
    let length = digits_i64(decimal);
    let mantissa = Decimal::new(decimal.unscaled().clone(), checked_scale(length - 1)?);
    let power = length - 1 - i64::from(decimal.scale());
    let sum = fixed.log(&fixed.of_decimal(&mantissa)?) + fixed.ln_ten() * power;
    fixed.to_decimal(&sum, 0, precision)
}

/// Near one the logarithm is as small as the distance to one: its digits begin after this many
/// zeros.
fn zeros_of_distance_to_one(decimal: &Decimal) -> u64 {
    let Ok(distance) = exact_sum(decimal, &Decimal::from(BigInt::from(-1))) else {
        return 0;
    };
    let zeros = i64::from(distance.scale()) - digits_i64(&distance);
    u64::try_from(zeros).unwrap_or(0)
}

/// Integers that stand for fractions with this many binary places.
struct Fixed {
    bits: u64,
}

impl Fixed {
    fn for_digits(digits: u64) -> Self {
        Self {
            bits: digits * 3_322 / 1_000 + SPARE_BITS,
        }
    }

    fn one(&self) -> BigInt {
        BigInt::from(1) << self.bits
    }

    fn of_decimal(&self, decimal: &Decimal) -> Result<BigInt, NoAnswer> {
        let power = ten_to(u64::from(decimal.scale().unsigned_abs()))?;
        let shifted = decimal.unscaled() << self.bits;
        Ok(if decimal.scale() < 0 {
            shifted * power
        } else {
            shifted / power
        })
    }

    fn to_decimal(&self, number: &BigInt, power: i64, precision: u64) -> Result<Decimal, NoAnswer> {
        // Every binary place is one decimal place at most, so nothing is lost here.
        let places = self.bits;
        let unscaled = (number * ten_to(places)?) >> self.bits;
        let scale = checked_scale(places.cast_signed() - power)?;
        round(Decimal::new(unscaled, scale), precision, HALF_EVEN)
    }

    fn multiply(&self, left: &BigInt, right: &BigInt) -> BigInt {
        (left * right) >> self.bits
    }

    /// The exponential of a number between 0 and ln 10.
    fn exp(&self, number: &BigInt) -> BigInt {
        let halved: BigInt = number >> HALVINGS;
        let (mut sum, mut term) = (self.one(), self.one());
        let mut count = 1_u64;
        loop {
            term = self.multiply(&term, &halved) / count;
            if term.sign() == Sign::NoSign {
                break;
            }
            sum += &term;
            count += 1;
        }
        for _ in 0..HALVINGS {
            sum = self.multiply(&sum, &sum);
        }
        sum
    }

    /// The logarithm of a number between 1 and 10.
    fn log(&self, number: &BigInt) -> BigInt {
        let mut root = number.clone();
        for _ in 0..HALVINGS {
            root = (root << self.bits).sqrt();
        }
        let ratio = ((&root - self.one()) << self.bits) / (&root + self.one());
        let square = self.multiply(&ratio, &ratio);
        let (mut sum, mut power) = (ratio.clone(), ratio);
        let mut count = 3_u64;
        loop {
            power = self.multiply(&power, &square);
            let term = &power / count;
            if term.sign() == Sign::NoSign {
                break;
            }
            sum += term;
            count += 2;
        }
        sum << (HALVINGS + 1)
    }

    fn ln_ten(&self) -> BigInt {
        self.log(&(self.one() * 10))
    }
}

fn floor_quotient(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let quotient = dividend / divisor;
    if dividend.sign() == Sign::Minus && &quotient * divisor != *dividend {
        quotient - 1
    } else {
        quotient
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Function = fn(&Decimal) -> Result<Decimal, NoAnswer>;

    fn reckon(function: Function, argument: &str) -> String {
        let answer = function(&argument.parse().unwrap());
        answer.map_or_else(|error| error.0.to_owned(), |decimal| decimal.to_string())
    }

    /// Recorded from Cassandra 5.0.8.
    #[test]
    fn exponentials_have_32_digits() {
        for (argument, answer) in [
            ("0.0", "1"),
            ("1", "2.7182818284590452353602874713527"),
            ("10.0", "22026.465794806716516957900645284"),
            ("100", "2.6881171418161354484126255515800E+43"),
            ("-10.5", "0.000027536449349747157857411097102426"),
            ("1E-400", "1.0000000000000000000000000000000"),
            (
                "1.000000000000000000000000000000000000001",
                "2.718281828459045235360287471352662497760",
            ),
            (
                "-2147483648",
                "4.9674646142310093017872205375034E-932640299",
            ),
            ("2147483648", "Overflow"),
            ("1E+20", "Overflow"),
        ] {
            assert_eq!(reckon(exp, argument), answer);
        }
    }

    #[test]
    fn logarithms_have_32_digits() {
        for (argument, log_answer, log10_answer) in [
            ("1", "0", "0E+33"),
            ("10.0", "2.3025850929940456840179914546844", "1"),
            ("100", "4.6051701859880913680359829093687", "2"),
            (
                "1000",
                "6.9077552789821370520539743640531",
                "3.0000000000000000000000000000000",
            ),
            ("1E+20", "46.051701859880913680359829093687", "2E+1"),
            (
                "0.5",
                "-0.69314718055994530941723212145818",
                "-0.30102999566398119521373889472449",
            ),
            (
                "1.0000000000000001",
                "9.9999999999999995000000000000000E-17",
                "4.3429448190325180593640482375402E-17",
            ),
            (
                "0",
                "Natural log of number zero or less",
                "Log10 of number zero or less",
            ),
        ] {
            assert_eq!(reckon(log, argument), log_answer);
            assert_eq!(reckon(log10, argument), log10_answer);
        }
    }
}
