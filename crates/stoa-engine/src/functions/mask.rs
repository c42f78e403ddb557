//! Functions that hide values: `mask_null`, `mask_default`, `mask_replace`, `mask_inner`,
//! `mask_outer` and `mask_hash`.

mod digest;

use stoa_types::{DataType, frames, time_uuid};

use self::digest::digest;
use super::function::{Answer, Call, Resolved, ScalarFunction, Signature};
use super::generated::{Factory, Parameter};
use crate::refusal::Refusal;

const TEXTS: &[DataType] = &[DataType::Text, DataType::Ascii];
const TEXT: &[DataType] = &[DataType::Text];
const INT: &[DataType] = &[DataType::Int];

/// What hides a character unless the call says otherwise.
const PADDING: char = '*';
const DEFAULT_ALGORITHM: &str = "SHA-256";

/// What makes the function of this name for a type.
pub(super) fn factory(name: &str) -> Option<Factory> {
    let optional = |types| Parameter::Optional(Box::new(Parameter::Fixed(types)));
    let parameters = match name {
        "mask_null" | "mask_default" => vec![Parameter::Any],
        "mask_replace" => vec![
            Parameter::AnyOrReceiver,
            Parameter::RatherSameAs(0, Box::new(Parameter::AnyOrReceiver)),
        ],
        "mask_inner" | "mask_outer" => vec![
            Parameter::Fixed(TEXTS),
            Parameter::Fixed(INT),
            Parameter::Fixed(INT),
            optional(TEXT),
        ],
        "mask_hash" => vec![Parameter::Any, optional(TEXT)],
        _ => return None,
    };
    let own_name = name.to_owned();
    Some(Factory::inferred(name, parameters, move |types, _| {
        Ok(Resolved::Scalar(function(&own_name, types)))
    }))
}

fn function(name: &str, types: &[DataType]) -> ScalarFunction {
    let data_type = types.first().cloned().unwrap_or(DataType::Empty);
    let fixed = |fixed: &[DataType]| {
        let all = [std::slice::from_ref(&data_type), fixed].concat();
        all.get(..types.len())
            .map_or_else(|| all.clone(), <[DataType]>::to_vec)
    };
    let (arguments, result) = match name {
        "mask_inner" | "mask_outer" => (
            fixed(&[DataType::Int, DataType::Int, DataType::Text]),
            data_type.clone(),
        ),
        "mask_hash" => (fixed(TEXT), DataType::Blob),
        _ => (types.to_vec(), data_type.clone()),
    };
    let signature = Signature::new(name, arguments, result).generated();
    let qualified = signature.name.clone();
    match name {
        "mask_null" => ScalarFunction::new(signature, |_| Ok(None)),
        "mask_default" => ScalarFunction::new(signature, move |_| Ok(Some(default_of(&data_type)))),
        "mask_replace" => {
            ScalarFunction::new(signature, |call| Ok(call.argument(1).map(<[u8]>::to_vec)))
        }
        "mask_hash" => ScalarFunction::new(signature, hash),
        "mask_inner" => ScalarFunction::new(signature, move |call| {
            partial(call, &qualified, &data_type, Hidden::Inside)
        }),
        _ => ScalarFunction::new(signature, move |call| {
            partial(call, &qualified, &data_type, Hidden::Outside)
        }),
    }
}

/// The value that stands for every value of a type: zero, four asterisks, nothing inside.
fn default_of(data_type: &DataType) -> Vec<u8> {
    match data_type {
        DataType::Ascii | DataType::Text => b"****".to_vec(),
        DataType::Blob | DataType::Empty | DataType::Custom(_) => Vec::new(),
        DataType::Boolean | DataType::TinyInt | DataType::VarInt => vec![0],
        DataType::SmallInt => vec![0; 2],
        DataType::Int | DataType::Float | DataType::Inet => vec![0; 4],
        DataType::BigInt
        | DataType::Counter
        | DataType::Double
        | DataType::Time
        | DataType::Timestamp => vec![0; 8],
        DataType::Date => (1_u32 << 31).to_be_bytes().to_vec(),
        DataType::Decimal => vec![0; 5],
        DataType::Duration => vec![0; 3],
        DataType::Uuid => vec![0; 16],
        DataType::TimeUuid => time_uuid::least_at_unix_millis(0).as_bytes().to_vec(),
        DataType::List { .. } | DataType::Set { .. } | DataType::Map { .. } => vec![0; 4],
        DataType::Tuple(_) | DataType::UserDefined(_) => {
            let mut out = Vec::new();
            for field in data_type.inner() {
                // A default is never too large to be framed.
                let _ = frames::write_part(Some(&default_of(field)), &mut out);
            }
            out
        }
        DataType::Vector { element, dimension } => {
            let part = default_of(element);
            let mut out = Vec::new();
            for _ in 0..*dimension {
                frames::write_vector_part(element, &part, &mut out);
            }
            out
        }
    }
}

fn hash(call: &Call<'_>) -> Answer {
    let named = call.argument(1).map(String::from_utf8_lossy);
    let algorithm = named.as_deref().unwrap_or(DEFAULT_ALGORITHM);
    let digest = digest(algorithm)
        .ok_or_else(|| Refusal::invalid(format!("Hash algorithm not found: {algorithm}")))?;
    Ok(call.argument(0).map(digest))
}

/// Which part of a text is hidden.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    Inside,
    Outside,
}

/// A text whose inside, or whose ends, are hidden. Characters are counted as Java does, in UTF-16;
/// half of a pair becomes a question mark.
fn partial(call: &Call<'_>, name: &str, data_type: &DataType, hidden: Hidden) -> Answer {
    let padding = padding(call, name)?;
    let Some(bytes) = call.argument(0) else {
        return Ok(None);
    };
    let number = |index: usize| {
        let bytes = call.argument(index).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, i32::from_be_bytes)
    };
    let text = String::from_utf8_lossy(bytes);
    let units: Vec<u16> = text.encode_utf16().collect();
    let begin = number(1);
    let last = i32::try_from(units.len())
        .unwrap_or(i32::MAX)
        .wrapping_sub(1);
    let end = last.wrapping_sub(number(2));
    let masked = units.into_iter().zip(0_i32..).map(|(unit, place)| {
        let is_inside = place >= begin && place <= end;
        if is_inside == (hidden == Hidden::Inside) {
            padding
        } else {
            unit
        }
    });
    let character = |unit: Result<char, _>| {
        let character = unit.unwrap_or('?');
        if *data_type == DataType::Ascii && !character.is_ascii() {
            '?'
        } else {
            character
        }
    };
    let masked: String = char::decode_utf16(masked).map(character).collect();
    Ok(Some(masked.into_bytes()))
}

fn padding(call: &Call<'_>, name: &str) -> Result<u16, Refusal> {
    let Some(bytes) = call.argument(3) else {
        return Ok(PADDING as u16);
    };
    let text = String::from_utf8_lossy(bytes);
    let units: Vec<u16> = text.encode_utf16().collect();
    match units.as_slice() {
        [only] => Ok(*only),
        several => Err(Refusal::invalid(format!(
            "The padding argument for function {name} should be single-character, but '{text}' \
             has {} characters.",
            several.len()
        ))),
    }
}
