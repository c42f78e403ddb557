//! What is done to one column of a row.

use std::borrow::Cow;

use stoa_cql::ast::{self, ArithmeticOperator};
use stoa_store::cell::ColumnRef;
use stoa_store::cell::{Elements, ValueRef};
use stoa_types::{DataType, frames};

use super::row::{RowWriter, Stamp};
use crate::catalog::Column;
use crate::functions::arithmetic;
use crate::functions::{Environment, OfType, ScalarFunction};
use crate::refusal::Refusal;
use crate::restrict::relation::receiver_of;
use crate::rows::{element, field_path};
use crate::terms::{self, Context, Given, Receiver, Term, Values, Variables};

/// What is done to a column.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// It becomes this, whole.
    Set(Term),
    /// These are added: to the end of a list, to a set, to a map.
    Add(Term),
    /// These are put before the elements of a list.
    Prepend(Term),
    /// These values of a list, elements of a set or keys of a map are removed.
    Remove(Term),
    /// The element under a key or index becomes this.
    SetElement(Term, Term),
    /// A field of a user type becomes this.
    SetField(usize, Term),
    /// A counter is counted up, or down.
    Count(Term, Sign),
    /// A number or text is computed from what it was.
    Compute(Box<ScalarFunction>, Term),
    /// It is deleted.
    Delete,
    /// The element under a key or index is deleted.
    DeleteElement(Term),
    /// A field of a user type is deleted.
    DeleteField(usize),
}

impl Operation {
    /// Whether doing it twice is more than doing it once.
    pub(crate) fn adds_up(&self, column: &Column) -> bool {
        let is_list = matches!(
            column.data_type,
            DataType::List {
                is_frozen: false,
                ..
            }
        );
        match self {
            Self::Count(..) => true,
            Self::Set(_) | Self::Add(_) | Self::Prepend(_) => is_list,
            _ => false,
        }
    }
}

/// The direction in which a counter is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

/// Gives the paths of list elements: rising for those appended, falling for those put in front.
pub(crate) trait Places {
    /// Above all that were given before.
    fn next(&self) -> i64;
}

/// What a column was before the operation, where that matters.
pub(crate) type Before<'r> = Option<&'r ColumnRef<'r>>;

impl Operation {
    /// Resolves an item of `SET`.
    pub(crate) fn assignment(
        assignment: &ast::Assignment,
        column: &Column,
        reads_before: bool,
        context: &Context<'_>,
        variables: &mut Variables,
    ) -> Result<Self, Refusal> {
        let mut resolving = Resolving {
            column,
            context,
            variables,
        };
        match &assignment.operation {
            ast::Operation::Set(term) => resolving.set(term),
            ast::Operation::SetElement { key, value } => resolving.set_element(key, value),
            ast::Operation::SetField { field, value } => resolving.set_field(field, value),
            ast::Operation::Add(term) => resolving.add(term, reads_before),
            ast::Operation::Subtract(term) => resolving.subtract(term),
            ast::Operation::Prepend(term) => resolving.prepend(term),
        }
    }

    /// Resolves an item of `DELETE`.
    pub(crate) fn deletion(
        deletion: &ast::Deletion,
        column: &Column,
        context: &Context<'_>,
        variables: &mut Variables,
    ) -> Result<Self, Refusal> {
        let mut resolving = Resolving {
            column,
            context,
            variables,
        };
        match deletion {
            ast::Deletion::Column(_) => Ok(Self::Delete),
            ast::Deletion::Element(_, key) => resolving.delete_element(key),
            ast::Deletion::Field(_, field) => resolving.delete_field(field),
        }
    }

    /// Whether it must know what the column, of this type, was: elements of lists are found by what
    /// is there, those of sets and maps by themselves.
    pub(crate) fn needs_reading(&self, data_type: &DataType) -> bool {
        match self {
            Self::SetElement(..) | Self::Remove(_) | Self::DeleteElement(_) => {
                matches!(data_type, DataType::List { .. })
            }
            Self::Compute(..) => true,
            _ => false,
        }
    }

