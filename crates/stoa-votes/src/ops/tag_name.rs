//! From a name to its tag. The claim of the name decides; the row of the tag follows from it, so
//! whoever finds a claim without a tag writes the tag.

use stoa_session::{Error, Outcome};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::claim::busy;
use crate::model::{NotDone, Tag, TagId, TagRefusal, TagState};
use crate::rules::tags::{MOST_MERGES, TagName};
use crate::tables::tags::ClaimedTagName;
use crate::votes::Votes;

impl Votes {
    /// The tag of a name, which is made if there is none.
    ///
    /// # Errors
    /// That the name is blocked, or those of the session.
    pub(crate) async fn tag_for(&self, name: &TagName) -> Result<Tag, NotDone> {
        let claim = self.claim_tag_name(name, name.new_tag()).await?;
        let tag = self.claimed_tag(&claim).await?;
        Ok(tag.ok_or(TagRefusal::Blocked)?)
    }

    /// Where a name leads: to a tag, unless it leads to another one already.
    pub(crate) async fn claim_tag_name(
        &self,
        name: &TagName,
        tag: TagId,
    ) -> Result<ClaimedTagName, Error> {
        let tags = &self.tables.tags;
        for _ in 0..self.settings.attempts {
            if let Some(claim) = tags.name(&name.key).await? {
                return Ok(claim);
            }
            let claim = ClaimedTagName {
                key: name.key.clone(),
                tag,
                shown: name.shown.clone(),
            };
            settled(tags.claim(&claim).await)?;
        }
        Err(busy("the name of a tag could not be claimed"))
    }

    /// The tag that counts for a claimed name; none if that was deleted. A tag whose maker died is
    /// made.
    pub(crate) async fn claimed_tag(&self, claim: &ClaimedTagName) -> Result<Option<Tag>, Error> {
        self.make_claimed_tag(claim).await?;
        self.settled_tag(claim.tag).await
    }

    /// Makes the tag of a claimed name, unless it is there.
    pub(crate) async fn make_claimed_tag(&self, claim: &ClaimedTagName) -> Result<(), Error> {
        let tags = &self.tables.tags;
        for _ in 0..self.settings.attempts {
            if tags.settle(claim.tag).await?.is_some() {
                return Ok(());
            }
            settled(tags.create(claim, self.ids.time_uuid()).await)?;
        }
        Err(busy("the tag of a name could not be made"))
    }

    /// The tag that counts for a tag; none if that was deleted. Nothing stays undecided.
    pub(crate) async fn settled_tag(&self, tag: TagId) -> Result<Option<Tag>, Error> {
        let mut at = tag;
        for _ in 0..MOST_MERGES {
            let Some(tag) = self.tables.tags.settle(at).await? else {
                return Ok(None);
            };
            match tag.merged_to {
                Some(next) => at = next,
                None => return Ok((tag.state == TagState::Active).then_some(tag)),
            }
        }
        Ok(None)
    }

    /// A new time UUID that is later than another one, whatever the clock says: what is written at
    /// its time comes after what was written at the other's.
    pub(crate) fn later_than(&self, seen: Option<Uuid>) -> Uuid {
        let new = self.ids.time_uuid();
        let micros = |id: &Uuid| time_uuid::unix_micros(id).unwrap_or(0);
        match seen {
            Some(seen) if micros(&new) <= micros(&seen) => {
                let low_half = time_uuid::clock_seq_and_node(self.ids.random_u64());
                time_uuid::from_unix_micros(micros(&seen) + 1, low_half)
            }
            _ => new,
        }
    }
}

/// What a conditional write came to, where the caller reads again in any case: an unknown outcome
/// is as good as a known one.
pub(crate) fn settled(tried: Result<bool, Error>) -> Result<(), Error> {
    match tried {
        Ok(_) => Ok(()),
        Err(error) if error.outcome() == Outcome::Unknown => Ok(()),
        Err(error) => Err(error),
    }
}
