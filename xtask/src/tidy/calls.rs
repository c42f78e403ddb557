//! Rule `calls`: what a library must not call outside its tests.
//!
//! A library takes the time and new ids from its caller, so that a test or a simulation can
//! replay it; it reads no environment; it does not panic. Clippy checks the same by type
//! (clippy.toml) and also indexing; this rule holds where an `#[expect]` silences clippy.

use super::finding::Finding;
use super::search::{line_of, prefixes};
use super::source::Source;
use super::workspace::{Crate, Workspace};

const RULE: &str = "calls";

/// Why something is forbidden; exceptions are given by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    Clock,
    Sleep,
    Chance,
    Environment,
    Panic,
}

const FORBIDDEN: &[(&str, Reason)] = &[
    ("SystemTime::now", Reason::Clock),
    ("Instant::now", Reason::Clock),
    ("thread::sleep", Reason::Sleep),
    ("Uuid::new_v", Reason::Chance),
    ("Uuid::now_v", Reason::Chance),
    ("rand::", Reason::Chance),
    ("getrandom", Reason::Chance),
    ("std::env", Reason::Environment),
    ("env::var", Reason::Environment),
    ("env::args", Reason::Environment),
    (".unwrap()", Reason::Panic),
];

/// Files, or folders ending in `/`, where a library may do it after all; each says why.
const EXCEPTIONS: &[(&str, &[Reason])] = &[
    // It is the one source of time and new ids for everything else.
    (
        "crates/stoa-types/src/clock.rs",
        &[Reason::Clock, Reason::Chance],
    ),
    // Tests are steered by environment variables such as STOA_SKIPPED.
    ("crates/stoa-testkit/", &[Reason::Environment]),
];

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let libraries = workspace.crates.iter().filter(|member| member.has_library);
    libraries
        .flat_map(|member| check_crate(workspace, member))
        .collect()
}

fn check_crate(workspace: &Workspace, member: &Crate) -> Vec<Finding> {
    let library = format!("{}/src/", member.folder);
    let programs = [format!("{library}main.rs"), format!("{library}bin/")];
    let sources = workspace.sources_of(member).filter(|source| {
        source.path.starts_with(&library)
            && !programs
                .iter()
                .any(|program| source.path.starts_with(program))
    });
    sources.flat_map(check_source).collect()
}

fn check_source(source: &Source) -> Vec<Finding> {
    let mut hits: Vec<(usize, &str, Reason)> = Vec::new();
    for &(needle, reason) in FORBIDDEN {
        let lines = prefixes(&source.code, needle).map(|at| line_of(&source.code, at));
        hits.extend(lines.map(|line| (line, needle, reason)));
    }
    hits.extend(unexplained_expects(source).map(|line| (line, ".expect(", Reason::Panic)));
    hits.retain(|(line, _, reason)| !source.is_test(*line) && !is_exempt(&source.path, *reason));
    hits.sort_by_key(|(line, needle, _)| (*line, needle.len()));
    hits.dedup_by_key(|(line, _, reason)| (*line, *reason as u8));
    hits.into_iter()
        .map(|(line, needle, reason)| finding(source, line, needle, reason))
        .collect()
}

/// Lines with `.expect("...")` that no `#[expect(clippy::expect_used, reason = "...")]` covers.
/// A method of our own called `expect`, as parsers have, takes no string and is left alone.
fn unexplained_expects(source: &Source) -> impl Iterator<Item = usize> {
    let attributes = source.attributes();
    let explained: Vec<_> = attributes
        .iter()
        .filter(|attribute| {
            let content = &attribute.content;
            content.starts_with("expect(")
                && content.contains("clippy::expect_used")
                && content.contains("reason=")
        })
        .map(|attribute| source.covered_lines(attribute))
        .collect();
    let calls = source.code.match_indices(".expect(").filter(|(at, call)| {
        let argument = source.code.get(at + call.len()..).unwrap_or_default();
        argument.trim_start().starts_with('"')
    });
    let lines = calls.map(|(at, _)| line_of(&source.code, at));
    lines.filter(move |line| !explained.iter().any(|lines| lines.contains(line)))
}

