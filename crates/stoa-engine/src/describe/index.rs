//! `CREATE INDEX` of an index that is there.

use stoa_types::text::identifier::quoted;

use super::Element;
use super::text::{map, qualified, string};
use crate::catalog::{Index, Table};

pub(super) fn element(table: &Table, index: &Index) -> Element {
    Element {
        keyspace: table.keyspace.to_string(),
        kind: "index",
        name: index.name.to_string(),
        statement: statement(table, index),
    }
}

fn statement(table: &Table, index: &Index) -> String {
    let (custom, using) = match &index.class {
        Some(class) => (" CUSTOM", format!(" USING {}", string(class))),
        None => ("", String::new()),
    };
    let options = match index.options.is_empty() {
        true => String::new(),
        false => {
            let options = index.options.iter().cloned().collect();
            format!(" WITH OPTIONS = {}", map(&options))
        }
    };
    format!(
        "CREATE{custom} INDEX {} ON {} ({}){using}{options};",
        quoted(&index.name),
        qualified(&table.keyspace, &table.name),
        index.target_text(),
    )
}
