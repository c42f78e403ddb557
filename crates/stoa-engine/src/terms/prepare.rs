//! From a term of the tree to one that is ready to give its value.

use stoa_cql::ast::{self, Literal, LiteralKind, Name, QualifiedName};
use stoa_types::{DataType, Value, native, text};

use super::assign::{TermArgument, assignability};
use super::evaluate::Values;
use super::{Context, Receiver, Term, Variables};
use crate::functions::{self, Argument, FunctionName, Resolved, ScalarFunction, arithmetic, cast};
use crate::refusal::Refusal;

/// The most characters of a number of any size.
pub(crate) const MOST_DIGITS: usize = 100_000;

/// Prepares a term for a receiver.
pub(crate) fn prepare(
    term: &ast::Term,
    receiver: &Receiver,
    context: &Context<'_>,
    variables: &mut Variables,
) -> Result<Term, Refusal> {
    let mut preparing = Preparing { context, variables };
    preparing.term(term, receiver)
}

/// The type of a field of a tuple or user type.
pub(crate) fn element_type(data_type: &DataType, position: usize) -> Option<&DataType> {
    match data_type {
        DataType::Tuple(fields) => fields.get(position),
        DataType::UserDefined(user_type) => user_type.fields.get(position).map(|it| &it.data_type),
        _ => None,
    }
}

/// The function that a call by name means.
pub(crate) fn named_function(
    name: &QualifiedName,
    arguments: &[ast::Term],
    receiver: Option<&DataType>,
    context: &Context<'_>,
) -> Result<Resolved, Refusal> {
    let arguments: Vec<TermArgument<'_>> = arguments
        .iter()
        .map(|term| TermArgument { term, context })
        .collect();
    let arguments: Vec<&dyn Argument> = arguments.iter().map(|it| it as &dyn Argument).collect();
    let name = FunctionName {
        keyspace: name.keyspace.as_ref().map(Name::as_str),
        name: name.name.as_str(),
    };
    let key: Vec<DataType> = context.table.map_or_else(Vec::new, |table| {
        let columns = table.partition_key().iter();
        columns.map(|it| it.data_type.clone()).collect()
    });
    let about = functions::Context {
        partition_key: context.table.is_some().then_some(key.as_slice()),
    };
    functions::resolve(&name, &arguments, receiver, &about)?
        .ok_or_else(|| Refusal::invalid(format!("Unknown function '{name}'")))
}

/// The function of a cast, if there is one.
pub(crate) fn known_cast(
    found: Result<Option<ScalarFunction>, Refusal>,
) -> Result<ScalarFunction, Refusal> {
    found?.ok_or_else(|| Refusal::invalid("Unknown cast"))
}

struct Preparing<'a, 's> {
    context: &'a Context<'s>,
    variables: &'a mut Variables,
}

impl Preparing<'_, '_> {
    fn term(&mut self, term: &ast::Term, receiver: &Receiver) -> Result<Term, Refusal> {
        match term {
            ast::Term::Literal(literal) => self.literal(literal, receiver),
            ast::Term::Null if receiver.data_type == DataType::Counter => Err(Refusal::invalid(
                "Invalid null value for counter increment/decrement",
            )),
            ast::Term::Null => Ok(Term::NULL),
            ast::Term::Marker(marker) => {
                self.variables.note(marker, receiver);
                Ok(Term::Variable(marker.index, receiver.data_type.clone()))
            }
            ast::Term::ListOrVector(parts) => self.brackets(parts, receiver),
            ast::Term::SetOrEmptyMap(parts) => self.set(parts, receiver),
            ast::Term::Map(pairs) => self.map(pairs, receiver),
            ast::Term::UserType(fields) => self.user_type(fields, receiver),
            ast::Term::Tuple(parts) => self.tuple(parts, receiver),
            ast::Term::TypeHint(hint, inner) => self.hinted(term, hint, inner, receiver),
            ast::Term::Function { name, arguments } => {
                let found =
                    named_function(name, arguments, Some(&receiver.data_type), self.context)?;
                let Resolved::Scalar(function) = found else {
                    return Err(Refusal::invalid(
                        "Aggregation function are not supported in the where clause",
                    ));
                };
                self.call(function, &arguments.iter().collect::<Vec<_>>(), receiver)
            }
            ast::Term::Cast(inner, to) => {
                let wanted = Some(&receiver.data_type);
                let found = cast::resolve(&self.argument(inner), &to.data_type(), wanted);
                let function = known_cast(found)?;
                self.call(function, &[inner], receiver)
            }
            ast::Term::Negation(inner) => {
                let wanted = Some(&receiver.data_type);
                let function = arithmetic::resolve_negation(&self.argument(inner), wanted)?;
                self.call(function, &[inner], receiver)
            }
            ast::Term::Arithmetic {
                operator,
                left,
                right,
            } => {
                let (one, two) = (self.argument(left), self.argument(right));
                let wanted = Some(&receiver.data_type);
                let function = arithmetic::resolve((*operator).into(), &one, &two, wanted)?;
                self.call(function, &[left, right], receiver)
            }
        }
    }

