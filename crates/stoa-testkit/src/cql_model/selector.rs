//! What is selected: columns, parts of them, facts about them, aggregates.

use std::sync::Arc;

use stoa_cql::ast::{CellFact, LiteralKind, Select, Selection, Selector, Term};
use stoa_session::Column as AnswerColumn;
use stoa_types::{DataType, compare};

use super::aggregate::Aggregate;
use super::failure::{Known, invalid, unknown};
use super::row::{Stored, field_path, live_value, time_to_live, write_time};
use super::terms::Terms;
use super::value;
use super::view::RowView;
use super::world::{Kind, Table};

/// One selected item.
#[derive(Debug)]
pub(super) struct Item {
    /// What the answer calls it.
    pub(super) name: String,
    /// Its type.
    pub(super) data_type: DataType,
    /// What it is.
    pub(super) what: What,
}

/// What is selected.
#[derive(Debug)]
pub(super) enum What {
    /// A column.
    Column(usize),
    /// A field of a user-defined type, by its index and their number.
    Field(Box<Item>, usize, usize),
    /// The element of a set or map.
    Element(Box<Item>, Vec<u8>),
    /// The elements of a set or map between two, both included.
    Slice(Box<Item>, Option<Vec<u8>>, Option<Vec<u8>>),
    /// The token of the partition.
    Token,
    /// When a column was written, or how long it lives.
    Fact(CellFact, usize, Option<Vec<u8>>),
    /// An aggregate of an item, or of rows.
    Aggregate(Aggregate, Option<Box<Item>>),
}

/// All selected items.
pub(super) fn items(table: &Table, select: &Select, terms: Terms<'_>) -> Known<Vec<Item>> {
    match &select.selection {
        Selection::All => {
            let item = |(position, column): (usize, &super::world::Column)| Item {
                name: column.name.clone(),
                data_type: column.data_type.clone(),
                what: What::Column(position),
            };
            Ok(table.columns.iter().enumerate().map(item).collect())
        }
        Selection::Items(items) => {
            let compiler = Compiler { table, terms };
            let item = |item: &stoa_cql::ast::SelectedItem| {
                let mut made = compiler.item(&item.selector)?;
                if let Some(alias) = &item.alias {
                    alias.as_str().clone_into(&mut made.name);
                }
                Ok(made)
            };
            items.iter().map(item).collect()
        }
    }
}

/// The columns of the answer.
pub(super) fn answer_columns(table: &Table, items: &[Item]) -> Arc<[AnswerColumn]> {
    let column = |item: &Item| AnswerColumn {
        keyspace: Arc::clone(&table.keyspace),
        table: Arc::clone(&table.name),
        name: item.name.clone(),
        data_type: item.data_type.clone().without_frozen(),
    };
    items.iter().map(column).collect()
}

struct Compiler<'a> {
    table: &'a Table,
    terms: Terms<'a>,
}

