//! Text to tokens, as Cassandra's `Lexer.g` cuts it.
//!
//! Tokens borrow nothing and own nothing: they are kinds with byte offsets, and their text is read
//! from the statement where it is wanted.
//!
//! ANTLR does not look for the longest token that matches. It decides for a kind of token as soon
//! as only one kind can follow, and then insists: `1e` is not `1` and `e` but an error, as is
//! `-id`, because `-i` can only become `-infinity`. We repeat that, because what one lexer accepts
//! and the other refuses would be a difference in the language.

mod number;
#[cfg(test)]
mod tests;
mod token;

pub(crate) use token::{Token, TokenKind};

use crate::keyword::Keyword;

/// Cuts a text into tokens, one after another.
#[derive(Debug, Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    offset: usize,
}

/// Why there is no token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LexicalError {
    /// The byte at which nothing fits any more.
    pub(crate) offset: usize,
    /// What was being read.
    pub(crate) kind: LexicalErrorKind,
}

/// What was being read when nothing fitted any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LexicalErrorKind {
    /// A string, quoted name or comment of several lines that does not end.
    Unterminated,
    /// A comment that ends with the text instead of with a line.
    CommentWithoutLineEnd,
    /// Something else.
    Character,
    /// Offsets would not fit into a token.
    TooLong,
}

/// A token, or none where the text is wrong.
type Lexed = Result<Token, LexicalError>;

