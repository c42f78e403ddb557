//! A statement being compiled: its table, and its variables as they are met.

use stoa_cql::ast::{InValues, Marker, Term};
use stoa_session::{Column, Error};
use stoa_types::DataType;

use super::table::Table;
use super::term::{Source, constant};
use super::unsupported;

/// A list of values after IN.
#[derive(Debug, Clone)]
pub(crate) enum Sources {
    /// One by one.
    Listed(Vec<Source>),
    /// One variable that is a list.
    List(Source),
}

/// The variables of a statement, found while it is compiled.
#[derive(Debug)]
pub(crate) struct Variables {
    found: Vec<Option<Column>>,
    /// For each variable the partition key column it is the value of.
    keys: Vec<(usize, usize)>,
}

impl Variables {
    pub(crate) fn new(markers: usize) -> Self {
        Self {
            found: vec![None; markers],
            keys: Vec::new(),
        }
    }

    /// The value of a term that is expected to be of a type.
    pub(crate) fn source(
        &mut self,
        table: &Table,
        term: &Term,
        name: &str,
        data_type: &DataType,
    ) -> Result<Source, Error> {
        if let Term::Marker(marker) = term {
            return Ok(self.marker(table, marker, name, data_type));
        }
        let bytes = constant(term, data_type)?;
        Ok(Source::Constant(bytes.map(std::sync::Arc::from)))
    }

    fn marker(
        &mut self,
        table: &Table,
        marker: &Marker,
        name: &str,
        data_type: &DataType,
    ) -> Source {
        let name = marker.name.as_ref().map_or(name, |name| name.as_str());
        if let Some(place) = self.found.get_mut(marker.index) {
            *place = Some(table.told(name, data_type));
        }
        Source::Marker(marker.index)
    }

    /// The values of an IN.
    pub(crate) fn sources(
        &mut self,
        table: &Table,
        values: &InValues,
        name: &str,
        data_type: &DataType,
    ) -> Result<Sources, Error> {
        match values {
            InValues::List(terms) => {
                let sources = terms
                    .iter()
                    .map(|term| self.source(table, term, name, data_type));
                Ok(Sources::Listed(sources.collect::<Result<_, _>>()?))
            }
            InValues::Marker(marker) => {
                let list = DataType::list(data_type.clone());
                let name = format!("in({name})");
                Ok(Sources::List(self.marker(table, marker, &name, &list)))
            }
        }
    }

    /// Notes that a value is that of a column of the partition key.
    pub(crate) fn note_key(&mut self, column: usize, source: &Source) {
        if let Source::Marker(index) = source {
            self.keys.push((column, *index));
        }
    }

    /// The variables in order, and which of them make the partition key of a table.
    pub(crate) fn finish(
        mut self,
        partition_columns: usize,
    ) -> Result<(Vec<Column>, Vec<usize>), Error> {
        let found: Option<Vec<Column>> = self.found.into_iter().collect();
        let Some(found) = found else {
            return Err(unsupported("a variable at such a place"));
        };
        self.keys.sort_unstable();
        self.keys.dedup_by_key(|(column, _)| *column);
        let key = match self.keys.len() == partition_columns {
            true => self.keys.into_iter().map(|(_, index)| index).collect(),
            false => Vec::new(),
        };
        Ok((found, key))
    }
}
