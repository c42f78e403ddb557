//! The folder of an index: whether there is one, whose it is, and clearing it.
//!
//! A file of our own is written before everything else and names the format. Without it a folder
//! that is not empty is not ours, and nothing in it is touched.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::error::SearchError;

/// The file that says whose the folder is.
const MARK: &str = "stoa-search";
/// What stands in it. It changes with the fields, the words and tantivy's own format.
const FORMAT: &str = "stoa-search 1\n";

/// What a folder is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    /// Missing or empty.
    Empty,
    /// An index of this format.
    Index,
    /// An index of another format.
    Other,
}

/// Looks at a folder.
pub(crate) fn look(folder: &Path) -> Result<Folder, SearchError> {
    match fs::read(folder.join(MARK)) {
        Ok(format) if format == FORMAT.as_bytes() => return Ok(Folder::Index),
        Ok(_) => return Ok(Folder::Other),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.into()),
    }
    match fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(Folder::Empty),
            Some(_) => Err(SearchError::NotOurs),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Folder::Empty),
        Err(error) => Err(error.into()),
    }
}

/// Removes an index that may be there, and marks the folder as ours.
pub(crate) fn clear(folder: &Path) -> Result<(), SearchError> {
    if look(folder)? == Folder::Empty {
        fs::create_dir_all(folder)?;
        fs::write(folder.join(MARK), FORMAT)?;
        return Ok(());
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        // The mark stays, so that a folder that is half cleared is still ours.
        if entry.file_name() != MARK && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    fs::write(folder.join(MARK), FORMAT)?;
    Ok(())
}
