//! Conditions of an IF, and whether they hold of the row that is there.

use std::sync::Arc;

use stoa_cql::ast::{Comparison, Condition, ConditionTarget, ConditionTest};
use stoa_session::Error;
use stoa_session::bind::Cell as Bound;
use stoa_types::{DataType, compare};

use super::compile::{Sources, Variables};
use super::table::{Kind, Table};
use super::term::{Source, Values, checked, parts_of};
use super::view::{RowView, View};
use super::{invalid, unsupported};
use crate::store::cell::Bytes;

/// What must hold before a write.
#[derive(Debug)]
pub(crate) enum Guard {
    /// Nothing.
    None,
    /// The row must not be there.
    NotExists,
    /// The row must be there.
    Exists,
    /// All of these.
    All(Vec<Check>),
}

/// What must hold of a column.
#[derive(Debug)]
pub(crate) struct Check {
    pub(crate) position: usize,
    data_type: DataType,
    test: Test,
}

#[derive(Debug)]
enum Test {
    Compare(Comparison, Source),
    In(Sources),
}

impl Guard {
    pub(crate) fn all(
        table: &Table,
        conditions: &[Condition],
        variables: &mut Variables,
    ) -> Result<Self, Error> {
        let mut checks = Vec::new();
        for condition in conditions {
            let (position, column) = table.find(&condition.column)?;
            if column.is_key() {
                return Err(invalid(format!(
                    "the key column {} cannot have IF conditions",
                    column.name
                )));
            }
            if condition.target != ConditionTarget::Column {
                return Err(unsupported("conditions on elements and fields"));
            }
            let (name, data_type) = (column.name.as_str(), &column.data_type);
            let test = match &condition.test {
                ConditionTest::Compare(comparison, term) => {
                    Test::Compare(*comparison, variables.source(table, term, name, data_type)?)
                }
                ConditionTest::In(values) => {
                    Test::In(variables.sources(table, values, name, data_type)?)
                }
                ConditionTest::Contains(_) | ConditionTest::ContainsKey(_) => {
                    return Err(unsupported("CONTAINS in a condition"));
                }
            };
            checks.push(Check {
                position,
                data_type: data_type.clone(),
                test,
            });
        }
        Ok(Self::All(checks))
    }

    /// The conditions on columns.
    pub(crate) fn checks(&self) -> &[Check] {
        match self {
            Self::All(checks) => checks,
            Self::None | Self::NotExists | Self::Exists => &[],
        }
    }

    /// Whether no condition is about a column of rows.
    pub(crate) fn asks_statics_only(&self, table: &Table) -> bool {
        let mut checks = self.checks().iter();
        checks.all(|check| kind(table, check.position) == Some(Kind::Static))
    }

    /// Whether any condition is about a column of rows, or about the row as such.
    pub(crate) fn is_about_row(&self, table: &Table) -> bool {
        match self {
            Self::None => false,
            Self::NotExists | Self::Exists => true,
            Self::All(_) => !self.asks_statics_only(table),
        }
    }

    /// Whether it holds of a row, or of the static row if there is no key.
    pub(crate) fn holds(
        &self,
        view: View<'_>,
        key: Option<&Bytes>,
        values: &Values<'_>,
    ) -> Result<bool, Error> {
        let row = match key {
            Some(key) => view.row(key),
            None => view.has_statics().then(|| view.statics()),
        };
        match self {
            Self::None => Ok(true),
            Self::NotExists => Ok(row.is_none()),
            Self::Exists => Ok(row.is_some()),
            Self::All(checks) => {
                let seen = row.unwrap_or_else(|| view.statics());
                for check in checks {
                    if !check.holds(&seen, values)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

fn kind(table: &Table, position: usize) -> Option<Kind> {
    table.columns.get(position).map(|column| column.kind)
}

impl Check {
    fn holds(&self, row: &RowView<'_>, values: &Values<'_>) -> Result<bool, Error> {
        let found = row.value(self.position);
        let found = found.as_deref();
        match &self.test {
            Test::Compare(comparison, source) => {
                let value = self.wanted(source.get(values)?)?;
                self.compare(*comparison, found, value.as_deref())
            }
            Test::In(Sources::Listed(sources)) => {
                for source in sources {
                    let bound = source.get(values)?;
                    let is_unset = bound == Bound::Unset;
                    if !is_unset && self.is_same(found, self.wanted(bound)?.as_deref()) {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Test::In(Sources::List(source)) => {
                let wanted = parts_of(source.key(values)?, 1)?;
                Ok(wanted
                    .iter()
                    .any(|wanted| self.is_same(found, Some(wanted))))
            }
        }
    }

    /// The value to compare with. A collection of many cells without elements is absent.
    fn wanted(&self, bound: Bound<'_>) -> Result<Option<Bytes>, Error> {
        match bound {
            Bound::Unset => Err(invalid("unset is no value of a condition")),
            Bound::Null => Ok(None),
            Bound::Bytes([0, 0, 0, 0]) if self.data_type.is_multi_cell() => Ok(None),
            Bound::Bytes(bytes) if self.data_type.native_name().is_some() => {
                Ok(Some(Arc::from(bytes)))
            }
            Bound::Bytes(bytes) => checked(&self.data_type, bytes).map(Some),
        }
    }

    fn is_same(&self, found: Option<&[u8]>, wanted: Option<&[u8]>) -> bool {
        match (found, wanted) {
            (None, None) => true,
            (Some(found), Some(wanted)) => compare::compare(&self.data_type, found, wanted).is_eq(),
            _ => false,
        }
    }

    fn compare(
        &self,
        comparison: Comparison,
        found: Option<&[u8]>,
        wanted: Option<&[u8]>,
    ) -> Result<bool, Error> {
        let order = match (comparison, found, wanted) {
            (Comparison::Equal, ..) => return Ok(self.is_same(found, wanted)),
            (Comparison::NotEqual, ..) => return Ok(!self.is_same(found, wanted)),
            (_, _, None) => return Err(invalid("order compared with null")),
            (_, None, Some(_)) => return Ok(false),
            (_, Some(found), Some(wanted)) => compare::compare(&self.data_type, found, wanted),
        };
        Ok(match comparison {
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
        })
    }
}
