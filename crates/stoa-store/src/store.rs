//! The store: open, read, write, change the catalogue, close.
//!
//! Invariants:
//! 1. Durable before visible: a view never shows a write that was to be synced and is not.
//! 2. A view shows catalogue and data of the same commit.
//! 3. After a failure of the disk no write is acknowledged until the files have been opened again,
//!    which the next write tries by itself; reads go on meanwhile. If the files were let go of and
//!    cannot be opened, whoever reads or writes next tries it again.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use stoa_types::clock::Clock;

use crate::catalog::{CATALOG_SPACE, Catalog, CatalogChange, load_write_floor};
use crate::commit::group::{Group, WriteTimes, Written};
use crate::commit::overlay::{Overlay, Spare};
use crate::commit::queue::{Answer, Queue, Slot};
use crate::compaction::Purging;
use crate::error::StoreError;
use crate::janitor::{self, Progress};
use crate::keeper::Keeper;
use crate::kv::fjall::FjallKv;
use crate::kv::memory::MemoryKv;
use crate::kv::{Durability, Figures, Kv, Snapshot, SpaceId};
use crate::lock::{lock, read, write};
use crate::mutation::{Batch, PartitionUpdate};
use crate::options::{CommitMode, Options};
use crate::purge_queue::{Entry, PURGE_SPACE};
use crate::table::TableId;
use crate::view::View;

/// How often files that were let go of are tried to be opened, in about a quarter of a second.
const REOPEN_TRIES: u32 = 9;
const REOPEN_PAUSE: Duration = Duration::from_millis(1);

/// How often who does not want to wait looks whether nobody leads: about as long as a commit that
/// is not synced takes.
const LEAD_TRIES: usize = 64;

/// Something to be decided and written by the leader of a commit group.
type Decision = Box<dyn FnOnce(&mut Group<'_>) -> Answer + Send>;

enum Work {
    Apply(Batch),
    Decide(Decision),
    /// Publish the files as they are: a compaction changed them.
    Refresh,
}

/// A store of tables. Clones share it; [`Store::close`] ends it for all.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
    /// Stops the regular work when the last handle is dropped.
    _keeper: Option<Arc<Keeper>>,
}

struct Inner {
    kv: Arc<dyn Kv>,
    clock: Arc<dyn Clock>,
    mode: CommitMode,
    queue: Queue<Work>,
    /// What readers see; absent only while the files are being reopened.
    published: RwLock<Option<View>>,
    /// Whether commits were acknowledged after the published view: then it must be renewed before
    /// anybody reads from it.
    is_behind: AtomicBool,
    /// Whether anybody read since the last view was published: then the next commit renews it.
    is_wanted: AtomicBool,
    /// Held by a leader from the first to the last of its group; nobody else waits for it.
    leader: Mutex<Leader>,
    purging: Arc<Purging>,
    sweeping: Mutex<Option<(Entry, Vec<u8>)>>,
    last_sync: Mutex<Duration>,
}

/// What one leader leaves to the next.
struct Leader {
    /// The catalogue after the last commit.
    catalog: Arc<Catalog>,
    times: WriteTimes,
    spare: Spare,
}

