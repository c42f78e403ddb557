//! The similarity of vectors: `similarity_cosine`, `similarity_euclidean` and
//! `similarity_dot_product`.
//!
//! Each is a number that is greater the more alike two vectors of floats are.

use stoa_types::{DataType, frames};

use super::function::{Answer, Call, Resolved, ScalarFunction, Signature};
use super::generated::{Factory, Parameter};
use crate::refusal::Refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Similarity {
    Cosine,
    Euclidean,
    DotProduct,
}

/// What makes the function of this name for vectors of one dimension.
pub(super) fn factory(name: &str) -> Option<Factory> {
    let similarity = match name {
        "similarity_cosine" => Similarity::Cosine,
        "similarity_euclidean" => Similarity::Euclidean,
        "similarity_dot_product" => Similarity::DotProduct,
        _ => return None,
    };
    let own_name = name.to_owned();
    let parameters = vec![
        Parameter::SameAs(1, Box::new(Parameter::FloatVector)),
        Parameter::SameAs(0, Box::new(Parameter::FloatVector)),
    ];
    Some(Factory::inferred(name, parameters, move |types, _| {
        let [left, right] = types else {
            return Err(Refusal::server("a similarity takes two arguments"));
        };
        if left != right {
            return Err(Refusal::invalid(
                "All arguments must have the same vector dimensions",
            ));
        }
        let signature = Signature::new(&own_name, types.to_vec(), DataType::Float).generated();
        let (name, data_type) = (signature.name.clone(), left.clone());
        Ok(Resolved::Scalar(ScalarFunction::new(
            signature,
            move |call| similar(call, similarity, &name, &data_type),
        )))
    }))
}

fn similar(call: &Call<'_>, similarity: Similarity, name: &str, data_type: &DataType) -> Answer {
    let (Some(left), Some(right)) = (call.argument(0), call.argument(1)) else {
        return Ok(None);
    };
    let (left, right) = (floats(data_type, left)?, floats(data_type, right)?);
    let is_zero = |vector: &[f32]| vector.iter().all(|part| *part == 0.0);
    if similarity == Similarity::Cosine && (is_zero(&left) || is_zero(&right)) {
        let message = format!("Function {name} doesn't support all-zero vectors.");
        return Err(Refusal::invalid(message));
    }
    let answer = match similarity {
        Similarity::Cosine => (1.0 + cosine(&left, &right)) / 2.0,
        Similarity::Euclidean => 1.0 / (1.0 + square_distance(&left, &right)),
        Similarity::DotProduct => (1.0 + dot_product(&left, &right)) / 2.0,
    };
    Ok(Some(answer.to_be_bytes().to_vec()))
}

fn floats(data_type: &DataType, bytes: &[u8]) -> Result<Vec<f32>, Refusal> {
    let DataType::Vector { element, dimension } = data_type else {
        return Err(Refusal::server("not a vector"));
    };
    let float = |part: Result<&[u8], frames::FrameError>| {
        let bytes = part.map_err(|error| Refusal::server(error.to_string()))?;
        let bytes = bytes
            .try_into()
            .map_err(|_| Refusal::server("not a float"))?;
        Ok(f32::from_be_bytes(bytes))
    };
    frames::vector_parts(bytes, element, *dimension)
        .map(float)
        .collect()
}

fn dot_product(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).fold(0.0, |sum, (a, b)| sum + a * b)
}

fn square_distance(left: &[f32], right: &[f32]) -> f32 {
    left.iter()
        .zip(right)
        .fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let norms = f64::from(dot_product(left, left)) * f64::from(dot_product(right, right));
    (f64::from(dot_product(left, right)) / norms.sqrt()) as f32
}
