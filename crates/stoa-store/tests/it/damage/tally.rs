//! What a suite did and what it found.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// How many complaints are kept whole; the rest is only counted.
const MOST_COMPLAINTS: usize = 20;

/// What became of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The answer was right; it held this many changes.
    Right(u64),
    /// The store refused with an error that names the damage.
    Named(String),
    /// Something promised is gone, or the store refuses what it must open.
    Lost(String),
    /// A wrong answer without an error.
    Silent(String),
    /// The process died, panicked or hung.
    Dead(String),
}

/// What a suite did and what it found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) suite: &'static str,
    pub(crate) seed: u64,
    pub(crate) points: u64,
    pub(crate) lost: u64,
    pub(crate) silent: u64,
    pub(crate) dead: u64,
    pub(crate) named: u64,
    /// What was met on the way, so that a suite that met nothing is seen.
    pub(crate) notes: BTreeMap<String, u64>,
    pub(crate) complaints: Vec<String>,
    pub(crate) took: Duration,
}

impl Tally {
    pub(crate) fn new(suite: &'static str, seed: u64) -> Self {
        Self {
            suite,
            seed,
            ..Self::default()
        }
    }

    /// Counts a case; `case` says how to find it again.
    pub(crate) fn count(&mut self, case: &str, verdict: Verdict) {
        self.points += 1;
        let (kind, what) = match verdict {
            Verdict::Right(_) => return,
            Verdict::Named(what) => {
                self.named += 1;
                self.note(&format!("named: {}", gist(&what)), 1);
                return;
            }
            Verdict::Lost(what) => {
                self.lost += 1;
                ("LOST", what)
            }
            Verdict::Silent(what) => {
                self.silent += 1;
                ("SILENT", what)
            }
            Verdict::Dead(what) => {
                self.dead += 1;
                ("DEAD", what)
            }
        };
        if self.complaints.len() < MOST_COMPLAINTS {
            let (suite, seed) = (self.suite, self.seed);
            self.complaints
                .push(format!("{kind} {suite} --seed {seed}, {case}: {what}"));
        }
    }

    pub(crate) fn note(&mut self, what: &str, count: u64) {
        *self.notes.entry(what.to_owned()).or_default() += count;
    }

    /// Adds what another worker did.
    pub(crate) fn add(&mut self, other: Self) {
        self.points += other.points;
        self.lost += other.lost;
        self.silent += other.silent;
        self.dead += other.dead;
        self.named += other.named;
        for (what, count) in other.notes {
            self.note(&what, count);
        }
        let left = MOST_COMPLAINTS.saturating_sub(self.complaints.len());
        self.complaints
            .extend(other.complaints.into_iter().take(left));
    }

    pub(crate) fn is_good(&self) -> bool {
        self.lost + self.silent + self.dead == 0
    }

    /// The figures as a JSON object.
    pub(crate) fn json(&self) -> String {
        format!(
            "{{\"suite\":\"{}\",\"points\":{},\"lost\":{},\"silent\":{},\"dead\":{},\"named\":{},\"seconds\":{:.1},\"seed\":{}}}",
            self.suite,
            self.points,
            self.lost,
            self.silent,
            self.dead,
            self.named,
            self.took.as_secs_f64(),
            self.seed
        )
    }

    /// The complaints and notes as text.
    pub(crate) fn story(&self) -> String {
        let mut text = String::new();
        for complaint in &self.complaints {
            let _ = writeln!(text, "{complaint}");
        }
        for (what, count) in &self.notes {
            let _ = writeln!(text, "  {}: {count} x {what}", self.suite);
        }
        text
    }
}

/// The words of an error without its numbers and paths, so that like errors count as one.
pub(crate) fn gist(what: &str) -> String {
    let plain = |word: &&str| !word.contains('/') && !word.contains(|it: char| it.is_ascii_digit());
    let words: Vec<&str> = what.split_whitespace().filter(plain).take(12).collect();
    words.join(" ")
}
