//! The texts of letters: a kind and fields in, a letter out. What they say stands in a file for each
//! language.
//!
//! Fields come from people, so they are values and never text that is read again: `{name}` in a
//! field stays `{name}`, a field is one line, and secrets stand in links alone.
//!
//! | Kind | Fields |
//! |---|---|
//! | `verify_email` | `name`, `token` |
//! | `reset_password` | `name`, `token` |
//! | `change_address` | `name`, `token` |
//! | `address_asked` | `name` |
//! | `address_in_use` | `name` |
//! | `digest` | `name`, `count`, `news` (lines of a kind, a title and a detail), `more` (if there are) |
//! | `open_cases` | `name`, `count`, `cases` (lines of a kind and a number) |
//! | `salary` | `name`, `votes`, `balance` |
//!
//! What stands in one line is parted by tabs.

mod english;
mod german;

use std::collections::BTreeMap;

use uuid::Uuid;

use crate::letter::{BadLetter, Letter, NewLetter, is_one_line};

/// How long a field of one line may be, in characters.
const MOST_FIELD_CHARACTERS: usize = 200;
/// How many lines a field of lines may have.
const MOST_FIELD_LINES: usize = 100;
/// How long a secret in a link may be, in bytes.
const MOST_TOKEN_BYTES: usize = 200;

/// The text of one kind of letter. `{link}` is the base address with the path and the token.
struct Template {
    kind: &'static str,
    subject: &'static str,
    path: &'static str,
    text: &'static str,
}

/// Everything that letters say in a language.
struct Words {
    templates: [Template; 8],
    /// What happened, by its kind.
    happening: fn(&str) -> Option<&'static str>,
    /// What cases are about, by their kind.
    case: fn(&str) -> Option<&'static str>,
    /// That there is more of the same.
    more: fn(&str) -> String,
}

/// The language of letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// German.
    German,
}

impl Language {
    /// Every language with its code.
    pub const CODES: [(Self, &'static str); 2] = [(Self::English, "en"), (Self::German, "de")];

    /// The language of a code.
    #[must_use]
    pub fn of_code(code: &str) -> Option<Self> {
        let found = Self::CODES.iter().find(|(_, it)| *it == code);
        found.map(|(language, _)| *language)
    }

    fn words(self) -> &'static Words {
        match self {
            Self::English => &english::WORDS,
            Self::German => &german::WORDS,
        }
    }
}

/// Makes letters for one site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    site: String,
    base: String,
    language: Language,
}

/// Why there is no letter for a mail. It never will be: the mail failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoLetter {
    /// Nobody wrote a text of this kind.
    #[error("there is no text of the kind {0:?}")]
    Kind(String),
    /// A field that the text needs is missing, or is not what it should be.
    #[error("the field {0} is missing or wrong")]
    Field(String),
    /// The site has no name, or its address is none.
    #[error("the name or the address of the site is wrong")]
    Site,
    /// What came out is no letter.
    #[error(transparent)]
    Letter(#[from] BadLetter),
}

