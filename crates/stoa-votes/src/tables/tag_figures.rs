//! `tag_figures`, `category_figures` and `related_policies`: what is counted of tags. Derived, and
//! written as of when the reading began, so it may be written again at any time.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};

use super::{Base, quorum, write};
use crate::model::{PolicyId, TagId};

/// The only partition of figures.
const SCOPE: i8 = 0;

/// What is counted of a tag.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct TagFigure {
    /// The tag.
    pub tag: TagId,
    /// Its name as it was then.
    pub name: String,
    /// How many active policies have it.
    pub policies: i64,
    /// How much happens there, in thousandths.
    pub heat_thousandths: i64,
}

/// What is counted of a category.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct CategoryFigure {
    /// The key of the category.
    pub category: String,
    /// How many active policies are of it.
    pub policies: i64,
    /// How much happens there, in thousandths.
    pub heat_thousandths: i64,
}

#[derive(FromRow)]
struct RelatedRow {
    policy: PolicyId,
    related: Option<Vec<PolicyId>>,
}

/// The tables.
#[derive(Debug)]
pub struct TagFigureTables {
    session: Arc<dyn Session>,
    insert_tag: Prepared,
    tags: Prepared,
    insert_category: Prepared,
    categories: Prepared,
    insert_related: Prepared,
    related: Prepared,
    all_related: Prepared,
}

impl TagFigureTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            insert_tag: base
                .prepare(
                    "INSERT INTO {ks}.tag_figures (scope, tag, name, policies, heat_thousandths) \
                     VALUES (?, ?, ?, ?, ?)",
                )
                .await?,
            tags: base
                .prepare(
                    "SELECT tag, name, policies, heat_thousandths FROM {ks}.tag_figures \
                     WHERE scope = ?",
                )
                .await?,
            insert_category: base
                .prepare(
                    "INSERT INTO {ks}.category_figures \
                     (scope, category, policies, heat_thousandths) VALUES (?, ?, ?, ?)",
                )
                .await?,
            categories: base
                .prepare(
                    "SELECT category, policies, heat_thousandths FROM {ks}.category_figures \
                     WHERE scope = ?",
                )
                .await?,
            insert_related: base
                .prepare("INSERT INTO {ks}.related_policies (policy, related) VALUES (?, ?)")
                .await?,
            related: base
                .prepare("SELECT policy, related FROM {ks}.related_policies WHERE policy = ?")
                .await?,
            all_related: base
                .prepare("SELECT policy, related FROM {ks}.related_policies")
                .await?,
        })
    }

    /// Writes what was counted of a tag, as of when the reading began.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_tag(&self, it: &TagFigure, as_of_micros: i64) -> Result<(), Error> {
        let values = (SCOPE, it.tag, &it.name, it.policies, it.heat_thousandths);
        write(&*self.session, &self.insert_tag, values, as_of_micros).await
    }

    /// What was counted of every tag.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn tags(&self) -> Result<Vec<TagFigure>, Error> {
        let bound = self.tags.bind((SCOPE,))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Writes what was counted of a category, as of when the reading began.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_category(
        &self,
        it: &CategoryFigure,
        as_of_micros: i64,
    ) -> Result<(), Error> {
        let values = (SCOPE, &it.category, it.policies, it.heat_thousandths);
        write(&*self.session, &self.insert_category, values, as_of_micros).await
    }

    /// What was counted of every category.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn categories(&self) -> Result<Vec<CategoryFigure>, Error> {
        let bound = self.categories.bind((SCOPE,))?.with(quorum());
        self.session.all(&bound).await
    }

    /// Writes the policies that are most like a policy, as of when the reading began.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn write_related(
        &self,
        policy: PolicyId,
        related: &[PolicyId],
        as_of_micros: i64,
    ) -> Result<(), Error> {
        let values = (policy, related);
        write(&*self.session, &self.insert_related, values, as_of_micros).await
    }

    /// The policies that are most like a policy.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn related(&self, policy: PolicyId) -> Result<Vec<PolicyId>, Error> {
        let bound = self.related.bind((policy,))?.with(quorum());
        let row = self.session.first::<RelatedRow>(&bound).await?;
        Ok(row.and_then(|row| row.related).unwrap_or_default())
    }

    /// The policies that are most like each; reads the whole table.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn all_related(&self) -> Result<BTreeMap<PolicyId, Vec<PolicyId>>, Error> {
        let bound = self.all_related.bind(())?.with(quorum());
        let rows = self.session.all::<RelatedRow>(&bound).await?;
        let rows = rows.into_iter();
        Ok(rows
            .map(|row| (row.policy, row.related.unwrap_or_default()))
            .collect())
    }
}
