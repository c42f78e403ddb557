//! The algorithm, step by step as it was written down.
//!
//! A record is one cell, each user's first version is unlike any other's, and a policy begins with
//! the boundary of its creation: what was left open there is read in its favour.

use std::collections::BTreeMap;

use super::client::Client;
use super::model::{Column, NewVote, Policy, Record, Row, User, Value, Version};
use super::notes::Made;
use super::replicas::{Failed, Read};
use super::resolve::{self, Resolved};

/// How old a record is when it is finalized. As long as deletions are remembered.
pub(super) const FINALIZE_DELAY_MICROS: u64 = 1_000_000_000;

impl Client {
    /// What a user has, for the page on which votes are changed. Orphans are deleted on sight.
    pub(super) async fn look(&mut self, user: User) -> Result<Resolved, Failed> {
        let row = self.read(Row::UserVotes(user)).await?;
        let records = row
            .iter()
            .filter_map(|(column, value, _)| match (column, value) {
                (Column::Votes(previous), Value::Record(record)) => {
                    Some((*previous, record.clone()))
                }
                _ => None,
            });
        let resolved = resolve::user(&records.collect());
        for orphan in &resolved.orphans {
            let column = Column::Votes(orphan.previous);
            self.delete(Row::UserVotes(user), column).await?;
        }
        Ok(resolved)
    }

    /// Saves new votes that were chosen on a page of some version.
    pub(super) async fn save(
        &mut self,
        user: User,
        basis: Version,
        increments: BTreeMap<Policy, i64>,
    ) -> Result<Version, Failed> {
        let record = Record {
            user,
            version: self.new_version(),
            previous: basis,
            increments,
        };
        let at = self.true_now();
        let made = Made {
            record: record.clone(),
            at,
        };
        self.notes.facts().made.insert(record.version, made);
        // Earlier writes win.
        let timestamp = -self.now();
        let (row, column) = (Row::UserVotes(user), Column::Pending(record.version));
        let value = Value::Record(record.clone());
        self.write(row, column, value, timestamp).await?;
        self.complete(&record, timestamp).await?;
        Ok(record.version)
    }

    /// Brings a pending record to every policy, and then into the user's chain.
    async fn complete(&mut self, record: &Record, timestamp: i64) -> Result<(), Failed> {
        let policies = self.policies().await?;
        for policy in &policies {
            // Policies that get nothing too: conflicts are resolved by what is in their rows.
            let vote = NewVote {
                version: record.version,
                previous: record.previous,
                user: record.user,
                increment: record.increments.get(policy).copied().unwrap_or(0),
            };
            let now = self.true_now();
            let sent = (*policy, record.version);
            self.notes.facts().sent.entry(sent).or_insert(now);
            let (row, column) = (Row::NewVotes(*policy), Column::Slot(record.previous));
            self.write(row, column, Value::NewVote(vote), timestamp)
                .await?;
        }
        for policy in &policies {
            self.recount(*policy).await?;
        }
        let row = Row::UserVotes(record.user);
        let column = Column::Votes(record.previous);
        let value = Value::Record(record.clone());
        self.write(row, column, value, timestamp).await?;
        self.delete(row, Column::Pending(record.version)).await
    }

    /// Completes what is pending of a user.
    pub(super) async fn complete_pending(&mut self, user: User) -> Result<(), Failed> {
        for (column, value, timestamp) in self.read(Row::UserVotes(user)).await? {
            if let (Column::Pending(_), Value::Record(record)) = (column, value) {
                self.complete(&record, timestamp).await?;
            }
        }
        Ok(())
    }

    /// Creates a policy; its first votes are saved after it.
    pub(super) async fn create(&mut self, policy: Policy) -> Result<(), Failed> {
        let boundary = self.new_version();
        let (value, now) = (Value::Finalized { count: 0, boundary }, self.now());
        self.note_boundary(policy, boundary);
        let row = Row::Policy(policy);
        self.write(row, Column::Finalized, value, now).await?;
        let column = Column::Active(policy);
        self.write(Row::ActivePolicies, column, Value::Nothing, now)
            .await?;
        self.learn(policy);
        Ok(())
    }