impl Texts {
    /// The texts for a site: its name, and the address that links begin with, such as
    /// `https://votes.example.org`.
    ///
    /// # Errors
    /// If either is not one.
    pub fn new(site: &str, base: &str) -> Result<Self, NoLetter> {
        let rest = base
            .strip_prefix("https://")
            .or_else(|| base.strip_prefix("http://"));
        let is_usual = |it: char| it.is_ascii_alphanumeric() || "-._~:/[]%".contains(it);
        let is_base = rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_usual));
        let is_name = !site.trim().is_empty() && is_one_line(site) && site.chars().count() <= 100;
        if !is_base || !is_name {
            return Err(NoLetter::Site);
        }
        Ok(Self {
            site: site.to_owned(),
            base: base.trim_end_matches('/').to_owned(),
            language: Language::default(),
        })
    }

    /// The same in a language.
    #[must_use]
    pub fn in_language(self, language: Language) -> Self {
        Self { language, ..self }
    }

    /// The letter of a mail.
    ///
    /// # Errors
    /// If there is no such text, a field is missing, or the address is none.
    pub fn letter(
        &self,
        kind: &str,
        fields: &BTreeMap<String, String>,
        to: &str,
        id: Uuid,
        created_micros: i64,
    ) -> Result<Letter, NoLetter> {
        let words = self.language.words();
        let template = words.templates.iter().find(|it| it.kind == kind);
        let template = template.ok_or_else(|| NoLetter::Kind(kind.to_owned()))?;
        let path = filled(template.path, |name| match name {
            "token" => token(fields.get(name)?),
            _ => None,
        })?;
        let value = |name: &str| match name {
            "site" => Some(self.site.clone()),
            "link" => Some(format!("{}{path}", self.base)),
            // A secret stands in its link, and nowhere else.
            "token" => None,
            "news" => news(words, fields),
            "cases" => fields.get(name).map(|text| {
                lines(text, |kind, count, _| {
                    format!("{}: {count}", (words.case)(kind).unwrap_or(kind))
                })
            }),
            _ => fields.get(name).map(|text| line(text)),
        };
        let letter = Letter::new(NewLetter {
            id,
            to: to.to_owned(),
            subject: filled(template.subject, value)?,
            text: filled(template.text, value)?,
            html: None,
            created_micros,
        })?;
        Ok(letter)
    }
}

