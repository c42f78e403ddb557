//! Who executes the algorithm: an instance with a clock, a cached list of policies, and a life that
//! may end or pause between any two calls.

use std::collections::BTreeSet;
use std::time::Duration;

use stoa_testkit::rng::Rng;

use super::model::{Column, Policy, Row, Value, Version};
use super::notes::Notes;
use super::replicas::{Failed, Read, Replicas};

/// Virtual time zero on the wall, well after [`Version::ZERO`].
const START_MICROS: i64 = 1_000_000_000_000;

/// The habits of a client.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Habits {
    pub(super) clock_offset_micros: i64,
    /// At which of its calls it dies.
    pub(super) dies_at_call: Option<u32>,
    /// The chance in 1,000 of a pause before a call, and how long that is at most.
    pub(super) nap: (u32, u64),
    /// How long the list of policies is remembered.
    pub(super) remember_micros: u64,
}

/// An instance; see [the module](self).
#[derive(Debug)]
pub(super) struct Client {
    pub(super) replicas: Replicas,
    pub(super) notes: Notes,
    pub(super) rng: Rng,
    habits: Habits,
    number: u32,
    calls: u32,
    made: u32,
    list: Option<(u64, BTreeSet<Policy>)>,
}

impl Client {
    pub(super) fn new(
        replicas: &Replicas,
        notes: &Notes,
        rng: Rng,
        number: u32,
        habits: Habits,
    ) -> Self {
        Self {
            replicas: replicas.clone(),
            notes: notes.clone(),
            rng,
            habits,
            number,
            calls: 0,
            made: 0,
            list: None,
        }
    }

    /// What its clock says.
    pub(super) fn now(&self) -> i64 {
        START_MICROS
            .saturating_add_unsigned(self.true_now())
            .saturating_add(self.habits.clock_offset_micros)
    }

    /// What the time is, which it does not know.
    pub(super) fn true_now(&self) -> u64 {
        self.replicas.timeline().now_micros()
    }

    pub(super) fn new_version(&mut self) -> Version {
        self.made += 1;
        Version {
            time: self.now(),
            number: (self.number << 16) | self.made,
        }
    }

    pub(super) async fn sleep(&self, micros: u64) {
        let duration = Duration::from_micros(micros);
        self.replicas.timeline().sleep(duration).await;
    }

    /// Counts a call; naps or dies if it must.
    async fn live(&mut self) -> Result<(), Failed> {
        self.calls += 1;
        if self.habits.dies_at_call.is_some_and(|at| at <= self.calls) {
            return Err(Failed);
        }
        let (chance, longest) = self.habits.nap;
        if chance > 0 && self.rng.below(1_000) < u64::from(chance) {
            let nap = self.rng.below(longest);
            self.sleep(nap).await;
        }
        Ok(())
    }

    /// Whether it has died, so that whatever it begins fails.
    pub(super) fn is_dead(&self) -> bool {
        self.habits.dies_at_call.is_some_and(|at| at <= self.calls)
    }

    pub(super) async fn read(&mut self, row: Row) -> Result<Vec<Read>, Failed> {
        self.live().await?;
        Ok(self.replicas.read(row).await)
    }

    pub(super) async fn write(
        &mut self,
        row: Row,
        column: Column,
        value: Value,
        timestamp: i64,
    ) -> Result<(), Failed> {
        self.live().await?;
        let at = (row, column);
        self.replicas.write(at, Some(value), timestamp).await
    }

    /// Deletes a column, as of now.
    pub(super) async fn delete(&mut self, row: Row, column: Column) -> Result<(), Failed> {
        self.live().await?;
        let now = self.now();
        self.replicas.write((row, column), None, now).await
    }

    /// The active policies, as they were read not long ago.
    pub(super) async fn policies(&mut self) -> Result<BTreeSet<Policy>, Failed> {
        let now = self.true_now();
        if let Some((at, list)) = &self.list
            && now.saturating_sub(*at) < self.habits.remember_micros
        {
            return Ok(list.clone());
        }
        let columns = self.read(Row::ActivePolicies).await?;
        let list: BTreeSet<Policy> = columns
            .iter()
            .filter_map(|(column, _, _)| match column {
                Column::Active(policy) => Some(*policy),
                _ => None,
            })
            .collect();
        self.list = Some((now, list.clone()));
        Ok(list)
    }

    /// Adds a policy that it created itself to what it remembers.
    pub(super) fn learn(&mut self, policy: Policy) {
        if let Some((_, list)) = &mut self.list {
            list.insert(policy);
        }
    }
}
