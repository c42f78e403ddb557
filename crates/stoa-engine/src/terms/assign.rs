//! How well a term fits a type, before it has a value.

use num_bigint::BigInt;
use stoa_cql::ast::{self, ArithmeticOperator, Literal, LiteralKind};
use stoa_types::{DataType, Decimal};

use super::Context;
use super::prepare::{element_type, known_cast, named_function};
use crate::functions::float_text::double_text;
use crate::functions::{self, Argument, Assignability, arithmetic, cast};

/// A term as the argument of a function.
pub(crate) struct TermArgument<'a> {
    pub(crate) term: &'a ast::Term,
    pub(crate) context: &'a Context<'a>,
}

impl Argument for TermArgument<'_> {
    fn own_type(&self) -> Option<DataType> {
        own_type(self.term, self.context)
    }

    fn assignability(&self, receiver: &DataType) -> Assignability {
        assignability(self.term, receiver, self.context)
    }

    fn text(&self) -> String {
        self.term.to_string()
    }

    fn is_marker(&self) -> bool {
        matches!(self.term, ast::Term::Marker(_))
    }
}

/// The type that a term has, or prefers to have.
pub(crate) fn own_type(term: &ast::Term, context: &Context<'_>) -> Option<DataType> {
    match term {
        ast::Term::Literal(literal) => Some(preferred_type(literal)),
        ast::Term::TypeHint(hint, _) => context.resolve_type(hint).ok(),
        ast::Term::Function { name, arguments } => {
            let function = named_function(name, arguments, None, context).ok()?;
            Some(function.signature().result.clone())
        }
        ast::Term::Arithmetic {
            operator,
            left,
            right,
        } => {
            let function = operation(*operator, left, right, None, context)?;
            Some(function.signature().result.clone())
        }
        ast::Term::Negation(inner) => own_type(inner, context),
        ast::Term::Cast(_, to) => Some(to.data_type()),
        ast::Term::ListOrVector(_)
        | ast::Term::SetOrEmptyMap(_)
        | ast::Term::Map(_)
        | ast::Term::Tuple(_)
        | ast::Term::UserType(_)
        | ast::Term::Marker(_)
        | ast::Term::Null => None,
    }
}

fn operation(
    operator: ArithmeticOperator,
    left: &ast::Term,
    right: &ast::Term,
    receiver: Option<&DataType>,
    context: &Context<'_>,
) -> Option<functions::ScalarFunction> {
    let left = TermArgument {
        term: left,
        context,
    };
    let right = TermArgument {
        term: right,
        context,
    };
    arithmetic::resolve(operator.into(), &left, &right, receiver).ok()
}

/// The type that a literal is of where nothing else is asked for.
pub(crate) fn preferred_type(literal: &Literal) -> DataType {
    match literal.kind {
        LiteralKind::String if literal.text.is_ascii() => DataType::Ascii,
        LiteralKind::String => DataType::Text,
        LiteralKind::Integer => match literal.text.parse::<BigInt>() {
            Ok(number) if i32::try_from(&number).is_ok() => DataType::Int,
            Ok(number) if i64::try_from(&number).is_ok() => DataType::BigInt,
            _ => DataType::VarInt,
        },
        LiteralKind::Float => match literal.text.parse::<Decimal>() {
            Ok(exact) if !is_double(&literal.text, &exact) => DataType::Decimal,
            _ => DataType::Double,
        },
        LiteralKind::Uuid => match literal.text.as_bytes().get(14) {
            Some(b'1') => DataType::TimeUuid,
            _ => DataType::Uuid,
        },
        LiteralKind::Boolean => DataType::Boolean,
        LiteralKind::Hex => DataType::Blob,
        LiteralKind::Duration => DataType::Duration,
    }
}

/// Whether a double holds the number exactly, as Java's text of it has it.
fn is_double(text: &str, exact: &Decimal) -> bool {
    let shortest = text.parse::<f64>().ok().map(double_text);
    let back = shortest.and_then(|text| text.parse::<Decimal>().ok());
    back.is_some_and(|back| back.compare(exact).is_eq())
}

