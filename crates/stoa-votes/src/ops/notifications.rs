//! What a user was told: page by page, and how much of it is unread.

use std::collections::BTreeMap;

use stoa_session::Error;
use stoa_types::time_uuid;
use uuid::Uuid;

use crate::model::{
    CommentId, Day, DigestFrequency, Happening, HappeningKind, NotDone, NotificationSettings,
    PolicyId, UserId,
};
use crate::votes::Votes;

/// Notifications of one page at most.
pub const MOST_NOTIFICATIONS: i32 = 100;
/// Unread notifications that are counted.
pub const MOST_UNREAD: usize = 99;

/// Some of what a user was told, the last first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotificationPage {
    /// What.
    pub notifications: Vec<Happening>,
    /// Where the next page begins, if there may be one.
    pub next: Option<Uuid>,
}

/// How many notifications a user has not seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unread {
    /// So many.
    Exactly(usize),
    /// More than [`MOST_UNREAD`].
    Many,
}

impl Votes {
    /// Tells a user, and makes the digest due that tells it again. Any number of times.
    pub(crate) async fn notify(&self, user: UserId, it: &Happening) -> Result<(), Error> {
        let digest = self.tables.watching.settings(user).await?.digest;
        self.notify_as(user, digest, it).await
    }

    /// The same, for whoever knows how often the user gets a digest.
    pub(crate) async fn notify_as(
        &self,
        user: UserId,
        digest: DigestFrequency,
        it: &Happening,
    ) -> Result<(), Error> {
        self.tables.happenings.notify(user, it).await?;
        let at = it.at_micros();
        match digest.due_after(Day::of_micros(at)) {
            Some(due) => self.tables.telling.write_due(due, user, at).await,
            None => Ok(()),
        }
    }

    /// What a user was told, the last first; the page after another one begins at its `next`.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notifications(
        &self,
        user: UserId,
        before: Option<Uuid>,
        most: i32,
    ) -> Result<NotificationPage, Error> {
        let most = most.clamp(1, MOST_NOTIFICATIONS);
        let table = &self.tables.happenings;
        let notifications = match before {
            Some(before) => table.notifications_before(user, before, most).await?,
            None => table.notifications(user, most).await?,
        };
        let is_full = usize::try_from(most).is_ok_and(|most| notifications.len() >= most);
        let last = notifications.last().filter(|_| is_full);
        let next = last.map(|it| it.id);
        let notifications = self.with_details(notifications).await?;
        Ok(NotificationPage {
            notifications,
            next,
        })
    }

    /// The same with the words about each as they are now: those of the policy, or the subject of a
    /// comment that everybody may read.
    pub(crate) async fn with_details(
        &self,
        mut told: Vec<Happening>,
    ) -> Result<Vec<Happening>, Error> {
        let mut acts: BTreeMap<PolicyId, Vec<Uuid>> = BTreeMap::new();
        let mut comments: BTreeMap<PolicyId, Vec<CommentId>> = BTreeMap::new();
        for it in told.iter().filter(|it| it.detail.is_empty()) {
            match (it.policy, it.about) {
                (Some(policy), Some(comment)) if is_said(it.kind) => {
                    comments.entry(policy).or_default().push(CommentId(comment));
                }
                (Some(policy), _) => acts.entry(policy).or_default().push(it.id),
                (None, _) => {}
            }
        }
        let mut words: BTreeMap<(PolicyId, Uuid), String> = BTreeMap::new();
        for (policy, ids) in acts {
            for it in self.tables.happenings.several(policy, &ids).await? {
                words.insert((policy, it.id), it.detail);
            }
        }
        for (policy, ids) in comments {
            for it in self.tables.talk.comments.several(policy, &ids).await? {
                let subject = Some(it.subject.clone()).filter(|_| it.is_readable());
                words.insert((policy, it.id.0), subject.unwrap_or_default());
            }
        }
        for it in &mut told {
            let found = it.policy.and_then(|policy| words.remove(&(policy, it.id)));
            it.detail = found.unwrap_or_else(|| std::mem::take(&mut it.detail));
        }
        Ok(told)
    }

    /// How many notifications a user has not seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn unread(&self, user: UserId) -> Result<Unread, Error> {
        let settings = self.tables.watching.settings(user).await?;
        let seen = settings.seen_through.unwrap_or(BEFORE_ALL);
        let most = i32::try_from(MOST_UNREAD + 1).unwrap_or(i32::MAX);
        let table = &self.tables.happenings;
        let unread = table.notifications_after(user, seen, most).await?.len();
        Ok(match unread > MOST_UNREAD {
            true => Unread::Many,
            false => Unread::Exactly(unread),
        })
    }

    /// Whether there is a notification that a user has not seen.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn has_unread(&self, user: UserId) -> Result<bool, Error> {
        let settings = self.tables.watching.settings(user).await?;
        let seen = settings.seen_through.unwrap_or(BEFORE_ALL);
        let table = &self.tables.happenings;
        let unread = table.notifications_after(user, seen, 1).await?;
        Ok(!unread.is_empty())
    }

    /// Writes that a user has seen everything up to a notification. One of the future, or what is
    /// none, counts as nothing.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn see_notifications(&self, user: UserId, through: Uuid) -> Result<(), Error> {
        let now = self.clock.now_micros();
        // Clocks of instances differ by less than a minute.
        let is_past = time_uuid::unix_micros(&through).is_some_and(|it| it <= now + 60_000_000);
        match is_past {
            true => self.tables.watching.set_seen(user, through).await,
            false => Ok(()),
        }
    }

    /// How a user is told.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn notification_settings(&self, user: UserId) -> Result<NotificationSettings, Error> {
        self.tables.watching.settings(user).await
    }

    /// Sets how often a user gets a mail with what happened.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn set_digest(&self, user: UserId, digest: DigestFrequency) -> Result<(), NotDone> {
        self.account(user).await?;
        let now = self.begin_micros();
        self.tables.watching.set_digest(user, digest, now).await?;
        // What was told before is in the next one.
        if let Some(due) = digest.due_after(self.today()) {
            self.tables.telling.write_due(due, user, now).await?;
        }
        Ok(())
    }
}

/// Whether it tells of a comment.
fn is_said(kind: HappeningKind) -> bool {
    matches!(kind, HappeningKind::Commented | HappeningKind::Replied)
}

/// The least time UUID there is.
const BEFORE_ALL: Uuid = Uuid::from_u128(0x0000_0000_0000_1000_8080_8080_8080_8080);
