//! Giving back names and addresses that nobody has: of registrations and changes of name that came
//! to nothing, of users who moved on, and of those who ended, whose end is finished first.

use stoa_session::Error;
use stoa_types::time_uuid;

use crate::model::UserState;
use crate::rules::claims::{ClaimKind, ClaimState, RESERVED_MICROS};
use crate::votes::Votes;

impl Votes {
    /// Looks at every claim but reservations that are left alone for a while.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn sweep_claims(&self) -> Result<(), Error> {
        let now = self.clock.now_micros();
        self.sweep_attempts(now).await?;
        for kind in [ClaimKind::Email, ClaimKind::Name] {
            for claim in self.tables.claims.of(kind).all().await? {
                let is_looked_at = match claim.state {
                    ClaimState::Reserved => claim.is_over(now),
                    ClaimState::Owned => true,
                    ClaimState::Released => false,
                };
                if is_looked_at {
                    self.settle_claim(kind, &claim).await?;
                }
            }
        }
        Ok(())
    }

    /// Ends what was begun as long ago as a reservation lasts. It may have claimed nothing yet, and
    /// then no claim leads to it.
    async fn sweep_attempts(&self, now_micros: i64) -> Result<(), Error> {
        let users = &self.tables.users;
        for (user, state, attempt) in users.attempts().await? {
            let begun = time_uuid::unix_micros(&attempt).unwrap_or(0);
            if begun + RESERVED_MICROS > now_micros {
                continue;
            }
            match state {
                UserState::Joining => users.abandon(user, attempt).await?,
                _ => users.drop_plan(user, attempt).await?,
            };
        }
        Ok(())
    }
}
