//! Reading everything there is, for the audit.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::chain::{RECORD_COLUMNS, RecordRow};
use super::{Base, quorum};
use crate::model::{
    ClosedDay, ConfigHistory, Day, PolicyId, PolicyState, Standing, UserId, VoteVersion,
};
use crate::rules::audit::{AuditedPolicy, Books};
use crate::rules::salary::Payment;

/// The statements that read whole tables.
#[derive(Debug)]
pub struct BooksReader {
    session: Arc<dyn Session>,
    chains: Prepared,
    policies: Prepared,
    increments: Prepared,
    supporters: Prepared,
    totals: Prepared,
    days: Prepared,
    salary: Prepared,
    joined: Prepared,
}

#[derive(FromRow)]
struct PolicyRow {
    policy: PolicyId,
    state: Option<String>,
    owner: Option<UserId>,
    created_version: Option<VoteVersion>,
    merged_to: Option<PolicyId>,
    merged_from: Option<std::collections::BTreeSet<PolicyId>>,
}

#[derive(FromRow)]
struct IncrementRow {
    policy: PolicyId,
    day: Day,
    version: VoteVersion,
    user: UserId,
    increment: i64,
}

#[derive(FromRow)]
struct SupporterRow {
    policy: PolicyId,
    user: UserId,
    total: i64,
}

#[derive(FromRow)]
struct TotalRow {
    policy: PolicyId,
    total: i64,
}

#[derive(FromRow)]
struct DayRow {
    policy: PolicyId,
    day: Day,
    change: i64,
    gross: i64,
    heat: i64,
    voters: i64,
    closing_total: i64,
}

#[derive(FromRow)]
struct SalaryRow {
    user: UserId,
    period: Day,
    amount: i64,
}

#[derive(FromRow)]
struct JoinedRow {
    user: UserId,
    created_micros: Option<i64>,
}

#[derive(FromRow)]
struct ChainRow {
    user: UserId,
    slot: Option<i8>,
    head: Option<VoteVersion>,
}

impl BooksReader {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let chains = format!("SELECT user, slot, {RECORD_COLUMNS} FROM {{ks}}.vote_chain");
        Ok(Self {
            session: base.session(),
            chains: base.prepare(&chains).await?,
            policies: base
                .prepare(
                    "SELECT policy, state, owner, created_version, merged_to, merged_from \
                     FROM {ks}.policies",
                )
                .await?,
            increments: base
                .prepare("SELECT policy, day, version, user, increment FROM {ks}.policy_votes")
                .await?,
            supporters: base
                .prepare("SELECT policy, user, total FROM {ks}.policy_supporters")
                .await?,
            totals: base
                .prepare("SELECT policy, total FROM {ks}.policy_total")
                .await?,
            days: base
                .prepare(
                    "SELECT policy, day, change, gross, heat, voters, closing_total \
                     FROM {ks}.policy_day",
                )
                .await?,
            salary: base
                .prepare("SELECT user, period, amount FROM {ks}.salary")
                .await?,
            joined: base
                .prepare("SELECT user, created_micros FROM {ks}.users")
                .await?,
        })
    }

    async fn all<T: for<'row> FromRow<'row> + Send>(
        &self,
        prepared: &Prepared,
    ) -> Result<Vec<T>, Error> {
        self.session.all(&prepared.bind(())?.with(quorum())).await
    }

    /// Everything there is, where days up to one are closed, and told what became of policies.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(
        &self,
        closed_through: Day,
        config: ConfigHistory,
        told: BTreeMap<PolicyId, Day>,
    ) -> Result<Books, Error> {
        let mut books = Books {
            chains: BTreeMap::new(),
            policies: self.policies().await?,
            increments: BTreeMap::new(),
            supporters: BTreeMap::new(),
            salary: BTreeMap::new(),
            joined: BTreeMap::new(),
            closed_through,
            config,
            told,
        };
        self.read_chains(&mut books).await?;
        for row in self.all::<IncrementRow>(&self.increments).await? {
            let key = (row.policy, row.day, row.version);
            books.increments.insert(key, (row.user, row.increment));
        }
        for row in self.all::<SupporterRow>(&self.supporters).await? {
            books.supporters.insert((row.policy, row.user), row.total);
        }
        for row in self.all::<SalaryRow>(&self.salary).await? {
            let payment = Payment {
                period: row.period,
                amount: row.amount,
            };
            books.salary.entry(row.user).or_default().push(payment);
        }
        // Last: whoever has voted by now is there.
        let joined = self.all::<JoinedRow>(&self.joined).await?.into_iter();
        let joined = joined.filter_map(|row| Some((row.user, Day::of_micros(row.created_micros?))));
        books.joined.extend(joined);
        Ok(books)
    }

    async fn read_chains(&self, books: &mut Books) -> Result<(), Error> {
        let bound = self.chains.bind(())?.with(quorum());
        let mut pages = stoa_session::pages::Pages::new(&*self.session, &bound, None);
        while let Some(answer) = pages.next().await? {
            let rows = answer.into_rows();
            let records = rows.typed::<RecordRow>()?;
            for (place, record) in rows.typed::<ChainRow>()?.zip(records) {
                let place = place?;
                let chain = books.chains.entry(place.user).or_default();
                chain.0 = place.head;
                // Other slots hold answers, which are not records.
                if place.slot == Some(0) {
                    chain.1.push(record?.record()?);
                }
            }
        }
        for (_, records) in books.chains.values_mut() {
            records.sort_by_key(|record| record.seq);
        }
        Ok(())
    }

    async fn policies(&self) -> Result<BTreeMap<PolicyId, AuditedPolicy>, Error> {
        let mut policies = BTreeMap::new();
        for row in self.all::<PolicyRow>(&self.policies).await? {
            let Some(state) = row.state.as_deref().and_then(PolicyState::of_name) else {
                continue;
            };
            let policy = AuditedPolicy {
                standing: Standing {
                    state,
                    merged_to: row.merged_to,
                    merged_from: row.merged_from.unwrap_or_default(),
                },
                created_by: row.owner.zip(row.created_version),
                total: None,
                days: Vec::new(),
            };
            policies.insert(row.policy, policy);
        }
        for row in self.all::<TotalRow>(&self.totals).await? {
            if let Some(policy) = policies.get_mut(&row.policy) {
                policy.total = Some(row.total);
            }
        }
        for row in self.all::<DayRow>(&self.days).await? {
            if let Some(policy) = policies.get_mut(&row.policy) {
                policy.days.push(ClosedDay {
                    day: row.day,
                    change: row.change,
                    gross: row.gross,
                    heat: row.heat,
                    voters: row.voters,
                    closing_total: row.closing_total,
                });
            }
        }
        for policy in policies.values_mut() {
            policy.days.sort_by_key(|it| it.day);
        }
        Ok(policies)
    }
}
