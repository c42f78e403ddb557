//! Rule `unused`: a dependency that the sources of its crate never name.

use super::finding::Finding;
use super::search::words;
use super::source::Source;
use super::workspace::{Crate, Dependency, DependencyKind, Workspace};

const RULE: &str = "unused";

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    workspace
        .crates
        .iter()
        .flat_map(|member| check_crate(workspace, member))
        .collect()
}

fn check_crate(workspace: &Workspace, member: &Crate) -> Vec<Finding> {
    let sources: Vec<&Source> = workspace.sources_of(member).collect();
    let unused = member.dependencies.iter().filter(|dependency| {
        !sources
            .iter()
            .any(|source| names(source, &member.folder, dependency))
    });
    let finding = |dependency: &Dependency| Finding {
        rule: RULE,
        path: member.manifest(),
        line: workspace.dependency_line(member, dependency),
        problem: format!("`{}` is never used", dependency.package),
        remedy: match dependency.kind {
            DependencyKind::Normal => "remove it, or make it a dev-dependency",
            DependencyKind::Dev | DependencyKind::Build => "remove it",
        }
        .to_owned(),
    };
    unused.map(finding).collect()
}

/// Whether a source names a dependency, where its kind lets it.
fn names(source: &Source, folder: &str, dependency: &Dependency) -> bool {
    let place = source.path.strip_prefix(folder).unwrap_or(&source.path);
    let mut offsets = words(&source.code, &dependency.identifier);
    match dependency.kind {
        DependencyKind::Normal => place.starts_with("/src/") && offsets.next().is_some(),
        DependencyKind::Build => place == "/build.rs" && offsets.next().is_some(),
        // Doc tests use them too, and are comments.
        DependencyKind::Dev => {
            offsets.next().is_some()
                || words(&source.comments, &dependency.identifier)
                    .next()
                    .is_some()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unused(kind: DependencyKind, path: &str, text: &str) -> bool {
        let dependency = Dependency {
            package: "num-bigint".to_owned(),
            identifier: "num_bigint".to_owned(),
            kind,
        };
        let workspace = Workspace {
            crates: vec![Crate {
                folder: "crates/a".to_owned(),
                dependencies: vec![dependency],
                ..Crate::default()
            }],
            sources: vec![Source::new(path, text)],
            ..Workspace::default()
        };
        !check(&workspace).is_empty()
    }

    #[test]
    fn a_named_dependency_is_used() {
        use DependencyKind::{Build, Dev, Normal};
        assert!(!unused(
            Normal,
            "crates/a/src/lib.rs",
            "use num_bigint::BigInt;"
        ));
        assert!(!unused(
            Dev,
            "crates/a/tests/it.rs",
            "use num_bigint::BigInt;"
        ));
        assert!(!unused(
            Dev,
            "crates/a/src/lib.rs",
            "//! use num_bigint::BigInt;"
        ));
        assert!(!unused(
            Build,
            "crates/a/build.rs",
            "use num_bigint::BigInt;"
        ));
    }

    #[test]
    fn a_dependency_nobody_names_is_found() {
        use DependencyKind::{Dev, Normal};
        assert!(unused(
            Normal,
            "crates/a/src/lib.rs",
            "// num_bigint\nuse num_bigint_dig;"
        ));
        assert!(unused(
            Normal,
            "crates/a/tests/it.rs",
            "use num_bigint::BigInt;"
        ));
        assert!(unused(
            Normal,
            "crates/ab/src/lib.rs",
            "use num_bigint::BigInt;"
        ));
        assert!(unused(Dev, "crates/a/src/lib.rs", "fn f() {}"));
    }
}
