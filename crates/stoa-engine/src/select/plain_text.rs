//! Terms as the names of columns show them: with quotes inside of texts as they are, and NULL.

use stoa_cql::ast;

/// The text of a term, without doubled quotes.
pub(super) fn plain(term: &ast::Term) -> String {
    let text = term.to_string();
    let mut out = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some((before, quoted)) = rest.split_once('\'') {
        out.push_str(&before.replace("null", "NULL"));
        let (inside, after) = inside_of(quoted);
        out.push('\'');
        out.push_str(&inside.replace("''", "'"));
        out.push('\'');
        rest = after;
    }
    out.push_str(&rest.replace("null", "NULL"));
    out
}

/// What stands before the quote that ends a text, and after it.
fn inside_of(quoted: &str) -> (&str, &str) {
    let mut from = 0;
    while let Some((end, _)) = quoted.match_indices('\'').find(|(at, _)| *at >= from) {
        let (inside, after) = quoted.split_at_checked(end).unwrap_or((quoted, ""));
        let after = after.strip_prefix('\'').unwrap_or(after);
        if !after.starts_with('\'') {
            return (inside, after);
        }
        from = end + 2;
    }
    (quoted, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_ends_where_its_quotes_are_not_doubled() {
        for (quoted, expected) in [
            ("a', b", ("a", ", b")),
            ("', b", ("", ", b")),
            ("it''s'", ("it''s", "")),
            ("''''')", ("''''", ")")),
        ] {
            assert_eq!(inside_of(quoted), expected, "{quoted}");
        }
    }
}
