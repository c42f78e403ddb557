//! Telling those who watch of what happened.
//!
//! A happening is told once: after all were told, that is written down. Whoever dies before has it
//! told again, and a notification has the identifier of what it tells, so nobody is told twice. The
//! mark says up to when everything was told; a little of what is before it is looked at again, for
//! what is written late. After a stop it goes back to the mark, but for 14 days at most: nobody is
//! told of what is older, because it is not known any more whether they were.

use std::collections::BTreeMap;

use stoa_session::Error;

use super::failures::Failures;
use super::swept::Sweep;
use crate::model::{DigestFrequency, Happening, HappeningKind, UserId};
use crate::tables::happenings::hour_of;
use crate::votes::Votes;

/// What is told; two hours before the mark are looked at again.
const SWEEP: Sweep = Sweep {
    mark: "tell_watchers",
    again_micros: 2 * 3_600_000_000,
};
/// How far back it goes if it did not run for long: 14 days. What was told is known for a day longer
/// ([`TOLD_SECONDS`](crate::tables::telling::TOLD_SECONDS)).
const MOST_HOURS: i64 = 14 * 24;

impl Votes {
    /// Tells everybody of what they were not told of.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn tell_watchers(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let telling = &self.tables.telling;
        let earliest = hour_of(now) - MOST_HOURS;
        let first = hour_of(self.sweeps_from(SWEEP).await?);
        let mut failures = Failures::default();
        let mut wishes = BTreeMap::new();
        for hour in first.max(earliest)..=hour_of(now) {
            let untold = self.untold(hour).await;
            for happening in failures.part(untold)?.into_iter().flatten() {
                let told = self.tell_all(&happening, &mut wishes).await;
                if failures.part(told)?.is_some() {
                    failures.part(telling.write_told(happening.id).await)?;
                }
            }
        }
        failures.end()?;
        self.swept(SWEEP, now).await
    }

    /// What happened in an hour and not all were told of.
    async fn untold(&self, hour: i64) -> Result<Vec<Happening>, Error> {
        let mut happenings = self.tables.happenings.of_hour(hour).await?;
        if !happenings.is_empty() {
            let told = self.tables.telling.told(hour).await?;
            happenings.retain(|it| !told.contains(&it.id));
        }
        Ok(happenings)
    }

    async fn tell_all(
        &self,
        it: &Happening,
        wishes: &mut BTreeMap<UserId, Option<DigestFrequency>>,
    ) -> Result<(), Error> {
        let Some(policy) = it.policy else {
            return Ok(());
        };
        if it.kind == HappeningKind::Created {
            // Should whoever created it have died before: owners are told of what happens to it.
            return self.watch_own(it.actor, policy).await;
        }
        if !is_for_all(it.kind) {
            return Ok(());
        }
        let mut failures = Failures::default();
        for user in self.all_watchers(policy).await? {
            if user != it.actor {
                failures.part(self.tell_one(user, it, wishes).await)?;
            }
        }
        failures.end()
    }

    async fn tell_one(
        &self,
        user: UserId,
        it: &Happening,
        wishes: &mut BTreeMap<UserId, Option<DigestFrequency>>,
    ) -> Result<(), Error> {
        let wish = match wishes.get(&user) {
            Some(wish) => *wish,
            None => self.wish_of(user).await?,
        };
        wishes.insert(user, wish);
        match wish {
            Some(wish) => self.notify_as(user, wish, it).await,
            None => Ok(()),
        }
    }

    /// How often a user wants mail; none of a user who has ended and is told of nothing.
    async fn wish_of(&self, user: UserId) -> Result<Option<DigestFrequency>, Error> {
        let known = self.tables.users.read(user).await?;
        if known.is_some_and(|known| known.state.has_ended()) {
            return Ok(None);
        }
        let settings = self.tables.watching.settings(user).await?;
        Ok(Some(settings.digest))
    }
}

/// Whether all who watch are told; of some only one user is, by whoever does it, and nobody watches
/// what is not created yet.
fn is_for_all(kind: HappeningKind) -> bool {
    !matches!(
        kind,
        HappeningKind::Created
            | HappeningKind::Replied
            | HappeningKind::ReportDecided
            | HappeningKind::MergeObjected
            | HappeningKind::RoleChanged
    )
}
