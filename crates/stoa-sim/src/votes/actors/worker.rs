//! What a background worker runs: every task that touches votes, days and policies. Those that are
//! needed each minute come often, those of the night seldom.

use stoa_session::Error;
use stoa_votes::Votes;
use stoa_votes::model::NotDone;
use stoa_votes::rules::audit::Invariant;
use stoa_votes::tasks::check_export::Exported;

use super::Person;
use crate::votes::journal::Journal;
use crate::votes::plan::{pause, until_midnight};

impl Person {
    pub(super) async fn work(mut self, times: u32) -> Result<(), Error> {
        let votes = self.instance().await?;
        for _ in 0..times {
            let pause = match self.rng.chance(50) {
                true => until_midnight(&mut self.rng, &*self.session.clock()),
                false => pause(&mut self.rng, &*self.session.clock()),
            };
            self.session.sleep(pause).await;
            let done = match self.rng.below(100) {
                0..=34 => votes.drain().await,
                35..=68 => votes.close_days().await.map(|_| {
                    self.journal.pages().happenings.closed += 1;
                }),
                69..=78 => votes.finish_merges().await,
                79..=88 => votes.sweep_creations().await,
                89..=94 => self.rank(&votes).await,
                _ => self.work_of_the_night(&votes).await,
            };
            let counts = &mut self.journal.pages().happenings;
            match done {
                Ok(()) => counts.tasks += 1,
                Err(_) => counts.failed_tasks += 1,
            }
        }
        Ok(())
    }

    async fn rank(&mut self, votes: &Votes) -> Result<(), Error> {
        match self.rng.below(4) {
            0 => votes.measure().await.map(|_| ()),
            1 => votes.rank_hours().await.map(|_| ()),
            _ => votes.rank_days().await.map(|_| ()),
        }
    }

    async fn work_of_the_night(&mut self, votes: &Votes) -> Result<(), Error> {
        match self.rng.below(4) {
            0 => votes.recount_all().await.map(|_| ()),
            1 => check_export(votes, &self.journal).await,
            // What is being copied is among its findings.
            2 => votes.audit().await.map(|_| ()),
            _ => erase_deleted(votes).await,
        }
    }
}

/// Checks that the public lines of closed days give their hashes, whatever goes on.
pub(in crate::votes) async fn check_export(votes: &Votes, journal: &Journal) -> Result<(), Error> {
    if let Exported::Differs(day) = votes.check_export().await? {
        let what = format!("the public lines of {day} do not give its hash");
        journal.pages().find(Invariant::LedgerVerifies, what);
    }
    Ok(())
}

/// Erases what was deleted. It asks for nothing that can be refused.
pub(in crate::votes) async fn erase_deleted(votes: &Votes) -> Result<(), Error> {
    match votes.erase_deleted().await {
        Ok(()) => Ok(()),
        Err(NotDone::Unknown(error)) => Err(error),
        Err(NotDone::Refused(refused)) => {
            let kind = stoa_session::ErrorKind::Server;
            Err(Error::not_applied(kind, refused.to_string()))
        }
    }
}
