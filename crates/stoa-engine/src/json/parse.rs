//! The text of JSON to values, as strictly as Jackson reads it.
//!
//! What follows the first value is not looked at. A name given twice in an object is there once,
//! in the first place, with the last value.
//!
//! Invariants:
//! 1. Arrays and objects are nested at most [`MAX_DEPTH`] deep, and numbers have at most
//!    [`MAX_NUMBER_LENGTH`] characters, so that a small text cannot take much memory or time.

use std::str::Chars;

use num_bigint::BigInt;

/// How deep arrays and objects may be nested.
const MAX_DEPTH: usize = 1_000;
/// How long a number may be.
const MAX_NUMBER_LENGTH: usize = 1_000;

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean(bool),
    /// A number without point and exponent.
    Integer(BigInt),
    /// A number with a point or an exponent.
    Double(f64),
    /// A text.
    Text(String),
    /// Values in square brackets.
    Array(Vec<Json>),
    /// Names and values in braces, in order.
    Object(Vec<(String, Json)>),
}

/// The text is not JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} at character {position}")]
pub struct JsonSyntaxError {
    reason: &'static str,
    position: usize,
}

/// Reads the first JSON value of a text.
///
/// # Errors
/// When there is none.
pub fn parse(text: &str) -> Result<Json, JsonSyntaxError> {
    let mut parser = Parser {
        rest: text.chars(),
        position: 0,
    };
    let value = parser.value(0)?;
    let must_be_apart = matches!(
        value,
        Json::Integer(_) | Json::Double(_) | Json::Boolean(_) | Json::Null
    );
    if must_be_apart && parser.peek().is_some_and(|next| !is_white(next)) {
        return Err(parser.error("expected space separating root-level values"));
    }
    Ok(value)
}

fn is_white(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

struct Parser<'a> {
    rest: Chars<'a>,
    position: usize,
}

