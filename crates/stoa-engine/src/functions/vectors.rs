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

/// How many products are summed by themselves before they join the sum. The order of additions
/// decides about the last digit.
const GROUP: usize = 8;

/// The odd ones first, then groups.
fn dot_product(left: &[f32], right: &[f32]) -> f32 {
    let products: Vec<f32> = left.iter().zip(right).map(|(a, b)| a * b).collect();
    let (odd, groups) = products.as_rchunks::<GROUP>();
    let start = odd.iter().fold(0.0, |sum, product| sum + product);
    sum_of_groups(start, groups)
}

/// Groups first, then the odd ones.
fn square_distance(left: &[f32], right: &[f32]) -> f32 {
    let squares: Vec<f32> = left
        .iter()
        .zip(right)
        .map(|(a, b)| (a - b) * (a - b))
        .collect();
    let (groups, odd) = squares.as_chunks::<GROUP>();
    odd.iter()
        .fold(sum_of_groups(0.0, groups), |sum, square| sum + square)
}

fn sum_of_groups(start: f32, groups: &[[f32; GROUP]]) -> f32 {
    let of_group = |group: &[f32; GROUP]| match group {
        [first, rest @ ..] => rest.iter().fold(*first, |sum, product| sum + product),
    };
    groups
        .iter()
        .fold(start, |sum, group| sum + of_group(group))
}

fn cosine(left: &[f32], right: &[f32]) -> f32 {
    let product = |left: &[f32], right: &[f32]| {
        let sum = left.iter().zip(right).fold(0.0, |sum, (a, b)| sum + a * b);
        f64::from(sum)
    };
    let norms = product(left, left) * product(right, right);
    (product(left, right) / norms.sqrt()) as f32
}
