//! Sends what is in the outbox, by whoever knows how.
//!
//! 1. Claim a mail: from here on nobody else tries it for ten minutes.
//! 2. Give it away.
//! 3. Write what became of it, and erase it; or when to try again.
//!
//! A mail is never lost: whoever dies leaves a claim that runs out, and then others send it. It is
//! sent twice only if nobody knows whether it was sent: death between 2 and 3, a store that is gone
//! until the claim has run out, a server that broke off.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use stoa_session::{Error, Outcome};
use stoa_tasks::{Done, Task, TaskError, Work};

use super::catalog::Described;
use super::failures::Failures;
use crate::rules::mail::{CLAIM_MICROS, CLOSED_MICROS, MOST_ATTEMPTS, Turn, pause_micros, turn};
use crate::tables::outbox::{Delivery, Mail, Queued};
use crate::votes::Votes;

/// How many mails a run sends.
const MOST_MAILS: usize = 100;
/// How many days back mail may stand: as long as it is kept, and one more.
const DAYS: i32 = 8;

/// What became of a mail that was given away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Posted {
    /// It was taken.
    Delivered,
    /// It was not taken, or nobody knows; it is tried again later.
    Later(String),
    /// It will never be taken.
    Failed(String),
    /// No mail is taken now; this one was not. The run ends.
    Closed(String),
}

/// A mail on its way.
pub type Sending<'a> = Pin<Box<dyn Future<Output = Posted> + Send + 'a>>;

/// Whoever sends mail. A delivery takes less than the ten minutes of a claim.
pub trait MailOut: Send + Sync + fmt::Debug {
    /// Sends a mail, once.
    fn send<'a>(&'a self, mail: &'a Mail) -> Sending<'a>;
}

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MailRun {
    /// How many mails were sent.
    pub sent: usize,
    /// How many are tried again later.
    pub later: usize,
    /// How many failed for good.
    pub failed: usize,
    /// The last reason why one was not sent.
    pub why: Option<String>,
}

impl Votes {
    /// Sends mail that is due, oldest first, at most a hundred.
    ///
    /// # Errors
    /// Those of the session. What was not sent is sent by a later run.
    pub async fn send_mail(&self, out: &dyn MailOut) -> Result<MailRun, Error> {
        let mut failures = Failures::default();
        let mut run = MailRun::default();
        for queued in self.due_mail().await? {
            let sent = self.send_one(out, queued, &mut run).await;
            if failures.part(sent)? == Some(Door::Closed) {
                break;
            }
        }
        failures.end()?;
        Ok(run)
    }

    /// Mail that is due, oldest first. A clock that is ahead may have put mail under tomorrow.
    async fn due_mail(&self) -> Result<Vec<Queued>, Error> {
        let (now, today) = (self.clock.now_micros(), self.today());
        let mut due = Vec::new();
        for day in today.plus(-DAYS).through(today.next()) {
            let queue = self.tables.outbox.queue(day).await?;
            let is_due = |it: &Queued| turn(it.attempts, it.due_micros, now) != Turn::Wait;
            due.extend(queue.into_iter().filter(is_due));
        }
        due.sort_by_key(|it| (it.mail.created_micros, it.mail.id));
        due.truncate(MOST_MAILS);
        Ok(due)
    }

    async fn send_one(
        &self,
        out: &dyn MailOut,
        seen: Queued,
        run: &mut MailRun,
    ) -> Result<Door, Error> {
        if turn(seen.attempts, seen.due_micros, self.clock.now_micros()) == Turn::GiveUp {
            return self.give_up(&seen, run).await;
        }
        let Some(mut claimed) = self.claim_mail(&seen).await? else {
            return Ok(Door::Open);
        };
        let posted = out.send(&claimed.mail).await;
        let now = self.clock.now_micros();
        let (door, why) = match posted {
            Posted::Delivered => {
                self.finish_mail(&claimed.mail, Delivery::Sent).await?;
                run.sent += 1;
                return Ok(Door::Open);
            }
            Posted::Failed(why) => {
                run.why = Some(why);
                return self.give_up(&claimed, run).await;
            }
            Posted::Later(why) => {
                claimed.due_micros = now + pause_micros(claimed.attempts);
                (Door::Open, why)
            }
            // Not the fault of the mail, so it does not count.
            Posted::Closed(why) => {
                claimed.attempts = seen.attempts;
                claimed.due_micros = now + CLOSED_MICROS;
                (Door::Closed, why)
            }
        };
        run.why = Some(why);
        if claimed.attempts >= MOST_ATTEMPTS {
            return self.give_up(&claimed, run).await;
        }
        // Should this not be written, the claim runs out, and the mail is tried then.
        let outbox = &self.tables.outbox;
        outbox.claim(claimed.claim, &claimed, now).await?;
        run.later += 1;
        Ok(door)
    }

