//! Names of users and e-mail addresses: which there may be, and when two are the same.
//!
//! A name is claimed by its key. Two names that people cannot tell apart have one key: normal form
//! NFKC, case folded, and every character replaced by the one that it looks like (Unicode's table
//! of confusables), Latin first. `i`, `l` and `1` are one character there, and so are `o` and `0`.
//!
//! Invariants:
//! 1. The key of a key is itself.
//! 2. What is too long is refused before any work is done on it.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::skeleton;

use crate::model::AccountRefusal;

/// Characters that a name has at least.
pub const SHORTEST_NAME: usize = 3;
/// Characters that a name has at most.
pub const LONGEST_NAME: usize = 30;
/// Bytes of a text that is looked at as a name at all.
const MOST_NAME_BYTES: usize = 512;
/// Bytes that an address has at most, by RFC 5321.
const MOST_EMAIL_BYTES: usize = 254;
/// Bytes before the `@` at most.
const MOST_LOCAL_BYTES: usize = 64;
/// How often folding is repeated until it changes nothing. Three times is the most ever seen.
const FOLDS: usize = 8;

/// A name that somebody may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As it is shown.
    pub shown: String,
    /// As it is claimed.
    pub key: String,
}

/// An e-mail address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Email {
    /// As mail is sent to it.
    pub shown: String,
    /// The same for all ways of writing it.
    pub key: String,
}

/// Names that nobody may have, nor one that looks like them.
const RESERVED: [&str; 29] = [
    "about",
    "account",
    "admin",
    "administrator",
    "anonymous",
    "api",
    "deleted",
    "everyone",
    "help",
    "helpdesk",
    "info",
    "login",
    "mail",
    "mod",
    "moderation",
    "moderator",
    "nobody",
    "noreply",
    "no-reply",
    "official",
    "postmaster",
    "root",
    "security",
    "staff",
    "stoa",
    "support",
    "system",
    "team",
    "webmaster",
];

/// Domains whose addresses anybody has for ten minutes. A signal, no reason to refuse.
const DISPOSABLE: [&str; 16] = [
    "10minutemail.com",
    "discard.email",
    "dispostable.com",
    "fakeinbox.com",
    "getnada.com",
    "guerrillamail.com",
    "mailcatch.com",
    "maildrop.cc",
    "mailinator.com",
    "mintemail.com",
    "sharklasers.com",
    "temp-mail.org",
    "tempmail.com",
    "throwawaymail.com",
    "trashmail.com",
    "yopmail.com",
];

impl Name {
    /// The name of a text.
    ///
    /// # Errors
    /// Why nobody may have it.
    pub fn of(text: &str) -> Result<Self, AccountRefusal> {
        if text.len() > MOST_NAME_BYTES {
            return Err(AccountRefusal::NameTooLong);
        }
        let shown: String = text.nfkc().collect();
        let is_good = |character: char| {
            (character.is_alphanumeric() || is_combining_mark(character) || is_sign(character))
                && !is_invisible(character)
        };
        if !shown.chars().all(is_good) || shown.chars().next().is_some_and(is_combining_mark) {
            return Err(AccountRefusal::NameBadCharacter);
        }
        match shown.chars().count() {
            ..SHORTEST_NAME => return Err(AccountRefusal::NameTooShort),
            SHORTEST_NAME..=LONGEST_NAME => {}
            _ => return Err(AccountRefusal::NameTooLong),
        }
        if shown.chars().all(is_sign) {
            return Err(AccountRefusal::NameBadCharacter);
        }
        let key = name_key(&shown);
        match RESERVED_KEYS.contains(&key) {
            true => Err(AccountRefusal::NameReserved),
            false => Ok(Self { shown, key }),
        }
    }
}

static RESERVED_KEYS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| RESERVED.iter().map(|name| name_key(name)).collect());

