//! Calls by name: which function they mean, and what it answers.

mod answers;
mod resolution;

use stoa_types::{DataType, ManualClock, SeededIds, Value, native, text};

use super::*;
use crate::refusal::Refusal;

/// An argument as a test writes it.
pub(super) enum Given {
    /// A value of a type, such as a column: `int 5`.
    Typed(DataType),
    /// A number without point: it prefers the least of int, bigint and varint.
    Integer(i128),
    /// A number with a point.
    Float,
    /// A quoted text.
    Quoted,
    /// A marker.
    Marker,
    /// `null`.
    Null,
    /// Numbers in square brackets, in a selection.
    Bracketed(usize),
}

impl Given {
    /// What a literal would rather be, and what else it may be, by `Constants.Literal`.
    fn literal(&self, receiver: &DataType) -> Assignability {
        let is_number = generated::is_number(receiver);
        let fits = match self {
            Self::Integer(_) => {
                is_number
                    || matches!(
                        receiver,
                        DataType::Timestamp | DataType::Date | DataType::Time
                    )
            }
            Self::Float => matches!(
                receiver,
                DataType::Float | DataType::Double | DataType::Decimal
            ),
            Self::Quoted => matches!(
                receiver,
                DataType::Ascii
                    | DataType::Text
                    | DataType::Inet
                    | DataType::Date
                    | DataType::Time
                    | DataType::Timestamp
            ),
            _ => false,
        };
        match self.own_type() {
            Some(own) if own == *receiver => Assignability::Exact,
            _ if fits => Assignability::Weak,
            _ => Assignability::Not,
        }
    }
}

impl Argument for Given {
    fn own_type(&self) -> Option<DataType> {
        match self {
            Self::Typed(data_type) => Some(data_type.clone()),
            Self::Integer(number) if i32::try_from(*number).is_ok() => Some(DataType::Int),
            Self::Integer(number) if i64::try_from(*number).is_ok() => Some(DataType::BigInt),
            Self::Integer(_) => Some(DataType::VarInt),
            Self::Float => Some(DataType::Double),
            Self::Quoted => Some(DataType::Ascii),
            Self::Bracketed(_) => Some(DataType::list(DataType::Int)),
            Self::Marker | Self::Null => None,
        }
    }

    fn assignability(&self, receiver: &DataType) -> Assignability {
        match self {
            Self::Typed(own) => assignability(own, receiver),
            Self::Marker => Assignability::Weak,
            Self::Null if *receiver == DataType::Counter => Assignability::Not,
            Self::Null => Assignability::Weak,
            Self::Bracketed(_) => match receiver {
                DataType::List { .. } | DataType::Vector { .. } => Assignability::Weak,
                _ => Assignability::Not,
            },
            literal => literal.literal(receiver),
        }
    }

    fn text(&self) -> String {
        "argument".to_owned()
    }

    fn is_marker(&self) -> bool {
        matches!(self, Self::Marker)
    }

    fn bracketed_length(&self) -> Option<usize> {
        match self {
            Self::Bracketed(length) => Some(*length),
            _ => None,
        }
    }
}

/// A type in CQL: native names, `list<int>`, `map<int, text>`, `tuple<..>` and `vector<float, 2>`.
pub(super) fn data_type(text: &str) -> DataType {
    if let Some(native) = DataType::from_native_name(text) {
        return native;
    }
    let (kind, inside) = text.split_once('<').unwrap();
    let inside = inside.strip_suffix('>').unwrap();
    let (first, second) = inside.split_once(", ").unwrap_or((inside, ""));
    match kind {
        "list" => DataType::list(data_type(inside)),
        "set" => DataType::set(data_type(inside)),
        "map" => DataType::map(data_type(first), data_type(second)),
        "tuple" => DataType::tuple(vec![data_type(first), data_type(second)]),
        "vector" => DataType::vector(data_type(first), second.parse().unwrap()),
        other => panic!("no such type: {other}"),
    }
}