    /// Writes what it does to `row`.
    pub(crate) fn apply<'a>(
        &'a self,
        column: &Column,
        values: &'a Values<'_>,
        stamp: Stamp,
        before: Before<'_>,
        places: &dyn Places,
        row: &mut RowWriter<'a>,
    ) -> Result<(), Refusal> {
        let mut applying = Applying {
            column,
            values,
            stamp,
            places,
            row,
        };
        match self {
            Self::Set(term) => applying.set(term),
            Self::Add(term) => applying.add(term),
            Self::Prepend(term) => applying.prepend(term),
            Self::Remove(term) => applying.remove(term, before),
            Self::SetElement(key, value) => applying.set_element(key, value, before),
            Self::SetField(number, value) => applying.set_field(*number, value),
            Self::Count(term, sign) => applying.count(term, *sign),
            Self::Compute(function, term) => applying.compute(function, term, before),
            Self::Delete => {
                applying.delete();
                Ok(())
            }
            Self::DeleteElement(key) => applying.delete_element(key, before),
            Self::DeleteField(number) => {
                applying
                    .row
                    .element(column.id, field_path(*number).to_vec(), None);
                Ok(())
            }
        }
    }
}

struct Resolving<'a, 's> {
    column: &'a Column,
    context: &'a Context<'s>,
    variables: &'a mut Variables,
}

impl Resolving<'_, '_> {
    fn term(&mut self, term: &ast::Term, receiver: &Receiver) -> Result<Term, Refusal> {
        terms::prepare(term, receiver, self.context, self.variables)
    }

    fn refuse(&self, operation: &str, kind: &str) -> Refusal {
        Refusal::invalid(format!(
            "Invalid operation ({operation}) for {kind} column {}",
            self.column.name
        ))
    }

    fn set(&mut self, term: &ast::Term) -> Result<Operation, Refusal> {
        let term = self.term(term, &receiver_of(self.column))?;
        if self.column.data_type == DataType::Counter {
            return Err(Refusal::invalid(format!(
                "Cannot set the value of counter column {} (counters can only be incremented/decremented, not set)",
                self.column.name
            )));
        }
        Ok(Operation::Set(term))
    }

    fn set_element(&mut self, key: &ast::Term, value: &ast::Term) -> Result<Operation, Refusal> {
        let name = &self.column.name;
        let text = format!("{name}[{key}] = {value}");
        let (keys, values) = match &self.column.data_type {
            DataType::List { element, .. } => (
                Receiver::new(format!("idx({name})"), DataType::Int),
                Receiver::new(format!("value({name})"), (**element).clone()),
            ),
            DataType::Map { key, value, .. } => (
                Receiver::new(format!("key({name})"), (**key).clone()),
                Receiver::new(format!("value({name})"), (**value).clone()),
            ),
            DataType::Set { .. } => return Err(self.refuse(&text, "set")),
            _ => return Err(self.refuse(&text, "non collection")),
        };
        if !self.column.data_type.is_multi_cell() {
            return Err(self.refuse(&text, "frozen collection"));
        }
        let key = self.term(key, &keys)?;
        let value = self.term(value, &values)?;
        Ok(Operation::SetElement(key, value))
    }

    fn set_field(&mut self, field: &ast::Name, value: &ast::Term) -> Result<Operation, Refusal> {
        let (number, receiver) = self.field(field, "update")?;
        let value = self.term(value, &receiver)?;
        Ok(Operation::SetField(number, value))
    }

    fn field(&self, field: &ast::Name, what: &str) -> Result<(usize, Receiver), Refusal> {
        let name = &self.column.name;
        let DataType::UserDefined(user_type) = &self.column.data_type else {
            return Err(self.refuse(&format!("{name}.{}", field.as_str()), "non-UDT"));
        };
        if !user_type.is_frozen {
            let mut fields = user_type.fields.iter().enumerate();
            let found = fields.find(|(_, it)| *field == *it.name);
            let (number, found) = found.ok_or_else(|| {
                Refusal::invalid(format!(
                    "UDT column {name} does not have a field named {}",
                    field.as_str()
                ))
            })?;
            let receiver = Receiver::new(format!("{name}.{}", found.name), found.data_type.clone());
            return Ok((number, receiver));
        }
        Err(Refusal::invalid(format!(
            "Invalid {what} of a field for frozen UDT column {name}"
        )))
    }

