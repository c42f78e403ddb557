//! The checksums of segments: CRC24 of a header, CRC32 of a payload.
//!
//! The polynomial of CRC24 was chosen by Philip Koopman, so that six flipped bits in a header of
//! eight bytes are detected. A CRC32 begins with four bytes that are in no payload, so that zeros
//! before the payload count.

/// The initial value and the polynomial of CRC24, as in Cassandra's `Crc.java`.
const CRC24_START: u32 = 0x0087_5060;
const CRC24_POLYNOMIAL: u32 = 0x0197_4f0b;
/// What every CRC32 begins with.
const CRC32_START: [u8; 4] = [0xfa, 0x2d, 0x55, 0xca];

/// The CRC24 of the bytes of a header.
#[must_use]
pub fn crc24(bytes: &[u8]) -> u32 {
    bytes.iter().fold(CRC24_START, |sum, byte| {
        (0..8).fold(sum ^ (u32::from(*byte) << 16), |sum, _| {
            let shifted = sum << 1;
            if shifted & 0x0100_0000 == 0 {
                shifted
            } else {
                shifted ^ CRC24_POLYNOMIAL
            }
        })
    })
}

/// The CRC32 of a payload.
#[must_use]
pub fn crc32(payload: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&CRC32_START);
    hasher.update(payload);
    hasher.finalize()
}
