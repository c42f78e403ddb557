//! `policy_breadth`: how broadly policies are supported. Derived, and written as of when the
//! reading began, so it may be written again at any time.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::{Breadth, Day, OpenDay, PolicyId, UserId};

/// How broadly a policy is supported, as it was last measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    /// The policy.
    pub policy: PolicyId,
    /// What was measured.
    pub breadth: Breadth,
    /// The change that it was measured after.
    pub of_change_micros: i64,
}

#[derive(FromRow)]
struct BreadthRow {
    policy: PolicyId,
    supporters: Option<i64>,
    square_roots: Option<i64>,
    open_days: Option<BTreeMap<Day, (i64, i64, i64)>>,
    of_change_micros: Option<i64>,
}

#[derive(FromRow)]
struct SupporterRow {
    user: UserId,
    total: i64,
}

/// The table, and that of who has votes.
#[derive(Debug)]
pub struct BreadthTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    one: Prepared,
    all: Prepared,
    supporters: Prepared,
    first_supporters: Prepared,
    next_supporters: Prepared,
}

impl BreadthTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let columns = "policy, supporters, square_roots, open_days, of_change_micros";
        let all = format!("SELECT {columns} FROM {{ks}}.policy_breadth");
        let one = format!("{all} WHERE policy = ?");
        let insert =
            format!("INSERT INTO {{ks}}.policy_breadth ({columns}) VALUES (?, ?, ?, ?, ?)");
        Ok(Self {
            session: base.session(),
            insert: base.prepare(&insert).await?,
            one: base.prepare(&one).await?,
            all: base.prepare(&all).await?,
            supporters: base
                .prepare("SELECT user, total FROM {ks}.policy_supporters WHERE policy = ?")
                .await?,
            first_supporters: base
                .prepare("SELECT user, total FROM {ks}.policy_supporters WHERE policy = ? LIMIT ?")
                .await?,
            next_supporters: base
                .prepare(
                    "SELECT user, total FROM {ks}.policy_supporters \
                     WHERE policy = ? AND user > ? LIMIT ?",
                )
                .await?,
        })
    }

    /// Writes what was measured, as of when the reading for it began.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, it: &Measured, as_of_micros: i64) -> Result<(), Error> {
        let breadth = &it.breadth;
        let days = breadth.open_days.iter();
        let days = days.map(|(day, it)| (*day, (it.change, it.gross, it.heat)));
        let values = (
            it.policy,
            breadth.supporters,
            breadth.square_roots,
            days.collect::<BTreeMap<Day, (i64, i64, i64)>>(),
            it.of_change_micros,
        );
        write(&*self.session, &self.insert, values, as_of_micros).await
    }

    /// What was measured of a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, policy: PolicyId) -> Result<Option<Measured>, Error> {
        let bound = self.one.bind((policy,))?.with(quorum());
        let row = self.session.first::<BreadthRow>(&bound).await?;
        Ok(row.map(BreadthRow::read))
    }

    /// What was measured of every policy; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<Measured>, Error> {
        let bound = self.all.bind(())?.with(quorum());
        let rows = self.session.all::<BreadthRow>(&bound).await?;
        Ok(rows.into_iter().map(BreadthRow::read).collect())
    }

    /// What each user has on a policy, merges left aside; reads as many rows as there are users.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn supporters(&self, policy: PolicyId) -> Result<Vec<(UserId, i64)>, Error> {
        let bound = self.supporters.bind((policy,))?.with(quorum());
        let rows = self.session.all::<SupporterRow>(&bound).await?;
        Ok(rows.into_iter().map(|row| (row.user, row.total)).collect())
    }

    /// Some of them, after one of them, in the order of the table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn supporters_after(
        &self,
        policy: PolicyId,
        after: Option<UserId>,
        most: i32,
    ) -> Result<Vec<(UserId, i64)>, Error> {
        let bound = match after {
            Some(after) => self.next_supporters.bind((policy, after, most))?,
            None => self.first_supporters.bind((policy, most))?,
        };
        let bound = bound.with(quorum());
        let rows = self.session.all::<SupporterRow>(&bound).await?;
        Ok(rows.into_iter().map(|row| (row.user, row.total)).collect())
    }
}

impl BreadthRow {
    fn read(self) -> Measured {
        let days = self.open_days.unwrap_or_default().into_iter();
        let days = days.map(|(day, (change, gross, heat))| {
            let open = OpenDay {
                change,
                gross,
                heat,
            };
            (day, open)
        });
        Measured {
            policy: self.policy,
            breadth: Breadth {
                supporters: self.supporters.unwrap_or(0),
                square_roots: self.square_roots.unwrap_or(0),
                open_days: days.collect(),
            },
            of_change_micros: self.of_change_micros.unwrap_or(0),
        }
    }
}
