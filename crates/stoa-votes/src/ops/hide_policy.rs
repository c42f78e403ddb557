//! Hiding a page until somebody has looked at it, and showing it again. A flag and no state: votes
//! stay where they are.

use crate::model::{By, NotDone, PageAction, PolicyId, Role};
use crate::rules::page_text::checked_reason;
use crate::tables::pages::PageChange;
use crate::votes::Votes;

/// Whether people see a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// They do.
    Shown,
    /// Only moderators and owners do.
    Hidden,
}

impl Votes {
    /// Hides a page or shows it again. It takes the role of handling reports.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn set_visibility(
        &self,
        by: By,
        policy: PolicyId,
        visibility: Visibility,
        reason: &str,
    ) -> Result<(), NotDone> {
        self.demand(by, Role::HandleReports).await?;
        let reason = checked_reason(reason)?;
        let (to, action) = match visibility {
            Visibility::Hidden => (PageChange::Hidden(true), PageAction::Hide),
            Visibility::Shown => (PageChange::Hidden(false), PageAction::Show),
        };
        self.moderate_page(policy, to, (by, action, &reason)).await
    }
}