impl Store {
    /// Opens the store in `folder`, or makes one there.
    pub fn open(
        folder: &Path,
        options: Options,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, StoreError> {
        let purging = Arc::new(Purging::new(Arc::clone(&clock)));
        let rule = Arc::clone(&purging);
        let kv = FjallKv::open(folder, options, rule, Arc::clone(&clock))?;
        Self::start(Arc::new(kv), options, clock, purging)
    }

    /// A store in memory.
    pub fn memory(options: Options, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let purging = Arc::new(Purging::new(Arc::clone(&clock)));
        let rule = Arc::clone(&purging);
        Self::start(Arc::new(MemoryKv::new(rule)), options, clock, purging)
    }

    /// A store over any key-value store, which must be empty or have been written by a store.
    /// `purging` must be the rule that the key-value store asks when it compacts.
    pub fn start(
        kv: Arc<dyn Kv>,
        options: Options,
        clock: Arc<dyn Clock>,
        purging: Arc<Purging>,
    ) -> Result<Self, StoreError> {
        kv.create_space(CATALOG_SPACE)?;
        kv.create_space(PURGE_SPACE)?;
        let group_works = match options.commit_mode {
            CommitMode::Batch => Some(1),
            CommitMode::Group | CommitMode::Periodic { .. } => None,
        };
        let last_sync = Mutex::new(clock.monotonic());
        let inner = Arc::new(Inner {
            kv,
            clock,
            mode: options.commit_mode,
            queue: Queue::new(group_works),
            published: RwLock::new(None),
            is_behind: AtomicBool::new(false),
            is_wanted: AtomicBool::new(false),
            leader: Mutex::new(Leader {
                catalog: Arc::default(),
                times: WriteTimes {
                    last: i64::MIN,
                    floor: i64::MIN,
                },
                spare: Spare::default(),
            }),
            purging,
            sweeping: Mutex::new(None),
            last_sync,
        });
        inner.load(&mut lock(&inner.leader))?;
        inner.drop_orphans()?;
        let keeper = options.background.then(|| {
            let inner = Arc::downgrade(&inner);
            Arc::new(Keeper::start(move || match inner.upgrade() {
                // A failure shows at the next write, which then tries to recover.
                Some(inner) => inner.housekeep().map_or(true, |()| true),
                None => false,
            }))
        });
        Ok(Self {
            inner,
            _keeper: keeper,
        })
    }

    /// Everything as of the last commit.
    pub fn view(&self) -> Result<View, StoreError> {
        self.inner.view()
    }

    /// As [`Store::view`], but `None` where that would wait for somebody who writes.
    #[must_use]
    pub fn view_at_once(&self) -> Option<View> {
        self.inner.view_at_once()
    }

    /// Applies updates as one. When it returns, they are as durable as the commit mode promises,
    /// and visible.
    pub fn write(&self, updates: Vec<PartitionUpdate>) -> Result<(), StoreError> {
        let size = updates.iter().map(PartitionUpdate::size).sum();
        self.inner.submit(Work::Apply(updates), size)
    }

    /// Whether a write would wait for the disk, so that [`Store::write_at_once`] is in vain.
    #[must_use]
    pub fn writes_wait(&self) -> bool {
        self.inner.commits_wait()
    }

    /// As [`Store::write`], but `None`, with nothing written, where that would wait: for the disk,
    /// or for somebody else who writes.
    pub fn write_at_once(&self, updates: Vec<PartitionUpdate>) -> Option<Result<(), StoreError>> {
        self.inner.submit_at_once(Work::Apply(updates))
    }

    /// Lets `decide` read and write at its place in the order of all commits: conditions,
    /// counters and whatever must be decided on what is stored. An error leaves nothing behind.
    pub fn decide<R: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Group<'_>) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        self.inner.decide(decide)
    }

    /// Makes, alters, drops and empties tables and sets records, all in one commit.
    pub fn change_catalog(&self, change: CatalogChange) -> Result<(), StoreError> {
        let needed = change.spaces_needed();
        let spaces = if needed == 0 {
            Vec::new()
        } else {
            self.inner
                .decide(move |group| group.allocate_spaces(needed))?
        };
        for space in &spaces {
            self.inner.kv.create_space(*space)?;
        }
        self.inner
            .decide(move |group| group.change_catalog(&change, &spaces))
    }

    /// Writes everything to tables and waits for it.
    pub fn flush(&self) -> Result<(), StoreError> {
        self.inner.kv.flush()
    }

    /// Compacts a table whole and forgets what is past its grace.
    pub fn compact(&self, table: TableId) -> Result<(), StoreError> {
        let space = self.view()?.table(table)?.space;
        self.inner.kv.flush()?;
        self.inner.kv.compact(space)?;
        self.inner.submit(Work::Refresh, 0)
    }

    /// Forgets everything that may be forgotten now, in all tables.
    pub fn purge(&self) -> Result<(), StoreError> {
        for table in self.view()?.catalog().tables() {
            self.compact(table.id)?;
        }
        while self.inner.sweep_step()? {}
        Ok(())
    }

    /// Takes the clock for right again after it has jumped; until then nothing is forgotten.
    pub fn trust_clock(&self) {
        self.inner.purging.trust_clock();
    }

