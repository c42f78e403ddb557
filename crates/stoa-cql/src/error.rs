//! What is wrong with a text that is not CQL.

use std::fmt;
use std::ops::Range;

/// A text is not CQL.
///
/// It [displays](fmt::Display) as Cassandra says it: `line 1:7 no viable alternative at input 'x'
/// (...)` where a character or word does not fit, the bare message where a rule refuses what is
/// otherwise well formed. At the end of the text Cassandra always says `line 0:-1`. Its words are
/// not copied beyond that: where it says what it was expecting, ours may only say what it met.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Why the text was refused.
    pub kind: SyntaxErrorKind,
    /// The line, from 1.
    pub line: usize,
    /// How many UTF-16 units stand before it in its line.
    pub column: usize,
    /// What is wrong, without the place.
    pub message: String,
    /// The bytes of the text that do not fit; empty at its end.
    pub range: Range<usize>,
}

/// Why a text was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SyntaxErrorKind {
    /// A character or word does not fit.
    Unexpected,
    /// The text ends too early.
    EndOfText,
    /// It is well formed, but breaks a rule that the grammar checks.
    Refused,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = &self.message;
        match self.kind {
            SyntaxErrorKind::Unexpected => {
                write!(formatter, "line {}:{} {message}", self.line, self.column)
            }
            SyntaxErrorKind::EndOfText => write!(formatter, "line 0:-1 {message}"),
            SyntaxErrorKind::Refused => formatter.write_str(message),
        }
    }
}

impl std::error::Error for SyntaxError {}

impl SyntaxError {
    /// An error at a range of a text.
    pub(crate) fn new(
        kind: SyntaxErrorKind,
        text: &str,
        range: Range<usize>,
        message: String,
    ) -> Self {
        let (line, column) = line_and_column(text, range.start);
        Self {
            kind,
            line,
            column,
            message,
            range,
        }
    }
}

/// Where an offset is: the line from 1, and the UTF-16 units before it in its line.
fn line_and_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
    let in_line = before.rsplit('\n').next().unwrap_or(before);
    (line, in_line.encode_utf16().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_utf_16_units() {
        assert_eq!(line_and_column("abc", 2), (1, 2));
        assert_eq!(line_and_column("a\nbc", 3), (2, 1));
        assert_eq!(line_and_column("a\n", 2), (2, 0));
        assert_eq!(line_and_column("é😀x", 6), (1, 3));
        assert_eq!(line_and_column("", 9), (1, 0));
    }
}
