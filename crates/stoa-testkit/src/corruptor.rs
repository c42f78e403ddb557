//! Plants wrong answers, to prove that the comparison sees them.
//!
//! Each [`Corruption`] is a kind of wrong answer that databases have given. [`corrupt`] makes
//! one from a right answer, or tells that the answer has no place for it.

use crate::answer::{PartitionAnswer, VisibleCell, VisibleColumn, VisibleElement, VisibleRow};
use crate::rng::Rng;

/// A kind of wrong answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Corruption {
    /// A row is missing.
    HideRow,
    /// A value is another one.
    ChangeValue,
    /// A row is there that nobody wrote.
    AddRow,
    /// A row or a column is there that was deleted or has expired.
    ShowDeleted,
    /// An element of a collection is missing.
    DropElement,
    /// A write time is off by one.
    WrongTimestamp,
    /// Two rows or two elements have changed places.
    SwapOrder,
    /// A column still has its value of before.
    StaleValue,
}

impl Corruption {
    /// Every kind.
    pub const ALL: &[Self] = &[
        Self::HideRow,
        Self::ChangeValue,
        Self::AddRow,
        Self::ShowDeleted,
        Self::DropElement,
        Self::WrongTimestamp,
        Self::SwapOrder,
        Self::StaleValue,
    ];
}

/// A wrong answer of a kind, made from a right one and from an older right answer to the same
/// question. `None` if there is no place for it, for instance no row to hide.
pub fn corrupt(
    kind: Corruption,
    answer: &PartitionAnswer,
    older: &PartitionAnswer,
    rng: &mut Rng,
) -> Option<PartitionAnswer> {
    let mut wrong = answer.clone();
    match kind {
        Corruption::HideRow => hide_row(&mut wrong, rng),
        Corruption::ChangeValue => change_value(&mut wrong, rng),
        Corruption::AddRow => add_row(&mut wrong, rng),
        Corruption::ShowDeleted => show_deleted(&mut wrong, older, rng),
        Corruption::DropElement => drop_element(&mut wrong, rng),
        Corruption::WrongTimestamp => change_timestamp(&mut wrong, rng),
        Corruption::SwapOrder => swap_order(&mut wrong, rng),
        Corruption::StaleValue => bring_stale_value(&mut wrong, older, rng),
    }?;
    (wrong != *answer).then_some(wrong)
}

fn hide_row(answer: &mut PartitionAnswer, rng: &mut Rng) -> Option<()> {
    let index = rng.index(answer.rows.len() + usize::from(answer.static_row.is_some()));
    if index < answer.rows.len() {
        answer.rows.remove(index);
        return Some(());
    }
    answer.static_row.take().map(|_| ())
}

fn add_row(answer: &mut PartitionAnswer, rng: &mut Rng) -> Option<()> {
    let mut row = rng.pick(&answer.rows)?.clone();
    row.clustering.push(0);
    let index = rng.index(answer.rows.len() + 1);
    answer.rows.insert(index, row);
    Some(())
}

fn change_value(answer: &mut PartitionAnswer, rng: &mut Rng) -> Option<()> {
    let mut columns: Vec<&mut VisibleColumn> = columns_mut(answer);
    let index = rng.index(columns.len());
    match columns.get_mut(index)? {
        VisibleColumn::Simple(cell) => change_bytes(&mut cell.value, rng),
        VisibleColumn::Counter { total, .. } => *total = total.wrapping_add(1),
        VisibleColumn::Complex(elements) => {
            let index = rng.index(elements.len());
            change_bytes(&mut elements.get_mut(index)?.cell.value, rng);
        }
    }
    Some(())
}

fn change_bytes(value: &mut Vec<u8>, rng: &mut Rng) {
    let index = rng.index(value.len());
    match value.get_mut(index) {
        Some(byte) => *byte ^= 1,
        None => value.push(0),
    }
}

fn change_timestamp(answer: &mut PartitionAnswer, rng: &mut Rng) -> Option<()> {
    let mut times: Vec<&mut i64> = Vec::new();
    for row in rows_mut(answer) {
        times.extend(row.liveness.iter_mut().map(|it| &mut it.timestamp_micros));
        for column in row.columns.values_mut() {
            match column {
                VisibleColumn::Simple(cell) => times.push(&mut cell.timestamp_micros),
                VisibleColumn::Counter {
                    timestamp_micros, ..
                } => times.push(timestamp_micros),
                VisibleColumn::Complex(elements) => {
                    times.extend(elements.iter_mut().map(|it| &mut it.cell.timestamp_micros));
                }
            }
        }
    }
    let index = rng.index(times.len());
    let time = times.get_mut(index)?;
    **time = time.wrapping_add(1);
    Some(())
}

fn drop_element(answer: &mut PartitionAnswer, rng: &mut Rng) -> Option<()> {
    let mut collections: Vec<&mut Vec<VisibleElement>> = collections_mut(answer);
    let index = rng.index(collections.len());
    let elements = collections.get_mut(index)?;
    let index = rng.index(elements.len());
    (index < elements.len())
        .then(|| elements.remove(index))
        .map(|_| ())
}

fn swap_order(answer: &mut PartitionAnswer, rng: &mut Rng) -> Option<()> {
    if answer.rows.len() >= 2 {
        return swap_neighbours(&mut answer.rows, rng);
    }
    let mut collections: Vec<&mut Vec<VisibleElement>> = collections_mut(answer);
    collections.retain(|elements| elements.len() >= 2);
    let index = rng.index(collections.len());
    swap_neighbours(collections.get_mut(index)?, rng)
}

fn swap_neighbours<T>(items: &mut [T], rng: &mut Rng) -> Option<()> {
    let first = rng.index(items.len().checked_sub(1)?);
    items.swap(first, first + 1);
    Some(())
}