/// How well a term fits a type.
pub(crate) fn assignability(
    term: &ast::Term,
    receiver: &DataType,
    context: &Context<'_>,
) -> Assignability {
    match term {
        ast::Term::Literal(literal) => literal_fits(literal, receiver),
        ast::Term::Null => match receiver {
            DataType::Counter => Assignability::Not,
            _ => Assignability::Weak,
        },
        ast::Term::Marker(_) => Assignability::Weak,
        ast::Term::ListOrVector(parts) => brackets_fit(parts, receiver, context),
        ast::Term::SetOrEmptyMap(parts) => match receiver {
            DataType::Set { element, .. } => all_fit(parts.iter(), element, context),
            DataType::Map { .. } if parts.is_empty() => Assignability::Weak,
            _ => Assignability::Not,
        },
        ast::Term::Map(pairs) => match receiver {
            DataType::Map { key, value, .. } => {
                let keys = all_fit(pairs.iter().map(|(key, _)| key), key, context);
                keys.and(all_fit(pairs.iter().map(|(_, it)| it), value, context))
            }
            _ => Assignability::Not,
        },
        ast::Term::UserType(fields) => user_type_fits(fields, receiver, context),
        ast::Term::Tuple(parts) => match (receiver, parts.as_slice()) {
            (DataType::Tuple(_) | DataType::UserDefined(_), _) => {
                tuple_fits(parts, receiver, context)
            }
            (_, [only]) => assignability(only, receiver, context),
            _ => Assignability::Not,
        },
        ast::Term::TypeHint(hint, _) => match context.resolve_type(hint) {
            Ok(own) => functions::assignability(&own, receiver),
            Err(_) => Assignability::Not,
        },
        ast::Term::Function { name, arguments } => {
            match named_function(name, arguments, Some(receiver), context) {
                Ok(found) if found.signature().is_generated => {
                    match found.signature().result == *receiver {
                        true => Assignability::Exact,
                        false => Assignability::Weak,
                    }
                }
                Ok(found) => functions::assignability(&found.signature().result, receiver),
                Err(_) => Assignability::Not,
            }
        }
        ast::Term::Cast(inner, to) => {
            let argument = TermArgument {
                term: inner,
                context,
            };
            match known_cast(cast::resolve(&argument, &to.data_type(), Some(receiver))) {
                Ok(found) => functions::assignability(&found.signature().result, receiver),
                Err(_) => Assignability::Not,
            }
        }
        ast::Term::Negation(inner) => assignability(inner, receiver, context),
        ast::Term::Arithmetic {
            operator,
            left,
            right,
        } => match operation(*operator, left, right, Some(receiver), context) {
            Some(found) => functions::assignability(&found.signature().result, receiver),
            None => Assignability::Not,
        },
    }
}

fn brackets_fit(parts: &[ast::Term], receiver: &DataType, context: &Context<'_>) -> Assignability {
    let element = match receiver {
        DataType::List { element, .. } => element,
        DataType::Vector { element, dimension } => {
            if usize::try_from(*dimension) != Ok(parts.len()) {
                return Assignability::Not;
            }
            element
        }
        _ => return Assignability::Not,
    };
    all_fit(parts.iter(), element, context)
}

/// How well all parts fit; none fit any type, but none exactly.
fn all_fit<'a>(
    parts: impl ExactSizeIterator<Item = &'a ast::Term>,
    element: &DataType,
    context: &Context<'_>,
) -> Assignability {
    if parts.len() == 0 {
        return Assignability::Weak;
    }
    let fits = parts.map(|part| assignability(part, element, context));
    fits.fold(Assignability::Exact, Assignability::and)
}

fn tuple_fits(parts: &[ast::Term], receiver: &DataType, context: &Context<'_>) -> Assignability {
    let mut fit = Assignability::Exact;
    for (position, part) in parts.iter().enumerate() {
        let Some(field) = element_type(receiver, position) else {
            return Assignability::Not;
        };
        fit = fit.and(assignability(part, field, context));
    }
    fit
}

fn user_type_fits(
    fields: &[(ast::Name, ast::Term)],
    receiver: &DataType,
    context: &Context<'_>,
) -> Assignability {
    let DataType::UserDefined(user_type) = receiver else {
        return Assignability::Not;
    };
    for (name, term) in fields {
        let field = user_type.fields.iter().find(|it| *name == *it.name);
        let Some(field) = field else {
            return Assignability::Not;
        };
        if !assignability(term, &field.data_type, context).is_assignable() {
            return Assignability::Not;
        }
    }
    Assignability::Weak
}

/// How well a literal fits a type.
pub(crate) fn literal_fits(literal: &Literal, receiver: &DataType) -> Assignability {
    use DataType as T;
    if receiver.is_collection() || matches!(receiver, T::UserDefined(_)) {
        return Assignability::Not;
    }
    if matches!(
        receiver,
        T::Tuple(_) | T::Vector { .. } | T::Custom(_) | T::Empty
    ) {
        return Assignability::Weak;
    }
    if *receiver == preferred_type(literal) {
        return Assignability::Exact;
    }
    let fits = match literal.kind {
        LiteralKind::String => matches!(
            receiver,
            T::Ascii | T::Text | T::Inet | T::Date | T::Time | T::Timestamp
        ),
        LiteralKind::Integer => matches!(
            receiver,
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
        LiteralKind::Float => matches!(receiver, T::Decimal | T::Double | T::Float),
        LiteralKind::Uuid => matches!(receiver, T::Uuid | T::TimeUuid),
        LiteralKind::Boolean => matches!(receiver, T::Boolean),
        LiteralKind::Hex => matches!(receiver, T::Blob | T::TinyInt),
        LiteralKind::Duration => matches!(receiver, T::Duration),
    };
    if fits {
        Assignability::Weak
    } else {
        Assignability::Not
    }
}