    /// Does the regular work once: marks, periodic sync, flushes, a step of purging.
    pub fn housekeep(&self) -> Result<(), StoreError> {
        self.inner.housekeep()
    }

    /// Syncs every commit so far to disk.
    pub fn sync(&self) -> Result<(), StoreError> {
        self.inner.kv.sync()
    }

    /// Flushes and closes. Everything afterwards is refused.
    pub fn close(&self) -> Result<(), StoreError> {
        self.inner.decide(|_| Ok(()))?;
        *write(&self.inner.published) = None;
        self.inner.kv.close()
    }

    /// The clock the store goes by.
    pub(crate) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.inner.clock)
    }

    /// Figures for people and tests.
    #[must_use]
    pub fn figures(&self) -> Figures {
        self.inner.kv.figures()
    }
}

impl Inner {
    /// Everything as of the last commit. A view costs the leader a little, so it is renewed with a
    /// commit only if somebody reads; the first to read after a pause has it renewed.
    fn view(&self) -> Result<View, StoreError> {
        self.is_wanted.store(true, Ordering::SeqCst);
        if self.is_behind.load(Ordering::SeqCst) && LEADS.get() != self.address() {
            // An error leaves the newest view there can be: see `run_group`.
            let _ = self.submit(Work::Refresh, 0);
        }
        let mut published = read(&self.published).clone();
        if published.is_none() && self.kv.is_failed() && LEADS.get() != self.address() {
            // The files were let go of and could not be opened again: a reader tries that, too.
            let _ = self.submit(Work::Refresh, 0);
            published = read(&self.published).clone();
        }
        published.ok_or_else(|| match self.kv.is_failed() {
            true => StoreError::io("the files could not be opened again after a failure"),
            false => StoreError::Closed,
        })
    }

    /// The published view, renewed if that takes waiting for nobody.
    fn view_at_once(&self) -> Option<View> {
        self.is_wanted.store(true, Ordering::SeqCst);
        if self.is_behind.load(Ordering::SeqCst) {
            // An error leaves the newest view there can be: see `run_group`.
            let _ = self.lead_at_once(Work::Refresh)?;
        }
        read(&self.published).clone()
    }

    /// Tells stores of one process apart.
    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    fn submit(&self, work: Work, size: usize) -> Answer {
        self.queue
            .submit(work, size, &|slots| self.run_group(slots))
    }

    fn submit_at_once(&self, work: Work) -> Option<Answer> {
        match self.commits_wait() {
            true => None,
            false => self.lead_at_once(work),
        }
    }

    fn commits_wait(&self) -> bool {
        self.kv.commit_waits(self.durability())
    }

    /// Runs a work that does not wait for the disk, unless another leads.
    fn lead_at_once(&self, mut work: Work) -> Option<Answer> {
        if self.kv.is_failed() || LEADS.get() == self.address() {
            return None;
        }
        for _ in 0..LEAD_TRIES {
            match self.queue.try_submit(work, &|slots| self.run_group(slots)) {
                Ok(answer) => return Some(answer),
                Err(back) => work = back,
            }
            std::hint::spin_loop();
        }
        None
    }

    /// How durable a commit is when it is acknowledged.
    fn durability(&self) -> Durability {
        match self.mode.is_synced() {
            true => Durability::ToDisk,
            false => Durability::ToSystem,
        }
    }

    fn decide<R: Send + 'static>(
        &self,
        decide: impl FnOnce(&mut Group<'_>) -> Result<R, StoreError> + Send + 'static,
    ) -> Result<R, StoreError> {
        let slot = Arc::new(Mutex::new(None));
        let result = Arc::clone(&slot);
        let decision: Decision = Box::new(move |group| {
            let decided = decide(group)?;
            *lock(&result) = Some(decided);
            Ok(())
        });
        self.submit(Work::Decide(decision), 256)?;
        let decided = lock(&slot).take();
        decided.ok_or_else(|| StoreError::io("a decision ended without a result"))
    }

