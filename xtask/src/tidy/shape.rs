//! Rule `shape`: a first line that says what the file is, and limits on length.

use super::finding::Finding;
use super::source::Source;
use super::workspace::Workspace;

const RULE: &str = "shape";
/// Tests count: a long test file is as hard to find one's way in.
const FILE_LINES: usize = 800;
/// From `fn` to the closing brace; a function fits a screen.
const FUNCTION_LINES: usize = 70;

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    workspace.sources.iter().flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Finding> {
    let finding = |line, problem: String, remedy: &str| {
        Finding::new(RULE, &source.path, line, problem, remedy)
    };
    let mut findings = Vec::new();
    let first = source.text.lines().next().unwrap_or_default();
    if first
        .strip_prefix("//!")
        .is_none_or(|words| words.trim().is_empty())
    {
        let problem = "the first line does not say what this file is".to_owned();
        findings.push(finding(
            1,
            problem,
            "start the file with `//! ` and one sentence",
        ));
    }
    let lines = source.text.lines().count();
    if lines > FILE_LINES {
        let problem = format!("{lines} lines; {FILE_LINES} is the limit, tests included");
        findings.push(finding(lines, problem, "split the file: one idea per file"));
    }
    for function in source.functions() {
        let (first, last) = (*function.lines.start(), *function.lines.end());
        let length = last - first + 1;
        if length > FUNCTION_LINES && !source.is_test(first) {
            let problem = format!(
                "`{}` has {length} lines; {FUNCTION_LINES} is the limit",
                function.name
            );
            findings.push(finding(
                first,
                problem,
                "name a part of it and make it a function",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let findings = check_source(&Source::new("a.rs", text));
        findings.iter().map(ToString::to_string).collect()
    }

    fn function_of(lines: usize) -> String {
        format!("fn f() {{\n{}}}\n", "    g();\n".repeat(lines - 2))
    }

    #[test]
    fn a_file_says_what_it_is() {
        assert!(problems("//! A sample.\n").is_empty());
        assert!(problems("use std::fmt;\n")[0].starts_with("a.rs:1: the first line"));
        assert_eq!(problems("//!\nfn f() {}\n").len(), 1);
        assert_eq!(problems("").len(), 1);
    }

    #[test]
    fn functions_fit_a_screen() {
        assert!(problems(&format!("//! A.\n{}", function_of(70))).is_empty());
        let found = problems(&format!("//! A.\n{}", function_of(71)));
        assert!(
            found[0].starts_with("a.rs:2: `f` has 71 lines"),
            "{found:?}"
        );
    }

    #[test]
    fn test_functions_may_be_long() {
        assert!(problems(&format!("//! A.\n#[test]\n{}", function_of(90))).is_empty());
    }

    #[test]
    fn files_have_a_limit() {
        assert!(problems(&format!("//! A.\n{}", "\n".repeat(799))).is_empty());
        assert_eq!(problems(&format!("//! A.\n{}", "\n".repeat(800))).len(), 1);
    }
}
