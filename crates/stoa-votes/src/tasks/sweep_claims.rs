//! Giving back names and addresses that nobody has: of registrations and changes that came to
//! nothing, of users who moved on, and of those who ended, whose end is finished first.

use std::collections::HashMap;

use stoa_session::Error;
use stoa_types::time_uuid;
use uuid::Uuid;

use super::failures::Failures;
use crate::model::{UserId, UserState};
use crate::rules::claims::{Claim, ClaimKind, ClaimState, RESERVED_MICROS};
use crate::tables::users::ScannedUser;
use crate::votes::Votes;

impl Votes {
    /// Looks at every claim but reservations that are left alone for a while, and names and
    /// addresses of people who plainly have them.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn sweep_claims(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        let users = self.tables.users.scan().await?;
        let mut failures = Failures::default();
        for user in &users {
            failures.part(self.sweep_attempt(user, now).await)?;
        }
        let users: HashMap<UserId, ScannedUser> = users.into_iter().map(|it| (it.id, it)).collect();
        for kind in [ClaimKind::Email, ClaimKind::Name] {
            for claim in self.tables.claims.of(kind).all().await? {
                let user = claim.user.and_then(|user| users.get(&user));
                let is_looked_at = match claim.state {
                    ClaimState::Reserved => claim.is_over(now),
                    ClaimState::Owned => !user.is_some_and(|it| it.plainly_has(kind, &claim)),
                    ClaimState::Released => false,
                };
                if is_looked_at {
                    failures.part(self.settle_claim(kind, &claim).await)?;
                }
            }
        }
        failures.end()
    }

    /// Ends what a user began as long ago as a reservation lasts. It may have claimed nothing yet, and
    /// then no claim leads to it.
    async fn sweep_attempt(&self, it: &ScannedUser, now_micros: i64) -> Result<(), Error> {
        let users = &self.tables.users;
        let begun = |attempt: &Uuid| time_uuid::unix_micros(attempt).unwrap_or(0);
        let is_over = |attempt: &Uuid| begun(attempt) + RESERVED_MICROS <= now_micros;
        let Some(attempt) = it.attempt.filter(is_over) else {
            return Ok(());
        };
        match it.state {
            UserState::Joining => users.abandon(it.id, attempt).await?,
            _ => users.drop_plan(it.id, attempt).await?,
        };
        Ok(())
    }
}

impl ScannedUser {
    /// Whether a claim is that of an active user for what it is used for; then nobody need ask.
    fn plainly_has(&self, kind: ClaimKind, claim: &Claim) -> bool {
        let key = match kind {
            ClaimKind::Name => &self.name_key,
            ClaimKind::Email => &self.email_key,
        };
        self.state == UserState::Active && *key == claim.key
    }
}
