//! Bytes as short text for people who read a failure.

/// Bytes as they are when printable, else as hexadecimal; long ones by their two ends, their
/// length and a digest, so that two that differ inside look different.
pub(crate) fn bytes_text(bytes: &[u8]) -> String {
    const LONGEST: usize = 24;
    if bytes.len() > LONGEST {
        let tail = bytes.len().saturating_sub(4);
        let head: String = hex(bytes.iter().take(8));
        let tail: String = hex(bytes.iter().skip(tail));
        return format!(
            "0x{head}..{tail}({} bytes #{:08x})",
            bytes.len(),
            fnv1a(bytes)
        );
    }
    if bytes.iter().all(u8::is_ascii_graphic) {
        return format!("'{}'", String::from_utf8_lossy(bytes));
    }
    format!("0x{}", hex(bytes.iter()))
}

fn hex<'bytes>(bytes: impl Iterator<Item = &'bytes u8>) -> String {
    bytes.map(|byte| format!("{byte:02x}")).collect()
}

/// The 32-bit FNV-1a hash: short and good enough to tell values apart by eye.
fn fnv1a(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_short_and_unambiguous() {
        assert_eq!(bytes_text(b""), "''");
        assert_eq!(bytes_text(b"ab"), "'ab'");
        assert_eq!(bytes_text(&[0, 255]), "0x00ff");
        let long = bytes_text(&[7; 5000]);
        assert!(
            long.starts_with("0x0707070707070707..07070707(5000 bytes #"),
            "{long}"
        );
        let mut other = [7; 5000];
        other[2500] = 8;
        assert_ne!(bytes_text(&other), long);
        assert_eq!(fnv1a(b"foobar"), 0xbf9c_f968);
    }
}
