//! What users do in their windows: a request is proposed, judged by the rules, and becomes a record;
//! the second model says whether that was right.

use std::collections::{BTreeMap, BTreeSet};

use stoa_votes::model::{
    Day, PolicyId, PolicyState, RecordKind, RequestId, Standing, UserId, VoteRecord, VoteVersion,
};
use stoa_votes::rules::audit::Invariant;
use stoa_votes::rules::chain::Folded;
use stoa_votes::rules::proposal::{Draft, Proposal, entries_after};
use stoa_votes::rules::roots::{MOST_MERGES, Standings};
use uuid::Uuid;

use super::community::{Community, States};
use super::naive::{Act, Deed};
use super::planted::Planted;

/// How long a record can be undone, as people are told.
const TEN_MINUTES: i64 = 600 * 1_000_000;

/// How old the knowledge is by which a request is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum View {
    Fresh,
    Remembered,
}

impl Community {
    /// One request of one member.
    pub(super) fn use_window(&mut self) {
        let at = self.rng.index(self.members.len());
        let Some(member) = self.members.get(at) else {
            return;
        };
        let head = member.head();
        let records = member.records.iter();
        let seen: Vec<VoteVersion> = records.map(|record| record.version).collect();
        let basis = match self.rng.chance(20) {
            true => self.rng.pick(&seen).copied(),
            false => head,
        };
        let Some(folded) = self.folded(at) else {
            return;
        };
        if basis != head && !self.has(Planted::NoCompare) {
            self.happened.stale += 1;
            // The refusal tells what there is, so it is paid.
            self.pay(at, self.today(), &folded);
            self.judge_salary(at, self.today());
            return;
        }
        if folded.ledger.has_ended {
            self.happened.refused += 1;
            return;
        }
        // A clock that is ahead may be on the next day already.
        let today = self.today().plus(i32::from(self.rng.chance(10)));
        let day = folded.ledger.day.map_or(today, |day| day.max(today));
        let proposal = self.proposal(&folded, day);
        self.submit(at, basis, &folded, &proposal, day);
    }

    fn proposal(&mut self, folded: &Folded, day: Day) -> Proposal {
        let policies: Vec<PolicyId> = self.states.keys().copied().collect();
        let kind = self.rng.below(100);
        if kind < 15 || policies.is_empty() {
            let votes = self.config.on(day).creation_cost;
            let policy = PolicyId(self.new_uuid());
            return Proposal::Create { policy, votes };
        }
        if kind < 25 {
            let now_micros = self.now_micros;
            return Proposal::Undo { now_micros };
        }
        if kind < 27 && !self.is_long {
            return Proposal::End;
        }
        let held: Vec<(PolicyId, i64)> = folded
            .ledger
            .entries
            .iter()
            .filter(|(_, entry)| entry.total > 0)
            .map(|(policy, entry)| (*policy, entry.total))
            .collect();
        let mut moves = BTreeMap::new();
        for _ in 0..1 + self.rng.index(3) {
            if self.rng.chance(40)
                && let Some((policy, votes)) = self.rng.pick(&held).copied()
            {
                // All of it, often where it was merged to: that is where it must be withdrawn.
                let root = self.naive.root(policy);
                moves.insert(root, -votes - i64::from(self.rng.chance(20)));
            } else if let Some(policy) = self.rng.pick(&policies) {
                moves.insert(*policy, self.rng.between(-20, 50));
            }
        }
        Proposal::Move(moves)
    }

    fn submit(
        &mut self,
        at: usize,
        basis: Option<VoteVersion>,
        folded: &Folded,
        proposal: &Proposal,
        day: Day,
    ) {
        let view = match self.rng.chance(40) {
            true => View::Remembered,
            false => View::Fresh,
        };
        self.happened.remembered += u64::from(view == View::Remembered);
        self.pay(at, day, folded);
        self.judge_salary(at, day);
        let mut salary: i64 = self.salary(at, day).iter().map(|it| it.amount).sum();
        if self.has(Planted::NoBalanceCheck) {
            salary += 1_000;
        }
        let mut percent = self.config.on(day).penalty_percent;
        if self.has(Planted::HalfPrice) {
            percent /= 2;
        }
        let known = self.known(proposal, folded, view);
        let judged = proposal.judge(folded, &known, salary, percent);
        let deeds = self.deeds(at, proposal, day);
        let is_allowed = deeds.as_ref().is_some_and(|deeds| {
            proposal.kind() == RecordKind::Final || self.naive.allows(at, day, deeds)
        });
        if view == View::Fresh && judged.is_ok() != is_allowed {
            let what = format!("member {at}: {proposal:?} is {judged:?}, allowed {is_allowed}");
            self.find(wrongly_judged(proposal), what);
        }
        match judged {
            Ok(draft) => self.accept(at, basis, folded, proposal, draft, day),
            Err(_) => self.happened.refused += 1,
        }
    }

