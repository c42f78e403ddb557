//! Terms to values: constants, collections and bound variables.

use stoa_cql::ast::{LiteralKind, Name, Term};
use stoa_types::{Clock, DataType, frames, native, text};

use super::failure::{Known, invalid, unknown};
use super::value::{self, Val};

/// What terms are evaluated with.
#[derive(Clone, Copy)]
pub(super) struct Terms<'a> {
    /// The bound values, by the index of their marker.
    pub(super) values: &'a [Val],
    /// What `now` is as a timestamp.
    pub(super) clock: &'a dyn Clock,
}

impl Terms<'_> {
    /// The value of a term that is expected to be of a type.
    pub(super) fn eval(&self, term: &Term, data_type: &DataType) -> Known<Val> {
        match term {
            Term::Null => Ok(Val::Null),
            Term::Marker(marker) => match self.values.get(marker.index) {
                Some(value) => Ok(value.clone()),
                None => invalid("Invalid amount of bind variables"),
            },
            Term::Literal(literal) => {
                literal_value(literal.kind, &literal.text, data_type, self.clock).map(Val::Bytes)
            }
            Term::ListOrVector(elements) => self.sequence(elements, data_type),
            Term::SetOrEmptyMap(elements) => self.set(elements, data_type),
            Term::Map(entries) => self.map(entries, data_type),
            Term::UserType(fields) => self.user_type(fields, data_type),
            Term::Tuple(fields) => self.tuple(fields, data_type),
            Term::TypeHint(..)
            | Term::Function { .. }
            | Term::Cast(..)
            | Term::Negation(_)
            | Term::Arithmetic { .. } => unknown("computed terms"),
        }
    }

    /// A value inside a collection.
    fn inside(&self, term: &Term, data_type: &DataType) -> Known<Vec<u8>> {
        if matches!((term, data_type), (Term::Map(_), other) if !matches!(other, DataType::Map { .. }))
        {
            return unknown("a map inside of a map");
        }
        match self.eval(term, data_type)? {
            Val::Bytes(bytes) => Ok(bytes),
            Val::Null => invalid("null is not supported inside collections"),
            Val::Unset => invalid("unset value is not supported inside collections"),
        }
    }

    fn all_inside(&self, terms: &[Term], data_type: &DataType) -> Known<Vec<Vec<u8>>> {
        no_markers(terms)?;
        terms
            .iter()
            .map(|term| self.inside(term, data_type))
            .collect()
    }

    fn sequence(&self, terms: &[Term], data_type: &DataType) -> Known<Val> {
        match data_type {
            DataType::List { element, .. } => {
                let elements = self.all_inside(terms, element)?;
                Ok(Val::Bytes(value::list(&elements)))
            }
            DataType::Vector { element, dimension } => {
                if usize::try_from(*dimension) != Ok(terms.len()) {
                    return invalid("a vector of another dimension");
                }
                let mut out = Vec::new();
                for term in terms {
                    let part = self.inside(term, element)?;
                    frames::write_vector_part(element, &part, &mut out);
                }
                Ok(Val::Bytes(out))
            }
            other => invalid(format!("Invalid list literal of type {other}")),
        }
    }

    fn set(&self, terms: &[Term], data_type: &DataType) -> Known<Val> {
        match data_type {
            DataType::Set { element, .. } => {
                let mut elements = self.all_inside(terms, element)?;
                value::sort_set(element, &mut elements);
                Ok(Val::Bytes(value::list(&elements)))
            }
            DataType::Map { .. } if terms.is_empty() => Ok(Val::Bytes(value::map(&[]))),
            DataType::UserDefined(_) if terms.is_empty() => unknown("{} as a user-defined type"),
            other => invalid(format!("Invalid set literal of type {other}")),
        }
    }

    fn map(&self, terms: &[(Term, Term)], data_type: &DataType) -> Known<Val> {
        let DataType::Map { key, value, .. } = data_type else {
            return invalid(format!("Invalid map literal of type {data_type}"));
        };
        let entry = |(left, right): &(Term, Term)| {
            no_markers([left, right])?;
            Ok((self.inside(left, key)?, self.inside(right, value)?))
        };
        let mut entries = terms.iter().map(entry).collect::<Known<Vec<_>>>()?;
        value::sort_map(key, &mut entries);
        Ok(Val::Bytes(value::map(&entries)))
    }

    fn user_type(&self, terms: &[(Name, Term)], data_type: &DataType) -> Known<Val> {
        let DataType::UserDefined(user) = data_type else {
            return invalid(format!("Invalid user type literal of type {data_type}"));
        };
        let is_field = |name: &Name| user.fields.iter().any(|field| *name == *field.name);
        if let Some((name, _)) = terms.iter().find(|(name, _)| !is_field(name)) {
            return invalid(format!("Unknown field {} in value", name.as_str()));
        }
        let mut fields = Vec::new();
        for field in &user.fields {
            let given = terms.iter().rev().find(|(name, _)| *name == *field.name);
            let value = match given {
                Some((_, term)) => self.eval(term, &field.data_type)?,
                None => Val::Null,
            };
            if value == Val::Unset {
                return unknown("an unset field");
            }
            fields.push(value.optional("a field")?);
        }
        Ok(Val::Bytes(value::tuple(&fields)))
    }

    fn tuple(&self, terms: &[Term], data_type: &DataType) -> Known<Val> {
        let DataType::Tuple(types) = data_type else {
            return match (terms.len(), data_type) {
                (1, _) | (_, DataType::UserDefined(_)) => unknown("such a tuple"),
                _ => invalid(format!("Invalid tuple literal of type {data_type}")),
            };
        };
        if terms.len() > types.len() {
            return invalid("Invalid tuple literal: too many elements");
        }
        let field = |(term, field): (&Term, &DataType)| {
            let value = self.eval(term, field)?;
            value.optional("a field of a tuple")
        };
        let fields = terms
            .iter()
            .zip(types)
            .map(field)
            .collect::<Known<Vec<_>>>()?;
        Ok(Val::Bytes(value::tuple(&fields)))
    }
}