    fn run_group(&self, slots: &mut [Slot<Work>]) {
        let _leading = Leading::start(self);
        let leader = &mut *lock(&self.leader);
        let latest = match self.latest(leader) {
            Ok(latest) => latest,
            Err(error) => return answer_all(slots, &error),
        };
        let overlay = Overlay::new(&*latest, &mut leader.spare);
        let mut group = Group::new(overlay, &leader.catalog, leader.times, &*self.clock);
        let mut refresh = false;
        for slot in &mut *slots {
            if let Some(work) = slot.work.take() {
                refresh |= matches!(work, Work::Refresh);
                slot.answer = Some(run_work(&mut group, work));
            }
        }
        let written = group.into_written();
        if let Err(error) = self.end_group(leader, written, refresh) {
            answer_all(slots, &error);
        }
    }

    /// Commits what a group has written and shows it to readers.
    fn end_group(
        &self,
        leader: &mut Leader,
        mut written: Written,
        refresh: bool,
    ) -> Result<(), StoreError> {
        if written.changes.is_empty() {
            leader.times = written.times;
            return match refresh {
                true => self.publish(leader),
                false => Ok(()),
            };
        }
        self.kv.commit(&mut written.changes, self.durability())?;
        leader.spare.give_back_changes(written.changes);
        leader.times = written.times;
        if let Some(catalog) = written.catalog {
            leader.catalog = catalog;
        }
        // Only leaders write this flag, so that it may be asked before it is set.
        if !self.is_behind.load(Ordering::SeqCst) {
            self.is_behind.store(true, Ordering::SeqCst);
        }
        let is_wanted =
            self.is_wanted.load(Ordering::SeqCst) && self.is_wanted.swap(false, Ordering::SeqCst);
        // A view that cannot be published now is renewed by whoever reads next.
        if is_wanted || refresh || written.tables_changed {
            let _ = self.publish(leader);
        }
        if written.tables_changed {
            self.set_purging(&leader.catalog);
            self.drop_spaces(&written.freed);
        }
        Ok(())
    }

    /// The newest data for the leader of a group, after recovering from a failure if there was one.
    fn latest(&self, leader: &mut Leader) -> Result<Arc<dyn Snapshot>, StoreError> {
        if self.kv.is_failed() {
            // Readers go on with all that was acknowledged, whether recovering works or not.
            if self.is_behind.load(Ordering::SeqCst) {
                let _ = self.publish(leader);
            }
            self.recover(leader)?;
        }
        if read(&self.published).is_none() {
            return Err(StoreError::Closed);
        }
        self.kv.latest()
    }

