//! The native functions by name.

use super::function::Resolved;
use super::generated::Factory;
use super::resolve::Context;
use super::{
    aggregate, arithmetic, bytes, cast, collections, documents, mask, math, moments, times, token,
    vectors,
};
use crate::refusal::Refusal;

/// The functions of a name whose signatures are fixed.
pub(super) fn overloads(name: &str) -> Vec<Resolved> {
    let scalars = [
        bytes::overloads,
        moments::overloads,
        times::overloads,
        math::overloads,
        cast::overloads,
        arithmetic::overloads,
    ];
    let scalars = scalars.into_iter().flat_map(|overloads| overloads(name));
    let aggregates = aggregate::overloads(name);
    scalars
        .map(Resolved::Scalar)
        .chain(aggregates.into_iter().map(Resolved::Aggregate))
        .collect()
}

/// What makes the function of a name for a call, if there is such a thing.
pub(super) fn factory(name: &str, context: &Context<'_>) -> Option<Result<Factory, Refusal>> {
    if name == "token" {
        return Some(token::factory(context));
    }
    let factories = [
        aggregate::factory,
        aggregate::collection_factory,
        collections::factory,
        documents::factory,
        mask::factory,
        vectors::factory,
    ];
    factories
        .into_iter()
        .find_map(|factory| factory(name))
        .map(Ok)
}