impl Compiler<'_> {
    fn item(&self, selector: &Selector) -> Known<Item> {
        match selector {
            Selector::Column(name) => {
                let position = self.table.position(name.as_str())?;
                Ok(Item {
                    name: name.as_str().to_owned(),
                    data_type: self.table.at(position)?.data_type.clone(),
                    what: What::Column(position),
                })
            }
            Selector::CountRows => Ok(count_rows()),
            Selector::Function { name, arguments } => {
                let is_system = name.keyspace.as_ref().is_none_or(|it| *it == *"system");
                match is_system {
                    true => self.function(name.name.as_str(), arguments),
                    false => unknown("functions of other keyspaces"),
                }
            }
            Selector::CellFact(fact, of) => self.fact(*fact, of),
            Selector::Field(of, field) => self.field(of, field.as_str()),
            Selector::Element(of, key) => self.element(of, key),
            Selector::Slice { of, from, to } => self.slice(of, from.as_ref(), to.as_ref()),
            Selector::Term(Term::Literal(_)) => invalid("Cannot infer type for term"),
            _ => unknown("such selectors"),
        }
    }

    fn function(&self, name: &str, arguments: &[Selector]) -> Known<Item> {
        if name == "token" {
            return self.token(arguments);
        }
        let Some(aggregate) = Aggregate::named(name) else {
            return unknown(format!("the function {name}"));
        };
        let [argument] = arguments else {
            return invalid("Invalid number of arguments");
        };
        if let Selector::Term(Term::Literal(_)) = argument {
            return match aggregate {
                Aggregate::Count => Ok(count_rows()),
                _ => unknown("aggregates of constants"),
            };
        }
        let inner = self.item(argument)?;
        if inner.aggregates() {
            return invalid("aggregate functions cannot be used as arguments of aggregates");
        }
        Ok(Item {
            name: format!("system.{name}({})", inner.name),
            data_type: aggregate.data_type(&inner.data_type)?,
            what: What::Aggregate(aggregate, Some(Box::new(inner))),
        })
    }

    fn token(&self, arguments: &[Selector]) -> Known<Item> {
        let mut names = Vec::new();
        for argument in arguments {
            match argument {
                Selector::Column(name) => names.push(name.as_str()),
                _ => return unknown("tokens of something else"),
            }
        }
        let key = self.table.partition_key().iter().map(|it| it.name.as_str());
        if !names.iter().copied().eq(key) {
            return unknown("tokens of other columns");
        }
        Ok(Item {
            name: format!("system.token({})", names.join(", ")),
            data_type: DataType::BigInt,
            what: What::Token,
        })
    }

    fn fact(&self, fact: CellFact, of: &Selector) -> Known<Item> {
        let (column, part) = match of {
            Selector::Column(name) => (name, None),
            Selector::Field(inner, field) => match &**inner {
                Selector::Column(name) => (name, Some(Part::Field(field.as_str()))),
                _ => return unknown("facts about parts of parts"),
            },
            Selector::Element(inner, key) => match &**inner {
                Selector::Column(name) => (name, Some(Part::Element(key))),
                _ => return unknown("facts about parts of parts"),
            },
            _ => return unknown("facts about something else"),
        };
        let position = self.table.position(column.as_str())?;
        let found = self.table.at(position)?;
        if found.is_key() {
            return invalid("Cannot use selection function on PRIMARY KEY part");
        }
        let inner = self.item(of)?;
        let path = match part {
            None => None,
            Some(_) if !found.data_type.is_multi_cell() => {
                return unknown("facts about parts of frozen columns");
            }
            Some(Part::Field(name)) => {
                let DataType::UserDefined(user) = &found.data_type else {
                    return unknown("a field of no user-defined type");
                };
                let index = user.fields.iter().position(|field| field.name == name);
                Some(field_path(index.unwrap_or(usize::MAX)))
            }
            Some(Part::Element(key)) => match &found.data_type {
                DataType::Set {
                    element: key_type, ..
                }
                | DataType::Map { key: key_type, .. } => {
                    Some(self.terms.eval(key, key_type)?.required("element")?)
                }
                _ => return invalid("elements of lists have no facts"),
            },
        };
        let is_list =
            path.is_none() && found.data_type.is_multi_cell() && fact != CellFact::MaxWriteTime;
        if is_list && matches!(found.data_type, DataType::UserDefined(_)) {
            return unknown("facts about all fields");
        }
        let word = match fact {
            CellFact::WriteTime => "writetime",
            CellFact::MaxWriteTime => "maxwritetime",
            CellFact::TimeToLive => "ttl",
        };
        Ok(Item {
            name: format!("{word}({})", inner.name),
            data_type: match (fact, is_list) {
                (CellFact::TimeToLive, false) => DataType::Int,
                (CellFact::TimeToLive, true) => DataType::list(DataType::Int),
                (CellFact::WriteTime, true) => DataType::list(DataType::BigInt),
                _ => DataType::BigInt,
            },
            what: What::Fact(fact, position, path),
        })
    }

    fn field(&self, of: &Selector, field: &str) -> Known<Item> {
        let inner = self.item(of)?;
        let DataType::UserDefined(user) = &inner.data_type else {
            return invalid("Invalid field selection");
        };
        let Some(index) = user.fields.iter().position(|it| it.name == field) else {
            return invalid(format!("{field} is no field of the type"));
        };
        let Some(found) = user.fields.get(index) else {
            return unknown("a field that is not there");
        };
        let (data_type, count) = (found.data_type.clone(), user.fields.len());
        Ok(Item {
            name: format!("{}.{field}", inner.name),
            data_type,
            what: What::Field(Box::new(inner), index, count),
        })
    }

    fn slice(&self, of: &Selector, from: Option<&Term>, to: Option<&Term>) -> Known<Item> {
        let inner = self.item(of)?;
        let key_type = match &inner.data_type {
            DataType::Set { element: key, .. } | DataType::Map { key, .. } => key.clone(),
            _ => return invalid("Slice selection is only supported on sets and maps"),
        };
        let end = |term: Option<&Term>| -> Known<Option<Vec<u8>>> {
            match term {
                None => Ok(None),
                Some(term @ Term::Literal(_)) => match self.terms.eval(term, &key_type)? {
                    value::Val::Bytes(bytes) => Ok(Some(bytes)),
                    value::Val::Null | value::Val::Unset => unknown("a slice from null"),
                },
                Some(_) => unknown("the name of such a slice"),
            }
        };
        let (first, last) = (end(from)?, end(to)?);
        let text = |term: Option<&Term>| term.map(printed).unwrap_or_default();
        Ok(Item {
            name: format!("{}[{}..{}]", inner.name, text(from), text(to)),
            data_type: inner.data_type.clone(),
            what: What::Slice(Box::new(inner), first, last),
        })
    }

    fn element(&self, of: &Selector, key: &Term) -> Known<Item> {
        let inner = self.item(of)?;
        let (key_type, data_type) = match &inner.data_type {
            DataType::Set { element, .. } => (element.clone(), element.clone()),
            DataType::Map { key, value, .. } => (key.clone(), value.clone()),
            DataType::List { .. } => return invalid("Element selection on lists is not supported"),
            DataType::Vector { .. } => return unknown("elements of vectors"),
            _ => return invalid("Invalid element selection"),
        };
        let bytes = match self.terms.eval(key, &key_type)? {
            value::Val::Bytes(bytes) => bytes,
            value::Val::Null | value::Val::Unset => return unknown("the element of null"),
        };
        let name = match key {
            Term::Literal(_) => format!("{}[{}]", inner.name, printed(key)),
            _ => return unknown("the name of such an element"),
        };
        Ok(Item {
            name,
            data_type: *data_type,
            what: What::Element(Box::new(inner), bytes),
        })
    }
}

