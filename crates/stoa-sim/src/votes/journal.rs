//! What clients were told, and what they know of each other: the policies people talk about, the
//! requests that were sent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stoa_testkit::history::order::Operation;
use stoa_votes::model::{Day, PolicyId, RequestId, UserId, VoteVersion};
use stoa_votes::ops::submit::{Accepted, Ask, NotAccepted, Request};
use stoa_votes::rules::audit::{Finding, Invariant};
use uuid::Uuid;

use super::happenings::Happenings;
use super::linear::{Answer, Deed};

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

/// Whether an instance refused a request because of its clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ClockAnswer {
    /// How far its clock is off.
    pub(crate) off_micros: i64,
    /// Whether it refused.
    pub(crate) is_refused: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Pages {
    pub(crate) lines: Vec<Line>,
    pub(crate) policies: Vec<PolicyId>,
    pub(crate) sent: Vec<(usize, Request)>,
    pub(crate) released: Vec<PolicyId>,
    /// The policies that each user created.
    pub(crate) owned: BTreeMap<usize, Vec<PolicyId>>,
    /// Those of them that were withdrawn.
    pub(crate) withdrawn: Vec<PolicyId>,
    /// What each user last saw, in whatever window: the basis of a request may come from one
    /// instance, and the request go to another, which remembers older things.
    pub(crate) seen: BTreeMap<usize, VoteVersion>,
    /// What each user once saw on policies.
    pub(crate) held: BTreeMap<usize, Vec<(PolicyId, i64)>>,
    pub(crate) happenings: Happenings,
    /// What instances with clocks far off answered.
    pub(crate) clock_answers: Vec<ClockAnswer>,
    /// What days were closed as, by those who were told that they closed them.
    pub(crate) closed_as: Vec<(Day, Uuid)>,
    /// What final rankings of days were decided, by those who were told that they decided them.
    pub(crate) ranked_as: Vec<(Day, Uuid)>,
    /// What was read of payments: whose, of which period, how much.
    pub(crate) paid: BTreeMap<(Uuid, Day), i64>,
    /// The policies that others were merged into.
    pub(crate) targets: BTreeSet<PolicyId>,
    /// The background workers that made intents go, by the version of the record to come.
    pub(crate) drained: BTreeMap<Uuid, BTreeSet<Arc<str>>>,
    /// What was found wrong while it happened.
    pub(crate) findings: Vec<Finding>,
    /// What each user did, when by a count of begins and ends, and what was answered.
    calls: BTreeMap<UserId, Vec<Operation<Deed>>>,
    order: u64,
}

impl Pages {
    /// Writes down what is wrong.
    pub(crate) fn find(&mut self, invariant: Invariant, what: String) {
        self.findings.push(Finding { invariant, what });
    }

    /// Writes down what was read of a payment, which is the same for ever. I12.
    pub(crate) fn read_payment(&mut self, (user, period): (Uuid, Day), amount: i64) {
        let known = *self.paid.entry((user, period)).or_insert(amount);
        if known != amount {
            let what = format!("user {user} was paid {known} for {period}, and then {amount}");
            self.find(Invariant::PaidOnce, what);
        }
    }

    fn next_order(&mut self) -> u64 {
        self.order += 1;
        self.order
    }
}

/// A call under way: whose, and which of that user's.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CallNumber(UserId, usize);

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

    /// Writes down that a request is sent. Without an end, nobody knows what came of it.
    pub(crate) fn begin(&self, user: UserId, request: &Request) -> CallNumber {
        self.begin_deed(
            user,
            Deed::Submit {
                request: request.id,
                basis: request.basis,
                is_end: request.ask == Ask::End,
                answer: Answer::Unknown,
            },
        )
    }

    /// Writes down that a state is looked at. Without an end, it does not matter.
    pub(crate) fn begin_look(&self, user: UserId) -> CallNumber {
        self.begin_deed(user, Deed::Look(None))
    }

    /// Writes down that a policy is being withdrawn. Without an end, nobody knows what came of it.
    pub(crate) fn begin_withdrawal(&self, user: UserId) -> CallNumber {
        self.begin_deed(user, Deed::Withdraw)
    }

    /// Writes down that a policy was withdrawn.
    pub(crate) fn end_withdrawal(&self, call: CallNumber, policy: PolicyId) {
        self.end_call(call, |_| ());
        let mut pages = self.pages();
        pages.happenings.withdrawn_policies += 1;
        pages.withdrawn.push(policy);
    }

    fn begin_deed(&self, user: UserId, deed: Deed) -> CallNumber {
        let mut pages = self.pages();
        let invoked = pages.next_order();
        let calls = pages.calls.entry(user).or_default();
        calls.push(Operation::unknown(invoked, deed));
        CallNumber(user, calls.len() - 1)
    }

    /// Writes down what was seen.
    pub(crate) fn end_look(&self, call: CallNumber, seen: Option<VoteVersion>) {
        self.end_call(call, |deed| *deed = Deed::Look(seen));
    }

    fn end_call(&self, call: CallNumber, change: impl FnOnce(&mut Deed)) {
        let mut pages = self.pages();
        let returned = pages.next_order();
        let CallNumber(user, at) = call;
        let calls = pages.calls.get_mut(&user);
        if let Some(operation) = calls.and_then(|calls| calls.get_mut(at)) {
            operation.returned = Some(returned);
            change(&mut operation.action);
        }
    }

    /// What each user did.
    pub(crate) fn calls(&self) -> BTreeMap<UserId, Vec<Operation<Deed>>> {
        self.pages().calls.clone()
    }

    /// Writes down what a client was told.
    pub(crate) fn tell(
        &self,
        user: UserId,
        request: &Request,
        answer: &Result<Accepted, NotAccepted>,
        call: CallNumber,
    ) {
        let said = said(answer);
        self.end_call(call, |deed| {
            if let Deed::Submit { answer, .. } = deed {
                *answer = said;
            }
        });
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
            // Nor is it one that the instance has a wrong clock: another may take the request.
            Err(error) if error.code() == "clock_off" => return,
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

/// An answer, as who looks for an order of all calls wants it.
fn said(answer: &Result<Accepted, NotAccepted>) -> Answer {
    match answer {
        Ok(accepted) => Answer::Accepted(accepted.version),
        Err(NotAccepted::Unknown(_)) => Answer::Unknown,
        Err(error) if error.code() == "stale_basis" => Answer::Stale,
        Err(error) if error.code() == "clock_off" => Answer::Untried,
        Err(error) if error.code() == "account_ended" => Answer::Ended,
        Err(error) => Answer::Refused(error.code().to_owned()),
    }
}