impl Email {
    /// The address of a text.
    ///
    /// # Errors
    /// That it is none.
    pub fn of(text: &str) -> Result<Self, AccountRefusal> {
        let invalid = AccountRefusal::EmailInvalid;
        if text.len() > 2 * MOST_EMAIL_BYTES {
            return Err(invalid);
        }
        let shown = text.trim();
        let key = until_stable(shown, folded_case);
        let is_good = |text: &str| {
            let parts = text.split_once('@');
            text.len() <= MOST_EMAIL_BYTES
                && parts.is_some_and(|(local, domain)| is_local(local) && is_domain(domain))
        };
        // What is shown is where mail goes, so it must be an address too.
        match is_good(shown) && is_good(&key) {
            true => Ok(Self {
                shown: shown.to_owned(),
                key,
            }),
            false => Err(invalid),
        }
    }

    /// Whether it is of a domain whose addresses anybody has for ten minutes.
    #[must_use]
    pub fn is_disposable(&self) -> bool {
        DISPOSABLE.contains(&self.domain())
    }

    /// Its domain.
    #[must_use]
    pub fn domain(&self) -> &str {
        self.key.split_once('@').map_or("", |(_, domain)| domain)
    }
}

/// Whether two names are one: the same letters, whatever their case and their normal form. Others
/// may still look alike.
#[must_use]
pub fn is_same_name(one: &str, other: &str) -> bool {
    until_stable(one, folded_case) == until_stable(other, folded_case)
}

/// What two names that look alike have in common.
#[must_use]
pub fn name_key(name: &str) -> String {
    until_stable(name, |text| {
        let folded = folded_case(text);
        let apart: String = folded.nfd().collect();
        let alike = apart.chars().flat_map(look_alike);
        alike.collect::<String>().nfkc().collect()
    })
}

pub(super) fn until_stable(text: &str, pass: impl Fn(&str) -> String) -> String {
    let mut text = text.to_owned();
    for _ in 0..FOLDS {
        let next = pass(&text);
        if next == text {
            break;
        }
        text = next;
    }
    text
}

/// NFKC without upper case. Upper case comes first, because it spells out what one letter stands
/// for: the sharp s is two letters.
pub(super) fn folded_case(text: &str) -> String {
    let normal = text.nfkc();
    let upper = normal.flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).nfkc().collect()
}

/// What a character looks like: plain Latin if its small or its capital letter does, as of the
/// Cyrillic ones of "ВС".
fn look_alike(character: char) -> Vec<char> {
    let small = character.to_string();
    let capital: String = character.to_uppercase().collect();
    let like = |text: &str| -> Vec<char> { skeleton(text).collect() };
    let (as_small, as_capital) = (like(&small), like(&capital));
    let is_plain = |characters: &[char]| {
        !characters.is_empty() && characters.iter().all(char::is_ascii_alphanumeric)
    };
    let chosen = match !is_plain(&as_small) && is_plain(&as_capital) {
        true => as_capital,
        false => as_small,
    };
    let folded = chosen.into_iter().flat_map(char::to_lowercase);
    folded
        .map(|character| match character {
            'i' | 'ı' | '1' => 'l',
            '0' => 'o',
            other => other,
        })
        .collect()
}

fn is_sign(character: char) -> bool {
    matches!(character, '-' | '_' | '.')
}

/// Letters and marks that show nothing.
pub(super) fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

fn is_local(local: &str) -> bool {
    let is_good =
        |character: char| character.is_alphanumeric() || "!#$%&'*+-/=?^_`{|}~.".contains(character);
    (1..=MOST_LOCAL_BYTES).contains(&local.len())
        && local.chars().all(is_good)
        && local.split('.').all(|part| !part.is_empty())
}

fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.chars().all(|it| it.is_alphanumeric() || it == '-')
    };
    domain.contains('.') && domain.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code(text: &str) -> &'static str {
        Name::of(text).map_or_else(AccountRefusal::code, |_| "fine")
    }

    fn email_key(text: &str) -> Result<String, AccountRefusal> {
        Email::of(text).map(|email| email.key)
    }

    #[test]
    fn names_that_look_alike_have_one_key() {
        for (one, other) in [
            ("Alice", "aLICE"),
            ("alice", "a1ice"),
            ("alice", "allce"),
            ("bob", "b0b"),
            ("paypal", "раураl"),
            ("roxana", "rοxαnα"),
            ("nova", "noνa"),
            ("stella", "ｓｔｅｌｌａ"),
            ("BBC", "ВВС"),
            ("Вася", "вася"),
            ("straße", "STRASSE"),
            ("modern", "modem"),
            ("cafe\u{301}", "café"),
        ] {
            assert_eq!(name_key(one), name_key(other), "{one} {other}");
        }
        for (one, other) in [("anna", "hanna"), ("ben", "bén"), ("a-b", "a_b")] {
            assert_ne!(name_key(one), name_key(other), "{one} {other}");
        }
    }

    #[test]
    fn names_are_the_same_whatever_their_case_and_not_if_they_only_look_alike() {
        for (one, other) in [
            ("Alice", "aLICE"),
            ("straße", "STRASSE"),
            ("cafe\u{301}", "café"),
            ("stella", "ｓｔｅｌｌａ"),
        ] {
            assert!(is_same_name(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("alice", "a1ice"),
            ("paypal", "раураl"),
            ("modern", "modem"),
        ] {
            assert!(!is_same_name(one, other), "{one} {other}");
            assert_eq!(name_key(one), name_key(other), "{one} {other}");
        }
    }

    #[test]
    fn every_refused_name_says_why() {
        assert_eq!(code("ab"), "name_too_short");
        assert_eq!(code(""), "name_too_short");
        assert_eq!(code(&"a".repeat(31)), "name_too_long");
        assert_eq!(code(&"a".repeat(100_000)), "name_too_long");
        assert_eq!(code(&"a".repeat(30)), "fine");
        for bad in [
            "two words",
            "a\u{202e}bc",
            "a\u{0}bc",
            "a\u{200b}bc",
            "---",
            "a/bc",
            "ab\u{3164}",
        ] {
            assert_eq!(code(bad), "name_bad_character", "{bad:?}");
        }
        for reserved in ["admin", "ADMIN", "аdmin", "adm1n", "St0a", "m0derator"] {
            assert_eq!(code(reserved), "name_reserved", "{reserved}");
        }
        for fine in ["ada", "Jean-Luc", "x.y_z", "Зоя", "李小龍", "नेहा"] {
            assert_eq!(code(fine), "fine", "{fine}");
        }
    }

    #[test]
    fn addresses_are_the_same_whatever_their_case() {
        let key = email_key(" Ada.Lovelace+x@Example.ORG ").unwrap();
        assert_eq!(key, "ada.lovelace+x@example.org");
        for bad in [
            "",
            "ada",
            "@",
            "a@",
            "@b.c",
            "a@b",
            "a@b@c.d",
            "a b@c.d",
            ".a@b.c",
            "a..b@c.d",
            "a@-b.c",
            "a@b..c",
            "a@b.c\u{0}",
            "a＠b.c",
            "a\n@b.c",
        ] {
            assert_eq!(email_key(bad), Err(AccountRefusal::EmailInvalid), "{bad:?}");
        }
        assert!(email_key(&"a".repeat(100_000)).is_err());
        assert!(email_key(&format!("{}@b.c", "a".repeat(65))).is_err());
        assert!(Email::of("x@MAILINATOR.com").unwrap().is_disposable());
        assert!(!Email::of("x@example.org").unwrap().is_disposable());
    }

    proptest! {
        #[test]
        fn the_key_of_a_key_is_itself(text in "\\PC{0,12}") {
            let key = name_key(&text);
            prop_assert_eq!(name_key(&key), key);
            if let Ok(key) = email_key(&text) {
                prop_assert_eq!(email_key(&key), Ok(key));
            }
        }

        #[test]
        fn case_makes_no_difference(text in "[a-zA-Zа-яА-Яα-ωß0-9]{3,12}") {
            let key = name_key(&text);
            prop_assert_eq!(name_key(&text.to_uppercase()), name_key(&text.to_lowercase()));
            prop_assert_eq!(name_key(&text.to_uppercase()), key);
        }

        #[test]
        fn any_text_has_an_answer(text in any::<String>()) {
            let _ = Name::of(&text);
            let _ = Email::of(&text);
        }
    }

    #[test]
    fn every_character_has_a_stable_key() {
        for character in '\u{0}'..=char::MAX {
            let key = name_key(&character.to_string());
            assert_eq!(name_key(&key), key, "{character:?}");
        }
    }
}
