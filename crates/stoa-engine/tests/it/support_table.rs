//! `docs/cql-support.md` names scripts that exist, and every difference.

use std::path::Path;

use crate::differences::DIFFERENCES;

const TABLE: &str = include_str!("../../../../docs/cql-support.md");
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../conformance");

/// The words of the page that are names of scripts.
fn named() -> Vec<&'static str> {
    let folders: Vec<String> = std::fs::read_dir(SCRIPTS)
        .expect("the scripts are there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    TABLE
        .split(|it: char| !(it.is_ascii_alphanumeric() || it == '_' || it == '/'))
        .filter(|word| {
            let folder = word.split_once('/').map(|(folder, _)| folder);
            folder.is_some_and(|it| folders.iter().any(|known| known == it))
        })
        .filter(|word| !word.ends_with('/'))
        .collect()
}

#[test]
fn every_script_it_names_exists() {
    let missing: Vec<_> = named()
        .into_iter()
        .filter(|name| !Path::new(SCRIPTS).join(format!("{name}.script")).exists())
        .collect();
    assert!(missing.is_empty(), "no such scripts: {missing:?}");
    assert!(named().len() > 50);
}

#[test]
fn every_difference_is_on_it() {
    for (script, _) in DIFFERENCES {
        assert!(named().contains(script), "{script} has no row");
    }
}
