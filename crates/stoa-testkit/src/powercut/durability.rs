//! From which moment on each operation is sure to survive.
//!
//! A sync covers what had ended before it started, once it has ended itself. What the
//! sync of one thing says about another is where file systems differ: see
//! [`Discipline`].

use std::collections::BTreeMap;

use super::{
    disk::{Action, Disk, NEVER, Operation, Span, Synced},
    names::{Change, Inode, Place},
};

/// What a file system promises about names (creations, renames, removals).
///
/// In both, a rename happens as a whole or not at all; `fsync` and `fdatasync` of a
/// file make its bytes and length durable; the sync of a folder makes the changes of
/// names in it durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Discipline {
    /// An ordered journal, as ext4 and XFS have one: of all changes of names some
    /// first ones survive, in their order. `fsync` of a file or folder makes the last
    /// change of a name that touched it durable, a file's creation for instance, and
    /// with it all changes before that one. `fdatasync` of a file promises nothing
    /// about names.
    #[default]
    Ext4,
    /// Nothing but what POSIX says: each change of a name survives or not by itself;
    /// only changes of the same name keep their order. Only the sync of the folder
    /// makes one durable: a new file that was synced can still lack its name.
    Strict,
}

/// For each operation, the position from which on it is durable ([`NEVER`] if none).
pub(super) fn durable_from(disk: &Disk, discipline: Discipline) -> Vec<u64> {
    let mut from = vec![NEVER; disk.operations.len()];
    settle_writes(&disk.operations, &mut from);
    match discipline {
        Discipline::Ext4 => settle_names_in_order(&disk.operations, &mut from),
        Discipline::Strict => settle_names_alone(&disk.operations, &mut from),
    }
    from
}

/// Lowers the position from which on an operation is durable.
fn lower(from: &mut [u64], operation: usize, position: u64) {
    if let Some(known) = from.get_mut(operation) {
        *known = position.min(*known);
    }
}

fn covers(sync: Span, operation: Span) -> bool {
    operation.end != NEVER && operation.end <= sync.start
}

/// Bytes and lengths. A failed sync condemns what it should have covered: Linux drops
/// the pages or marks them clean, and a later sync succeeds without them.
fn settle_writes(operations: &[Operation], from: &mut [u64]) {
    let mut waiting: BTreeMap<Inode, Vec<(usize, Span)>> = BTreeMap::new();
    let mut settle = |waiting: &mut Vec<(usize, Span)>, sync: Span| {
        waiting.retain(|(operation, span)| {
            let covered = covers(sync, *span);
            if covered {
                lower(from, *operation, sync.end);
            }
            !covered
        });
    };
    for (number, operation) in operations.iter().enumerate() {
        match &operation.action {
            Action::Write { inode, .. } => {
                waiting
                    .entry(*inode)
                    .or_default()
                    .push((number, operation.span));
            }
            Action::Sync(Synced::Whole(inode) | Synced::Data(inode)) => {
                settle(waiting.entry(*inode).or_default(), operation.span);
            }
            Action::Sync(Synced::Everything) => {
                waiting
                    .values_mut()
                    .for_each(|waiting| settle(waiting, operation.span));
            }
            Action::SyncFailed(inode) => waiting.entry(*inode).or_default().clear(),
            Action::Name(_) => {}
        }
    }
}

fn changes(operations: &[Operation]) -> impl DoubleEndedIterator<Item = (usize, Span, &Change)> {
    operations
        .iter()
        .enumerate()
        .filter_map(|(number, operation)| match &operation.action {
            Action::Name(change) => Some((number, operation.span, change)),
            Action::Write { .. } | Action::Sync(_) | Action::SyncFailed(_) => None,
        })
}

fn settle_names_in_order(operations: &[Operation], from: &mut [u64]) {
    let mut waiting: Vec<(usize, Span, &Change)> = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        let touched: &dyn Fn(&Change) -> bool = match &operation.action {
            Action::Name(change) => {
                waiting.push((number, operation.span, change));
                continue;
            }
            Action::Sync(Synced::Whole(inode)) => &|change: &Change| change.touches(*inode),
            // Only a folder's own changes of names count as its data.
            Action::Sync(Synced::Data(inode)) => &|change: &Change| change.home() == *inode,
            Action::Sync(Synced::Everything) => &|_: &Change| true,
            Action::Write { .. } | Action::SyncFailed(_) => continue,
        };
        let last = waiting
            .iter()
            .rposition(|(_, span, change)| covers(operation.span, *span) && touched(change));
        if let Some(last) = last {
            for (settled, _, _) in waiting.drain(..=last) {
                lower(from, settled, operation.span.end);
            }
        }
    }
}

fn settle_names_alone(operations: &[Operation], from: &mut [u64]) {
    let mut waiting: Vec<(usize, Span, &Change)> = Vec::new();
    for (number, operation) in operations.iter().enumerate() {
        let synced = match &operation.action {
            Action::Name(change) => {
                waiting.push((number, operation.span, change));
                continue;
            }
            Action::Sync(Synced::Whole(inode) | Synced::Data(inode)) => Some(*inode),
            Action::Sync(Synced::Everything) => None,
            Action::Write { .. } | Action::SyncFailed(_) => continue,
        };
        waiting.retain(|(settled, span, change)| {
            let here = synced.is_none_or(|folder| change.home() == folder);
            let covered = here && covers(operation.span, *span);
            if covered {
                lower(from, *settled, operation.span.end);
            }
            !covered
        });
    }
    let before = earlier_on_same_name(operations);
    for (number, _, _) in changes(operations).rev() {
        let position = from.get(number).copied().unwrap_or(NEVER);
        for earlier in before.get(&number).into_iter().flatten() {
            lower(from, *earlier, position);
        }
    }
}

/// For each change of a name, the last earlier ones of the same name: it builds on
/// them.
pub(super) fn earlier_on_same_name(operations: &[Operation]) -> BTreeMap<usize, Vec<usize>> {
    let mut last: BTreeMap<&Place, usize> = BTreeMap::new();
    let mut earlier = BTreeMap::new();
    for (number, _, change) in changes(operations) {
        let before: Vec<_> = change
            .places()
            .filter_map(|place| last.insert(place, number))
            .collect();
        earlier.insert(number, before);
    }
    earlier
}
