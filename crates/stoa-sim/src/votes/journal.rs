//! What clients were told, and what they know of each other: the policies people talk about, the
//! requests that were sent.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stoa_votes::model::{PolicyId, RequestId, UserId, VoteVersion};
use stoa_votes::ops::submit::{Accepted, NotAccepted, Request};

use super::happenings::Happenings;

/// A definite answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Told {
    Accepted(Accepted),
    Refused(String),
}

/// What one user was told, and by which request.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub(crate) user: UserId,
    pub(crate) request: RequestId,
    pub(crate) told: Told,
}

#[derive(Debug, Default)]
pub(crate) struct Pages {
    pub(crate) lines: Vec<Line>,
    pub(crate) policies: Vec<PolicyId>,
    pub(crate) sent: Vec<(usize, Request)>,
    pub(crate) released: Vec<PolicyId>,
    /// What each user last saw, in whatever window: the basis of a request may come from one
    /// instance, and the request go to another, which remembers older things.
    pub(crate) seen: BTreeMap<usize, VoteVersion>,
    /// What each user once saw on policies.
    pub(crate) held: BTreeMap<usize, Vec<(PolicyId, i64)>>,
    pub(crate) happenings: Happenings,
}

/// What all clients share, as people do who talk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Journal(Arc<Mutex<Pages>>);

impl Journal {
    pub(crate) fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn happenings(&self) -> Happenings {
        self.pages().happenings
    }

    /// Writes down what a client was told.
    pub(crate) fn tell(
        &self,
        user: UserId,
        request: &Request,
        answer: &Result<Accepted, NotAccepted>,
    ) {
        let mut pages = self.pages();
        let told = match answer {
            Ok(accepted) => {
                pages.happenings.accepted += 1;
                Told::Accepted(*accepted)
            }
            Err(NotAccepted::Unknown(_)) => {
                pages.happenings.unknown += 1;
                return;
            }
            Err(error) if error.code() == "stale_basis" => {
                pages.happenings.stale += 1;
                return;
            }
            // The end of an account is no answer of its own: it comes after all others.
            Err(error) if error.code() == "account_ended" => return,
            Err(error) => {
                pages.happenings.refused += 1;
                Told::Refused(error.code().to_owned())
            }
        };
        let request = request.id;
        pages.lines.push(Line {
            user,
            request,
            told,
        });
    }

    /// Every accepted record that someone was told of.
    pub(crate) fn accepted(&self) -> Vec<(UserId, i64, VoteVersion)> {
        let pages = self.pages();
        let accepted = pages.lines.iter().filter_map(|line| match &line.told {
            Told::Accepted(it) => Some((line.user, it.seq, it.version)),
            Told::Refused(_) => None,
        });
        accepted.collect()
    }

    /// The requests that got two different answers.
    pub(crate) fn contradictions(&self) -> Vec<String> {
        let pages = self.pages();
        let mut answers: BTreeMap<RequestId, &Told> = BTreeMap::new();
        let mut found = Vec::new();
        for line in &pages.lines {
            let known = answers.entry(line.request).or_insert(&line.told);
            if *known != &line.told {
                let request = line.request;
                found.push(format!(
                    "request {request}: {known:?}, then {:?}",
                    line.told
                ));
            }
        }
        found
    }
}
