//! Rule `links`: a relative link in a Markdown file leads to a file that git knows.

use super::finding::Finding;
use super::workspace::{File, Workspace};

const RULE: &str = "links";

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let pages = workspace
        .files
        .iter()
        .filter(|file| file.path.ends_with(".md"));
    pages
        .flat_map(|page| check_page(page, &workspace.files))
        .collect()
}

fn check_page(page: &File, files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_fence = false;
    for (index, line) in page.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
        }
        if in_fence {
            continue;
        }
        for target in targets(&without_code(line)) {
            if !leads_somewhere(&page.path, &target, files) {
                let problem = format!("`{target}` does not exist");
                let remedy = "correct the link, or add the file to git";
                findings.push(Finding::new(RULE, &page.path, index + 1, problem, remedy));
            }
        }
    }
    findings
}

/// A line without its `code`.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The relative targets of `[text](target#part "title")`.
fn targets(line: &str) -> Vec<String> {
    let links = line
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'));
    let targets = links.filter_map(|(link, _)| link.split([' ', '#']).next());
    let relative = targets.filter(|target| {
        !target.is_empty() && !target.contains("://") && !target.starts_with("mailto:")
    });
    relative.map(str::to_owned).collect()
}

/// Whether a file, or a folder with files, is at the target seen from the page.
fn leads_somewhere(page: &str, target: &str, files: &[File]) -> bool {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for part in target.trim_end_matches('/').split('/') {
        match part {
            "." | "" => {}
            ".." if parts.pop().is_none() => return false,
            ".." => {}
            part => parts.push(part),
        }
    }
    let path = parts.join("/");
    let folder = format!("{path}/");
    path.is_empty()
        || files
            .iter()
            .any(|file| file.path == path || file.path.starts_with(&folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(page: &str, text: &str) -> Vec<String> {
        let file = |path: &str, text: &str| File {
            path: path.to_owned(),
            text: text.to_owned(),
        };
        let files = [
            file(page, text),
            file("docs/decisions/0001-a.md", ""),
            file("LICENSE", ""),
        ];
        let findings = check_page(&files[0], &files);
        findings
            .into_iter()
            .map(|finding| finding.problem)
            .collect()
    }

    #[test]
    fn links_that_lead_somewhere_pass() {
        let text = "[a](LICENSE) [b](docs/decisions/) [c](docs/decisions/0001-a.md#context)\n\
                    [d](https://example.org/x) [e](#part) `[f](none.md)`\n```\n[g](none.md)\n```\n";
        assert!(broken("README.md", text).is_empty());
        assert!(
            broken(
                "docs/roadmap.md",
                "[a](../LICENSE) [b](decisions/0001-a.md)"
            )
            .is_empty()
        );
    }

    #[test]
    fn links_to_nothing_are_found() {
        let text = "see [a](LICENSE) and [b](missing.md \"title\")";
        assert_eq!(broken("README.md", text), ["`missing.md` does not exist"]);
        assert_eq!(broken("docs/roadmap.md", "[a](LICENSE)").len(), 1);
        assert_eq!(broken("README.md", "[a](../outside.md)").len(), 1);
    }
}
