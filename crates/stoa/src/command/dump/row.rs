//! A row of an answer, taken apart into its cells with their stamps.

use anyhow::{Context as _, bail};
use stoa_session::Row as Answered;
use stoa_types::text::exact_literal;
use stoa_types::text::identifier::quoted;
use stoa_types::{DataType, Value, frames, native};

use super::shape::Shape;
use super::stamp::{Stamp, Using};

/// A row, or the static part of a partition that has no rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    /// The values of the partition key, as CQL.
    pub(super) partition: Vec<String>,
    /// The values of the clustering columns, as CQL; `None` in a partition without rows.
    pub(super) clustering: Option<Vec<String>>,
    pub(super) statics: Vec<Column>,
    pub(super) regulars: Vec<Column>,
    /// Whether a regular column had a cell that is left out, because it is gone by the time from
    /// which TTLs count.
    pub(super) lost_cells: bool,
}

/// A column that is not null.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Column {
    /// As CQL.
    pub(super) name: String,
    pub(super) kind: Kind,
    /// At least one.
    pub(super) cells: Vec<Cell>,
}

/// How the cells of a column are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One cell, the whole value.
    Whole,
    /// A cell for each element, in order.
    List,
    /// A cell for each element or entry.
    SetOrMap,
    /// A cell for each field.
    Fields,
}

/// A cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cell {
    /// The field that it is, as CQL.
    pub(super) field: Option<String>,
    /// The value as CQL: the whole, an element, `key: value`, or that of a field.
    pub(super) text: String,
    pub(super) stamp: Stamp,
}

/// Takes an answered row apart. `second` is when it was read.
///
/// # Errors
/// When a value cannot be written as CQL.
pub(super) fn read(
    shape: &Shape,
    using: Using,
    answered: &Answered<'_>,
    second: i64,
) -> anyhow::Result<Row> {
    let mut reader = Reader {
        answered,
        position: 0,
        using,
        second,
        is_counter: shape.is_counter,
        lost_cells: false,
    };
    let partition = reader.keys(shape.partition.len())?;
    let partition = partition.context("a partition key has a null")?;
    let clustering = reader.keys(shape.clustering.len())?;
    let statics = reader.columns(&shape.statics)?;
    reader.lost_cells = false;
    let regulars = reader.columns(&shape.regulars)?;
    Ok(Row {
        partition,
        clustering,
        statics,
        regulars,
        lost_cells: reader.lost_cells,
    })
}

struct Reader<'r, 'row> {
    answered: &'r Answered<'row>,
    position: usize,
    using: Using,
    second: i64,
    is_counter: bool,
    lost_cells: bool,
}

impl<'row> Reader<'_, 'row> {
    /// The next column of the answer.
    fn next(&mut self) -> anyhow::Result<(&'row DataType, Option<&'row [u8]>)> {
        let column = self.answered.columns().get(self.position);
        let cell = self.answered.cells().get(self.position);
        self.position += 1;
        let (column, cell) = column.zip(cell).context("an answer has too few columns")?;
        Ok((&column.data_type, *cell))
    }

    /// The values of so many keys; `None` if one is null, as clusterings of static rows are.
    fn keys(&mut self, count: usize) -> anyhow::Result<Option<Vec<String>>> {
        let mut keys = Vec::with_capacity(count);
        for _ in 0..count {
            let (data_type, bytes) = self.next()?;
            if let Some(bytes) = bytes {
                keys.push(exact_literal(
                    data_type,
                    &native::decode(data_type, bytes)?,
                )?);
            }
        }
        Ok((keys.len() == count).then_some(keys))
    }

    fn columns(&mut self, names: &[String]) -> anyhow::Result<Vec<Column>> {
        let mut columns = Vec::new();
        for name in names {
            let column = self.column(name);
            columns.extend(column.with_context(|| format!("column {name}"))?);
        }
        Ok(columns)
    }

    fn column(&mut self, name: &str) -> anyhow::Result<Option<Column>> {
        let (data_type, bytes) = self.next()?;
        let (times, ttls) = match self.is_counter {
            true => (None, None),
            false => (Some(self.next()?), self.next()?.1),
        };
        let Some(bytes) = bytes else {
            return Ok(None);
        };
        let value = native::decode(data_type, bytes)?;
        let (kind, mut cells) = match times {
            // A write time for each element says that the column has cells for them.
            Some((DataType::List { .. }, Some(times))) => {
                let stamps = self.stamps(times, ttls)?;
                (kind_of(&value)?, elements(data_type, &value, &stamps)?)
            }
            times => {
                let micros = times.and_then(|(_, bytes)| bytes).and_then(number);
                let stamp = self.stamp(micros.unwrap_or(0), ttls.and_then(number));
                (
                    Kind::Whole,
                    vec![cell(exact_literal(data_type, &value)?, stamp)],
                )
            }
        };
        let before = cells.len();
        cells.retain(|it| !self.using.is_gone(it.stamp));
        self.lost_cells |= cells.len() < before;
        let name = name.to_owned();
        Ok((!cells.is_empty()).then_some(Column { name, kind, cells }))
    }

    fn stamp(&self, micros: i64, ttl: Option<i64>) -> Stamp {
        Stamp {
            micros,
            expires: ttl.map(|ttl| self.second.saturating_add(ttl)),
        }
    }

    /// The stamp of each element; `None` for a field that is null.
    fn stamps(&self, times: &[u8], ttls: Option<&[u8]>) -> anyhow::Result<Vec<Option<Stamp>>> {
        let times = numbers(times)?;
        let ttls = ttls.map(numbers).transpose()?.unwrap_or_default();
        let ttls = ttls.into_iter().chain(std::iter::repeat(None));
        let stamps = times.into_iter().zip(ttls);
        let stamps = stamps.map(|(time, ttl)| Some(self.stamp(time?, ttl)));
        Ok(stamps.collect())
    }
}

