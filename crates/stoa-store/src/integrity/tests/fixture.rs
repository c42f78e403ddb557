//! A small store on fjall, written the way the committer writes, with a model of
//! what it must show after each commit.

use std::{
    collections::BTreeMap,
    fs::{self, OpenOptions},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
};

use fjall::{
    CompressionType, Database, Keyspace, KeyspaceCreateOptions, PersistMode,
    config::CompressionPolicy,
};
use tempfile::TempDir;

use crate::integrity::{
    CHAIN_KEY, CHAIN_KEYSPACE, ChainHasher, CommitPoint, CommitRecord, ItemKind, JournalReader,
    JournalStep, Mark, MarkSlots, StoreState, check_before_open, create_format_file,
    observe_journals, repair,
};

/// Keyspace name and key to value.
pub(super) type Content = BTreeMap<(String, Vec<u8>), Vec<u8>>;

/// One write: keyspace, key, and the value or a removal.
pub(super) type Write<'a> = (usize, &'a [u8], Option<&'a [u8]>);

pub(super) const NAMES: [&str; 3] = [CHAIN_KEYSPACE, "alpha", "beta"];

/// A folder in memory where there is one: thousands of stores are written and
/// synced, which is not what the tests are about.
pub(super) fn tempdir() -> io::Result<TempDir> {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())
}

/// Whether each commit is synced before the next, as its flag says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Syncing {
    Each,
    Never,
}

/// An open store.
pub(super) struct Writer {
    pub(super) dir: PathBuf,
    pub(super) db: Database,
    pub(super) keyspaces: Vec<Keyspace>,
    pub(super) slots: MarkSlots,
    pub(super) point: CommitPoint,
    syncing: Syncing,
    offset: u64,
    /// What the store shows after commit n, at place n.
    pub(super) states: Vec<Content>,
}

/// A closed store.
pub(super) struct Closed {
    pub(super) states: Vec<Content>,
}

pub(super) fn open_fjall(dir: &Path) -> fjall::Result<Database> {
    Database::builder(dir.join("kv"))
        .journal_compression(CompressionType::None)
        .worker_threads(1)
        .open()
}

impl Writer {
    pub(super) fn create(dir: &Path, compression: CompressionType, syncing: Syncing) -> Self {
        let verdict = check_before_open(dir, None).unwrap();
        assert_eq!(verdict.state, StoreState::Unborn);
        create_format_file(dir).unwrap();
        let db = open_fjall(dir).unwrap();
        let options = || {
            KeyspaceCreateOptions::default()
                .data_block_compression_policy(CompressionPolicy::all(compression))
                .index_block_compression_policy(CompressionPolicy::all(compression))
        };
        let keyspaces = NAMES
            .map(|name| db.keyspace(name, options).unwrap())
            .to_vec();
        let mut writer = Self {
            dir: dir.to_path_buf(),
            db,
            keyspaces,
            slots: MarkSlots::open(dir).unwrap(),
            point: CommitPoint::START,
            syncing,
            offset: 0,
            states: vec![Content::new()],
        };
        writer.mark(false);
        writer
    }

    /// Opens a store the way its opener does, and goes on from where it ends.
    pub(super) fn reopen(dir: &Path, mut states: Vec<Content>, syncing: Syncing) -> Self {
        let verdict = check_before_open(dir, None).unwrap();
        remark(dir, |mark| mark.flushing = true);
        repair(&verdict).unwrap();
        let db = open_fjall(dir).unwrap();
        let open = |name| db.keyspace(name, KeyspaceCreateOptions::default).unwrap();
        let keyspaces = NAMES.map(open).to_vec();
        let record = keyspaces[0].get(CHAIN_KEY).unwrap();
        let point = verdict.confirm(record.as_deref()).unwrap();
        states.truncate(usize::try_from(point.commit).unwrap() + 1);
        let last = batch_bounds(&newest_journal(dir)).last().copied();
        Self {
            dir: dir.to_path_buf(),
            db,
            keyspaces,
            slots: MarkSlots::open(dir).unwrap(),
            point,
            syncing,
            offset: last.map_or(0, |(_, end)| end),
            states,
        }
    }