    fn add(&mut self, term: &ast::Term, reads_before: bool) -> Result<Operation, Refusal> {
        let text = format!("{0} = {0} + {term}", self.column.name);
        let data_type = &self.column.data_type;
        if *data_type == DataType::Counter {
            let step = self.term(term, &receiver_of(self.column))?;
            return Ok(Operation::Count(step, Sign::Plus));
        }
        if !data_type.is_collection() {
            return self.compute(term, &text, reads_before);
        }
        if !data_type.is_multi_cell() {
            return Err(self.refuse(&text, "frozen collection"));
        }
        let is_map = matches!(data_type, DataType::Map { .. });
        if is_map && matches!(term, ast::Term::SetOrEmptyMap(it) if !it.is_empty()) {
            return Err(Refusal::invalid(format!(
                "Value for a map addition has to be a map, but was: '{term}'"
            )));
        }
        let added = self.term(term, &receiver_of(self.column))?;
        Ok(Operation::Add(added))
    }

    fn subtract(&mut self, term: &ast::Term) -> Result<Operation, Refusal> {
        let name = &self.column.name;
        let text = format!("{name} = {name} - {term}");
        let data_type = &self.column.data_type;
        if *data_type == DataType::Counter {
            let step = self.term(term, &receiver_of(self.column))?;
            return Ok(Operation::Count(step, Sign::Minus));
        }
        if !data_type.is_collection() {
            let kind = match data_type {
                DataType::Tuple(_) | DataType::UserDefined(_) => "tuple",
                _ => "non counter",
            };
            return Err(self.refuse(&text, kind));
        }
        if !data_type.is_multi_cell() {
            return Err(self.refuse(&text, "frozen collection"));
        }
        let DataType::Map { key, .. } = data_type else {
            let removed = self.term(term, &receiver_of(self.column))?;
            return Ok(Operation::Remove(removed));
        };
        let is_set = matches!(
            term,
            ast::Term::SetOrEmptyMap(_) | ast::Term::Marker(_) | ast::Term::Null
        );
        if !is_set {
            return Err(Refusal::invalid(format!(
                "Value for a map substraction has to be a set, but was: '{term}'"
            )));
        }
        let keys = Receiver::new(&**name, DataType::set((**key).clone()).frozen());
        let removed = self.term(term, &keys)?;
        Ok(Operation::Remove(removed))
    }

    fn prepend(&mut self, term: &ast::Term) -> Result<Operation, Refusal> {
        let text = format!("{0} = {term} - {0}", self.column.name);
        let added = self.term(term, &receiver_of(self.column))?;
        match &self.column.data_type {
            DataType::List { is_frozen, .. } if *is_frozen => {
                Err(self.refuse(&text, "frozen list"))
            }
            DataType::List { .. } => Ok(Operation::Prepend(added)),
            _ => Err(self.refuse(&text, "non list")),
        }
    }

    /// A number or text computed from what it was: only where that is read anyway.
    fn compute(
        &mut self,
        term: &ast::Term,
        text: &str,
        reads_before: bool,
    ) -> Result<Operation, Refusal> {
        let data_type = &self.column.data_type;
        if let DataType::Tuple(_) | DataType::UserDefined(_) = data_type {
            return Err(self.refuse(text, "tuple"));
        }
        if !reads_before {
            return Err(self.refuse(text, "non counter"));
        }
        let is_text = matches!(data_type, DataType::Text | DataType::Ascii);
        if !is_number(data_type) && !is_text {
            return Err(Refusal::invalid(format!(
                "Invalid operation ({text}) for non-numeric and non-text type {}",
                self.column.name
            )));
        }
        let own = OfType(data_type);
        let function =
            arithmetic::resolve(ArithmeticOperator::Add.into(), &own, &own, Some(data_type))?;
        let term = self.term(term, &receiver_of(self.column))?;
        Ok(Operation::Compute(Box::new(function), term))
    }

