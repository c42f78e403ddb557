//! Search: an index of texts that is derived from the store and rebuilt at will.
//!
//! Nothing is in the index that is not in the store, so nothing is lost with it. Whoever finds it
//! damaged, old or behind deletes it and fills it anew; the stamp of the last commit says through
//! which moment the store was read. Every instance has an index of its own.
//!
//! What it is not: it knows no store, no language and no query syntax. A query is words; nothing
//! that people type is an error, and none of it takes long. Calls do not await anything: they keep
//! their thread busy for microseconds (a search) up to seconds (a commit of everything).
//!
//! ```
//! use stoa_search::{Document, Index, Kind, Query};
//! use uuid::Uuid;
//!
//! # fn main() -> Result<(), stoa_search::SearchError> {
//! let index = Index::memory()?;
//! let id = Uuid::from_u128(7);
//! let mut trees = Document::new(Kind::Policy, id, "Plant trees in every street");
//! trees.text = "Shade for all.".to_owned();
//! index.upsert(&trees)?;
//! index.commit(1_000)?;
//!
//! let found = index.search(&Query::new("TREES, streat!"))?;
//! assert_eq!(found.hits.first().map(|hit| hit.id), Some(id));
//! assert_eq!(index.stamp_micros(), Some(1_000));
//! # Ok(())
//! # }
//! ```
//!
//! | Module | What |
//! |---|---|
//! | [`document`] | what is indexed |
//! | [`index`] | the index: open, write, commit |
//! | [`search`] | asking it |
//! | [`words`] | texts as words that are compared, whatever the language |
//! | [`snippet`] | where the words stand in a text |
#![forbid(unsafe_code)]

mod clauses;
pub mod document;
pub mod error;
mod fields;
mod folder;
pub mod index;
mod matching;
pub mod search;
pub mod snippet;
pub mod words;

pub use document::{Document, Kind};
pub use error::SearchError;
pub use index::Index;
pub use search::{Found, Hit, Query};
pub use snippet::Snippet;
