//! What is done in a window of a user: looking, asking for votes, asking again, withdrawing.

use std::collections::BTreeMap;

use stoa_session::Error;
use stoa_types::Ids;
use stoa_votes::Votes;
use stoa_votes::model::{NewPage, PolicyId, PolicyText, RequestId, VoteVersion};
use stoa_votes::ops::account::{Account, Statement};
use stoa_votes::ops::submit::{Accepted, Ask, NotAccepted, Request};
use stoa_votes::rules::clock_bound::ClockReading;

use super::Person;
use crate::votes::Clocks;
use crate::votes::journal::ClockAnswer;
use crate::votes::judge::MOST_UNSURE_MICROS;

/// Whether a comparison of clocks tells enough.
fn is_sure(reading: Result<&ClockReading, &Error>) -> bool {
    reading.is_ok_and(|it| it.most_micros - it.least_micros <= MOST_UNSURE_MICROS)
}

impl Person {
    pub(super) async fn use_window(
        mut self,
        number: usize,
        account: Account,
        acts: u32,
    ) -> Result<(), Error> {
        let votes = self.instance().await?;
        if self.clocks == Clocks::Far {
            // It is served once its clock has been compared, which a nap meanwhile makes useless.
            while !is_sure(votes.measure_clock().await.as_ref()) {}
        }
        let mut basis = None;
        for _ in 0..acts {
            self.wait().await;
            match self.rng.below(10) {
                // Looks first.
                0..=3 => {
                    let call = self.journal.begin_look(account.user);
                    if let Ok(statement) = votes.statement(account).await {
                        self.journal.end_look(call, statement.basis);
                        basis = statement.basis;
                        self.look(number, &statement);
                    }
                }
                // Looked in another window.
                4..=7 => basis = self.journal.pages().seen.get(&number).copied(),
                // A window that was not looked at again has an old state.
                _ => {}
            }
            if self.rng.chance(self.withdrawals) {
                self.withdraw(&votes, number, account).await;
                continue;
            }
            let request = match self.repeated(number) {
                Some(request) => request,
                None => self.request(number, account, basis),
            };
            self.submit(&votes, number, account, &request, &mut basis)
                .await;
        }
        Ok(())
    }

    fn look(&self, number: usize, statement: &Statement) {
        let mut pages = self.journal.pages();
        if let Some(basis) = statement.basis {
            pages.seen.insert(number, basis);
        }
        let held = statement.positions.iter();
        let held = held.filter(|(_, position)| position.total > 0);
        let held = held.map(|(policy, position)| (*policy, position.total));
        pages.held.entry(number).or_default().extend(held);
    }

    /// A request that another window of the same user sent, or this one.
    fn repeated(&mut self, number: usize) -> Option<Request> {
        if !self.rng.chance(self.repeats) {
            return None;
        }
        let mut pages = self.journal.pages();
        let own = pages.sent.iter().rev().take(6);
        let own: Vec<Request> = own
            .filter(|(of, _)| *of == number)
            .map(|(_, request)| request.clone())
            .collect();
        let found = self.rng.pick(&own).cloned();
        pages.happenings.repeated += u64::from(found.is_some());
        found
    }

    fn request(&mut self, number: usize, account: Account, basis: Option<VoteVersion>) -> Request {
        Request {
            id: RequestId(self.session.ids().uuid()),
            basis,
            ask: self.ask(number),
            actor: account.user,
        }
    }

    fn ask(&mut self, number: usize) -> Ask {
        if self.rng.below(1_000) < u64::from(self.ends) {
            return Ask::End;
        }
        let kind = self.rng.below(10);
        if kind < 2 || self.journal.pages().policies.is_empty() {
            return Ask::Create(self.page());
        }
        if kind == 2 {
            return Ask::Undo;
        }
        if kind < 5
            && let Some((policy, votes)) = self.something_held(number)
        {
            return Ask::Move(BTreeMap::from([(policy, -votes)]));
        }
        let mut moves = BTreeMap::new();
        for _ in 0..1 + self.rng.index(3) {
            if let Some(policy) = self.some_policy() {
                let votes = match self.rng.chance(45) {
                    true => -self.rng.between(1, 40),
                    false => self.rng.between(1, 60),
                };
                moves.insert(policy, votes);
            }
        }
        Ask::Move(moves)
    }