    /// Where policies stand, as far as an instance knows: what is lowered is read, the rest may be
    /// remembered, and merges that the chain has seen hold.
    fn known(&mut self, proposal: &Proposal, folded: &Folded, view: View) -> Standings {
        let old = self.rng.pick(&self.old_states).cloned();
        let old = old.unwrap_or_default();
        let is_blind = self.has(Planted::OldRoots);
        let mut known = Standings::default();
        if !is_blind {
            known = known.remembering(&folded.ledger.roots);
        }
        let mut wanted: BTreeSet<PolicyId> = folded.ledger.entries.keys().copied().collect();
        if let Proposal::Move(moves) = proposal {
            wanted.extend(moves.keys());
        }
        let mut read = BTreeSet::new();
        for policy in wanted {
            let must_read = view == View::Fresh || (proposal.lowers(policy, folded) && !is_blind);
            let mut next = Some(policy);
            for _ in 0..MOST_MERGES {
                let Some(policy) = next else {
                    break;
                };
                let states: &States = match must_read || !old.contains_key(&policy) {
                    true => &self.states,
                    false => &old,
                };
                let is_known = known.of(policy).is_some() && (!must_read || read.contains(&policy));
                if let (false, Some(standing)) = (is_known, states.get(&policy)) {
                    known.add(policy, standing.clone());
                }
                if must_read {
                    read.insert(policy);
                }
                next = known.next(policy);
            }
        }
        known
    }

    /// What a proposal does, by sums; `None` where it may not be asked for.
    fn deeds(&self, at: usize, proposal: &Proposal, day: Day) -> Option<Vec<Deed>> {
        let naive = &self.naive;
        match proposal {
            Proposal::Move(moves) => {
                let percent = naive.config(day).penalty_percent;
                let moves = moves.iter().filter(|(_, votes)| **votes != 0);
                let moves: Vec<Deed> = moves
                    .map(|(policy, votes)| Deed {
                        policy: *policy,
                        increment: *votes,
                        price_hundredths: if *votes < 0 { -votes * percent } else { 0 },
                    })
                    .collect();
                let takes = moves.iter().all(|deed| naive.takes_votes(deed.policy));
                (takes && !moves.is_empty()).then_some(moves)
            }
            Proposal::Create { policy, votes } => Some(vec![Deed {
                policy: *policy,
                increment: *votes,
                price_hundredths: 0,
            }]),
            Proposal::Undo { now_micros } => {
                let last = naive.acts.get(at)?.last()?;
                let is_late = now_micros - last.at_micros > TEN_MINUTES;
                let mut roots = last.deeds.iter().map(|deed| naive.root(deed.policy));
                let is_free = roots.any(|root| naive.is_released(root));
                let deeds = last.deeds.iter().map(|deed| Deed {
                    policy: deed.policy,
                    increment: -deed.increment,
                    price_hundredths: -deed.price_hundredths,
                });
                (last.is_undoable && !is_late && !is_free).then(|| deeds.collect())
            }
            Proposal::End => {
                let held = naive.effective(at, &[]).into_iter();
                let held =
                    held.filter(|(root, (votes, _))| *votes != 0 && !naive.is_released(*root));
                let deeds = held.map(|(root, (votes, _))| Deed {
                    policy: root,
                    increment: -votes,
                    price_hundredths: 0,
                });
                Some(deeds.collect())
            }
        }
    }

    /// A mistake: appends a record of votes that nobody has yet, and lets nobody judge what is left.
    pub(super) fn overspend(&mut self, at: usize, moves: BTreeMap<PolicyId, i64>, lent: i64) {
        let Some(folded) = self.folded(at) else {
            return;
        };
        let today = self.today();
        let day = folded.ledger.day.map_or(today, |day| day.max(today));
        let salary: i64 = self.salary(at, day).iter().map(|it| it.amount).sum();
        let proposal = Proposal::Move(moves);
        let known = Standings::new(self.states.clone());
        let percent = self.config.on(day).penalty_percent;
        let judged = proposal.judge(&folded, &known, salary + lent, percent);
        if let (Ok(draft), false) = (judged, folded.ledger.has_ended) {
            let head = folded.ledger.head;
            self.append(at, head, &folded, &proposal, draft, day);
        }
    }

    /// Appends a record, and judges the chain after it.
    fn accept(
        &mut self,
        at: usize,
        basis: Option<VoteVersion>,
        folded: &Folded,
        proposal: &Proposal,
        draft: Draft,
        day: Day,
    ) {
        self.append(at, basis, folded, proposal, draft, day);
        self.judge_member(at, proposal.kind(), day);
    }

    fn append(
        &mut self,
        at: usize,
        basis: Option<VoteVersion>,
        folded: &Folded,
        proposal: &Proposal,
        draft: Draft,
        day: Day,
    ) {
        let record = self.record(basis, folded, proposal, draft, day);
        self.count(proposal);
        self.judge_record(at, proposal, &record);
        let created = record.policy_created;
        if let Some(policy) = created {
            self.naive.policies.insert(policy);
            self.states
                .insert(policy, Standing::new(PolicyState::Active));
        }
        if let Some(member) = self.members.get_mut(at) {
            member.records.push(record);
        }
        if created.is_some() {
            self.remember();
        }
    }

