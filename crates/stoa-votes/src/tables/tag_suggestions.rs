//! `tag_suggestions`: tags that people would put on policies or take from them. Each row is written
//! when its user says so; what was suggested about a tag of a policy is deleted as of when that was
//! decided.

use std::sync::Arc;

use stoa_session::{Bound, Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::{PolicyId, SuggestionKind, TagId, TagSuggestion, UserId};

/// The table.
#[derive(Debug)]
pub struct TagSuggestionTable {
    session: Arc<dyn Session>,
    insert: Prepared,
    withdraw: Prepared,
    decide: Prepared,
    of_policy: Prepared,
    of_tag: Prepared,
    some: Prepared,
    all: Prepared,
}

#[derive(FromRow)]
struct SuggestionRow {
    policy: PolicyId,
    tag: TagId,
    kind: String,
    user: UserId,
    name: Option<String>,
}

impl TagSuggestionTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let all = "SELECT policy, tag, kind, user, name FROM {ks}.tag_suggestions";
        Ok(Self {
            session: base.session(),
            insert: base
                .prepare(
                    "INSERT INTO {ks}.tag_suggestions (policy, tag, kind, user, name) \
                     VALUES (?, ?, ?, ?, ?)",
                )
                .await?,
            withdraw: base
                .prepare(
                    "DELETE FROM {ks}.tag_suggestions \
                     WHERE policy = ? AND tag = ? AND kind = ? AND user = ?",
                )
                .await?,
            decide: base
                .prepare("DELETE FROM {ks}.tag_suggestions WHERE policy = ? AND tag = ?")
                .await?,
            of_policy: base.prepare(&format!("{all} WHERE policy = ?")).await?,
            of_tag: base
                .prepare(&format!("{all} WHERE policy = ? AND tag = ?"))
                .await?,
            some: base.prepare(&format!("{all} LIMIT ?")).await?,
            all: base.prepare(all).await?,
        })
    }

    /// Writes a suggestion.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write(&self, it: &TagSuggestion, at_micros: i64) -> Result<(), Error> {
        let values = (it.policy, it.tag, it.kind.name(), it.user, &it.name);
        write(&*self.session, &self.insert, values, at_micros).await
    }

    /// Takes a suggestion back.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn withdraw(&self, it: &TagSuggestion, at_micros: i64) -> Result<(), Error> {
        let values = (it.policy, it.tag, it.kind.name(), it.user);
        write(&*self.session, &self.withdraw, values, at_micros).await
    }

    /// Deletes all that was suggested about a tag of a policy up to a moment.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn delete(
        &self,
        policy: PolicyId,
        tag: TagId,
        through_micros: i64,
    ) -> Result<(), Error> {
        let values = (policy, tag);
        write(&*self.session, &self.decide, values, through_micros).await
    }

    /// What is suggested for a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_policy(&self, policy: PolicyId) -> Result<Vec<TagSuggestion>, Error> {
        self.list(self.of_policy.bind((policy,))?).await
    }

    /// What is suggested about a tag of a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn of_tag(&self, policy: PolicyId, tag: TagId) -> Result<Vec<TagSuggestion>, Error> {
        self.list(self.of_tag.bind((policy, tag))?).await
    }

    /// The first of what is suggested, in the order of the table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn some(&self, most: i32) -> Result<Vec<TagSuggestion>, Error> {
        self.list(self.some.bind((most,))?).await
    }

    /// Everything that is suggested; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<Vec<TagSuggestion>, Error> {
        self.list(self.all.bind(())?).await
    }

    async fn list(&self, bound: Bound) -> Result<Vec<TagSuggestion>, Error> {
        let bound = bound.with(quorum());
        let rows = self.session.all::<SuggestionRow>(&bound).await?;
        Ok(rows.into_iter().filter_map(SuggestionRow::read).collect())
    }
}

impl SuggestionRow {
    /// What it says, if this program knows that kind.
    fn read(self) -> Option<TagSuggestion> {
        Some(TagSuggestion {
            kind: SuggestionKind::of_name(&self.kind)?,
            policy: self.policy,
            tag: self.tag,
            user: self.user,
            name: self.name.unwrap_or_default(),
        })
    }
}
