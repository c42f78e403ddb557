//! Reading through an index: from the entries of a value, or of a range of values, to rows.
//!
//! Entries propose places in the order of the base table; the rows there are read and tested like
//! those of a walk over the table, so an answer, its order and its pages are the same.
//!
//! One value: its entries are in order already and are read piece by piece. A range of values: each
//! piece is a pass over all its entries that keeps the first places, so memory is bounded whatever
//! matches.

use std::collections::BTreeSet;
use std::ops::{Bound as Edge, ControlFlow, Range};

use stoa_store::View;
use stoa_store::key::{PartitionKey, after_prefix};
use stoa_store::kv::Direction;
use stoa_store::partition::Slice;
use stoa_store::table::TableId;
use stoa_types::{DataType, ordered};

use super::indexed::{IndexPlan, MOST_VALUE_BYTES};
use super::{Derived, damaged, entry};
use crate::catalog::IndexTarget;
use crate::failure::Failure;
use crate::refusal::Refusal;
use crate::restrict::clusterings::Selected;
use crate::restrict::indexes::supports;
use crate::restrict::plan::{Partitions, Where};
use crate::restrict::{Bound, ElementTest, Restriction, Test};
use crate::select::cursor::Cursor;
use crate::select::source::{Part, Taker, Walk};
use crate::terms::{Given, Term, Values};

/// How many places are read at once: few first, because a page may need no more.
const FIRST_PIECE: usize = 64;
const LARGEST_PIECE: usize = 4096;

/// Which entries of an index to read.
#[derive(Debug)]
pub(crate) struct Lookup {
    store: TableId,
    wanted: Wanted,
    /// Whether entries may stand for whole partitions.
    has_whole: bool,
}

#[derive(Debug)]
enum Wanted {
    Value(Vec<u8>),
    Between(Range<Vec<u8>>),
}

impl Lookup {
    /// The best index for a `WHERE`: one that finds a value before one that finds a range.
    /// `is_usable` says whether an index has all its entries.
    pub(crate) fn choose(
        derived: &Derived,
        rows: &Where,
        values: &Values<'_>,
        is_usable: impl Fn(TableId) -> bool,
    ) -> Result<Option<Self>, Failure> {
        let mut range = None;
        for restriction in rows.indexable() {
            for plan in derived
                .indexes
                .iter()
                .filter(|it| is_usable(it.index.store))
            {
                if !supports(&plan.index, restriction, &derived.table) {
                    continue;
                }
                let wanted = wanted(plan, restriction, derived, values)?;
                let lookup = wanted.map(|wanted| Self {
                    store: plan.index.store,
                    wanted,
                    has_whole: plan.needs_static(),
                });
                match lookup {
                    Some(lookup) if matches!(lookup.wanted, Wanted::Value(_)) => {
                        return Ok(Some(lookup));
                    }
                    Some(lookup) => range = range.or(Some(lookup)),
                    None => {}
                }
            }
        }
        Ok(range)
    }

    /// Whether the index is there: it may have been dropped meanwhile.
    pub(crate) fn is_in(&self, view: &View) -> bool {
        view.table(self.store).is_ok()
    }

    /// Whether it finds more than one value.
    pub(crate) fn is_range(&self) -> bool {
        matches!(self.wanted, Wanted::Between(_))
    }

