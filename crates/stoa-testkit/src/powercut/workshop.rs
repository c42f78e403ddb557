//! Lays images out as real folders, quickly.
//!
//! A workshop keeps one folder and turns one image into the next by writing only what
//! differs, also after a program under test has worked in the folder.
//!
//! Invariants:
//! 1. After [`Workshop::lay`] the folder holds the image and nothing else.
//! 2. A file that the workshop wrote carries a modification time from long ago. A file
//!    that is still the same one, with that time and its length, was not written to
//!    since: every write sets the time to now.
//! 3. Zeros are not written where the file has never had other bytes, so a sparse file
//!    stays sparse.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, FileTimes, OpenOptions},
    io,
    os::unix::fs::{FileExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use super::{
    content::Content,
    image::Image,
    snapshot::{Entry, Snapshot},
};

/// A folder in memory that becomes one image after the other.
#[derive(Debug)]
pub struct Workshop {
    folder: PathBuf,
    made: BTreeMap<PathBuf, Made>,
    end: End,
}

/// What becomes of the folder in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Remove,
    Keep,
}

/// Lays one image out in a folder that is empty or does not exist, to look at it later
/// for instance. For many images use a [`Workshop`].
///
/// # Errors
/// Those of writing the folder; [`io::ErrorKind::DirectoryNotEmpty`] if something is
/// in it.
pub fn materialize(image: &Image, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    if fs::read_dir(folder)?.next().is_some() {
        return Err(io::ErrorKind::DirectoryNotEmpty.into());
    }
    let folder = folder.to_owned();
    let mut workshop = Workshop {
        folder,
        made: BTreeMap::new(),
        end: End::Keep,
    };
    workshop.lay(image).map(|_| ())
}

/// A file that the workshop wrote.
#[derive(Debug)]
struct Made {
    content: Arc<Content>,
    inode: u64,
}

/// Seconds since 1970 of the time that marks a file as untouched.
const LONG_AGO_SECONDS: u64 = 1_000_000_000;

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Where workshops are.
fn place() -> PathBuf {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => memory.to_owned(),
        false => std::env::temp_dir(),
    }
}

/// How the names of a process's workshops begin.
fn prefix(process: u32) -> String {
    format!("stoa-workshop-{process}-")
}