    fn delete_element(&mut self, key: &ast::Term) -> Result<Operation, Refusal> {
        let name = &self.column.name;
        let data_type = &self.column.data_type;
        let receiver = match data_type {
            DataType::List { .. } => Receiver::new(format!("idx({name})"), DataType::Int),
            DataType::Set { element, .. } => {
                Receiver::new(format!("value({name})"), (**element).clone())
            }
            DataType::Map { key, .. } => Receiver::new(format!("key({name})"), (**key).clone()),
            _ => {
                return Err(Refusal::invalid(format!(
                    "Invalid deletion operation for non collection column {name}"
                )));
            }
        };
        if !data_type.is_multi_cell() {
            return Err(Refusal::invalid(format!(
                "Invalid deletion operation for frozen collection column {name}"
            )));
        }
        let key = self.term(key, &receiver)?;
        Ok(Operation::DeleteElement(key))
    }

    fn delete_field(&mut self, field: &ast::Name) -> Result<Operation, Refusal> {
        let (number, _) = self.field(field, "deletion")?;
        Ok(Operation::DeleteField(number))
    }
}

fn is_number(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::BigInt
            | DataType::Decimal
            | DataType::Double
            | DataType::Float
            | DataType::Int
            | DataType::SmallInt
            | DataType::TinyInt
            | DataType::VarInt
    )
}

struct Applying<'r, 'a, 'v> {
    column: &'r Column,
    values: &'a Values<'v>,
    stamp: Stamp,
    places: &'r dyn Places,
    row: &'r mut RowWriter<'a>,
}

impl<'a> Applying<'_, 'a, '_> {
    fn set(&mut self, term: &'a Term) -> Result<(), Refusal> {
        let id = self.column.id;
        let given = term.give(self.values)?;
        if !self.column.data_type.is_multi_cell() {
            match given {
                Given::Bytes(bytes) => self.row.cell(id, Some(bytes)),
                Given::Null => self.row.cell(id, None),
                Given::Unset => {}
            }
            return Ok(());
        }
        let bytes = match given {
            Given::Bytes(bytes) => bytes,
            Given::Null => {
                self.row.overwrite_complex(id, self.stamp);
                return Ok(());
            }
            Given::Unset => return Ok(()),
        };
        self.row.overwrite_complex(id, self.stamp);
        self.add_parts(&bytes)
    }

    fn add(&mut self, term: &'a Term) -> Result<(), Refusal> {
        match term.give(self.values)? {
            Given::Bytes(bytes) => self.add_parts(&bytes),
            Given::Null => Ok(()),
            Given::Unset if matches!(self.column.data_type, DataType::List { .. }) => {
                Err(Refusal::server("an unset value is appended to a list"))
            }
            Given::Unset => Ok(()),
        }
    }

    /// Adds the elements or fields of a value.
    fn add_parts(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let id = self.column.id;
        match &self.column.data_type {
            DataType::Set { element: keys, .. } => {
                for native in elements(bytes, false)? {
                    let path = element::path(keys, &native).into_owned();
                    let cell = element::element_cell(&path, &native);
                    self.row.element(id, path, Some(cell.into()));
                }
            }
            DataType::Map { .. } => {
                for pair in elements(bytes, true)?.chunks_exact(2) {
                    if let [key, value] = pair {
                        self.put(key, Some(value.clone().into()));
                    }
                }
            }
            DataType::UserDefined(user_type) => {
                let parts = frames::tuple_parts(bytes, user_type.fields.len());
                for (number, part) in parts.enumerate() {
                    let part = part.map_err(|problem| Refusal::invalid(problem.to_string()))?;
                    if let Some(part) = part {
                        let value = Some(part.to_vec().into());
                        self.row.element(id, field_path(number).to_vec(), value);
                    }
                }
            }
            _ => {
                for element in elements(bytes, false)? {
                    let path = list_path(self.places.next());
                    self.row.element(id, path, Some(element.into()));
                }
            }
        }
        Ok(())
    }