    /// Hands the rows of a walk that the index proposes to `taker`, in the order of the walk.
    pub(crate) fn run(
        &self,
        walk: &Walk<'_>,
        after: Option<&Cursor>,
        taker: &mut dyn Taker,
    ) -> Result<(), Failure> {
        let mut reading = Reading {
            lookup: self,
            walk,
            after: None,
            current: None,
        };
        for places in reading.segments(after)? {
            if reading.segment(places, taker)?.is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The next places at or after `places.start`, in order.
    fn piece(
        &self,
        view: &View,
        places: &Range<Vec<u8>>,
        most: usize,
        now: i64,
    ) -> Result<Vec<Vec<u8>>, Failure> {
        let mut found = BTreeSet::new();
        let slice = match &self.wanted {
            Wanted::Value(value) => Slice {
                start: joined(value, &places.start),
                end: match places.end.is_empty() {
                    true => after_prefix(value),
                    false => joined(value, &places.end),
                },
            },
            Wanted::Between(range) => Slice {
                start: range.start.clone(),
                end: range.end.clone(),
            },
        };
        let is_one_value = !self.is_range();
        let partition = view.partition(self.store, entry::partition()?)?;
        let mut broken = false;
        partition
            .rows(&slice, Direction::Forward)?
            .visit_visible(now, |key, _| {
                let Some((_, place)) = entry::split(key) else {
                    broken = true;
                    return ControlFlow::Break(());
                };
                let is_inside = places.start.as_slice() <= place
                    && (places.end.is_empty() || place < places.end.as_slice());
                if is_inside {
                    found.insert(place.to_vec());
                }
                if found.len() > most {
                    found.pop_last();
                }
                match is_one_value && found.len() >= most {
                    true => ControlFlow::Break(()),
                    false => ControlFlow::Continue(()),
                }
            })?;
        match broken {
            true => Err(damaged("the key of an index entry has no place in it").into()),
            false => Ok(found.into_iter().collect()),
        }
    }
}

fn joined(value: &[u8], place: &[u8]) -> Vec<u8> {
    let mut all = value.to_vec();
    all.extend_from_slice(place);
    all
}

/// An index being read.
struct Reading<'r> {
    lookup: &'r Lookup,
    walk: &'r Walk<'r>,
    /// Where the last page ended, until its partition is passed.
    after: Option<(PartitionKey, Cursor)>,
    /// The partition that was begun last.
    current: Option<PartitionKey>,
}

impl Reading<'_> {
    /// The intervals of places to read, after the last page.
    fn segments(&mut self, after: Option<&Cursor>) -> Result<Vec<Range<Vec<u8>>>, Failure> {
        let whole = |key: &PartitionKey| key.prefix().to_vec()..entry::after_partition(key);
        let mut segments = match &self.walk.partitions {
            Partitions::None => Vec::new(),
            Partitions::Keys(keys) => keys
                .iter()
                .map(|key| PartitionKey::new(key).map(|key| whole(&key)))
                .collect::<Result<Vec<_>, _>>()?,
            Partitions::Between(first, last) => {
                let first = first.to_ordered_bytes().to_vec();
                vec![first..after_prefix(&last.to_ordered_bytes())]
            }
        };
        let Some(cursor) = after else {
            return Ok(segments);
        };
        let Some(key) = &cursor.key else {
            return Ok(segments);
        };
        let key = PartitionKey::new(key)?;
        let start = self.resumed(&key, cursor)?;
        let is_keys = matches!(self.walk.partitions, Partitions::Keys(_));
        let resumed = segments
            .iter()
            .position(|it| !is_keys || it.start == key.prefix());
        segments.drain(..resumed.unwrap_or(0));
        if let Some(first) = segments.first_mut() {
            first.start = start.max(first.start.clone());
        }
        self.current = Some(key.clone());
        self.after = Some((key, cursor.clone()));
        Ok(segments)
    }

    /// Where to go on after the last row of a page.
    fn resumed(&self, key: &PartitionKey, cursor: &Cursor) -> Result<Vec<u8>, Failure> {
        let Some(values) = &cursor.clustering else {
            return Ok(entry::after_partition(key));
        };
        if self.lookup.has_whole {
            return Ok(key.prefix().to_vec());
        }
        let values: Vec<Option<&[u8]>> = values.iter().map(Option::as_deref).collect();
        let encoded = ordered::encode_clustering(self.walk.table.clustering_key(), &values);
        let encoded = encoded.map_err(|_| {
            Refusal::invalid("Invalid value for the paging state: the key has changed")
        })?;
        Ok(entry::place(key, Some(&encoded)))
    }

