//! Values as fields of CSV, and back, without loss.
//!
//! A native value is written as its text without quotes; everything else as its CQL literal.

use anyhow::anyhow;
use stoa_cql::ast::Term;
use stoa_types::text::{self, LiteralError};
use stoa_types::{Clock, DataType, Value};

/// The field of a value; `None` is null.
pub(super) fn field(data_type: &DataType, value: &Value) -> Result<Option<String>, LiteralError> {
    Ok(match value {
        Value::Null => None,
        Value::Empty => Some(String::new()),
        Value::Text(text) | Value::Ascii(text) => Some(text.clone()),
        other => {
            let literal = text::literal(data_type, other)?;
            let inner = literal
                .strip_prefix('\'')
                .and_then(|it| it.strip_suffix('\''));
            Some(inner.map_or(literal.clone(), |inner| inner.replace("''", "'")))
        }
    })
}

/// The value of a field.
///
/// # Errors
/// When it is not a value of the type.
pub(super) fn value(
    data_type: &DataType,
    field: Option<&str>,
    clock: &dyn Clock,
) -> anyhow::Result<Value> {
    let Some(field) = field else {
        return Ok(Value::Null);
    };
    if data_type.native_name().is_some() {
        return Ok(text::parse(data_type, field, clock)?);
    }
    if field.is_empty() && data_type.allows_empty() {
        return Ok(Value::Empty);
    }
    let term = stoa_cql::parse_term(field)?;
    let value = of_term(data_type, &term, clock);
    value.ok_or_else(|| anyhow!("unable to make {data_type} from '{field}'"))
}

/// The value of a term that is written out: without variables, functions and arithmetic.
fn of_term(data_type: &DataType, term: &Term, clock: &dyn Clock) -> Option<Value> {
    let all = |types: &mut dyn Iterator<Item = &DataType>, terms: &[Term]| {
        let pairs = types.zip(terms);
        let values = pairs.map(|(data_type, term)| of_term(data_type, term, clock));
        values.collect::<Option<Vec<Value>>>()
    };
    match (data_type, term) {
        (_, Term::Null) => Some(Value::Null),
        (DataType::List { element, .. }, Term::ListOrVector(terms)) => {
            all(&mut std::iter::repeat(&**element), terms).map(Value::List)
        }
        (DataType::Vector { element, .. }, Term::ListOrVector(terms)) => {
            all(&mut std::iter::repeat(&**element), terms).map(Value::Vector)
        }
        (DataType::Set { element, .. }, Term::SetOrEmptyMap(terms)) => {
            all(&mut std::iter::repeat(&**element), terms).map(Value::Set)
        }
        (DataType::Map { .. }, Term::SetOrEmptyMap(terms)) if terms.is_empty() => {
            Some(Value::Map(Vec::new()))
        }
        (DataType::Map { key, value, .. }, Term::Map(entries)) => {
            let entry =
                |(k, v): &(Term, Term)| Some((of_term(key, k, clock)?, of_term(value, v, clock)?));
            entries
                .iter()
                .map(entry)
                .collect::<Option<_>>()
                .map(Value::Map)
        }
        (DataType::Tuple(types), Term::Tuple(terms)) if terms.len() <= types.len() => {
            all(&mut types.iter(), terms).map(Value::Tuple)
        }
        (DataType::UserDefined(user), Term::UserType(given)) => {
            let is_known = |name: &str| user.fields.iter().any(|field| field.name == name);
            if !given.iter().all(|(name, _)| is_known(name.as_str())) {
                return None;
            }
            let fields = user.fields.iter().map(|field| {
                let found = given.iter().rfind(|(name, _)| name.as_str() == field.name);
                found.map_or(Some(Value::Null), |(_, term)| {
                    of_term(&field.data_type, term, clock)
                })
            });
            fields.collect::<Option<_>>().map(Value::UserDefined)
        }
        (native, Term::Literal(literal)) => text::parse(native, &literal.text, clock).ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use stoa_types::clock::ManualClock;

    use super::*;

    fn round_trip(data_type: &DataType, written: &str) {
        let clock = ManualClock::at_micros(0);
        let read = value(data_type, Some(written), &clock).unwrap();
        assert_eq!(field(data_type, &read).unwrap().as_deref(), Some(written));
    }

    #[test]
    fn natives_are_written_without_quotes() {
        round_trip(&DataType::Text, "it's 'it'");
        round_trip(&DataType::Int, "-5");
        round_trip(&DataType::Blob, "0xcafe");
        round_trip(&DataType::Boolean, "true");
        round_trip(&DataType::Date, "2011-02-03");
        round_trip(&DataType::Timestamp, "2011-02-03T04:05:00.007Z");
        round_trip(&DataType::Inet, "::1");
        round_trip(&DataType::Double, "0.1");
        round_trip(&DataType::Duration, "1y2mo");
    }

    #[test]
    fn the_rest_is_written_as_literals() {
        let names = DataType::list(DataType::Text);
        round_trip(&names, "['it''s', '']");
        round_trip(&DataType::map(DataType::Int, names), "{1: ['a'], 2: []}");
        round_trip(&DataType::set(DataType::Date), "{'2011-02-03'}");
        round_trip(
            &DataType::tuple(vec![DataType::Int, DataType::Text]),
            "(1, null)",
        );
        round_trip(&DataType::vector(DataType::Float, 2), "[1.5, -2.0]");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let clock = ManualClock::at_micros(0);
        for (data_type, written) in [
            (DataType::Int, "one"),
            (DataType::list(DataType::Int), "['one']"),
            (DataType::list(DataType::Int), "[1"),
            (DataType::set(DataType::Int), "[1]"),
            (DataType::list(DataType::Int), "[now()]"),
        ] {
            assert!(
                value(&data_type, Some(written), &clock).is_err(),
                "{written}"
            );
        }
    }
}