    /// Writes an entry of a map, or deletes it.
    fn put(&mut self, key: &[u8], value: Option<Cow<'a, [u8]>>) {
        let keys = element::key_type(&self.column.data_type);
        let path = element::path(keys, key).into_owned();
        let cell = value.map(|value| element::entry_cell(keys, &path, key, value));
        self.row.element(self.column.id, path, cell);
    }

    fn prepend(&mut self, term: &'a Term) -> Result<(), Refusal> {
        let bytes = match term.give(self.values)? {
            Given::Bytes(bytes) => bytes,
            Given::Null | Given::Unset => return Ok(()),
        };
        let mut all = elements(&bytes, false)?;
        all.reverse();
        for element in all {
            let path = list_path(-self.places.next());
            self.row.element(self.column.id, path, Some(element.into()));
        }
        Ok(())
    }

    fn remove(&mut self, term: &'a Term, before: Before<'_>) -> Result<(), Refusal> {
        let bytes = match term.give(self.values)? {
            Given::Bytes(bytes) => bytes,
            Given::Null | Given::Unset => return Ok(()),
        };
        if !matches!(self.column.data_type, DataType::List { .. }) {
            for key in elements(&bytes, false)? {
                self.put(&key, None);
            }
            return Ok(());
        }
        // Bytes are compared here, not values, and nulls remove nothing, as in Cassandra's
        // `Lists.Discarder`.
        let (_, removed) = frames::nullable_parts(&bytes, 1).map_err(broken)?;
        let removed = removed.collect::<Result<Vec<_>, _>>().map_err(broken)?;
        for (path, value) in stored_elements(before) {
            if removed.contains(&Some(value)) {
                self.row.element(self.column.id, path.to_vec(), None);
            }
        }
        Ok(())
    }

    fn set_element(
        &mut self,
        key: &'a Term,
        value: &'a Term,
        before: Before<'_>,
    ) -> Result<(), Refusal> {
        let id = self.column.id;
        let is_list = matches!(self.column.data_type, DataType::List { .. });
        let key = match key.give(self.values)? {
            Given::Bytes(bytes) => bytes,
            Given::Null if is_list => {
                return Err(Refusal::invalid("Invalid null value for list index"));
            }
            Given::Unset if is_list => {
                return Err(Refusal::invalid("Invalid unset value for list index"));
            }
            Given::Null => return Err(Refusal::invalid("Invalid null map key")),
            Given::Unset => return Err(Refusal::invalid("Invalid unset map key")),
        };
        let value = match value.give(self.values)? {
            Given::Bytes(bytes) => Some(bytes),
            Given::Null => None,
            Given::Unset => return Ok(()),
        };
        if !is_list {
            self.put(&key, value);
            return Ok(());
        }
        let path = list_element(&key, before, "set an element on")?;
        self.row.element(id, path, value);
        Ok(())
    }

    fn set_field(&mut self, number: usize, value: &'a Term) -> Result<(), Refusal> {
        let value = match value.give(self.values)? {
            Given::Bytes(bytes) => Some(bytes),
            Given::Null => None,
            Given::Unset => return Ok(()),
        };
        self.row
            .element(self.column.id, field_path(number).to_vec(), value);
        Ok(())
    }

    fn count(&mut self, term: &'a Term, sign: Sign) -> Result<(), Refusal> {
        let bytes = match term.give(self.values)? {
            Given::Bytes(bytes) => bytes,
            Given::Null => {
                return Err(Refusal::invalid("Invalid null value for counter increment"));
            }
            Given::Unset => return Ok(()),
        };
        let step = bytes.first_chunk::<8>().copied().map(i64::from_be_bytes);
        let step = step.ok_or_else(|| Refusal::server("empty bytes for a step of a counter"))?;
        let step = match sign {
            Sign::Plus => step,
            Sign::Minus if step == i64::MIN => {
                return Err(Refusal::invalid(format!(
                    "The negation of {step} overflows supported counter precision (signed 8 bytes integer)"
                )));
            }
            Sign::Minus => -step,
        };
        self.row.count(self.column.id, step);
        Ok(())
    }

