//! Whether one user's calls could have happened one by one: the first writer wins.
//!
//! To its callers a chain is a register with compare-and-set. A request is accepted only where its
//! basis is the head, which then is the new record; it is stale only where its basis is not the
//! head; a refusal other than that is decided at the head too, and a request that was decided has
//! its answer for ever. The check looks for an order of all calls of one user in which each answer
//! is what such a chain would have said, and in which no call comes before one that had ended when
//! it began. A call whose outcome nobody knows may have its effect at any later time, or never.
//!
//! Invariants:
//! 1. It knows the journal and the chain as it is at the end, and none of the domain's code.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use stoa_testkit::history::order::{Operation, Specification, find_order};
use stoa_votes::model::{RecordKind, RequestId, VoteRecord, VoteVersion};

/// States that the search looks at at most. A user has a few dozen calls, few at the same time.
const MOST_STATES: usize = 100_000;

/// What was answered to a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Answer {
    /// It became this record.
    Accepted(VoteVersion),
    /// It was refused, by this code.
    Refused(String),
    /// It was made for a state that had passed.
    Stale,
    /// The account had ended.
    Ended,
    /// Nobody knows.
    Unknown,
    /// The instance did not even look at it.
    Untried,
}

/// What a client did, and what it was told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// A request was sent.
    Submit {
        /// Which.
        request: RequestId,
        /// The state that it was made for.
        basis: Option<VoteVersion>,
        /// Whether it asks for the end of the account.
        is_end: bool,
        /// The answer.
        answer: Answer,
    },
    /// The state was looked at, and was this.
    Look(Option<VoteVersion>),
    /// A policy was withdrawn, which may have made records for requests of its own.
    Withdraw,
}

/// Finds no order of one user's calls that ends in the chain, if there is none.
///
/// # Errors
/// Why there is no such order, or that none was found in time.
pub(crate) fn check(history: &[Operation<Deed>], chain: &[VoteRecord]) -> Result<(), String> {
    let fates = fates(history, chain);
    let end = history
        .iter()
        .flat_map(|it| [it.invoked, it.returned.unwrap_or(0)])
        .max()
        .unwrap_or(0);
    let mut operations: Vec<Operation<Step>> = Vec::new();
    for operation in history {
        let Some(step) = Step::of(&operation.action, &fates) else {
            continue;
        };
        let returned = operation.returned.filter(|_| !step.may_be_never());
        if returned.is_some() || step.may_be_never() {
            operations.push(Operation {
                action: step,
                invoked: operation.invoked,
                returned,
            });
        }
    }
    operations.extend(own_requests(history, chain));
    let head = chain.last().map(|record| record.version);
    operations.push(Operation::new(end + 1, end + 2, Step::Look(head)));
    match find_order(&Chain, &operations, MOST_STATES) {
        Ok(_) => Ok(()),
        Err(failure) => Err(format!("{failure}, of {operations:?}")),
    }
}

/// The records that nobody sent a request for. Whoever withdraws a policy takes votes off it by
/// requests of its own, so each may have been made since the first withdrawal began; without any,
/// none is explained.
fn own_requests(history: &[Operation<Deed>], chain: &[VoteRecord]) -> Vec<Operation<Step>> {
    let withdrawals = history.iter();
    let withdrawals = withdrawals.filter(|it| it.action == Deed::Withdraw);
    let Some(since) = withdrawals.map(|it| it.invoked).min() else {
        return Vec::new();
    };
    let is_sent = |id: RequestId| {
        let sends = |deed: &Deed| matches!(deed, Deed::Submit { request, .. } if *request == id);
        history.iter().any(|it| sends(&it.action))
    };
    let unsent = chain.iter().filter(|record| !is_sent(record.request));
    let steps = unsent.map(|record| {
        let (version, is_end) = (record.version, record.kind == RecordKind::Final);
        let step = Step::MayDecide {
            request: record.request,
            basis: record.previous,
            fate: Fate::Accepted { version, is_end },
        };
        Operation::unknown(since, step)
    });
    steps.collect()
}

/// What was decided about a request in the end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Fate {
    Accepted { version: VoteVersion, is_end: bool },
    Refused(String),
}