    fn segment(
        &mut self,
        mut places: Range<Vec<u8>>,
        taker: &mut dyn Taker,
    ) -> Result<ControlFlow<()>, Failure> {
        let mut most = match self.lookup.is_range() {
            true => LARGEST_PIECE,
            false => FIRST_PIECE,
        };
        loop {
            let walk = self.walk;
            let piece = self.lookup.piece(walk.view, &places, most, walk.now)?;
            let Some(last) = piece.last() else {
                return Ok(ControlFlow::Continue(()));
            };
            places.start = joined(last, &[0]);
            let mut rest = piece.as_slice();
            while let Some((key, rows)) = next_partition(&mut rest)? {
                if matches!(rows, Selected::All) {
                    places.start = places.start.max(entry::after_partition(&key));
                }
                if self.partition(&key, rows, taker)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            if piece.len() < most {
                return Ok(ControlFlow::Continue(()));
            }
            most = (most * 4).min(LARGEST_PIECE);
        }
    }

    /// Reads the proposed rows of a partition, as far as the walk wants them.
    fn partition(
        &mut self,
        key: &PartitionKey,
        proposed: Selected,
        taker: &mut dyn Taker,
    ) -> Result<ControlFlow<()>, Failure> {
        let selected = match proposed {
            Selected::Rows(rows) => {
                let rows = rows.into_iter();
                Selected::Rows(rows.filter(|it| self.walk.selected.contains(it)).collect())
            }
            _ => self.walk.selected.clone(),
        };
        if selected.is_nothing() {
            return Ok(ControlFlow::Continue(()));
        }
        let is_begun = self.current.as_ref() == Some(key);
        if !is_begun {
            self.current = Some(key.clone());
            self.after = None;
        }
        let after = self.after.as_ref().map(|(_, cursor)| cursor);
        let part = Part {
            selected: &selected,
            is_begun,
        };
        self.walk.partition(key, part, after, taker)
    }
}

/// Takes the places of one partition off the front: all of it, or rows.
fn next_partition(places: &mut &[Vec<u8>]) -> Result<Option<(PartitionKey, Selected)>, Failure> {
    let mut found: Option<(PartitionKey, Selected)> = None;
    while let Some((first, rest)) = places.split_first() {
        let split = entry::split_place(first);
        let (key, clustering) = split.ok_or_else(|| damaged("a place in an index entry"))?;
        match (&mut found, clustering) {
            (Some((current, _)), _) if *current != key => break,
            (None, Some(clustering)) => {
                found = Some((key, Selected::Rows(vec![clustering.to_vec()])));
            }
            (None, None) => found = Some((key, Selected::All)),
            (Some((_, Selected::Rows(rows))), Some(clustering)) => rows.push(clustering.to_vec()),
            (Some(_), _) => {}
        }
        *places = rest;
    }
    Ok(found)
}

/// The entries that a restriction wants.
fn wanted(
    plan: &IndexPlan,
    restriction: &Restriction,
    derived: &Derived,
    values: &Values<'_>,
) -> Result<Option<Wanted>, Failure> {
    let columns = restriction.columns_of(&derived.table);
    match &restriction.test {
        Test::Equal(tuple) => {
            let tuple = tuple.values(&columns, values)?;
            let [Some(value)] = tuple.as_slice() else {
                return Ok(None);
            };
            check_length(plan, value)?;
            Ok(Some(Wanted::Value(plan.value(&[value])?)))
        }
        Test::Elements(tests) => {
            let value = tests.iter().find_map(|it| element(plan, it, values));
            Ok(value.transpose()?.map(Wanted::Value))
        }
        // Cassandra's index has another order of addresses: everything is walked over and tested.
        Test::Slice(..) if columns.iter().any(|it| it.data_type == DataType::Inet) => Ok(None),
        Test::Slice(lower, upper) => {
            let edge = |bound: &Option<Bound>| -> Result<Edge<Vec<u8>>, Refusal> {
                let Some(bound) = bound else {
                    return Ok(Edge::Unbounded);
                };
                let tuple = bound.value.values(&columns, values)?;
                let Some(Some(value)) = tuple.first() else {
                    return Ok(Edge::Unbounded);
                };
                let value = value.to_vec();
                Ok(match bound.is_inclusive {
                    true => Edge::Included(value),
                    false => Edge::Excluded(value),
                })
            };
            let (lower, upper) = (edge(lower)?, edge(upper)?);
            let (lower, upper) = (slice_of(&lower), slice_of(&upper));
            let range = ordered::slice(plan.key(), &[], lower, upper).map_err(damaged)?;
            Ok(Some(Wanted::Between(entry::cut_range(range))))
        }
        Test::In(_) | Test::NotNull | Test::Like => Ok(None),
    }
}

/// Refuses to ask a secondary index for a value that it can never have.
fn check_length(plan: &IndexPlan, value: &[u8]) -> Result<(), Refusal> {
    match value.len() > MOST_VALUE_BYTES && !plan.index.is_storage_attached() {
        true => Err(Refusal::invalid(
            "Index expression values may not be larger than 64K",
        )),
        false => Ok(()),
    }
}

fn slice_of(edge: &Edge<Vec<u8>>) -> Edge<&[u8]> {
    match edge {
        Edge::Included(value) => Edge::Included(value),
        Edge::Excluded(value) => Edge::Excluded(value),
        Edge::Unbounded => Edge::Unbounded,
    }
}

/// The value of a test on elements, if it is one that the index answers.
fn element(
    plan: &IndexPlan,
    test: &ElementTest,
    values: &Values<'_>,
) -> Option<Result<Vec<u8>, Failure>> {
    let terms: Vec<&Term> = match (test, plan.index.target) {
        (ElementTest::Contains(value), IndexTarget::Values) => vec![value],
        (ElementTest::ContainsKey(key), IndexTarget::Keys) => vec![key],
        (ElementTest::Entry(key, value), IndexTarget::Entries) => vec![key, value],
        _ => return None,
    };
    let mut parts = Vec::with_capacity(terms.len());
    for term in terms {
        match term.give(values) {
            Ok(Given::Bytes(bytes)) => parts.push(bytes),
            // It is refused when the rows are tested.
            Ok(Given::Null | Given::Unset) => return None,
            Err(refusal) => return Some(Err(refusal.into())),
        }
    }
    let parts: Vec<&[u8]> = parts.iter().map(|it| &**it).collect();
    if let Err(refusal) = parts.iter().try_for_each(|it| check_length(plan, it)) {
        return Some(Err(refusal.into()));
    }
    Some(plan.value(&parts).map_err(Failure::from))
}
