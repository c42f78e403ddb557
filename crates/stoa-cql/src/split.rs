//! Cuts the text of a shell or a file into statements.
//!
//! A statement ends at a semicolon that is in no string and no comment. A batch is one statement,
//! whatever semicolons are in it.

use std::ops::Range;

use crate::keyword::Keyword;
use crate::lexer::{Lexer, LexicalErrorKind, Token, TokenKind};

/// A text that was cut into statements.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Split {
    /// The bytes of each statement that ends with a semicolon: without it, and without spaces and
    /// comments around the statement. None is empty.
    pub statements: Vec<Range<usize>>,
    /// The bytes of what is left: a statement that may go on. None if nothing but spaces and
    /// comments is left.
    pub unfinished: Option<Range<usize>>,
}

/// Cuts a text into statements.
///
/// It never fails: what is no CQL is cut at its semicolons all the same, and
/// [`parse`](crate::parse) will say what is wrong with it. Its time is linear in the text.
///
/// ```
/// let text = "USE ks; -- a comment; of no interest\n SELECT ';' FROM t; SELECT";
/// let split = stoa_cql::split(text);
/// let statements: Vec<_> = split.statements.iter().map(|range| &text[range.clone()]).collect();
/// assert_eq!(statements, ["USE ks", "SELECT ';' FROM t"]);
/// assert_eq!(split.unfinished.map(|range| text.get(range).unwrap()), Some("SELECT"));
/// ```
#[must_use]
pub fn split(text: &str) -> Split {
    let mut splitter = Splitter::default();
    let mut lexer = Lexer::new(text);
    loop {
        let start = lexer.offset();
        match lexer.next_token() {
            Ok(token) if token.kind == TokenKind::End => break,
            Ok(token) => splitter.take(token),
            Err(error) => match error.kind {
                LexicalErrorKind::CommentWithoutLineEnd => break,
                LexicalErrorKind::Unterminated | LexicalErrorKind::TooLong => {
                    splitter.take_rest(lexer.offset(), text.len());
                    break;
                }
                LexicalErrorKind::Character => {
                    let next = next_character(text, error.offset, lexer.offset().max(start));
                    splitter.take_rest(lexer.offset(), next);
                    lexer = Lexer::from_offset(text, next);
                }
            },
        }
    }
    splitter.finish()
}

/// Where to go on after an error: where nothing fitted any more, but beyond where the token began.
fn next_character(text: &str, failed_at: usize, began_at: usize) -> usize {
    if failed_at > began_at {
        return failed_at;
    }
    let rest = text.get(began_at..).unwrap_or("");
    began_at + rest.chars().next().map_or(1, char::len_utf8)
}

/// What is known of the present statement.
#[derive(Default)]
struct Splitter {
    done: Split,
    present: Option<Range<usize>>,
    tokens: usize,
    batch: Batch,
}

/// Whether a statement is a batch, and how far it is.
#[derive(Default, PartialEq, Eq)]
enum Batch {
    /// It is none, or not yet known to be one.
    #[default]
    No,
    /// It has begun.
    Inside,
    /// `APPLY` was the last word.
    Applying,
    /// It has been applied.
    Applied,
}

impl Splitter {
    fn take(&mut self, token: Token) {
        let is_inside = matches!(self.batch, Batch::Inside | Batch::Applying);
        if token.kind == TokenKind::Semicolon && !is_inside {
            self.done.statements.extend(self.present.take());
            self.tokens = 0;
            self.batch = Batch::No;
            return;
        }
        self.take_rest(token.start as usize, token.end as usize);
        self.follow_batch(token.kind);
        self.tokens += 1;
    }

    fn follow_batch(&mut self, kind: TokenKind) {
        let is_first = self.tokens == 0;
        self.batch = match (&self.batch, kind) {
            (Batch::No, TokenKind::Keyword(Keyword::Begin)) if is_first => Batch::Inside,
            (Batch::Inside, TokenKind::Keyword(Keyword::Apply)) => Batch::Applying,
            (Batch::Applying, TokenKind::Keyword(Keyword::Batch)) => Batch::Applied,
            (Batch::Inside | Batch::Applying, _) => Batch::Inside,
            (Batch::No, _) => Batch::No,
            (Batch::Applied, _) => Batch::Applied,
        };
    }

    /// These bytes belong to the present statement.
    fn take_rest(&mut self, start: usize, end: usize) {
        match &mut self.present {
            Some(present) => present.end = end,
            None => self.present = Some(start..end),
        }
    }

    fn finish(mut self) -> Split {
        self.done.unfinished = self.present;
        self.done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (Vec<&str>, Option<&str>) {
        let split = split(text);
        let statements = split
            .statements
            .into_iter()
            .map(|range| text.get(range).unwrap());
        (
            statements.collect(),
            split.unfinished.map(|range| text.get(range).unwrap()),
        )
    }

    #[test]
    fn statements_end_at_semicolons() {
        assert_eq!(parts("a;b ; c"), (vec!["a", "b"], Some("c")));
        assert_eq!(parts(""), (vec![], None));
        assert_eq!(parts(" ;;\n; "), (vec![], None));
        assert_eq!(parts("a;"), (vec!["a"], None));
    }

    #[test]
    fn semicolons_in_strings_and_comments_do_not_count() {
        let text = "a ';' \";\" $$;$$ /* ; */ b -- ;\n; c // ;";
        let first = "a ';' \";\" $$;$$ /* ; */ b";
        assert_eq!(parts(text), (vec![first], Some("c")));
        assert_eq!(parts("a; -- the end"), (vec!["a"], None));
    }

    #[test]
    fn what_does_not_end_is_unfinished() {
        assert_eq!(parts("a; b 'c; d"), (vec!["a"], Some("b 'c; d")));
        assert_eq!(parts("a; /* b; c"), (vec!["a"], Some("/* b; c")));
        assert_eq!(parts("$$;"), (vec![], Some("$$;")));
    }

    #[test]
    fn a_batch_is_one_statement() {
        let batch = "BEGIN BATCH INSERT 1; UPDATE 2; APPLY BATCH";
        let text = format!("{batch}; next");
        assert_eq!(parts(&text), (vec![batch], Some("next")));
        let counters = "begin counter batch update 1; apply batch";
        let text = format!("{counters} ; next;");
        assert_eq!(parts(&text), (vec![counters, "next"], None));
        assert_eq!(
            parts("BEGIN BATCH a; b;"),
            (vec![], Some("BEGIN BATCH a; b;"))
        );
        assert_eq!(parts("a BEGIN; b"), (vec!["a BEGIN"], Some("b")));
    }

    #[test]
    fn what_is_no_cql_is_cut_all_the_same() {
        assert_eq!(parts("a # b; é;\0"), (vec!["a # b", "é"], Some("\0")));
        assert_eq!(parts("1e;2"), (vec!["1e"], Some("2")));
        assert_eq!(parts("#"), (vec![], Some("#")));
    }
}
