//! Mail to those who handle reports or moderate comments, when there are new cases.
//!
//! A mail is about all cases that were opened before this hour and are to be decided, and is named by
//! the hour of the last of them: so there is one for each moderator and hour at most, and none while
//! nothing is new.

use std::collections::{BTreeMap, BTreeSet};

use stoa_session::Error;
use stoa_types::time_uuid;

use super::failures::Failures;
use crate::model::{CaseState, Day, RequestId, Role, TargetKind, UserId, UserState};
use crate::rules::secrets::derived_id;
use crate::tables::happenings::hour_of;
use crate::tables::outbox::Mail;
use crate::votes::Votes;

/// Cases that are older were told of, in hours: six days. Mail is kept for seven.
const MOST_HOURS: i64 = 6 * 24;
const MICROS_OF_HOUR: i64 = 3_600_000_000;
/// Nobody goes on with opening a case after two days.
const FORGOTTEN_MICROS: i64 = 48 * MICROS_OF_HOUR;

/// Cases that wait, as some moderators are told of them.
#[derive(Debug, Clone, Default)]
struct Waiting {
    /// The hour in which the last of them was opened.
    last_hour: Option<i64>,
    /// How many there are of each kind, by its name.
    counts: BTreeMap<&'static str, usize>,
}

impl Waiting {
    fn add(&mut self, name: &'static str, opened: &[i64]) {
        if let Some(latest) = opened.iter().max() {
            self.last_hour = self.last_hour.max(Some(*latest));
            self.counts.insert(name, opened.len());
        }
    }
}

impl Votes {
    /// Puts mail about new cases into the outbox: about all of them to those who handle reports,
    /// about comments alone to those who moderate these.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn mail_moderators(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let hour = hour_of(now);
        let (mut all, mut of_comments) = (Waiting::default(), Waiting::default());
        for (kind, name) in TargetKind::NAMES {
            self.sweep_open_cases(kind, now).await?;
            let cases = self.undecided_cases(kind).await?;
            let opened = cases
                .iter()
                .map(|case| hour_of(time_uuid::unix_micros(&case.id).unwrap_or(0)));
            let opened: Vec<i64> = opened.filter(|opened| *opened < hour).collect();
            all.add(name, &opened);
            if kind == TargetKind::Comment {
                of_comments.add(name, &opened);
            }
        }
        let mut failures = Failures::default();
        let mut handlers = self.granted(Role::HandleReports).await?;
        if handlers.is_empty() {
            handlers = self.granted(Role::Admin).await?;
        }
        for moderator in self.granted(Role::ModerateComments).await? {
            if !handlers.contains(&moderator) {
                failures.part(self.mail_moderator(moderator, &of_comments, now).await)?;
            }
        }
        for moderator in handlers {
            failures.part(self.mail_moderator(moderator, &all, now).await)?;
        }
        failures.end()
    }

    async fn granted(&self, role: Role) -> Result<BTreeSet<UserId>, Error> {
        let grants = self.tables.roles.list(role).await?;
        let granted = grants.into_iter().filter(|grant| grant.is_granted);
        Ok(granted.map(|grant| grant.user).collect())
    }

    async fn mail_moderator(
        &self,
        moderator: UserId,
        waiting: &Waiting,
        now_micros: i64,
    ) -> Result<(), Error> {
        let oldest = hour_of(now_micros).saturating_sub(MOST_HOURS);
        let Some(last_hour) = waiting.last_hour.filter(|last| *last >= oldest) else {
            return Ok(());
        };
        let user = self.tables.users.read(moderator).await?;
        let Some(user) = user.filter(|user| user.state == UserState::Active) else {
            return Ok(());
        };
        let count: usize = waiting.counts.values().sum();
        let kinds = waiting.counts.iter();
        let kinds: Vec<String> = kinds
            .map(|(kind, of_kind)| format!("{kind}\t{of_kind}"))
            .collect();
        let fields = BTreeMap::from([
            ("name".to_owned(), user.name),
            ("count".to_owned(), count.to_string()),
            ("cases".to_owned(), kinds.join("\n")),
        ]);
        let purpose = format!("open_cases {last_hour}");
        let told_micros = last_hour.saturating_add(1).saturating_mul(MICROS_OF_HOUR);
        let mail = Mail {
            day: Day::of_micros(told_micros),
            id: derived_id(&purpose, RequestId(moderator.0)),
            recipient: user.email,
            kind: "open_cases".to_owned(),
            fields,
            created_micros: now_micros,
        };
        self.tables.outbox.put(&mail).await.map(|_| ())
    }

    /// Cleans the list of open cases: what was closed, and what was about to be opened days ago and
    /// was not.
    async fn sweep_open_cases(&self, kind: TargetKind, now_micros: i64) -> Result<(), Error> {
        let cases = &self.tables.talk.cases;
        for open in cases.list_open(kind).await? {
            let opened = time_uuid::unix_micros(&open.id).unwrap_or(0);
            let case = cases.read(open.target).await?;
            let is_over = match case.filter(|case| case.id == open.id) {
                Some(case) => case.state == CaseState::Closed,
                None => opened + FORGOTTEN_MICROS <= now_micros,
            };
            if is_over {
                cases.delete_open(open).await?;
            }
        }
        Ok(())
    }
}
