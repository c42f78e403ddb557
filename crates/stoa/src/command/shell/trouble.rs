//! What went wrong, as text: the class of the error, its code, and a caret under the place.

use std::ops::Range;

use stoa_session::{Error, ErrorKind};
use unicode_width::UnicodeWidthStr as _;

/// How many characters of a long line are shown before and behind the place.
const AROUND: usize = 60;

/// The error of a statement. `text` is the statement; if it is not CQL, its line is shown too.
pub(super) fn describe(error: &Error, text: &str) -> String {
    let class = class(error.kind());
    // Cassandra quotes the statement in its message, with its line ends.
    let error_text = shown(&error.to_string());
    let mut told = match error.code() {
        Some(code) => format!("{class} [{code:04x}]: {error_text}"),
        None => format!("{class}: {error_text}"),
    };
    if let Some(place) = place(error, text) {
        let (line, caret) = excerpt(text, place);
        told.push_str(&format!("\n  {line}\n  {caret}"));
    }
    told
}

/// Where the text is not CQL; a back end tells it in words only.
pub(super) fn place(error: &Error, text: &str) -> Option<Range<usize>> {
    if error.kind() != ErrorKind::Syntax {
        return None;
    }
    let problem = stoa_cql::parse(text).err()?;
    Some(problem.range)
}

/// The names that drivers of Cassandra give to errors, where they have one.
fn class(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Syntax => "SyntaxException",
        ErrorKind::Invalid => "InvalidRequest",
        ErrorKind::AlreadyExists => "AlreadyExists",
        ErrorKind::Configuration => "ConfigurationException",
        ErrorKind::Unauthorized => "Unauthorized",
        ErrorKind::Credentials => "AuthenticationFailed",
        ErrorKind::Value => "InvalidValue",
        ErrorKind::Unavailable => "Unavailable",
        ErrorKind::Timeout => "Timeout",
        ErrorKind::Deadline => "OperationTimedOut",
        ErrorKind::Failure => "ReplicaFailure",
        ErrorKind::Unreachable => "NoHostAvailable",
        ErrorKind::Storage => "StorageError",
        ErrorKind::Closed => "SessionClosed",
        _ => "ServerError",
    }
}

/// The line that a range begins in, and another with carets under the range.
fn excerpt(text: &str, range: Range<usize>) -> (String, String) {
    let start = range.start.min(text.len());
    let before = text.get(..start).unwrap_or("");
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let rest = text.get(start..).unwrap_or("");
    let left = shown(text.get(line_start..start).unwrap_or(""));
    let right = shown(rest.lines().next().unwrap_or(""));
    let marked = shown(text.get(range).unwrap_or("").lines().next().unwrap_or(""));
    let hidden = left.chars().count().saturating_sub(AROUND);
    let left: String = left.chars().skip(hidden).collect();
    let left = if hidden > 0 {
        format!("...{left}")
    } else {
        left
    };
    let is_cut = right.chars().count() > AROUND;
    let right: String = right.chars().take(AROUND).collect();
    let carets = marked.width().clamp(1, right.width().max(1));
    let tail = if is_cut { "..." } else { "" };
    (
        format!("{left}{right}{tail}"),
        format!("{}{}", " ".repeat(left.width()), "^".repeat(carets)),
    )
}

/// Characters that would move the caret away from its place are shown as spaces.
fn shown(text: &str) -> String {
    text.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> String {
        let problem = stoa_cql::parse(text).unwrap_err().to_string();
        let error = Error::not_applied(ErrorKind::Syntax, problem).with_code(0x2000);
        describe(&error, text)
    }

    #[test]
    fn a_caret_stands_under_the_place() {
        let told = told("SELECT *\n\tFORM t");
        let lines: Vec<&str> = told.lines().collect();
        assert!(
            lines[0].starts_with("SyntaxException [2000]: line 2:1 "),
            "{told}"
        );
        assert_eq!(lines[1..], ["   FORM t", "   ^^^^"]);
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("SELECT {} FORM t{}", "é,".repeat(500), " ".repeat(500));
        let told = told(&text);
        assert!(told.lines().all(|line| line.width() < 140), "{told}");
    }

    #[test]
    fn the_end_of_a_text_is_a_place() {
        let told = told("SELECT * FROM");
        assert!(
            told.ends_with("\n  SELECT * FROM\n               ^"),
            "{told}"
        );
    }

    #[test]
    fn what_is_refused_for_its_meaning_has_no_caret() {
        let error = Error::not_applied(ErrorKind::Invalid, "unconfigured table t");
        assert_eq!(
            describe(&error, "x"),
            "InvalidRequest: unconfigured table t"
        );
    }
}
