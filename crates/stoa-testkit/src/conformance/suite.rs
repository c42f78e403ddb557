//! All scripts of a folder.

use std::path::{Path, PathBuf};

use super::script::Script;

/// A script and where it is.
#[derive(Debug, Clone)]
pub struct Case {
    /// Folder and file name without its ending, such as `lwt/insert_applies_once`.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// What is in it.
    pub script: Script,
}

/// What the files of scripts end in.
const ENDING: &str = "script";

/// Reads every script below a folder, in the order of their names.
///
/// # Errors
/// The first file that cannot be read or is no script.
pub fn load(folder: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        let entries = std::fs::read_dir(&next).map_err(|error| at(&next, &error))?;
        for entry in entries {
            let path = entry.map_err(|error| at(&next, &error))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == ENDING) {
                cases.push(read(folder, path)?);
            }
        }
    }
    cases.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(cases)
}

fn read(folder: &Path, path: PathBuf) -> Result<Case, String> {
    let text = std::fs::read_to_string(&path).map_err(|error| at(&path, &error))?;
    let script = Script::parse(&text).map_err(|error| at(&path, &error))?;
    let name = path
        .strip_prefix(folder)
        .unwrap_or(&path)
        .with_extension("");
    Ok(Case {
        name: name.to_string_lossy().into_owned(),
        path,
        script,
    })
}

fn at(path: &Path, problem: &dyn std::fmt::Display) -> String {
    format!("{}: {problem}", path.display())
}
