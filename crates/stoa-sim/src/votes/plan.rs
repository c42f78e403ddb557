//! What a seed draws: who there is, and what they will do when.

use std::time::Duration;

use stoa_testkit::rng::Rng;
use stoa_types::Clock;
use stoa_votes::Settings;
use stoa_votes::model::{Day, PeriodLength, UserId, VotingConfig};
use stoa_votes::ops::account::Account;
use stoa_votes::rules::named::Rules;
use stoa_votes::tables::intents::Spread;
use uuid::Uuid;

use super::{Clocks, Cuts};
use crate::clock::START_MICROS;
use crate::swarm::Faults;

/// Days that people act on.
pub(crate) const DAYS: i32 = 3;
/// Microseconds of a day.
pub(crate) const DAY_MICROS: u64 = 86_400_000_000;

/// How long somebody is suspended at most: days are closed meanwhile.
const LONGEST_SUSPENDED_MICROS: u64 = DAY_MICROS + DAY_MICROS / 2;

/// How often something is done in a window of those who make long chains: enough for checkpoints.
const LONG: u32 = 160;
/// How many of 100 seeds have such a window.
const LONG_CHAINS: u32 = 3;

/// How far clocks are off at most where they are far off: twice what is allowed.
const FAR_MICROS: u64 = 600_000_000;

/// What a seed draws.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) rules: Rules,
    pub(crate) clocks: Clocks,
    pub(crate) accounts: Vec<Account>,
    /// Windows of all users: whose, and how often something is done in it.
    pub(crate) windows: Vec<(usize, u32)>,
    /// How often each moderator merges or releases something.
    pub(crate) moderators: Vec<u32>,
    /// How often each background worker runs something.
    pub(crate) workers: Vec<u32>,
    /// What is decided about money, the first of it from the start.
    pub(crate) configs: Vec<VotingConfig>,
    /// How often an ended account is among what people do, of 1,000.
    pub(crate) ends: u32,
    /// How often requests are sent again or twice, in percent.
    pub(crate) repeats: u32,
    /// Whether the texts of deleted policies are erased at the end, days later.
    pub(crate) erases: bool,
    /// How often owners withdraw a policy of theirs instead of asking for votes, in percent.
    pub(crate) withdrawals: u32,
    /// Who and what is left out.
    pub(crate) cuts: Cuts,
    pub(crate) rng: Rng,
}

/// The first day of every run.
pub(crate) fn first_day() -> Day {
    Day::of_micros(START_MICROS)
}

impl Plan {
    pub(crate) fn of_seed(seed: u64, rules: Rules, clocks: Clocks) -> Self {
        let mut rng = Rng::new(seed ^ 0x766F_7465);
        let users = 1 + rng.index(3);
        let accounts = (0..users)
            .map(|at| Account {
                user: UserId(Uuid::from_u128(0xA000 + at as u128)),
                joined: first_day(),
            })
            .collect();
        let mut windows = Vec::new();
        for user in 0..users {
            for _ in 0..1 + rng.index(3) {
                windows.push((user, 2 + u32::try_from(rng.below(9)).unwrap_or(0)));
            }
        }
        // Drawn apart, so that the others stay as they are.
        if Rng::new(seed ^ 0x6C6F_6E67).chance(LONG_CHAINS) {
            windows.push((0, LONG));
        }
        let small = |rng: &mut Rng, most: u64| u32::try_from(rng.below(most)).unwrap_or(0);
        // Two of them get into each other's way.
        let moderators = rng.pick(&[0, 0, 1, 2, 2]).copied().unwrap_or(0);
        let moderators = (0..moderators).map(|_| 1 + small(&mut rng, 5)).collect();
        let workers = (0..1 + rng.index(3))
            .map(|_| 3 + small(&mut rng, 10))
            .collect();
        let configs = configs(&mut rng);
        Self {
            rules,
            clocks,
            accounts,
            windows,
            moderators,
            workers,
            configs,
            ends: if rng.chance(30) { 60 } else { 0 },
            repeats: if rng.chance(70) { 40 } else { 0 },
            withdrawals: if rng.chance(50) { 12 } else { 0 },
            erases: rng.chance(4),
            cuts: Cuts::default(),
            rng,
        }
    }

    /// The same without some people, or with people who do less.
    pub(crate) fn cut(mut self, cuts: &Cuts) -> Self {
        for (_, acts) in &mut self.windows {
            *acts = cuts.acts(*acts);
        }
        self.cuts = cuts.clone();
        self
    }

    /// How an instance runs: with few places for intents, and a memory of its own length.
    pub(crate) fn settings(&self, rng: &mut Rng) -> Settings {
        let remember = match rng.index(3) {
            0 => Duration::ZERO,
            1 => Duration::from_secs(60),
            _ => Duration::from_secs(1_800),
        };
        Settings {
            spread: Spread {
                hours: 24,
                shards: 1,
            },
            remember,
            rules: self.rules,
            // Who sleeps while copying holds up nobody: copies may meet in any number.
            copies_at_once: usize::MAX,
            ..Settings::default()
        }
    }
}

/// The faults of a seed, slower than usual: people act for days here, not for seconds.
pub(crate) fn faults(seed: u64, clocks: Clocks) -> Faults {
    let mut faults = Faults::of_seed(seed);
    if clocks == Clocks::Far {
        faults.clock_offset_micros = FAR_MICROS;
    }
    Faults {
        up_micros: faults.up_micros * 60,
        down_micros: faults.down_micros * 4,
        long_down_micros: faults.long_down_micros * 10,
        latest_micros: faults.latest_micros * 60,
        longest_nap_micros: faults.longest_nap_micros * 40,
        longest_suspended_micros: LONGEST_SUSPENDED_MICROS,
        ..faults
    }
}

fn configs(rng: &mut Rng) -> Vec<VotingConfig> {
    let mut configs = vec![config(rng, first_day())];
    if rng.chance(60) {
        let from = first_day().plus(1 + i32::try_from(rng.below(2)).unwrap_or(0));
        configs.push(config(rng, from));
    }
    configs
}

fn config(rng: &mut Rng, from: Day) -> VotingConfig {
    let most_unspent = rng.chance(30).then(|| rng.between(0, 250));
    VotingConfig {
        period: PeriodLength::Days(1),
        salary: rng.between(50, 150),
        creation_cost: rng.between(1, 30),
        penalty_percent: rng.pick(&[0, 10, 50, 33, 100]).copied().unwrap_or(50),
        most_unspent,
        only_present: rng.chance(30),
        ..VotingConfig::initial(from)
    }
}

/// How long someone waits before the next thing: mostly seconds, sometimes until around midnight.
pub(crate) fn pause(rng: &mut Rng, clock: &dyn Clock) -> Duration {
    let micros = match rng.below(100) {
        0..=64 => rng.below(5_000_000),
        65..=84 => rng.below(120_000_000),
        _ => return until_midnight(rng, clock),
    };
    Duration::from_micros(micros)
}

/// How long until a few minutes before or after the next midnight; a minute once the days are over.
pub(crate) fn until_midnight(rng: &mut Rng, clock: &dyn Clock) -> Duration {
    let since_start = clock.now_micros() - START_MICROS;
    let since_start = u64::try_from(since_start).unwrap_or(0);
    let end = u64::try_from(DAYS).unwrap_or(0) * DAY_MICROS;
    if since_start >= end {
        return Duration::from_micros(rng.below(60_000_000));
    }
    let to_midnight = DAY_MICROS - since_start % DAY_MICROS;
    let near = rng.below(180_000_000);
    Duration::from_micros(to_midnight.saturating_sub(90_000_000) + near)
}