    fn argument<'t>(&'t self, term: &'t ast::Term) -> TermArgument<'t> {
        TermArgument {
            term,
            context: self.context,
        }
    }

    fn literal(&self, literal: &Literal, receiver: &Receiver) -> Result<Term, Refusal> {
        let term = ast::Term::Literal(literal.clone());
        if !assignability(&term, &receiver.data_type, self.context).is_assignable() {
            return Err(Refusal::invalid(format!(
                "Invalid {} constant ({}) for \"{}\" of type {}",
                kind_name(literal.kind),
                literal.text,
                receiver.name,
                receiver.data_type
            )));
        }
        let bytes = literal_bytes(literal, &receiver.data_type, self.context)?;
        Ok(Term::Constant(bytes.map(Vec::into_boxed_slice)))
    }

    fn brackets(&mut self, parts: &[ast::Term], receiver: &Receiver) -> Result<Term, Refusal> {
        let (element, kind) = match &receiver.data_type {
            DataType::List { element, .. } => (element, "list"),
            DataType::Vector { element, dimension } => {
                if usize::try_from(*dimension) != Ok(parts.len()) {
                    return Err(Refusal::invalid(format!(
                        "Invalid vector literal for {} of type {}; expected {dimension} elements, but given {}",
                        receiver.name,
                        receiver.data_type,
                        parts.len()
                    )));
                }
                (element, "vector")
            }
            other => {
                return Err(Refusal::invalid(format!(
                    "Unexpected receiver type '{other}'; only list and vector are expected"
                )));
            }
        };
        let wanted = Receiver::new(format!("value({})", receiver.name), (**element).clone());
        let parts = self.elements(parts.iter(), &wanted, kind, receiver)?;
        self.composite(receiver, parts)
    }

    fn set(&mut self, parts: &[ast::Term], receiver: &Receiver) -> Result<Term, Refusal> {
        let element = match &receiver.data_type {
            DataType::Set { element, .. } => element,
            DataType::Map { .. } if parts.is_empty() => {
                return self.composite(receiver, Vec::new());
            }
            _ => return Err(wrong_kind("set", receiver)),
        };
        let wanted = Receiver::new(format!("value({})", receiver.name), (**element).clone());
        let parts = self.elements(parts.iter(), &wanted, "set", receiver)?;
        self.composite(receiver, parts)
    }

    fn map(
        &mut self,
        pairs: &[(ast::Term, ast::Term)],
        receiver: &Receiver,
    ) -> Result<Term, Refusal> {
        let DataType::Map { key, value, .. } = &receiver.data_type else {
            return Err(wrong_kind("map", receiver));
        };
        // Pair after pair; what does not fit is found before what comes after it.
        for (given_key, given_value) in pairs {
            let fits = |it, wanted| assignability(it, wanted, self.context).is_assignable();
            if fits(given_key, key) && is_misplaced_map(given_value, value) {
                return Err(Refusal::server("a map literal where no map belongs"));
            }
            if !fits(given_key, key) || !fits(given_value, value) {
                break;
            }
        }
        let keys = Receiver::new(format!("key({})", receiver.name), (**key).clone());
        let values = Receiver::new(format!("value({})", receiver.name), (**value).clone());
        let mut parts = Vec::with_capacity(pairs.len() * 2);
        for (key, value) in pairs {
            parts.extend(self.elements([key].into_iter(), &keys, "map", receiver)?);
            parts.extend(self.elements([value].into_iter(), &values, "map", receiver)?);
        }
        self.composite(receiver, parts)
    }

