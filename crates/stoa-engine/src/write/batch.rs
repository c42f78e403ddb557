//! Batches: what may stand in one, and in what company.

use stoa_cql::ast::BatchKind;

use super::{Kind, Modification};
use crate::refusal::Refusal;

/// Above so many partitions a batch that is not logged is warned of.
const WARN_PARTITIONS: usize = 10;

/// Refuses statements that may not be in a batch of this kind together.
pub(crate) fn check(kind: BatchKind, writes: &[&Modification]) -> Result<(), Refusal> {
    let has_counters = writes.iter().any(|it| it.table.is_counter());
    let has_others = writes.iter().any(|it| !it.table.is_counter());
    let has_conditions = writes.iter().any(|it| it.is_conditional());
    if has_counters && has_others {
        return Err(Refusal::invalid(
            "Counter and non-counter mutations cannot exist in the same batch",
        ));
    }
    match kind {
        BatchKind::Logged if has_counters => {
            return Err(Refusal::invalid(
                "Cannot include a counter statement in a logged batch",
            ));
        }
        BatchKind::Counter if has_others => {
            return Err(Refusal::invalid(
                "Cannot include non-counter statement in a counter batch",
            ));
        }
        BatchKind::Logged | BatchKind::Unlogged | BatchKind::Counter => {}
    }
    if has_conditions && has_counters {
        return Err(Refusal::invalid(
            "Cannot include a counter statement in a batch with conditions",
        ));
    }
    let named = writes.iter().find(|it| it.rows.has_clustering_in());
    if let Some(write) = named.filter(|_| has_conditions) {
        let what = match write.kind {
            Kind::Delete => "deletions",
            Kind::Insert | Kind::Update => "updates",
        };
        return Err(Refusal::invalid(format!(
            "IN on the clustering key columns is not supported with conditional {what}"
        )));
    }
    Ok(())
}

/// Refuses a timestamp for the whole batch where there can be none.
pub(crate) fn check_timestamp(writes: &[&Modification], kind: BatchKind) -> Result<(), Refusal> {
    if writes.iter().any(|it| it.is_conditional()) {
        return Err(Refusal::invalid(
            "Cannot provide custom timestamp for conditional BATCH",
        ));
    }
    if kind == BatchKind::Counter || writes.iter().any(|it| it.table.is_counter()) {
        return Err(Refusal::invalid(
            "Cannot provide custom timestamp for counter BATCH",
        ));
    }
    if writes.iter().any(|it| it.attributes.has_timestamp()) {
        return Err(Refusal::invalid(
            "Timestamp must be set either on BATCH or individual statements",
        ));
    }
    Ok(())
}

/// What the author of a batch over these tables and so many partitions should know.
pub(crate) fn warnings(kind: BatchKind, tables: &[String], partitions: usize) -> Vec<String> {
    if kind == BatchKind::Logged || partitions <= WARN_PARTITIONS {
        return Vec::new();
    }
    let plural = if tables.len() == 1 { "" } else { "s" };
    vec![format!(
        "Unlogged batch covering {partitions} partitions detected against table{plural} [{}]. You should use a logged batch for atomicity, or asynchronous writes for performance.",
        tables.join(", ")
    )]
}
