//! Suggestions of tags before those who moderate tags: what waits, and turning one down. Following
//! one is tagging the policy (`ops/tag_policy.rs`), which forgets what was suggested.

use crate::model::{By, NotDone, PolicyId, Role, TagId, TagSuggestion};
use crate::votes::Votes;

/// Suggestions of one answer at most.
pub const MOST_SUGGESTED: i32 = 200;

impl Votes {
    /// Some of what people suggest about tags, in the order of the table: at most
    /// [`MOST_SUGGESTED`]. It takes the role of moderating tags.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn waiting_suggestions(&self, by: By) -> Result<Vec<TagSuggestion>, NotDone> {
        self.demand(by, Role::ModerateTags).await?;
        let table = &self.tables.tag_suggestions;
        Ok(table.some(MOST_SUGGESTED).await?)
    }

    /// Turns down what was suggested about a tag of a policy up to now. It takes the role of
    /// moderating tags, and is in the audit log. Asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn decline_suggestion(
        &self,
        by: By,
        policy: PolicyId,
        tag: TagId,
    ) -> Result<(), NotDone> {
        self.demand(by, Role::ModerateTags).await?;
        let what = format!("tag {tag} of policy {policy}");
        self.note_reading(by, "decline_suggestion", &what).await?;
        Ok(self.decide_suggestions(policy, tag).await?)
    }
}
