//! A file that appears whole or not at all: it is written beside its place under another name, and
//! then takes the place at once.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// What the name of a file ends with until it is whole.
const ENDING: &str = ".part";

/// A file that is not whole yet. One that is dropped leaves nothing; one whose program dies leaves
/// its part, which the next one writes over.
#[derive(Debug)]
pub(super) struct PartFile {
    path: PathBuf,
    part: PathBuf,
    out: Option<BufWriter<File>>,
}

impl PartFile {
    /// Begins a file that shall be in a place.
    pub(super) fn begin(path: &Path) -> Result<Self> {
        let mut part = path.as_os_str().to_owned();
        part.push(ENDING);
        let part = PathBuf::from(part);
        let file =
            File::create(&part).with_context(|| format!("cannot write {}", part.display()))?;
        Ok(Self {
            path: path.to_owned(),
            part,
            out: Some(BufWriter::new(file)),
        })
    }

    /// Puts it into its place, where it is safe.
    pub(super) fn finish(mut self) -> Result<()> {
        let Some(out) = self.out.take() else {
            return Ok(());
        };
        let written = place(out, &self.part, &self.path);
        if written.is_err() {
            self.forget();
        }
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }

    fn forget(&self) {
        // Should it stay, the next one writes over it.
        let _ = std::fs::remove_file(&self.part);
    }
}

fn place(out: BufWriter<File>, part: &Path, path: &Path) -> std::io::Result<()> {
    let file = out
        .into_inner()
        .map_err(std::io::IntoInnerError::into_error)?;
    file.sync_all()?;
    std::fs::rename(part, path)
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.out {
            Some(out) => out.write(bytes),
            None => Ok(0),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.out {
            Some(out) => out.flush(),
            None => Ok(()),
        }
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        if self.out.take().is_some() {
            self.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("it");
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let mut dropped = PartFile::begin(&path).unwrap();
        dropped.write_all(b"half").unwrap();
        assert!(!path.exists());
        drop(dropped);
        assert_eq!(names(), 0);
        std::fs::write(folder.path().join("it.part"), "of one who died, and longer").unwrap();
        let mut whole = PartFile::begin(&path).unwrap();
        whole.write_all(b"whole").unwrap();
        whole.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(names(), 1);
    }
}