    /// Shows readers everything as it is after the last commit. Only a leader may: see
    /// [`crate::kv::fjall`].
    fn publish(&self, leader: &Leader) -> Result<(), StoreError> {
        let snapshot = self.kv.snapshot()?;
        let catalog = Arc::clone(&leader.catalog);
        *write(&self.published) = Some(View { snapshot, catalog });
        self.is_behind.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Drops spaces that nothing refers to any more. One that cannot be dropped now is dropped at
    /// the next open.
    fn drop_spaces(&self, freed: &[SpaceId]) {
        // Dropping lasts at once. A commit that is not synced may still vanish, and the catalogue
        // before it needs the space.
        let is_synced = self.mode.is_synced() || freed.is_empty() || self.kv.sync().is_ok();
        for space in freed.iter().filter(|_| is_synced) {
            let _ = self.kv.drop_space(*space);
        }
    }

    fn load(&self, leader: &mut Leader) -> Result<(), StoreError> {
        let snapshot = self.kv.snapshot()?;
        let catalog = Arc::new(Catalog::load(&*snapshot)?);
        let floor = load_write_floor(&*snapshot)?;
        self.set_purging(&catalog);
        leader.times = WriteTimes { last: floor, floor };
        leader.catalog = Arc::clone(&catalog);
        *write(&self.published) = Some(View { snapshot, catalog });
        self.is_behind.store(false, Ordering::SeqCst);
        Ok(())
    }

    /// Opens the files again after a failure. Reads go on in the old files until then, and in the
    /// new ones from then on; they stop only while the files can be opened in no way.
    fn recover(&self, leader: &mut Leader) -> Result<(), StoreError> {
        if read(&self.published).is_some() {
            self.kv.probe_disk()?;
            // The view must let go of the old files first.
            drop(write(&self.published).take());
        }
        let mut pause = REOPEN_PAUSE;
        let mut tries = 0;
        loop {
            let reopened = self.kv.reopen();
            let loaded = self.load(leader);
            tries += 1;
            if loaded.is_ok() || tries >= REOPEN_TRIES {
                return reopened.and(loaded);
            }
            std::thread::park_timeout(pause);
            pause *= 2;
        }
    }

    fn set_purging(&self, catalog: &Catalog) {
        let graces: HashMap<_, _> = catalog
            .tables()
            .iter()
            .map(|it| (it.space, it.options.gc_grace_seconds))
            .collect();
        self.purging.set_spaces(graces);
    }

    /// Drops spaces that a crash left behind between making them and using them.
    fn drop_orphans(&self) -> Result<(), StoreError> {
        let tables = self.view()?.catalog.tables();
        let mut used: HashSet<SpaceId> = tables.iter().map(|table| table.space).collect();
        used.extend([CATALOG_SPACE, PURGE_SPACE]);
        for space in self.kv.spaces()? {
            if !used.contains(&space) {
                self.kv.drop_space(space)?;
            }
        }
        let present: HashSet<SpaceId> = self.kv.spaces()?.into_iter().collect();
        match tables.iter().find(|table| !present.contains(&table.space)) {
            Some(table) => Err(StoreError::Damaged {
                place: format!("space {}", table.space.0),
                what: format!("the data of table {} is missing", table.id.0),
            }),
            None => Ok(()),
        }
    }

    fn housekeep(&self) -> Result<(), StoreError> {
        if let CommitMode::Periodic { every } = self.mode {
            let now = self.clock.monotonic();
            let mut last = lock(&self.last_sync);
            if now.saturating_sub(*last) >= every {
                *last = now;
                self.kv.sync()?;
            }
        }
        self.kv.housekeep()?;
        self.sweep_step()?;
        Ok(())
    }

    /// One step of the janitor; false when nothing is due.
    fn sweep_step(&self) -> Result<bool, StoreError> {
        let mut sweeping = lock(&self.sweeping);
        let view = self.view()?;
        let gc_before = |id| {
            let table = view.catalog.table(id).ok()?;
            Some(self.purging.gc_before(table.space))
        };
        let (entry, from) = match sweeping.take() {
            Some(current) => current,
            None => match janitor::next_entry(&*view.snapshot, &gc_before)? {
                Some(entry) => (entry, Vec::new()),
                None => return Ok(false),
            },
        };
        let before = gc_before(entry.table).flatten().unwrap_or(i64::MIN);
        // The step may have to open the files again, and no view may use them then.
        drop(view);
        let current = entry.clone();
        let progress = self.decide(move |group| janitor::step(group, &entry, before, &from))?;
        if let Progress::From(next) = progress {
            *sweeping = Some((current, next));
        }
        Ok(true)
    }
}

thread_local! {
    /// The store whose commit group this thread is running, by its address; zero for none.
    static LEADS: Cell<usize> = const { Cell::new(0) };
}

/// Marks this thread as running a commit group of a store until it is dropped, also by a panic.
struct Leading {
    before: usize,
}

impl Leading {
    fn start(store: &Inner) -> Self {
        Self {
            before: LEADS.replace(store.address()),
        }
    }
}

impl Drop for Leading {
    fn drop(&mut self) {
        LEADS.set(self.before);
    }
}

/// Answers every work of a group that was not refused already with an error.
fn answer_all(slots: &mut [Slot<Work>], error: &StoreError) {
    for slot in slots {
        if !matches!(slot.answer, Some(Err(_))) {
            slot.answer = Some(Err(error.clone()));
        }
    }
}

/// Runs one work; a failed one leaves nothing behind.
fn run_work(group: &mut Group<'_>, work: Work) -> Answer {
    let before = group.savepoint();
    let answer = match work {
        Work::Refresh => Ok(()),
        Work::Apply(batch) => group.apply(&batch),
        Work::Decide(decide) => decide(group),
    };
    match &answer {
        Ok(()) => group.overlay.keep(),
        Err(_) => {
            group.overlay.roll_back();
            group.restore(before);
        }
    }
    answer
}
