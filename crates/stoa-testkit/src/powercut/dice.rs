//! Reproducible choices: the same seed makes the same images.

/// A small generator of numbers (SplitMix64): every seed is as good as another.
#[derive(Clone, Debug)]
pub(super) struct Dice {
    state: u64,
}

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub(super) fn number(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// A number below `sides`; 0 where there is nothing to choose from.
    pub(super) fn below(&mut self, sides: u64) -> u64 {
        self.number().checked_rem(sides).unwrap_or(0)
    }
}

/// Spreads the bits of a number: neighbours become strangers.
pub(super) fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    number ^ (number >> 31)
}
