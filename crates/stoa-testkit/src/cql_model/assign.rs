//! What is done to one column: values set, elements added and removed, counters counted.

use stoa_cql::ast::{Operation, Term};
use stoa_types::DataType;

use super::failure::{Known, invalid, unknown};
use super::row::{Change, Elements, Stored, field_path};
use super::terms::Terms;
use super::value::{self, Val};
use super::world::{Column, Kind, Table};
use crate::facts::{Cell, CellState, Expiry};

/// With which time and for how long something is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    /// The write time.
    pub(super) micros: i64,
    /// The write time of a deletion of a range.
    pub(super) range_micros: i64,
    /// Now, in seconds.
    pub(super) now: i64,
    /// How long it lives; 0 is for ever.
    pub(super) ttl: i32,
}

/// What is said of a time to live out of its range.
pub(super) const WRONG_TTL: &str = "A TTL must be between 0 and 20 years";

impl Moment {
    /// The moment of a write whose time to live is wrong.
    pub(super) fn refused(micros: i64, now: i64) -> Self {
        Self {
            micros,
            range_micros: micros,
            now,
            ttl: -1,
        }
    }

    /// Why nothing can be written at this moment.
    pub(super) fn late_refusal(self) -> Option<&'static str> {
        (self.ttl < 0).then_some(WRONG_TTL)
    }

    /// A cell with this value.
    pub(super) fn cell(self, value: Vec<u8>) -> Cell {
        match self.ttl {
            0 => Cell::live(self.micros, value),
            ttl => Cell::expiring(self.micros, value, self.now, ttl),
        }
    }

    /// A deleted cell.
    pub(super) fn tombstone(self) -> Cell {
        Cell {
            timestamp_micros: self.micros,
            state: CellState::Tombstone {
                deleted_at_seconds: self.now,
            },
        }
    }

    /// When it ends, if it does.
    pub(super) fn expiry(self) -> Option<Expiry> {
        (self.ttl > 0).then(|| Expiry::after(self.now, self.ttl))
    }
}

/// What a column is changed with.
pub(super) struct Assigner<'a> {
    /// The table.
    pub(super) table: &'a Table,
    /// The column.
    pub(super) column: &'a Column,
    /// The terms.
    pub(super) terms: Terms<'a>,
    /// The time.
    pub(super) moment: Moment,
    /// The elements of the column as they are, for lists, and up to which time they are hidden.
    pub(super) current: Option<(&'a Stored, i64)>,
    /// How many elements were ever added to lists.
    pub(super) list_elements: &'a mut i64,
    /// Whether the statement is conditional.
    pub(super) is_conditional: bool,
    /// Whether the list as it is was read, which conditions may leave undone.
    pub(super) is_list_read: bool,
}