    fn compute(
        &mut self,
        function: &ScalarFunction,
        term: &'a Term,
        before: Before<'_>,
    ) -> Result<(), Refusal> {
        let given = match term.give(self.values)? {
            Given::Bytes(bytes) => bytes,
            Given::Null | Given::Unset => return Ok(()),
        };
        let was = match before {
            Some(ColumnRef::Cell(cell)) => match cell.value() {
                Some(ValueRef::Inline(bytes)) => bytes,
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        let environment: &Environment<'_> = &self.values.environment;
        let sum = function.call(&[Some(was), Some(&given)], environment)?;
        self.row.cell(self.column.id, sum.map(Into::into));
        Ok(())
    }

    fn delete(&mut self) {
        let id = self.column.id;
        if self.column.data_type == DataType::Counter {
            self.row.delete_counter(id);
        } else if self.column.data_type.is_multi_cell() {
            self.row.delete_complex(id, self.stamp);
        } else {
            self.row.cell(id, None);
        }
    }

    fn delete_element(&mut self, key: &'a Term, before: Before<'_>) -> Result<(), Refusal> {
        let is_list = matches!(self.column.data_type, DataType::List { .. });
        let is_map = matches!(self.column.data_type, DataType::Map { .. });
        let key = match key.give(self.values)? {
            Given::Bytes(bytes) => bytes,
            Given::Null if is_list => {
                return Err(Refusal::invalid("Invalid null value for list index"));
            }
            Given::Null if is_map => return Err(Refusal::invalid("Invalid null map key")),
            Given::Null => return Err(Refusal::invalid("Invalid null set element")),
            Given::Unset if is_map => return Err(Refusal::invalid("Invalid unset map key")),
            Given::Unset => return Ok(()),
        };
        if !is_list {
            self.put(&key, None);
            return Ok(());
        }
        let path = list_element(&key, before, "delete an element from")?;
        self.row.element(self.column.id, path, None);
        Ok(())
    }
}

/// The path of the element at an index of a list.
fn list_element(key: &[u8], before: Before<'_>, what: &str) -> Result<Vec<u8>, Refusal> {
    let index = key.first_chunk::<4>().copied().map(i32::from_be_bytes);
    let index = index.ok_or_else(|| Refusal::invalid("Invalid null value for list index"))?;
    let stored = stored_elements(before);
    if stored.is_empty() {
        return Err(Refusal::invalid(format!(
            "Attempted to {what} a list which is null"
        )));
    }
    let found = usize::try_from(index).ok().and_then(|at| stored.get(at));
    match found {
        Some((path, _)) => Ok(path.to_vec()),
        None => Err(Refusal::invalid(format!(
            "List index {index} out of bound, list has size {}",
            stored.len()
        ))),
    }
}

fn stored_elements<'r>(before: Before<'r>) -> Vec<(&'r [u8], &'r [u8])> {
    let Some(ColumnRef::Complex(complex)) = before else {
        return Vec::new();
    };
    let Elements::Inline(elements) = &complex.elements else {
        return Vec::new();
    };
    let value = |it: Option<ValueRef<'r>>| match it {
        Some(ValueRef::Inline(bytes)) => bytes,
        Some(ValueRef::Spilled { .. }) | None => &[],
    };
    elements
        .iter()
        .map(|(path, cell)| (*path, value(cell.value())))
        .collect()
}

/// The parts of a collection: keys and values in turn for a map.
fn elements(bytes: &[u8], is_map: bool) -> Result<Vec<Vec<u8>>, Refusal> {
    let (_, parts) = frames::collection_parts(bytes, if is_map { 2 } else { 1 }).map_err(broken)?;
    let null = |problem: frames::FrameError| match problem {
        frames::FrameError::NullElement => Refusal::server("null inside a collection"),
        other => broken(other),
    };
    parts.map(|part| Ok(part.map_err(null)?.to_vec())).collect()
}

fn broken(problem: frames::FrameError) -> Refusal {
    Refusal::invalid(problem.to_string())
}

/// The path of a list's element: its place, in an order of bytes.
fn list_path(place: i64) -> Vec<u8> {
    let flipped = place ^ i64::MIN;
    flipped.to_be_bytes().to_vec()
}
