//! What a seed draws: who there is, and which faults there are. Kinds of faults are switched off at
//! random, since each flaw shows best where others do not cover it.

use stoa_testkit::rng::Rng;

use super::algorithm::FINALIZE_DELAY_MICROS;
use super::client::Habits;
use super::model::User;
use super::replicas::Faults;

/// What a seed draws.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    pub(super) users: u8,
    /// Policies from the start.
    pub(super) policies: u8,
    /// Windows: whose, and how often votes are saved in it.
    pub(super) windows: Vec<(User, u32)>,
    /// How often each background worker runs something.
    pub(super) workers: Vec<u32>,
    /// The chance in percent that a window creates a policy instead of voting.
    pub(super) creations: u32,
    /// The chance in percent that a window has an old state.
    pub(super) old_states: u32,
    /// The chance in percent that someone waits longer than records take to be finalized.
    pub(super) long_waits: u32,
    pub(super) faults: Faults,
    /// How far clocks are off at most, either way.
    skew_micros: i64,
    /// The chance in 1,000 that a client dies.
    deaths: u32,
    naps: u32,
    remember_micros: u64,
    pub(super) rng: Rng,
}

impl Plan {
    pub(super) fn of_seed(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x706C_616E);
        let users = 2 + u8::try_from(rng.index(2)).unwrap_or(0);
        let small = |rng: &mut Rng, most: u64| u32::try_from(rng.below(most)).unwrap_or(0);
        let mut windows = Vec::new();
        for user in 0..users {
            for _ in 0..1 + rng.index(2) {
                windows.push((user, 2 + small(&mut rng, 5)));
            }
        }
        let workers = (0..1 + rng.index(2))
            .map(|_| 8 + small(&mut rng, 12))
            .collect();
        let mut often = |percent: u32, value: u32| match rng.chance(percent) {
            true => value,
            false => 0,
        };
        let (creations, old_states) = (often(50, 20), often(50, 30));
        let (deaths, naps, late) = (often(50, 250), often(40, 4), often(40, 30));
        let skew = often(25, 1_500);
        let remember = often(50, 600);
        Self {
            users,
            policies: 2,
            windows,
            workers,
            creations,
            old_states,
            long_waits: 25,
            faults: Faults {
                late,
                latest_micros: FINALIZE_DELAY_MICROS / 2,
                grace_micros: FINALIZE_DELAY_MICROS,
            },
            skew_micros: i64::from(skew) * 1_000_000,
            deaths,
            naps,
            remember_micros: u64::from(remember) * 1_000_000,
            rng,
        }
    }

    /// The same without any fault: windows race, but none waits for long.
    #[cfg(test)]
    pub(super) fn quiet(mut self) -> Self {
        (self.creations, self.old_states, self.long_waits) = (0, 0, 0);
        (self.deaths, self.naps, self.faults.late) = (0, 0, 0);
        (self.skew_micros, self.remember_micros) = (0, 0);
        self
    }

    pub(super) fn habits(&self, rng: &mut Rng) -> Habits {
        let dies = rng.below(1_000) < u64::from(self.deaths);
        let call = 1 + u32::try_from(rng.below(80)).unwrap_or(0);
        Habits {
            clock_offset_micros: rng.between(-self.skew_micros, self.skew_micros),
            dies_at_call: dies.then_some(call),
            nap: (self.naps, FINALIZE_DELAY_MICROS * 2),
            remember_micros: self.remember_micros,
        }
    }

    /// How long someone waits before the next thing.
    pub(super) fn pause(&self, rng: &mut Rng) -> u64 {
        match rng.chance(self.long_waits) {
            true => rng.below(FINALIZE_DELAY_MICROS * 3),
            false => rng.below(60_000_000),
        }
    }
}
