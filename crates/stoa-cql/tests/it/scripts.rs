//! The statements of the conformance scripts, and what Cassandra said of them.

use std::fs;
use std::path::{Path, PathBuf};

/// One statement of a script.
#[derive(Debug)]
pub(crate) struct Recorded {
    /// The script and the line, for messages.
    pub(crate) place: String,
    /// The statement as it was sent, but with another keyspace.
    pub(crate) text: String,
    /// The code and words of the error, if there was one.
    pub(crate) error: Option<(String, String)>,
    /// Whether the keyspace's name stands in it, which had another length then.
    pub(crate) has_keyspace: bool,
}

/// Every statement of every script.
pub(crate) fn all() -> Vec<Recorded> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance");
    let mut paths = Vec::new();
    find_scripts(&folder, &mut paths);
    paths.sort();
    let mut recorded = Vec::new();
    for path in paths {
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        read_script(&name, &fs::read_to_string(&path).unwrap(), &mut recorded);
    }
    assert!(recorded.len() > 9_000, "{} statements", recorded.len());
    recorded
}

/// Those that Cassandra's parser took.
pub(crate) fn accepted() -> Vec<Recorded> {
    let is_accepted =
        |recorded: &Recorded| !matches!(&recorded.error, Some((code, _)) if code == "0x2000");
    all().into_iter().filter(is_accepted).collect()
}

fn find_scripts(folder: &Path, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find_scripts(&path, paths);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "script")
        {
            paths.push(path);
        }
    }
}

fn read_script(name: &str, script: &str, recorded: &mut Vec<Recorded>) {
    let mut lines = script.lines().enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        let Some(first) = line.strip_prefix("> ") else {
            continue;
        };
        let mut text = first.to_owned();
        let mut is_batch = false;
        let mut error = None;
        while let Some((_, line)) = lines.next_if(|(_, line)| !line.starts_with("> ")) {
            if let Some(more) = line.strip_prefix("  ") {
                text = format!("{text}\n{more}");
            } else if let Some(said) = line.strip_prefix("! ") {
                let (code, words) = said.split_once(' ').unwrap_or((said, ""));
                error = Some((code.to_owned(), words.to_owned()));
            } else if line.starts_with("@ batch") {
                is_batch = true;
            }
        }
        let mut parts = if is_batch {
            text.split(';').map(str::trim).collect()
        } else {
            vec![&*text]
        };
        parts.retain(|part| !is_batch || !part.is_empty());
        let last = parts.len() - 1;
        for (part_index, part) in parts.into_iter().enumerate() {
            recorded.push(Recorded {
                place: format!("{name}:{}", index + 1),
                text: part.replace("$KS", "ks"),
                // Where a batch was refused, its last statement was why.
                error: error.clone().filter(|_| part_index == last),
                has_keyspace: part.contains("$KS"),
            });
        }
    }
}