/// Brings back a row of before, or else a column of before.
fn show_deleted(
    answer: &mut PartitionAnswer,
    older: &PartitionAnswer,
    rng: &mut Rng,
) -> Option<()> {
    let is_gone = |row: &&VisibleRow| !answer.rows.iter().any(|it| it.clustering == row.clustering);
    let gone: Vec<&VisibleRow> = older.rows.iter().filter(is_gone).collect();
    if let Some(row) = rng.pick(&gone) {
        let index = answer
            .rows
            .partition_point(|it| it.clustering < row.clustering);
        answer.rows.insert(index, (*row).clone());
        return Some(());
    }
    let mut places = Vec::new();
    for row in rows_mut(answer) {
        let before = row_of(older, &row.clustering).map(|before| &before.columns);
        let gone = before
            .into_iter()
            .flatten()
            .filter(|(id, _)| !row.columns.contains_key(id));
        let gone: Vec<_> = gone.map(|(id, column)| (*id, column.clone())).collect();
        places.extend((!gone.is_empty()).then_some((row, gone)));
    }
    let index = rng.index(places.len());
    let (row, gone) = places.get_mut(index)?;
    row.columns.extend(rng.pick(gone).cloned());
    Some(())
}

fn bring_stale_value(
    answer: &mut PartitionAnswer,
    older: &PartitionAnswer,
    rng: &mut Rng,
) -> Option<()> {
    let mut places: Vec<(&mut VisibleColumn, &VisibleColumn)> = Vec::new();
    for row in rows_mut(answer) {
        let Some(before) = row_of(older, &row.clustering) else {
            continue;
        };
        for (id, column) in &mut row.columns {
            let stale = before.columns.get(id).filter(|stale| **stale != *column);
            places.extend(stale.map(|stale| (column, stale)));
        }
    }
    let index = rng.index(places.len());
    let (column, stale) = places.get_mut(index)?;
    **column = stale.clone();
    Some(())
}

fn row_of<'answer>(
    answer: &'answer PartitionAnswer,
    clustering: &[u8],
) -> Option<&'answer VisibleRow> {
    let rows = answer.static_row.iter().chain(&answer.rows);
    rows.into_iter().find(|row| row.clustering == clustering)
}

fn rows_mut(answer: &mut PartitionAnswer) -> impl Iterator<Item = &mut VisibleRow> {
    answer.static_row.iter_mut().chain(&mut answer.rows)
}

fn columns_mut(answer: &mut PartitionAnswer) -> Vec<&mut VisibleColumn> {
    rows_mut(answer)
        .flat_map(|row| row.columns.values_mut())
        .collect()
}

fn collections_mut(answer: &mut PartitionAnswer) -> Vec<&mut Vec<VisibleElement>> {
    let columns = rows_mut(answer).flat_map(|row| row.columns.values_mut());
    let collections = columns.filter_map(|column| match column {
        VisibleColumn::Complex(elements) => Some(elements),
        VisibleColumn::Simple(VisibleCell { .. }) | VisibleColumn::Counter { .. } => None,
    });
    collections.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::answer::compare;
    use crate::model::Model;
    use crate::operations::Read;
    use crate::workload::{History, Shape, Step};

    /// For each write of a history, what one partition showed before and after it.
    fn answers(seed: u64) -> Vec<(PartitionAnswer, PartitionAnswer)> {
        let shape = Shape::default();
        let history = History::generate(seed, &shape);
        let mut model = Model::new();
        let mut last: BTreeMap<(u32, Vec<u8>), PartitionAnswer> = BTreeMap::new();
        let mut pairs = Vec::new();
        for step in &history.steps {
            let Step::Write(batch) = step else { continue };
            model.write(batch);
            for mutation in &batch.mutations {
                let partition = mutation.partition.clone();
                let read = Read::whole(mutation.table, partition.clone(), shape.start_seconds);
                let answer = model.read(&read);
                let older = last.insert((mutation.table, partition), answer.clone());
                pairs.push((answer, older.unwrap_or_default()));
            }
        }
        pairs
    }

    #[test]
    fn every_wrong_answer_of_every_kind_is_seen() {
        let mut planted: BTreeMap<String, u32> = BTreeMap::new();
        for seed in 0..40 {
            let mut rng = Rng::new(seed);
            for (answer, older) in answers(seed) {
                assert_eq!(compare(&answer, &answer.clone()), Ok(()));
                for kind in Corruption::ALL {
                    if let Some(wrong) = corrupt(*kind, &answer, &older, &mut rng) {
                        *planted.entry(format!("{kind:?}")).or_default() += 1;
                        let difference = compare(&answer, &wrong).unwrap_err();
                        assert!(difference.to_string().contains("expected"), "{difference}");
                        assert_ne!(difference.expected, difference.got, "{difference}");
                    }
                }
            }
        }
        assert_eq!(planted.len(), Corruption::ALL.len(), "{planted:?}");
        assert!(planted.values().all(|count| *count > 100), "{planted:?}");
        assert!(planted.values().sum::<u32>() > 10_000, "{planted:?}");
    }

    #[test]
    fn an_empty_answer_has_no_place_for_most() {
        let empty = PartitionAnswer::default();
        for kind in Corruption::ALL {
            assert_eq!(corrupt(*kind, &empty, &empty, &mut Rng::new(1)), None);
        }
    }

    #[test]
    fn the_same_seed_plants_the_same() {
        let (answer, older) = answers(3).pop().unwrap();
        for kind in Corruption::ALL {
            let plant = || corrupt(*kind, &answer, &older, &mut Rng::new(9));
            assert_eq!(plant(), plant());
        }
    }
}
