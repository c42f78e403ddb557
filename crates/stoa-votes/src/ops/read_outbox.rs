//! The outbox, for admins: which mail waits, was sent or failed; and one mail that waits, so that
//! somebody can hand out its link where no server sends mail.
//!
//! The link of a mail lets its reader into an account, so reading one is written into the audit log
//! before it is shown.

use uuid::Uuid;

use crate::model::{By, Day, NotDone, Role};
use crate::tables::outbox::{Delivery, Listed, Mail};
use crate::votes::Votes;

/// Mails that are given at once.
const MOST_GIVEN: usize = 100;
/// Mails that are looked at for those that are given.
const MOST_LOOKED_AT: usize = 2_000;

/// Which mail is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Which {
    /// All of it.
    All,
    /// What is still to be sent.
    Waiting,
    /// What was sent.
    Sent,
    /// What could not be sent.
    Failed,
}

impl Which {
    /// Whether it is such a mail.
    fn is(self, listed: &Listed) -> bool {
        match self {
            Self::All => true,
            Self::Waiting => listed.delivery.is_none(),
            Self::Sent => listed.delivery == Some(Delivery::Sent),
            Self::Failed => listed.delivery == Some(Delivery::Failed),
        }
    }
}

/// A part of the mail of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxPage {
    /// Mails, in an order that says nothing.
    pub mails: Vec<Listed>,
    /// After which mail to go on, if there may be more.
    pub next: Option<Uuid>,
}

impl Votes {
    /// Mail of a day, after the one that is given; 100 at most, and fewer where many others lie
    /// between. It is kept for a week. Only admins may look.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn outbox(
        &self,
        by: By,
        day: Day,
        which: Which,
        after: Option<Uuid>,
    ) -> Result<OutboxPage, NotDone> {
        self.demand(by, Role::Admin).await?;
        let (mut mails, mut at) = (Vec::new(), after);
        let part_size = i32::try_from(MOST_GIVEN).unwrap_or(1);
        for _ in 0..MOST_LOOKED_AT / MOST_GIVEN {
            let part = self.tables.outbox.part(day, at, part_size).await?;
            let is_last = part.len() < MOST_GIVEN;
            for listed in part {
                at = Some(listed.id);
                if which.is(&listed) {
                    mails.push(listed);
                }
                if mails.len() >= MOST_GIVEN {
                    return Ok(OutboxPage { mails, next: at });
                }
            }
            if is_last {
                return Ok(OutboxPage { mails, next: None });
            }
        }
        Ok(OutboxPage { mails, next: at })
    }

    /// A mail that is still to be sent; none if there is none such. Only admins may read it, and it is
    /// written down that they did.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn read_mail(&self, by: By, day: Day, id: Uuid) -> Result<Option<Mail>, NotDone> {
        self.demand(by, Role::Admin).await?;
        let Some(queued) = self.tables.outbox.settle(day, id).await? else {
            return Ok(None);
        };
        self.note_reading(by, "read_mail", &format!("{} {id}", queued.mail.kind))
            .await?;
        Ok(Some(queued.mail))
    }
}
