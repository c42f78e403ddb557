//! The catalogue: every background task of the voting domain, as whoever runs tasks wants them.

use std::sync::Arc;
use std::time::Duration;

use stoa_tasks::{Done, Task, TaskError, Work};

use super::check_export::Exported;
use super::share::Share;
use super::{refresh_search, send_mail, write_export};
use crate::model::NotDone;
use crate::votes::Votes;

/// How many findings of an audit are told: books that are wrong in one place may be so in many.
const FINDINGS_TOLD: usize = 10;

/// In how many parts intents are drained at most; no more than there are partitions of an hour.
const DRAIN_SHARDS: u32 = 4;
/// In how many parts changed policies are measured.
const MEASURE_SHARDS: u32 = 4;
/// In how many parts everything is recounted.
const RECOUNT_SHARDS: u32 = 8;

/// Every task of a domain.
#[must_use]
pub fn catalog(votes: &Arc<Votes>) -> Vec<Arc<dyn Task>> {
    let task = |chore: &'static Chore| -> Arc<dyn Task> {
        let votes = Arc::clone(votes);
        Arc::new(VotesTask { votes, chore })
    };
    CHORES.iter().map(task).collect()
}

/// A task, as people know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Described {
    /// Its name.
    pub name: &'static str,
    /// How often it runs.
    pub every: Duration,
    /// What it does.
    pub about: &'static str,
    /// What it serves, of all that must be done in the background.
    pub serves: &'static [&'static str],
}

/// Every task, as people know it: those of the catalogue, and the three for which an instance needs
/// something of its own: a server for mail, an index of words, a place for the ledger.
pub fn described() -> impl Iterator<Item = Described> {
    let chores = CHORES.iter().map(|chore| Described {
        name: chore.name,
        every: Duration::from_secs(chore.every_seconds),
        about: chore.about,
        serves: serves(chore.what),
    });
    chores.chain([
        send_mail::DESCRIBED,
        refresh_search::DESCRIBED,
        write_export::DESCRIBED,
    ])
}

#[derive(Debug)]
struct VotesTask {
    votes: Arc<Votes>,
    chore: &'static Chore,
}

/// Something that is done again and again.
#[derive(Debug)]
struct Chore {
    what: What,
    name: &'static str,
    every_seconds: u64,
    about: &'static str,
}

#[derive(Debug, Clone, Copy)]
enum What {
    Drain,
    CloseDays,
    FinishMerges,
    SweepCreations,
    SweepClaims,
    FinishProposals,
    EraseDeleted,
    Measure,
    RankHours,
    RankDays,
    FinishTalk,
    SweepComments,
    MailModerators,
    RewriteTags,
    CountTags,
    TellWatchers,
    SendDigests,
    Recount,
    Audit,
    RefreshBoard,
    MailSalaries,
    CheckExport,
    CompareVotes,
    MeasureClock,
}

const fn chore(what: What, name: &'static str, every_seconds: u64, about: &'static str) -> Chore {
    Chore {
        what,
        name,
        every_seconds,
        about,
    }
}

const MINUTE: u64 = 60;
const TEN_MINUTES: u64 = 10 * MINUTE;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// What must be done in the background, and by which task.
fn serves(what: What) -> &'static [&'static str] {
    match what {
        What::Drain => &["drain intents"],
        What::CloseDays => &["close day"],
        What::FinishMerges | What::FinishProposals => &["merges"],
        What::SweepCreations => &["creating rows removed"],
        What::SweepClaims => &["stray claims"],
        What::EraseDeleted => &["deletions"],
        What::Measure | What::RefreshBoard => &["rank refresh", "active lists"],
        What::RankHours | What::RankDays => &["ranking snapshots"],
        What::FinishTalk => &["talk"],
        What::SweepComments => &["sweeps"],
        What::MailModerators => &["mail to moderators"],
        What::RewriteTags => &["tag lists"],
        What::CountTags => &["heat", "related"],
        What::TellWatchers => &["notifications"],
        What::SendDigests => &["digests"],
        What::Recount => &["open days summed anew", "recount"],
        What::Audit => &["audit"],
        What::MailSalaries => &["salary"],
        What::CheckExport => &["exports"],
        What::CompareVotes => &["second accounts"],
        What::MeasureClock => &["clocks"],
    }
}