impl Parser<'_> {
    fn error(&self, reason: &'static str) -> JsonSyntaxError {
        JsonSyntaxError {
            reason,
            position: self.position,
        }
    }

    fn peek(&self) -> Option<char> {
        self.rest.clone().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.position += usize::from(next.is_some());
        next
    }

    fn skip_white(&mut self) {
        while self.peek().is_some_and(is_white) {
            self.next();
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        let is_there = self.peek() == Some(wanted);
        if is_there {
            self.next();
        }
        is_there
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonSyntaxError> {
        self.skip_white();
        match self.peek() {
            None => Err(self.error("unexpected end of input")),
            Some('{' | '[') if depth == MAX_DEPTH => Err(self.error("nested too deep")),
            Some('{') => self.object(depth + 1),
            Some('[') => self.array(depth + 1),
            Some('"') => self.text().map(Json::Text),
            Some('-' | '0'..='9') => self.number(),
            Some(_) => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonSyntaxError> {
        self.next();
        let mut entries: Vec<(String, Json)> = Vec::new();
        self.skip_white();
        if self.take('}') {
            return Ok(Json::Object(entries));
        }
        loop {
            self.skip_white();
            if self.peek() != Some('"') {
                return Err(self.error("was expecting double-quote to start field name"));
            }
            let name = self.text()?;
            self.skip_white();
            if !self.take(':') {
                return Err(self.error("was expecting a colon to separate field name and value"));
            }
            let value = self.value(depth)?;
            match entries.iter_mut().find(|(other, _)| *other == name) {
                Some((_, earlier)) => *earlier = value,
                None => entries.push((name, value)),
            }
            self.skip_white();
            if self.take('}') {
                return Ok(Json::Object(entries));
            }
            if !self.take(',') {
                return Err(self.error("was expecting comma to separate Object entries"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonSyntaxError> {
        self.next();
        let mut values = Vec::new();
        self.skip_white();
        if self.take(']') {
            return Ok(Json::Array(values));
        }
        loop {
            values.push(self.value(depth)?);
            self.skip_white();
            if self.take(']') {
                return Ok(Json::Array(values));
            }
            if !self.take(',') {
                return Err(self.error("was expecting comma to separate Array entries"));
            }
        }
    }

    /// A text in double quotes. Half of a surrogate pair becomes a question mark, as it does when
    /// Java writes it as UTF-8.
    fn text(&mut self) -> Result<String, JsonSyntaxError> {
        self.next();
        let mut text = String::new();
        let mut pending = None;
        loop {
            let next = self
                .next()
                .ok_or_else(|| self.error("unexpected end of input"))?;
            let unit = match next {
                '\\' => self.escape()?,
                '"' => {
                    text.extend(pending.map(|_| '?'));
                    return Ok(text);
                }
                '\0'..='\x1F' => return Err(self.error("illegal unquoted character")),
                plain => Unit::Character(plain),
            };
            match (pending.take(), unit) {
                (before, Unit::Character(character)) => {
                    text.extend(before.map(|_| '?'));
                    text.push(character);
                }
                (Some(high), Unit::Low(low)) => {
                    let pair = char::decode_utf16([high, low]).next();
                    text.push(pair.and_then(Result::ok).unwrap_or('?'));
                }
                (None, Unit::Low(_)) => text.push('?'),
                (before, Unit::High(high)) => {
                    text.extend(before.map(|_| '?'));
                    pending = Some(high);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<Unit, JsonSyntaxError> {
        Ok(Unit::Character(match self.next() {
            Some('b') => '\u{8}',
            Some('f') => '\u{C}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some(same @ ('"' | '\\' | '/')) => same,
            Some('u') => return self.code_unit(),
            _ => return Err(self.error("unrecognized character escape")),
        }))
    }

    fn code_unit(&mut self) -> Result<Unit, JsonSyntaxError> {
        let mut unit = 0_u16;
        for _ in 0..4 {
            let digit = self.next().and_then(|next| next.to_digit(16));
            let digit = digit.and_then(|digit| u16::try_from(digit).ok());
            let digit =
                digit.ok_or_else(|| self.error("expected a hex-digit for character escape"))?;
            unit = unit << 4 | digit;
        }
        Ok(match unit {
            0xD800..=0xDBFF => Unit::High(unit),
            0xDC00..=0xDFFF => Unit::Low(unit),
            other => Unit::Character(char::from_u32(other.into()).unwrap_or('?')),
        })
    }

    fn number(&mut self) -> Result<Json, JsonSyntaxError> {
        let mut digits = String::new();
        if self.take('-') {
            digits.push('-');
        }
        let whole = self.digits(&mut digits)?;
        if whole > 1 && digits.trim_start_matches('-').starts_with('0') {
            return Err(self.error("leading zeroes not allowed"));
        }
        let mut is_integer = true;
        if self.take('.') {
            is_integer = false;
            digits.push('.');
            self.digits(&mut digits)?;
        }
        if let Some(exponent @ ('e' | 'E')) = self.peek() {
            is_integer = false;
            self.next();
            digits.push(exponent);
            if let Some(sign @ ('+' | '-')) = self.peek() {
                self.next();
                digits.push(sign);
            }
            self.digits(&mut digits)?;
        }
        if digits.len() > MAX_NUMBER_LENGTH {
            return Err(self.error("number is too long"));
        }
        let number = if is_integer {
            digits.parse().ok().map(Json::Integer)
        } else {
            digits.parse().ok().map(Json::Double)
        };
        number.ok_or_else(|| self.error("malformed number"))
    }

    /// At least one digit; how many there are.
    fn digits(&mut self, out: &mut String) -> Result<usize, JsonSyntaxError> {
        let before = out.len();
        while let Some(digit @ '0'..='9') = self.peek() {
            out.push(digit);
            self.next();
        }
        match out.len() - before {
            0 => Err(self.error("expected digit")),
            count => Ok(count),
        }
    }

    fn word(&mut self) -> Result<Json, JsonSyntaxError> {
        let mut word = String::new();
        while let Some(letter) = self
            .peek()
            .filter(|next| next.is_alphanumeric() || *next == '_')
        {
            word.push(letter);
            self.next();
        }
        match word.as_str() {
            "null" => Ok(Json::Null),
            "true" => Ok(Json::Boolean(true)),
            "false" => Ok(Json::Boolean(false)),
            _ => Err(self.error("unrecognized token")),
        }
    }
}

/// A part of a text, which an escape may be only half of a character of.
enum Unit {
    Character(char),
    High(u16),
    Low(u16),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integer(number: i32) -> Json {
        Json::Integer(number.into())
    }

    #[test]
    fn values_are_read() {
        for (text, value) in [
            ("null", Json::Null),
            (" true ", Json::Boolean(true)),
            ("-0", integer(0)),
            ("12", integer(12)),
            ("1.50", Json::Double(1.5)),
            ("1e400", Json::Double(f64::INFINITY)),
            ("\"\\u20ac\\/\\n\"", Json::Text("€/\n".to_owned())),
            (
                "\"\\ud83d\\ude00 \\ud83d \\ude00\"",
                Json::Text("😀 ? ?".to_owned()),
            ),
            (
                "[1, []]",
                Json::Array(vec![integer(1), Json::Array(Vec::new())]),
            ),
            ("{} trailing", Json::Object(Vec::new())),
            (
                "{\"a\": 1, \"b\": 2, \"a\": 3}",
                Json::Object(vec![
                    ("a".to_owned(), integer(3)),
                    ("b".to_owned(), integer(2)),
                ]),
            ),
        ] {
            assert_eq!(parse(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\": 1,}",
            "{a: 1}",
            "{1: 2}",
            "'x'",
            "x",
            "nullx",
            "5x",
            "01",
            "1.",
            ".5",
            "+1",
            "1e",
            "-",
            "\"a",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "NaN",
            "[1 2]",
            "{\"a\" 1}",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert!(parse(&"[".repeat(1_001)).is_err());
        assert!(parse(&format!("{}{}", "[".repeat(1_000), "]".repeat(1_000))).is_ok());
        assert!(parse(&"1".repeat(1_001)).is_err());
    }
}
