//! The bare words of a statement's text: keywords and names, without what is quoted or commented.
//!
//! This is no parser. It answers only what must be known before a server has seen the text, and
//! where a text is broken it gives some words; the server then refuses the text.

/// The words of a text in order. Strings, quoted names, numbers and comments are left out.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut left = text;
    std::iter::from_fn(move || {
        loop {
            let first = left.chars().next()?;
            if is_in_word(first) {
                let (word, rest) = split_where(left, |c| !is_in_word(c));
                left = rest;
                if !first.is_ascii_digit() {
                    return Some(word);
                }
                continue;
            }
            left = after_other(left, first);
        }
    })
}

fn is_in_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Skips a string, a quoted name, a comment, or one character.
fn after_other(text: &str, first: char) -> &str {
    for (opening, closing) in [
        ("--", "\n"),
        ("//", "\n"),
        ("/*", "*/"),
        ("$$", "$$"),
        // A doubled quote inside is one string to CQL and two to us, which changes no word.
        ("'", "'"),
        ("\"", "\""),
    ] {
        if let Some(inside) = text.strip_prefix(opening) {
            return inside.split_once(closing).map_or("", |(_, rest)| rest);
        }
    }
    text.get(first.len_utf8()..).unwrap_or_default()
}

fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    let end = text.find(ends).unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or((text, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<&str> {
        words(text).collect()
    }

    #[test]
    fn what_is_quoted_or_commented_is_no_word() {
        assert_eq!(
            of("UPDATE \"if\".t /* if */ SET a = 'it''s if' -- if\n WHERE k=1 // if"),
            ["UPDATE", "t", "SET", "a", "WHERE", "k"]
        );
        assert_eq!(of("AS $$ return if; $$ if"), ["AS", "if"]);
    }

    #[test]
    fn broken_text_ends() {
        assert_eq!(of("SELECT 'open"), ["SELECT"]);
        assert_eq!(of("ü'"), Vec::<&str>::new());
        assert_eq!(of("/*"), Vec::<&str>::new());
        assert_eq!(of("7x y"), ["y"]);
    }
}
