//! Submitting a request about votes: the one way in which a vote is decided.
//!
//! 1. Read the chain, then the answer to the request. A known request has its answer.
//! 2. Judge: a refusal is decided too, or another attempt could still be accepted.
//! 3. Write the intent; the policy, if one is created; look at the day again.
//! 4. The conditional batch. Applied: accepted for ever.
//!
//! What anything but a definite answer means is that the outcome is unknown: another attempt of
//! the same request may be under way. The caller asks again with the same request, or leaves it to
//! the drain.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};
use stoa_session::{Error, Outcome};

use super::account::{Account, Statement};
use crate::model::{
    Day, NewPage, PageRefusal, PolicyId, Refusal, RequestId, UserId, VoteRecord, VoteVersion,
};
use crate::rules::chain::Folded;
use crate::rules::named::Rule;
use crate::rules::proposal::{Draft, Proposal, entries_after};
use crate::tables::chain::{GivenAnswer, GivenOutcome, Tip};
use crate::tables::days::DayState;
use crate::tables::intents::Intent;
use crate::tables::policies::Creation;
use crate::votes::Votes;

/// How often a batch of unknown outcome is looked for and sent again.
const SETTLE_ATTEMPTS: usize = 4;

/// What a user asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ask {
    /// Votes put on policies, or withdrawn.
    Move(BTreeMap<PolicyId, i64>),
    /// A new policy with the votes that it costs, and its page; without one where only votes are
    /// counted, as in simulations.
    Create(Option<Box<NewPage>>),
    /// The last record taken back.
    Undo,
    /// The account ended.
    End,
}

/// A request, as it may be sent again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// What the client calls it.
    pub id: RequestId,
    /// The state that it was made for.
    pub basis: Option<VoteVersion>,
    /// What it asks for.
    pub ask: Ask,
    /// Who asks.
    pub actor: UserId,
}

/// A request that became a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepted {
    /// The record.
    pub version: VoteVersion,
    /// Its number.
    pub seq: i64,
}

/// Why a request is not known to have been accepted.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NotAccepted {
    /// It was refused, and will be, unless the refusal is about the instance.
    #[error("{0}")]
    Refused(Refusal),
    /// It was made for a state that has passed. Nothing was decided: the same request can still be
    /// made for the state that there is.
    #[error("your votes were changed elsewhere meanwhile; look at them again")]
    Stale(Box<Statement>),
    /// It was refused before, when it came the first time.
    #[error("{message}")]
    RefusedBefore {
        /// The code of the refusal.
        code: String,
        /// What it says.
        message: String,
    },
    /// The page of the policy may not be, so nothing was asked for.
    #[error("{0}")]
    Page(PageRefusal),
    /// It may have been accepted, or may yet be. Asking again tells.
    #[error("it is not known yet whether your votes were saved: {0}")]
    Unknown(Error),
}

impl NotAccepted {
    /// The code that clients may rely on.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Stale(_) => "stale_basis",
            Self::RefusedBefore { code, .. } => code,
            Self::Page(refusal) => refusal.code(),
            Self::Unknown(_) => "outcome_unknown",
        }
    }
}

impl From<Error> for NotAccepted {
    fn from(error: Error) -> Self {
        Self::Unknown(error)
    }
}

/// How one attempt ended, unless for good.
enum Attempt {
    Done(Accepted),
    /// Others came between, or the day was over.
    Again,
}

impl Request {
    /// What it asks for, as a digest.
    #[must_use]
    pub fn digest(&self) -> Vec<u8> {
        let mut hasher = Sha256::new();
        hasher.update(
            self.basis
                .map_or(0, |basis| basis.0.as_u128())
                .to_be_bytes(),
        );
        hasher.update(self.actor.0.as_bytes());
        match &self.ask {
            Ask::Create(page) => {
                hasher.update([1]);
                if let Some(page) = page {
                    digest_page(&mut hasher, page);
                }
            }
            Ask::Undo => hasher.update([2]),
            Ask::End => hasher.update([3]),
            Ask::Move(moves) => {
                hasher.update([4]);
                for (policy, votes) in moves {
                    hasher.update(policy.0.as_bytes());
                    hasher.update(votes.to_be_bytes());
                }
            }
        }
        hasher.finalize().to_vec()
    }
}

