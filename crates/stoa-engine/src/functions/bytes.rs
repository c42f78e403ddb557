//! `blob_as_int`, `int_as_blob` and the like: a value taken for its bytes, and back.
//!
//! There are two for each native type but blob, and two for `varchar`; each has an old name too,
//! without underscores.

use stoa_types::{DataType, native};

use super::function::{Answer, Call, ScalarFunction, Signature};
use crate::refusal::Refusal;

/// The conversions of this name: one or none.
pub(super) fn overloads(name: &str) -> Vec<ScalarFunction> {
    conversion(name).into_iter().collect()
}

fn conversion(name: &str) -> Option<ScalarFunction> {
    let from_blob = name
        .strip_prefix("blob_as_")
        .or_else(|| name.strip_prefix("blobas"));
    if let Some(data_type) = from_blob.and_then(convertible) {
        let signature = Signature::new(name, vec![DataType::Blob], data_type.clone());
        let name = signature.name.clone();
        return Some(ScalarFunction::new(signature, move |call| {
            from_bytes(call, &name, &data_type)
        }));
    }
    let to_blob = name
        .strip_suffix("_as_blob")
        .or_else(|| name.strip_suffix("asblob"))?;
    let signature = Signature::new(name, vec![convertible(to_blob)?], DataType::Blob);
    Some(ScalarFunction::new(signature, |call| {
        Ok(call.argument(0).map(<[u8]>::to_vec))
    }))
}

fn convertible(type_name: &str) -> Option<DataType> {
    DataType::from_native_name(type_name).filter(|data_type| *data_type != DataType::Blob)
}

fn from_bytes(call: &Call<'_>, name: &str, data_type: &DataType) -> Answer {
    let Some(bytes) = call.argument(0) else {
        return Ok(None);
    };
    if native::validate(data_type, bytes).is_err() {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        return Err(Refusal::invalid(format!(
            "In call to function {name}, value 0x{digits} is not a valid binary representation \
             for type {data_type}"
        )));
    }
    Ok(Some(bytes.to_vec()))
}
