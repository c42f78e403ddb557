//! Putting digests into the outbox: one mail for each user and period, with what the user has not
//! seen. Only those are looked at who have something to be told, by the day on which they are.
//!
//! The identifier of the mail follows from the user and the day, so it is put there once, however
//! often this dies. The row that says it is due goes last.

use std::collections::BTreeMap;

use stoa_session::Error;
use stoa_types::time_uuid;

use super::failures::Failures;
use crate::model::{Day, Happening, UserId, UserState};
use crate::rules::news::news_line;
use crate::rules::secrets::id_of;
use crate::tables::outbox::Mail;
use crate::votes::Votes;

/// How long after the beginning of a day its digests are made: what happened late the day before
/// is told by then.
const PATIENCE_MICROS: i64 = 3_600_000_000;
/// How many days are looked at, if this did not run for long. Mail is kept as long.
const MOST_DAYS: i32 = 6;
/// Lines of a digest at most.
const MOST_LINES: usize = 20;
/// Notifications that are counted in a digest at most.
const MOST_COUNTED: i32 = 500;

impl Votes {
    /// Puts every digest that is due into the outbox.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn send_digests(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let last = Day::of_micros(now - PATIENCE_MICROS);
        let mut failures = Failures::default();
        for day in last.plus(-MOST_DAYS).through(last) {
            let due = self.tables.telling.due(day).await;
            for user in failures.part(due)?.into_iter().flatten() {
                failures.part(self.send_due(user, day).await)?;
            }
        }
        failures.end()
    }

    async fn send_due(&self, user: UserId, due: Day) -> Result<(), Error> {
        self.send_digest(user, due).await?;
        self.tables.telling.delete_due(due, user).await
    }

    async fn send_digest(&self, user: UserId, due: Day) -> Result<(), Error> {
        let settings = self.tables.watching.settings(user).await?;
        let Some(first) = settings.digest.first_day_of(due) else {
            // The user said something else since: it is told with the next one, if any.
            if let Some(next) = settings.digest.due_after(due) {
                let at = due.start_micros();
                self.tables.telling.write_due(next, user, at).await?;
            }
            return Ok(());
        };
        let known = self.tables.users.read(user).await?;
        let Some(reader) = known.filter(|it| it.state == UserState::Active) else {
            return Ok(());
        };
        let from = time_uuid::least_at_unix_millis(first.start_micros() / 1_000);
        let happenings = &self.tables.happenings;
        let told = happenings
            .notifications_after(user, from, MOST_COUNTED)
            .await?;
        let seen = settings.seen_through;
        let is_unseen = |it: &Happening| {
            let is_before = it.at_micros() < due.start_micros();
            is_before && seen.is_none_or(|seen| time_uuid::compare(&it.id, &seen).is_gt())
        };
        let unseen: Vec<Happening> = told.into_iter().filter(is_unseen).collect();
        if unseen.is_empty() {
            return Ok(());
        }
        let mail = Mail {
            day: due,
            id: digest_id(user, due),
            recipient: reader.email,
            kind: "digest".to_owned(),
            fields: self.digest_fields(reader.name, &unseen).await?,
            created_micros: self.clock.now_micros(),
        };
        self.tables.outbox.put(&mail).await.map(|_| ())
    }

    /// Who reads it, how many there are, and a line for each of the last ones.
    async fn digest_fields(
        &self,
        name: String,
        unseen: &[Happening],
    ) -> Result<BTreeMap<String, String>, Error> {
        let told = unseen.iter().take(MOST_LINES).cloned().collect();
        let mut lines = Vec::new();
        for it in self.with_details(told).await? {
            let page = match it.policy {
                Some(policy) => self.tables.pages.read(policy).await?,
                None => None,
            };
            let shown = page.filter(|page| !page.is_hidden).map(|page| page.title);
            lines.push(news_line(
                it.kind,
                shown.as_deref().unwrap_or(""),
                &it.detail,
            ));
        }
        let mut fields = BTreeMap::from([
            ("name".to_owned(), name),
            ("count".to_owned(), unseen.len().to_string()),
            ("news".to_owned(), lines.join("\n")),
        ]);
        if unseen.len() > MOST_LINES {
            let more = unseen.len() - MOST_LINES;
            fields.insert("more".to_owned(), more.to_string());
        }
        Ok(fields)
    }
}

/// The identifier of the digest of a user and a day.
fn digest_id(user: UserId, due: Day) -> uuid::Uuid {
    let mut named = user.0.as_bytes().to_vec();
    named.extend(due.0.to_be_bytes());
    id_of("digest", &named)
}
