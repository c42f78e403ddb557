//! Closing a day: after it, nothing of the day changes any more.

use std::collections::{BTreeMap, BTreeSet};

use stoa_session::{Error, ErrorKind, Outcome};

use crate::model::{ClosedDay, Day, PolicyId, SnapshotId};
use crate::rules::named::Rule;
use crate::rules::ranking::breadth::open_day;
use crate::tables::days::DayState;
use crate::votes::Votes;

/// How long after its end a day is closed at the earliest.
const PATIENCE_MICROS: i64 = 60_000_000;

impl Votes {
    /// Closes every day that is over, in their order; the last one that is closed now.
    ///
    /// # Errors
    /// That the instance's clock is off, or those of the session; what was not done is done by the next run.
    pub async fn close_days(&self) -> Result<Day, Error> {
        self.check_day_clock()?;
        loop {
            let closed_through = self.closed_through().await?;
            let day = closed_through.next();
            if !self.is_over(day) || !self.close_in_order(day).await? {
                return Ok(closed_through);
            }
        }
    }

    /// The days that [`close_days`](Votes::close_days) would close now, in their order.
    ///
    /// # Errors
    /// That the instance's clock is off, or those of the session.
    pub async fn days_over(&self) -> Result<Vec<Day>, Error> {
        self.check_day_clock()?;
        let first = self.closed_through().await?.next();
        let days = first.through(self.today());
        Ok(days.take_while(|day| self.is_over(*day)).collect())
    }

    /// A clock that is far ahead would close days that others are still in, for good.
    fn check_day_clock(&self) -> Result<(), Error> {
        self.check_clock()
            .map_err(|off| Error::not_applied(ErrorKind::Unavailable, off.to_string()))
    }

    fn is_over(&self, day: Day) -> bool {
        day.next().start_micros() + PATIENCE_MICROS <= self.clock.now_micros()
    }

    /// Closes one day; whether it is closed.
    ///
    /// # Errors
    /// That the day is not over or the one before it is not closed, and then nothing is written; that
    /// the instance's clock is off; or those of the session.
    pub async fn close_day(&self, day: Day) -> Result<bool, Error> {
        self.check_day_clock()?;
        let refused = |why: String| Err(Error::not_applied(ErrorKind::Invalid, why));
        if !self.is_over(day) {
            return refused(format!(
                "{day} is not over; it can be closed a minute after its end"
            ));
        }
        let closed_through = self.closed_through().await?;
        let next = closed_through.next();
        if day > next {
            return refused(format!(
                "{day} cannot be closed yet: {next} comes first and is not closed"
            ));
        }
        if day <= closed_through {
            return Ok(self.tables.days.settle(day).await?.0 == DayState::Closed);
        }
        self.close_in_order(day).await
    }

    /// Rule close-in-order: closes a day after the one before it: marks it, so that nothing new is
    /// begun; settles what was begun; sums; and picks one closer's result. Whether it is closed.
    async fn close_in_order(&self, day: Day) -> Result<bool, Error> {
        let days = &self.tables.days;
        if !self.begin_closing(day).await? {
            return Ok(false);
        }
        if self.holds(Rule::CloseInOrder) {
            self.drain_day(day).await?;
        }
        let snapshot = SnapshotId(self.ids.uuid());
        let mut closed = BTreeMap::new();
        for policy in self.tables.counts.policies_of_day(day).await? {
            closed.insert(policy, self.close_policy(day, policy).await?);
        }
        let hash = self.close_ledger(day, snapshot, &closed).await?;
        match days.close(day, snapshot, hash).await {
            Ok(true) => Ok(true),
            Ok(false) => Ok(days.settle(day).await?.0 == DayState::Closed),
            Err(error) if error.outcome() == Outcome::Unknown && self.settle_unknown() => {
                Ok(days.settle(day).await?.0 == DayState::Closed)
            }
            Err(error) => Err(error),
        }
    }

    fn settle_unknown(&self) -> bool {
        self.holds(Rule::SettleUnknown)
    }

    /// Marks a day, unless it is marked; whether it is being closed.
    async fn begin_closing(&self, day: Day) -> Result<bool, Error> {
        let days = &self.tables.days;
        if days.settle(day).await?.0 == DayState::Open {
            match days.begin_closing(day).await {
                Ok(_) => {}
                Err(error) if error.outcome() == Outcome::Unknown => {
                    if !self.settle_unknown() {
                        return Ok(true);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(days.settle(day).await?.0 == DayState::Closing)
    }

    async fn close_policy(&self, day: Day, policy: PolicyId) -> Result<ClosedDay, Error> {
        let counts = &self.tables.counts;
        let votes = counts.votes_of_day(policy, day).await?;
        let before = counts.closed_day(policy, day.previous()).await?;
        let voters: BTreeSet<_> = votes.iter().map(|it| it.user).collect();
        let sum = open_day(day, &votes);
        let closed = ClosedDay {
            day,
            change: sum.change,
            gross: sum.gross,
            heat: sum.heat,
            voters: i64::try_from(voters.len()).unwrap_or(i64::MAX),
            closing_total: before.map_or(0, |it| it.closing_total) + sum.change,
        };
        counts.write_closed_day(policy, &closed).await?;
        Ok(closed)
    }
}
