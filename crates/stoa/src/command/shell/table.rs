//! Tables as cqlsh prints them: names to the left, values to the right, one space around each.
//!
//! ```text
//!  name | age
//! ------+-----
//!  Anna |  41
//! ```
//!
//! `EXPAND ON` prints every row as a table of its own. The rules are those of
//! `print_formatted_result` and `print_formatted_result_vertically` in cqlsh's `cqlshmain.py`.

use stoa_session::Rows;
use stoa_session::rows::RowError;
use stoa_types::text::display;
use stoa_types::{DataType, Value};
use unicode_width::UnicodeWidthStr as _;

use crate::terminal::{Colour, Palette};

/// One page of rows, ready to be printed.
pub(super) struct Page {
    names: Vec<Cell>,
    rows: Vec<Vec<Cell>>,
}

struct Cell {
    text: String,
    colour: Colour,
}

impl Cell {
    fn width(&self) -> usize {
        self.text.width()
    }

    fn painted(&self, palette: Palette) -> String {
        palette.paint(self.colour, &self.text)
    }

    fn padding(&self, width: usize) -> String {
        " ".repeat(width.saturating_sub(self.width()))
    }
}

impl Page {
    /// Reads the values of rows.
    ///
    /// # Errors
    /// When the bytes of one are broken.
    pub(super) fn of(rows: &Rows) -> Result<Self, RowError> {
        let names = rows.columns().iter().map(|column| Cell {
            text: display(&DataType::Text, &Value::Text(column.name.clone())),
            colour: Colour::Magenta,
        });
        let names = names.collect();
        let read = rows.iter().map(|row| {
            let types = row.columns().iter().map(|column| &column.data_type);
            let values = row.values()?;
            let cells = types.zip(&values);
            Ok(cells
                .map(|(data_type, value)| cell(data_type, value))
                .collect())
        });
        Ok(Self {
            names,
            rows: read.collect::<Result<_, RowError>>()?,
        })
    }

    /// The lines with the names of the columns. Their widths are those of this page.
    pub(super) fn header(&self, palette: Palette) -> String {
        let widths = self.widths();
        let last = self.names.len().saturating_sub(1);
        let names = self.names.iter().zip(&widths).enumerate();
        let names = names.map(|(index, (name, width))| {
            // Nothing follows the last name, not even spaces.
            let width = if index == last { 0 } else { *width };
            format!("{}{}", name.painted(palette), name.padding(width))
        });
        let names: Vec<String> = names.collect();
        let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        format!(" {}\n-{}-\n", names.join(" | "), rules.join("-+-"))
    }

    /// A line for each row.
    pub(super) fn lines(&self, palette: Palette) -> String {
        let widths = self.widths();
        let mut text = String::new();
        for row in &self.rows {
            let cells = row.iter().zip(&widths);
            let cells = cells
                .map(|(cell, width)| format!("{}{}", cell.padding(*width), cell.painted(palette)));
            let cells: Vec<String> = cells.collect();
            text.push_str(&format!(" {}\n", cells.join(" | ")));
        }
        text
    }

    /// A table for each row; the first has the number after `before`.
    pub(super) fn expanded(&self, before: usize, palette: Palette) -> String {
        let name_width = self.names.iter().map(Cell::width).max().unwrap_or(0);
        let value_width = self.rows.iter().flatten().map(Cell::width).max();
        let rule = format!(
            "-{}-+-{}-",
            "-".repeat(name_width),
            "-".repeat(value_width.unwrap_or(0))
        );
        let mut text = String::new();
        for (index, row) in self.rows.iter().enumerate() {
            text.push_str(&format!("@ Row {}\n{rule}\n", before + index + 1));
            for (name, cell) in self.names.iter().zip(row) {
                let padding = name.padding(name_width);
                let (name, value) = (name.painted(palette), cell.painted(palette));
                text.push_str(&format!(" {name}{padding} | {value}\n"));
            }
            text.push('\n');
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.names.iter().map(Cell::width).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.width().max(*width);
            }
        }
        widths
    }
}

fn cell(data_type: &DataType, value: &Value) -> Cell {
    Cell {
        text: display(data_type, value),
        colour: colour(data_type, value),
    }
}

/// The colours of cqlsh.
fn colour(data_type: &DataType, value: &Value) -> Colour {
    if value.is_null() {
        return Colour::Red;
    }
    match data_type {
        DataType::Ascii | DataType::Text => Colour::Yellow,
        DataType::Blob | DataType::Custom(_) => Colour::Magenta,
        DataType::List { .. }
        | DataType::Set { .. }
        | DataType::Map { .. }
        | DataType::Tuple(_)
        | DataType::Vector { .. }
        | DataType::UserDefined(_) => Colour::Blue,
        _ => Colour::Green,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stoa_session::Column;

    use super::*;

    fn page() -> Page {
        let columns = [
            Column::new("name", DataType::Text),
            Column::new("age", DataType::Int),
        ];
        let mut rows = Rows::with_columns(Arc::from(columns));
        let age = 41_i32.to_be_bytes();
        rows.push([Some("Anna".as_bytes()), Some(age.as_slice())])
            .unwrap();
        rows.push([Some("日本".as_bytes()), None]).unwrap();
        Page::of(&rows).unwrap()
    }

    #[test]
    fn names_are_left_and_values_right() {
        let page = page();
        let plain = Palette::plain();
        assert_eq!(page.header(plain), " name | age\n------+------\n");
        assert_eq!(page.lines(plain), " Anna |   41\n 日本 | null\n");
    }

    #[test]
    fn expanded_rows_are_numbered_on() {
        assert_eq!(
            page().expanded(2, Palette::plain()),
            "@ Row 3\n------+------\n name | Anna\n age  | 41\n\n\
             @ Row 4\n------+------\n name | 日本\n age  | null\n\n"
        );
    }
}
