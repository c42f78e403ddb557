//! `tag_names` and `tags`: which tag a name leads to, and what became of it. By conditional writes
//! alone. A name is claimed once and for ever; everything that changes is in the row of the tag.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use stoa_session::shortcuts::applied;
use stoa_session::{
    Batch, BatchKind, Bound, Error, ErrorKind, FromRow, Options, Prepared, Session, Shortcuts,
};
use uuid::Uuid;

use super::{Base, conditional, decide, quorum, serial};
use crate::model::{Tag, TagAct, TagId, TagState, UserId};

/// The only partition of tags.
const SCOPE: i8 = 0;

/// Both tables.
#[derive(Debug)]
pub struct TagTables {
    session: Arc<dyn Session>,
    name: Prepared,
    names: Prepared,
    claim: Prepared,
    read: Prepared,
    all: Prepared,
    create: Prepared,
    change: Prepared,
    absorb: Prepared,
}

/// A name and where it leads.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct ClaimedTagName {
    /// The name without upper case.
    pub key: String,
    /// The tag.
    pub tag: TagId,
    /// The name as whoever claimed it wrote it.
    pub shown: String,
}

#[derive(FromRow)]
struct TagRow {
    tag: TagId,
    state: Option<String>,
    name: Option<String>,
    name_key: Option<String>,
    merged_to: Option<TagId>,
    merged_from: Option<BTreeSet<TagId>>,
    change: Option<Uuid>,
    act: Option<Uuid>,
    act_by: Option<UserId>,
    act_kind: Option<String>,
    act_reason: Option<String>,
}

const COLUMNS: &str = "tag, state, name, name_key, merged_to, merged_from, change, act, act_by, \
    act_kind, act_reason";
const CLAIM: &str = "INSERT INTO {ks}.tag_names (key, tag, shown) VALUES (?, ?, ?) IF NOT EXISTS";
const CREATE: &str = "INSERT INTO {ks}.tags (scope, tag, state, name, name_key, change) \
    VALUES (?, ?, 'active', ?, ?, ?) IF NOT EXISTS";
const CHANGE: &str = "UPDATE {ks}.tags SET state = ?, name = ?, name_key = ?, merged_to = ?, \
    change = ?, act = ?, act_by = ?, act_kind = ?, act_reason = ? WHERE scope = ? AND tag = ? \
    IF change = ? AND state = 'active'";
const ABSORB: &str = "UPDATE {ks}.tags SET merged_from = ?, change = ? WHERE scope = ? AND tag = ? \
    IF change = ? AND state = 'active'";

impl TagTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        let all = format!("SELECT {COLUMNS} FROM {{ks}}.tags WHERE scope = ?");
        Ok(Self {
            session: base.session(),
            name: base
                .prepare("SELECT key, tag, shown FROM {ks}.tag_names WHERE key = ?")
                .await?,
            names: base
                .prepare("SELECT key, tag, shown FROM {ks}.tag_names")
                .await?,
            claim: base.prepare(CLAIM).await?,
            read: base.prepare(&format!("{all} AND tag = ?")).await?,
            all: base.prepare(&all).await?,
            create: base.prepare(CREATE).await?,
            change: base.prepare(CHANGE).await?,
            absorb: base.prepare(ABSORB).await?,
        })
    }

    /// Where a name leads; no claim stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn name(&self, key: &str) -> Result<Option<ClaimedTagName>, Error> {
        let bound = self.name.bind((key,))?.with(serial());
        self.session.first(&bound).await
    }

    /// Every name; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn names(&self) -> Result<Vec<ClaimedTagName>, Error> {
        let bound = self.names.bind(())?.with(quorum());
        self.session.all(&bound).await
    }

    /// Lets a name that leads nowhere lead to a tag.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn claim(&self, name: &ClaimedTagName) -> Result<bool, Error> {
        let values = (&name.key, name.tag, &name.shown);
        decide(&*self.session, &self.claim, values).await
    }

    /// A tag, as every acknowledged change says.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self, tag: TagId) -> Result<Option<Tag>, Error> {
        self.read_with(tag, quorum()).await
    }

    /// A tag; no change of it stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn settle(&self, tag: TagId) -> Result<Option<Tag>, Error> {
        self.read_with(tag, serial()).await
    }

    async fn read_with(&self, tag: TagId, options: Options) -> Result<Option<Tag>, Error> {
        let bound = self.read.bind((SCOPE, tag))?.with(options);
        let row = self.session.first::<TagRow>(&bound).await?;
        row.map(TagRow::tag).transpose()
    }

    /// Every tag there ever was.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all(&self) -> Result<BTreeMap<TagId, Tag>, Error> {
        let bound = self.all.bind((SCOPE,))?.with(quorum());
        let rows = self.session.all::<TagRow>(&bound).await?;
        let tags = rows.into_iter().map(TagRow::tag);
        tags.map(|tag| tag.map(|tag| (tag.id, tag))).collect()
    }

    /// Writes the tag that a name leads to, unless it is there.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn create(&self, name: &ClaimedTagName, change: Uuid) -> Result<bool, Error> {
        let values = (SCOPE, name.tag, &name.shown, &name.key, change);
        decide(&*self.session, &self.create, values).await
    }

    /// Changes an active tag, if it is still as it was seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn change(&self, seen: Uuid, tag: &Tag) -> Result<bool, Error> {
        let bound = self.changing(seen, tag)?.with(conditional());
        Ok(self.session.apply(&bound).await?.is_yes())
    }

    /// Merges an active tag into another active one, if both are still as they were seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn merge(&self, seen: Uuid, source: &Tag, into: &Tag) -> Result<bool, Error> {
        let mut merged_from = into.merged_from.clone();
        merged_from.insert(source.id);
        let absorbing = (merged_from, source.change, SCOPE, into.id, into.change);
        let mut batch = Batch::new(BatchKind::Unlogged).with(conditional());
        batch.push(self.changing(seen, source)?);
        batch.push(self.absorb.bind(absorbing)?);
        Ok(applied(self.session.batch(&batch).await?)?.is_yes())
    }

    fn changing(&self, seen: Uuid, tag: &Tag) -> Result<Bound, Error> {
        let act = tag.act.as_ref();
        let bound = self.change.bind((
            tag.state.name(),
            &tag.name,
            &tag.key,
            tag.merged_to,
            tag.change,
            act.map(|act| act.id),
            act.map(|act| act.by),
            act.map(|act| &act.kind),
            act.map(|act| &act.reason),
            SCOPE,
            tag.id,
            seen,
        ))?;
        Ok(bound)
    }
}

impl TagRow {
    fn tag(self) -> Result<Tag, Error> {
        let state = self.state.as_deref().and_then(TagState::of_name);
        let (Some(state), Some(change)) = (state, self.change) else {
            let what = format!(
                "the tag {} has an unknown state, {:?}",
                self.tag, self.state
            );
            return Err(Error::not_applied(ErrorKind::Value, what));
        };
        let act = self.act.zip(self.act_by).map(|(id, by)| TagAct {
            id,
            by,
            kind: self.act_kind.unwrap_or_default(),
            reason: self.act_reason.unwrap_or_default(),
        });
        Ok(Tag {
            id: self.tag,
            state,
            name: self.name.unwrap_or_default(),
            key: self.name_key.unwrap_or_default(),
            merged_to: self.merged_to,
            merged_from: self.merged_from.unwrap_or_default(),
            change,
            act,
        })
    }
}
