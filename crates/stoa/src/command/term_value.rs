//! The value of a CQL term that is written out.

use stoa_cql::ast::Term;
use stoa_types::{Clock, DataType, Value, text};

/// The value of a term that is written out: without variables, functions and arithmetic.
pub(crate) fn value_of_term(data_type: &DataType, term: &Term, clock: &dyn Clock) -> Option<Value> {
    let all = |types: &mut dyn Iterator<Item = &DataType>, terms: &[Term]| {
        let pairs = types.zip(terms);
        let values = pairs.map(|(data_type, term)| value_of_term(data_type, term, clock));
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
            let entry = |(k, v): &(Term, Term)| {
                Some((
                    value_of_term(key, k, clock)?,
                    value_of_term(value, v, clock)?,
                ))
            };
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
                    value_of_term(&field.data_type, term, clock)
                })
            });
            fields.collect::<Option<_>>().map(Value::UserDefined)
        }
        (native, Term::Literal(literal)) => text::parse(native, &literal.text, clock).ok(),
        _ => None,
    }
}