enum Part<'a> {
    Field(&'a str),
    Element(&'a Term),
}

fn count_rows() -> Item {
    Item {
        name: "count".to_owned(),
        data_type: DataType::BigInt,
        what: What::Aggregate(Aggregate::CountRows, None),
    }
}

/// A constant as it was written.
fn printed(term: &Term) -> String {
    match term {
        Term::Literal(literal) if literal.kind == LiteralKind::String => {
            format!("'{}'", literal.text)
        }
        Term::Literal(literal) => literal.text.to_string(),
        _ => String::new(),
    }
}

impl Item {
    /// Whether it is about a group of rows.
    pub(super) fn aggregates(&self) -> bool {
        matches!(self.what, What::Aggregate(..))
    }

    /// The columns that it looks at.
    pub(super) fn columns(&self) -> Vec<usize> {
        match &self.what {
            What::Column(position) | What::Fact(_, position, _) => vec![*position],
            What::Field(inner, ..)
            | What::Element(inner, _)
            | What::Slice(inner, ..)
            | What::Aggregate(_, Some(inner)) => inner.columns(),
            What::Aggregate(_, None) | What::Token => Vec::new(),
        }
    }

    /// Its value for one row.
    pub(super) fn value(&self, row: &RowView<'_>) -> Known<Option<Vec<u8>>> {
        match &self.what {
            What::Column(position) => row.value(*position),
            What::Field(inner, index, count) => {
                let Some(whole) = inner.value(row)? else {
                    return Ok(None);
                };
                let fields = value::fields(&whole, *count)?;
                Ok(fields.get(*index).cloned().flatten())
            }
            What::Element(inner, key) => {
                let whole = inner.value(row)?;
                element_of(&inner.data_type, whole.as_deref(), key)
            }
            What::Slice(inner, from, to) => {
                let Some(whole) = inner.value(row)? else {
                    return Ok(None);
                };
                slice_of(&inner.data_type, &whole, from.as_deref(), to.as_deref())
            }
            What::Token => Ok(Some(row.token.to_be_bytes().to_vec())),
            What::Fact(fact, position, path) => fact_of(row, *fact, *position, path.as_deref()),
            What::Aggregate(..) => unknown("an aggregate of one row"),
        }
    }

    /// Its value for a group of rows.
    pub(super) fn value_of_group(&self, rows: &[RowView<'_>]) -> Known<Option<Vec<u8>>> {
        match &self.what {
            What::Aggregate(aggregate, inner) => {
                let values = match inner {
                    Some(inner) => {
                        let values = rows.iter().map(|row| inner.value(row));
                        values.collect::<Known<Vec<_>>>()?
                    }
                    None => vec![None; rows.len()],
                };
                let data_type = inner.as_ref().map_or(&self.data_type, |it| &it.data_type);
                aggregate.of(data_type, &values)
            }
            _ => match rows.first() {
                Some(row) => self.value(row),
                None => Ok(None),
            },
        }
    }
}

/// The element of a set or map.
pub(super) fn element_of(
    data_type: &DataType,
    whole: Option<&[u8]>,
    key: &[u8],
) -> Known<Option<Vec<u8>>> {
    let Some(whole) = whole else {
        return Ok(None);
    };
    match data_type {
        DataType::Set { element, .. } => {
            let parts = value::parts(whole, 1)?;
            let mut parts = parts.into_iter();
            Ok(parts.find(|part| compare::compare(element, part, key).is_eq()))
        }
        DataType::Map { key: key_type, .. } => {
            let entries = value::entries(whole)?;
            let mut entries = entries.into_iter();
            let found = entries.find(|(other, _)| compare::compare(key_type, other, key).is_eq());
            Ok(found.map(|(_, value)| value))
        }
        _ => unknown("an element of something else"),
    }
}

/// The elements between two; where none is left, those of a frozen collection are empty.
fn slice_of(
    data_type: &DataType,
    whole: &[u8],
    from: Option<&[u8]>,
    to: Option<&[u8]>,
) -> Known<Option<Vec<u8>>> {
    let is_inside = |key_type: &DataType, key: &[u8]| {
        from.is_none_or(|from| compare::compare(key_type, key, from).is_ge())
            && to.is_none_or(|to| compare::compare(key_type, key, to).is_le())
    };
    let (bytes, is_empty) = match data_type {
        DataType::Set { element, .. } => {
            let mut parts = value::parts(whole, 1)?;
            parts.retain(|part| is_inside(element, part));
            (value::list(&parts), parts.is_empty())
        }
        DataType::Map { key, .. } => {
            let mut entries = value::entries(whole)?;
            entries.retain(|(found, _)| is_inside(key, found));
            (value::map(&entries), entries.is_empty())
        }
        _ => return unknown("a slice of something else"),
    };
    Ok((!is_empty || !data_type.is_multi_cell()).then_some(bytes))
}

fn fact_of(
    row: &RowView<'_>,
    fact: CellFact,
    position: usize,
    path: Option<&[u8]>,
) -> Known<Option<Vec<u8>>> {
    let column = row.table.at(position)?;
    if matches!(column.kind, Kind::Partition(_) | Kind::Clustering(_)) {
        return unknown("a fact about a key");
    }
    let Some((stored, shadow)) = row.stored(column) else {
        return Ok(None);
    };
    let tell = |cell: &crate::facts::Cell| match fact {
        CellFact::WriteTime | CellFact::MaxWriteTime => {
            Some(write_time(cell).to_be_bytes().to_vec())
        }
        CellFact::TimeToLive => {
            time_to_live(cell, row.now).map(|seconds| seconds.to_be_bytes().to_vec())
        }
    };
    Ok(match (stored, path) {
        (Stored::One(cell), None) => live_value(cell, shadow, row.now).and_then(|_| tell(cell)),
        (Stored::Many(elements), Some(path)) => {
            let path_type = row.table.path_type(column.number);
            let mut live = elements.live(shadow, row.now);
            let found = live.find(|(other, ..)| compare::compare(&path_type, other, path).is_eq());
            found.and_then(|(_, cell, _)| tell(cell))
        }
        (Stored::Many(elements), None) if fact != CellFact::MaxWriteTime => {
            let facts = elements
                .live(shadow, row.now)
                .map(|(_, cell, _)| tell(cell));
            let facts: Vec<Option<Vec<u8>>> = facts.collect();
            (!facts.is_empty()).then(|| value::nullable_list(&facts))
        }
        (Stored::Many(elements), None) => {
            let times = elements
                .live(shadow, row.now)
                .map(|(_, cell, _)| write_time(cell));
            times.max().map(|time| time.to_be_bytes().to_vec())
        }
        (Stored::Counter(_), None) => return unknown("when a counter was written"),
        (Stored::One(_) | Stored::Counter(_), Some(_)) => return unknown("parts of one cell"),
    })
}
