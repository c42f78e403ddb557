//! Everything the rules look at, read once: the files git knows, the crates and their
//! dependencies as `cargo metadata` has them.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::search::first_line;
use super::source::Source;

/// The workspace as read.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    pub(crate) crates: Vec<Crate>,
    /// Third-party crates of the lock file.
    pub(crate) externals: Vec<External>,
    /// Text files that git tracks or would add.
    pub(crate) files: Vec<File>,
    pub(crate) sources: Vec<Source>,
    pub(crate) lock_is_tracked: bool,
}

/// A text file.
#[derive(Debug)]
pub(crate) struct File {
    /// From the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
}

/// One of our crates.
#[derive(Debug, Default)]
pub(crate) struct Crate {
    pub(crate) name: String,
    /// From the root, such as `crates/stoa-types`.
    pub(crate) folder: String,
    pub(crate) has_library: bool,
    pub(crate) dependencies: Vec<Dependency>,
}

/// A line of a crate's manifest.
#[derive(Debug, Clone)]
pub(crate) struct Dependency {
    pub(crate) package: String,
    /// As sources name it.
    pub(crate) identifier: String,
    pub(crate) kind: DependencyKind,
}

/// Which section it stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DependencyKind {
    Normal,
    Dev,
    Build,
}

/// A third-party crate.
#[derive(Debug)]
pub(crate) struct External {
    pub(crate) name: String,
    pub(crate) licence: Option<String>,
}

impl Workspace {
    /// Reads the workspace below `root`.
    pub(crate) fn read(root: &Path) -> Result<Self> {
        let files = read_files(root)?;
        let sources = files.iter().filter(|file| file.path.ends_with(".rs"));
        let sources = sources
            .map(|file| Source::new(&file.path, &file.text))
            .collect();
        let tracked = git_files(root, &["--cached"])?;
        let metadata = metadata()?;
        let mut workspace = Self {
            crates: crates(&metadata, root)?,
            externals: externals(&metadata)?,
            files,
            sources,
            lock_is_tracked: tracked.iter().any(|path| path == "Cargo.lock"),
        };
        workspace.mark_test_files();
        Ok(workspace)
    }

    /// A file's text, if git knows the file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        let file = self.files.iter().find(|file| file.path == path)?;
        Some(&file.text)
    }

    /// The Rust files of a crate.
    pub(crate) fn sources_of<'w>(&'w self, member: &Crate) -> impl Iterator<Item = &'w Source> {
        let folder = format!("{}/", member.folder);
        self.sources
            .iter()
            .filter(move |source| source.path.starts_with(&folder))
    }

    /// The line of a crate's manifest that asks for a dependency.
    pub(crate) fn dependency_line(&self, member: &Crate, dependency: &Dependency) -> usize {
        let manifest = self.text(&member.manifest()).unwrap_or_default();
        first_line(manifest, |line| {
            let rest = line.strip_prefix(dependency.package.as_str());
            rest.is_some_and(|rest| rest.starts_with([' ', '=', '.']))
        })
    }

    /// Marks the files behind `#[cfg(test)] mod name;`, and all below them.
    pub(crate) fn mark_test_files(&mut self) {
        let mut modules = Vec::new();
        for source in &self.sources {
            let folder = child_folder(&source.path);
            modules.extend(
                source
                    .test_modules()
                    .iter()
                    .map(|name| format!("{folder}/{name}")),
            );
        }
        for source in &mut self.sources {
            source.all_test |= modules.iter().any(|module| {
                source
                    .path
                    .strip_prefix(module.as_str())
                    .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
            });
        }
    }
}

impl Crate {
    /// Its manifest, from the root.
    pub(crate) fn manifest(&self) -> String {
        format!("{}/Cargo.toml", self.folder)
    }
}

/// Where the child modules of a file lie: `src/a/` for `src/a.rs`, `src/` for `src/lib.rs`.
fn child_folder(path: &str) -> String {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    if matches!(name, "lib" | "main" | "mod") {
        folder.to_owned()
    } else {
        stem.to_owned()
    }
}

fn read_files(root: &Path) -> Result<Vec<File>> {
    let mut files = Vec::new();
    for path in git_files(root, &["--cached", "--others", "--exclude-standard"])? {
        // A file deleted but not yet committed is still listed; a link or binary is no text.
        let Ok(bytes) = std::fs::read(root.join(&path)) else {
            continue;
        };
        let Ok(text) = String::from_utf8(bytes) else {
            continue;
        };
        if !text.contains('\0') {
            files.push(File { path, text });
        }
    }
    Ok(files)
}

