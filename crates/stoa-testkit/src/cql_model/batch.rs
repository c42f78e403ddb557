//! Batches: what may stand together, and when what happens.

use std::collections::BTreeSet;

use stoa_cql::ast::{BatchKind, Modification, Relation, Using};
use stoa_session::Rows;
use stoa_types::DataType;

use super::failure::{Known, invalid, unknown};
use super::terms::Terms;
use super::value::{self, Val};
use super::world::World;
use super::write::{Circumstances, What, Write};

/// More partitions than this in an unlogged batch bring a warning.
const QUIET_PARTITIONS: usize = 10;

/// One statement of a batch with its values.
pub(super) struct Member<'a> {
    /// The statement.
    pub(super) modification: &'a Modification,
    /// Its terms.
    pub(super) terms: Terms<'a>,
}

/// When a batch is executed, and for how many its time counts.
#[derive(Clone, Copy)]
pub(super) struct BatchTime<'a> {
    /// The write time of what says none.
    pub(super) micros: i64,
    /// Now, in seconds.
    pub(super) now: i64,
    /// The USING of the batch.
    pub(super) using: &'a Using,
    /// The terms of that.
    pub(super) terms: Terms<'a>,
}

impl World {
    /// Executes a batch; rows are the answer of a conditional one.
    pub(super) fn batch(
        &mut self,
        kind: BatchKind,
        members: &[Member<'_>],
        time: BatchTime<'_>,
    ) -> Known<Option<Rows>> {
        let is_conditional = members.iter().any(|it| has_condition(it.modification));
        let (micros, has_timestamp) = batch_time(time, is_conditional, kind)?;
        let mut writes = Vec::new();
        for member in members {
            let with = Circumstances {
                terms: member.terms,
                micros,
                now: time.now,
                is_conditional,
            };
            let write = self.write(member.modification, with)?;
            if has_timestamp && write.has_timestamp {
                return invalid("Timestamp must be set either on BATCH or individual statements");
            }
            writes.push(write);
        }
        check_counters(kind, &writes)?;
        if is_conditional {
            let mut mutations = writes.iter().flat_map(|it| &it.mutations);
            if mutations.any(|it| matches!(it.what, What::DeletePartition(_))) {
                return unknown("a partition deleted in a conditional batch");
            }
            if members.iter().any(|it| names_several(it.modification)) {
                return unknown("IN in a conditional batch");
            }
            return self.compare_and_set(&writes, time.now, true).map(Some);
        }
        check_size(kind, &writes)?;
        for write in &writes {
            self.apply(write)?;
        }
        Ok(None)
    }
}

/// Whether a statement has a condition of its own.
pub(super) fn has_condition(modification: &Modification) -> bool {
    match modification {
        Modification::Insert(insert) => insert.if_not_exists,
        Modification::InsertJson(insert) => insert.if_not_exists,
        Modification::Update(update) => update.condition.is_some(),
        Modification::Delete(delete) => delete.condition.is_some(),
    }
}

/// Whether a statement names rows by IN.
fn names_several(modification: &Modification) -> bool {
    let relations = match modification {
        Modification::Update(update) => &update.relations,
        Modification::Delete(delete) => &delete.relations,
        Modification::Insert(_) | Modification::InsertJson(_) => return false,
    };
    let is_in = |it: &Relation| matches!(it, Relation::In { .. } | Relation::ColumnsIn { .. });
    relations.iter().any(is_in)
}

/// The write time of a batch, and whether it says it itself.
fn batch_time(time: BatchTime<'_>, is_conditional: bool, kind: BatchKind) -> Known<(i64, bool)> {
    if time.using.time_to_live().is_some() {
        return invalid("Global TTL on the BATCH statement is not supported.");
    }
    let Some(term) = time.using.timestamp() else {
        return Ok((time.micros, false));
    };
    if is_conditional || kind == BatchKind::Counter {
        return invalid("Cannot provide custom timestamp for such a BATCH");
    }
    match time.terms.eval(term, &DataType::BigInt)? {
        Val::Bytes(bytes) => match value::long(&bytes)? {
            i64::MIN => unknown("the least timestamp"),
            micros => Ok((micros, true)),
        },
        Val::Null => invalid("Invalid null value of timestamp"),
        Val::Unset => Ok((time.micros, true)),
    }
}

fn check_counters(kind: BatchKind, writes: &[Write]) -> Known<()> {
    let has_counters = writes.iter().any(|it| it.is_counter);
    let has_others = writes.iter().any(|it| !it.is_counter);
    if has_counters && has_others {
        return invalid("Counter and non-counter mutations cannot exist in the same batch");
    }
    match kind {
        BatchKind::Logged if has_counters => {
            invalid("Cannot include a counter statement in a logged batch")
        }
        BatchKind::Counter if has_others => {
            invalid("Cannot include non-counter statement in a counter batch")
        }
        _ => Ok(()),
    }
}

fn check_size(kind: BatchKind, writes: &[Write]) -> Known<()> {
    let mutations = writes.iter().flat_map(|it| &it.mutations);
    let keys: BTreeSet<_> = mutations.map(|it| &it.key).collect();
    match kind != BatchKind::Logged && keys.len() >= QUIET_PARTITIONS {
        true => unknown("warnings about many partitions"),
        false => Ok(()),
    }
}
