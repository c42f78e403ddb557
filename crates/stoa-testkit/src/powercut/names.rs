//! Which names lead to which files and folders, and the operations that change it.
//!
//! Files and folders are told apart by a number, as inodes are, so that a renamed or
//! unlinked file stays the same file.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use super::content::Content;
use super::snapshot::{Entry, Snapshot};

/// Number of a file or folder; never used again within one recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Inode(pub(super) u32);

/// The folder that everything lies in. It is always there.
pub(super) const ROOT: Inode = Inode(0);

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) folder: Inode,
    pub(super) name: Arc<OsStr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Folder,
}

/// One change of names. Each happens as a whole or not at all.
#[derive(Clone, Debug)]
pub(super) enum Change {
    Add {
        place: Place,
        inode: Inode,
        kind: Kind,
    },
    Remove {
        place: Place,
        inode: Inode,
    },
    Move {
        from: Place,
        to: Place,
        inode: Inode,
        replaced: Option<Inode>,
    },
}

impl Change {
    /// The names it changes.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        let (first, second) = match self {
            Self::Add { place, .. } | Self::Remove { place, .. } => (place, None),
            Self::Move { from, to, .. } => (from, Some(to)),
        };
        std::iter::once(first).chain(second)
    }

    /// The folder whose sync makes it durable.
    pub(super) fn home(&self) -> Inode {
        match self {
            Self::Add { place, .. } | Self::Remove { place, .. } => place.folder,
            Self::Move { to, .. } => to.folder,
        }
    }

    /// Whether it changed this file or folder itself or, of a folder, a name in it.
    pub(super) fn touches(&self, inode: Inode) -> bool {
        let named = match self {
            Self::Add { inode: named, .. } | Self::Remove { inode: named, .. } => *named == inode,
            Self::Move {
                inode: named,
                replaced,
                ..
            } => *named == inode || *replaced == Some(inode),
        };
        named || self.places().any(|place| place.folder == inode)
    }
}

type Folder = BTreeMap<Arc<OsStr>, Inode>;

/// The names of all files and folders.
#[derive(Clone, Debug)]
pub(super) struct Names {
    folders: BTreeMap<Inode, Arc<Folder>>,
}

impl Default for Names {
    fn default() -> Self {
        Self {
            folders: BTreeMap::from([(ROOT, Arc::default())]),
        }
    }
}

impl Names {
    pub(super) fn apply(&mut self, change: &Change) {
        match change {
            Change::Add { place, inode, kind } => {
                self.set(place, *inode);
                if *kind == Kind::Folder {
                    self.folders.entry(*inode).or_default();
                }
            }
            Change::Remove { place, .. } => self.clear(place),
            Change::Move {
                from, to, inode, ..
            } => {
                self.clear(from);
                self.set(to, *inode);
            }
        }
    }

    fn set(&mut self, place: &Place, inode: Inode) {
        let folder = self.folders.entry(place.folder).or_default();
        Arc::make_mut(folder).insert(Arc::clone(&place.name), inode);
    }

    fn clear(&mut self, place: &Place) {
        if let Some(folder) = self.folders.get_mut(&place.folder) {
            Arc::make_mut(folder).remove(&place.name);
        }
    }

    pub(super) fn at(&self, place: &Place) -> Option<Inode> {
        self.folders.get(&place.folder)?.get(&place.name).copied()
    }

    pub(super) fn is_folder(&self, inode: Inode) -> bool {
        self.folders.contains_key(&inode)
    }

    /// What a path from the root leads to.
    pub(super) fn find(&self, path: &Path) -> Option<Inode> {
        let mut inode = ROOT;
        for component in path.components() {
            let Component::Normal(name) = component else {
                return None;
            };
            inode = self.folders.get(&inode)?.get(name).copied()?;
        }
        Some(inode)
    }

    /// The folder and the name that a path from the root ends in.
    pub(super) fn place(&self, path: &Path) -> Option<Place> {
        let folder = self.find(path.parent()?)?;
        Some(Place {
            folder,
            name: Arc::from(path.file_name()?),
        })
    }

    /// Every path that can be reached from the root, a folder before what is in it.
    pub(super) fn reachable(&self) -> Vec<(PathBuf, Inode)> {
        let mut found = Vec::new();
        let mut waiting = vec![(PathBuf::new(), ROOT)];
        while let Some((path, inode)) = waiting.pop() {
            for (name, child) in self
                .folders
                .get(&inode)
                .into_iter()
                .flat_map(|all| all.iter())
            {
                let path = path.join(name.as_ref());
                found.push((path.clone(), *child));
                if self.is_folder(*child) {
                    waiting.push((path, *child));
                }
            }
        }
        found
    }

    /// The snapshot these names give, with the bytes that `content` knows.
    pub(super) fn snapshot(&self, content: impl Fn(Inode) -> Arc<Content>) -> Snapshot {
        let entry = |inode| match self.is_folder(inode) {
            true => Entry::Folder,
            false => Entry::File(content(inode)),
        };
        let entries = self
            .reachable()
            .into_iter()
            .map(|(path, inode)| (path, entry(inode)));
        Snapshot {
            entries: entries.collect(),
        }
    }
}
