//! Keeps the operations on a disk, together with what the running program sees.
//!
//! The model follows the page cache, so that it knows the bytes of a sector after
//! every write, the length that an append starts from, and which file a name means.

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    announce::Announcements,
    content::{Content, PAGE, SECTOR},
    disk::{Action, Disk, NEVER, Operation, Patch, Resize, Span, Synced, Tree},
    names::{Change, Inode, Kind, Names, Place},
    snapshot::Snapshot,
};

/// The trace did something to a path that the model does not know: an operation was
/// missed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unknown(pub(super) PathBuf);

impl fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "no operation of the trace made {}",
            self.0.display()
        )
    }
}

#[derive(Debug)]
pub(super) struct Ledger {
    base: Tree,
    names: Names,
    files: BTreeMap<Inode, Content>,
    paths: BTreeMap<Inode, PathBuf>,
    operations: Vec<Operation>,
    free: u32,
}

impl Ledger {
    pub(super) fn new(base: Tree) -> Self {
        let files = base
            .files
            .iter()
            .map(|(inode, content)| (*inode, Content::clone(content)));
        let paths = base
            .names
            .reachable()
            .into_iter()
            .map(|(path, inode)| (inode, path));
        Self {
            names: base.names.clone(),
            files: files.collect(),
            paths: paths.collect(),
            operations: Vec::new(),
            free: base.free.max(1),
            base,
        }
    }

    pub(super) fn find(&self, path: &Path) -> Option<Inode> {
        self.names.find(path)
    }

    pub(super) fn len(&self, inode: Inode) -> u64 {
        self.files.get(&inode).map_or(0, Content::len)
    }

    pub(super) fn read(&self, inode: Inode, offset: u64, len: u64) -> Vec<u8> {
        self.files
            .get(&inode)
            .map_or_else(Vec::new, |content| content.read(offset, len))
    }

    pub(super) fn create(&mut self, span: Span, path: &Path, kind: Kind) -> Result<Inode, Unknown> {
        let inode = Inode(self.free);
        self.free += 1;
        if kind == Kind::File {
            self.files.insert(inode, Content::default());
        }
        self.name(span, path, inode, kind)?;
        Ok(inode)
    }

    pub(super) fn link(&mut self, span: Span, from: &Path, to: &Path) -> Result<(), Unknown> {
        let inode = self.find(from).ok_or_else(|| Unknown(from.to_owned()))?;
        self.name(span, to, inode, Kind::File)
    }

    fn name(&mut self, span: Span, path: &Path, inode: Inode, kind: Kind) -> Result<(), Unknown> {
        let place = self.place(path)?;
        self.paths.insert(inode, path.to_owned());
        self.change(span, path, Change::Add { place, inode, kind });
        Ok(())
    }

    pub(super) fn remove(&mut self, span: Span, path: &Path) -> Result<(), Unknown> {
        let place = self.place(path)?;
        let inode = self
            .names
            .at(&place)
            .ok_or_else(|| Unknown(path.to_owned()))?;
        self.change(span, path, Change::Remove { place, inode });
        Ok(())
    }

    pub(super) fn rename(&mut self, span: Span, from: &Path, to: &Path) -> Result<(), Unknown> {
        let (place, target) = (self.place(from)?, self.place(to)?);
        let inode = self
            .names
            .at(&place)
            .ok_or_else(|| Unknown(from.to_owned()))?;
        let replaced = self.names.at(&target);
        if replaced == Some(inode) {
            return Ok(());
        }
        self.paths.insert(inode, to.to_owned());
        self.change(
            span,
            from,
            Change::Move {
                from: place,
                to: target,
                inode,
                replaced,
            },
        );
        Ok(())
    }

    fn place(&self, path: &Path) -> Result<Place, Unknown> {
        self.names
            .place(path)
            .ok_or_else(|| Unknown(path.to_owned()))
    }

    fn change(&mut self, span: Span, path: &Path, change: Change) {
        if span.end != NEVER {
            self.names.apply(&change);
        }
        self.push(span, path.to_owned(), Action::Name(change));
    }

    pub(super) fn write(&mut self, span: Span, inode: Inode, offset: u64, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        let mut content = self.page_cache(span, inode);
        let end = offset + bytes.len() as u64;
        let len_before = content.len();
        content.put(offset, bytes);
        content.set_len(end.max(len_before));
        let resize = match end > len_before {
            true => Resize::Grow(end),
            false => Resize::None,
        };
        let patch = patch(&content, offset / SECTOR, end.div_ceil(SECTOR));
        self.keep(span, inode, content);
        self.write_operation(span, inode, patch, resize);
    }

    pub(super) fn resize(&mut self, span: Span, inode: Inode, len: u64) {
        let mut content = self.page_cache(span, inode);
        let len_before = content.len();
        content.set_len(len);
        let (patch, resize) = match len.cmp(&len_before) {
            Ordering::Equal => (None, Resize::None),
            Ordering::Greater => (None, Resize::Grow(len)),
            Ordering::Less => {
                let block_end = len.next_multiple_of(PAGE) / SECTOR;
                (
                    patch(&content, len / SECTOR, block_end),
                    Resize::Shrink(len),
                )
            }
        };
        self.keep(span, inode, content);
        if resize != Resize::None {
            self.write_operation(span, inode, patch, resize);
        }
    }

    /// The bytes to work on. Taken out and not copied, except for an operation that
    /// never ended: nobody may see its effect.
    fn page_cache(&mut self, span: Span, inode: Inode) -> Content {
        match span.end {
            NEVER => self.files.get(&inode).cloned().unwrap_or_default(),
            _ => self.files.remove(&inode).unwrap_or_default(),
        }
    }

    fn keep(&mut self, span: Span, inode: Inode, content: Content) {
        if span.end != NEVER {
            self.files.insert(inode, content);
        }
    }

    fn write_operation(&mut self, span: Span, inode: Inode, patch: Option<Patch>, resize: Resize) {
        let path = self.path(inode);
        self.push(
            span,
            path,
            Action::Write {
                inode,
                patch,
                resize,
            },
        );
    }

    pub(super) fn sync(&mut self, span: Span, synced: Synced) {
        let path = match synced {
            Synced::Whole(inode) | Synced::Data(inode) => self.path(inode),
            Synced::Everything => PathBuf::new(),
        };
        self.push(span, path, Action::Sync(synced));
    }

    pub(super) fn sync_failed(&mut self, span: Span, inode: Inode) {
        let path = self.path(inode);
        self.push(span, path, Action::SyncFailed(inode));
    }

    fn path(&self, inode: Inode) -> PathBuf {
        self.paths.get(&inode).cloned().unwrap_or_default()
    }

    fn push(&mut self, span: Span, path: PathBuf, action: Action) {
        self.operations.push(Operation { span, action, path });
    }

    pub(super) fn close(mut self, announcements: Announcements) -> Disk {
        self.operations.sort_by_key(|operation| operation.span.end);
        let files: BTreeMap<_, _> = self
            .files
            .into_iter()
            .map(|(inode, content)| (inode, Arc::new(content)))
            .collect();
        let content = |inode| files.get(&inode).cloned().unwrap_or_default();
        let last: Snapshot = self.names.snapshot(content);
        Disk {
            base: self.base,
            operations: self.operations,
            announcements,
            last,
        }
    }
}

/// The sectors `first..end` as they stand.
fn patch(content: &Content, first: u64, end: u64) -> Option<Patch> {
    let len = end.saturating_sub(first) * SECTOR;
    (len > 0).then(|| Patch {
        first_sector: first,
        bytes: Arc::from(content.read_beyond(first * SECTOR, len)),
    })
}