impl Assigner<'_> {
    /// The changes that an operation of an UPDATE makes.
    pub(super) fn operation(&mut self, operation: &Operation) -> Known<Vec<Change>> {
        let is_counter = self.column.data_type == DataType::Counter;
        match operation {
            Operation::Set(_) | Operation::Prepend(_) if is_counter => {
                invalid("Cannot set the value of a counter column")
            }
            Operation::Add(term) if is_counter => self.count(term, false),
            Operation::Subtract(term) if is_counter => self.count(term, true),
            Operation::Set(term) => self.set(term),
            Operation::SetElement { key, value } => self.set_element(key, value),
            Operation::SetField { field, value } => self.set_field(field.as_str(), value),
            Operation::Add(term) => self.add(term),
            Operation::Subtract(term) => self.subtract(term),
            Operation::Prepend(term) => self.prepend(term),
        }
    }

    fn number(&self) -> u32 {
        self.column.number
    }

    fn count(&self, term: &Term, is_negative: bool) -> Known<Vec<Change>> {
        match self.terms.eval(term, &DataType::Counter)? {
            Val::Unset => Ok(Vec::new()),
            Val::Null => invalid("Invalid null value for counter increment"),
            Val::Bytes(bytes) => {
                let by = value::long(&bytes)?;
                let by = match (is_negative, by.checked_neg()) {
                    (false, _) => by,
                    (true, Some(negated)) => negated,
                    (true, None) => return invalid("a decrement of the least number"),
                };
                Ok(vec![Change::Count(self.number(), self.moment.micros, by)])
            }
        }
    }

    /// `a = x`
    pub(super) fn set(&mut self, term: &Term) -> Known<Vec<Change>> {
        let value = self.terms.eval(term, &self.column.data_type)?;
        self.set_value(value)
    }

    fn set_value(&mut self, value: Val) -> Known<Vec<Change>> {
        let number = self.number();
        if !self.column.data_type.is_multi_cell() {
            return Ok(match value {
                Val::Bytes(bytes) => vec![Change::Cell(number, self.moment.cell(bytes))],
                Val::Null => vec![Change::Cell(number, self.moment.tombstone())],
                Val::Unset => Vec::new(),
            });
        }
        if value == Val::Unset {
            return Ok(Vec::new());
        }
        let Some(before) = self.moment.micros.checked_sub(1) else {
            return unknown("a collection at the least write time");
        };
        let mut changes = vec![Change::DeleteElements(number, before)];
        if let Val::Bytes(bytes) = value {
            changes.extend(self.elements(&bytes)?);
        }
        Ok(changes)
    }

    /// Cells for all elements or fields of a value.
    fn elements(&mut self, bytes: &[u8]) -> Known<Vec<Change>> {
        let number = self.number();
        let moment = self.moment;
        let put = |path: Vec<u8>, value: Vec<u8>| Change::Element(number, path, moment.cell(value));
        Ok(match &self.column.data_type {
            DataType::Set { .. } => {
                let parts = value::parts(bytes, 1)?.into_iter();
                parts.map(|path| put(path, Vec::new())).collect()
            }
            DataType::Map { .. } => {
                let entries = value::entries(bytes)?.into_iter();
                entries.map(|(path, value)| put(path, value)).collect()
            }
            DataType::UserDefined(user) => {
                let fields = value::fields(bytes, user.fields.len())?.into_iter();
                let present = fields.enumerate().filter_map(|(index, field)| {
                    let value = field?;
                    Some(put(field_path(index), value))
                });
                present.collect()
            }
            DataType::List { .. } => {
                let parts = value::parts(bytes, 1)?;
                let mut changes = Vec::new();
                for part in parts {
                    *self.list_elements += 1;
                    changes.push(put(list_path(*self.list_elements), part));
                }
                changes
            }
            _ => return unknown("elements of something else"),
        })
    }

    /// Fails for frozen columns and those of one cell.
    fn many(&self) -> Known<()> {
        match self.column.data_type.is_multi_cell() {
            true => Ok(()),
            false => invalid("Invalid operation for a frozen or plain column"),
        }
    }

    fn add(&mut self, term: &Term) -> Known<Vec<Change>> {
        if !self.column.data_type.is_multi_cell() {
            return match self.is_conditional && self.column.data_type.native_name().is_some() {
                true => unknown("sums in conditional updates"),
                false => invalid("Invalid operation for a non counter column"),
            };
        }
        if matches!(self.column.data_type, DataType::UserDefined(_)) {
            return invalid("Invalid operation for a user-defined type");
        }
        match self.terms.eval(term, &self.column.data_type)? {
            Val::Bytes(bytes) => self.elements(&bytes),
            Val::Unset if matches!(self.column.data_type, DataType::List { .. }) => {
                unknown("an unset list appended")
            }
            Val::Null | Val::Unset => Ok(Vec::new()),
        }
    }

    fn prepend(&mut self, term: &Term) -> Known<Vec<Change>> {
        self.many()?;
        if !matches!(self.column.data_type, DataType::List { .. }) {
            return invalid("Invalid operation for a non list column");
        }
        let Val::Bytes(bytes) = self.terms.eval(term, &self.column.data_type)? else {
            return Ok(Vec::new());
        };
        let mut changes = Vec::new();
        for part in value::parts(&bytes, 1)?.into_iter().rev() {
            *self.list_elements += 1;
            let path = list_path(-*self.list_elements);
            let cell = self.moment.cell(part);
            changes.push(Change::Element(self.number(), path, cell));
        }
        Ok(changes)
    }

    fn subtract(&mut self, term: &Term) -> Known<Vec<Change>> {
        self.many()?;
        let expected = match &self.column.data_type {
            DataType::Map { key, .. } => DataType::set((**key).clone()),
            DataType::UserDefined(_) => return invalid("Invalid operation for a user type"),
            other => other.clone(),
        };
        let Val::Bytes(bytes) = self.terms.eval(term, &expected)? else {
            return Ok(Vec::new());
        };
        let parts = value::parts(&bytes, 1)?;
        if let DataType::List { .. } = &self.column.data_type {
            let list = self.list()?;
            let gone = list.into_iter().filter(|(_, found)| parts.contains(found));
            return Ok(gone.map(|(path, _)| self.remove(path)).collect());
        }
        Ok(parts.into_iter().map(|path| self.remove(path)).collect())
    }

    fn remove(&self, path: Vec<u8>) -> Change {
        Change::Element(self.number(), path, self.moment.tombstone())
    }

    /// The elements of a list as they are now, with their paths.
    fn list(&self) -> Known<Vec<(Vec<u8>, Vec<u8>)>> {
        self.table.trusted()?;
        if !self.is_list_read {
            return unknown("lists that no condition is about");
        }
        let Some((Stored::Many(elements), shadow)) = self.current else {
            return Ok(Vec::new());
        };
        Ok(live(elements, shadow, self.moment.now))
    }

    fn set_element(&mut self, key: &Term, term: &Term) -> Known<Vec<Change>> {
        self.many()?;
        match self.column.data_type.clone() {
            DataType::List { element, .. } => {
                let index = self.terms.eval(key, &DataType::Int)?;
                let value = self.terms.eval(term, &element)?;
                let path = self.list_element(index)?;
                Ok(self.put(path, value))
            }
            DataType::Map {
                key: key_type,
                value,
                ..
            } => {
                let key = self.terms.eval(key, &key_type)?.required("map key")?;
                let value = self.terms.eval(term, &value)?;
                Ok(self.put(key, value))
            }
            _ => invalid("Invalid operation for such a column"),
        }
    }

    fn put(&self, path: Vec<u8>, value: Val) -> Vec<Change> {
        match value {
            Val::Bytes(bytes) => {
                vec![Change::Element(
                    self.number(),
                    path,
                    self.moment.cell(bytes),
                )]
            }
            Val::Null => vec![self.remove(path)],
            Val::Unset => Vec::new(),
        }
    }

    /// The path of an element of the list.
    fn list_element(&self, index: Val) -> Known<Vec<u8>> {
        let index = value::int(&index.required("list index")?)?;
        let list = self.list()?;
        let found = usize::try_from(index)
            .ok()
            .and_then(|index| list.get(index));
        match found {
            Some((path, _)) => Ok(path.clone()),
            // A condition that fails comes first.
            None if self.is_conditional => unknown("an element that a condition may guard"),
            None => invalid("List index out of bound"),
        }
    }

    fn set_field(&mut self, field: &str, term: &Term) -> Known<Vec<Change>> {
        let (index, data_type) = self.field(field)?;
        let value = self.terms.eval(term, &data_type)?;
        Ok(self.put(field_path(index), value))
    }

    fn field(&self, field: &str) -> Known<(usize, DataType)> {
        let DataType::UserDefined(user) = &self.column.data_type else {
            return invalid("Invalid operation for a column that is no user-defined type");
        };
        self.many()?;
        let mut fields = user.fields.iter().enumerate();
        match fields.find(|(_, it)| it.name == field) {
            Some((index, found)) => Ok((index, found.data_type.clone())),
            None => invalid("no such field"),
        }
    }

    /// `DELETE a`
    pub(super) fn delete(&self) -> Vec<Change> {
        let number = self.number();
        let at = self.moment.micros;
        if self.column.data_type == DataType::Counter {
            return vec![Change::DeleteCounter(number, at)];
        }
        match self.column.data_type.is_multi_cell() {
            true => vec![Change::DeleteElements(number, at)],
            false => vec![Change::Cell(number, self.moment.tombstone())],
        }
    }

    /// `DELETE a[x]`
    pub(super) fn delete_element(&self, key: &Term) -> Known<Vec<Change>> {
        if !self.column.data_type.is_collection() {
            return invalid("Invalid deletion operation for non collection column");
        }
        self.many()?;
        let path = match &self.column.data_type {
            DataType::List { .. } => {
                let index = self.terms.eval(key, &DataType::Int)?;
                if index == Val::Unset {
                    return Ok(Vec::new());
                }
                let index = value::int(&index.required("list index")?)?;
                let list = self.list()?;
                let found = usize::try_from(index)
                    .ok()
                    .and_then(|index| list.get(index));
                match found {
                    Some((path, _)) => path.clone(),
                    None if self.is_conditional => {
                        return unknown("an element that a condition may guard");
                    }
                    None => return invalid("Attempted to delete an element that is not there"),
                }
            }
            DataType::Set { element, .. } => match self.terms.eval(key, element)? {
                Val::Unset => return Ok(Vec::new()),
                other => other.required("set element")?,
            },
            DataType::Map { key: key_type, .. } => {
                self.terms.eval(key, key_type)?.required("map key")?
            }
            _ => return invalid("Invalid deletion operation"),
        };
        Ok(vec![self.remove(path)])
    }

    /// `DELETE a.b`
    pub(super) fn delete_field(&self, field: &str) -> Known<Vec<Change>> {
        let (index, _) = self.field(field)?;
        Ok(vec![self.remove(field_path(index))])
    }

    /// Whether the column is static.
    pub(super) fn is_static(&self) -> bool {
        self.column.kind == Kind::Static
    }
}

fn live(elements: &Elements, shadow: i64, now: i64) -> Vec<(Vec<u8>, Vec<u8>)> {
    let live = elements.live(shadow, now);
    live.map(|(path, _, value)| (path.to_vec(), value.to_vec()))
        .collect()
}

/// The path of an element of a list: later ones behind, those put in front before them.
fn list_path(number: i64) -> Vec<u8> {
    (number.cast_unsigned() ^ (1 << 63)).to_be_bytes().to_vec()
}
