//! The key-value store in memory: for tests, for `memory:` databases, and as the reference.
//!
//! Every key keeps the versions that open snapshots may still ask for, newest last.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::{Arc, Mutex, RwLock};

use super::{Bytes, Change, CompactionRule, Direction, Figures, Kv, Pair, Pairs, Read, SpaceId};
use super::{Durability, Snapshot, Verdict};
use crate::error::StoreError;
use crate::lock::{lock, read, write};

/// How many pairs a walk copies at a time, so that it never holds the lock for long.
const CHUNK: usize = 64;

type Versions = Vec<(u64, Option<Bytes>)>;
type Space = BTreeMap<Bytes, Versions>;

#[derive(Debug, Default)]
struct Content {
    spaces: BTreeMap<SpaceId, Space>,
    /// Spaces that were dropped at a commit which a snapshot may still show.
    dropped: Vec<(SpaceId, u64)>,
    commits: u64,
    closed: bool,
}

#[derive(Debug, Default)]
struct Shared {
    content: RwLock<Content>,
    /// How many snapshots are open at each commit number.
    open: Mutex<BTreeMap<u64, usize>>,
}

/// The store in memory.
#[derive(Debug, Clone)]
pub struct MemoryKv {
    shared: Arc<Shared>,
    rule: Arc<dyn CompactionRule>,
}

impl MemoryKv {
    /// An empty store whose compactions follow `rule`.
    #[must_use]
    pub fn new(rule: Arc<dyn CompactionRule>) -> Self {
        Self {
            shared: Arc::default(),
            rule,
        }
    }

    fn with_content<R>(
        &self,
        act: impl FnOnce(&mut Content) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let mut content = write(&self.shared.content);
        if content.closed {
            Err(StoreError::Closed)
        } else {
            act(&mut content)
        }
    }

    /// The oldest commit a snapshot may still show.
    fn oldest_needed(&self, commits: u64) -> u64 {
        lock(&self.shared.open)
            .keys()
            .next()
            .copied()
            .unwrap_or(commits)
    }
}

impl MemoryKv {
    /// Frees dropped spaces that no snapshot can show any more.
    fn reclaim(&self, content: &mut Content) {
        let oldest = self.oldest_needed(u64::MAX);
        let Content {
            spaces, dropped, ..
        } = content;
        dropped.retain(|(space, at)| {
            let is_needed = *at >= oldest;
            if !is_needed {
                spaces.remove(space);
            }
            is_needed
        });
    }
}

/// Adds a version and drops those that no snapshot can reach any more.
fn push_version(versions: &mut Versions, commit: u64, value: Option<Bytes>, oldest: u64) {
    let unreachable = versions
        .iter()
        .rposition(|(at, _)| *at <= oldest)
        .unwrap_or(0);
    versions.drain(..unreachable);
    match versions.last_mut() {
        Some(last) if last.0 == commit => last.1 = value,
        _ => versions.push((commit, value)),
    }
}

fn visible(versions: &Versions, commit: u64) -> Option<&Bytes> {
    versions
        .iter()
        .rev()
        .find(|(at, _)| *at <= commit)
        .and_then(|(_, value)| value.as_ref())
}

impl Kv for MemoryKv {
    fn snapshot(&self) -> Result<Arc<dyn Snapshot>, StoreError> {
        let content = read(&self.shared.content);
        if content.closed {
            return Err(StoreError::Closed);
        }
        let commit = content.commits;
        *lock(&self.shared.open).entry(commit).or_insert(0) += 1;
        Ok(Arc::new(MemorySnapshot {
            shared: Arc::clone(&self.shared),
            commit,
        }))
    }

    fn commit(&self, changes: &mut Vec<Change>, _durability: Durability) -> Result<(), StoreError> {
        self.with_content(|content| {
            let oldest = self.oldest_needed(content.commits);
            let commit = content.commits + 1;
            for change in changes.drain(..) {
                let space = content
                    .spaces
                    .get_mut(&change.space)
                    .ok_or(StoreError::Invalid(
                        "a change to a space that does not exist",
                    ))?;
                let is_removed = change.value.is_none();
                let versions = space.entry(change.key.clone()).or_default();
                push_version(versions, commit, change.value, oldest);
                if versions.len() == 1 && is_removed {
                    space.remove(&change.key);
                }
            }
            content.commits = commit;
            self.reclaim(content);
            Ok(())
        })
    }

    fn create_space(&self, space: SpaceId) -> Result<(), StoreError> {
        self.with_content(|content| {
            content.spaces.entry(space).or_default();
            Ok(())
        })
    }