    pub(super) fn commit(&mut self, writes: &[Write<'_>]) {
        let commit = self.point.commit + 1;
        let mut hasher = ChainHasher::after(self.point.chain_hash);
        let mut content = self.states.last().unwrap().clone();
        let mode = match self.syncing {
            Syncing::Each => PersistMode::SyncData,
            Syncing::Never => PersistMode::Buffer,
        };
        let mut batch = self.db.batch().durability(Some(mode));
        for &(place, key, value) in writes {
            let id = self.keyspaces[place].id();
            let kind = value.map_or(ItemKind::Remove, |_| ItemKind::Put);
            hasher.item(id, kind, key, value.unwrap_or_default());
        }
        let record = CommitRecord {
            earlier_synced: self.syncing == Syncing::Each,
            commit,
            previous_seqno: self.point.seqno,
            chain_hash: hasher.finish(),
            other_items: u32::try_from(writes.len()).unwrap(),
        };
        batch.insert(&self.keyspaces[0], CHAIN_KEY, &record.encode()[..]);
        for &(place, key, value) in writes {
            let named = (NAMES[place].to_owned(), key.to_vec());
            if let Some(value) = value {
                batch.insert(&self.keyspaces[place], key, value);
                content.insert(named, value.to_vec());
            } else {
                batch.remove(&self.keyspaces[place], key);
                content.remove(&named);
            }
        }
        batch.commit().unwrap();
        let journal = newest_journal(&self.dir);
        let mut reader = JournalReader::open_at(&journal, self.offset).unwrap();
        let JournalStep::Batch(written) = reader.step().unwrap() else {
            panic!("the commit is not in the journal");
        };
        self.offset = written.end();
        self.point = CommitPoint {
            commit,
            chain_hash: record.chain_hash,
            seqno: written.seqno(),
        };
        self.states.push(content);
    }

    pub(super) fn mark(&mut self, flushing: bool) {
        let mark = Mark {
            commit: self.point.commit,
            chain_hash: self.point.chain_hash,
            seqno: self.point.seqno,
            flushing,
            journals: observe_journals(&self.dir.join("kv")).unwrap(),
            ..Mark::default()
        };
        self.slots.write(&mark).unwrap();
    }

    pub(super) fn flush(&mut self) {
        self.mark(true);
        for keyspace in &self.keyspaces {
            keyspace.rotate_memtable_and_wait().unwrap();
        }
        self.mark(false);
    }

    /// Forgets where the journal was read to, after fjall began another one.
    pub(super) fn follow_rotation(&mut self) {
        self.offset = 0;
    }

    /// Closes without flushing, and cuts the preallocated zeros down to a page,
    /// so that thousands of checks need not read 64 MiB each.
    pub(super) fn close(self) -> Closed {
        let journal = newest_journal(&self.dir);
        drop(self.keyspaces);
        drop(self.db);
        set_len(&journal, self.offset + 4096);
        Closed {
            states: self.states,
        }
    }
}

/// Forty commits with two flushes among them; the last mark is six commits old.
pub(super) fn small_store(dir: &Path, compression: CompressionType, syncing: Syncing) -> Closed {
    forty_commits(dir, compression, syncing, &[12, 26])
}

/// The same in the journal only.
pub(super) fn unflushed_store(dir: &Path, syncing: Syncing) -> Closed {
    forty_commits(dir, CompressionType::None, syncing, &[])
}

fn forty_commits(
    dir: &Path,
    compression: CompressionType,
    syncing: Syncing,
    flush_after: &[u32],
) -> Closed {
    let mut writer = Writer::create(dir, compression, syncing);
    for n in 1..=40_u32 {
        let key = format!("key{:02}", n % 17);
        let value = format!("value {n} {}", "x".repeat((n % 5) as usize * 7));
        let other = format!("row{n}");
        let put: Write<'_> = (1, key.as_bytes(), Some(value.as_bytes()));
        match n % 4 {
            0 => writer.commit(&[put, (2, other.as_bytes(), Some(b"beta"))]),
            1 => writer.commit(&[put]),
            2 => writer.commit(&[
                (1, key.as_bytes(), None),
                (2, b"same", Some(value.as_bytes())),
            ]),
            _ => writer.commit(&[(0, other.as_bytes(), Some(b"")), put, (2, b"gone", None)]),
        }
        if flush_after.contains(&n) {
            writer.flush();
        }
        if n == 34 {
            writer.mark(false);
        }
    }
    writer.close()
}

pub(super) fn newest_journal(dir: &Path) -> PathBuf {
    let newest = observe_journals(&dir.join("kv")).unwrap().pop().unwrap();
    dir.join(format!("kv/{}.jnl", newest.id))
}

pub(super) fn set_len(path: &Path, len: u64) {
    let file = OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(len).unwrap();
}

/// Start and end of each batch of a journal.
pub(super) fn batch_bounds(path: &Path) -> Vec<(u64, u64)> {
    let mut reader = JournalReader::open(path).unwrap();
    let mut bounds = Vec::new();
    while let JournalStep::Batch(batch) = reader.step().unwrap() {
        bounds.push((batch.start(), batch.end()));
    }
    bounds
}

/// Moves the batches from byte `at` of journal `id` into journal `id + 1`.
pub(super) fn split_journal(dir: &Path, id: u64, at: u64) {
    let path = dir.join(format!("kv/{id}.jnl"));
    let bytes = fs::read(&path).unwrap();
    let (head, tail) = bytes.split_at(usize::try_from(at).unwrap());
    let mut head = head.to_vec();
    head.extend([0; 4096]);
    fs::write(&path, head).unwrap();
    fs::write(dir.join(format!("kv/{}.jnl", id + 1)), tail).unwrap();
}

/// Writes the last mark again, with the journals there are now.
pub(super) fn remark(dir: &Path, change: impl FnOnce(&mut Mark)) {
    let mut slots = MarkSlots::open(dir).unwrap();
    let mut mark = slots.latest().unwrap().clone();
    mark.journals = observe_journals(&dir.join("kv")).unwrap();
    change(&mut mark);
    slots.write(&mark).unwrap();
}

pub(super) fn copy_store(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_store(&entry.path(), &target);
        } else if is_changed_in_place(&entry.path()) {
            fs::copy(entry.path(), target).unwrap();
        } else {
            fs::hard_link(entry.path(), target).unwrap();
        }
    }
}

