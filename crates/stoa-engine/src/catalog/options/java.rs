//! Numbers as Java prints them, which is how Cassandra shows options.

/// A double as `Double.toString` prints it: `0.01`, `1.0`, `1.0E-5`.
#[must_use]
pub fn double(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        let sign = if number < 0.0 { "-" } else { "" };
        return format!("{sign}Infinity");
    }
    let magnitude = number.abs();
    let is_plain = magnitude == 0.0 || (1e-3..1e7).contains(&magnitude);
    if is_plain {
        return with_fraction(&number.to_string());
    }
    let scientific = format!("{number:E}");
    match scientific.split_once('E') {
        Some((mantissa, exponent)) => format!("{}E{exponent}", with_fraction(mantissa)),
        None => scientific,
    }
}

fn with_fraction(digits: &str) -> String {
    match digits.contains('.') {
        true => digits.to_owned(),
        false => format!("{digits}.0"),
    }
}

/// A number with at most four digits after the point, and none that say nothing.
#[must_use]
pub fn four_digits(number: f64) -> String {
    let digits = format!("{number:.4}");
    let digits = digits.trim_end_matches('0');
    digits.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_print_as_in_java() {
        let cases = [
            (0.01, "0.01"),
            (1.0, "1.0"),
            (0.0, "0.0"),
            (1e-5, "1.0E-5"),
            (6.71e-5, "6.71E-5"),
            (1_234_567.0, "1234567.0"),
            (1e7, "1.0E7"),
            (0.001, "0.001"),
            (123_456_789.125, "1.23456789125E8"),
            (-0.5, "-0.5"),
        ];
        for (number, expected) in cases {
            assert_eq!(double(number), expected);
        }
    }

    #[test]
    fn at_most_four_digits() {
        let cases = [
            (99.0, "99"),
            (0.5, "0.5"),
            (99.99999, "100"),
            (0.12345, "0.1235"),
        ];
        for (number, expected) in cases {
            assert_eq!(four_digits(number), expected);
        }
    }
}
