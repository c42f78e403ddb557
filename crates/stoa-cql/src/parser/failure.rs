//! Why parsing stopped, and how that is told.

use std::fmt::Write;

use super::Parser;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::lexer::{LexicalError, LexicalErrorKind, Token, TokenKind};

/// A tree, or why there is none.
pub(super) type Parsed<T> = Result<T, Failure>;

/// Why there is no tree.
#[derive(Debug)]
pub(super) enum Failure {
    /// A token does not fit.
    Unexpected {
        /// Which.
        token: usize,
        /// The only kind that would, if there is only one.
        expecting: Option<TokenKind>,
    },
    /// A rule is broken.
    Refused {
        /// The token that broke it.
        token: usize,
        /// How.
        message: String,
    },
}

/// How many tokens before the one that does not fit are shown.
const SHOWN_BEFORE: usize = 5;

/// How many characters are shown of a token.
const SHOWN_LENGTH: usize = 100;

impl Parser<'_> {
    /// The failure, told to whoever gave the text.
    pub(super) fn syntax_error(&self, failure: Failure) -> SyntaxError {
        match failure {
            Failure::Unexpected { token, expecting } => {
                // Looking ahead may go beyond the last token, which stands for all that follow.
                let index = token.min(self.tokens.len().saturating_sub(1));
                let token = self.token_at(index);
                match (token.kind, self.lexical_error) {
                    (TokenKind::Invalid, Some(error)) => lexical(self.text, error),
                    _ => self.unexpected_token(index, token, expecting),
                }
            }
            Failure::Refused { token, message } => {
                let token = self.token_at(token);
                let range = token.start as usize..token.end as usize;
                SyntaxError::new(SyntaxErrorKind::Refused, self.text, range, message)
            }
        }
    }

    fn token_at(&self, index: usize) -> Token {
        let end = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.tokens.get(index).copied().unwrap_or(Token {
            kind: TokenKind::End,
            start: end,
            end,
        })
    }

    fn unexpected_token(
        &self,
        index: usize,
        token: Token,
        expecting: Option<TokenKind>,
    ) -> SyntaxError {
        let is_end = token.kind == TokenKind::End;
        let range = token.start as usize..token.end as usize;
        let shown = if is_end {
            "<EOF>".to_owned()
        } else {
            shortened(self.text.get(range.clone()).unwrap_or(""))
        };
        let mut message = match expecting {
            None => format!("no viable alternative at input '{shown}'"),
            Some(kind) => format!("mismatched input '{shown}' expecting {}", kind.expected()),
        };
        if is_end {
            return SyntaxError::new(SyntaxErrorKind::EndOfText, self.text, range, message);
        }
        let first = index.saturating_sub(SHOWN_BEFORE);
        let from = self.token_at(first).start as usize;
        let before = self.text.get(from..range.start).unwrap_or("");
        let dots = if first > 0 { "..." } else { "" };
        let is_last = self.token_at(index + 1).kind == TokenKind::End;
        let more = if is_last { "" } else { "..." };
        let _ = write!(message, " ({dots}{}[{shown}]{more})", shortened(before));
        SyntaxError::new(SyntaxErrorKind::Unexpected, self.text, range, message)
    }
}

/// What the lexer says.
fn lexical(text: &str, error: LexicalError) -> SyntaxError {
    let rest = text.get(error.offset..).unwrap_or("");
    let character = rest.chars().next();
    let length = character.map_or(0, char::len_utf8);
    let shown = character.map_or("<EOF>".to_owned(), String::from);
    let message = match error.kind {
        LexicalErrorKind::TooLong => "the text is longer than 4 GiB".to_owned(),
        LexicalErrorKind::Character => {
            format!("no viable alternative at character '{shown}'")
        }
        LexicalErrorKind::Unterminated => {
            format!("mismatched character '{shown}' expecting its end")
        }
        LexicalErrorKind::CommentWithoutLineEnd => {
            format!("mismatched character '{shown}' expecting the end of the comment's line")
        }
    };
    let range = error.offset..error.offset + length;
    SyntaxError::new(SyntaxErrorKind::Unexpected, text, range, message)
}

/// The end of a text, if it is long.
fn shortened(text: &str) -> String {
    match text.char_indices().nth_back(SHOWN_LENGTH) {
        None => text.to_owned(),
        Some((cut, first)) => {
            let kept = text.get(cut + first.len_utf8()..).unwrap_or("");
            format!("...{kept}")
        }
    }
}