    /// Claims a mail, unless others did meanwhile.
    async fn claim_mail(&self, seen: &Queued) -> Result<Option<Queued>, Error> {
        let (outbox, now) = (&self.tables.outbox, self.clock.now_micros());
        let claimed = Queued {
            mail: seen.mail.clone(),
            claim: self.ids.time_uuid(),
            attempts: seen.attempts.saturating_add(1),
            due_micros: now.saturating_add(CLAIM_MICROS),
        };
        match outbox.claim(seen.claim, &claimed, now).await {
            Ok(true) => return Ok(Some(claimed)),
            Err(error) if error.outcome() == Outcome::NotApplied => return Err(error),
            Ok(false) | Err(_) => {}
        }
        // The answer may have been lost, or be that to a second try of the driver.
        let settled = outbox.settle(seen.mail.day, seen.mail.id).await?;
        Ok(settled.filter(|it| it.claim == claimed.claim))
    }

    async fn give_up(&self, queued: &Queued, run: &mut MailRun) -> Result<Door, Error> {
        self.finish_mail(&queued.mail, Delivery::Failed).await?;
        run.failed += 1;
        Ok(Door::Open)
    }

    /// Writes what became of a mail. It is tried more than once, because a mail that was sent and
    /// is not marked so is sent again.
    async fn finish_mail(&self, mail: &Mail, delivery: Delivery) -> Result<(), Error> {
        let outbox = &self.tables.outbox;
        let mut finished = outbox.finish(mail.day, mail.id, delivery).await;
        for _ in 1..self.settings.attempts {
            if finished.is_ok() {
                break;
            }
            finished = outbox.finish(mail.day, mail.id, delivery).await;
        }
        finished.map(|_| ())
    }
}

/// Whether more mail is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Open,
    Closed,
}

/// The task, as people know it.
pub(super) const DESCRIBED: Described = Described {
    name: "votes.send_mail",
    every: Duration::from_secs(15),
    about: "Sends the mail that is in the outbox.",
    serves: &["mail sending"],
};

/// The task that sends mail; apart from the catalogue, because only an instance that knows a server
/// can run it.
#[must_use]
pub fn mail_task(votes: &Arc<Votes>, out: Arc<dyn MailOut>) -> Arc<dyn Task> {
    let votes = Arc::clone(votes);
    Arc::new(MailTask { votes, out })
}

#[derive(Debug)]
struct MailTask {
    votes: Arc<Votes>,
    out: Arc<dyn MailOut>,
}

impl MailTask {
    async fn send(&self) -> Result<Done, TaskError> {
        let MailRun {
            sent,
            later,
            failed,
            why,
        } = self.votes.send_mail(&*self.out).await?;
        Ok(match why {
            Some(why) => Done::told(format!(
                "{sent} mails sent, {later} later, {failed} failed; the last because {why}"
            )),
            None if sent + failed > 0 => Done::told(format!("{sent} mails sent, {failed} failed")),
            None => Done::quietly(),
        })
    }
}

impl Task for MailTask {
    fn name(&self) -> &str {
        DESCRIBED.name
    }

    fn about(&self) -> &str {
        DESCRIBED.about
    }

    fn period(&self) -> Duration {
        DESCRIBED.every
    }

    fn run(&self, _shard: u32) -> Work<'_> {
        Box::pin(self.send())
    }
}
