//! Read-only access to a store's files, with errors that name the file.
//!
//! Invariants: (1) nothing here creates, changes or locks a file; (2) a file is
//! read into memory whole only after its size was compared with a limit.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::damage::{Damage, DamageKind};

/// The folder of one store.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    root: PathBuf,
}

/// A file or folder found in a listing.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) is_folder: bool,
}

impl Files {
    pub(crate) fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
        }
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.root.join(file)
    }

    pub(crate) fn open(&self, file: &str) -> Result<(File, u64), Damage> {
        let opened = File::open(self.path(file)).map_err(|e| Damage::from_io(file, e))?;
        let facts = opened.metadata().map_err(|e| Damage::from_io(file, e))?;
        if !facts.is_file() {
            return Err(Damage::corrupt(file, "is not a file"));
        }
        Ok((opened, facts.len()))
    }

    /// Reads a whole file of at most `limit` bytes.
    pub(crate) fn read(&self, file: &str, limit: u64) -> Result<Vec<u8>, Damage> {
        let (mut opened, len) = self.open(file)?;
        if len > limit {
            let what = format!("is {len} bytes long, more than {limit} is never written");
            return Err(Damage::corrupt(file, what));
        }
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        let read = opened.read_exact(&mut bytes);
        read.map_err(|e| Damage::from_io(file, e)).map(|()| bytes)
    }

    /// Opens a file to be read from its end on.
    pub(crate) fn window(&self, file: &str) -> Result<Window<File>, Damage> {
        let (opened, size) = self.open(file)?;
        Window::at_end(opened, size).map_err(|e| Damage::from_io(file, e))
    }

    pub(crate) fn exists(&self, file: &str) -> Result<bool, Damage> {
        let path = self.path(file);
        path.try_exists().map_err(|e| Damage::from_io(file, e))
    }

    /// The entries of a folder, by name.
    pub(crate) fn list(&self, folder: &str) -> Result<Vec<Found>, Damage> {
        let unreadable = |e| Damage::from_io(folder, e);
        let mut found = Vec::new();
        for entry in fs::read_dir(self.path(folder)).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let Ok(name) = entry.file_name().into_string() else {
                let what = "holds a file whose name is not text";
                return Err(Damage::new(DamageKind::Corrupt, folder, what));
            };
            let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
            found.push(Found { name, is_folder });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }
}

/// A file read at several places, mostly near its end.
#[derive(Debug)]
pub(crate) struct Window<R> {
    input: BufReader<R>,
    position: u64,
    size: u64,
}

/// The metadata of most tables fits, so that it is read at once.
const WINDOW_BYTES: u64 = 1 << 14;

impl<R: Read + Seek> Window<R> {
    /// Fills the buffer with the end of the file.
    pub(crate) fn at_end(mut file: R, size: u64) -> io::Result<Self> {
        let position = size.saturating_sub(WINDOW_BYTES);
        file.seek(SeekFrom::Start(position))?;
        let mut input = BufReader::with_capacity(1 << 14, file);
        input.fill_buf()?;
        Ok(Self {
            input,
            position,
            size,
        })
    }

    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Goes to a byte, without reading again if it is in the buffer.
    pub(crate) fn go_to(&mut self, offset: u64) -> io::Result<()> {
        // File sizes are below 2^63, so the difference of two places fits.
        let distance = offset.wrapping_sub(self.position).cast_signed();
        self.input.seek_relative(distance)?;
        self.position = offset;
        Ok(())
    }

    /// Reads `len` bytes from `start`; fewer are an error, and cost no memory.
    pub(crate) fn read_range(&mut self, start: u64, len: u64) -> io::Result<Vec<u8>> {
        let end = start.checked_add(len);
        if end.is_none_or(|end| end > self.size) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.go_to(start)?;
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        self.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

impl<R: Read> Read for Window<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(into)?;
        self.position += count as u64;
        Ok(count)
    }
}