/// A value as `int 5`, `text abc`, `list<int> 1 2 3`, `map<int, text> 1 a`, or `int null`.
pub(super) fn value(given: &str) -> (DataType, Option<Vec<u8>>) {
    let space = match given.find('>') {
        Some(_) => given.rfind('>').unwrap() + 1,
        None => given.find(' ').unwrap_or(given.len()),
    };
    let (type_text, rest) = given.split_at(space);
    let data_type = data_type(type_text);
    let rest = rest.strip_prefix(' ').unwrap_or_default();
    if rest == "null" {
        return (data_type, None);
    }
    let clock = ManualClock::at_micros(0);
    let scalar = |data_type: &DataType, text: &str| text::parse(data_type, text, &clock).unwrap();
    let words: Vec<&str> = rest.split_whitespace().collect();
    let parts = |element: &DataType| words.iter().map(|word| scalar(element, word)).collect();
    let value = match &data_type {
        DataType::List { element, .. } => Value::List(parts(element)),
        DataType::Set { element, .. } => Value::Set(parts(element)),
        DataType::Vector { element, .. } => Value::Vector(parts(element)),
        DataType::Map { key, value, .. } => Value::Map(
            words
                .chunks(2)
                .map(|pair| (scalar(key, pair[0]), scalar(value, pair[1])))
                .collect(),
        ),
        DataType::Tuple(types) => Value::Tuple(
            types
                .iter()
                .zip(&words)
                .map(|(own, word)| scalar(own, word))
                .collect(),
        ),
        native => scalar(native, rest),
    };
    let bytes = native::encode(&data_type, &value).unwrap();
    (data_type, bytes)
}

/// Calls a function with values and shows its answer as `int 5`, or its refusal as `0x2200`.
pub(super) fn call(name: &str, arguments: &[&str]) -> String {
    let values: Vec<_> = arguments.iter().map(|given| value(given)).collect();
    let given: Vec<Given> = values
        .iter()
        .map(|(own, _)| Given::Typed(own.clone()))
        .collect();
    let arguments: Vec<&dyn Argument> = given.iter().map(|one| one as &dyn Argument).collect();
    let bytes: Vec<Option<&[u8]>> = values.iter().map(|(_, bytes)| bytes.as_deref()).collect();
    let types: Vec<DataType> = values.iter().map(|(own, _)| own.clone()).collect();
    let context = Context {
        partition_key: Some(&types),
    };
    let resolved = resolve(&FunctionName::unqualified(name), &arguments, None, &context);
    match resolved {
        Ok(Some(Resolved::Scalar(function))) => show(&function, &bytes),
        Ok(Some(Resolved::Aggregate(function))) => format!("aggregate {}", function.signature()),
        Ok(None) => "unknown".to_owned(),
        Err(refusal) => code(&refusal),
    }
}

/// Calls a resolved function and shows its answer.
pub(super) fn show(function: &ScalarFunction, arguments: &[Option<&[u8]>]) -> String {
    let clock = ManualClock::at_micros(1_600_000_000_123_456);
    let ids = SeededIds::new(1);
    let environment = Environment {
        clock: &clock,
        ids: &ids,
    };
    match function.call(arguments, &environment) {
        Ok(answer) => shown(&function.signature().result, answer.as_deref()),
        Err(refusal) => code(&refusal),
    }
}

/// A value as `int 5`.
pub(super) fn shown(data_type: &DataType, bytes: Option<&[u8]>) -> String {
    let value = bytes.map_or(Value::Null, |bytes| {
        native::decode(data_type, bytes).unwrap()
    });
    let type_text = data_type.clone().without_frozen();
    format!("{type_text} {}", text::literal(data_type, &value).unwrap())
}

/// The code of a refusal.
pub(super) fn code(refusal: &Refusal) -> String {
    format!("{:#06x}", refusal.kind.code())
}
