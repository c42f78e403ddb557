//! What happened lately to policies that everybody sees: the last first, of about a week.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use stoa_session::Error;
use stoa_types::time_uuid;

use crate::model::{Happening, HappeningKind, PolicyId};
use crate::tables::happenings::hour_of;
use crate::votes::Votes;

/// How much news is given at once.
pub const MOST_NEWS: usize = 100;
/// How far back news is looked for: a week.
const MOST_HOURS: i64 = 7 * 24;

impl Votes {
    /// What happened lately to some policies, the last first: at most so much, and no more than
    /// [`MOST_NEWS`]. What is no news for everybody is left out, and so is every policy that is not
    /// shown. What was said about it is not told: a comment is read where it stands.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn news(
        &self,
        most: usize,
        is_wanted: impl Fn(PolicyId) -> bool,
    ) -> Result<Vec<Happening>, Error> {
        let most = most.min(MOST_NEWS);
        let now = hour_of(self.clock.now_micros());
        let mut news = Vec::new();
        let mut is_shown: BTreeMap<PolicyId, bool> = BTreeMap::new();
        // Clocks of instances differ a little, so something may be of the next hour.
        for hour in (now.saturating_sub(MOST_HOURS)..=now.saturating_add(1)).rev() {
            let mut happened = self.tables.happenings.of_hour(hour).await?;
            happened.sort_by(|one, other| time_uuid::compare(&other.id, &one.id));
            for it in happened {
                let Some(policy) = it.policy.filter(|policy| is_wanted(*policy)) else {
                    continue;
                };
                if !is_news(it.kind) {
                    continue;
                }
                if let Entry::Vacant(entry) = is_shown.entry(policy) {
                    entry.insert(self.is_shown(policy).await?);
                }
                if is_shown.get(&policy) == Some(&true) {
                    news.push(it);
                }
                if news.len() >= most {
                    return Ok(news);
                }
            }
        }
        Ok(news)
    }

    /// What happened to a policy, the last first, with what is told of it: at most so much, and no
    /// more than [`MOST_NEWS`]. Nothing of a policy that is not shown.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn policy_news(
        &self,
        policy: PolicyId,
        most: usize,
    ) -> Result<Vec<Happening>, Error> {
        if !self.is_shown(policy).await? {
            return Ok(Vec::new());
        }
        let most = i32::try_from(most.clamp(1, MOST_NEWS)).unwrap_or(1);
        let mut news = self.tables.happenings.of_policy(policy, most).await?;
        news.retain(|it| is_news(it.kind));
        Ok(news)
    }
}

/// Whether everybody may hear of it as something new. That something was hidden is told by the
/// public log.
fn is_news(kind: HappeningKind) -> bool {
    matches!(
        kind,
        HappeningKind::Created
            | HappeningKind::Edited
            | HappeningKind::Commented
            | HappeningKind::Responded
            | HappeningKind::Milestone
            | HappeningKind::Merged
            | HappeningKind::Retired
    )
}
