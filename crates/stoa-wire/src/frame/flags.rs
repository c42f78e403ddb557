//! The flags of an envelope's header.

/// What an envelope says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(u8);

impl Flags {
    /// None.
    pub const NONE: Self = Self(0);
    /// The body is compressed; version 4 only.
    pub const COMPRESSED: Self = Self(0x01);
    /// A request: trace it. A response: the id of its trace stands before the body.
    pub const TRACING: Self = Self(0x02);
    /// A map of bytes stands before the body.
    pub const CUSTOM_PAYLOAD: Self = Self(0x04);
    /// A list of warnings stands before the body; responses only.
    pub const WARNING: Self = Self(0x08);
    /// The sender accepts a version that is not finished.
    pub const BETA: Self = Self(0x10);

    /// The flags of a header's byte, unknown ones included.
    #[must_use]
    pub fn of_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// As a header's byte.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Whether all of these are set.
    #[must_use]
    pub fn has(self, others: Self) -> bool {
        self.0 & others.0 == others.0
    }

    /// These and those.
    #[must_use]
    pub fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// These without those.
    #[must_use]
    pub fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}
