//! What a run of a seed leaves out: people, what they do, kinds of faults. A failing seed is
//! understood sooner without whatever it does not need to fail.
//!
//! Whoever is left out is still drawn, so that the others draw what they drew before.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use stoa_votes::rules::audit::Invariant;

use super::plan::Plan;
use super::{Outcome, Trace, VoteSimulation};
use crate::swarm::{FaultKind, Faults};

/// How often all that is left is tried again, because less of it may do by then.
const PASSES: usize = 3;
/// How often people act at most, in the order in which it is tried.
const FEW_ACTS: [u32; 5] = [1, 2, 3, 4, 6];

/// Something that is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cut {
    /// A window of a user.
    Window(usize),
    /// A moderator.
    Moderator(usize),
    /// A background worker.
    Worker(usize),
    /// What is done in a window beyond so many things.
    ActsBeyond(u32),
    /// A kind of fault.
    Fault(FaultKind),
}

/// All that is left out, as text such as `window-2,worker-0,naps`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cuts(BTreeSet<Cut>);

impl Cuts {
    /// Whether nothing is left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn has(&self, cut: Cut) -> bool {
        self.0.contains(&cut)
    }

    /// How often something is done in a window that would do so many things.
    pub(super) fn acts(&self, acts: u32) -> u32 {
        let limits = self.0.iter().filter_map(|cut| match cut {
            Cut::ActsBeyond(limit) => Some(*limit),
            _ => None,
        });
        limits.min().map_or(acts, |limit| acts.min(limit))
    }

    pub(super) fn faults(&self, mut faults: Faults) -> Faults {
        for cut in &self.0 {
            if let Cut::Fault(kind) = cut {
                faults.switch_off(*kind);
            }
        }
        faults
    }

    fn and(&self, cut: Cut) -> Self {
        let mut more = self.clone();
        more.0.insert(cut);
        more
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Window(at) => write!(f, "window-{at}"),
            Self::Moderator(at) => write!(f, "moderator-{at}"),
            Self::Worker(at) => write!(f, "worker-{at}"),
            Self::ActsBeyond(acts) => write!(f, "beyond-{acts}"),
            Self::Fault(kind) => f.write_str(kind.name()),
        }
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, cut) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{cut}")?;
        }
        Ok(())
    }
}

/// A name of nothing that can be left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSuchCut(String);

impl fmt::Display for NoSuchCut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(name) = self;
        write!(f, "nothing that can be left out is called {name:?}")
    }
}

impl std::error::Error for NoSuchCut {}

impl FromStr for Cut {
    type Err = NoSuchCut;

    fn from_str(text: &str) -> Result<Self, NoSuchCut> {
        if let Some(kind) = FaultKind::of_name(text) {
            return Ok(Self::Fault(kind));
        }
        let no_such = || NoSuchCut(text.to_owned());
        let (what, number) = text.rsplit_once('-').ok_or_else(no_such)?;
        let number: u16 = number.parse().map_err(|_| no_such())?;
        match what {
            "window" => Ok(Self::Window(number.into())),
            "moderator" => Ok(Self::Moderator(number.into())),
            "worker" => Ok(Self::Worker(number.into())),
            "beyond" => Ok(Self::ActsBeyond(number.into())),
            _ => Err(no_such()),
        }
    }
}

impl FromStr for Cuts {
    type Err = NoSuchCut;

    fn from_str(text: &str) -> Result<Self, NoSuchCut> {
        let cuts = text.split(',').filter(|it| !it.is_empty());
        Ok(Self(cuts.map(str::parse).collect::<Result<_, _>>()?))
    }
}

impl VoteSimulation {
    /// A failing seed with as little as still breaks the same first; what was left out, and what
    /// came of it. A seed that breaks nothing is given as it is.
    #[must_use]
    pub fn shrink(&self, seed: u64) -> (Cuts, Outcome) {
        let (mut cuts, mut outcome) = (self.cuts.clone(), self.run(seed, Trace::Kept));
        let Some(broken) = outcome.broken_first() else {
            return (cuts, outcome);
        };
        for _ in 0..PASSES {
            let before = cuts.clone();
            for cut in self.candidates(seed) {
                let acts = cuts.acts(u32::MAX);
                if cuts.has(cut) || cut.acts().is_some_and(|it| it >= acts) {
                    continue;
                }
                let less = cuts.and(cut);
                let tried = self.run_with(seed, &less, Trace::Kept);
                if tried.broken_first() == Some(broken) {
                    (cuts, outcome) = (less, tried);
                }
            }
            if cuts == before {
                break;
            }
        }
        cuts.forget_weaker();
        (cuts, outcome)
    }

    /// Everything that a seed could do without, people first.
    fn candidates(&self, seed: u64) -> Vec<Cut> {
        let plan = Plan::of_seed(seed, self.rules, self.clocks);
        let faults = super::plan::faults(seed, self.clocks);
        let kinds = FaultKind::NAMES.iter().map(|(kind, _)| *kind);
        let kinds = kinds.filter(|kind| faults.has(*kind));
        let windows = (0..plan.windows.len()).map(Cut::Window);
        let moderators = (0..plan.moderators.len()).map(Cut::Moderator);
        let workers = (0..plan.workers.len()).map(Cut::Worker);
        let people = windows.chain(moderators).chain(workers);
        let acts = FEW_ACTS.into_iter().map(Cut::ActsBeyond);
        people.chain(acts).chain(kinds.map(Cut::Fault)).collect()
    }
}

impl Cut {
    fn acts(self) -> Option<u32> {
        match self {
            Self::ActsBeyond(acts) => Some(acts),
            _ => None,
        }
    }
}

impl Cuts {
    /// Of several limits on what is done in a window, only the least matters.
    fn forget_weaker(&mut self) {
        let least = self.acts(u32::MAX);
        self.0.retain(|cut| cut.acts().is_none_or(|it| it == least));
    }
}

impl Outcome {
    /// What is broken first.
    #[must_use]
    pub fn broken_first(&self) -> Option<Invariant> {
        self.findings.first().map(|it| it.invariant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_reads_its_own_text() {
        let text = "window-2,moderator-0,worker-1,beyond-3,late-writes,naps";
        let cuts: Cuts = text.parse().unwrap_or_default();
        assert_eq!(cuts.to_string(), text);
        assert_eq!((cuts.acts(9), cuts.acts(2)), (3, 2));
        for bad in ["window", "window-x", "luck", "luck-3"] {
            assert!(bad.parse::<Cuts>().is_err(), "{bad}");
        }
        assert_eq!("".parse(), Ok(Cuts::default()));
    }
}
