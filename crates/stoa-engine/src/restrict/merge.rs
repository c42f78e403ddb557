//! Restrictions on the same columns become one, or are refused.

use super::{Bound, Restriction, Test};
use crate::catalog::Table;
use crate::refusal::Refusal;

/// Restrictions by their first column.
#[derive(Debug, Clone, Default)]
pub(crate) struct Restrictions {
    list: Vec<Restriction>,
}

impl Restrictions {
    /// In the order of their first columns.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Restriction> {
        self.list.iter()
    }

    /// The first so many of them.
    pub(crate) fn first(&self, count: usize) -> &[Restriction] {
        self.list.get(..count).unwrap_or(&self.list)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The restriction on a column.
    pub(crate) fn on(&self, column: usize) -> Option<&Restriction> {
        self.list.iter().find(|it| it.columns.contains(&column))
    }

    /// The last one.
    pub(crate) fn last(&self) -> Option<&Restriction> {
        self.list.last()
    }

    pub(crate) fn has_slice(&self) -> bool {
        self.list.iter().any(Restriction::is_slice)
    }

    pub(crate) fn has_elements(&self) -> bool {
        self.list.iter().any(Restriction::is_elements)
    }

    pub(crate) fn has_in(&self) -> bool {
        self.list.iter().any(Restriction::is_in)
    }

    /// Adds a restriction.
    pub(crate) fn add(&mut self, new: Restriction, table: &Table) -> Result<(), Refusal> {
        let touching = |it: &Restriction| it.columns.iter().any(|at| new.columns.contains(at));
        let existing = self.list.iter().position(touching);
        let Some(existing) = existing else {
            let at = self
                .list
                .iter()
                .position(|it| it.first() > new.first())
                .unwrap_or(self.list.len());
            self.list.insert(at, new);
            return Ok(());
        };
        let old = self.list.remove(existing);
        let merged = merge(old, new, table)?;
        self.list.insert(existing, merged);
        Ok(())
    }
}

fn merge(old: Restriction, new: Restriction, table: &Table) -> Result<Restriction, Refusal> {
    let names = table_names(&old.columns, table);
    let test = match (old.test, new.test) {
        (Test::Equal(_), _) | (_, Test::Equal(_)) => {
            return Err(Refusal::invalid(format!(
                "{names} cannot be restricted by more than one relation if it includes an Equal"
            )));
        }
        (Test::In(_), _) | (_, Test::In(_)) => {
            return Err(Refusal::invalid(format!(
                "{names} cannot be restricted by more than one relation if it includes a IN"
            )));
        }
        (Test::Slice(old_start, old_end), Test::Slice(start, end)) => {
            let old_half = Half {
                columns: old.columns,
                is_multi: old.is_multi,
                ends: (old_start, old_end),
            };
            let new_half = Half {
                columns: new.columns,
                is_multi: new.is_multi,
                ends: (start, end),
            };
            return merge_slices(old_half, new_half, table);
        }
        (Test::Elements(mut all), Test::Elements(more)) => {
            all.extend(more);
            Test::Elements(all)
        }
        _ => {
            return Err(Refusal::invalid(format!(
                "{names} cannot be restricted by two relations of different kinds"
            )));
        }
    };
    Ok(Restriction {
        columns: old.columns,
        is_multi: old.is_multi,
        test,
    })
}

/// One of two slices that are merged.
struct Half {
    columns: Vec<usize>,
    is_multi: bool,
    ends: (Option<Bound>, Option<Bound>),
}

fn merge_slices(old: Half, new: Half, table: &Table) -> Result<Restriction, Refusal> {
    let names = table_names(&new.columns, table);
    if old.columns.first() != new.columns.first() {
        return Err(Refusal::invalid(format!(
            "Column \"{names}\" cannot be restricted by two inequalities not starting with the same column"
        )));
    }
    let both = |what: &str| {
        Refusal::invalid(format!(
            "More than one restriction was found for the {what} bound on {names}"
        ))
    };
    if old.ends.0.is_some() && new.ends.0.is_some() {
        return Err(both("start"));
    }
    if old.ends.1.is_some() && new.ends.1.is_some() {
        return Err(both("end"));
    }
    let columns = match old.columns.len() >= new.columns.len() {
        true => old.columns,
        false => new.columns,
    };
    Ok(Restriction {
        columns,
        is_multi: old.is_multi || new.is_multi,
        test: Test::Slice(old.ends.0.or(new.ends.0), old.ends.1.or(new.ends.1)),
    })
}

fn table_names(columns: &[usize], table: &Table) -> String {
    let names = columns.iter().filter_map(|at| table.columns.get(*at));
    names.map(|it| &*it.name).collect::<Vec<_>>().join(", ")
}