/// Removes the workshops that a process left behind because it was killed.
///
/// # Errors
/// Those of reading and removing folders.
pub fn sweep(process: u32) -> io::Result<()> {
    let prefix = prefix(process);
    for entry in fs::read_dir(place())? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

impl Workshop {
    /// Makes an empty workshop: in memory (`/dev/shm`) if the machine has that, else
    /// in the folder for temporary files. It vanishes when dropped.
    ///
    /// # Errors
    /// Those of making a folder.
    pub fn new() -> io::Result<Self> {
        let place = place();
        let prefix = prefix(std::process::id());
        loop {
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let folder = place.join(format!("{prefix}{number}"));
            match fs::create_dir(&folder) {
                Ok(()) => {
                    return Ok(Self {
                        folder,
                        made: BTreeMap::new(),
                        end: End::Remove,
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The folder. Programs may do in it what they want between two images.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Makes the folder hold this image.
    ///
    /// # Errors
    /// Those of reading and writing the folder.
    pub fn lay(&mut self, image: &Image) -> io::Result<&Path> {
        self.lay_snapshot(image.snapshot())?;
        Ok(&self.folder)
    }

    /// Makes the folder hold these files and folders.
    ///
    /// # Errors
    /// Those of reading and writing the folder.
    pub fn lay_snapshot(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        let folders = self.clear(snapshot)?;
        for (path, entry) in snapshot.entries() {
            match entry {
                Entry::Folder if folders.contains(path) => {}
                Entry::Folder => fs::create_dir(self.folder.join(path))?,
                Entry::File(content) => self.make(path, content)?,
            }
        }
        Ok(())
    }

    /// Removes what does not belong to the snapshot and what is not as the workshop
    /// left it. Returns the folders that are there.
    fn clear(&mut self, snapshot: &Snapshot) -> io::Result<BTreeSet<PathBuf>> {
        let mut folders = BTreeSet::new();
        let mut files = BTreeMap::new();
        let mut waiting = vec![PathBuf::new()];
        while let Some(folder) = waiting.pop() {
            for found in fs::read_dir(self.folder.join(&folder))? {
                let found = found?;
                let path = folder.join(found.file_name());
                let wanted = snapshot.entries.get(&path);
                if found.file_type()?.is_dir() {
                    if matches!(wanted, Some(Entry::Folder)) {
                        waiting.push(path.clone());
                        folders.insert(path);
                    } else {
                        fs::remove_dir_all(found.path())?;
                    }
                    continue;
                }
                let made = self.made.remove(&path);
                let wanted = matches!(wanted, Some(Entry::File(_)));
                match made.filter(|made| wanted && untouched(made, &found)) {
                    Some(made) => {
                        files.insert(path, made);
                    }
                    None => fs::remove_file(found.path())?,
                }
            }
        }
        self.made = files;
        Ok(folders)
    }

    fn make(&mut self, path: &Path, content: &Arc<Content>) -> io::Result<()> {
        let place = self.folder.join(path);
        let inode = match self.made.get(path) {
            Some(made) if Arc::ptr_eq(&made.content, content) => return Ok(()),
            Some(made) if made.content.same(content) => made.inode,
            Some(made) => {
                let file = OpenOptions::new().write(true).open(place)?;
                write_pages(&file, &content.pages_unlike(&made.content))?;
                finish(&file, content)?;
                made.inode
            }
            None => {
                let file = File::create(place)?;
                write_pages(&file, &content.pages().collect::<Vec<_>>())?;
                finish(&file, content)?;
                file.metadata()?.ino()
            }
        };
        self.made.insert(
            path.to_owned(),
            Made {
                content: Arc::clone(content),
                inode,
            },
        );
        Ok(())
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        if self.end == End::Remove {
            // Nobody could act on a failure; the folder's name says whose it is.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(LONG_AGO_SECONDS)
}

fn untouched(made: &Made, found: &fs::DirEntry) -> bool {
    found.metadata().is_ok_and(|now| {
        now.is_file()
            && now.ino() == made.inode
            && now.len() == made.content.len()
            && now.modified().is_ok_and(|time| time == long_ago())
    })
}

/// Writes pages, neighbours together.
fn write_pages(file: &File, pages: &[(u64, &[u8])]) -> io::Result<()> {
    let mut start = 0;
    let mut run: Vec<u8> = Vec::new();
    for (offset, bytes) in pages {
        if start + run.len() as u64 != *offset {
            file.write_all_at(&run, start)?;
            run.clear();
            start = *offset;
        }
        run.extend_from_slice(bytes);
    }
    file.write_all_at(&run, start)
}

fn finish(file: &File, content: &Content) -> io::Result<()> {
    if file.metadata()?.len() != content.len() {
        file.set_len(content.len())?;
    }
    file.set_times(FileTimes::new().set_modified(long_ago()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(files: &[(&str, &[u8])]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for (path, bytes) in files {
            let path = PathBuf::from(path);
            for folder in path
                .ancestors()
                .skip(1)
                .filter(|one| !one.as_os_str().is_empty())
            {
                snapshot.entries.insert(folder.to_owned(), Entry::Folder);
            }
            snapshot
                .entries
                .insert(path, Entry::File(Arc::new(Content::from(*bytes))));
        }
        snapshot
    }

    fn lays(workshop: &mut Workshop, wanted: &Snapshot) {
        workshop.lay_snapshot(wanted).unwrap();
        let found = Snapshot::of_folder(workshop.folder()).unwrap();
        assert_eq!(found.first_difference(wanted), None);
    }

    #[test]
    fn each_snapshot_replaces_the_one_before() {
        let mut workshop = Workshop::new().unwrap();
        let long = [9; 20_000];
        lays(&mut workshop, &snapshot(&[("a", b"one"), ("d/e/f", &long)]));
        lays(
            &mut workshop,
            &snapshot(&[("a", b"oneandmore"), ("d/e/f", &long[..5000])]),
        );
        lays(
            &mut workshop,
            &snapshot(&[("a/b", b"now a folder"), ("d", b"now a file")]),
        );
        lays(&mut workshop, &snapshot(&[]));
        lays(
            &mut workshop,
            &snapshot(&[("a", b""), ("d/e/f", &[7; 9000])]),
        );
    }

    #[test]
    fn a_file_that_shrinks_and_grows_shows_no_old_bytes() {
        let mut workshop = Workshop::new().unwrap();
        lays(&mut workshop, &snapshot(&[("a", &[9; 10_000])]));
        let mut longer = Content::from(&[9; 10][..]);
        longer.set_len(12_000);
        let mut wanted = snapshot(&[]);
        wanted
            .entries
            .insert("a".into(), Entry::File(Arc::new(longer)));
        lays(&mut workshop, &wanted);
    }

    #[test]
    fn what_a_program_did_meanwhile_is_undone() {
        let mut workshop = Workshop::new().unwrap();
        let wanted = snapshot(&[
            ("a", b"first"),
            ("b", b"other"),
            ("c/d", b"third"),
            ("e", b"OTHER"),
        ]);
        lays(&mut workshop, &wanted);
        let at = |path: &str| workshop.folder().join(path);
        // The same length, written in place; a rename over a file; new and lost files.
        OpenOptions::new()
            .write(true)
            .open(at("a"))
            .unwrap()
            .write_all_at(b"FIRST", 0)
            .unwrap();
        fs::rename(at("e"), at("b")).unwrap();
        fs::remove_dir_all(at("c")).unwrap();
        fs::create_dir_all(at("x/y")).unwrap();
        fs::write(at("x/y/z"), b"new").unwrap();
        lays(&mut workshop, &wanted);
    }

    #[test]
    fn an_untouched_file_is_not_written_again() {
        let mut workshop = Workshop::new().unwrap();
        lays(
            &mut workshop,
            &snapshot(&[("a", b"first"), ("b", b"other")]),
        );
        let changed = |workshop: &Workshop| {
            let found = fs::metadata(workshop.folder().join("a")).unwrap();
            (found.ino(), found.ctime(), found.ctime_nsec())
        };
        let before = changed(&workshop);
        lays(
            &mut workshop,
            &snapshot(&[("a", b"first"), ("b", b"changed")]),
        );
        assert_eq!(changed(&workshop), before);
    }

    #[test]
    fn a_sparse_file_stays_sparse() {
        let mut workshop = Workshop::new().unwrap();
        let mut content = Content::from(&[3; 700][..]);
        content.set_len(64 << 20);
        let mut wanted = snapshot(&[]);
        wanted
            .entries
            .insert("journal".into(), Entry::File(Arc::new(content.clone())));
        lays(&mut workshop, &wanted);
        content.put(9000, b"more");
        wanted
            .entries
            .insert("journal".into(), Entry::File(Arc::new(content)));
        lays(&mut workshop, &wanted);
        let found = fs::metadata(workshop.folder().join("journal")).unwrap();
        assert_eq!(found.len(), 64 << 20);
        assert!(
            found.blocks() * 512 <= 64 << 10,
            "{} blocks",
            found.blocks()
        );
    }
}