const CHORES: &[Chore] = &[
    chore(
        What::Drain,
        "votes.drain_intents",
        30,
        "Finishes votes that were begun more than two minutes ago.",
    ),
    chore(
        What::CloseDays,
        "votes.close_day",
        MINUTE,
        "Closes each day once it is over.",
    ),
    chore(
        What::FinishMerges,
        "votes.finish_merges",
        MINUTE,
        "Finishes merges that were begun.",
    ),
    chore(
        What::Measure,
        "votes.measure",
        MINUTE,
        "Measures how broadly policies are supported that changed.",
    ),
    chore(
        What::TellWatchers,
        "votes.tell_watchers",
        MINUTE,
        "Tells those who watch of what happened.",
    ),
    chore(
        What::SweepCreations,
        "votes.sweep_creations",
        TEN_MINUTES,
        "Removes policies that never came to be, after an hour.",
    ),
    chore(
        What::SweepClaims,
        "votes.sweep_claims",
        TEN_MINUTES,
        "Frees names and addresses that nobody finished claiming.",
    ),
    chore(
        What::FinishProposals,
        "votes.finish_proposals",
        TEN_MINUTES,
        "Merges what owners agreed to, or did not object to.",
    ),
    chore(
        What::FinishTalk,
        "votes.finish_talk",
        TEN_MINUTES,
        "Finishes comments, reports and decisions that were begun.",
    ),
    chore(
        What::MailModerators,
        "votes.mail_moderators",
        TEN_MINUTES,
        "Tells moderators of new cases, once an hour at most.",
    ),
    chore(
        What::RewriteTags,
        "votes.rewrite_tags",
        TEN_MINUTES,
        "Brings lists of tags in order after merges and deletions.",
    ),
    chore(
        What::RankDays,
        "votes.rank_days",
        TEN_MINUTES,
        "Writes the final ranking of each closed day.",
    ),
    chore(
        What::RankHours,
        "votes.rank_hours",
        HOUR,
        "Writes the ranking of the hour that is over.",
    ),
    chore(
        What::CountTags,
        "votes.count_tags",
        HOUR,
        "Counts tags and categories, and finds what is hot or related.",
    ),
    chore(
        What::SendDigests,
        "votes.send_digests",
        HOUR,
        "Puts digests of what happened into the outbox.",
    ),
    chore(
        What::EraseDeleted,
        "votes.erase_deleted",
        HOUR,
        "Erases the texts of policies that were taken away.",
    ),
    chore(
        What::SweepComments,
        "votes.sweep_comments",
        DAY,
        "Erases comments that were removed 30 days ago.",
    ),
    chore(
        What::Recount,
        "votes.recount",
        DAY,
        "Sums the votes of every policy anew.",
    ),
    chore(
        What::Audit,
        "votes.audit",
        DAY,
        "Compares everything with the chains and says what is wrong.",
    ),
    chore(
        What::RefreshBoard,
        "votes.refresh_board",
        30,
        "Brings rankings and lists of policies up to date, on each instance.",
    ),
    chore(
        What::MailSalaries,
        "votes.mail_salaries",
        HOUR,
        "Tells people by mail that votes of a new period have arrived.",
    ),
    chore(
        What::CheckExport,
        "votes.check_export",
        HOUR,
        "Makes the public lines of each closed day and checks their hash.",
    ),
    chore(
        What::CompareVotes,
        "votes.compare_votes",
        DAY,
        "Looks for new accounts that vote like another.",
    ),
    chore(
        What::MeasureClock,
        "votes.measure_clock",
        MINUTE,
        "Compares the clock with that of the store, on each instance.",
    ),
];

