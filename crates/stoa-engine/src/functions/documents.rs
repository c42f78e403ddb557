//! `to_json` and `from_json`.

use stoa_types::DataType;

use super::function::{Answer, Call, Resolved, ScalarFunction, Signature};
use super::generated::{Factory, Parameter};
use crate::json;
use crate::refusal::{Refusal, RefusalKind};

const TEXT: &[DataType] = &[DataType::Text];

/// What makes the function of this name for a type.
pub(super) fn factory(name: &str) -> Option<Factory> {
    let own_name = name.to_owned();
    Some(match name {
        "to_json" | "tojson" => Factory::inferred(name, vec![Parameter::Any], move |types, _| {
            let data_type = types.first().cloned().unwrap_or(DataType::Empty);
            let signature =
                Signature::new(&own_name, vec![data_type.clone()], DataType::Text).generated();
            Ok(Resolved::Scalar(ScalarFunction::new(
                signature,
                move |call| to_json(call, &data_type),
            )))
        }),
        "from_json" | "fromjson" => {
            Factory::inferred(name, vec![Parameter::Fixed(TEXT)], move |_, receiver| {
                let data_type = receiver.cloned().ok_or_else(|| {
                    Refusal::invalid(format!(
                        "{own_name}() cannot be used in the selection clause of a SELECT statement"
                    ))
                })?;
                let signature =
                    Signature::new(&own_name, vec![DataType::Text], data_type.clone()).generated();
                Ok(Resolved::Scalar(ScalarFunction::new(
                    signature,
                    move |call| from_json(call, &data_type),
                )))
            })
        }
        _ => return None,
    })
}

fn to_json(call: &Call<'_>, data_type: &DataType) -> Answer {
    let has_empty = data_type.is_empty_ordinary()
        || matches!(data_type, DataType::Empty | DataType::UserDefined(_));
    let is_nothing = |bytes: &&[u8]| bytes.is_empty() && !has_empty;
    let bytes = call.argument(0).filter(|bytes| !is_nothing(bytes));
    json::to_json(data_type, bytes).map(|text| Some(text.into_bytes()))
}

fn from_json(call: &Call<'_>, data_type: &DataType) -> Answer {
    let Some(bytes) = call.argument(0) else {
        return Ok(None);
    };
    let text = String::from_utf8_lossy(bytes);
    let json = json::parse(&text).map_err(|error| {
        let message = format!("Could not decode JSON string '{text}': {error}");
        Refusal::new(RefusalKind::FunctionFailure, message)
    })?;
    json::from_json(data_type, &json, call.environment.clock)
        .map_err(json::FromJsonError::for_function)
}
