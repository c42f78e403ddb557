//! Terms as the names of columns show them: with quotes inside of texts as they are.

use stoa_cql::ast;

/// The text of a term, without doubled quotes.
pub(super) fn plain(term: &ast::Term) -> String {
    let text = term.to_string();
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        out.push(character);
        if character != '\'' {
            continue;
        }
        match is_inside && characters.peek() == Some(&'\'') {
            true => {
                let _ = characters.next();
            }
            false => is_inside = !is_inside,
        }
    }
    out
}
