//! Rule `manifests`: every dependency has a reason and an exact version, every crate has the
//! workspace's lints, and the lock file is committed.
//!
//! Manifests are read as lines, since reasons are comments. A dependency is one entry of a
//! `[...dependencies]` section; one that inherits from the workspace has its reason there.

use super::finding::Finding;
use super::search::first_line;
use super::workspace::Workspace;

const RULE: &str = "manifests";
const ROOT: &str = "Cargo.toml";

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let root = workspace.text(ROOT).unwrap_or_default();
    let mut findings = check_dependencies(ROOT, root);
    findings.extend(check_root(root));
    if !workspace.lock_is_tracked {
        let problem = "Cargo.lock is not committed";
        findings.push(finding(
            "Cargo.lock",
            1,
            problem.to_owned(),
            "git add Cargo.lock",
        ));
    }
    for member in &workspace.crates {
        let path = member.manifest();
        let text = workspace.text(&path).unwrap_or_default();
        findings.extend(check_dependencies(&path, text));
        findings.extend(check_lints(&path, text));
        if member.folder.rsplit('/').next() != Some(member.name.as_str()) {
            let problem = format!("the crate `{}` lies in `{}`", member.name, member.folder);
            findings.push(finding(&path, 1, problem, "name the folder like the crate"));
        }
    }
    findings
}

fn check_root(text: &str) -> Option<Finding> {
    let forbids = |line: &Line| line.section == "workspace.lints.rust" && line.key == "unsafe_code";
    let forbidden = lines(text)
        .iter()
        .any(|line| forbids(line) && line.value == "\"forbid\"");
    let problem = "unsafe code is not forbidden".to_owned();
    let remedy = "write `unsafe_code = \"forbid\"` in [workspace.lints.rust]";
    (!forbidden).then(|| finding(ROOT, 1, problem, remedy))
}

fn check_lints(path: &str, text: &str) -> Option<Finding> {
    let inherits = |line: &Line| match line.section {
        "lints" => line.key == "workspace" && line.value == "true",
        _ => false,
    };
    let problem = "the workspace's lints are not inherited".to_owned();
    let line = first_line(text, |line| line.trim() == "[lints]");
    let remedy = "write `[lints]` and `workspace = true`";
    (!lines(text).iter().any(inherits)).then(|| finding(path, line, problem, remedy))
}

fn check_dependencies(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in lines(text) {
        if line.section.contains("dependencies.") {
            let problem = format!("`[{}]` spreads a dependency over lines", line.section);
            findings.push(finding(
                path,
                line.number,
                problem,
                "write it as `name = { ... }`",
            ));
        }
        if !line.section.ends_with("dependencies") || line.is_inherited() || line.is_ours() {
            continue;
        }
        if !line.has_reason {
            let problem = format!("`{}` has no reason", line.key);
            let remedy = "say in a comment on the line above why we need it and who sees it";
            findings.push(finding(path, line.number, problem, remedy));
        }
        if !line
            .version()
            .is_some_and(|version| version.starts_with('='))
        {
            let problem = format!("the version of `{}` is not exact", line.key);
            findings.push(finding(path, line.number, problem, "pin it: \"=1.2.3\""));
        }
    }
    findings
}

fn finding(path: &str, line: usize, problem: String, remedy: &str) -> Finding {
    Finding::new(RULE, path, line, problem, remedy)
}

/// An entry `key = value`, on its first line.
struct Line<'t> {
    number: usize,
    section: &'t str,
    key: &'t str,
    value: &'t str,
    /// A comment stands directly above.
    has_reason: bool,
}

impl Line<'_> {
    fn is_inherited(&self) -> bool {
        self.key.ends_with(".workspace") || self.value.contains("workspace = true")
    }

    fn is_ours(&self) -> bool {
        self.value.contains("path = ")
    }

    fn version(&self) -> Option<&str> {
        let (_, version) = match self.value.strip_prefix('{') {
            Some(table) => table.split_once("version = \"")?,
            None => ("", self.value.strip_prefix('"')?),
        };
        version.split('"').next()
    }
}

