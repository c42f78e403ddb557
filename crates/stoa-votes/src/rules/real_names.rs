//! Names in the world: nearly anything is one, as long as it is one line that people can read.

use unicode_normalization::UnicodeNormalization;

use crate::model::AccountRefusal;

/// Characters of a first or last name at most.
const MOST_CHARACTERS: usize = 100;

/// A first or last name as it is kept: in one form, without space around it; empty if there is none.
///
/// # Errors
/// If it is too long, or has characters that change how the rest is read.
pub fn real_name_part(text: &str) -> Result<String, AccountRefusal> {
    // What is far too long is not looked at any closer.
    if text.len() > MOST_CHARACTERS * 16 {
        return Err(AccountRefusal::RealNameTooLong);
    }
    let part: String = text.trim().nfc().collect();
    if part.chars().count() > MOST_CHARACTERS {
        return Err(AccountRefusal::RealNameTooLong);
    }
    match part.chars().any(is_unreadable) {
        true => Err(AccountRefusal::RealNameBadCharacter),
        false => Ok(part),
    }
}

/// Line breaks, controls, and marks that turn the direction of reading.
fn is_unreadable(it: char) -> bool {
    it.is_control()
        || matches!(
            it,
            '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_readable_line_in_one_form() {
        assert_eq!(real_name_part("  Zoe\u{308} "), Ok("Zo\u{eb}".to_owned()));
        assert_eq!(real_name_part(""), Ok(String::new()));
        assert_eq!(
            real_name_part("O'Neil de la Cruz"),
            Ok("O'Neil de la Cruz".to_owned())
        );
        for bad in ["a\nb", "a\u{202e}b", "a\u{0}b", "a\u{2028}b"] {
            let refused = Err(AccountRefusal::RealNameBadCharacter);
            assert_eq!(real_name_part(bad), refused, "{bad:?}");
        }
        assert!(real_name_part(&"x".repeat(100)).is_ok());
        for long in [101, 100_000] {
            let refused = Err(AccountRefusal::RealNameTooLong);
            assert_eq!(real_name_part(&"x".repeat(long)), refused);
        }
    }
}