    /// Sums the votes of a policy from its own row. Orphans are deleted on sight.
    pub(super) async fn recount(&mut self, policy: Policy) -> Result<Vec<NewVote>, Failed> {
        let began = self.now();
        let (count, boundary) = self.finalized(policy).await?;
        let row = new_votes(&self.read(Row::NewVotes(policy)).await?);
        let counted = resolve::policy(boundary, &row);
        for orphan in counted.orphans {
            self.notes.facts().orphaned.insert((policy, orphan.version));
            let column = Column::Slot(orphan.previous);
            self.delete(Row::NewVotes(policy), column).await?;
        }
        let sum: i64 = counted.passed.iter().map(|it| it.increment).sum();
        let total = Value::Number(count + sum);
        self.write(Row::Policy(policy), Column::Total, total, began)
            .await?;
        Ok(counted.passed)
    }

    /// Adds what is old enough to the finished count, and deletes it from the row.
    pub(super) async fn finalize(&mut self, policy: Policy) -> Result<(), Failed> {
        let (count, boundary) = self.finalized(policy).await?;
        let row = new_votes(&self.read(Row::NewVotes(policy)).await?);
        let counted = resolve::policy(boundary, &row);
        let cutoff = self.now().saturating_sub_unsigned(FINALIZE_DELAY_MICROS);
        let passed = counted.passed.iter();
        let done: Vec<NewVote> = passed
            .filter(|it| it.version.time < cutoff)
            .copied()
            .collect();
        for vote in done.iter().filter(|it| it.increment != 0) {
            let column = Column::Finished(vote.version);
            let (value, now) = (Value::Number(vote.increment), self.now());
            self.write(Row::History(policy), column, value, now).await?;
        }
        if let Some(boundary) = done.iter().map(|it| it.version).max() {
            let count = count + done.iter().map(|it| it.increment).sum::<i64>();
            for vote in &done {
                self.notes.facts().finished.insert((policy, vote.version));
            }
            self.note_boundary(policy, boundary);
            let (value, now) = (Value::Finalized { count, boundary }, self.now());
            let row = Row::Policy(policy);
            self.write(row, Column::Finalized, value, now).await?;
        }
        for vote in done.iter().chain(&counted.old) {
            let column = Column::Slot(vote.previous);
            self.delete(Row::NewVotes(policy), column).await?;
        }
        Ok(())
    }

    async fn finalized(&mut self, policy: Policy) -> Result<(i64, Version), Failed> {
        let columns = self.read(Row::Policy(policy)).await?;
        let found = columns.into_iter().find_map(|(_, value, _)| match value {
            Value::Finalized { count, boundary } => Some((count, boundary)),
            _ => None,
        });
        Ok(found.unwrap_or((0, Version::ZERO)))
    }

    /// The total that a policy shows.
    pub(super) async fn total(&mut self, policy: Policy) -> Result<i64, Failed> {
        let columns = self.read(Row::Policy(policy)).await?;
        let found = columns.into_iter().find_map(|(_, value, _)| match value {
            Value::Number(total) => Some(total),
            _ => None,
        });
        Ok(found.unwrap_or(0))
    }

    fn note_boundary(&self, policy: Policy, boundary: Version) {
        let at = self.true_now();
        let mut facts = self.notes.facts();
        let boundaries = facts.boundaries.entry(policy).or_default();
        boundaries.push((at, boundary));
    }
}

fn new_votes(row: &[Read]) -> Vec<NewVote> {
    row.iter()
        .filter_map(|(_, value, _)| match value {
            Value::NewVote(vote) => Some(*vote),
            _ => None,
        })
        .collect()
}
