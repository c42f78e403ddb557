//! A small deterministic random generator: the same seed gives the same numbers for ever.
//!
//! A failing seed is stored and replayed months later, so the numbers must not change when
//! a dependency does. The algorithm is xoshiro256\*\* by Blackman and Vigna, its four words
//! filled by splitmix64 from one seed, as its authors recommend.

/// A seeded source of random numbers. Not for secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rng {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
}

impl Rng {
    /// A generator that depends on `seed` alone.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Self {
            a: splitmix64(&mut state),
            b: splitmix64(&mut state),
            c: splitmix64(&mut state),
            d: splitmix64(&mut state),
        }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let result = self.b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = self.b << 17;
        self.c ^= self.a;
        self.d ^= self.b;
        self.b ^= self.c;
        self.a ^= self.d;
        self.c ^= shifted;
        self.d = self.d.rotate_left(45);
        result
    }

    /// A generator of its own for a sub-task, so that drawing more there changes nothing here.
    pub fn fork(&mut self) -> Self {
        Self::new(self.next_u64())
    }

    /// A number in `0..bound`, or 0 when `bound` is 0.
    ///
    /// Taken by remainder: the bias is below `bound / 2^64`, which no test can see.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next_u64().checked_rem(bound).unwrap_or(0)
    }

    /// A position in a list of `len` items, or 0 when it is empty.
    pub fn index(&mut self, len: usize) -> usize {
        let bound = u64::try_from(len).unwrap_or(u64::MAX);
        usize::try_from(self.below(bound)).unwrap_or(0)
    }

    /// A number in `low..=high`, or `low` when the range is empty.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        if high <= low {
            return low;
        }
        let width = high.abs_diff(low);
        if width == u64::MAX {
            return i64::from_ne_bytes(self.next_u64().to_ne_bytes());
        }
        low.wrapping_add_unsigned(self.below(width + 1))
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// One item, each as likely as the other; nothing from an empty list.
    pub fn pick<'items, T>(&mut self, items: &'items [T]) -> Option<&'items T> {
        let index = self.index(items.len());
        items.get(index)
    }

    /// One item, as likely as its weight; nothing when all weights are 0.
    pub fn weighted<'items, T>(&mut self, items: &'items [(u32, T)]) -> Option<&'items T> {
        let total: u64 = items.iter().map(|(weight, _)| u64::from(*weight)).sum();
        let mut left = self.below(total);
        for (weight, item) in items {
            let weight = u64::from(*weight);
            if left < weight {
                return Some(item);
            }
            left -= weight;
        }
        None
    }

    /// Up to `count` different items, in their order in the list.
    pub fn sample<T: Clone>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut missing = count.min(items.len());
        let mut chosen = Vec::with_capacity(missing);
        for (index, item) in items.iter().enumerate() {
            if self.index(items.len() - index) < missing {
                chosen.push(item.clone());
                missing -= 1;
            }
        }
        chosen
    }

    /// Puts the items in a random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.index(last + 1);
            items.swap(last, other);
        }
    }
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_numbers() {
        let mut state = 1_234_567;
        assert_eq!(splitmix64(&mut state), 6_457_827_717_110_365_317);
        assert_eq!(splitmix64(&mut state), 3_203_168_211_198_807_973);
    }

    #[test]
    fn xoshiro_gives_the_published_numbers() {
        let mut rng = Rng {
            a: 1,
            b: 2,
            c: 3,
            d: 4,
        };
        let numbers: Vec<u64> = (0..4).map(|_| rng.next_u64()).collect();
        assert_eq!(
            numbers,
            [11_520, 0, 1_509_978_240, 1_215_971_899_390_074_240]
        );
    }

    #[test]
    fn helpers_stay_in_bounds_and_reach_both_ends() {
        let mut rng = Rng::new(1);
        let drawn: Vec<i64> = (0..500).map(|_| rng.between(-2, 3)).collect();
        assert_eq!(drawn.iter().min(), Some(&-2));
        assert_eq!(drawn.iter().max(), Some(&3));
        assert_eq!(rng.below(0), 0);
        assert_eq!(rng.between(5, 5), 5);
        assert_eq!(rng.pick::<u8>(&[]), None);
        assert_eq!(rng.weighted(&[(0, 'a')]), None);
        assert!((0..500).all(|_| rng.weighted(&[(0, 'a'), (1, 'b')]) == Some(&'b')));
    }

    #[test]
    fn samples_are_ordered_and_different() {
        let mut rng = Rng::new(2);
        for _ in 0..100 {
            let chosen = rng.sample(&[1, 2, 3, 4, 5], 3);
            assert_eq!(chosen.len(), 3);
            assert!(chosen.is_sorted_by(|left, right| left < right));
        }
        assert_eq!(rng.sample(&[1, 2], 9), [1, 2]);
    }

    #[test]
    fn a_shuffle_keeps_every_item() {
        let mut items: Vec<u32> = (0..50).collect();
        Rng::new(3).shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..50).collect::<Vec<u32>>());
    }
}
