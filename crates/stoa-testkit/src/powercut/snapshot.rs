//! The files and folders below a root at one moment.

use std::{
    collections::BTreeMap,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::content::Content;

/// What a path below the root names.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A folder.
    Folder,
    /// A file and its bytes.
    File(Arc<Content>),
}

/// The files and folders below a root, by their path from it. The root itself is not
/// among them.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    pub(super) entries: BTreeMap<PathBuf, Entry>,
}

impl Snapshot {
    /// Reads a folder.
    ///
    /// # Errors
    /// Those of reading it; a symbolic link or a special file is
    /// [`io::ErrorKind::Unsupported`].
    pub fn of_folder(root: &Path) -> io::Result<Self> {
        let mut snapshot = Self::default();
        let mut waiting = vec![PathBuf::new()];
        while let Some(folder) = waiting.pop() {
            for found in fs::read_dir(root.join(&folder))? {
                let found = found?;
                let path = folder.join(found.file_name());
                let kind = found.file_type()?;
                let entry = if kind.is_dir() {
                    waiting.push(path.clone());
                    Entry::Folder
                } else if kind.is_file() {
                    Entry::File(Arc::new(Content::of_file(&found.path())?))
                } else {
                    let text = format!("{} is neither a file nor a folder", path.display());
                    return Err(io::Error::new(io::ErrorKind::Unsupported, text));
                };
                snapshot.entries.insert(path, entry);
            }
        }
        Ok(snapshot)
    }

    /// Every path with what it names, folders before what is in them.
    pub fn entries(&self) -> impl Iterator<Item = (&Path, &Entry)> {
        self.entries
            .iter()
            .map(|(path, entry)| (path.as_path(), entry))
    }

    /// The file at a path, if there is one.
    #[must_use]
    pub fn file(&self, path: impl AsRef<Path>) -> Option<&Content> {
        match self.entries.get(path.as_ref())? {
            Entry::File(content) => Some(content),
            Entry::Folder => None,
        }
    }

    /// Whether there is a file or a folder at a path.
    #[must_use]
    pub fn contains(&self, path: impl AsRef<Path>) -> bool {
        self.entries.contains_key(path.as_ref())
    }

    /// The first path at which two snapshots differ, if any.
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<PathBuf> {
        let unlike = |(path, entry): &(&PathBuf, &Entry)| match (entry, other.entries.get(*path)) {
            (Entry::Folder, Some(Entry::Folder)) => false,
            (Entry::File(mine), Some(Entry::File(theirs))) => !mine.same(theirs),
            _ => true,
        };
        let mine = self.entries.iter().find(unlike).map(|(path, _)| path);
        let missing = other
            .entries
            .keys()
            .find(|path| !self.entries.contains_key(*path));
        mine.into_iter().chain(missing).min().cloned()
    }

    /// A hash of all paths and bytes.
    pub(super) fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (path, entry) in &self.entries {
            path.as_os_str().hash(&mut hasher);
            match entry {
                Entry::Folder => 0_u8.hash(&mut hasher),
                Entry::File(content) => (1_u8, content.digest()).hash(&mut hasher),
            }
        }
        hasher.finish()
    }
}
