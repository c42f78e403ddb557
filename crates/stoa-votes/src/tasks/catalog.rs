//! The catalogue: every background task of the voting domain, as whoever runs tasks wants them.

use std::sync::Arc;
use std::time::Duration;

use stoa_tasks::{Done, Task, TaskError, Work};

use crate::votes::Votes;

/// How many findings of an audit are told: books that are wrong in one place may be so in many.
const FINDINGS_TOLD: usize = 10;

/// Every task of a domain.
#[must_use]
pub fn catalog(votes: &Arc<Votes>) -> Vec<Arc<dyn Task>> {
    let task = |chore| -> Arc<dyn Task> {
        let votes = Arc::clone(votes);
        Arc::new(VotesTask { votes, chore })
    };
    Chore::ALL.into_iter().map(task).collect()
}

#[derive(Debug)]
struct VotesTask {
    votes: Arc<Votes>,
    chore: Chore,
}

/// What there is to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chore {
    Drain,
    CloseDays,
    FinishMerges,
    SweepCreations,
    SweepClaims,
    Recount,
    Audit,
}

impl Chore {
    const ALL: [Self; 7] = [
        Self::Drain,
        Self::CloseDays,
        Self::FinishMerges,
        Self::SweepCreations,
        Self::SweepClaims,
        Self::Recount,
        Self::Audit,
    ];

    async fn run(self, votes: &Votes) -> Result<Done, TaskError> {
        match self {
            Self::Drain => votes.drain().await?,
            Self::FinishMerges => votes.finish_merges().await?,
            Self::SweepCreations => votes.sweep_creations().await?,
            Self::SweepClaims => votes.sweep_claims().await?,
            Self::Recount => {
                let counted = votes.recount_all().await?;
                return Ok(Done::told(format!("{counted} policies counted")));
            }
            Self::CloseDays => {
                let day = votes.close_days().await?;
                return Ok(Done::told(format!("all days up to {day} are closed")));
            }
            Self::Audit => return audit(votes).await,
        }
        Ok(Done::quietly())
    }
}

/// Votes that are being copied are among the findings. So a first failure is no alarm yet: it is
/// tried again a minute later, and what is truly wrong fails again.
async fn audit(votes: &Votes) -> Result<Done, TaskError> {
    let findings = votes.audit().await?;
    if findings.is_empty() {
        return Ok(Done::told("the books balance"));
    }
    let told = findings.iter().take(FINDINGS_TOLD).map(ToString::to_string);
    let told: Vec<String> = told.collect();
    let count = findings.len();
    let wrong = format!("findings: {count}; {}", told.join("; "));
    Err(TaskError::Wrong(wrong))
}

impl Task for VotesTask {
    fn name(&self) -> &str {
        match self.chore {
            Chore::Drain => "votes.drain_intents",
            Chore::CloseDays => "votes.close_day",
            Chore::FinishMerges => "votes.finish_merges",
            Chore::SweepCreations => "votes.sweep_creations",
            Chore::SweepClaims => "votes.sweep_claims",
            Chore::Recount => "votes.recount",
            Chore::Audit => "votes.audit",
        }
    }

    fn about(&self) -> &str {
        match self.chore {
            Chore::Drain => "Finishes votes that were begun more than two minutes ago.",
            Chore::CloseDays => "Closes each day once it is over.",
            Chore::FinishMerges => "Finishes merges that were begun.",
            Chore::SweepCreations => "Removes policies that never came to be, after an hour.",
            Chore::SweepClaims => "Frees names and addresses that nobody finished claiming.",
            Chore::Recount => "Sums the votes of every policy anew.",
            Chore::Audit => "Compares everything with the chains and says what is wrong.",
        }
    }

    fn period(&self) -> Duration {
        Duration::from_secs(match self.chore {
            Chore::Drain => 30,
            Chore::CloseDays | Chore::FinishMerges => 60,
            Chore::SweepCreations | Chore::SweepClaims => 600,
            Chore::Recount | Chore::Audit => 86_400,
        })
    }

    fn run(&self, _shard: u32) -> Work<'_> {
        Box::pin(self.chore.run(&self.votes))
    }
}
