//! Which faults happen, drawn from one seed, and how many really happened.
//!
//! Each seed switches whole kinds of faults off at random: many bugs need one kind often and
//! another never.

mod kind;

use stoa_testkit::rng::Rng;

pub use kind::FaultKind;

/// The faults of one run. Chances are in 1,000, times in microseconds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Faults {
    /// How long a message takes at least and at most when nothing is wrong.
    pub message_micros: (u64, u64),
    /// The chance that a message is slow.
    pub slow_message: u32,
    /// How long a slow message takes at most.
    pub slow_micros: u64,
    /// The chance that a write reaches a replica very late.
    pub late_write: u32,
    /// How late that is at most.
    pub latest_micros: u64,
    /// The chance that a coordinator dies before it has sent a plain write to every replica. Of a
    /// logged batch over several partitions then nothing happens, or all of it late.
    pub half_sent: u32,
    /// The chance that a reply to a client is lost.
    pub lost_reply: u32,
    /// How long a replica is up between down times on average; 0 for always.
    pub up_micros: u64,
    /// How long an ordinary down time is at most.
    pub down_micros: u64,
    /// How long the longest down time is; a fifth of them are drawn up to it.
    pub long_down_micros: u64,
    /// The chance that a write which a replica missed is not kept for it as a hint.
    pub lost_hint: u32,
    /// The chance that a conditional write's answer is lost although it was decided.
    pub unknown_applied: u32,
    /// The chance that a conditional write is decided long after its client has given up.
    pub unknown_later: u32,
    /// The chance that a conditional write is never decided.
    pub unknown_never: u32,
    /// How far a client's clock is off at most, either way.
    pub clock_offset_micros: u64,
    /// The chance that a client dies at one of its calls.
    pub death: u32,
    /// The chance that a client naps before a call.
    pub nap: u32,
    /// How long a nap is at most.
    pub longest_nap_micros: u64,
    /// The chance that a client is suspended once, at one of its calls, and goes on when others
    /// have overtaken it.
    pub suspended: u32,
    /// How long that is at most.
    pub longest_suspended_micros: u64,
    /// After how long a coordinator gives up.
    pub timeout_micros: u64,
    /// Whether a conditional write is later than every cell it touches, as it is where nobody's
    /// clock runs ahead and no statement says its own timestamp.
    pub ballots_beat_cells: bool,
}

const SECOND: u64 = 1_000_000;
/// How far clocks are off at most, one of these for each seed: all is less than the five minutes
/// within which an instance serves. Right clocks come twice, because totals are judged as they are
/// only there.
const CLOCK_OFFSETS: [u64; 5] = [0, 0, 5 * SECOND, 60 * SECOND, 290 * SECOND];

impl Faults {
    /// Nothing goes wrong.
    #[must_use]
    pub fn none() -> Self {
        Self {
            message_micros: (200, 2_000),
            slow_message: 0,
            slow_micros: 0,
            late_write: 0,
            latest_micros: 0,
            half_sent: 0,
            lost_reply: 0,
            up_micros: 0,
            down_micros: 0,
            long_down_micros: 0,
            lost_hint: 0,
            unknown_applied: 0,
            unknown_later: 0,
            unknown_never: 0,
            clock_offset_micros: 0,
            death: 0,
            nap: 0,
            longest_nap_micros: 0,
            suspended: 0,
            longest_suspended_micros: 0,
            timeout_micros: 2 * SECOND,
            ballots_beat_cells: true,
        }
    }

    /// Every kind of fault, often.
    #[must_use]
    pub fn all() -> Self {
        Self {
            slow_message: 50,
            slow_micros: 3 * SECOND,
            late_write: 20,
            latest_micros: 60 * SECOND,
            half_sent: 20,
            lost_reply: 20,
            up_micros: 20 * SECOND,
            down_micros: 5 * SECOND,
            long_down_micros: 120 * SECOND,
            lost_hint: 300,
            unknown_applied: 20,
            unknown_later: 20,
            unknown_never: 20,
            clock_offset_micros: 60 * SECOND,
            death: 200,
            nap: 10,
            longest_nap_micros: 30 * SECOND,
            suspended: 60,
            longest_suspended_micros: 600 * SECOND,
            ..Self::none()
        }
    }

    /// The faults of a seed: kinds are switched off at random, the rest get chances at random.
    #[must_use]
    pub fn of_seed(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x5741_524D);
        let most = Self::all();
        let mut chance = |most: u32| match rng.chance(40) {
            true => 0,
            false => u32::try_from(rng.below(u64::from(most) * 2 + 1)).unwrap_or(most),
        };
        let mut faults = Self {
            slow_message: chance(most.slow_message),
            late_write: chance(most.late_write),
            half_sent: chance(most.half_sent),
            lost_reply: chance(most.lost_reply),
            lost_hint: chance(most.lost_hint),
            unknown_applied: chance(most.unknown_applied),
            unknown_later: chance(most.unknown_later),
            unknown_never: chance(most.unknown_never),
            death: chance(most.death),
            nap: chance(most.nap),
            suspended: chance(most.suspended),
            ..most.clone()
        };
        if rng.chance(40) {
            faults.up_micros = 0;
        } else {
            faults.up_micros = 1 + rng.below(most.up_micros * 2);
        }
        let offset = rng.pick(&CLOCK_OFFSETS).copied();
        faults.clock_offset_micros = offset.unwrap_or(most.clock_offset_micros);
        faults.latest_micros = 1 + rng.below(most.latest_micros);
        faults
    }

    /// The offset of a client's clock.
    pub(crate) fn clock_offset(&self, rng: &mut Rng) -> i64 {
        let most = i64::try_from(self.clock_offset_micros).unwrap_or(i64::MAX);
        rng.between(-most, most)
    }

    /// How long a message takes.
    pub(crate) fn message(&self, rng: &mut Rng) -> u64 {
        let (least, most) = self.message_micros;
        if happens(rng, self.slow_message) {
            return most + rng.below(self.slow_micros + 1);
        }
        least + rng.below(most.saturating_sub(least) + 1)
    }
}

