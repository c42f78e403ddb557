//! The words of a command of the shell: bare, quoted names, strings and signs.

use anyhow::bail;

/// A word of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Word {
    /// Letters, digits and underscores, as they were typed.
    Bare(String),
    /// `"Name"`, without its quotes.
    Name(String),
    /// `'text'`, without its quotes.
    Text(String),
    /// Anything else.
    Sign(char),
}

impl Word {
    /// Whether it is this keyword, in any case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Bare(word) if word.eq_ignore_ascii_case(keyword))
    }
}

/// The words of a text.
///
/// # Errors
/// When quotes are not closed.
pub(super) fn words(text: &str) -> anyhow::Result<Vec<Word>> {
    let mut words = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word;
        (word, rest) = match first {
            '\'' | '"' => {
                let Some((inner, after)) = quoted(rest, first) else {
                    bail!("a quote is not closed: {rest}");
                };
                let word = match first {
                    '"' => Word::Name(inner),
                    _ => Word::Text(inner),
                };
                (word, after)
            }
            letter if is_letter(letter) => {
                let end = rest.find(|it: char| !is_letter(it)).unwrap_or(rest.len());
                let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                (Word::Bare(word.to_owned()), after)
            }
            sign => (Word::Sign(sign), rest.strip_prefix(sign).unwrap_or("")),
        };
        words.push(word);
        rest = rest.trim_start();
    }
    Ok(words)
}

fn is_letter(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The inside of the quotes that a text begins with, and what follows them. A doubled quote is one
/// quote.
fn quoted(text: &str, quote: char) -> Option<(String, &str)> {
    let mut inner = String::new();
    let mut rest = text.strip_prefix(quote)?;
    loop {
        let (part, after) = rest.split_once(quote)?;
        inner.push_str(part);
        match after.strip_prefix(quote) {
            Some(after) => {
                inner.push(quote);
                rest = after;
            }
            None => return Some((inner, after)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart() {
        assert_eq!(
            words("COPY \"K\".t2(a) TO 'it''s'").unwrap(),
            [
                Word::Bare("COPY".to_owned()),
                Word::Name("K".to_owned()),
                Word::Sign('.'),
                Word::Bare("t2".to_owned()),
                Word::Sign('('),
                Word::Bare("a".to_owned()),
                Word::Sign(')'),
                Word::Bare("TO".to_owned()),
                Word::Text("it's".to_owned()),
            ]
        );
        assert!(words("SOURCE 'x").is_err());
        assert!(words("").unwrap().is_empty());
    }
}
