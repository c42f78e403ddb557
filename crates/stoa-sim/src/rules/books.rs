//! The end: days are closed, the books are put together, and both models look at them.

use std::collections::{BTreeMap, BTreeSet};

use stoa_votes::model::{ClosedDay, Day, PolicyId, UserId, VoteVersion};
use stoa_votes::rules::audit::{AuditedPolicy, Books, Finding, Invariant};

use super::community::Community;
use super::planted::Planted;

type Increments = BTreeMap<(PolicyId, Day, VoteVersion), (UserId, i64)>;

impl Community {
    /// Closes every day and judges what is left; what was found.
    pub(super) fn end(mut self) -> Vec<Finding> {
        if !self.findings.is_empty() {
            return self.findings;
        }
        // Clocks that are ahead put votes on the next day.
        let last = self.today().next();
        let increments = self.increments();
        let closed: BTreeMap<PolicyId, Vec<ClosedDay>> = self
            .states
            .keys()
            .map(|policy| (*policy, self.closed_days(*policy, &increments)))
            .collect();
        self.judge_days(&closed, last);
        let books = self.books(increments, closed, last);
        self.findings.extend(books.audit());
        self.findings
    }

    fn increments(&self) -> Increments {
        let mut increments = Increments::new();
        for member in &self.members {
            for record in &member.records {
                for (policy, change) in &record.changes {
                    let key = (*policy, record.day, record.version);
                    increments.insert(key, (member.user, change.increment));
                }
            }
        }
        increments
    }

    /// The closed days of a policy, each from the one before it.
    fn closed_days(&self, policy: PolicyId, increments: &Increments) -> Vec<ClosedDay> {
        let mut days: BTreeMap<Day, Vec<(UserId, i64)>> = BTreeMap::new();
        for ((of, day, _), change) in increments {
            if *of == policy {
                days.entry(*day).or_default().push(*change);
            }
        }
        let mut closing_total = 0;
        let close = |(day, votes): (Day, Vec<(UserId, i64)>)| {
            let change: i64 = votes.iter().map(|(_, votes)| votes).sum();
            let times = 1 + i64::from(self.has(Planted::AddedTwice));
            closing_total += change * times;
            let voters: BTreeSet<UserId> = votes.iter().map(|(user, _)| *user).collect();
            ClosedDay {
                day,
                change,
                gross: votes.iter().map(|(_, votes)| votes.abs()).sum(),
                heat: 0,
                voters: i64::try_from(voters.len()).unwrap_or(i64::MAX),
                closing_total,
            }
        };
        days.into_iter().map(close).collect()
    }

    /// Judges closed days, I5 and I15.
    fn judge_days(&mut self, closed: &BTreeMap<PolicyId, Vec<ClosedDay>>, last: Day) {
        for (policy, days) in closed {
            for closed in days {
                let should = self.naive.closing(*policy, closed.day);
                if closed.closing_total != should {
                    let what = format!("{policy}, {}: {closed:?}, not {should}", closed.day);
                    self.find(Invariant::DaysAddUp, what);
                }
            }
        }
        for root in self.states.keys().copied().collect::<Vec<_>>() {
            if self.naive.root(root) != root {
                continue;
            }
            for day in self.first_day.through(last) {
                let votes = self.naive.closing_of_root(root, day);
                if votes < 0 {
                    let what = format!("policy {root} ends {day} with {votes}");
                    self.find(Invariant::NoDayBelowZero, what);
                }
            }
        }
    }

    fn books(
        &self,
        increments: Increments,
        mut closed: BTreeMap<PolicyId, Vec<ClosedDay>>,
        last: Day,
    ) -> Books {
        let created = |policy: &PolicyId| {
            self.members.iter().find_map(|member| {
                let mut records = member.records.iter();
                let record = records.find(|record| record.policy_created == Some(*policy))?;
                Some((member.user, record.version))
            })
        };
        let policies = self.states.iter().map(|(policy, standing)| {
            let audited = AuditedPolicy {
                standing: standing.clone(),
                created_by: created(policy),
                total: Some(self.naive.closing_of_root(*policy, last)),
                days: closed.remove(policy).unwrap_or_default(),
            };
            (*policy, audited)
        });
        let members = self.members.iter().enumerate();
        let mut supporters = BTreeMap::new();
        for (at, member) in members.clone() {
            for (policy, (votes, _)) in self.naive.own(at) {
                supporters.insert((policy, member.user), votes);
            }
        }
        Books {
            policies: policies.collect(),
            chains: members
                .clone()
                .map(|(_, it)| (it.user, (it.head(), it.records.clone())))
                .collect(),
            increments: increments
                .into_iter()
                .filter(|(_, (_, votes))| *votes != 0)
                .collect(),
            supporters,
            joined: members
                .clone()
                .map(|(_, it)| (it.user, it.joined))
                .collect(),
            salary: members
                .map(|(at, it)| (it.user, self.salary(at, last)))
                .collect(),
            closed_through: last,
            config: self.config.clone(),
            told: self.told.clone(),
        }
    }
}
