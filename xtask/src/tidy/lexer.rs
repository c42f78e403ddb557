//! Splits Rust text into code and comments, so that rules do not trip over a word in a string.
//!
//! 1. Both views have the lines of the text.
//! 2. `code` has blanks for comments and for the inside of string and character literals; the
//!    quotes stay. `comments` has blanks for everything else.

use super::search::is_word;

/// The two views of a file.
#[derive(Debug)]
pub(crate) struct Views {
    pub(crate) code: String,
    pub(crate) comments: String,
}

/// Splits a file's text.
pub(crate) fn split(text: &str) -> Views {
    let mut lexer = Lexer {
        rest: text.chars().collect(),
        at: 0,
        views: Views {
            code: String::new(),
            comments: String::new(),
        },
    };
    while let Some(next) = lexer.peek(0) {
        match (next, lexer.peek(1)) {
            ('/', Some('/')) => lexer.line_comment(),
            ('/', Some('*')) => lexer.block_comment(),
            ('"', _) => lexer.string(),
            ('\'', _) => lexer.quote(),
            _ if is_word(next) => lexer.word(),
            _ => lexer.push(Kind::Code),
        }
    }
    lexer.views
}

#[derive(Clone, Copy)]
enum Kind {
    Code,
    Comment,
    Literal,
}

struct Lexer {
    rest: Vec<char>,
    at: usize,
    views: Views,
}

impl Lexer {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.rest.get(self.at + ahead).copied()
    }

    /// Moves one character into the views.
    fn push(&mut self, kind: Kind) {
        let Some(next) = self.peek(0) else { return };
        self.at += 1;
        let (code, comment) = match kind {
            _ if next == '\n' => (next, next),
            Kind::Code => (next, ' '),
            Kind::Comment => (' ', next),
            Kind::Literal => (' ', ' '),
        };
        self.views.code.push(code);
        self.views.comments.push(comment);
    }

    fn push_many(&mut self, kind: Kind, count: usize) {
        (0..count).for_each(|_| self.push(kind));
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|next| next != '\n') {
            self.push(Kind::Comment);
        }
    }

    /// Block comments nest.
    fn block_comment(&mut self) {
        let mut depth = 0_usize;
        while let Some(next) = self.peek(0) {
            match (next, self.peek(1)) {
                ('/', Some('*')) => depth += 1,
                ('*', Some('/')) => depth -= 1,
                _ => {
                    self.push(Kind::Comment);
                    continue;
                }
            }
            self.push_many(Kind::Comment, 2);
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.push(Kind::Code);
        while let Some(next) = self.peek(0) {
            match next {
                '"' => return self.push(Kind::Code),
                '\\' => self.push_many(Kind::Literal, 2),
                _ => self.push(Kind::Literal),
            }
        }
    }

    /// A character literal, or the tick of a lifetime.
    fn quote(&mut self) {
        let inside = match (self.peek(1), self.peek(2)) {
            (Some('\\'), _) => self.escaped_length(),
            (Some(_), Some('\'')) => 1,
            _ => return self.push(Kind::Code),
        };
        self.push(Kind::Code);
        self.push_many(Kind::Literal, inside);
        self.push(Kind::Code);
    }

    /// How many characters stand between the quotes of `'\n'`, `'\''`, `'\u{20}'`.
    fn escaped_length(&self) -> usize {
        let mut length = 2;
        while self.peek(1 + length).is_some_and(|next| next != '\'') {
            length += 1;
        }
        length
    }

    /// An identifier, keyword, number, or the prefix of a raw string.
    fn word(&mut self) {
        let mut word = String::new();
        while let Some(next) = self.peek(0).filter(|&next| is_word(next)) {
            word.push(next);
            self.push(Kind::Code);
        }
        if matches!(word.as_str(), "r" | "br" | "cr") {
            let hashes = self
                .rest
                .iter()
                .skip(self.at)
                .take_while(|&&next| next == '#')
                .count();
            if self.peek(hashes) == Some('"') {
                self.raw_string(hashes);
            }
        }
    }

    fn raw_string(&mut self, hashes: usize) {
        self.push_many(Kind::Code, hashes + 1);
        while let Some(next) = self.peek(0) {
            let closes = next == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#'));
            if closes {
                return self.push_many(Kind::Code, hashes + 1);
            }
            self.push(Kind::Literal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn comments_and_literals_are_blanked_in_code() {
        let views = split("let a = \"x // {\"; // note\n/* a /* b */ c */ let b = '{';");
        assert_eq!(
            views.code,
            "let a = \"      \";        \n                  let b = ' ';"
        );
        assert!(views.comments.contains("// note\n/* a /* b */ c */"));
        assert!(!views.comments.contains('{'));
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        let views = split("f(r#\"a \"quoted\" }\"#, br\"}\", r#fn)");
        assert_eq!(views.code, "f(r#\"            \"#, br\" \", r#fn)");
    }

    #[test]
    fn lifetimes_are_not_characters() {
        let code = |text| split(text).code;
        assert_eq!(
            code("fn f<'a>(x: &'a str) -> char { '\\'' }")
                .matches('\'')
                .count(),
            4
        );
        assert_eq!(
            code("['\\u{20}', b'}', '\"', 'x']"),
            "['      ', b' ', ' ', ' ']"
        );
    }

    #[test]
    fn escapes_do_not_end_strings() {
        assert_eq!(split(r#"("\"}", 1)"#).code, r#"("   ", 1)"#);
    }
}
