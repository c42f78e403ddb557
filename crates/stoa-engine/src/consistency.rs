//! Consistency levels: which make no sense where.
//!
//! One machine meets every level, so none is unavailable; those that Cassandra refuses for a kind
//! of statement are refused.

use stoa_session::Consistency;

use crate::refusal::Refusal;
use crate::write::Modification;

/// Refuses levels that reads do not have.
pub(crate) fn check_read(level: Option<Consistency>) -> Result<(), Refusal> {
    match level {
        Some(level @ (Consistency::Any | Consistency::EachQuorum)) => Err(Refusal::invalid(
            format!("{level} ConsistencyLevel is only supported for writes"),
        )),
        _ => Ok(()),
    }
}

/// Refuses levels that writes like these do not have.
pub(crate) fn check_write(
    level: Option<Consistency>,
    writes: &[&Modification],
) -> Result<(), Refusal> {
    let is_serial = matches!(level, Some(Consistency::Serial | Consistency::LocalSerial));
    let is_conditional = writes.iter().any(|it| it.is_conditional());
    match (level, is_conditional) {
        (Some(level), true) if is_serial => Err(Refusal::invalid(format!(
            "{level} is not supported as conditional update commit consistency. Use ANY if you mean \"make sure it is accepted but I don't care how many replicas commit it for non-SERIAL reads\""
        ))),
        (Some(_), false) if is_serial => Err(Refusal::invalid(
            "You must use conditional updates for serializable writes",
        )),
        (Some(Consistency::Any), _) => {
            let counter = writes.iter().find(|it| it.table.is_counter());
            match counter {
                Some(write) => Err(Refusal::invalid(format!(
                    "Consistency level ANY is not yet supported for counter table {}",
                    write.table.name
                ))),
                None => Ok(()),
            }
        }
        _ => Ok(()),
    }
}

/// What the author of a search by nearness should know about its level.
pub(crate) fn nearest_warning(level: Option<Consistency>) -> Option<String> {
    match level {
        None | Some(Consistency::One | Consistency::LocalOne) => None,
        Some(level) => Some(format!(
            "Top-K queries can only be run with consistency level ONE / LOCAL_ONE / NODE_LOCAL. Consistency level {level} was requested. Downgrading the consistency level to ONE."
        )),
    }
}
