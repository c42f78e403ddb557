//! A letter: to one person, checked when it is made.
//!
//! Invariants of a [`Letter`]:
//! 1. The address is one address, and it and the subject are one line each, without control
//!    characters: nothing in them can become a header or a second recipient.
//! 2. Everything has a limit of length.

use lettre::Address;
use uuid::Uuid;

/// How long an address may be, in bytes, as SMTP has it.
const MOST_ADDRESS_BYTES: usize = 254;
/// How long a subject may be, in bytes.
const MOST_SUBJECT_BYTES: usize = 300;
/// How long a text may be, in bytes.
const MOST_TEXT_BYTES: usize = 1 << 20;

/// What a letter is made of.
#[derive(Clone, PartialEq, Eq)]
pub struct NewLetter {
    /// Its identifier. The same letter has the same, so that whoever gets it twice can tell.
    pub id: Uuid,
    /// The address it goes to.
    pub to: String,
    /// What it is about.
    pub subject: String,
    /// What it says, as plain text.
    pub text: String,
    /// The same as HTML.
    pub html: Option<String>,
    /// When it was written, in microseconds since 1970.
    pub created_micros: i64,
}

impl std::fmt::Debug for NewLetter {
    /// Without what it says and to whom: links in letters are secret, and this ends in logs.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Letter({})", self.id)
    }
}

/// A letter that can be sent.
#[derive(Clone, PartialEq, Eq)]
pub struct Letter {
    pub(crate) to: Address,
    pub(crate) parts: NewLetter,
}

impl std::fmt::Debug for Letter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.parts.fmt(f)
    }
}

/// Why something is no letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadLetter {
    /// It is not one address.
    #[error("the address is not one")]
    Address,
    /// It has more than one line, or control characters.
    #[error("the subject has more than one line or is empty")]
    Subject,
    /// Something is too long.
    #[error("the letter is too long")]
    TooLong,
    /// It has characters that no text has.
    #[error("the text has control characters")]
    Text,
}

impl Letter {
    /// A letter.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn new(parts: NewLetter) -> Result<Self, BadLetter> {
        let to = address(&parts.to)?;
        if parts.subject.len() > MOST_SUBJECT_BYTES {
            return Err(BadLetter::TooLong);
        }
        if parts.subject.trim().is_empty() || !is_one_line(&parts.subject) {
            return Err(BadLetter::Subject);
        }
        for text in [Some(&parts.text), parts.html.as_ref()]
            .into_iter()
            .flatten()
        {
            if text.len() > MOST_TEXT_BYTES {
                return Err(BadLetter::TooLong);
            }
            let is_odd = |it: char| it.is_control() && !matches!(it, '\n' | '\t');
            if text.contains(is_odd) {
                return Err(BadLetter::Text);
            }
        }
        Ok(Self { to, parts })
    }

    /// Its identifier.
    #[must_use]
    pub fn id(&self) -> Uuid {
        self.parts.id
    }

    /// What it is about.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.parts.subject
    }

    /// What it says, as plain text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.parts.text
    }
}

/// One address, without a name.
pub(crate) fn address(text: &str) -> Result<Address, BadLetter> {
    if text.len() > MOST_ADDRESS_BYTES {
        return Err(BadLetter::TooLong);
    }
    // Quoted local parts are legal, rare, and where spaces and brackets would get in.
    let is_odd = |it: char| it.is_whitespace() || "\"<>()[],;:\\".contains(it);
    if !is_one_line(text) || text.contains(is_odd) {
        return Err(BadLetter::Address);
    }
    text.parse().map_err(|_| BadLetter::Address)
}

/// Without anything that ends a line, whatever reads it, and without other control characters.
pub(crate) fn is_one_line(text: &str) -> bool {
    !text.contains(|it: char| it.is_control() || matches!(it, '\u{2028}' | '\u{2029}'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn new(to: &str, subject: &str) -> NewLetter {
        NewLetter {
            id: Uuid::from_u128(7),
            to: to.to_owned(),
            subject: subject.to_owned(),
            text: "Hello.".to_owned(),
            html: None,
            created_micros: 0,
        }
    }

    #[test]
    fn hostile_addresses_are_refused() {
        for to in [
            "",
            "ada",
            "ada@",
            "@example.org",
            "ada@example.org\r\nBcc: eve@example.org",
            "ada@example.org\n",
            "ada@example.org\0",
            "ada@example.org,eve@example.org",
            "ada@example.org eve@example.org",
            "<ada@example.org>",
            "Ada <ada@example.org>",
            "\"a b\"@example.org",
            "ada@example.org> SIZE=1",
            "ada@[127.0.0.1]",
            "ada@exa\u{2028}mple.org",
        ] {
            let refused = Letter::new(new(to, "Hello"));
            assert_eq!(refused, Err(BadLetter::Address), "{to:?}");
        }
        let long = format!("{}@example.org", "a".repeat(300));
        assert_eq!(Letter::new(new(&long, "Hello")), Err(BadLetter::TooLong));
        assert!(Letter::new(new("ada.l+votes@sub.example.org", "Hello")).is_ok());
    }

    #[test]
    fn hostile_subjects_and_texts_are_refused() {
        let to = "ada@example.org";
        for subject in [
            "",
            "  ",
            "a\r\nBcc: b",
            "a\nb",
            "a\rb",
            "a\0b",
            "a\u{85}b",
            "a\u{2029}b",
        ] {
            let refused = Letter::new(new(to, subject));
            assert_eq!(refused, Err(BadLetter::Subject), "{subject:?}");
        }
        let long = "a".repeat(MOST_SUBJECT_BYTES + 1);
        assert_eq!(Letter::new(new(to, &long)), Err(BadLetter::TooLong));
        let mut letter = new(to, "Hello");
        letter.text = "\0".to_owned();
        assert_eq!(Letter::new(letter.clone()), Err(BadLetter::Text));
        letter.text = "a".repeat(MOST_TEXT_BYTES + 1);
        assert_eq!(Letter::new(letter.clone()), Err(BadLetter::TooLong));
        letter.text = "Dear Ada,\n\n\t.\n".to_owned();
        letter.html = Some("\r".to_owned());
        assert_eq!(Letter::new(letter), Err(BadLetter::Text));
    }

    #[test]
    fn what_ends_in_logs_has_no_secret() {
        let letter = Letter::new(new("ada@example.org", "Hello")).unwrap();
        let told = format!("{letter:?} {:?}", letter.parts);
        assert!(!told.contains("Hello") && !told.contains("ada"), "{told}");
    }

    proptest! {
        #[test]
        fn what_is_accepted_is_one_line(to in ".{0,30}@.{0,20}", subject in ".{0,40}") {
            if let Ok(letter) = Letter::new(new(&to, &subject)) {
                prop_assert!(!letter.parts.to.contains(['\r', '\n', '\0', ' ', ',']));
                prop_assert!(!letter.subject().contains(['\r', '\n', '\0']));
            }
        }
    }
}
