//! Finding for a rule the first seed that shows that it is needed.

use stoa_session::Error;
use stoa_votes::rules::audit::Invariant;
use stoa_votes::rules::named::Rule;

use super::{Trace, VoteSimulation};
use crate::seeds::{self, Go};

/// A seed that breaks one of I1 to I15 without a rule, and nothing with all of them. A seed that
/// shows no more than that the public ledger or an answer is wrong would not say what of the voting
/// itself broke.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needed {
    /// The rule.
    pub rule: Rule,
    /// The seed.
    pub seed: u64,
    /// What breaks first.
    pub invariant: Invariant,
}

impl Needed {
    /// The first such seed among so many; `None` if there is none. `watch` is told how many seeds
    /// were looked at. The answer does not depend on how many threads there are.
    ///
    /// # Errors
    /// When the domain's schema is not understood.
    pub fn find(
        rule: Rule,
        (first, count): (u64, u64),
        threads: usize,
        watch: &(dyn Fn(u64) + Sync),
    ) -> Result<Option<Self>, Error> {
        let (whole, lacking) = (VoteSimulation::new(None)?, VoteSimulation::new(Some(rule))?);
        let run = |seed| {
            let findings = lacking.run(seed, Trace::Dropped).findings;
            let invariant = findings.first()?.invariant;
            if !invariant.is_numbered() {
                return None;
            }
            let is_whole = whole.run(seed, Trace::Dropped).findings.is_empty();
            is_whole.then_some(Self {
                rule,
                seed,
                invariant,
            })
        };
        // Seeds are taken in their order, and whoever has taken one finishes it: so the least of
        // those that were found is the least there is.
        let nothing: (u64, Option<Self>) = (0, None);
        let found = seeds::run_many(first, count, threads, nothing, run, |sum, outcome| {
            sum.0 += 1;
            watch(sum.0);
            let both = [sum.1, *outcome].into_iter().flatten();
            sum.1 = both.min_by_key(|needed| needed.seed);
            match sum.1 {
                Some(_) => Go::NoFurther,
                None => Go::On,
            }
        });
        Ok(found.1)
    }
}
