//! Rule `licences`: every third-party crate may be used under a licence of the list.

use super::finding::Finding;
use super::search::first_line;
use super::workspace::{External, Workspace};

const RULE: &str = "licences";

/// Licences that ask for no more than notices, as SPDX names them.
const ACCEPTED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];
/// Exceptions after WITH only add rights; these have been read.
const ACCEPTED_EXCEPTIONS: &[&str] = &["LLVM-exception"];

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let lock = workspace.text("Cargo.lock").unwrap_or_default();
    workspace
        .externals
        .iter()
        .filter_map(|external| check_external(external, lock))
        .collect()
}

fn check_external(external: &External, lock: &str) -> Option<Finding> {
    let External { name, licence } = external;
    let licence = licence.as_deref().unwrap_or("none named");
    if is_accepted(licence) {
        return None;
    }
    let entry = format!("name = \"{name}\"");
    Some(Finding {
        rule: RULE,
        path: "Cargo.lock".to_owned(),
        line: first_line(lock, |line| line == entry),
        problem: format!("the licence of `{name}` is not on the list: {licence}"),
        remedy: "use another crate, or decide on the licence and add it to \
                 xtask/src/tidy/licences.rs"
            .to_owned(),
    })
}

/// Whether an SPDX expression can be met with accepted licences alone.
fn is_accepted(expression: &str) -> bool {
    // Before SPDX became usual, `MIT/Apache-2.0` meant a choice.
    let spaced = expression
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut words = words.as_slice();
    alternatives(&mut words) == Some(true) && words.is_empty()
}

/// `both (OR both)*`; none if the expression is malformed.
fn alternatives(words: &mut &[&str]) -> Option<bool> {
    let mut accepted = requirements(words)?;
    while take(words, "OR") {
        accepted |= requirements(words)?;
    }
    Some(accepted)
}

/// `one (AND one)*`.
fn requirements(words: &mut &[&str]) -> Option<bool> {
    let mut accepted = single(words)?;
    while take(words, "AND") {
        accepted &= single(words)?;
    }
    Some(accepted)
}

/// `( expression )`, or a licence with or without an exception.
fn single(words: &mut &[&str]) -> Option<bool> {
    if take(words, "(") {
        let accepted = alternatives(words)?;
        return take(words, ")").then_some(accepted);
    }
    let (licence, rest) = words.split_first()?;
    *words = rest;
    let mut accepted = ACCEPTED.contains(licence);
    if take(words, "WITH") {
        let (exception, rest) = words.split_first()?;
        *words = rest;
        accepted &= ACCEPTED_EXCEPTIONS.contains(exception);
    }
    Some(accepted)
}

fn take(words: &mut &[&str], word: &str) -> bool {
    match words.split_first() {
        Some((first, rest)) if *first == word => {
            *words = rest;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_expressions_pass() {
        for expression in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0-only OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
        ] {
            assert!(is_accepted(expression), "{expression}");
        }
    }

    #[test]
    fn bad_and_malformed_expressions_fail() {
        for expression in [
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "GPL-2.0-only OR (MIT AND SSPL-1.0)",
            "Apache-2.0 WITH Surprise-exception",
            "(MIT",
            "MIT Apache-2.0",
            "MIT OR",
            "",
        ] {
            assert!(!is_accepted(expression), "{expression}");
        }
    }

    #[test]
    fn a_crate_without_a_licence_is_found_in_the_lock_file() {
        let external = External {
            name: "b".to_owned(),
            licence: None,
        };
        let finding = check_external(&external, "[[package]]\nname = \"b\"\n").unwrap();
        assert_eq!((finding.line, finding.path.as_str()), (2, "Cargo.lock"));
    }
}
