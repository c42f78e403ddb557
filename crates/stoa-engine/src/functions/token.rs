//! `token`: where a partition lies on the ring.

use stoa_types::{DataType, Token, partition_key};

use super::function::{Answer, Call, Resolved, ScalarFunction, Signature};
use super::generated::Factory;
use super::resolve::Context;
use crate::refusal::Refusal;

/// The function of the table that the call stands in.
pub(super) fn factory(context: &Context<'_>) -> Result<Factory, Refusal> {
    let types = context
        .partition_key
        .ok_or_else(|| Refusal::invalid("No receiver table has been specified for function token"))?
        .to_vec();
    Ok(Factory::given("token", move || {
        let signature = Signature::new("token", types.clone(), DataType::BigInt).generated();
        Ok(Resolved::Scalar(ScalarFunction::new(signature, token)))
    }))
}

fn token(call: &Call<'_>) -> Answer {
    let values: Option<Vec<&[u8]>> = call.arguments.iter().copied().collect();
    let Some(values) = values else {
        return Ok(None);
    };
    let key = partition_key::join(&values).map_err(|error| Refusal::invalid(error.to_string()))?;
    Ok(Some(Token::of_partition_key(&key).0.to_be_bytes().to_vec()))
}
