//! Cassandra's variable-length integers, as `duration` values and vectors carry them.
//!
//! An unsigned number is written big endian in one to nine bytes. The first byte starts with as
//! many one-bits as there are bytes after it, then a zero-bit (unless all eight are ones), then
//! the topmost bits of the number:
//!
//! ```text
//! 0xxxxxxx                      0 .. 2^7
//! 10xxxxxx xxxxxxxx             2^7 .. 2^14
//! 11111110 7 bytes              2^49 .. 2^56
//! 11111111 8 bytes              2^56 .. 2^64
//! ```
//!
//! A signed number is mapped to an unsigned one first (zig-zag: 0, -1, 1, -2, ...).

/// Appends an unsigned number in its shortest form.
pub fn write_unsigned(value: u64, out: &mut Vec<u8>) {
    let bits = 64 - (value | 1).leading_zeros();
    let extra = bits.saturating_sub(1) / 7;
    if extra >= 8 {
        out.push(0xFF);
        out.extend_from_slice(&value.to_be_bytes());
        return;
    }
    let length_bits = !(0xFF_u64 >> extra) & 0xFF;
    let marked = value | (length_bits << (extra * 8));
    out.extend(marked.to_be_bytes().iter().skip(7 - extra as usize));
}

/// Appends a signed number in its shortest form.
pub fn write_signed(value: i64, out: &mut Vec<u8>) {
    write_unsigned(((value << 1) ^ (value >> 63)).cast_unsigned(), out);
}

/// Takes an unsigned number off the front of `input`, or `None` if it is cut short.
pub fn read_unsigned(input: &mut &[u8]) -> Option<u64> {
    let (&first, rest) = input.split_first()?;
    let extra = first.leading_ones() as usize;
    let (body, rest) = rest.split_at_checked(extra)?;
    let top_bits = u64::from(first) & (0xFF_u64 >> extra);
    let value = body
        .iter()
        .fold(top_bits, |value, &byte| (value << 8) | u64::from(byte));
    *input = rest;
    Some(value)
}

/// Takes a signed number off the front of `input`, or `None` if it is cut short.
pub fn read_signed(input: &mut &[u8]) -> Option<i64> {
    let value = read_unsigned(input)?;
    Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn known_forms() {
        for (value, bytes) in [
            (0_u64, vec![0x00]),
            (127, vec![0x7F]),
            (128, vec![0x80, 0x80]),
            (16_383, vec![0xBF, 0xFF]),
            (16_384, vec![0xC0, 0x40, 0x00]),
            (
                (1 << 56) - 1,
                vec![0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
            ),
            (1 << 56, vec![0xFF, 0x01, 0, 0, 0, 0, 0, 0, 0]),
            (u64::MAX, vec![0xFF; 9]),
        ] {
            let mut out = Vec::new();
            write_unsigned(value, &mut out);
            assert_eq!(out, bytes, "{value}");
        }
        let mut out = Vec::new();
        for value in [0, -1, 1, -64, 64] {
            write_signed(value, &mut out);
        }
        assert_eq!(out, [0x00, 0x01, 0x02, 0x7F, 0x80, 0x80]);
    }

    #[test]
    fn cut_short_is_refused() {
        assert_eq!(read_unsigned(&mut &[][..]), None);
        assert_eq!(read_unsigned(&mut &[0x80][..]), None);
        assert_eq!(read_unsigned(&mut &[0xFF, 1, 2, 3, 4, 5, 6, 7][..]), None);
    }

    proptest! {
        #[test]
        fn round_trip(value: i64, shift in 0_u32..64) {
            let value = value >> shift;
            let mut out = Vec::new();
            write_signed(value, &mut out);
            let mut input = out.as_slice();
            prop_assert_eq!(read_signed(&mut input), Some(value));
            prop_assert!(input.is_empty());
        }
    }
}