async fn run(what: What, votes: &Votes, share: Share) -> Result<Done, TaskError> {
    match what {
        What::Drain => votes.drain_share(share).await?,
        What::FinishMerges => votes.finish_merges().await?,
        What::SweepCreations => votes.sweep_creations().await?,
        What::SweepClaims => votes.sweep_claims().await?,
        What::FinishProposals => votes.finish_proposals().await.map_err(failed)?,
        What::EraseDeleted => votes.erase_deleted().await.map_err(failed)?,
        What::FinishTalk => votes.finish_talk().await?,
        What::SweepComments => votes.sweep_comments().await?,
        What::MailModerators => votes.mail_moderators().await?,
        What::RewriteTags => votes.rewrite_tags().await?,
        What::CountTags => votes.count_tags().await?,
        What::TellWatchers => votes.tell_watchers().await?,
        What::SendDigests => votes.send_digests().await?,
        What::Measure => {
            votes.measure_share(share).await?;
        }
        What::RankHours => {
            votes.rank_hours().await?;
        }
        What::RankDays => {
            let day = votes.rank_days().await?;
            return Ok(Done::told(format!("all days up to {day} are ranked")));
        }
        What::Recount => {
            let counted = votes.recount_share(share).await?;
            return Ok(Done::told(format!("{counted} policies counted")));
        }
        What::CloseDays => {
            let day = votes.close_days().await?;
            return Ok(Done::told(format!("all days up to {day} are closed")));
        }
        What::Audit => return audit(votes).await,
        What::RefreshBoard => {
            votes.refresh_board().await?;
        }
        What::MailSalaries => {
            let count = votes.mail_salaries().await?;
            return Ok(Done::told(format!("{count} mails put into the outbox")));
        }
        What::CheckExport => return check_export(votes).await,
        What::CompareVotes => {
            let count = votes.compare_votes().await?;
            return Ok(Done::told(format!("{count} accounts vote like another")));
        }
        What::MeasureClock => {
            votes.measure_clock().await?;
            if let Err(refused) = votes.check_clock() {
                return Err(TaskError::Wrong(refused.to_string()));
            }
        }
    }
    Ok(Done::quietly())
}

/// A task asks for nothing that could be refused; if it is, something is wrong.
fn failed(not_done: NotDone) -> TaskError {
    match not_done {
        NotDone::Unknown(error) => error.into(),
        NotDone::Refused(refused) => TaskError::Wrong(refused.to_string()),
    }
}

/// Votes that are being copied are among the findings. So a first failure is no alarm yet: it is
/// tried again a minute later, and what is truly wrong fails again.
async fn audit(votes: &Votes) -> Result<Done, TaskError> {
    let findings = votes.audit().await?;
    if findings.is_empty() {
        return Ok(Done::told("the books balance"));
    }
    let findings: Vec<String> = findings.iter().map(ToString::to_string).collect();
    let told: Vec<&str> = findings.iter().map(String::as_str).collect();
    let told = told.get(..FINDINGS_TOLD).unwrap_or(&told).join("; ");
    let what = format!("findings: {}; {told}", findings.len());
    Err(TaskError::Found { what, findings })
}

async fn check_export(votes: &Votes) -> Result<Done, TaskError> {
    match votes.check_export().await? {
        Exported::Through(None) => Ok(Done::told("no day is closed")),
        Exported::Through(Some(day)) => {
            Ok(Done::told(format!("all days up to {day} can be exported")))
        }
        Exported::Differs(day) => {
            let what = format!("the public lines of {day} do not give the hash of the day");
            Err(TaskError::Wrong(what))
        }
    }
}

impl Task for VotesTask {
    fn name(&self) -> &str {
        self.chore.name
    }

    fn about(&self) -> &str {
        self.chore.about
    }

    fn period(&self) -> Duration {
        Duration::from_secs(self.chore.every_seconds)
    }

    fn is_everywhere(&self) -> bool {
        matches!(self.chore.what, What::RefreshBoard | What::MeasureClock)
    }

    fn shards(&self) -> u32 {
        match self.chore.what {
            What::Drain => {
                let partitions = self.votes.settings.spread.shards.max(1);
                DRAIN_SHARDS.min(u32::from(partitions.unsigned_abs()))
            }
            What::Measure => MEASURE_SHARDS,
            What::Recount => RECOUNT_SHARDS,
            _ => 1,
        }
    }

    fn run(&self, shard: u32) -> Work<'_> {
        let share = Share::new(shard, self.shards());
        Box::pin(run(self.chore.what, &self.votes, share))
    }
}
