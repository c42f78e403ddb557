//! Finding policies, comments, tags and people by words. Every instance has an index of its own,
//! which is derived from the tables; nothing is decided by it, and it may be behind.
//!
//! A refresh reads the lists of everything and, of what changed since the last one, the texts; that
//! is written. After a start, and after trouble, it begins anew; what was there is found until then.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use stoa_search::Index;
pub use stoa_search::{Found, Hit, Kind, Query, SearchError, Snippet};
use stoa_session::Error;

use super::search_documents::{Gathered, Known};
use crate::model::PolicyState;
use crate::votes::Votes;

/// How many similar policies are looked at for those that are active.
const LOOKED_AT: usize = 50;

/// The index of one instance.
#[derive(Debug)]
pub struct SearchIndex {
    index: Index,
    /// What is in the index; none if that is not known.
    known: Mutex<Option<Known>>,
}

/// Why an index was not refreshed.
#[derive(Debug, thiserror::Error)]
pub enum NotRefreshed {
    /// The tables could not be read.
    #[error(transparent)]
    Session(#[from] Error),
    /// The index could not be written; the next refresh writes all of it.
    #[error(transparent)]
    Index(#[from] SearchError),
}

impl SearchIndex {
    /// An index in memory, empty until it is refreshed.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub fn memory() -> Result<Self, SearchError> {
        Index::memory().map(Self::on)
    }

    /// The index of a folder. One that is damaged or old is replaced by an empty one.
    ///
    /// # Errors
    /// Those of files; or the folder has something else in it, or is in use.
    pub fn open(folder: &Path) -> Result<Self, SearchError> {
        let index = match Index::open(folder) {
            Err(SearchError::NeedsRebuild(_)) => Index::create(folder)?,
            opened => opened?,
        };
        Ok(Self::on(index))
    }

    fn on(index: Index) -> Self {
        Self {
            index,
            known: Mutex::default(),
        }
    }

    /// What has the words of a query.
    ///
    /// # Errors
    /// Those of files.
    pub fn search(&self, query: &Query) -> Result<Found, SearchError> {
        self.index.search(query)
    }

    /// Active policies with a title like one that somebody is typing, best first.
    ///
    /// # Errors
    /// Those of files.
    pub fn similar_policies(&self, title: &str, most: usize) -> Result<Vec<Hit>, SearchError> {
        let hits = self.index.similar(title, Kind::Policy, LOOKED_AT)?;
        let active = PolicyState::Active.name();
        let hits = hits.into_iter();
        let active = hits.filter(|hit| hit.state.as_deref() == Some(active));
        Ok(active.take(most).collect())
    }

    /// Through which moment the tables were read for what is found, in microseconds since 1970.
    #[must_use]
    pub fn stamp_micros(&self) -> Option<i64> {
        self.index.stamp_micros()
    }

    fn known(&self) -> Option<Known> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.clone()
    }

    /// Writes what was gathered; how many documents changed.
    fn update(&self, gathered: Gathered) -> Result<usize, SearchError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let through = known.as_ref().map(|known| known.through_micros);
        if through != gathered.since_micros {
            // Somebody else was here meanwhile, and knows better what is in the index.
            return Ok(0);
        }
        // What fails leaves unknown what is in the index.
        let before = known.take();
        let changed = self.write(before.as_ref(), &gathered);
        match changed {
            Ok(_) => *known = Some(gathered.known),
            Err(_) => {
                // If this fails too, the next refresh fails or clears.
                let _ = self.index.rollback();
            }
        }
        changed
    }

    fn write(&self, before: Option<&Known>, gathered: &Gathered) -> Result<usize, SearchError> {
        let mut changed = gathered.documents.len();
        match before {
            None => self.index.clear()?,
            Some(before) => {
                for (kind, id) in gathered.known.gone_since(before) {
                    self.index.remove(kind, id);
                    changed += 1;
                }
            }
        }
        for document in &gathered.documents {
            self.index.upsert(document)?;
        }
        if changed > 0 || before.is_none() {
            self.index.commit(gathered.known.through_micros)?;
        }
        Ok(changed)
    }
}

impl Votes {
    /// Brings an index up to date; how many documents changed. It reads the lists of everything, so
    /// it is for the background, and keeps a thread busy while it writes.
    ///
    /// # Errors
    /// What was found before is found still.
    pub async fn refresh_search(&self, index: &SearchIndex) -> Result<usize, NotRefreshed> {
        let gathered = self.gather_documents(index.known()).await?;
        Ok(index.update(gathered)?)
    }
}
