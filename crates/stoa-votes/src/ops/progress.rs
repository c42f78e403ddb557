//! What those say who carry policies out: an official response, how far it is, milestones.

use stoa_session::Error;

use crate::model::{
    HappeningKind, NotDone, PageRefusal, PolicyId, Progress, ProgressKind, RequestId, Role, UserId,
};
use crate::ops::page::ShownPage;
use crate::rules::page_text::checked_said;
use crate::votes::Votes;

/// Characters of a response that those are told who watch the policy.
const MOST_TOLD: usize = 500;

impl Votes {
    /// Says something officially about a policy. It takes the role of publishing officially. Asking
    /// again with the same request says it once.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn publish(
        &self,
        by: UserId,
        policy: PolicyId,
        request: RequestId,
        kind: ProgressKind,
        text: &str,
    ) -> Result<(), NotDone> {
        self.demand(crate::model::By::User(by), Role::PublishOfficial)
            .await?;
        let text = checked_said(kind, text)?;
        let shown = self.page(policy).await?;
        if !shown.is_readable() || shown.standing.merged_to.is_some() {
            return Err(PageRefusal::NotShown(policy).into());
        }
        let said = Progress {
            at: self.ids.time_uuid(),
            request,
            kind,
            text,
            author: by,
        };
        let written = self.tables.progress.write(policy, &said).await;
        let all = self.tables.progress.list(policy).await?;
        let there = all.into_iter().find(|it| it.request == request);
        let there = match (there, written) {
            (Some(there), _) => there,
            (None, Err(error)) => return Err(error.into()),
            (None, Ok(_)) => said.clone(),
        };
        if (there.kind, &there.text, there.author) != (kind, &said.text, by) {
            return Err(PageRefusal::RequestReused.into());
        }
        self.note_publishing(policy, &there).await?;
        let happening = match kind {
            ProgressKind::Response => HappeningKind::Responded,
            ProgressKind::Status(_) | ProgressKind::Milestone(_) => HappeningKind::Milestone,
        };
        let detail = match (kind.status(), kind.day()) {
            (Some(status), _) => format!("{}: {}", status.name(), there.text),
            (None, Some(day)) => format!("{day}: {}", there.text),
            // Who is told follows the way to the page; a response may be a long one.
            (None, None) => there.text.chars().take(MOST_TOLD).collect(),
        };
        self.tell(policy, happening, (there.at, by), &detail)
            .await?;
        Ok(())
    }

    /// Everything that was officially said about a policy, the last first; nothing of one that not
    /// everybody may read.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn progress(&self, shown: &ShownPage) -> Result<Vec<Progress>, Error> {
        match shown.is_readable() {
            true => self.tables.progress.list(shown.page.policy).await,
            false => Ok(Vec::new()),
        }
    }
}