/// A text with its places filled, from left to right and each once: values are not read again.
fn filled(text: &str, value: impl Fn(&str) -> Option<String>) -> Result<String, NoLetter> {
    let mut filled = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').unwrap_or((after, ""));
        let value = value(name).ok_or_else(|| NoLetter::Field(name.to_owned()))?;
        filled.push_str(before);
        filled.push_str(&value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A value as one line, without what changes how the rest is read.
fn line(text: &str) -> String {
    let is_shown = |it: &char| {
        let is_turn = matches!(
            u32::from(*it),
            0x200E | 0x200F | 0x2028..=0x202E | 0x2066..=0x2069
        );
        !it.is_control() && !is_turn
    };
    text.chars()
        .filter(is_shown)
        .take(MOST_FIELD_CHARACTERS)
        .collect()
}

/// What happened, a line each, and how much more did.
fn news(words: &Words, fields: &BTreeMap<String, String>) -> Option<String> {
    let mut told = lines(fields.get("news")?, |kind, title, detail| {
        let what = (words.happening)(kind).unwrap_or(kind);
        let told = match title {
            "" => what.to_owned(),
            title => format!("{title}: {what}"),
        };
        match detail {
            "" => told,
            detail => format!("{told} ({detail})"),
        }
    });
    if let Some(count) = fields.get("more") {
        told = format!("{told}\n{}", (words.more)(&line(count)));
    }
    Some(told)
}

/// A value of several lines, of up to three parts each.
fn lines(text: &str, told: impl Fn(&str, &str, &str) -> String) -> String {
    let lines = text.lines().take(MOST_FIELD_LINES).map(|text| {
        let mut parts = text.splitn(3, '\t').map(line);
        let mut part = || parts.next().unwrap_or_default();
        let (first, second, third) = (part(), part(), part());
        told(&first, &second, &third)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A secret that may stand in a link as it is.
fn token(text: &str) -> Option<String> {
    let is_usual = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    let is_token = !text.is_empty() && text.len() <= MOST_TOKEN_BYTES && text.chars().all(is_usual);
    is_token.then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts() -> Texts {
        Texts::new("Agora", "https://votes.example.org/").unwrap()
    }

    fn fields(fields: &[(&str, &str)]) -> BTreeMap<String, String> {
        let fields = fields.iter();
        fields
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    fn letter(kind: &str, values: &[(&str, &str)]) -> Result<Letter, NoLetter> {
        let id = Uuid::from_u128(1);
        texts().letter(kind, &fields(values), "ada@example.org", id, 0)
    }

    #[test]
    fn every_kind_has_a_letter_with_its_link() {
        let all = [
            ("name", "Ada"),
            ("token", "00ff"),
            ("count", "3"),
            ("news", "edited\tTrees\ttypos\nrole_changed\t\t"),
            ("more", "5"),
            ("votes", "100"),
            ("balance", "250"),
            ("cases", "comment\t3"),
        ];
        for (language, _) in Language::CODES {
            let (texts, words) = (texts().in_language(language), language.words());
            for (template, other) in words.templates.iter().zip(&english::WORDS.templates) {
                assert_eq!((template.kind, template.path), (other.kind, other.path));
                let id = Uuid::from_u128(1);
                let letter = texts.letter(template.kind, &fields(&all), "ada@example.org", id, 0);
                let letter = letter.unwrap();
                assert!(letter.text().contains("https://votes.example.org/"));
                assert!(letter.text().contains(" Ada,\n\n"));
                assert!(letter.subject().contains("Agora"));
                assert!(!letter.text().contains(['{', '}']), "{}", letter.text());
                assert!(language == Language::English || template.text != other.text);
            }
        }
        let digest = letter("digest", &all).unwrap();
        let told = "Trees: its text was changed (typos)\nyour role was changed\nand 5 more\n";
        assert!(digest.text().contains(told), "{}", digest.text());
        let cases = letter("open_cases", &all).unwrap();
        assert!(cases.text().contains("\ncomments: 3\n"), "{}", cases.text());
        let letter = letter("verify_email", &all).unwrap();
        let link = "\n\nhttps://votes.example.org/verify-email?token=00ff\n\n";
        assert!(letter.text().contains(link));
    }

    #[test]
    fn fields_are_values_and_one_line() {
        let name = "{token}{link}\r\nhttps://evil.example\u{202e}";
        let reset = letter("reset_password", &[("name", name), ("token", "00ff")]).unwrap();
        let first = reset.text().lines().next().unwrap();
        assert_eq!(first, "Hello {token}{link}https://evil.example,");
        let long = "x".repeat(100_000);
        let values = [("name", &*long), ("count", &long), ("cases", &long)];
        let cases = letter("open_cases", &values);
        assert!(cases.unwrap().text().len() < 1_000);
    }

    #[test]
    fn what_is_missing_or_wrong_is_said() {
        let kind = |it: &str| Err(NoLetter::Kind(it.to_owned()));
        let field = |it: &str| Err(NoLetter::Field(it.to_owned()));
        assert_eq!(letter("", &[]), kind(""));
        assert_eq!(letter("no_such", &[]), kind("no_such"));
        assert_eq!(letter("verify_email", &[("name", "a")]), field("token"));
        assert_eq!(letter("verify_email", &[("token", "a")]), field("name"));
        for bad in ["", "a b", "a&b=c", "../x", "a\r\nb", "é", &"a".repeat(999)] {
            let refused = letter("verify_email", &[("name", "a"), ("token", bad)]);
            assert_eq!(refused, field("token"), "{bad:?}");
        }
        let none = BTreeMap::new();
        let cases = fields(&[("name", "a"), ("count", "1"), ("cases", "tag\t1")]);
        let refused = texts().letter("open_cases", &cases, "a\r\nb@c.org", Uuid::nil(), 0);
        assert_eq!(refused, Err(NoLetter::Letter(BadLetter::Address)));
        assert!(
            texts()
                .letter("digest", &none, "a@b.org", Uuid::nil(), 0)
                .is_err()
        );
    }

    #[test]
    fn a_site_has_a_name_and_an_address() {
        for (site, base) in [
            ("", "https://a.org"),
            ("A\r\nB", "https://a.org"),
            ("A", "a.org"),
            ("A", "https://"),
            ("A", "https://a.org/\n"),
            ("A", "https://a.org/?x=1"),
            ("A", "javascript:alert(1)"),
            ("A", "https://user@a.org"),
        ] {
            assert_eq!(Texts::new(site, base), Err(NoLetter::Site), "{site} {base}");
        }
        assert!(Texts::new("A", "http://[::1]:8080/votes").is_ok());
    }

    proptest! {
        #[test]
        fn no_field_breaks_a_letter(name in ".{0,60}", count in ".{0,20}") {
            let values = [("name", &*name), ("count", &count), ("cases", "comment\t1")];
            let letter = letter("open_cases", &values).unwrap();
            prop_assert!(!letter.subject().contains(['\r', '\n']));
            let text = letter.text();
            prop_assert_eq!(text.lines().count(), 7);
        }
    }
}