    /// The elements of a collection, in which there may be no variables.
    fn elements<'t>(
        &mut self,
        parts: impl Iterator<Item = &'t ast::Term>,
        wanted: &Receiver,
        kind: &str,
        receiver: &Receiver,
    ) -> Result<Vec<Term>, Refusal> {
        let mut prepared = Vec::new();
        for part in parts {
            // Brackets say for themselves what is wrong with them.
            let is_brackets = matches!(part, ast::Term::ListOrVector(_));
            if !is_brackets && !assignability(part, &wanted.data_type, self.context).is_assignable()
            {
                return Err(Refusal::invalid(format!(
                    "Invalid {kind} literal for {}: value {part} is not of type {}",
                    receiver.name, wanted.data_type
                )));
            }
            let term = self.term(part, wanted)?;
            if term.has_variable() && kind != "vector" {
                return Err(Refusal::invalid(format!(
                    "Invalid {kind} literal for {}: bind variables are not supported inside collection literals",
                    receiver.name
                )));
            }
            prepared.push(term);
        }
        Ok(prepared)
    }

    fn tuple(&mut self, parts: &[ast::Term], receiver: &Receiver) -> Result<Term, Refusal> {
        let fields: Vec<&DataType> = match &receiver.data_type {
            DataType::Tuple(fields) => fields.iter().collect(),
            DataType::UserDefined(it) => it.fields.iter().map(|it| &it.data_type).collect(),
            _ if parts.len() == 1 => {
                return match parts.first() {
                    Some(only) => self.term(only, receiver),
                    None => Ok(Term::NULL),
                };
            }
            _ => {
                return Err(Refusal::invalid(format!(
                    "Invalid tuple type literal for {} of type {}",
                    receiver.name, receiver.data_type
                )));
            }
        };
        if parts.len() > fields.len() {
            return Err(Refusal::invalid(format!(
                "Invalid tuple literal for {}: too many elements. Type {} expects {} but got {}",
                receiver.name,
                receiver.data_type,
                fields.len(),
                parts.len()
            )));
        }
        let mut prepared = Vec::with_capacity(parts.len());
        for (position, (part, field)) in parts.iter().zip(fields).enumerate() {
            if !assignability(part, field, self.context).is_assignable() {
                return Err(Refusal::invalid(format!(
                    "Invalid tuple literal for {}: component {position} is not of type {field}",
                    receiver.name
                )));
            }
            let wanted = Receiver::new(
                format!("{}[{position}]", receiver.name),
                DataType::clone(field),
            );
            prepared.push(self.term(part, &wanted)?);
        }
        if let DataType::UserDefined(_) = &receiver.data_type {
            return Ok(Term::Failing("a tuple literal for a user-defined type"));
        }
        self.composite(receiver, prepared)
    }

    fn user_type(
        &mut self,
        fields: &[(Name, ast::Term)],
        receiver: &Receiver,
    ) -> Result<Term, Refusal> {
        let DataType::UserDefined(user_type) = &receiver.data_type else {
            return Err(Refusal::invalid(format!(
                "Invalid user type literal for {} of type {}",
                receiver.name, receiver.data_type
            )));
        };
        let unknown = fields
            .iter()
            .find(|(name, _)| !user_type.fields.iter().any(|it| *name == *it.name));
        if let Some((name, _)) = unknown {
            return Err(Refusal::invalid(format!(
                "Unknown field '{}' in value of user defined type {}",
                name.as_str(),
                user_type.name
            )));
        }
        let mut prepared = Vec::with_capacity(user_type.fields.len());
        for field in &user_type.fields {
            let given = fields.iter().rev().find(|(name, _)| *name == *field.name);
            let Some((_, term)) = given else {
                prepared.push(Term::NULL);
                continue;
            };
            if !assignability(term, &field.data_type, self.context).is_assignable() {
                return Err(Refusal::invalid(format!(
                    "Invalid user type literal for {}: field {} is not of type {}",
                    receiver.name, field.name, field.data_type
                )));
            }
            let name = format!("{}.{}", receiver.name, field.name);
            let wanted = Receiver::new(name, field.data_type.clone());
            prepared.push(self.term(term, &wanted)?);
        }
        self.composite(receiver, prepared)
    }

    fn hinted(
        &mut self,
        whole: &ast::Term,
        hint: &ast::CqlType,
        inner: &ast::Term,
        receiver: &Receiver,
    ) -> Result<Term, Refusal> {
        let own = self.context.resolve_type(hint)?;
        if !assignability(inner, &own, self.context).is_assignable() {
            return Err(Refusal::invalid(format!(
                "Cannot cast value {inner} to type {own}"
            )));
        }
        if !assignability(whole, &receiver.data_type, self.context).is_assignable() {
            return Err(Refusal::invalid(format!(
                "Cannot assign value {whole} to {} of type {}",
                receiver.name, receiver.data_type
            )));
        }
        self.term(inner, receiver)
    }

    fn call(
        &mut self,
        function: ScalarFunction,
        arguments: &[&ast::Term],
        receiver: &Receiver,
    ) -> Result<Term, Refusal> {
        if !functions::assignability(&function.signature().result, &receiver.data_type)
            .is_assignable()
        {
            return Err(Refusal::invalid(format!(
                "Type error: cannot assign result of function {} (type {}) to {} (type {})",
                function.signature().name,
                &function.signature().result,
                receiver.name,
                receiver.data_type
            )));
        }
        let mut prepared = Vec::with_capacity(arguments.len());
        for (position, (term, wanted)) in arguments
            .iter()
            .zip(&function.signature().argument_types)
            .enumerate()
        {
            let name = format!("arg{position}({})", function.signature().name);
            prepared.push(self.term(term, &Receiver::new(name, wanted.clone()))?);
        }
        self.settled(Term::Call(Box::new(function), prepared))
    }

    fn composite(&self, receiver: &Receiver, parts: Vec<Term>) -> Result<Term, Refusal> {
        self.settled(Term::Composite(receiver.data_type.clone(), parts))
    }

    /// The term, or its value if that is known already.
    fn settled(&self, term: Term) -> Result<Term, Refusal> {
        if term.has_variable() || !term.is_deterministic() {
            return Ok(term);
        }
        let nothing = Values::none(self.context.environment);
        let value = term.bytes(&nothing)?;
        Ok(Term::Constant(
            value.map(|it| it.into_owned().into_boxed_slice()),
        ))
    }
}