/// Whether something of a chance in 1,000 happens. Draws even if it cannot, so that one switch
/// more or less moves as little as possible of the rest.
pub(crate) fn happens(rng: &mut Rng, chance: u32) -> bool {
    rng.below(1_000) < u64::from(chance)
}

/// How often each kind of fault really happened.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Calls to the store.
    pub calls: u64,
    /// Messages that were slow.
    pub slow_messages: u64,
    /// Writes that reached a replica very late.
    pub late_writes: u64,
    /// Writes that a replica missed and got as a hint.
    pub hints: u64,
    /// Writes that a replica missed and never got.
    pub lost_hints: u64,
    /// Reads that made replicas equal before they answered.
    pub read_repairs: u64,
    /// Plain writes whose coordinator died before it had sent them to every replica.
    pub half_sent: u64,
    /// Plain writes whose outcome the client does not know.
    pub unknown_writes: u64,
    /// Reads that were not answered in time.
    pub failed_reads: u64,
    /// Conditional writes that were applied.
    pub applied_conditions: u64,
    /// Conditional writes that were refused.
    pub refused_conditions: u64,
    /// Conditional writes whose outcome is unknown and that had been decided.
    pub unknown_applied: u64,
    /// Conditional writes whose outcome is unknown and that were decided later.
    pub unknown_later: u64,
    /// Conditional writes whose outcome is unknown and that were never decided.
    pub unknown_never: u64,
    /// Calls refused because too few replicas were up.
    pub unavailable: u64,
    /// Clients that died.
    pub deaths: u64,
    /// Naps that clients took.
    pub naps: u64,
    /// Clients that were suspended for long.
    pub suspended: u64,
    /// Replies to clients that were lost on their way.
    pub lost_replies: u64,
    /// Down times of replicas.
    pub down_times: u64,
    /// Long ones among them.
    pub long_down_times: u64,
    /// Clocks that were off.
    pub skewed_clocks: u64,
}

impl Counters {
    /// Every counter with its name.
    #[must_use]
    pub fn named(&self) -> [(&'static str, u64); 22] {
        [
            ("calls", self.calls),
            ("slow messages", self.slow_messages),
            ("late writes", self.late_writes),
            ("hints", self.hints),
            ("lost hints", self.lost_hints),
            ("read repairs", self.read_repairs),
            ("half sent", self.half_sent),
            ("unknown writes", self.unknown_writes),
            ("failed reads", self.failed_reads),
            ("applied conditions", self.applied_conditions),
            ("refused conditions", self.refused_conditions),
            ("unknown and applied", self.unknown_applied),
            ("unknown and later", self.unknown_later),
            ("unknown and never", self.unknown_never),
            ("unavailable", self.unavailable),
            ("deaths", self.deaths),
            ("naps", self.naps),
            ("suspended", self.suspended),
            ("lost replies", self.lost_replies),
            ("down times", self.down_times),
            ("long down times", self.long_down_times),
            ("skewed clocks", self.skewed_clocks),
        ]
    }

    /// The names of what never happened.
    #[must_use]
    pub fn never(&self) -> Vec<&'static str> {
        let named = self.named().into_iter();
        named
            .filter(|(_, count)| *count == 0)
            .map(|(name, _)| name)
            .collect()
    }
}

impl std::ops::AddAssign for Counters {
    fn add_assign(&mut self, other: Self) {
        self.calls += other.calls;
        self.slow_messages += other.slow_messages;
        self.late_writes += other.late_writes;
        self.hints += other.hints;
        self.lost_hints += other.lost_hints;
        self.read_repairs += other.read_repairs;
        self.half_sent += other.half_sent;
        self.unknown_writes += other.unknown_writes;
        self.failed_reads += other.failed_reads;
        self.applied_conditions += other.applied_conditions;
        self.refused_conditions += other.refused_conditions;
        self.unknown_applied += other.unknown_applied;
        self.unknown_later += other.unknown_later;
        self.unknown_never += other.unknown_never;
        self.unavailable += other.unavailable;
        self.deaths += other.deaths;
        self.naps += other.naps;
        self.suspended += other.suspended;
        self.lost_replies += other.lost_replies;
        self.down_times += other.down_times;
        self.long_down_times += other.long_down_times;
        self.skewed_clocks += other.skewed_clocks;
    }
}
