//! Rule `layers`: the dependency table of ARCHITECTURE.md and the manifests agree.
//!
//! 1. Every crate of the workspace has a row; a row may wait for its crate.
//! 2. A crate uses only ours that its row names: `May use` in the build, `Tests may also use`
//!    in tests.
//! 3. Rows use only rows above them, so there is no cycle. Tests are free of this one.
//! 4. An external crate that a row owns is used, tests included, only by rows that own it.

use super::finding::Finding;
use super::table::{self, Row};
use super::workspace::{Crate, Dependency, DependencyKind, Workspace};

const RULE: &str = "layers";

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let text = workspace.text(table::PATH).unwrap_or_default();
    let rows = match table::parse(text) {
        Ok(rows) => rows,
        Err(line) => {
            let remedy = "write `| crate | ours | ours, in tests | owned |`";
            return vec![in_table(
                line,
                "not a row of the dependency table".to_owned(),
                remedy,
            )];
        }
    };
    let mut findings = check_table(&rows);
    for member in &workspace.crates {
        match rows.iter().find(|row| row.name == member.name) {
            Some(row) => findings.extend(check_crate(workspace, &rows, row, member)),
            None => findings.push(in_table(
                1,
                format!("the crate `{}` is not in the dependency table", member.name),
                "add its row, below everything it uses; that is a decision about architecture",
            )),
        }
    }
    findings
}

/// The table on its own: no row twice, no unknown name, arrows upwards only.
fn check_table(rows: &[Row]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let is_row = |name: &str, rows: &[Row]| rows.iter().any(|row| row.name == name);
    for (index, row) in rows.iter().enumerate() {
        let above = rows.get(..index).unwrap_or_default();
        if is_row(&row.name, above) {
            let problem = format!("`{}` has two rows", row.name);
            findings.push(in_table(row.line, problem, "keep one"));
        }
        for used in row.may_use.iter().filter(|used| !is_row(used, above)) {
            let problem = format!("`{}` may use `{used}`, which has no row above it", row.name);
            findings.push(in_table(
                row.line,
                problem,
                "put what is used above what uses it",
            ));
        }
        for used in row.tests_may_use.iter().filter(|used| !is_row(used, rows)) {
            let problem = format!("tests of `{}` may use `{used}`, which has no row", row.name);
            findings.push(in_table(
                row.line,
                problem,
                "correct the name, or add the row",
            ));
        }
    }
    findings
}

fn check_crate(workspace: &Workspace, rows: &[Row], row: &Row, member: &Crate) -> Vec<Finding> {
    let finding = |dependency: &Dependency, problem, remedy| Finding {
        rule: RULE,
        path: member.manifest(),
        line: workspace.dependency_line(member, dependency),
        problem,
        remedy,
    };
    let mut findings = Vec::new();
    for dependency in &member.dependencies {
        let used = &dependency.package;
        let ours = workspace.crates.iter().any(|other| other.name == *used);
        let owners: Vec<&str> = rows
            .iter()
            .filter(|row| row.owns.contains(used))
            .map(|row| row.name.as_str())
            .collect();
        if ours && !row.allows(dependency) {
            let where_used = match dependency.kind {
                DependencyKind::Dev => "in its tests ",
                DependencyKind::Normal | DependencyKind::Build => "",
            };
            let problem = format!("`{}` may not use `{used}` {where_used}", member.name);
            let remedy = format!("see the dependency table in {}; {WHY}", table::PATH);
            findings.push(finding(dependency, problem.trim_end().to_owned(), remedy));
        } else if !ours && !owners.is_empty() && !owners.contains(&member.name.as_str()) {
            let problem = format!("`{used}` belongs to {}", owners.join(", "));
            let remedy = format!("use it through that crate's own types; {WHY}");
            findings.push(finding(dependency, problem, remedy));
        }
    }
    findings
}

const WHY: &str = "a new edge is a decision about architecture";

impl Row {
    fn allows(&self, dependency: &Dependency) -> bool {
        let in_tests = dependency.kind == DependencyKind::Dev;
        self.may_use.contains(&dependency.package)
            || in_tests && self.tests_may_use.contains(&dependency.package)
    }
}

fn in_table(line: usize, problem: String, remedy: &str) -> Finding {
    Finding::new(RULE, table::PATH, line, problem, remedy)
}

#[cfg(test)]
mod tests {
    use super::super::workspace::File;
    use super::*;

    const TABLE: &str = "\
<!-- dependency table -->
| Crate | May use | Tests may also use | Owns |
|---|---|---|---|
| types | - | kit | - |
| store | types | kit | fjall |
| later | types | - | - |
| kit | types | - | - |
<!-- end of dependency table -->
";

    fn member(name: &str, dependencies: &[(&str, DependencyKind)]) -> Crate {
        let dependency = |&(package, kind): &(&str, DependencyKind)| Dependency {
            package: package.to_owned(),
            identifier: package.to_owned(),
            kind,
        };
        Crate {
            name: name.to_owned(),
            folder: format!("crates/{name}"),
            has_library: true,
            dependencies: dependencies.iter().map(dependency).collect(),
        }
    }

    fn problems(table: &str, crates: Vec<Crate>) -> Vec<String> {
        let files = vec![File {
            path: table::PATH.to_owned(),
            text: table.to_owned(),
        }];
        let workspace = Workspace {
            crates,
            files,
            ..Workspace::default()
        };
        check(&workspace)
            .into_iter()
            .map(|finding| finding.problem)
            .collect()
    }

    use DependencyKind::{Dev, Normal};

    #[test]
    fn what_the_table_allows_passes() {
        let store = member(
            "store",
            &[("types", Normal), ("fjall", Normal), ("kit", Dev)],
        );
        let crates = vec![member("types", &[("kit", Dev)]), store, member("kit", &[])];
        assert!(problems(TABLE, crates).is_empty());
    }

    #[test]
    fn an_edge_that_is_not_in_the_table_fails() {
        let crates = vec![member("types", &[("store", Normal)]), member("store", &[])];
        assert_eq!(problems(TABLE, crates), ["`types` may not use `store`"]);
    }

    #[test]
    fn a_test_only_crate_is_not_for_the_build() {
        let crates = vec![
            member("store", &[("kit", Normal)]),
            member("kit", &[("store", Dev)]),
        ];
        let expected = [
            "`store` may not use `kit`",
            "`kit` may not use `store` in its tests",
        ];
        assert_eq!(problems(TABLE, crates), expected);
    }

    #[test]
    fn an_owned_crate_is_for_its_owner() {
        let crates = vec![member("kit", &[("fjall", Dev)])];
        assert_eq!(problems(TABLE, crates), ["`fjall` belongs to store"]);
    }

    #[test]
    fn a_crate_without_a_row_fails() {
        let expected = ["the crate `new` is not in the dependency table"];
        assert_eq!(problems(TABLE, vec![member("new", &[])]), expected);
        assert_eq!(problems("", vec![member("new", &[])]), expected);
    }

    #[test]
    fn the_table_itself_is_checked() {
        let table = TABLE.replace("| types | - | kit |", "| types | store | kitt |");
        let expected = [
            "`types` may use `store`, which has no row above it",
            "tests of `types` may use `kitt`, which has no row",
        ];
        assert_eq!(problems(&table, Vec::new()), expected);
        let twice = TABLE.replace("| later |", "| types |");
        assert_eq!(problems(&twice, Vec::new()), ["`types` has two rows"]);
        let crooked = TABLE.replace("| later | types | - | - |", "| later |");
        assert_eq!(
            problems(&crooked, Vec::new()),
            ["not a row of the dependency table"]
        );
    }
}