/// Variables are not allowed directly inside of collections.
fn no_markers<'a>(terms: impl IntoIterator<Item = &'a Term>) -> Known<()> {
    let mut terms = terms.into_iter();
    match terms.any(|term| matches!(term, Term::Marker(_))) {
        true => invalid("bind variables are not supported inside collection literals"),
        false => Ok(()),
    }
}

/// The bytes of a constant, as `Constants.Literal` reads it.
pub(super) fn literal_value(
    kind: LiteralKind,
    words: &str,
    data_type: &DataType,
    clock: &dyn Clock,
) -> Known<Vec<u8>> {
    match fits(kind, data_type) {
        Fit::Yes => {}
        Fit::No => return invalid(format!("Invalid constant ({words}) of type {data_type}")),
        Fit::Unknown => return unknown(format!("a constant {words} for {data_type}")),
    }
    let Ok(value) = text::parse(data_type, words, clock) else {
        if kind == LiteralKind::Duration {
            return unknown("a duration that is too long");
        }
        return invalid(format!("unable to make {data_type} from '{words}'"));
    };
    match native::encode(data_type, &value) {
        Ok(Some(bytes)) => Ok(bytes),
        Ok(None) => unknown("a constant that is null"),
        Err(error) => invalid(error.to_string()),
    }
}

enum Fit {
    Yes,
    No,
    Unknown,
}

fn fits(kind: LiteralKind, data_type: &DataType) -> Fit {
    use DataType as T;
    let is_fit = match kind {
        LiteralKind::String => matches!(
            data_type,
            T::Ascii | T::Text | T::Inet | T::Timestamp | T::Date | T::Time
        ),
        LiteralKind::Integer => matches!(
            data_type,
            T::BigInt
                | T::Counter
                | T::Date
                | T::Decimal
                | T::Double
                | T::Duration
                | T::Float
                | T::Int
                | T::SmallInt
                | T::Time
                | T::Timestamp
                | T::TinyInt
                | T::VarInt
        ),
        LiteralKind::Float => matches!(data_type, T::Decimal | T::Double | T::Float),
        LiteralKind::Uuid => matches!(data_type, T::Uuid | T::TimeUuid),
        LiteralKind::Boolean => matches!(data_type, T::Boolean),
        LiteralKind::Hex => matches!(data_type, T::Blob),
        LiteralKind::Duration => matches!(data_type, T::Duration),
    };
    let is_doubtful = matches!(data_type, T::Custom(_) | T::Empty | T::Tuple(_))
        || (kind == LiteralKind::Hex && !is_fit)
        || (kind == LiteralKind::Integer && matches!(data_type, T::Duration));
    match (is_fit, is_doubtful) {
        (_, true) => Fit::Unknown,
        (true, false) => Fit::Yes,
        (false, false) => Fit::No,
    }
}
