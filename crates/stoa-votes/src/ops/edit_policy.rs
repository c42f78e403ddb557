//! Editing the text of a policy: every edit is a version of its own, and none is lost.

use uuid::Uuid;

use crate::model::{
    HappeningKind, NotDone, Page, PageAction, PageRefusal, PolicyId, PolicyText, RequestId,
    TextVersion, UserId,
};
use crate::rules::page_text::{checked_note, checked_text};
use crate::tables::changes::Changed;
use crate::votes::Votes;

/// Versions of a text at most.
const MOST_VERSIONS: i32 = 500;
/// How many of the last versions are searched for a request that comes again.
const SEARCHED: i32 = 20;

/// A new text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What the client calls it, so that it can ask again.
    pub request: RequestId,
    /// The change of the page that the author saw.
    pub seen: Uuid,
    /// The text.
    pub text: PolicyText,
    /// What the author says about the change.
    pub note: String,
}

impl Votes {
    /// Edits a policy: its owners, and who edits those of others, which the public log says.
    /// Whoever watches it is told, once others have votes on it.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn edit_policy(
        &self,
        by: UserId,
        policy: PolicyId,
        edit: &Edit,
    ) -> Result<TextVersion, NotDone> {
        let text = checked_text(&edit.text)?;
        let note = checked_note(&edit.note)?;
        let page = self.settled_page(policy).await?;
        // What was answered before is answered so again, whatever became of the policy since.
        let before = self.edited_before(policy, edit.request).await?;
        let version = match before {
            Some(before) if before.text == text && before.author == by => {
                self.publish_act(&page).await?;
                before
            }
            Some(_) => return Err(PageRefusal::RequestReused.into()),
            None => {
                let page = self.open_page(policy).await?;
                self.demand_page(by, &page).await?;
                self.add_version(by, &page, edit, (text, note)).await?
            }
        };
        self.note_changed(policy, Changed::Rest).await?;
        if self.others_vote(policy, page.owner).await? {
            let act = (version.at, by);
            self.tell(policy, HappeningKind::Edited, act, &version.note)
                .await?;
        }
        Ok(version)
    }

    async fn add_version(
        &self,
        by: UserId,
        page: &Page,
        edit: &Edit,
        (text, note): (PolicyText, String),
    ) -> Result<TextVersion, NotDone> {
        let pages = &self.tables.pages;
        if page.change != edit.seen {
            return Err(PageRefusal::Changed.into());
        }
        if page.text_version >= MOST_VERSIONS {
            return Err(PageRefusal::TooManyVersions.into());
        }
        let shown = pages.text(page.policy, page.text_version).await?;
        if shown.is_some_and(|shown| shown.text == text) {
            return Err(PageRefusal::Nothing.into());
        }
        let act = self.page_act(by, PageAction::Edit, &note);
        let version = TextVersion {
            version: page.text_version + 1,
            text,
            author: by,
            at: act.id,
            request: edit.request,
            note,
        };
        // What owners do to their own is no moderation.
        let act = Some(act).filter(|_| !page.is_owned_by(by));
        if act.is_some() {
            self.publish_act(page).await?;
        }
        let sent = pages.edit(page, &version, act.as_ref()).await;
        if matches!(sent, Ok(true)) && act.is_none() {
            return Ok(version);
        }
        // Others came first, or nobody knows: what is there now tells.
        let settled = self.settled_page(page.policy).await?;
        self.publish_act(&settled).await?;
        match (self.edited_before(page.policy, edit.request).await?, sent) {
            (Some(there), _) => Ok(there),
            (None, Ok(true)) => Ok(version),
            (None, Ok(false)) => Err(PageRefusal::Changed.into()),
            (None, Err(error)) => Err(error.into()),
        }
    }

    async fn edited_before(
        &self,
        policy: PolicyId,
        request: RequestId,
    ) -> Result<Option<TextVersion>, NotDone> {
        let texts = self.tables.pages.texts(policy, SEARCHED).await?;
        Ok(texts.into_iter().find(|text| text.request == request))
    }

    /// Whether anybody but its owner has votes on a policy, as it was last counted.
    async fn others_vote(&self, policy: PolicyId, owner: UserId) -> Result<bool, NotDone> {
        let total = self.tables.counts.total(policy).await?.unwrap_or(0);
        let own = self.tables.counts.supporter(policy, owner).await?;
        Ok(total > own.unwrap_or(0))
    }
}
