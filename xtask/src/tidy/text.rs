//! Rule `text`: no trailing white space, and nothing that holds on one machine only.

use super::finding::Finding;
use super::workspace::{File, Workspace};

const RULE: &str = "text";

/// Folders that only some machine has. Split, so that this file passes its own rule.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/fa", "rm/"),
    concat!("/ro", "ot/"),
];

/// Folders of expected output, where white space at the end of a line is the point.
const VERBATIM: &[&str] = &["testscripts", "conformance", "snapshots", "fixtures"];

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    workspace.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let verbatim = file.path.split('/').any(|part| VERBATIM.contains(&part));
    let mut findings = Vec::new();
    let mut report = |line, problem: String, remedy: &str| {
        findings.push(Finding::new(RULE, &file.path, line, problem, remedy));
    };
    for (index, line) in file.text.lines().enumerate() {
        if !verbatim && line.ends_with([' ', '\t']) {
            report(
                index + 1,
                "white space at the end of the line".to_owned(),
                "remove it",
            );
        }
        for path in MACHINE_PATHS.iter().filter(|path| names_folder(line, path)) {
            report(
                index + 1,
                format!("`{path}` is a path of one machine"),
                "use a relative path",
            );
        }
    }
    findings
}

/// Whether a line has the path at a path's start: `/a/b` does, `docs/a/b` does not.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(at, _)| {
        let before = line.get(..at).and_then(|head| head.chars().next_back());
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '}'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        let file = File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        check_file(&file)
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn trailing_white_space_is_found() {
        assert_eq!(lines("a.md", "a\nb \nc\t\n"), [2, 3]);
        assert!(lines("a.md", "a\n  b\n\n").is_empty());
        assert!(lines("crates/a/testscripts/x", "a \n").is_empty());
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        for path in MACHINE_PATHS {
            assert_eq!(lines("a.md", &format!("see {path}main")), [1]);
            assert_eq!(lines("a.rs", &format!("\"{path}main\"")), [1]);
            assert!(lines("a.md", &format!("see docs{path}main")).is_empty());
        }
    }
}
