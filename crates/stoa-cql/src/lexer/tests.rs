//! Tests of the lexer; the answers are those of Cassandra 5.0.8's.

use super::*;

/// The kinds and texts of all tokens; where an error is, its offset.
fn lex(text: &str) -> (Vec<(TokenKind, &str)>, Option<usize>) {
    let mut lexer = Lexer::new(text);
    let mut tokens = Vec::new();
    loop {
        match lexer.next_token() {
            Ok(token) if token.kind == TokenKind::End => return (tokens, None),
            Ok(token) => {
                let range = token.start as usize..token.end as usize;
                tokens.push((token.kind, text.get(range).unwrap()));
            }
            Err(error) => return (tokens, Some(error.offset)),
        }
    }
}

#[test]
fn one_token_each() {
    for (text, kind) in [
        ("a_1", TokenKind::Identifier),
        ("SeLeCt", TokenKind::Keyword(Keyword::Select)),
        ("columnfamily", TokenKind::Keyword(Keyword::Table)),
        ("\"a\"\"b\"", TokenKind::QuotedName),
        ("\"\"\"\"", TokenKind::QuotedName),
        ("\"\"", TokenKind::EmptyQuotedName),
        ("'it''s'", TokenKind::String),
        ("''", TokenKind::String),
        ("$$a'$b$$", TokenKind::DollarString),
        ("$$$$", TokenKind::DollarString),
        ("-12", TokenKind::Integer),
        ("1.", TokenKind::Float),
        ("-1.5e+3", TokenKind::Float),
        ("1.E5", TokenKind::Float),
        ("12e4567", TokenKind::Float),
        ("1234567e-12", TokenKind::Float),
        ("TRUE", TokenKind::Boolean),
        ("0x", TokenKind::Hex),
        ("0XcAfE", TokenKind::Hex),
        ("c0ffee00-c0ff-eec0-ffee-c0ffeec0ffee", TokenKind::Uuid),
        ("12e45678-1234-1234-1234-123456789012", TokenKind::Uuid),
        ("1d345678-1234-1234-1234-123456789012", TokenKind::Uuid),
        ("1234567e-1234-1234-1234-123456789012", TokenKind::Uuid),
        ("1y2mo3w4d5h6m7s8ms9us10ns11µs", TokenKind::Duration),
        ("-1D2H", TokenKind::Duration),
        ("P1Y2M3DT4H5M6S", TokenKind::Duration),
        ("-PT1S", TokenKind::Duration),
        ("P2W", TokenKind::Duration),
        ("P0001-02-03T04:05:06", TokenKind::Duration),
        ("p1y", TokenKind::Identifier),
        ("P1Y2", TokenKind::Identifier),
        ("P1D2M", TokenKind::Identifier),
        ("nan", TokenKind::Keyword(Keyword::Nan)),
        ("-NaN", TokenKind::NegativeNan),
        ("-infinity", TokenKind::NegativeInfinity),
        ("expr(", TokenKind::ExpressionOpen),
        ("..", TokenKind::Range),
        ("-=", TokenKind::MinusEqual),
    ] {
        assert_eq!(lex(text), (vec![(kind, text)], None), "{text}");
    }
}

#[test]
fn several_tokens_each() {
    for (text, parts) in [
        ("a-1", vec!["a", "-1"]),
        ("a - 1", vec!["a", "-", "1"]),
        ("1..2", vec!["1", "..", "2"]),
        ("1...2", vec!["1.", "..", "2"]),
        ("1.5..2", vec!["1.5", "..", "2"]),
        ("1x", vec!["1", "x"]),
        ("0xg", vec!["0x", "g"]),
        ("1mon", vec!["1mo", "n"]),
        ("123456789a", vec!["123456789", "a"]),
        ("-P1Yx", vec!["-P1Y", "x"]),
        ("-P2D21M", vec!["-P2D", "21M"]),
        ("EXPR(a", vec!["EXPR", "(", "a"]),
        ("expr (", vec!["expr", "("]),
        (":\"A\"?", vec![":", "\"A\"", "?"]),
        ("<=<>!=", vec!["<=", "<", ">", "!="]),
        ("a--b\nc//d\re/*f*/g/***/", vec!["a", "c", "e", "g"]),
        ("/2*/3", vec!["/", "2", "*", "/", "3"]),
    ] {
        let (tokens, error) = lex(text);
        let texts: Vec<&str> = tokens.into_iter().map(|(_, text)| text).collect();
        assert_eq!((texts, error), (parts, None), "{text}");
    }
}

#[test]
fn errors_are_where_nothing_fits_any_more() {
    for (text, offset) in [
        ("#", 0),
        ("é", 0),
        ("\0", 0),
        ("a_é", 2),
        ("_a", 0),
        ("!", 1),
        ("1e", 2),
        ("1e+x", 3),
        ("1.5e", 4),
        ("1a", 2),
        ("1n", 2),
        ("1d2", 3),
        ("1d2h3", 5),
        ("-id", 2),
        ("-nx", 2),
        ("-Px", 2),
        ("12345678-1", 10),
        ("c0ffee00-", 9),
        ("P0001-01", 8),
        ("'a''", 4),
        ("\"\"\"", 3),
        ("$a", 1),
        ("$$ab", 3),
        ("$$a$", 4),
        ("-- a", 4),
        ("/* a", 4),
    ] {
        assert_eq!(lex(text).1, Some(offset), "{text}");
    }
}
