//! The native functions by name.

use super::function::Resolved;
use super::generated::Factory;
use super::resolve::Context;
use super::{aggregate, bytes, moments, token};
use crate::refusal::Refusal;

/// The functions of a name whose signatures are fixed.
pub(super) fn overloads(name: &str) -> Vec<Resolved> {
    let scalars = [bytes::overloads, moments::overloads]
        .into_iter()
        .flat_map(|overloads| overloads(name))
        .map(Resolved::Scalar);
    let aggregates = aggregate::overloads(name)
        .into_iter()
        .map(Resolved::Aggregate);
    scalars.chain(aggregates).collect()
}

/// What makes the function of a name for a call, if there is such a thing.
pub(super) fn factory(name: &str, context: &Context<'_>) -> Option<Result<Factory, Refusal>> {
    match name {
        "token" => Some(token::factory(context)),
        _ => None,
    }
}
