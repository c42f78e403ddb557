//! The format file `STOA`: says that a folder is a store and which format it has.
//!
//! It is one line of text, so that a person can read it:
//!
//! ```text
//! stoa-store format 1 check 0123456789abcdef\n
//! ```
//!
//! The check is xxh3-64 of everything before " check ". Invariant: the file is
//! written whole or not at all (a new file is renamed into place).

use std::{
    fs::{self, File},
    io::{self, Write},
    path::Path,
};

use xxhash_rust::xxh3::xxh3_64;

use super::{
    damage::{Damage, DamageKind},
    files::Files,
};

/// Name of the format file in a store's folder.
pub const FORMAT_FILE: &str = "STOA";

/// The format this release writes, and the newest it reads.
pub const FORMAT_VERSION: u32 = 1;

const NEW_FORMAT_FILE: &str = "STOA.new";
const LOCK_FILE: &str = "lock";
const PREFIX: &str = "stoa-store format ";

/// Writes the format file into a folder that holds no store yet.
///
/// # Errors
///
/// Any I/O error; the folder then has no format file.
pub fn create_format_file(dir: &Path) -> io::Result<()> {
    let new = dir.join(NEW_FORMAT_FILE);
    let mut file = File::create(&new)?;
    file.write_all(encode(FORMAT_VERSION).as_bytes())?;
    file.sync_all()?;
    fs::rename(&new, dir.join(FORMAT_FILE))?;
    File::open(dir)?.sync_all()
}

/// Reads the format of the store in `dir`; `None` if the folder is missing or
/// holds nothing but a lock file, so that a store may be created there.
///
/// # Errors
///
/// [`DamageKind::NotAStore`] if other files are there but no format file,
/// [`DamageKind::NewerFormat`] naming both versions, or damage.
pub fn read_format_file(dir: &Path) -> Result<Option<u32>, Damage> {
    let files = Files::new(dir);
    if !files.exists(FORMAT_FILE)? {
        return match other_file(&files)? {
            None => Ok(None),
            Some(name) => {
                let what =
                    format!("is not a stoa store: it has no {FORMAT_FILE} file, but it has {name}");
                Err(Damage::new(DamageKind::NotAStore, ".", what))
            }
        };
    }
    let bytes = files.read(FORMAT_FILE, 1024)?;
    let Some(version) = decode(&bytes) else {
        let what = "does not read as a format line with the right check";
        return Err(Damage::corrupt(FORMAT_FILE, what));
    };
    if version > FORMAT_VERSION {
        let what = format!(
            "the store has format {version}, this release reads formats up to {FORMAT_VERSION}; use a newer release"
        );
        return Err(Damage::new(DamageKind::NewerFormat, FORMAT_FILE, what));
    }
    Ok(Some(version))
}

fn other_file(files: &Files) -> Result<Option<String>, Damage> {
    if !files.exists(".")? {
        return Ok(None);
    }
    let listing = files.list(".")?;
    let other = listing
        .into_iter()
        .map(|found| found.name)
        .find(|name| name != NEW_FORMAT_FILE && name != LOCK_FILE);
    Ok(other)
}

fn encode(version: u32) -> String {
    let line = format!("{PREFIX}{version}");
    let check = xxh3_64(line.as_bytes());
    format!("{line} check {check:016x}\n")
}

fn decode(bytes: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (line, _) = text.split_once(" check ")?;
    let version = line.strip_prefix(PREFIX)?.parse().ok()?;
    // Compared whole, so that a changed case, sign or line end is noticed too.
    (text == encode(version) && version > 0).then_some(version)
}
