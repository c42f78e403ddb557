//! Cuts a text into the statements of CQL and the commands of the shell.
//!
//! Statements end with a semicolon. Commands of the shell, and `DESCRIBE`, may also end with their
//! line, as in cqlsh; `COPY` may not, because it is often long.

use std::ops::Range;

use stoa_cql::Split;

/// First words of what may end with its line, in lower case.
const LINE_COMMANDS: [&str; 16] = [
    "?",
    "capture",
    "clear",
    "cls",
    "consistency",
    "desc",
    "describe",
    "exit",
    "expand",
    "help",
    "paging",
    "quit",
    "serial",
    "show",
    "source",
    "timing",
];

/// A part of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its bytes, without the semicolon and without spaces and comments around it.
    pub(super) range: Range<usize>,
    /// Whether anything ends it; only the last piece may be without an end.
    pub(super) is_finished: bool,
}

/// The pieces of a script, one after another.
pub(super) struct Script<'t> {
    text: &'t str,
    /// The text from here on has been split.
    offset: usize,
    split: Split,
    /// How many statements of the split are used up.
    used: usize,
}

impl<'t> Script<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            text,
            offset: 0,
            split: stoa_cql::split(text),
            used: 0,
        }
    }

    /// What the splitter says comes next, as a range of the whole text.
    fn candidate(&self) -> Option<Piece> {
        let finished = self.split.statements.get(self.used);
        let (range, is_finished) = match finished {
            Some(range) => (range, true),
            None if self.used == self.split.statements.len() => {
                (self.split.unfinished.as_ref()?, false)
            }
            None => return None,
        };
        Some(Piece {
            range: self.offset + range.start..self.offset + range.end,
            is_finished,
        })
    }

    /// A command that ends with its line changes where everything after it is cut.
    fn split_from(&mut self, offset: usize) {
        self.offset = offset;
        self.split = stoa_cql::split(self.text.get(offset..).unwrap_or(""));
        self.used = 0;
    }
}

impl Iterator for Script<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let piece = self.candidate()?;
        self.used += 1;
        let text = self.text.get(piece.range.clone()).unwrap_or("");
        if !ends_with_its_line(text) {
            return Some(piece);
        }
        let line_end = text.find('\n');
        // At the end of the text there is no line to wait for, but an open string is one.
        let is_open = line_end.is_none() && !piece.is_finished && has_open_string(text);
        let length = line_end.unwrap_or(text.len());
        let line = text.get(..length).unwrap_or("").trim_end();
        let range = piece.range.start..piece.range.start + line.len();
        if line_end.is_some() || !piece.is_finished {
            self.split_from(piece.range.start + length);
        }
        Some(Piece {
            range,
            is_finished: !is_open,
        })
    }
}

/// Whether the first word is one of a command that needs no semicolon.
fn ends_with_its_line(text: &str) -> bool {
    let word = first_word(text);
    LINE_COMMANDS.contains(&word.as_str())
}

/// The first word of a statement, in lower case.
pub(super) fn first_word(text: &str) -> String {
    let is_end = |character: char| !character.is_alphanumeric() && !"_?".contains(character);
    let word = text.split(is_end).next().unwrap_or("");
    word.to_ascii_lowercase()
}

fn has_open_string(text: &str) -> bool {
    text.matches('\'').count() % 2 == 1
}

/// Whether every statement of a text that a person types has ended.
pub(super) fn is_complete(text: &str) -> bool {
    Script::new(text).all(|piece| piece.is_finished)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<(&str, bool)> {
        let pieces = Script::new(text);
        let shown = pieces.map(|piece| (text.get(piece.range).unwrap(), piece.is_finished));
        shown.collect()
    }

    #[test]
    fn statements_end_with_semicolons_and_commands_with_lines_too() {
        assert_eq!(
            pieces("USE a;\nPAGING OFF\n-- why\nSELECT *\nFROM t; HELP"),
            [
                ("USE a", true),
                ("PAGING OFF", true),
                ("SELECT *\nFROM t", true),
                ("HELP", true)
            ]
        );
        assert_eq!(
            pieces("expand on; SELECT 1"),
            [("expand on", true), ("SELECT 1", false)]
        );
        assert_eq!(
            pieces("DESC TABLES\nBEGIN BATCH a; b; APPLY BATCH;\nc;"),
            [
                ("DESC TABLES", true),
                ("BEGIN BATCH a; b; APPLY BATCH", true),
                ("c", true)
            ]
        );
    }

    #[test]
    fn the_first_word_ends_where_another_token_begins() {
        for text in ["SELECT* FROM t", "select", "Select(a)", "SELECT'x'"] {
            assert_eq!(first_word(text), "select");
        }
        assert_eq!(first_word("? use"), "?");
    }

    #[test]
    fn a_copy_goes_on_to_its_semicolon() {
        let text = "COPY t TO 'x'\nWITH HEADER = true";
        assert_eq!(pieces(text), [(text, false)]);
        assert!(!is_complete(text));
        assert!(is_complete("COPY t TO 'x';"));
    }

    #[test]
    fn strings_of_commands_may_hold_semicolons() {
        assert_eq!(pieces("SOURCE 'a;b'\n"), [("SOURCE 'a;b'", true)]);
        assert_eq!(pieces("SOURCE 'a"), [("SOURCE 'a", false)]);
        assert!(is_complete("  -- nothing\n"));
    }
}
