//! How large what arrives may be.

/// How large an envelope may be, as it arrives and decompressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a body as they arrive.
    pub body_bytes: usize,
    /// The most bytes of a body after it was decompressed.
    pub decompressed_bytes: usize,
}

impl Default for Limits {
    /// Cassandra's own limit of a message: 16 MiB, both ways.
    fn default() -> Self {
        Self {
            body_bytes: 16 << 20,
            decompressed_bytes: 16 << 20,
        }
    }
}