    fn drop_space(&self, space: SpaceId) -> Result<(), StoreError> {
        self.with_content(|content| {
            content.dropped.push((space, content.commits));
            self.reclaim(content);
            Ok(())
        })
    }

    fn spaces(&self) -> Result<Vec<SpaceId>, StoreError> {
        let content = read(&self.shared.content);
        let is_dropped = |id: &&SpaceId| content.dropped.iter().any(|(it, _)| it == *id);
        Ok(content
            .spaces
            .keys()
            .filter(|id| !is_dropped(id))
            .copied()
            .collect())
    }

    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn flush(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn compact(&self, id: SpaceId) -> Result<(), StoreError> {
        self.with_content(|content| {
            let oldest = self.oldest_needed(content.commits);
            // A commit of its own: snapshots go on showing what they showed.
            content.commits += 1;
            let commit = content.commits;
            let Some(space) = content.spaces.get_mut(&id) else {
                return Ok(());
            };
            space.retain(|key, versions| {
                if let Some((_, Some(value))) = versions.last().cloned() {
                    match self.rule.judge(id, key, &value) {
                        Verdict::Keep => {}
                        Verdict::Remove => push_version(versions, commit, None, oldest),
                        Verdict::Replace(new) => {
                            push_version(versions, commit, Some(new.into()), oldest);
                        }
                    }
                }
                versions.len() > 1 || versions.iter().any(|(_, value)| value.is_some())
            });
            Ok(())
        })
    }

    fn housekeep(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn is_failed(&self) -> bool {
        false
    }

    fn reopen(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn close(&self) -> Result<(), StoreError> {
        write(&self.shared.content).closed = true;
        Ok(())
    }

    fn figures(&self) -> Figures {
        Figures {
            commits: read(&self.shared.content).commits,
            ..Figures::default()
        }
    }
}

/// The store as of one commit.
#[derive(Debug)]
struct MemorySnapshot {
    shared: Arc<Shared>,
    commit: u64,
}

impl Drop for MemorySnapshot {
    fn drop(&mut self) {
        let mut open = lock(&self.shared.open);
        if let Some(count) = open.get_mut(&self.commit) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.commit);
            }
        }
    }
}

impl Read for MemorySnapshot {
    fn get(&self, space: SpaceId, key: &[u8]) -> Result<Option<Bytes>, StoreError> {
        let content = read(&self.shared.content);
        let versions = content.spaces.get(&space).and_then(|space| space.get(key));
        Ok(versions
            .and_then(|versions| visible(versions, self.commit))
            .cloned())
    }

    fn range(
        &self,
        space: SpaceId,
        start: &[u8],
        end: &[u8],
        direction: Direction,
    ) -> Result<Pairs<'_>, StoreError> {
        Ok(Box::new(Walk {
            snapshot: self,
            space,
            start: Bound::Included(start.into()),
            end: Bound::Excluded(end.into()),
            direction,
            chunk: Vec::new().into_iter(),
            done: start >= end,
        }))
    }
}

/// A walk over a range, a chunk at a time.
struct Walk<'a> {
    snapshot: &'a MemorySnapshot,
    space: SpaceId,
    start: Bound<Bytes>,
    end: Bound<Bytes>,
    direction: Direction,
    chunk: std::vec::IntoIter<Pair>,
    done: bool,
}

impl Walk<'_> {
    fn fill(&mut self) {
        let content = read(&self.snapshot.shared.content);
        let Some(space) = content.spaces.get(&self.space) else {
            self.done = true;
            return;
        };
        let bounds = (self.start.clone(), self.end.clone());
        let commit = self.snapshot.commit;
        let shown = |(key, versions): (&Bytes, &Versions)| {
            visible(versions, commit).map(|value| (key.clone(), value.clone()))
        };
        let walk = space.range::<Bytes, _>(bounds);
        let chunk: Vec<Pair> = match self.direction {
            Direction::Forward => walk.filter_map(shown).take(CHUNK).collect(),
            Direction::Backward => walk.rev().filter_map(shown).take(CHUNK).collect(),
        };
        match chunk.last() {
            Some((last, _)) if chunk.len() == CHUNK => match self.direction {
                Direction::Forward => self.start = Bound::Excluded(last.clone()),
                Direction::Backward => self.end = Bound::Excluded(last.clone()),
            },
            _ => self.done = true,
        }
        self.chunk = chunk.into_iter();
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Pair, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(pair) = self.chunk.next() {
                return Some(Ok(pair));
            }
            if self.done {
                return None;
            }
            self.fill();
        }
    }
}
