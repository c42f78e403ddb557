//! The folders beside that of the data: what is in them can be made again from it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use stoa_session::BackEnd;

/// Where an instance keeps what is its own.
#[derive(Debug, Clone, Default)]
pub(super) struct Folders {
    /// The data.
    pub(super) data: Option<PathBuf>,
    /// The index of words; in memory, if nowhere.
    pub(super) index: Option<PathBuf>,
    /// The public ledger; not kept, if nowhere.
    pub(super) ledger: Option<PathBuf>,
}

impl Folders {
    /// Those of a back end, which was opened.
    pub(super) fn of(back_end: &BackEnd, ledger: Option<&Path>) -> Result<Self> {
        let ledger = ledger.map(Path::to_owned);
        let BackEnd::File(folder) = back_end else {
            return Ok(Self {
                ledger,
                ..Self::default()
            });
        };
        Ok(Self {
            data: Some(folder.clone()),
            index: Some(beside(folder, "index")?),
            ledger: Some(match ledger {
                Some(named) => named,
                None => beside(folder, "ledger")?,
            }),
        })
    }
}

/// The folder beside that of a database which has its name and this ending.
fn beside(folder: &Path, ending: &str) -> Result<PathBuf> {
    // A folder may be named by `.` or by a link; its own name is what counts.
    let whole = folder.canonicalize();
    let whole = whole.with_context(|| format!("cannot find {}", folder.display()))?;
    let mut name = whole.file_name().map_or_else(OsString::new, OsString::from);
    name.push(".");
    name.push(ending);
    Ok(whole.with_file_name(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_dots_in_their_names_have_neighbours_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["town.one", "town.two"] {
            std::fs::create_dir(place(name)).unwrap();
        }
        assert_eq!(
            beside(&place("town.one"), "index").unwrap(),
            place("town.one.index")
        );
        assert_eq!(
            beside(&place("town.two/."), "index").unwrap(),
            place("town.two.index")
        );
        assert!(beside(&place("nothing"), "index").is_err());
    }
}
