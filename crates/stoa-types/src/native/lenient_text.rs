//! Which bytes Cassandra takes for text (`UTF8Serializer.UTF8Validator`).
//!
//! That is more than UTF-8: surrogates, numbers up to U+1FFFFF and Java's two bytes for zero pass;
//! and after the first bytes `E0` and `F0`, which must not begin an overlong form, the second byte
//! is checked for nothing else.

/// What must come next.
#[derive(Debug, Clone, Copy)]
enum Next {
    /// A first byte.
    First,
    /// The second byte of Java's zero.
    OfZero,
    /// The second byte after `E0`.
    OfShortThree,
    /// The second byte after `F0`.
    OfShortFour,
    /// This many bytes from `80` to `BF`.
    More(u8),
}

impl Next {
    /// What must come after this byte; `None` if the byte cannot be here.
    fn after(self, byte: u8) -> Option<Self> {
        match (self, byte) {
            (Self::First, 0..0x80) | (Self::OfZero, 0x80) => Some(Self::First),
            (Self::First, 0xC0) => Some(Self::OfZero),
            (Self::First, 0xC2..0xE0) => Some(Self::More(1)),
            (Self::First, 0xE0) => Some(Self::OfShortThree),
            (Self::First, 0xE1..0xF0) => Some(Self::More(2)),
            (Self::First, 0xF0) => Some(Self::OfShortFour),
            (Self::First, 0xF1..0xF8) => Some(Self::More(3)),
            (Self::OfShortThree, _) if byte & 0xE0 != 0x80 => Some(Self::More(1)),
            (Self::OfShortFour, _) if byte & 0x30 != 0 => Some(Self::More(2)),
            (Self::More(1), 0x80..0xC0) => Some(Self::First),
            (Self::More(left), 0x80..0xC0) => Some(Self::More(left.saturating_sub(1))),
            _ => None,
        }
    }
}

/// Where the first byte is that Cassandra refuses; the length if the last character is cut short.
/// `None` if it takes them all.
pub(super) fn first_wrong(bytes: &[u8]) -> Option<usize> {
    let mut next = Next::First;
    for (offset, &byte) in bytes.iter().enumerate() {
        match next.after(byte) {
            Some(after) => next = after,
            None => return Some(offset),
        }
    }
    (!matches!(next, Next::First)).then_some(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_utf8_passes() {
        for character in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let bytes = character.encode_utf8(&mut buffer).as_bytes();
            assert_eq!(first_wrong(bytes), None, "{character:?}");
        }
    }

    #[test]
    fn surrogates_pass_and_overlong_forms_do_not() {
        for (bytes, wrong) in [
            (&[0xED, 0xA0, 0x80][..], None),
            (&[0xC0, 0x80], None),
            (&[0xF4, 0x90, 0x80, 0x80], None),
            (&[0xF7, 0xBF, 0xBF, 0xBF], None),
            (&[0xE0, b'a', 0x80], None),
            (&[0xC0, 0x81], Some(1)),
            (&[0xC1, 0xBF], Some(0)),
            (&[0xE0, 0x80, 0x80], Some(1)),
            (&[0xF0, 0x80, 0x80, 0x80], Some(1)),
            (&[0xF8], Some(0)),
            (&[b'a', 0xFF], Some(1)),
            (&[b'a', 0x80], Some(1)),
            (&[0xC3], Some(1)),
            (&[0xE1, 0x80], Some(2)),
        ] {
            assert_eq!(first_wrong(bytes), wrong, "{bytes:02x?}");
        }
    }
}
