//! Rule `leftovers`: nothing unfinished, nothing switched off, no drawer of odds and ends.

use super::finding::Finding;
use super::search::{line_of, words};
use super::source::Source;
use super::workspace::Workspace;

const RULE: &str = "leftovers";

/// Words that mark unfinished work in comments.
const MARKS: &[&str] = &["TODO", "FIXME", "XXX"];
/// Macros that stand for unfinished work.
const MACROS: &[&str] = &["dbg!", "todo!", "unimplemented!"];
/// Fences that keep an example in docs from being compiled or run.
const UNCHECKED_EXAMPLES: &[&str] = &["```ignore", "```rust,ignore"];
/// Names that say nothing about what is inside.
const DRAWERS: &[&str] = &["util", "utils", "common", "helper", "helpers", "misc"];

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    workspace.sources.iter().flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Finding> {
    let finding = |line, problem: String, remedy: &str| {
        Finding::new(RULE, &source.path, line, problem, remedy)
    };
    let mut findings = Vec::new();
    let comments = lines_with(&source.comments, MARKS.iter().chain(UNCHECKED_EXAMPLES));
    for (line, word) in comments {
        findings.push(finding(
            line,
            format!("`{word}` in a comment"),
            "finish it or remove it",
        ));
    }
    for (line, word) in lines_with(&source.code, MACROS) {
        findings.push(finding(
            line,
            format!("`{word}` in the code"),
            "finish it or remove it",
        ));
    }
    for attribute in &source.attributes() {
        let content = attribute
            .content
            .strip_prefix("cfg_attr(")
            .unwrap_or(&attribute.content);
        for (word, remedy) in SWITCHES {
            let position = words(content, word).next();
            let switches = if content.len() < attribute.content.len() {
                position.is_some()
            } else {
                position == Some(0)
            };
            if switches {
                let line = *source.covered_lines(attribute).start();
                findings.push(finding(line, format!("`#[{word}]`"), remedy));
            }
        }
    }
    findings.extend(drawer(source).map(|(line, name)| {
        finding(
            line,
            format!("a module called `{name}`"),
            "name it after what it does",
        )
    }));
    findings
}

/// Attributes that weaken a test, and what to do instead.
const SWITCHES: &[(&str, &str)] = &[
    (
        "ignore",
        "make the test fast and sure, or remove it; a missing tool goes by STOA_SKIPPED",
    ),
    (
        "should_panic",
        "return an error and compare it; a panic may be any other panic",
    ),
];

fn lines_with<'n>(
    text: &str,
    needles: impl IntoIterator<Item = &'n &'n str>,
) -> Vec<(usize, &'n str)> {
    let mut hits = Vec::new();
    for needle in needles {
        hits.extend(words(text, needle).map(|at| (line_of(text, at), *needle)));
    }
    hits
}

/// A module that is a drawer, by its file, its folder, or its inline name.
fn drawer(source: &Source) -> impl Iterator<Item = (usize, &str)> {
    let parts = source
        .path
        .strip_suffix(".rs")
        .unwrap_or(&source.path)
        .split('/');
    let by_path = parts
        .filter(|part| DRAWERS.contains(part))
        .map(|part| (1, part));
    let inline = words(&source.code, "mod").filter_map(|at| {
        let name = source.code.get(at + 3..)?.split_whitespace().next()?;
        DRAWERS
            .contains(&name)
            .then(|| (line_of(&source.code, at), name))
    });
    by_path.chain(inline)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(path: &str, text: &str) -> Vec<String> {
        let findings = check_source(&Source::new(path, text));
        findings
            .into_iter()
            .map(|finding| format!("{}: {}", finding.line, finding.problem))
            .collect()
    }

    #[test]
    fn unfinished_work_is_found() {
        assert_eq!(
            problems("a.rs", "\n// TODO: later"),
            ["2: `TODO` in a comment"]
        );
        assert_eq!(problems("a.rs", "/* FIXME */"), ["1: `FIXME` in a comment"]);
        assert_eq!(problems("a.rs", "//! XXX"), ["1: `XXX` in a comment"]);
        assert_eq!(
            problems("a.rs", "fn f() { todo!() }"),
            ["1: `todo!` in the code"]
        );
        assert_eq!(
            problems("a.rs", "fn f() { dbg!(1); }"),
            ["1: `dbg!` in the code"]
        );
        assert_eq!(
            problems("a.rs", "/// ```ignore"),
            ["1: ````ignore` in a comment"]
        );
    }

    #[test]
    fn switched_off_tests_are_found() {
        assert_eq!(
            problems("a.rs", "#[test]\n#[ignore]\nfn f() {}"),
            ["2: `#[ignore]`"]
        );
        assert_eq!(
            problems("a.rs", "#[ignore = \"slow\"]\nfn f() {}"),
            ["1: `#[ignore]`"]
        );
        assert_eq!(
            problems("a.rs", "#[should_panic(expected = \"x\")]\nfn f() {}").len(),
            1
        );
        assert_eq!(
            problems("a.rs", "#[cfg_attr(windows, ignore)]\nfn f() {}").len(),
            1
        );
    }

    #[test]
    fn drawers_are_found() {
        assert_eq!(
            problems("a/src/utils.rs", ""),
            ["1: a module called `utils`"]
        );
        assert_eq!(problems("a/tests/common/mod.rs", "").len(), 1);
        assert_eq!(problems("a.rs", "mod helpers {\n}").len(), 1);
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        let text =
            "// XXH3, and a method.\nfn f() { g(\"TODO dbg!\"); }\n#[serde(ignore)]\nstruct A;";
        assert!(problems("a/src/common_prefix.rs", text).is_empty());
    }
}
