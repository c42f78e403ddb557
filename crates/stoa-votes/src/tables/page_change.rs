//! What else of a page changes than its text.

use uuid::Uuid;

use crate::model::{Page, PolicyState, UserId};

/// What else of a page changes than its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageChange<'a> {
    /// Where it belongs.
    Place {
        /// The key of its category.
        category: &'a str,
        /// The party that stands behind it.
        party: Option<Uuid>,
    },
    /// Whether it is hidden, as a moderator says: whatever case it was hidden for.
    Hidden(bool),
    /// That it is hidden for a case, unless it is hidden.
    HiddenFor(Uuid),
    /// That it is not hidden for a case any more; what else it is hidden for stays.
    ShownFor(Uuid),
    /// That the policy ended; the change is when.
    Ended {
        /// What it is since.
        state: PolicyState,
        /// Who ended it.
        by: UserId,
        /// Why.
        reason: &'a str,
    },
    /// That all its texts are gone.
    Erased,
}

impl PageChange<'_> {
    /// Whether a page is so already. A policy ends once, whatever the reason; but what its owner
    /// withdrew may be ended by a moderator.
    #[must_use]
    pub fn is_there(&self, page: &Page) -> bool {
        match self {
            Self::Place { category, party } => page.category == *category && page.party == *party,
            Self::Hidden(is_hidden) => page.is_hidden == *is_hidden && page.hidden_for.is_none(),
            Self::HiddenFor(_) => page.is_hidden,
            Self::ShownFor(case) => page.hidden_for != Some(*case),
            Self::Ended { state, .. } => page
                .ending
                .as_ref()
                .is_some_and(|it| it.state.is_released() || !state.is_released()),
            Self::Erased => page.title.is_empty(),
        }
    }
}
