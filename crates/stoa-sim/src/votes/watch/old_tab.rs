//! A browser tab that was held for longer than a day stays open: what is asked in it is refused.
//!
//! Not every old state is one that has passed: who did nothing for a week may go on where the last
//! record left off. But if another record followed, and the day of the first one is closed, nothing
//! that follows the first one may be accepted, whatever else goes wrong.

use std::collections::BTreeSet;

use stoa_votes::model::{Day, RequestId, UserId, VoteVersion};
use stoa_votes::ops::submit::{Accepted, NotAccepted, Request};
use stoa_votes::rules::audit::Invariant;

use super::Watched;
use crate::votes::KEYSPACE;

/// A request from such a tab, before it is sent.
pub(in crate::votes) struct OldTab {
    request: RequestId,
    /// What had been accepted by then; the same request may be among it.
    accepted: BTreeSet<VoteVersion>,
}

impl Watched {
    /// Whether a request comes from such a tab, as all replicas together know.
    pub(in crate::votes) fn old_tab(&self, user: UserId, request: &Request) -> Option<OldTab> {
        let basis = request.basis?;
        let text = format!(
            "SELECT head, version, day FROM {KEYSPACE}.vote_chain WHERE user = ? AND slot = ?"
        );
        let rows = self.cluster.inspect(&text, (user, 0_i8)).ok()?;
        let head: Option<VoteVersion> = rows.first()?.get("head").ok()?;
        if head == Some(basis) {
            return None;
        }
        let mut accepted = BTreeSet::new();
        let mut day: Option<Day> = None;
        for row in rows.iter() {
            let version: VoteVersion = row.get("version").ok()?;
            accepted.insert(version);
            if version == basis {
                day = row.get("day").ok()?;
            }
        }
        let is_closed = self.state_of(day?).as_deref() == Some("closed");
        is_closed.then_some(OldTab {
            request: request.id,
            accepted,
        })
    }

    /// Such a request was answered: it is stale, or it was decided when its state was the last one.
    pub(in crate::votes) fn end_old_tab(
        &self,
        tab: &OldTab,
        answer: &Result<Accepted, NotAccepted>,
    ) {
        let mut pages = self.journal.pages();
        match answer {
            Ok(accepted) if !tab.accepted.contains(&accepted.version) => {
                let what = format!(
                    "request {} follows a record of a closed day that is not the last one, and \
                     was accepted as {:?}",
                    tab.request, accepted.version
                );
                pages.find(Invariant::FirstWriterWins, what);
            }
            Err(error) if error.code() == "stale_basis" => pages.happenings.old_tabs += 1,
            _ => {}
        }
    }
}
