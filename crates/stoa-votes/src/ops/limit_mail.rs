//! How often mail is sent to one address because somebody asked: a few times an hour, or others could
//! fill the letterbox of a person whose address they know.

use stoa_session::Error;

use super::claim::busy;
use crate::tables::happenings::hour_of;
use crate::votes::Votes;

/// How many links are sent to one address within an hour at most, of each kind.
pub const MOST_LINKS_IN_AN_HOUR: i32 = 5;

impl Votes {
    /// Counts that a link is asked for; whether it may be sent. `who` names the kind of link and the
    /// address by a digest.
    pub(crate) async fn may_send_link(&self, who: &str) -> Result<bool, Error> {
        let rates = &self.tables.talk.rates;
        for _ in 0..self.settings.attempts {
            let hour = hour_of(self.clock.now_micros());
            let seen = rates.read(who, hour).await?;
            if seen.unwrap_or(0) >= MOST_LINKS_IN_AN_HOUR {
                return Ok(false);
            }
            if rates.raise(who, hour, seen).await? {
                return Ok(true);
            }
        }
        Err(busy("the same was asked too often at once"))
    }
}
