//! Rows as text, in each format.

use anyhow::anyhow;
use stoa_engine::json::to_json;
use stoa_session::{Column, Rows};

use super::csv::Dialect;
use super::csv_value::{self, Style};

/// One JSON object a line. Values are as `SELECT JSON` writes them, names as they are.
pub(super) fn json_lines(rows: &Rows) -> anyhow::Result<String> {
    let mut text = String::new();
    for row in rows.iter() {
        let mut members = Vec::new();
        for (column, cell) in row.columns().iter().zip(row.cells()) {
            let name = serde_json::to_string(&column.name)?;
            let value = to_json(&column.data_type, *cell).map_err(|it| anyhow!(it))?;
            members.push(format!("{name}: {value}"));
        }
        text.push_str(&format!("{{{}}}\n", members.join(", ")));
    }
    Ok(text)
}

/// The line of names.
pub(super) fn csv_header(columns: &[Column], dialect: &Dialect) -> String {
    let names: Vec<_> = columns.iter().map(|it| Some(it.name.clone())).collect();
    dialect.record(&names)
}

/// A record for each row.
pub(super) fn csv_lines(rows: &Rows, dialect: &Dialect, style: &Style) -> anyhow::Result<String> {
    let mut text = String::new();
    for row in rows.iter() {
        let values = row.values()?;
        let cells = row.columns().iter().zip(&values);
        let fields = cells.map(|(column, value)| csv_value::field(&column.data_type, value, style));
        let fields: Vec<_> = fields.collect::<Result<_, _>>()?;
        text.push_str(&dialect.record(&fields));
    }
    Ok(text)
}