fn git_files(root: &Path, options: &[&str]) -> Result<Vec<String>> {
    let mut git = Command::new("git");
    git.current_dir(root).args(["ls-files", "-z"]).args(options);
    let output = git.output().context("cannot start git")?;
    if !output.status.success() {
        bail!(
            "git ls-files: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let list = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    Ok(list.split_terminator('\0').map(str::to_owned).collect())
}

fn metadata() -> Result<Value> {
    let mut cargo = crate::step::cargo(&["metadata", "--format-version", "1", "--locked"]);
    let output = cargo.output().context("cannot start cargo metadata")?;
    if !output.status.success() {
        bail!(
            "cargo metadata: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata printed no JSON")
}

fn crates(metadata: &Value, root: &Path) -> Result<Vec<Crate>> {
    // Most crates are named by their package, but `md-5` is `md5` in sources.
    let mut identifiers = HashMap::new();
    for package in list(metadata, "packages")? {
        let targets = list(package, "targets")?;
        if let Some(library) = targets.iter().find(|target| is_library(target)) {
            identifiers.insert(
                text(package, "name")?,
                text(library, "name")?.replace('-', "_"),
            );
        }
    }
    let packages = list(metadata, "packages")?.iter();
    let ours = packages.filter(|package| package.get("source").is_none_or(Value::is_null));
    ours.map(|package| read_crate(package, root, &identifiers))
        .collect()
}

fn read_crate(package: &Value, root: &Path, identifiers: &HashMap<&str, String>) -> Result<Crate> {
    let manifest = Path::new(text(package, "manifest_path")?);
    let folder = manifest.parent().context("a manifest without a folder")?;
    let folder = folder
        .strip_prefix(root)
        .context("a crate outside the workspace")?;
    let mut dependencies = Vec::new();
    for dependency in list(package, "dependencies")? {
        let name = text(dependency, "name")?;
        let rename = dependency.get("rename").and_then(Value::as_str);
        let identifier = match (rename, identifiers.get(name)) {
            (None, Some(library)) => library.clone(),
            (rename, _) => rename.unwrap_or(name).replace('-', "_"),
        };
        let kind = match dependency.get("kind").and_then(Value::as_str) {
            Some("dev") => DependencyKind::Dev,
            Some("build") => DependencyKind::Build,
            _ => DependencyKind::Normal,
        };
        dependencies.push(Dependency {
            package: name.to_owned(),
            identifier,
            kind,
        });
    }
    Ok(Crate {
        name: text(package, "name")?.to_owned(),
        folder: folder.to_string_lossy().replace('\\', "/"),
        has_library: list(package, "targets")?.iter().any(is_library),
        dependencies,
    })
}

fn externals(metadata: &Value) -> Result<Vec<External>> {
    let packages = list(metadata, "packages")?.iter();
    let theirs = packages.filter(|package| package.get("source").is_some_and(Value::is_string));
    let external = |package: &Value| {
        let licence = package
            .get("license")
            .and_then(Value::as_str)
            .map(str::to_owned);
        Ok(External {
            name: text(package, "name")?.to_owned(),
            licence,
        })
    };
    theirs.map(external).collect()
}

fn is_library(target: &Value) -> bool {
    let kinds = target.get("kind").and_then(Value::as_array);
    kinds.is_some_and(|kinds| {
        kinds
            .iter()
            .any(|kind| kind == "lib" || kind == "proc-macro")
    })
}

fn list<'v>(value: &'v Value, key: &str) -> Result<&'v Vec<Value>> {
    value
        .get(key)
        .and_then(Value::as_array)
        .with_context(|| format!("metadata lacks `{key}`"))
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str> {
    value
        .get(key)
        .and_then(Value::as_str)
        .with_context(|| format!("metadata lacks `{key}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_behind_a_test_module_are_tests() {
        let source = |path: &str, text: &str| Source::new(path, text);
        let mut workspace = Workspace {
            sources: vec![
                source("a/src/lib.rs", "#[cfg(test)]\nmod cases;\nmod real;"),
                source("a/src/real.rs", "#[cfg(test)]\nmod tests;"),
                source("a/src/cases.rs", ""),
                source("a/src/real/tests.rs", ""),
                source("a/src/casework.rs", ""),
            ],
            ..Workspace::default()
        };
        workspace.mark_test_files();
        let tests: Vec<bool> = workspace
            .sources
            .iter()
            .map(|source| source.all_test)
            .collect();
        assert_eq!(tests, [false, false, true, true, false]);
    }

    #[test]
    fn metadata_tells_kinds_and_identifiers() {
        let metadata = serde_json::json!({ "packages": [
            { "name": "stoa-x", "source": null, "manifest_path": "/r/crates/stoa-x/Cargo.toml",
              "targets": [{ "name": "stoa_x", "kind": ["lib"] }],
              "dependencies": [{ "name": "md-5", "rename": null, "kind": "dev" },
                               { "name": "rand", "rename": "dice", "kind": null }] },
            { "name": "md-5", "source": "registry", "license": "MIT",
              "targets": [{ "name": "md5", "kind": ["lib"] }], "dependencies": [] },
        ]});
        let crates = crates(&metadata, Path::new("/r")).unwrap();
        assert_eq!(crates.len(), 1);
        assert_eq!(crates[0].manifest(), "crates/stoa-x/Cargo.toml");
        let [md5, rand] = crates[0].dependencies.as_slice() else {
            panic!("two dependencies")
        };
        assert_eq!(
            (md5.identifier.as_str(), md5.kind),
            ("md5", DependencyKind::Dev)
        );
        assert_eq!(
            (rand.identifier.as_str(), rand.kind),
            ("dice", DependencyKind::Normal)
        );
        assert_eq!(
            externals(&metadata).unwrap()[0].licence.as_deref(),
            Some("MIT")
        );
    }
}