fn digest_page(hasher: &mut Sha256, page: &NewPage) {
    let NewPage {
        text,
        category,
        party,
    } = page;
    let texts = [&text.title, &text.description, category];
    for text in texts.into_iter().chain(&text.links) {
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.update(party.unwrap_or_default().as_bytes());
}

impl Votes {
    /// Decides a request.
    ///
    /// The record's copies are not written yet; [`Votes::sync`] does that, at once or by the
    /// drain.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn submit(
        &self,
        account: Account,
        request: &Request,
    ) -> Result<Accepted, NotAccepted> {
        self.check_clock().map_err(NotAccepted::Refused)?;
        let digest = request.digest();
        let mut earliest = self.earliest_day().await?;
        for _ in 0..self.settings.attempts {
            match self
                .attempt(account, request, &digest, &mut earliest)
                .await?
            {
                Attempt::Done(accepted) => return Ok(accepted),
                Attempt::Again => {}
            }
        }
        let what = "too many others changed the same votes";
        let kind = stoa_session::ErrorKind::Unavailable;
        Err(NotAccepted::Unknown(Error::unknown(kind, what)))
    }

    async fn attempt(
        &self,
        account: Account,
        request: &Request,
        digest: &[u8],
        earliest: &mut Day,
    ) -> Result<Attempt, NotAccepted> {
        let user = account.user;
        let (tip, chain) = self.chain(user).await?;
        // Rule request-once: after head and epoch, before every refusal and every attempt.
        if self.holds(Rule::RequestOnce)
            && let Some(given) = self.tables.chain.answer(user, request.id).await?
        {
            return given_before(given, digest);
        }
        if request.basis != tip.head {
            let current = self.statement_of(account, tip, &chain).await?;
            return Err(NotAccepted::Stale(Box::new(current)));
        }
        // Rule final-head: nothing follows the end of an account.
        if chain.ledger.has_ended && self.holds(Rule::FinalHead) {
            return Err(NotAccepted::Refused(Refusal::AccountEnded));
        }
        let day = chain.ledger.day.map_or(*earliest, |day| day.max(*earliest));
        let proposal = self.proposal(&request.ask, day).await?;
        let draft = match self.judge(account, &proposal, &chain, day).await? {
            Ok(draft) => draft,
            Err(refusal) => return self.refuse(user, tip, request, digest, refusal).await,
        };
        let intent = Intent {
            version: VoteVersion(self.ids.time_uuid()),
            user,
            seq: tip.seq + 1,
            epoch: tip.epoch,
        };
        if self.holds(Rule::IntentFirst) {
            self.announce(day, &intent, &proposal, request).await?;
        }
        if !self.is_open(day).await? {
            self.forget_intent(day, intent.version).await?;
            *earliest = day.next();
            return Ok(Attempt::Again);
        }
        let record = record(&intent, day, &proposal, draft, &chain, request);
        let attempt = self.append(user, tip, &record, digest, day).await?;
        if !self.holds(Rule::IntentFirst) {
            self.announce(day, &intent, &proposal, request).await?;
        }
        Ok(attempt)
    }

    /// Rule intent-first: what is about to be decided is acknowledged before anything else. A
    /// policy to be created follows it, and waits for the record.
    async fn announce(
        &self,
        day: Day,
        intent: &Intent,
        proposal: &Proposal,
        request: &Request,
    ) -> Result<(), NotAccepted> {
        let spread = self.settings.spread;
        self.tables.intents.write(spread, day, intent).await?;
        if let Proposal::Create { policy, .. } = proposal {
            let by = Creation {
                user: intent.user,
                seq: intent.seq,
                version: intent.version,
            };
            self.tables.policies.write_created(*policy, &by).await?;
            // Whoever looks for policies that never came to be finds the page by the policy.
            if let Ask::Create(Some(page)) = &request.ask {
                self.begin_page(*policy, page, request).await?;
            }
        }
        Ok(())
    }

    /// Rule day-recheck: whether a day still takes votes, looked at after the intent was written.
    async fn is_open(&self, day: Day) -> Result<bool, NotAccepted> {
        if !self.holds(Rule::DayRecheck) {
            return Ok(true);
        }
        Ok(self.tables.days.state(day).await? == DayState::Open)
    }

    async fn proposal(&self, ask: &Ask, day: Day) -> Result<Proposal, NotAccepted> {
        Ok(match ask {
            Ask::Move(moves) => Proposal::Move(moves.clone()),
            Ask::Create(_) => Proposal::Create {
                policy: PolicyId(self.ids.time_uuid()),
                votes: self.config().await?.on(day).creation_cost,
            },
            Ask::Undo => Proposal::Undo {
                now_micros: self.clock.now_micros(),
            },
            Ask::End => Proposal::End,
        })
    }

    async fn judge(
        &self,
        account: Account,
        proposal: &Proposal,
        chain: &Folded,
        day: Day,
    ) -> Result<Result<Draft, Refusal>, NotAccepted> {
        // Before anything is read for each policy that is named.
        if let Err(refusal) = proposal.check_shape() {
            return Ok(Err(refusal));
        }
        let salary = self.salary(account, day, chain).await?;
        let percent = self.config().await?.on(day).penalty_percent;
        let standings = self.standings(proposal, chain).await?;
        let mut judged = proposal.judge(chain, &standings, salary, percent);
        if let (Ok(draft), false) = (&mut judged, self.holds(Rule::RootFresh)) {
            draft.roots.clear();
        }
        Ok(judged)
    }

    async fn append(
        &self,
        user: UserId,
        tip: Tip,
        record: &VoteRecord,
        digest: &[u8],
        day: Day,
    ) -> Result<Attempt, NotAccepted> {
        let chain = &self.tables.chain;
        let accepted = Accepted {
            version: record.version,
            seq: record.seq,
        };
        if !self.holds(Rule::HeadCas) {
            chain.append_blindly(user, record, digest).await?;
            return Ok(Attempt::Done(accepted));
        }
        let mut last = None;
        for _ in 0..SETTLE_ATTEMPTS {
            match chain.append(user, tip, record, digest).await {
                Ok(true) => return Ok(Attempt::Done(accepted)),
                Ok(false) => {}
                Err(error) if !self.holds(Rule::SettleUnknown) => {
                    // Takes an unknown outcome for a failure.
                    self.forget_intent(day, record.version).await?;
                    return Err(NotAccepted::Unknown(error));
                }
                Err(error) if error.outcome() == Outcome::Unknown => last = Some(error),
                Err(error) => return Err(NotAccepted::Unknown(error)),
            }
            // Rule settle-unknown: a refused condition may be our own earlier success. The tip is
            // read first: once it has moved, what was sent can no longer arrive after the record
            // was looked for.
            if self.holds(Rule::SettleUnknown) {
                let moved = chain.tip(user).await? != tip;
                match chain.record(user, record.seq).await? {
                    Some(there) if there.version == record.version => {
                        return Ok(Attempt::Done(accepted));
                    }
                    // Not there, but what was sent may still arrive: send it again.
                    None if !moved && last.is_some() => continue,
                    _ => {}
                }
            }
            self.forget_intent(day, record.version).await?;
            return Ok(Attempt::Again);
        }
        match last {
            Some(error) => Err(NotAccepted::Unknown(error)),
            None => Ok(Attempt::Again),
        }
    }

    /// Rule request-once: a refusal is decided like a record, so that no other attempt of the same
    /// request can be accepted after it.
    async fn refuse(
        &self,
        user: UserId,
        tip: Tip,
        request: &Request,
        digest: &[u8],
        refusal: Refusal,
    ) -> Result<Attempt, NotAccepted> {
        if !self.holds(Rule::RequestOnce) {
            return Err(NotAccepted::Refused(refusal));
        }
        let message = refusal.to_string();
        let told = (refusal.code(), message.as_str());
        let chain = &self.tables.chain;
        match chain.refuse(user, tip, request.id, digest, told).await {
            Ok(true) => Err(NotAccepted::Refused(refusal)),
            Ok(false) => Ok(Attempt::Again),
            Err(error) if error.outcome() == Outcome::Unknown => {
                match chain.answer(user, request.id).await? {
                    Some(given) => given_before(given, digest),
                    None => Ok(Attempt::Again),
                }
            }
            Err(error) => Err(NotAccepted::Unknown(error)),
        }
    }
}

