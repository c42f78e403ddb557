//! Which descriptor of which thread stands for which open file, and where in it.
//!
//! Threads share a table of descriptors; a new process starts with a copy of its
//! parent's. Descriptors that were duplicated or inherited share one open file, and
//! with it the offset.
//!
//! Invariant: a descriptor is forgotten when its `close` *starts*, since the system may
//! give its number away before the end is seen, and becomes known when its `open`
//! *ends*, since nobody can use it before.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::names::Inode;

/// An open file or folder below the root.
#[derive(Clone, Debug)]
pub(super) struct OpenFile {
    pub(super) inode: Inode,
    pub(super) offset: u64,
    /// Every write goes to the end.
    pub(super) append: bool,
    /// Every write is durable when it ends.
    pub(super) synced: bool,
    /// When the last call that moved the offset ended.
    pub(super) moved: u64,
}

/// Number of an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OpenId(usize);

#[derive(Clone, Copy, Debug)]
struct Slot {
    open: OpenId,
    closed_by_exec: bool,
}

#[derive(Clone, Debug, Default)]
struct Table {
    slots: BTreeMap<i64, Slot>,
    working_folder: PathBuf,
}

/// What happens to a descriptor when the process starts another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OnExec {
    Close,
    Keep,
}

/// Whether a new thread or process works with its parent's descriptors or a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sharing {
    Shared,
    Copied,
}

#[derive(Debug)]
pub(super) struct Descriptors {
    opened: Vec<OpenFile>,
    tables: Vec<Table>,
    threads: BTreeMap<u32, usize>,
    /// Parents that are making a child which has not been seen yet.
    expecting: BTreeMap<u32, Sharing>,
    working_folder: PathBuf,
}

impl Descriptors {
    pub(super) fn new(working_folder: PathBuf) -> Self {
        Self {
            opened: Vec::new(),
            tables: Vec::new(),
            threads: BTreeMap::new(),
            expecting: BTreeMap::new(),
            working_folder,
        }
    }

    /// A thread does something. Returns whether it is clear whose descriptors it has:
    /// a child may be seen before its parent's call that made it has ended.
    pub(super) fn meet(&mut self, thread: u32) -> bool {
        if self.threads.contains_key(&thread) {
            return true;
        }
        let parents: Vec<_> = self
            .expecting
            .iter()
            .map(|(one, how)| (*one, *how))
            .collect();
        let Some((parent, sharing)) = parents.first().copied() else {
            self.begin(thread);
            return true;
        };
        let same = |(other, how): &(u32, Sharing)| {
            *how == sharing && self.threads.get(other) == self.threads.get(&parent)
        };
        let clear = parents.iter().all(same);
        self.born(parent, thread, sharing);
        clear
    }

    fn begin(&mut self, thread: u32) {
        self.threads.insert(thread, self.tables.len());
        let working_folder = self.working_folder.clone();
        self.tables.push(Table {
            working_folder,
            ..Table::default()
        });
    }

    pub(super) fn expect_child(&mut self, parent: u32, sharing: Sharing) {
        self.expecting.insert(parent, sharing);
    }

    /// The call that made a child ended, with the child's number if it succeeded.
    pub(super) fn child_made(&mut self, parent: u32, child: Option<u32>) {
        let sharing = self.expecting.remove(&parent).unwrap_or(Sharing::Copied);
        if let Some(child) = child {
            self.born(parent, child, sharing);
        }
    }

    fn born(&mut self, parent: u32, child: u32, sharing: Sharing) {
        if self.threads.contains_key(&child) {
            return;
        }
        let Some(table) = self.threads.get(&parent).copied() else {
            return self.begin(child);
        };
        match (sharing, self.tables.get(table).cloned()) {
            (Sharing::Copied, Some(copy)) => {
                self.threads.insert(child, self.tables.len());
                self.tables.push(copy);
            }
            (Sharing::Shared | Sharing::Copied, _) => {
                self.threads.insert(child, table);
            }
        }
    }

    pub(super) fn ended(&mut self, thread: u32) {
        self.threads.remove(&thread);
        self.expecting.remove(&thread);
    }

    fn table(&mut self, thread: u32) -> Option<&mut Table> {
        self.tables.get_mut(*self.threads.get(&thread)?)
    }

    pub(super) fn working_folder(&self, thread: u32) -> PathBuf {
        let table = self
            .threads
            .get(&thread)
            .and_then(|table| self.tables.get(*table));
        table.map_or_else(
            || self.working_folder.clone(),
            |table| table.working_folder.clone(),
        )
    }

    pub(super) fn change_working_folder(&mut self, thread: u32, folder: &Path) {
        if let Some(table) = self.table(thread) {
            table.working_folder = folder.to_owned();
        }
    }

    pub(super) fn open(&mut self, thread: u32, number: i64, file: OpenFile, on_exec: OnExec) {
        let open = OpenId(self.opened.len());
        self.opened.push(file);
        self.assign(thread, number, Some(open), on_exec);
    }

    /// A number now stands for this open file, or for one outside the root.
    pub(super) fn assign(
        &mut self,
        thread: u32,
        number: i64,
        open: Option<OpenId>,
        on_exec: OnExec,
    ) {
        let Some(table) = self.table(thread) else {
            return;
        };
        match open {
            Some(open) => {
                let closed_by_exec = on_exec == OnExec::Close;
                table.slots.insert(
                    number,
                    Slot {
                        open,
                        closed_by_exec,
                    },
                );
            }
            None => {
                table.slots.remove(&number);
            }
        }
    }

    pub(super) fn set_on_exec(&mut self, thread: u32, number: i64, on_exec: OnExec) {
        let slot = self
            .table(thread)
            .and_then(|table| table.slots.get_mut(&number));
        if let Some(slot) = slot {
            slot.closed_by_exec = on_exec == OnExec::Close;
        }
    }

    pub(super) fn close_range(&mut self, thread: u32, first: i64, last: i64) {
        if let Some(table) = self.table(thread) {
            table
                .slots
                .retain(|number, _| *number < first || *number > last);
        }
    }

    pub(super) fn exec(&mut self, thread: u32) {
        if let Some(table) = self.table(thread) {
            table.slots.retain(|_, slot| !slot.closed_by_exec);
        }
    }

    pub(super) fn find(&mut self, thread: u32, number: i64) -> Option<OpenId> {
        Some(self.table(thread)?.slots.get(&number)?.open)
    }

    pub(super) fn get(&mut self, open: OpenId) -> Option<&mut OpenFile> {
        self.opened.get_mut(open.0)
    }
}