/// A map literal for a value of a map that is no map: Cassandra fails at it instead of refusing.
fn is_misplaced_map(term: &ast::Term, wanted: &DataType) -> bool {
    matches!(term, ast::Term::Map(_)) && !matches!(wanted, DataType::Map { .. })
}

fn wrong_kind(kind: &str, receiver: &Receiver) -> Refusal {
    Refusal::invalid(format!(
        "Invalid {kind} literal for {} of type {}",
        receiver.name, receiver.data_type
    ))
}

/// Refuses a number with so many digits that reading it would take very long: the time grows with
/// the square of them.
pub(crate) fn check_digits(data_type: &DataType, text: &str) -> Result<(), Refusal> {
    let has_any_size = matches!(data_type, DataType::VarInt | DataType::Decimal);
    match has_any_size && text.len() > MOST_DIGITS {
        true => Err(Refusal::invalid(format!(
            "A number of {} characters is too long: the most are {MOST_DIGITS}",
            text.len()
        ))),
        false => Ok(()),
    }
}

/// The native bytes of a literal.
fn literal_bytes(
    literal: &Literal,
    data_type: &DataType,
    context: &Context<'_>,
) -> Result<Option<Vec<u8>>, Refusal> {
    let invalid = |problem: &dyn std::fmt::Display| Refusal::invalid(problem.to_string());
    check_digits(data_type, &literal.text)?;
    let keeps_bytes = matches!(
        data_type,
        DataType::Blob | DataType::TinyInt | DataType::Tuple(_)
    );
    if literal.kind == LiteralKind::Hex && keeps_bytes {
        return hex_bytes(&literal.text).map(Some);
    }
    let as_text = match data_type {
        DataType::Counter => &DataType::BigInt,
        other => other,
    };
    let value = text::parse(as_text, &literal.text, context.environment.clock);
    let value = value.map_err(|problem| match is_beyond_a_duration(literal) {
        true => Refusal::server(problem.to_string()),
        false => invalid(&problem),
    })?;
    match value {
        Value::Empty => Ok(Some(Vec::new())),
        value => native::encode(as_text, &value).map_err(|problem| invalid(&problem)),
    }
}

/// Whether a number of a duration needs more than 64 bits: Cassandra fails at it instead of
/// refusing.
fn is_beyond_a_duration(literal: &Literal) -> bool {
    literal.kind == LiteralKind::Duration
        && literal
            .text
            .split(|it: char| !it.is_ascii_digit())
            .any(|digits| !digits.is_empty() && digits.parse::<i64>().is_err())
}

fn hex_bytes(text: &str) -> Result<Vec<u8>, Refusal> {
    let digits = text.as_bytes().get(2..).unwrap_or_default();
    if digits.len() % 2 != 0 {
        return Err(Refusal::invalid(
            "An hex string representing bytes must have an even length",
        ));
    }
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pairs = digits.chunks_exact(2).map(|pair| match pair {
        [high, low] => u8::try_from(digit(high)? * 16 + digit(low)?).ok(),
        _ => None,
    });
    let bytes: Option<Vec<u8>> = pairs.collect();
    bytes.ok_or_else(|| Refusal::invalid(format!("{text} is not in hexadecimal")))
}

fn kind_name(kind: LiteralKind) -> &'static str {
    match kind {
        LiteralKind::String => "STRING",
        LiteralKind::Integer => "INTEGER",
        LiteralKind::Float => "FLOAT",
        LiteralKind::Uuid => "UUID",
        LiteralKind::Boolean => "BOOLEAN",
        LiteralKind::Hex => "HEX",
        LiteralKind::Duration => "DURATION",
    }
}