fn given_before(given: GivenAnswer, digest: &[u8]) -> Result<Attempt, NotAccepted> {
    if given.digest != digest {
        return Err(NotAccepted::Refused(Refusal::RequestReused));
    }
    match given.outcome {
        GivenOutcome::Accepted { seq, version } => Ok(Attempt::Done(Accepted { version, seq })),
        GivenOutcome::Refused { code, message } => {
            Err(NotAccepted::RefusedBefore { code, message })
        }
    }
}

fn record(
    intent: &Intent,
    day: Day,
    proposal: &Proposal,
    draft: Draft,
    chain: &Folded,
    request: &Request,
) -> VoteRecord {
    let ledger = &chain.ledger;
    let is_checkpoint = ledger.next_is_checkpoint();
    let checkpoint = is_checkpoint.then(|| entries_after(&draft, ledger));
    let mut roots = draft.roots;
    if is_checkpoint {
        let mut all = ledger.roots.clone();
        all.extend(roots);
        roots = all;
    }
    VoteRecord {
        version: intent.version,
        previous: ledger.head,
        seq: intent.seq,
        day,
        kind: proposal.kind(),
        changes: draft.changes,
        roots,
        policy_created: match proposal {
            Proposal::Create { policy, .. } => Some(*policy),
            Proposal::Move(_) | Proposal::Undo { .. } | Proposal::End => None,
        },
        request: request.id,
        actor: request.actor,
        checkpoint,
    }
}
