//! Prepared statements by text, so that asking again costs no round trip.
//!
//! Invariants:
//! 1. There are at most as many as the limit says; the one that was used longest ago goes first.
//! 2. What was prepared before the keyspace was changed is not found after.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use stoa_session::Prepared;

/// Prepared statements by text.
#[derive(Debug)]
pub(crate) struct Cache {
    limit: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: HashMap<String, Entry>,
    era: Era,
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    prepared: Prepared,
    used: u64,
}

/// The time between two changes of the keyspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Era(u64);

impl Cache {
    /// An empty cache for this many statements.
    pub(crate) fn with_limit(limit: usize) -> Self {
        Self {
            limit,
            inner: Mutex::default(),
        }
    }

    /// The statement of this text, or the era in which it may be added.
    pub(crate) fn find(&self, text: &str) -> Result<Prepared, Era> {
        let mut inner = self.lock();
        inner.uses += 1;
        let (uses, era) = (inner.uses, inner.era);
        let entry = inner.entries.get_mut(text).ok_or(era)?;
        entry.used = uses;
        Ok(entry.prepared.clone())
    }

    /// Adds a statement that was prepared in this era; in a later one it is left out.
    pub(crate) fn add(&self, prepared: Prepared, era: Era) {
        let mut inner = self.lock();
        if inner.era != era {
            return;
        }
        if inner.entries.len() >= self.limit && !inner.entries.contains_key(prepared.text()) {
            let oldest = inner.entries.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(text) = oldest.map(|(text, _)| text.clone()) {
                inner.entries.remove(&text);
            }
        }
        let used = inner.uses;
        let text = prepared.text().to_owned();
        inner.entries.insert(text, Entry { prepared, used });
    }

    /// Forgets everything, because names mean something else now.
    pub(crate) fn begin_era(&self) {
        let mut inner = self.lock();
        inner.entries.clear();
        inner.era.0 += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use stoa_session::statement::PreparedParts;

    use super::*;

    fn prepared(text: &str) -> Prepared {
        Prepared::new(PreparedParts {
            text: text.to_owned(),
            variables: Vec::new(),
            partition_key: Vec::new(),
            columns: Vec::new(),
            handle: Box::new(()),
        })
    }

    fn has(cache: &Cache, text: &str) -> bool {
        cache.find(text).is_ok()
    }

    #[test]
    fn the_one_used_longest_ago_makes_room() {
        let cache = Cache::with_limit(2);
        for text in ["a", "b"] {
            cache.add(prepared(text), Era(0));
            assert!(has(&cache, text));
        }
        assert!(has(&cache, "a"));
        cache.add(prepared("c"), Era(0));
        assert!(has(&cache, "a") && has(&cache, "c") && !has(&cache, "b"));
    }

    #[test]
    fn another_keyspace_makes_all_texts_new() {
        let cache = Cache::with_limit(2);
        let era = cache.find("a").expect_err("empty");
        cache.add(prepared("b"), era);
        cache.begin_era();
        cache.add(prepared("a"), era);
        assert!(!has(&cache, "a") && !has(&cache, "b"));
        cache.add(prepared("a"), cache.find("a").expect_err("absent"));
        assert!(has(&cache, "a"));
    }
}
