//! `map_keys`, `map_values` and `collection_count`.

use stoa_types::{DataType, frames};

use super::function::{Answer, Resolved, ScalarFunction, Signature};
use super::generated::{Factory, Parameter};
use crate::refusal::Refusal;

/// What makes the function of this name for a collection.
pub(super) fn factory(name: &str) -> Option<Factory> {
    let parameter = match name {
        "map_keys" | "map_values" => Parameter::Map,
        "collection_count" => Parameter::Collection,
        _ => return None,
    };
    let own_name = name.to_owned();
    Some(Factory::inferred(name, vec![parameter], move |types, _| {
        let collection = types.first().cloned().unwrap_or(DataType::Empty);
        let part = |index: usize| {
            let part = collection.inner().get(index).map(|part| (*part).clone());
            part.unwrap_or(DataType::Empty).frozen()
        };
        let (result, body): (DataType, fn(&[u8]) -> Answer) = match own_name.as_str() {
            "map_keys" => (DataType::set(part(0)).frozen(), keys),
            "map_values" => (DataType::list(part(1)).frozen(), values),
            _ => (DataType::Int, count),
        };
        let signature = Signature::new(&own_name, vec![collection.clone()], result).generated();
        Ok(Resolved::Scalar(ScalarFunction::new(
            signature,
            move |call| call.argument(0).map_or(Ok(None), body),
        )))
    }))
}

fn keys(bytes: &[u8]) -> Answer {
    every_second_part(bytes, 0).map(Some)
}

fn values(bytes: &[u8]) -> Answer {
    every_second_part(bytes, 1).map(Some)
}

fn every_second_part(bytes: &[u8], first: usize) -> Result<Vec<u8>, Refusal> {
    let (count, parts) = frames::collection_parts(bytes, 2).map_err(broken)?;
    let mut out = Vec::new();
    frames::write_count(count, &mut out).ok_or_else(too_large)?;
    for part in parts.skip(first).step_by(2) {
        frames::write_part(Some(part.map_err(broken)?), &mut out).ok_or_else(too_large)?;
    }
    Ok(out)
}

fn count(bytes: &[u8]) -> Answer {
    let (count, _) = frames::collection_parts(bytes, 1).map_err(broken)?;
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    Ok(Some(count.to_be_bytes().to_vec()))
}

/// The elements of a list or a set.
pub(super) fn elements(bytes: &[u8]) -> Result<Vec<&[u8]>, Refusal> {
    let (_, parts) = frames::collection_parts(bytes, 1).map_err(broken)?;
    parts.map(|part| part.map_err(broken)).collect()
}

fn broken(error: frames::FrameError) -> Refusal {
    Refusal::server(error.to_string())
}

fn too_large() -> Refusal {
    Refusal::server("the collection is too large")
}
