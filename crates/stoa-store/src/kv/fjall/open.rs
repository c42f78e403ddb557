//! Opening: lock, check, repair, let fjall open, confirm.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use ::fjall::{CompressionType, Database, Readable};

use super::filter::SpaceFactory;
use super::spaces::{NextKeyspace, SYSTEM_SPACE, make_space};
use super::{Files, Spaces};
use crate::error::StoreError;
use crate::folder_lock::FolderLock;
use crate::integrity::{
    self, CHAIN_KEY, CommitPoint, Damage, DamageKind, KEYSPACES_FOLDER, KV_FOLDER, Mark, MarkSlots,
    StoreState,
};
use crate::kv::{CompactionRule, SpaceId};
use crate::options::Options;

/// How often and how long an open waits for journals to be let go of: about half a second.
const JOURNAL_WAITS: usize = 250;
const JOURNAL_WAIT: Duration = Duration::from_millis(2);

/// Files that were checked and opened.
pub(super) struct Opened {
    pub(super) files: Files,
    pub(super) slots: MarkSlots,
    pub(super) last: CommitPoint,
    pub(super) flushing: bool,
    /// fjall's next number must be above this before a space is made or dropped.
    pub(super) highest_name: u64,
}

/// Takes the folder for this process, making it if need be.
pub(super) fn lock_folder(folder: &Path) -> Result<FolderLock, StoreError> {
    std::fs::create_dir_all(folder).map_err(|error| StoreError::Format {
        path: folder.to_path_buf(),
        what: format!("cannot be made: {error}"),
    })?;
    FolderLock::take(folder)
}

/// Checks the folder, repairs what a crash left torn, and opens it.
pub(super) fn open_files(
    folder: &Path,
    options: Options,
    rule: &Arc<dyn CompactionRule>,
    discard_after: Option<u64>,
) -> Result<Opened, StoreError> {
    let damaged = |damage: Damage| damage_error(folder, &damage);
    wait_for_journals(folder)?;
    let verdict = integrity::check_before_open(folder, discard_after).map_err(damaged)?;
    let mut slots = match verdict.state {
        StoreState::Unborn => make_folder(folder)?,
        StoreState::Whole => MarkSlots::open(folder).map_err(damaged)?,
    };
    // fjall flushes and removes old journals while it opens.
    if let Some(mark) = &verdict.mark
        && (mark.clean || !mark.flushing)
    {
        let mark = Mark {
            clean: false,
            flushing: true,
            ..mark.clone()
        };
        slots.write(&mark).map_err(StoreError::io)?;
    }
    integrity::repair(&verdict).map_err(StoreError::io)?;
    let files = open_database(folder, options, rule, verdict.next_keyspace)?;
    let stored = files
        .db
        .snapshot()
        .get(&files.system, CHAIN_KEY)
        .map_err(StoreError::io)?;
    let last = verdict.confirm(stored.as_deref()).map_err(damaged)?;
    if verdict.mark.is_none() {
        write_first_mark(folder, &mut slots)?;
    }
    let flushing = slots.latest().is_some_and(|mark| mark.flushing);
    Ok(Opened {
        files,
        slots,
        last,
        flushing,
        highest_name: verdict.highest_name,
    })
}

/// Waits until this process has no journal of the folder open any more.
///
/// A worker of fjall's lets go of the journal a moment after the database counts as dropped, and
/// what a failed write left in its buffer is written then: that must not come behind the check.
/// Views of a store that was let go of keep its journal open for as long as they live.
fn wait_for_journals(folder: &Path) -> Result<(), StoreError> {
    let Ok(kv) = std::fs::canonicalize(folder.join(KV_FOLDER)) else {
        // Nothing was ever open there.
        return Ok(());
    };
    for _ in 0..JOURNAL_WAITS {
        if !has_open_journal(&kv) {
            return Ok(());
        }
        std::thread::park_timeout(JOURNAL_WAIT);
    }
    Err(StoreError::Locked(folder.to_path_buf()))
}

/// Whether this process has a journal of a database open, where the system tells.
fn has_open_journal(kv: &Path) -> bool {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else {
        return false;
    };
    let targets = open
        .flatten()
        .filter_map(|it| std::fs::read_link(it.path()).ok());
    let is_journal =
        |path: &Path| path.parent() == Some(kv) && path.extension().is_some_and(|it| it == "jnl");
    targets.into_iter().any(|path| is_journal(&path))
}

/// Makes the format file of a new store, clearing what an interrupted first open left.
fn make_folder(folder: &Path) -> Result<MarkSlots, StoreError> {
    let kv = folder.join(KV_FOLDER);
    if kv.exists() {
        std::fs::remove_dir_all(&kv).map_err(StoreError::io)?;
    }
    integrity::create_format_file(folder).map_err(StoreError::io)?;
    MarkSlots::open(folder).map_err(|damage| damage_error(folder, &damage))
}

fn write_first_mark(folder: &Path, slots: &mut MarkSlots) -> Result<(), StoreError> {
    // The mark says that there is a database: its name must be on disk before that of the mark.
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(StoreError::io)?;
    let journals = integrity::observe_journals(&folder.join(KV_FOLDER)).map_err(StoreError::io)?;
    let start = CommitPoint::START;
    let mark = Mark {
        generation: 0,
        commit: start.commit,
        chain_hash: start.chain_hash,
        seqno: start.seqno,
        clean: false,
        flushing: false,
        journals,
    };
    slots.write(&mark).map_err(StoreError::io)
}

fn open_database(
    folder: &Path,
    options: Options,
    rule: &Arc<dyn CompactionRule>,
    next_keyspace: u64,
) -> Result<Files, StoreError> {
    let rule = Arc::clone(rule);
    let assign = move |name: &str| {
        let space = SpaceId(integrity::space_of_name(name)?);
        let rule = Arc::clone(&rule);
        Some(Arc::new(SpaceFactory { space, rule }) as Arc<dyn ::fjall::compaction::filter::Factory>)
    };
    let db = Database::builder(folder.join(KV_FOLDER))
        .cache_size(options.cache_bytes)
        .journal_compression(CompressionType::None)
        .max_journaling_size(u64::MAX)
        .with_compaction_filter_factories(Arc::new(assign))
        .open()
        .map_err(|error| match error {
            // Views of a store that was let go of still read from its files.
            ::fjall::Error::Locked => StoreError::Locked(folder.to_path_buf()),
            other => StoreError::io(other),
        })?;
    let mut next = NextKeyspace {
        all: folder.join(KV_FOLDER).join(KEYSPACES_FOLDER),
        number: next_keyspace,
    };
    let system = make_space(&db, SYSTEM_SPACE, &mut next)?;
    let mut spaces = Spaces::new();
    for name in db.list_keyspace_names() {
        if let Some(space) = integrity::space_of_name(&name).map(SpaceId) {
            spaces.insert(space, make_space(&db, space, &mut next)?);
        }
    }
    Ok(Files {
        db,
        system,
        spaces: RwLock::new(Arc::new(spaces)),
        next_keyspace: Mutex::new(next),
        users: Arc::new(()),
    })
}

/// The store's error for damage found before opening.
pub(super) fn damage_error(folder: &Path, damage: &Damage) -> StoreError {
    match damage.kind() {
        DamageKind::NotAStore | DamageKind::NewerFormat => StoreError::Format {
            path: folder.to_path_buf(),
            what: damage.to_string(),
        },
        _ => StoreError::Damaged {
            place: folder.join(damage.file()).display().to_string(),
            what: damage.to_string(),
        },
    }
}
