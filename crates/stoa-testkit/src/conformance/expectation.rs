//! What a statement answered, as the lines that record it.

use stoa_session::{Answer, Body, Column, Error, Rows};
use stoa_types::{DataType, Value, native, text};

/// What a statement answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expectation {
    /// The answer itself.
    pub outcome: Outcome,
    /// Warnings that came with it.
    pub warnings: Vec<String>,
}

/// The answer itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing to tell.
    Done,
    /// Rows, perhaps none.
    Rows {
        /// Name and type of each column.
        columns: Vec<String>,
        /// The values of each row as CQL terms.
        rows: Vec<Vec<String>>,
    },
    /// An error.
    Error {
        /// The native protocol's number for it; 0 where no server was involved.
        code: u16,
        /// Its words, which are recorded but not compared.
        message: String,
    },
}

/// What stands for a value that differs from run to run.
pub const ANY: &str = "*";
const BETWEEN: &str = " | ";

impl Expectation {
    /// Reads the recorded lines after a statement; `None` if there are none.
    ///
    /// # Errors
    /// The line that is none.
    pub fn parse(lines: &[String]) -> Result<Option<Self>, String> {
        let mut outcome = None;
        let mut warnings = Vec::new();
        for line in lines {
            let (mark, rest) = line.split_at_checked(1).unwrap_or((line, ""));
            let rest = rest.strip_prefix(' ').unwrap_or(rest);
            match (mark, &mut outcome) {
                ("~", _) => warnings.push(rest.to_owned()),
                ("=", None) => outcome = Some(heading(rest).ok_or_else(|| line.clone())?),
                ("!", None) => outcome = Some(error(rest).ok_or_else(|| line.clone())?),
                ("-", Some(Outcome::Rows { columns, rows })) => {
                    let cells: Vec<_> = rest.split(BETWEEN).map(str::to_owned).collect();
                    if cells.len() != columns.len() {
                        return Err(line.clone());
                    }
                    rows.push(cells);
                }
                _ => return Err(line.clone()),
            }
        }
        match outcome {
            Some(outcome) => Ok(Some(Self { outcome, warnings })),
            None if warnings.is_empty() => Ok(None),
            None => Err(warnings.concat()),
        }
    }

    /// The lines that record it.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = match &self.outcome {
            Outcome::Done => vec!["= done".to_owned()],
            Outcome::Error { code, message } => vec![format!("! {code:#06x} {message}")],
            Outcome::Rows { columns, rows } => {
                let heading = format!("= rows {}", columns.join(BETWEEN));
                let rows = rows.iter().map(|row| format!("- {}", row.join(BETWEEN)));
                std::iter::once(heading).chain(rows).collect()
            }
        };
        lines.extend(self.warnings.iter().map(|warning| format!("~ {warning}")));
        lines
    }

    /// What a back end answered; `neutral` takes out the name of the script's keyspace.
    pub fn of_answer(answer: Answer, neutral: impl Fn(&str) -> String) -> Self {
        let warnings = answer
            .warnings
            .iter()
            .map(|text| one_line(&neutral(text)))
            .collect();
        let outcome = match answer.body {
            Body::Rows(rows) => Outcome::Rows {
                columns: rows
                    .columns()
                    .iter()
                    .map(|it| neutral(&column_text(it)))
                    .collect(),
                rows: rows_text(&rows, neutral),
            },
            Body::Done | Body::UsedKeyspace(_) | Body::ChangedSchema(_) => Outcome::Done,
        };
        Self { outcome, warnings }
    }

    /// What a back end answered instead.
    pub fn of_error(error: &Error, neutral: impl Fn(&str) -> String) -> Self {
        Self {
            outcome: Outcome::Error {
                code: error.code().unwrap_or(0),
                message: one_line(&neutral(error.message())),
            },
            warnings: Vec::new(),
        }
    }
}

fn heading(rest: &str) -> Option<Outcome> {
    if rest == "done" {
        return Some(Outcome::Done);
    }
    let columns = rest.strip_prefix("rows ")?;
    Some(Outcome::Rows {
        columns: columns.split(BETWEEN).map(str::to_owned).collect(),
        rows: Vec::new(),
    })
}

fn error(rest: &str) -> Option<Outcome> {
    let (code, message) = rest.split_once(' ').unwrap_or((rest, ""));
    Some(Outcome::Error {
        code: u16::from_str_radix(code.strip_prefix("0x")?, 16).ok()?,
        message: message.to_owned(),
    })
}

fn column_text(column: &Column) -> String {
    let data_type = column.data_type.clone().without_frozen();
    format!("{} {data_type}", column.name)
}

fn rows_text(rows: &Rows, neutral: impl Fn(&str) -> String) -> Vec<Vec<String>> {
    let cell_text = |data_type: &DataType, cell: Option<&[u8]>| match cell {
        Some(bytes) => one_line(&neutral(&value_text(data_type, bytes))),
        None => "null".to_owned(),
    };
    let types: Vec<&DataType> = rows
        .columns()
        .iter()
        .map(|column| &column.data_type)
        .collect();
    let row_text = |row: stoa_session::Row<'_>| {
        let cells = types.iter().zip(row.cells());
        cells
            .map(|(data_type, cell)| cell_text(data_type, *cell))
            .collect()
    };
    rows.iter().map(row_text).collect()
}

/// A CQL term for the value, or its bytes where there is none.
fn value_text(data_type: &DataType, bytes: &[u8]) -> String {
    match native::decode(data_type, bytes) {
        Ok(Value::Empty) => "empty".to_owned(),
        Ok(value) => text::literal(data_type, &value).unwrap_or_else(|_| raw(bytes)),
        Err(_) => match data_type {
            DataType::List { element, .. } => gappy_list_text(element, bytes),
            _ => None,
        }
        .unwrap_or_else(|| raw(bytes)),
    }
}

/// A list some of whose elements are null, such as the times of a user type's fields.
fn gappy_list_text(element: &DataType, bytes: &[u8]) -> Option<String> {
    let (count, mut rest) = bytes.split_first_chunk::<4>()?;
    let mut texts = Vec::new();
    for _ in 0..i32::from_be_bytes(*count) {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let Ok(length) = usize::try_from(i32::from_be_bytes(*length)) else {
            texts.push("null".to_owned());
            rest = after;
            continue;
        };
        let (value, after) = after.split_at_checked(length)?;
        texts.push(value_text(element, value));
        rest = after;
    }
    rest.is_empty().then(|| format!("[{}]", texts.join(", ")))
}

fn raw(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("bytes 0x{digits}")
}

/// One cell is one line, and bars are between cells only.
fn one_line(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
        .replace(BETWEEN, " \\| ")
}