impl<'a> Lexer<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, offset: 0 }
    }

    /// A lexer that goes on from an offset.
    pub(crate) fn from_offset(text: &'a str, offset: usize) -> Self {
        Self { text, offset }
    }

    /// How far it is: behind the last token, or where the one that failed began.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The next token; at the end of the text always [`TokenKind::End`].
    pub(crate) fn next_token(&mut self) -> Lexed {
        self.skip_blanks()?;
        let start = self.offset;
        let Some(first) = self.byte(0) else {
            return self.token(TokenKind::End, start);
        };
        match first {
            b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'0'..=b'9' => self.number(),
            b'\'' => self.quoted(b'\'', TokenKind::String),
            b'"' => self.quoted(b'"', TokenKind::QuotedName),
            b'$' => self.dollar_string(),
            b'-' => self.minus(),
            _ => self.symbol(first),
        }
    }

    /// The byte that many bytes ahead.
    fn byte(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.offset + ahead).copied()
    }

    /// The rest of the text, as bytes.
    fn rest(&self) -> &'a [u8] {
        self.text.as_bytes().get(self.offset..).unwrap_or(&[])
    }

    /// The token from a start to the present offset.
    fn token(&self, kind: TokenKind, start: usize) -> Lexed {
        match (u32::try_from(start), u32::try_from(self.offset)) {
            (Ok(start), Ok(end)) => Ok(Token { kind, start, end }),
            _ => Err(LexicalError {
                offset: start,
                kind: LexicalErrorKind::TooLong,
            }),
        }
    }

    /// The token of that many bytes.
    fn take(&mut self, length: usize, kind: TokenKind) -> Lexed {
        let start = self.offset;
        self.offset += length;
        self.token(kind, start)
    }

    /// Nothing fits that many bytes ahead.
    fn fail<T>(&self, ahead: usize) -> Result<T, LexicalError> {
        Err(LexicalError {
            offset: self.offset + ahead,
            kind: LexicalErrorKind::Character,
        })
    }

    /// The text ends within something.
    fn fail_at_end<T>(&self, kind: LexicalErrorKind) -> Result<T, LexicalError> {
        let offset = self.text.len();
        Err(LexicalError { offset, kind })
    }

    /// Passes over spaces and comments.
    fn skip_blanks(&mut self) -> Result<(), LexicalError> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (Some(b' ' | b'\t' | b'\n' | b'\r'), _) => self.offset += 1,
                (Some(b'-'), Some(b'-')) | (Some(b'/'), Some(b'/')) => {
                    let is_end = |&byte: &u8| byte == b'\n' || byte == b'\r';
                    match self.rest().iter().position(is_end) {
                        Some(length) => self.offset += length + 1,
                        None => return self.fail_at_end(LexicalErrorKind::CommentWithoutLineEnd),
                    }
                }
                (Some(b'/'), Some(b'*')) => {
                    let inside = self.rest().get(2..).unwrap_or(&[]);
                    match inside.windows(2).position(|pair| pair == b"*/") {
                        Some(length) => self.offset += length + 4,
                        None => return self.fail_at_end(LexicalErrorKind::Unterminated),
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// A name, a keyword, and what else begins with a letter.
    fn word(&mut self) -> Lexed {
        let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let rest = self.rest();
        let length = rest.iter().take_while(|byte| is_inner(byte)).count();
        let word = rest.get(..length).unwrap_or(rest);
        match self.byte(length) {
            Some(b'-') if length == 8 && word.iter().all(u8::is_ascii_hexdigit) => self.uuid(),
            Some(b'-') if length == 5 && number::is_start_of_date_duration(word) => {
                self.date_duration(0)
            }
            Some(b'(') if word == b"expr" => self.take(length + 1, TokenKind::ExpressionOpen),
            _ if word.first() == Some(&b'P') && number::is_iso_duration(word) => {
                self.take(length, TokenKind::Duration)
            }
            _ => {
                let kind = match Keyword::of(word) {
                    Some(Keyword::True | Keyword::False) => TokenKind::Boolean,
                    Some(keyword) => TokenKind::Keyword(keyword),
                    None => TokenKind::Identifier,
                };
                self.take(length, kind)
            }
        }
    }

    /// Text between quotes, in which a quote stands twice.
    fn quoted(&mut self, quote: u8, kind: TokenKind) -> Lexed {
        let mut length = 1;
        loop {
            let rest = self.rest().get(length..).unwrap_or(&[]);
            match rest.iter().position(|&byte| byte == quote) {
                None => return self.fail_at_end(LexicalErrorKind::Unterminated),
                Some(inside) => length += inside + 1,
            }
            if self.byte(length) != Some(quote) {
                break;
            }
            length += 1;
        }
        match (kind, length) {
            (TokenKind::QuotedName, 2) => self.take(length, TokenKind::EmptyQuotedName),
            _ => self.take(length, kind),
        }
    }

    /// Text between double dollars, in which nothing else means anything.
    fn dollar_string(&mut self) -> Lexed {
        if self.byte(1) != Some(b'$') {
            return match self.byte(1) {
                Some(_) => self.fail(1),
                None => self.fail_at_end(LexicalErrorKind::Unterminated),
            };
        }
        let inside = self.rest().get(2..).unwrap_or(&[]);
        if let Some(length) = inside.windows(2).position(|pair| pair == b"$$") {
            return self.take(length + 4, TokenKind::DollarString);
        }
        // The last character is where ANTLR begins to look for the end.
        let last = self.text.chars().next_back().filter(|&last| last != '$');
        Err(LexicalError {
            offset: self.text.len() - last.map_or(0, char::len_utf8),
            kind: LexicalErrorKind::Unterminated,
        })
    }

    /// A minus, alone or as part of something.
    fn minus(&mut self) -> Lexed {
        match self.byte(1) {
            Some(b'0'..=b'9') => self.negative_number(),
            Some(b'=') => self.take(2, TokenKind::MinusEqual),
            Some(b'n' | b'N') => self.spelled(b"-nan", TokenKind::NegativeNan),
            Some(b'i' | b'I') => self.spelled(b"-infinity", TokenKind::NegativeInfinity),
            Some(b'P') => self.negative_iso_duration(),
            _ => self.take(1, TokenKind::Minus),
        }
    }

    /// Exactly these letters, in any case.
    fn spelled(&mut self, letters: &[u8], kind: TokenKind) -> Lexed {
        let fits = |(here, letter): &(&u8, &u8)| here.eq_ignore_ascii_case(letter);
        let fitting = self.rest().iter().zip(letters).take_while(fits).count();
        if fitting == letters.len() {
            self.take(fitting, kind)
        } else {
            self.fail(fitting)
        }
    }

    fn symbol(&mut self, first: u8) -> Lexed {
        let second = self.byte(1);
        let kind = match (first, second) {
            (b'<', Some(b'=')) => return self.take(2, TokenKind::LessOrEqual),
            (b'>', Some(b'=')) => return self.take(2, TokenKind::GreaterOrEqual),
            (b'!', Some(b'=')) => return self.take(2, TokenKind::NotEqual),
            (b'+', Some(b'=')) => return self.take(2, TokenKind::PlusEqual),
            (b'.', Some(b'.')) => return self.take(2, TokenKind::Range),
            (b'!', _) => return self.fail(1),
            (b'=', _) => TokenKind::Equal,
            (b'<', _) => TokenKind::Less,
            (b'>', _) => TokenKind::Greater,
            (b'+', _) => TokenKind::Plus,
            (b'*', _) => TokenKind::Star,
            (b'/', _) => TokenKind::Slash,
            (b'%', _) => TokenKind::Percent,
            (b'.', _) => TokenKind::Dot,
            (b',', _) => TokenKind::Comma,
            (b';', _) => TokenKind::Semicolon,
            (b':', _) => TokenKind::Colon,
            (b'?', _) => TokenKind::QuestionMark,
            (b'(', _) => TokenKind::OpenParenthesis,
            (b')', _) => TokenKind::CloseParenthesis,
            (b'[', _) => TokenKind::OpenBracket,
            (b']', _) => TokenKind::CloseBracket,
            (b'{', _) => TokenKind::OpenBrace,
            (b'}', _) => TokenKind::CloseBrace,
            _ => return self.fail(0),
        };
        self.take(1, kind)
    }
}