fn is_exempt(path: &str, reason: Reason) -> bool {
    EXCEPTIONS.iter().any(|(exempt, reasons)| {
        let covers = if exempt.ends_with('/') {
            path.starts_with(exempt)
        } else {
            path == *exempt
        };
        covers && reasons.contains(&reason)
    })
}

fn finding(source: &Source, line: usize, needle: &str, reason: Reason) -> Finding {
    let remedy = match reason {
        Reason::Clock => "take a `Clock` argument (stoa-types), so that tests can replay",
        Reason::Sleep => "wait for an event (condition variable, channel), not for time",
        Reason::Chance => "take an `Ids` argument (stoa-types), so that tests can replay",
        Reason::Environment => "take a parameter; the binary reads the environment",
        Reason::Panic => {
            "return an error, or `expect` under \
             #[expect(clippy::expect_used, reason = \"the invariant\")]"
        }
    };
    let problem = format!("`{needle}` in a library");
    Finding::new(RULE, &source.path, line, problem, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATH: &str = "crates/stoa-store/src/key.rs";

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check_source(&Source::new(path, text))
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn every_forbidden_call_is_found() {
        for call in [
            "SystemTime::now()",
            "std::time::Instant::now()",
            "std::thread::sleep(d)",
            "Uuid::new_v4()",
            "uuid::Uuid::now_v7()",
            "rand::random()",
            "getrandom::fill(b)",
            "std::env::var(\"A\")",
            "env::args()",
            "x.unwrap()",
            "x.expect(\"set\")",
            "x\n.expect(\n\"set\")",
        ] {
            let found = lines(PATH, &format!("fn f() {{ {call}; }}"));
            assert_eq!(found.len(), 1, "{call}: {found:?}");
        }
    }

    #[test]
    fn harmless_text_is_left_alone() {
        let text = "// SystemTime::now()\nfn f() { g(\"x.unwrap()\"); strand::g(); x.unwrap_or(1); \
                    self.expect(Token::Comma)?; env!(\"A\"); }";
        assert!(lines(PATH, text).is_empty());
    }

    #[test]
    fn tests_may_panic() {
        let text = "fn f() {}\n#[cfg(test)]\nmod tests {\n    fn g() { x.unwrap(); }\n}\n";
        assert!(lines(PATH, text).is_empty());
        assert!(
            lines(
                "crates/stoa-store/tests/it/main.rs",
                "fn f() { x.unwrap(); }"
            )
            .is_empty()
        );
    }

    #[test]
    fn an_expect_with_a_reason_is_accepted() {
        let explained = "fn f() {\n    #[expect(clippy::expect_used, reason = \"set above\")]\n    \
                         let a = b.expect(\"set\");\n    c.expect(\"not covered\");\n}";
        assert_eq!(lines(PATH, explained), [4]);
        let unexplained =
            "fn f() {\n    #[expect(clippy::expect_used)]\n    let a = b.expect(\"set\");\n}";
        assert_eq!(lines(PATH, unexplained), [3]);
    }

    #[test]
    fn the_clock_has_its_place() {
        let text = "fn f() { SystemTime::now(); Uuid::new_v4(); }";
        assert!(lines("crates/stoa-types/src/clock.rs", text).is_empty());
        assert_eq!(
            lines("crates/stoa-types/src/clock.rs", "fn f() { x.unwrap(); }"),
            [1]
        );
    }

    #[test]
    fn only_libraries_are_held_to_it() {
        let text = "fn f() { x.unwrap(); }";
        let sources = [
            "crates/a/src/lib.rs",
            "crates/a/src/main.rs",
            "crates/a/examples/b.rs",
        ];
        let mut workspace = Workspace {
            crates: vec![Crate {
                name: "a".to_owned(),
                folder: "crates/a".to_owned(),
                has_library: true,
                dependencies: Vec::new(),
            }],
            sources: sources.iter().map(|path| Source::new(path, text)).collect(),
            ..Workspace::default()
        };
        assert_eq!(check(&workspace).len(), 1);
        workspace.crates[0].has_library = false;
        assert!(check(&workspace).is_empty());
    }
}
