//! `categories` and `parties`: what policies are sorted into, and who stands behind them. By
//! conditional writes alone; nothing is ever deleted, since pages name it.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session};
use uuid::Uuid;

use super::{Base, decide, serial};
use crate::model::{Category, Party, UserId};

/// The only partition.
const SCOPE: i8 = 0;

/// The tables.
#[derive(Debug)]
pub struct PlaceTables {
    session: Arc<dyn Session>,
    categories: Prepared,
    insert_category: Prepared,
    change_category: Prepared,
    parties: Prepared,
    insert_party: Prepared,
    change_party: Prepared,
}

/// A category or a party.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A category.
    Category(Category),
    /// A party.
    Party(Party),
}

/// The last change of a category or a party.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlaceChange {
    /// A time UUID: when, and the entry of the moderation log.
    pub id: Uuid,
    /// Who changed it.
    pub by: UserId,
}

impl Place {
    /// What changing it is called in the log, which one it is, and its name.
    #[must_use]
    pub fn described(&self) -> (&'static str, String, &str) {
        match self {
            Self::Category(it) => ("put_category", it.key.clone(), &it.name),
            Self::Party(it) => ("put_party", it.party.to_string(), &it.name),
        }
    }
}

#[derive(FromRow)]
struct ChangeRow {
    change: Option<Uuid>,
    changed_by: Option<UserId>,
}

const CATEGORIES: &str = "SELECT key, name, description, position, is_active, change, changed_by \
    FROM {ks}.categories WHERE scope = ?";
const INSERT_CATEGORY: &str = "INSERT INTO {ks}.categories \
    (scope, key, name, description, position, is_active, change, changed_by) \
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS";
const CHANGE_CATEGORY: &str = "UPDATE {ks}.categories SET name = ?, description = ?, \
    position = ?, is_active = ?, change = ?, changed_by = ? \
    WHERE scope = ? AND key = ? IF change = ?";
const PARTIES: &str = "SELECT party, name, description, is_active, change, changed_by \
    FROM {ks}.parties WHERE scope = ?";
const INSERT_PARTY: &str = "INSERT INTO {ks}.parties \
    (scope, party, name, description, is_active, change, changed_by) \
    VALUES (?, ?, ?, ?, ?, ?, ?) IF NOT EXISTS";
const CHANGE_PARTY: &str = "UPDATE {ks}.parties SET name = ?, description = ?, is_active = ?, \
    change = ?, changed_by = ? WHERE scope = ? AND party = ? IF change = ?";

impl PlaceTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            categories: base.prepare(CATEGORIES).await?,
            insert_category: base.prepare(INSERT_CATEGORY).await?,
            change_category: base.prepare(CHANGE_CATEGORY).await?,
            parties: base.prepare(PARTIES).await?,
            insert_party: base.prepare(INSERT_PARTY).await?,
            change_party: base.prepare(CHANGE_PARTY).await?,
        })
    }

    async fn list<T: for<'row> FromRow<'row> + Send>(
        &self,
        prepared: &Prepared,
    ) -> Result<Vec<(T, PlaceChange)>, Error> {
        let bound = prepared.bind((SCOPE,))?.with(serial());
        let answer = self.session.execute(&bound, None).await?;
        let rows = answer.into_rows();
        let mut list = Vec::new();
        for (it, change) in rows.typed::<T>()?.zip(rows.typed::<ChangeRow>()?) {
            let change = change?;
            let last = PlaceChange {
                id: change.change.unwrap_or(Uuid::nil()),
                by: change.changed_by.unwrap_or(UserId(Uuid::nil())),
            };
            list.push((it?, last));
        }
        Ok(list)
    }

    /// Every category with its last change.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn categories(&self) -> Result<Vec<(Category, PlaceChange)>, Error> {
        self.list(&self.categories).await
    }

    /// Every party with its last change.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn parties(&self) -> Result<Vec<(Party, PlaceChange)>, Error> {
        self.list(&self.parties).await
    }

    /// What there is in the place of a category or a party, with its last change; nothing stays
    /// undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn find(&self, like: &Place) -> Result<Option<(Place, PlaceChange)>, Error> {
        match like {
            Place::Category(like) => {
                let mut known = self.categories().await?.into_iter();
                let found = known.find(|(it, _)| it.key == like.key);
                Ok(found.map(|(it, last)| (Place::Category(it), last)))
            }
            Place::Party(like) => {
                let mut known = self.parties().await?.into_iter();
                let found = known.find(|(it, _)| it.party == like.party);
                Ok(found.map(|(it, last)| (Place::Party(it), last)))
            }
        }
    }

    /// Adds a category or a party, or changes it if its last change is the one that was seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn put(
        &self,
        place: &Place,
        seen: Option<Uuid>,
        change: PlaceChange,
    ) -> Result<bool, Error> {
        match place {
            Place::Category(it) => self.put_category(it, seen, change).await,
            Place::Party(it) => self.put_party(it, seen, change).await,
        }
    }

    async fn put_category(
        &self,
        it: &Category,
        seen: Option<Uuid>,
        PlaceChange { id, by }: PlaceChange,
    ) -> Result<bool, Error> {
        let (key, name, about) = (&it.key, &it.name, &it.description);
        let (position, active) = (it.position, it.is_active);
        match seen {
            None => {
                let values = (SCOPE, key, name, about, position, active, id, by);
                decide(&*self.session, &self.insert_category, values).await
            }
            Some(seen) => {
                let values = (name, about, position, active, id, by, SCOPE, key, seen);
                decide(&*self.session, &self.change_category, values).await
            }
        }
    }

    async fn put_party(
        &self,
        it: &Party,
        seen: Option<Uuid>,
        PlaceChange { id, by }: PlaceChange,
    ) -> Result<bool, Error> {
        let (party, name, about, active) = (it.party, &it.name, &it.description, it.is_active);
        match seen {
            None => {
                let values = (SCOPE, party, name, about, active, id, by);
                decide(&*self.session, &self.insert_party, values).await
            }
            Some(seen) => {
                let values = (name, about, active, id, by, SCOPE, party, seen);
                decide(&*self.session, &self.change_party, values).await
            }
        }
    }
}
