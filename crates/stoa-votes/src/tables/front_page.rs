//! `front_page`: what is on the front page, in its order, and who put it there. One row, by conditional
//! writes alone.

use std::sync::Arc;

use stoa_session::{Error, FromRow, Prepared, Session, Shortcuts};
use uuid::Uuid;

use super::{Base, decide, serial};
use crate::model::{Day, PolicyId, UserId};
use crate::rules::front_page::{Featured, FeaturedBy};

/// The only row.
const SCOPE: i8 = 0;

/// The table.
#[derive(Debug)]
pub struct FrontPageTable {
    session: Arc<dyn Session>,
    read: Prepared,
    insert: Prepared,
    change: Prepared,
}

#[derive(FromRow)]
struct FrontPageRow {
    featured: Option<Vec<(PolicyId, Day, Day, UserId)>>,
    change: Option<Uuid>,
    changed_by: Option<UserId>,
}

impl FrontPageTable {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            session: base.session(),
            read: base
                .prepare("SELECT featured, change, changed_by FROM {ks}.front_page WHERE scope = ?")
                .await?,
            insert: base
                .prepare(
                    "INSERT INTO {ks}.front_page (scope, featured, change, changed_by) \
                     VALUES (?, ?, ?, ?) IF NOT EXISTS",
                )
                .await?,
            change: base
                .prepare(
                    "UPDATE {ks}.front_page SET featured = ?, change = ?, changed_by = ? \
                     WHERE scope = ? IF change = ?",
                )
                .await?,
        })
    }

    /// What is on it, and its last change with who made it; nothing stays undecided.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn read(&self) -> Result<(Vec<FeaturedBy>, Option<(Uuid, UserId)>), Error> {
        let bound = self.read.bind((SCOPE,))?.with(serial());
        let Some(row) = self.session.first::<FrontPageRow>(&bound).await? else {
            return Ok((Vec::new(), None));
        };
        let entries = row.featured.unwrap_or_default().into_iter();
        let entries = entries.map(|(policy, from, through, by)| FeaturedBy {
            featured: Featured {
                policy,
                from,
                through,
            },
            by,
        });
        Ok((entries.collect(), row.change.zip(row.changed_by)))
    }

    /// Puts something else on it, if its last change is the one that was seen.
    ///
    /// # Errors
    /// Those of the session; the outcome may be unknown.
    pub async fn put(
        &self,
        entries: &[FeaturedBy],
        seen: Option<Uuid>,
        (change, by): (Uuid, UserId),
    ) -> Result<bool, Error> {
        let entries = entries.iter();
        let entries =
            entries.map(|FeaturedBy { featured: it, by }| (it.policy, it.from, it.through, *by));
        let entries: Vec<(PolicyId, Day, Day, UserId)> = entries.collect();
        match seen {
            None => {
                let values = (SCOPE, entries, change, by);
                decide(&*self.session, &self.insert, values).await
            }
            Some(seen) => {
                let values = (entries, change, by, SCOPE, seen);
                decide(&*self.session, &self.change, values).await
            }
        }
    }
}
