//! The index as its users see it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod folders;
mod searching;

use stoa_search::{Document, Index, Kind, Query};
use uuid::Uuid;

pub(crate) fn policy(id: u128, title: &str) -> Document {
    Document::new(Kind::Policy, Uuid::from_u128(id), title)
}

/// An index in memory of policies with these titles, numbered from 0.
pub(crate) fn titled(titles: &[&str]) -> Index {
    let index = Index::memory().unwrap();
    for (id, title) in (0..).zip(titles) {
        index.upsert(&policy(id, title)).unwrap();
    }
    index.commit(1).unwrap();
    index
}

/// The numbers of what a text finds, best first.
pub(crate) fn find(index: &Index, text: &str) -> Vec<u128> {
    let found = index.search(&Query::new(text)).unwrap();
    found.hits.iter().map(|hit| hit.id.as_u128()).collect()
}