/// fjall replaces or removes its other files, it never writes into them.
fn is_changed_in_place(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy();
    name.ends_with(".jnl") || name.starts_with("mark") || name == "lock"
}

/// All files under a folder.
pub(super) fn all_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(all_files(&path));
        } else {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Whether this is a version file that `current` no longer names.
pub(super) fn is_superseded(path: &Path) -> bool {
    let current = path.with_file_name("current");
    let Ok(current) = fs::read(current) else {
        return false;
    };
    let number = u64::from_le_bytes(current[..8].try_into().unwrap());
    let file_name = path.file_name().unwrap().to_string_lossy();
    file_name.starts_with('v') && file_name != format!("v{number}")
}

/// What a damaged store gave after all.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The check refused it.
    Refused(String),
    /// fjall, or the confirmation after its open, gave an error.
    Failed(String),
    /// It showed the content after this commit, exactly.
    Shows(u64),
    /// It showed something that was never there.
    Wrong,
    /// It panicked.
    Panicked,
}

/// Checks, repairs, opens and reads a store to the last row.
pub(super) fn use_store(dir: &Path, states: &[Content]) -> Outcome {
    let verdict = match check_before_open(dir, None) {
        Ok(verdict) => verdict,
        Err(damage) => return Outcome::Refused(damage.to_string()),
    };
    repair(&verdict).unwrap();
    let read = catch_unwind(AssertUnwindSafe(|| -> Result<(u64, Content), String> {
        let db = open_fjall(dir).map_err(|e| e.to_string())?;
        let content = read_all(&db, states.last().unwrap()).map_err(|e| e.to_string())?;
        let record = db
            .keyspace(CHAIN_KEYSPACE, KeyspaceCreateOptions::default)
            .and_then(|system| system.get(CHAIN_KEY))
            .map_err(|e| e.to_string())?;
        let point = verdict
            .confirm(record.as_deref())
            .map_err(|e| e.to_string())?;
        Ok((point.commit, content))
    }));
    match read {
        Err(_) => Outcome::Panicked,
        Ok(Err(error)) => Outcome::Failed(error),
        Ok(Ok((commit, content))) => {
            let expected = states.get(usize::try_from(commit).unwrap());
            if expected == Some(&content) {
                Outcome::Shows(commit)
            } else {
                Outcome::Wrong
            }
        }
    }
}

/// Reads every row by iteration, then every expected row by its key.
fn read_all(db: &Database, expected: &Content) -> fjall::Result<Content> {
    let mut content = Content::new();
    for name in NAMES {
        if !db.keyspace_exists(name) {
            continue;
        }
        let keyspace = db.keyspace(name, KeyspaceCreateOptions::default)?;
        for guard in keyspace.iter() {
            let (key, value) = guard.into_inner()?;
            if &*key != CHAIN_KEY {
                content.insert((name.to_owned(), key.to_vec()), value.to_vec());
            }
        }
        for (named, _) in expected.iter().filter(|((of, _), _)| of == name) {
            let by_key = keyspace.get(&named.1)?.map(|value| value.to_vec());
            assert_eq!(by_key.as_ref(), content.get(named), "point read differs");
        }
    }
    Ok(content)
}
