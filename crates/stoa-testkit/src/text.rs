//! Bytes as short text for people who read a failure.

/// Bytes as they are when printable, else as hexadecimal; long ones by their two ends and
/// their length.
pub(crate) fn bytes_text(bytes: &[u8]) -> String {
    const LONGEST: usize = 24;
    if bytes.len() > LONGEST {
        let tail = bytes.len().saturating_sub(4);
        let head: String = hex(bytes.iter().take(8));
        let tail: String = hex(bytes.iter().skip(tail));
        return format!("0x{head}..{tail}({} bytes)", bytes.len());
    }
    if bytes.iter().all(u8::is_ascii_graphic) {
        return format!("'{}'", String::from_utf8_lossy(bytes));
    }
    format!("0x{}", hex(bytes.iter()))
}

fn hex<'bytes>(bytes: impl Iterator<Item = &'bytes u8>) -> String {
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_short_and_unambiguous() {
        assert_eq!(bytes_text(b""), "''");
        assert_eq!(bytes_text(b"ab"), "'ab'");
        assert_eq!(bytes_text(&[0, 255]), "0x00ff");
        assert_eq!(
            bytes_text(&[7; 5000]),
            "0x0707070707070707..07070707(5000 bytes)"
        );
    }
}