    fn count(&mut self, proposal: &Proposal) {
        self.happened.accepted += 1;
        match proposal {
            Proposal::Undo { .. } => self.happened.undone += 1,
            Proposal::End => self.happened.ended += 1,
            Proposal::Move(moves) => {
                let withdraws = moves.values().any(|votes| *votes < 0);
                self.happened.withdrawn += u64::from(withdraws);
            }
            Proposal::Create { .. } => {}
        }
    }

    fn record(
        &mut self,
        basis: Option<VoteVersion>,
        folded: &Folded,
        proposal: &Proposal,
        draft: Draft,
        day: Day,
    ) -> VoteRecord {
        let ledger = &folded.ledger;
        let checkpoint = ledger
            .next_is_checkpoint()
            .then(|| entries_after(&draft, ledger));
        let mut roots = draft.roots;
        if self.has(Planted::OldRoots) {
            roots.clear();
        }
        if checkpoint.is_some() {
            let mut all = ledger.roots.clone();
            all.extend(roots);
            roots = all;
        }
        VoteRecord {
            version: VoteVersion(self.new_uuid()),
            previous: basis,
            seq: ledger.seq + 1,
            day,
            kind: proposal.kind(),
            changes: draft.changes,
            roots,
            policy_created: match proposal {
                Proposal::Create { policy, .. } => Some(*policy),
                Proposal::Move(_) | Proposal::Undo { .. } | Proposal::End => None,
            },
            request: RequestId(Uuid::from_u128(u128::from(self.made))),
            actor: UserId(Uuid::nil()),
            checkpoint,
        }
    }

    /// Judges one record, I1 and I9: it follows the last one, changes what was asked for, and costs
    /// what it should.
    fn judge_record(&mut self, at: usize, proposal: &Proposal, record: &VoteRecord) {
        let acts = self.naive.acts.get(at);
        let last = acts.and_then(|acts| acts.last()).map(|act| act.version);
        if record.previous != last {
            let what = format!("member {at}: {:?} follows {last:?}", record.previous);
            self.find(Invariant::OnePath, what);
        }
        let deeds = match self.deeds(at, proposal, record.day) {
            Some(deeds) => deeds,
            // Put on a policy that was merged or released meanwhile.
            None => self.blind_deeds(at, proposal, record.day),
        };
        let act = Act {
            version: record.version,
            day: record.day,
            at_micros: self.now_micros,
            is_undoable: record.kind == RecordKind::Vote && record.policy_created.is_none(),
            deeds,
        };
        if let Some(acts) = self.naive.acts.get_mut(at) {
            acts.push(act);
        }
        let own = self.naive.own(at);
        for (policy, change) in &record.changes {
            let should = own.get(policy).copied().unwrap_or_default();
            let found = (change.entry.total, change.entry.burned_hundredths);
            if found != should {
                let what = format!("member {at}, {policy}: {found:?}, should be {should:?}");
                self.find(Invariant::PriceExact, what);
            }
        }
    }

    /// What a move does where the policy does not take votes any more.
    fn blind_deeds(&self, at: usize, proposal: &Proposal, day: Day) -> Vec<Deed> {
        let percent = self.naive.config(day).penalty_percent;
        let Proposal::Move(moves) = proposal else {
            // Nothing else may be judged by what is remembered.
            return self.deeds(at, &Proposal::End, day).unwrap_or_default();
        };
        let moves = moves.iter().filter(|(_, votes)| **votes != 0);
        moves
            .map(|(policy, votes)| Deed {
                policy: *policy,
                increment: *votes,
                price_hundredths: if *votes < 0 { -votes * percent } else { 0 },
            })
            .collect()
    }

    /// Judges a member after a record, I2 and I3.
    fn judge_member(&mut self, at: usize, kind: RecordKind, day: Day) {
        let effective = self.naive.effective(at, &[]);
        for (root, (votes, _)) in effective {
            let is_kept = !self.naive.is_released(root);
            let must_be_none = kind == RecordKind::Final && is_kept;
            if votes < 0 || (must_be_none && votes != 0) {
                let what = format!("member {at} has {votes} on {root} after {kind:?}");
                self.find(Invariant::NothingNegative, what);
            }
        }
        let left = self.naive.balance(at, day, &[]);
        if left < 0 {
            let what = format!("member {at} has {left} left");
            self.find(Invariant::NoOverdraft, what);
        }
        self.judge_positions(Invariant::PriceExact);
    }
}

/// The invariant that a wrong judgement would break.
fn wrongly_judged(proposal: &Proposal) -> Invariant {
    match proposal {
        Proposal::Create { .. } | Proposal::Move(_) => Invariant::NoOverdraft,
        Proposal::Undo { .. } | Proposal::End => Invariant::NothingNegative,
    }
}