/// The entries of a manifest; lines that go on a list or table are passed over.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut section = "";
    let mut depth = 0_usize;
    let mut has_reason = false;
    for (index, raw) in text.lines().enumerate() {
        let line = raw.trim();
        let header = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'));
        if let (0, Some(header)) = (depth, header) {
            section = header;
        } else if let (0, Some((key, value))) = (depth, line.split_once('=')) {
            if !line.starts_with('#') {
                let (key, value) = (key.trim(), value.trim());
                lines.push(Line {
                    number: index + 1,
                    section,
                    key,
                    value,
                    has_reason,
                });
                depth += opened(value);
            }
        } else {
            depth = (depth + opened(line)).saturating_sub(closed(line));
        }
        has_reason = line.starts_with('#');
    }
    lines
}

/// Brackets that a line leaves open.
fn opened(line: &str) -> usize {
    line.matches(['[', '{'])
        .count()
        .saturating_sub(line.matches([']', '}']).count())
}

fn closed(line: &str) -> usize {
    line.matches([']', '}'])
        .count()
        .saturating_sub(line.matches(['[', '{']).count())
}

#[cfg(test)]
mod tests {
    use super::super::workspace::{Crate, File};
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let findings = check_dependencies("Cargo.toml", text);
        findings
            .into_iter()
            .map(|f| format!("{}: {}", f.line, f.problem))
            .collect()
    }

    #[test]
    fn explained_and_exact_dependencies_pass() {
        let text = "[package]\nname = \"a\"\n\n[dependencies]\nserde.workspace = true\n\
                    clap = { workspace = true, features = [\"derive\"] }\nours = { path = \"../ours\" }\n\
                    # Why, and who sees it.\nx = \"=1.0.0\"\n# Why.\ny = { version = \"=2.0.1\", features = [\n  \
                    \"a\",\n] }\n[dev-dependencies]\n# Why.\nz = \"=1.0.0\"\n";
        assert_eq!(problems(text), Vec::<String>::new());
    }

    #[test]
    fn a_dependency_without_reason_is_found() {
        let text = "[workspace.dependencies]\n# Why.\na = \"=1.0.0\"\nb = \"=1.0.0\"\n";
        assert_eq!(problems(text), ["4: `b` has no reason"]);
    }

    #[test]
    fn loose_versions_are_found() {
        for value in [
            "\"1.0\"",
            "{ version = \"1\" }",
            "{ git = \"https://example.org/x\" }",
        ] {
            let text = format!("[target.'cfg(unix)'.dependencies]\n# Why.\na = {value}\n");
            assert_eq!(problems(&text), ["3: the version of `a` is not exact"]);
        }
    }

    #[test]
    fn a_dependency_is_one_entry() {
        let text = "[dependencies.a]\nversion = \"=1.0.0\"\n";
        assert_eq!(
            problems(text),
            ["2: `[dependencies.a]` spreads a dependency over lines"]
        );
    }

    #[test]
    fn lints_are_inherited_and_unsafe_is_forbidden() {
        assert!(check_lints("a", "[lints]\nworkspace = true\n").is_none());
        assert!(check_lints("a", "[lints.rust]\nworkspace = true\n").is_some());
        assert!(check_root("[workspace.lints.rust]\nunsafe_code = \"forbid\"\n").is_none());
        assert!(check_root("[workspace.lints.rust]\nunsafe_code = \"deny\"\n").is_some());
    }

    #[test]
    fn folders_and_lock_file_are_checked() {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let folder = "crates/b".to_owned();
        let workspace = Workspace {
            crates: vec![Crate {
                name: "a".to_owned(),
                folder,
                ..Crate::default()
            }],
            files: vec![
                file(ROOT, "[workspace.lints.rust]\nunsafe_code = \"forbid\"\n"),
                file("crates/b/Cargo.toml", "[lints]\nworkspace = true\n"),
            ],
            ..Workspace::default()
        };
        let problems: Vec<_> = check(&workspace).into_iter().map(|f| f.problem).collect();
        assert_eq!(
            problems,
            [
                "Cargo.lock is not committed",
                "the crate `a` lies in `crates/b`"
            ]
        );
    }
}