fn cell(text: String, stamp: Stamp) -> Cell {
    Cell {
        field: None,
        text,
        stamp,
    }
}

fn kind_of(value: &Value) -> anyhow::Result<Kind> {
    Ok(match value {
        Value::List(_) => Kind::List,
        Value::Set(_) | Value::Map(_) => Kind::SetOrMap,
        Value::UserDefined(_) => Kind::Fields,
        other => bail!("a value of kind {} has several write times", other.kind()),
    })
}

fn elements(
    data_type: &DataType,
    value: &Value,
    stamps: &[Option<Stamp>],
) -> anyhow::Result<Vec<Cell>> {
    let inner = data_type.inner();
    let of = |index: usize, value: &Value| -> anyhow::Result<String> {
        let data_type = inner.get(index).context("a type has too few parts")?;
        Ok(exact_literal(data_type, value)?)
    };
    let mut cells = Vec::new();
    let mut stamps = stamps.iter();
    let mut stamp = || stamps.next().context("an element has no write time");
    match value {
        Value::List(values) | Value::Set(values) => {
            for value in values {
                let stamp = stamp()?.context("an element has no write time")?;
                cells.push(cell(of(0, value)?, stamp));
            }
        }
        Value::Map(entries) => {
            for (key, value) in entries {
                let stamp = stamp()?.context("an entry has no write time")?;
                cells.push(cell(format!("{}: {}", of(0, key)?, of(1, value)?), stamp));
            }
        }
        Value::UserDefined(values) => {
            let DataType::UserDefined(user) = data_type else {
                bail!("a user type is of type {data_type}");
            };
            for (field, value) in user.fields.iter().zip(values) {
                // Fields that are null have no cell; the type may have got them later.
                let stamp = stamp().ok().copied().flatten();
                if let Some(stamp) = stamp.filter(|_| !value.is_null()) {
                    cells.push(Cell {
                        field: Some(quoted(&field.name)),
                        text: exact_literal(&field.data_type, value)?,
                        stamp,
                    });
                }
            }
        }
        _ => {}
    }
    Ok(cells)
}

/// A list of numbers, some of which are null.
fn numbers(bytes: &[u8]) -> anyhow::Result<Vec<Option<i64>>> {
    let (_, parts) = frames::nullable_parts(bytes, 1)?;
    let numbers = parts.map(|part| Ok(part?.and_then(number)));
    numbers.collect()
}

/// An `int` or a `bigint`.
fn number(bytes: &[u8]) -> Option<i64> {
    if let Ok(long) = <[u8; 8]>::try_from(bytes) {
        return Some(i64::from_be_bytes(long));
    }
    let int = <[u8; 4]>::try_from(bytes).ok()?;
    Some(i32::from_be_bytes(int).into())
}

/// Whether a `TTL(...)` of an answer says that anything ends.
pub(super) fn has_ttl(bytes: &[u8]) -> bool {
    match bytes.len() {
        4 => true,
        _ => numbers(bytes).is_ok_and(|ttls| ttls.iter().any(Option::is_some)),
    }
}