/// The fate of each request: by the chain, or else by the first answer that says it.
fn fates(history: &[Operation<Deed>], chain: &[VoteRecord]) -> BTreeMap<RequestId, Fate> {
    let mut fates: BTreeMap<RequestId, Fate> = chain
        .iter()
        .map(|record| {
            let is_end = record.kind == RecordKind::Final;
            let version = record.version;
            (record.request, Fate::Accepted { version, is_end })
        })
        .collect();
    for operation in history {
        if let Deed::Submit {
            request,
            is_end,
            answer,
            ..
        } = &operation.action
            && let Some(fate) = answer.fate(*is_end)
        {
            fates.entry(*request).or_insert(fate);
        }
    }
    fates
}

impl Answer {
    fn fate(&self, is_end: bool) -> Option<Fate> {
        match self {
            Self::Accepted(version) => Some(Fate::Accepted {
                version: *version,
                is_end,
            }),
            Self::Refused(code) => Some(Fate::Refused(code.clone())),
            Self::Stale | Self::Ended | Self::Unknown | Self::Untried => None,
        }
    }
}

/// A call as the search sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// It was answered by what was decided, by it or before it.
    Decided {
        request: RequestId,
        basis: Option<VoteVersion>,
        fate: Fate,
    },
    /// It may have decided the request.
    MayDecide {
        request: RequestId,
        basis: Option<VoteVersion>,
        fate: Fate,
    },
    Stale {
        request: RequestId,
        basis: Option<VoteVersion>,
    },
    Ended {
        request: RequestId,
        basis: Option<VoteVersion>,
    },
    Look(Option<VoteVersion>),
}

impl Step {
    /// The step of a deed; `None` of one that had no effect and said nothing.
    fn of(deed: &Deed, fates: &BTreeMap<RequestId, Fate>) -> Option<Self> {
        let (request, basis, is_end, answer) = match deed {
            Deed::Look(head) => return Some(Self::Look(*head)),
            Deed::Withdraw => return None,
            Deed::Submit {
                request,
                basis,
                is_end,
                answer,
            } => (*request, *basis, *is_end, answer),
        };
        Some(match answer {
            Answer::Untried => return None,
            Answer::Stale => Self::Stale { request, basis },
            Answer::Ended => Self::Ended { request, basis },
            Answer::Unknown => Self::MayDecide {
                request,
                basis,
                fate: fates.get(&request)?.clone(),
            },
            Answer::Accepted(_) | Answer::Refused(_) => Self::Decided {
                request,
                basis,
                fate: answer.fate(is_end)?,
            },
        })
    }

    fn may_be_never(&self) -> bool {
        matches!(self, Self::MayDecide { .. })
    }
}

/// A chain as its callers see it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Seen {
    head: Option<VoteVersion>,
    has_ended: bool,
    decided: BTreeMap<RequestId, Fate>,
}

impl Seen {
    /// The chain after a decision, which takes a basis that is the head.
    fn decide(&self, request: RequestId, basis: Option<VoteVersion>, fate: &Fate) -> Option<Self> {
        if basis != self.head || self.has_ended || self.decided.contains_key(&request) {
            return None;
        }
        let mut next = self.clone();
        if let Fate::Accepted { version, is_end } = fate {
            next.head = Some(*version);
            next.has_ended = *is_end;
        }
        next.decided.insert(request, fate.clone());
        Some(next)
    }
}

struct Chain;

impl Specification for Chain {
    type State = Seen;
    type Action = Step;

    fn initial(&self) -> Seen {
        Seen::default()
    }

    fn apply(&self, state: &Seen, step: &Step) -> Option<Seen> {
        let is_open = |request: &RequestId| !state.decided.contains_key(request);
        let says = |holds: bool| holds.then(|| state.clone());
        match step {
            Step::Look(head) => says(state.head == *head),
            Step::Stale { request, basis } => says(is_open(request) && *basis != state.head),
            Step::Ended { request, basis } => {
                says(is_open(request) && *basis == state.head && state.has_ended)
            }
            Step::MayDecide {
                request,
                basis,
                fate,
            } => state.decide(*request, *basis, fate),
            Step::Decided {
                request,
                basis,
                fate,
            } => match state.decided.get(request) {
                Some(known) => says(known == fate),
                None => state.decide(*request, *basis, fate),
            },
        }
    }
}
