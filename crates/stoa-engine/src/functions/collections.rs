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
        let (result, half) = match own_name.as_str() {
            "map_keys" => (DataType::set(part(0)).frozen(), Some(Half::Keys)),
            "map_values" => (DataType::list(part(1)).frozen(), Some(Half::Values)),
            _ => (DataType::Int, None),
        };
        let value_type = part(1);
        let signature = Signature::new(&own_name, vec![collection.clone()], result).generated();
        Ok(Resolved::Scalar(ScalarFunction::new(
            signature,
            move |call| match (call.argument(0), half) {
                (None, _) => Ok(None),
                (Some(bytes), None) => count(bytes),
                (Some(bytes), Some(half)) => one_half(bytes, half, &value_type),
            },
        )))
    }))
}

/// A side of the entries of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Keys,
    Values,
}

fn one_half(bytes: &[u8], half: Half, value_type: &DataType) -> Answer {
    let (count, parts) = frames::collection_parts(bytes, 2).map_err(broken)?;
    let mut out = Vec::new();
    frames::write_count(count, &mut out).ok_or_else(too_large)?;
    for part in parts.skip(usize::from(half == Half::Values)).step_by(2) {
        let part = part.map_err(broken)?;
        if half == Half::Values && part.is_empty() && !value_type.is_empty_ordinary() {
            // Cassandra takes it for null, and lists have no nulls.
            return Err(Refusal::server(
                "java.lang.NullPointerException: an empty value",
            ));
        }
        frames::write_part(Some(part), &mut out).ok_or_else(too_large)?;
    }
    Ok(Some(out))
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
