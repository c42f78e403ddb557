//! Tokens.

use crate::keyword::Keyword;

/// A piece of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is.
    pub(crate) kind: TokenKind,
    /// Its first byte.
    pub(crate) start: u32,
    /// The byte after its last.
    pub(crate) end: u32,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `abc`
    Identifier,
    /// A word that means something.
    Keyword(Keyword),
    /// `"abc"`
    QuotedName,
    /// `""`
    EmptyQuotedName,
    /// `'abc'`
    String,
    /// `$$abc$$`
    DollarString,
    /// `-1`
    Integer,
    /// `1.5`
    Float,
    /// `true`
    Boolean,
    /// `1y2mo`
    Duration,
    /// `c0ffee00-c0ff-eec0-ffee-c0ffeec0ffee`
    Uuid,
    /// `0xcafe`
    Hex,
    /// `-NaN`
    NegativeNan,
    /// `-Infinity`
    NegativeInfinity,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Star,
    /// `/`
    Slash,
    /// `%`
    Percent,
    /// `+=`
    PlusEqual,
    /// `-=`
    MinusEqual,
    /// `.`
    Dot,
    /// `..`
    Range,
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// `:`
    Colon,
    /// `?`
    QuestionMark,
    /// `(`
    OpenParenthesis,
    /// `)`
    CloseParenthesis,
    /// `[`
    OpenBracket,
    /// `]`
    CloseBracket,
    /// `{`
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `expr(`, which is one token if it is written just so.
    ExpressionOpen,
    /// The text ends.
    End,
    /// Nothing fits from here on.
    Invalid,
}

impl TokenKind {
    /// What Cassandra calls it when it was expecting it.
    pub(crate) fn expected(self) -> String {
        let name = match self {
            Self::Keyword(Keyword::Table) => "K_COLUMNFAMILY",
            Self::Keyword(keyword) => {
                return format!("K_{}", keyword.word().to_ascii_uppercase());
            }
            Self::Identifier => "IDENT",
            Self::QuotedName => "QUOTED_NAME",
            Self::EmptyQuotedName => "EMPTY_QUOTED_NAME",
            Self::String | Self::DollarString => "STRING_LITERAL",
            Self::Integer => "INTEGER",
            Self::Float => "FLOAT",
            Self::Boolean => "BOOLEAN",
            Self::Duration => "DURATION",
            Self::Uuid => "UUID",
            Self::Hex => "HEXNUMBER",
            Self::NegativeNan => "K_NEGATIVE_NAN",
            Self::NegativeInfinity => "K_NEGATIVE_INFINITY",
            Self::QuestionMark => "QMARK",
            Self::Range => "RANGE",
            Self::End => "EOF",
            Self::Invalid => "nothing",
            symbol => return format!("'{}'", symbol.sign()),
        };
        name.to_owned()
    }

    /// A symbol as it is written; empty for everything else.
    fn sign(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Star => "*",
            Self::Slash => "/",
            Self::Percent => "%",
            Self::PlusEqual => "+=",
            Self::MinusEqual => "-=",
            Self::Dot => ".",
            Self::Range => "..",
            Self::Comma => ",",
            Self::Semicolon => ";",
            Self::Colon => ":",
            Self::QuestionMark => "?",
            Self::OpenParenthesis => "(",
            Self::CloseParenthesis => ")",
            Self::OpenBracket => "[",
            Self::CloseBracket => "]",
            Self::OpenBrace => "{",
            Self::CloseBrace => "}",
            Self::ExpressionOpen => "expr(",
            _ => "",
        }
    }
}