    /// The page of a new policy, where owners withdraw policies: one without a page nobody owns.
    fn page(&self) -> Option<Box<NewPage>> {
        (self.withdrawals > 0).then(|| {
            let text = PolicyText {
                title: "a policy".to_owned(),
                ..PolicyText::default()
            };
            Box::new(NewPage {
                text,
                ..NewPage::default()
            })
        })
    }

    /// Withdraws a policy of the user's own, whoever else votes for it meanwhile.
    async fn withdraw(&mut self, votes: &Votes, number: usize, account: Account) {
        let policy = {
            let pages = self.journal.pages();
            let own = pages.owned.get(&number);
            own.and_then(|own| self.rng.pick(own).copied())
        };
        let Some(policy) = policy else {
            return;
        };
        self.watched.begin();
        let call = self.journal.begin_withdrawal(account.user);
        let reason = "it was a mistake";
        if votes.withdraw_policy(account, policy, reason).await.is_ok() {
            self.journal.end_withdrawal(call, policy);
        }
    }

    /// All that the user once saw on a policy.
    fn something_held(&mut self, number: usize) -> Option<(PolicyId, i64)> {
        let pages = self.journal.pages();
        let held = pages.held.get(&number)?;
        self.rng.pick(held).copied()
    }

    async fn submit(
        &mut self,
        votes: &Votes,
        number: usize,
        account: Account,
        request: &Request,
        basis: &mut Option<VoteVersion>,
    ) {
        self.journal.pages().sent.push((number, request.clone()));
        for attempt in 0..3 {
            let old_tab = self.watched.old_tab(account.user, request);
            let call = self.journal.begin(account.user, request);
            self.watched.begin_request(request);
            let answer = votes.submit(account, request).await;
            self.watched.end(&answer);
            if let Some(tab) = &old_tab {
                self.watched.end_old_tab(tab, &answer);
            }
            self.journal.tell(account.user, request, &answer, call);
            self.note_clock(&answer);
            match answer {
                Ok(accepted) => {
                    *basis = Some(accepted.version);
                    self.journal.pages().seen.insert(number, accepted.version);
                    self.note(votes, number, account, request, accepted.seq)
                        .await;
                    if !self.rng.chance(20) {
                        let _ = votes.sync(account.user, accepted).await;
                    }
                    return;
                }
                Err(NotAccepted::Unknown(_)) if attempt < 2 && self.rng.chance(60) => {
                    self.wait().await;
                }
                Err(_) => return,
            }
        }
    }

    /// Notes whether an instance with such a clock refused.
    fn note_clock(&self, answer: &Result<Accepted, NotAccepted>) {
        if self.clocks == Clocks::Near {
            return;
        }
        let is_refused = matches!(answer, Err(error) if error.code() == "clock_off");
        let mut pages = self.journal.pages();
        pages.happenings.clock_off += u64::from(is_refused);
        pages.clock_answers.push(ClockAnswer {
            off_micros: self.session.clock().offset_micros(),
            is_refused,
        });
    }

    /// Tells the others what was created, and counts what happened.
    async fn note(
        &self,
        votes: &Votes,
        number: usize,
        account: Account,
        request: &Request,
        seq: i64,
    ) {
        let created = match request.ask {
            Ask::Create(_) => votes.tables().chain.record(account.user, seq).await,
            _ => Ok(None),
        };
        let mut pages = self.journal.pages();
        let counts = &mut pages.happenings;
        match &request.ask {
            Ask::Create(_) => counts.created += 1,
            Ask::Undo => counts.undone += 1,
            Ask::End => counts.ended += 1,
            Ask::Move(moves) => {
                counts.withdrawn += u64::from(moves.values().any(|votes| *votes < 0));
            }
        }
        if let Ok(Some(record)) = created {
            pages.policies.extend(record.policy_created);
            let own = pages.owned.entry(number).or_default();
            own.extend(record.policy_created);
        }
    }
}
