//! What `DESCRIBE` answers, as cqlsh prints it.
//!
//! The back end answers rows: of statements, of names, or of facts about the cluster. Which of
//! them is told by the columns.

use std::collections::BTreeMap;

use stoa_session::Rows;
use stoa_session::rows::RowError;

/// How wide a list of names may be.
const WIDTH: usize = 80;

/// The text of a description; `keyspace` is the one in use.
pub(super) fn text(rows: &Rows, keyspace: Option<&str>) -> Result<String, RowError> {
    let has = |name: &str| rows.columns().iter().any(|column| column.name == name);
    if has("create_statement") {
        return statements(rows);
    }
    if has("cluster") {
        return cluster(rows);
    }
    names(rows, keyspace)
}

fn statements(rows: &Rows) -> Result<String, RowError> {
    let mut text = String::new();
    for row in rows.iter() {
        let statement: &str = row.get("create_statement")?;
        text.push_str(&format!("\n{statement}\n"));
    }
    Ok(text)
}

fn cluster(rows: &Rows) -> Result<String, RowError> {
    let mut text = String::new();
    for row in rows.iter() {
        let fact = |name: &str| row.get::<&str>(name);
        text.push_str(&format!(
            "\nCluster: {}\nPartitioner: {}\nSnitch: {}\n\n",
            fact("cluster")?,
            fact("partitioner")?,
            fact("snitch")?
        ));
        let ranges = row.get::<BTreeMap<String, Vec<String>>>("range_ownership");
        if let Ok(ranges) = ranges {
            text.push_str("Range ownership:\n");
            for (token, hosts) in ranges {
                text.push_str(&format!(" {token:>39}  [{}]\n", hosts.join(", ")));
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// Names by keyspace; keyspaces themselves are one list.
fn names(rows: &Rows, in_use: Option<&str>) -> Result<String, RowError> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_keyspaces = false;
    for row in rows.iter() {
        is_keyspaces = row.get::<&str>("type")? == "keyspace";
        let keyspace = if is_keyspaces {
            ""
        } else {
            row.get("keyspace_name")?
        };
        let name = row.get("name")?;
        match groups.last_mut() {
            Some((last, names)) if *last == keyspace => names.push(name),
            _ => groups.push((keyspace, vec![name])),
        }
    }
    let mut text = String::new();
    for (keyspace, names) in &groups {
        text.push('\n');
        if in_use.is_none() && !is_keyspaces {
            let rule = "-".repeat(keyspace.chars().count() + 9);
            text.push_str(&format!("Keyspace {keyspace}\n{rule}\n"));
        }
        text.push_str(&in_columns(names, WIDTH));
    }
    if !groups.is_empty() {
        text.push('\n');
    }
    Ok(text)
}

/// Names below each other in as few lines as fit the width, two spaces between columns.
pub(super) fn in_columns(names: &[&str], width: usize) -> String {
    let longest = |column: &[&str]| column.iter().map(|it| it.chars().count()).max();
    for lines in 1..=names.len() {
        let columns: Vec<&[&str]> = names.chunks(lines).collect();
        let widths: Vec<usize> = columns.iter().map(|it| longest(it).unwrap_or(0)).collect();
        let total = widths.iter().sum::<usize>() + 2 * (widths.len() - 1);
        if total >= width && lines < names.len() {
            continue;
        }
        let line = |number: usize| {
            let cells = columns.iter().zip(&widths);
            let cells = cells.filter_map(|(column, width)| {
                let name = column.get(number)?;
                Some(format!("{name:<width$}"))
            });
            let cells: Vec<String> = cells.collect();
            format!("{}\n", cells.join("  ").trim_end())
        };
        return (0..lines).map(line).collect();
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_columns() {
        let names = ["aa", "b", "c", "dddd", "e"];
        assert_eq!(in_columns(&names, 80), "aa  b  c  dddd  e\n");
        assert_eq!(in_columns(&names, 12), "aa  c     e\nb   dddd\n");
        assert_eq!(in_columns(&names, 1), "aa\nb\nc\ndddd\ne\n");
        assert_eq!(in_columns(&[], 80), "");
    }
}
