//! The dependency table of ARCHITECTURE.md, as data.
//!
//! Rows stand between the two markers below. Cells are comma-separated names; back quotes are
//! decoration and `-` means none:
//!
//! ```text
//! | Crate | May use | Tests may also use | Owns |
//! |---|---|---|---|
//! | `stoa-store` | stoa-types | stoa-testkit | fjall |
//! ```

/// Where the table lives.
pub(crate) const PATH: &str = "ARCHITECTURE.md";
const START: &str = "<!-- dependency table -->";
const END: &str = "<!-- end of dependency table -->";

/// What one crate may use.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) may_use: Vec<String>,
    pub(crate) tests_may_use: Vec<String>,
    /// External crates that only the rows naming them may use.
    pub(crate) owns: Vec<String>,
    /// Of the row in the file, from 1.
    pub(crate) line: usize,
}

/// The rows in order; a line that is not of the form is given back by its number.
pub(crate) fn parse(text: &str) -> Result<Vec<Row>, usize> {
    let mut rows = Vec::new();
    let lines = text
        .lines()
        .enumerate()
        .skip_while(|(_, line)| line.trim() != START);
    let lines = lines.skip(1).take_while(|(_, line)| line.trim() != END);
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let line_number = index + 1;
        let cells = line
            .trim()
            .strip_prefix('|')
            .and_then(|line| line.strip_suffix('|'));
        let cells: Vec<&str> = cells
            .ok_or(line_number)?
            .split('|')
            .map(str::trim)
            .collect();
        let [name, may_use, tests_may_use, owns] = cells.as_slice() else {
            return Err(line_number);
        };
        if *name == "Crate" || name.starts_with("---") {
            continue;
        }
        rows.push(Row {
            name: name.trim_matches('`').to_owned(),
            may_use: names(may_use),
            tests_may_use: names(tests_may_use),
            owns: names(owns),
            line: line_number,
        });
    }
    Ok(rows)
}

fn names(cell: &str) -> Vec<String> {
    let names = cell.split(',').map(|name| name.trim().trim_matches('`'));
    names
        .filter(|name| !name.is_empty() && *name != "-")
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_between_the_markers() {
        let text = format!(
            "| a | b |\n{START}\n| Crate | May use | Tests may also use | Owns |\n|---|---|---|---|\n\
             | `stoa-store` | `stoa-types` | stoa-testkit, - | fjall |\n{END}\n| c |\n"
        );
        let rows = parse(&text).unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].name, "stoa-store");
        assert_eq!(rows[0].may_use, ["stoa-types"]);
        assert_eq!(rows[0].tests_may_use, ["stoa-testkit"]);
        assert_eq!(
            (rows[0].owns.as_slice(), rows[0].line),
            (["fjall".to_owned()].as_slice(), 5)
        );
    }

    #[test]
    fn a_crooked_row_is_named() {
        assert_eq!(parse(&format!("{START}\n| a | b |\n{END}\n")), Err(2));
        assert_eq!(parse("no table"), Ok(Vec::new()));
    }
}
