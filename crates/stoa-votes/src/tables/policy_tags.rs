//! `policy_tags`, by conditional writes alone, and `policies_by_tag`, which is derived from it and
//! written at the time of the change, so that whoever writes it again changes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Options, Prepared, Session, Shortcuts};
use stoa_types::time_uuid;
use uuid::Uuid;

use super::{Base, decide, quorum, serial, write};
use crate::model::{PolicyId, PolicyTags, TagId, UserId};

/// Both tables.
#[derive(Debug)]
pub struct PolicyTagTables {
    session: Arc<dyn Session>,
    read: Prepared,
    all: Prepared,
    insert: Prepared,
    change: Prepared,
    put: Prepared,
    take: Prepared,
    policies: Prepared,
    pairs: Prepared,
}

#[derive(FromRow)]
struct PolicyTagsRow {
    policy: PolicyId,
    tags: Option<BTreeSet<TagId>>,
    change: Option<Uuid>,
    changed_by: Option<UserId>,
}

#[derive(FromRow)]
struct PairRow {
    tag: TagId,
    policy: PolicyId,
}

impl PolicyTagTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let all = "SELECT policy, tags, change, changed_by FROM {ks}.policy_tags";
        Ok(Self {
            session: base.session(),
            read: base.prepare(&format!("{all} WHERE policy = ?")).await?,
            all: base.prepare(all).await?,
            insert: base
                .prepare(
                    "INSERT INTO {ks}.policy_tags (policy, tags, change, changed_by) \
                     VALUES (?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            change: base
                .prepare(
                    "UPDATE {ks}.policy_tags SET tags = ?, change = ?, changed_by = ? \
                     WHERE policy = ? IF change = ?",
                )
                .await?,
            put: base
                .prepare("INSERT INTO {ks}.policies_by_tag (tag, policy) VALUES (?, ?)")
                .await?,
            take: base
                .prepare("DELETE FROM {ks}.policies_by_tag WHERE tag = ? AND policy = ?")
                .await?,
            policies: base
                .prepare("SELECT tag, policy FROM {ks}.policies_by_tag WHERE tag = ?")
                .await?,
            pairs: base
                .prepare("SELECT tag, policy FROM {ks}.policies_by_tag")
                .await?,
        })
    }

    /// The tags of a policy, as every acknowledged change says.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, policy: PolicyId) -> Result<Option<PolicyTags>, Error> {
        self.read_with(policy, quorum()).await
    }

    /// The tags of a policy; no change of them stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settle(&self, policy: PolicyId) -> Result<Option<PolicyTags>, Error> {
        self.read_with(policy, serial()).await
    }

    async fn read_with(
        &self,
        policy: PolicyId,
        options: Options,
    ) -> Result<Option<PolicyTags>, Error> {
        let bound = self.read.bind((policy,))?.with(options);
        let row = self.session.first::<PolicyTagsRow>(&bound).await?;
        Ok(row.and_then(PolicyTagsRow::read))
    }

    /// The tags of every policy that ever had any; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<PolicyTags>, Error> {
        let bound = self.all.bind(())?.with(quorum());
        let rows = self.session.all::<PolicyTagsRow>(&bound).await?;
        Ok(rows.into_iter().filter_map(PolicyTagsRow::read).collect())
    }

    /// Changes the tags of a policy, if they are still as they were seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn change(&self, seen: Option<Uuid>, to: &PolicyTags) -> Result<bool, Error> {
        let session = &*self.session;
        let (policy, tags, change, by) = (to.policy, &to.tags, to.change, to.changed_by);
        match seen {
            None => decide(session, &self.insert, (policy, tags, change, by)).await,
            Some(seen) => decide(session, &self.change, (tags, change, by, policy, seen)).await,
        }
    }

    /// Lists a policy under a tag that it has as of a change.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn put(&self, tag: TagId, policy: PolicyId, change: Uuid) -> Result<(), Error> {
        write(&*self.session, &self.put, (tag, policy), micros_of(change)).await
    }

    /// Lists a policy no more under a tag that it does not have as of a change.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn take(&self, tag: TagId, policy: PolicyId, change: Uuid) -> Result<(), Error> {
        write(&*self.session, &self.take, (tag, policy), micros_of(change)).await
    }

    /// The policies listed under a tag.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn policies(&self, tag: TagId) -> Result<BTreeSet<PolicyId>, Error> {
        let bound = self.policies.bind((tag,))?.with(quorum());
        let rows = self.session.all::<PairRow>(&bound).await?;
        Ok(rows.into_iter().map(|row| row.policy).collect())
    }

    /// Every policy under every tag; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn pairs(&self) -> Result<BTreeSet<(PolicyId, TagId)>, Error> {
        let bound = self.pairs.bind(())?.with(quorum());
        let rows = self.session.all::<PairRow>(&bound).await?;
        Ok(rows.into_iter().map(|row| (row.policy, row.tag)).collect())
    }
}

fn micros_of(change: Uuid) -> i64 {
    time_uuid::unix_micros(&change).unwrap_or(0)
}

impl PolicyTagsRow {
    fn read(self) -> Option<PolicyTags> {
        Some(PolicyTags {
            policy: self.policy,
            tags: self.tags.unwrap_or_default(),
            change: self.change?,
            changed_by: self.changed_by?,
        })
    }
}
