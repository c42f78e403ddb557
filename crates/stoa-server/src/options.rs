//! From the parameters of a request to the options and values of a session. Pure.

use std::num::NonZeroU32;

use stoa_session::bind::Cell;
use stoa_session::{BoundValues, Column, Consistency, Options, PagingState, SerialConsistency};
use stoa_types::WriteTime;
use stoa_wire::request::parameters::Moment;
use stoa_wire::request::{Bindings, Parameters};
use stoa_wire::response::{ErrorDetail, ErrorResponse};
use stoa_wire::types::{BoundValue, Consistency as WireConsistency};

/// The options of a statement.
///
/// # Errors
/// When it asks for what cannot be had.
pub(crate) fn of_parameters(
    parameters: &Parameters<'_>,
) -> Result<Options, ErrorResponse<'static>> {
    let page_size = parameters
        .page_size
        .and_then(|rows| u32::try_from(rows).ok());
    Ok(Options {
        page_size: page_size.and_then(NonZeroU32::new),
        ..of_moment(parameters.consistency, &parameters.moment)?
    })
}

/// The options that batches have, too.
///
/// # Errors
/// When it asks for what cannot be had.
pub(crate) fn of_moment(
    consistency: WireConsistency,
    moment: &Moment<'_>,
) -> Result<Options, ErrorResponse<'static>> {
    if moment.now_in_seconds.is_some() {
        return Err(invalid("now_in_seconds is not supported; leave it out"));
    }
    let level = level(consistency)
        .ok_or_else(|| invalid("consistency NODE_LOCAL is for nodes among themselves"))?;
    Ok(Options {
        consistency: Some(level),
        serial_consistency: moment.serial_consistency.map(|serial| match serial {
            WireConsistency::LocalSerial => SerialConsistency::LocalSerial,
            _ => SerialConsistency::Serial,
        }),
        timestamp: moment.timestamp_micros.and_then(WriteTime::from_micros),
        ..Options::default()
    })
}

fn level(level: WireConsistency) -> Option<Consistency> {
    Some(match level {
        WireConsistency::Any => Consistency::Any,
        WireConsistency::One => Consistency::One,
        WireConsistency::Two => Consistency::Two,
        WireConsistency::Three => Consistency::Three,
        WireConsistency::Quorum => Consistency::Quorum,
        WireConsistency::All => Consistency::All,
        WireConsistency::LocalQuorum => Consistency::LocalQuorum,
        WireConsistency::EachQuorum => Consistency::EachQuorum,
        WireConsistency::Serial => Consistency::Serial,
        WireConsistency::LocalSerial => Consistency::LocalSerial,
        WireConsistency::LocalOne => Consistency::LocalOne,
        WireConsistency::NodeLocal => return None,
    })
}

/// Where the page begins.
pub(crate) fn page(parameters: &Parameters<'_>) -> Option<PagingState> {
    let state = parameters.paging_state.as_deref();
    state.map(PagingState::from_bytes)
}

/// Whether there is no value.
pub(crate) fn is_empty(bindings: &Bindings<'_>) -> bool {
    match bindings {
        Bindings::Positional(values) => values.is_empty(),
        Bindings::Named(values) => values.is_empty(),
    }
}

/// The values of variables, by place or by name.
///
/// # Errors
/// When there are too many or too few.
pub(crate) fn bound(
    bindings: &Bindings<'_>,
    variables: &[Column],
) -> Result<BoundValues, ErrorResponse<'static>> {
    match bindings {
        Bindings::Positional(values) => positional(values, variables),
        Bindings::Named(values) => {
            let of_name = |variable: &Column| {
                let mut values = values.iter();
                let found = values.find(|(name, _)| *name == variable.name);
                found.map(|(_, value)| value.clone())
            };
            let ordered: Vec<BoundValue<'_>> = variables.iter().filter_map(of_name).collect();
            positional(&ordered, variables)
        }
    }
}

/// The values of variables, by place.
///
/// # Errors
/// When there are too many or too few.
pub(crate) fn positional(
    values: &[BoundValue<'_>],
    variables: &[Column],
) -> Result<BoundValues, ErrorResponse<'static>> {
    if values.len() != variables.len() {
        return Err(invalid(&format!(
            "there were {} markers(?) in CQL but {} bound variables",
            variables.len(),
            values.len()
        )));
    }
    let mut all = BoundValues::default();
    for value in values {
        push(&mut all, value)?;
    }
    Ok(all)
}

fn push(all: &mut BoundValues, value: &BoundValue<'_>) -> Result<(), ErrorResponse<'static>> {
    let cell = match value {
        BoundValue::Bytes(bytes) => Cell::Bytes(bytes),
        BoundValue::Null => Cell::Null,
        BoundValue::Unset => Cell::Unset,
    };
    all.push_cell(cell)
        .map_err(|problem| invalid(&problem.to_string()))
}

/// A request that cannot be executed.
pub(crate) fn invalid(message: &str) -> ErrorResponse<'static> {
    ErrorResponse {
        message: message.to_owned().into(),
        detail: ErrorDetail::Invalid,
    }
}
