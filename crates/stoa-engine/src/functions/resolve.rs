//! Which function a call means.
//!
//! Candidates are the functions of that name with fixed signatures, and the one whose signature is
//! made for the call. A single candidate is checked argument by argument, for a precise message;
//! of several, the first whose arguments all fit exactly wins, else the only one that fits.

use stoa_types::DataType;

use super::argument::{Argument, Assignability, assignability};
use super::function::{FunctionName, Resolved, Signature};
use super::registry;
use crate::refusal::Refusal;

/// Where a call stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct Context<'a> {
    /// The types of the partition key of the statement's table, in order: the arguments of
    /// `token`. `None` where there is no table.
    pub partition_key: Option<&'a [DataType]>,
}

/// The keyspace of all native functions.
const SYSTEM: &str = "system";

/// Finds the function that a call by name means; `Ok(None)` if there is none of that name.
///
/// `receiver` is the type that the answer is wanted in, where that is known.
///
/// # Errors
/// When the arguments fit none of the functions of that name, or more than one.
pub fn resolve(
    name: &FunctionName<'_>,
    arguments: &[&dyn Argument],
    receiver: Option<&DataType>,
    context: &Context<'_>,
) -> Result<Option<Resolved>, Refusal> {
    if name.keyspace.is_some_and(|keyspace| keyspace != SYSTEM) {
        return Ok(None);
    }
    let mut candidates = registry::overloads(name.name);
    if let Some(factory) = registry::factory(name.name, context) {
        candidates.extend(factory?.make(arguments, receiver)?);
    }
    choose(&Callee::Function(*name), candidates, arguments, receiver)
}

/// What is called, for messages.
pub(super) enum Callee<'a> {
    /// A function by name.
    Function(FunctionName<'a>),
    /// A binary operator.
    Operator(char),
    /// A minus sign.
    Negation,
}

/// Chooses among candidates; `Ok(None)` if there are none.
pub(super) fn choose(
    callee: &Callee<'_>,
    mut candidates: Vec<Resolved>,
    arguments: &[&dyn Argument],
    receiver: Option<&DataType>,
) -> Result<Option<Resolved>, Refusal> {
    if candidates.len() < 2 {
        if let Some(only) = candidates.first() {
            check_types(only.signature(), arguments)?;
        }
        return Ok(candidates.pop());
    }
    let (mut compatible, mut others) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match fit(candidate.signature(), arguments, receiver) {
            Assignability::Exact => return Ok(Some(candidate)),
            Assignability::Weak => compatible.push(candidate),
            Assignability::Not => others.push(candidate),
        }
    }
    match compatible.len() {
        0 => Err(no_match(callee, &others, arguments)),
        1 => Ok(compatible.pop()),
        _ => {
            let preferred = preferred(callee, &compatible, arguments, receiver);
            preferred
                .cloned()
                .map(Some)
                .ok_or_else(|| ambiguous(callee, &compatible, arguments))
        }
    }
}

/// Of several operations, that whose arguments are all of the type wanted; but a marker leaves it
/// open.
fn preferred<'a>(
    callee: &Callee<'_>,
    compatible: &'a [Resolved],
    arguments: &[&dyn Argument],
    receiver: Option<&DataType>,
) -> Option<&'a Resolved> {
    let wanted = receiver?;
    let is_open = !matches!(callee, Callee::Operator(_))
        || arguments.iter().any(|argument| argument.is_marker());
    compatible
        .iter()
        .find(|candidate| {
            candidate
                .signature()
                .argument_types
                .iter()
                .all(|own| own == wanted)
        })
        .filter(|_| !is_open)
}

/// Checks the arguments of the only function of its name.
fn check_types(signature: &Signature, arguments: &[&dyn Argument]) -> Result<(), Refusal> {
    let (name, wanted) = (&signature.name, signature.argument_types.len());
    if arguments.len() != wanted {
        return Err(Refusal::invalid(format!(
            "Invalid number of arguments in call to function {name}: {wanted} required but {} \
             provided",
            arguments.len()
        )));
    }
    for (index, (argument, data_type)) in
        arguments.iter().zip(&signature.argument_types).enumerate()
    {
        if !argument.assignability(data_type).is_assignable() {
            return Err(Refusal::invalid(format!(
                "Type error: {} cannot be passed as argument {index} of function {name} of type \
                 {data_type}",
                argument.text()
            )));
        }
    }
    Ok(())
}

/// How well the arguments fit a signature: as well as the worst of them, and not at all if its
/// answer does not fit where it is wanted.
fn fit(
    signature: &Signature,
    arguments: &[&dyn Argument],
    receiver: Option<&DataType>,
) -> Assignability {
    let fits_receiver =
        receiver.is_none_or(|wanted| assignability(&signature.result, wanted).is_assignable());
    if !fits_receiver || arguments.len() != signature.argument_types.len() {
        return Assignability::Not;
    }
    let fits = arguments
        .iter()
        .zip(&signature.argument_types)
        .map(|(argument, data_type)| argument.assignability(data_type));
    fits.fold(Assignability::Exact, Assignability::and)
}

fn no_match(callee: &Callee<'_>, candidates: &[Resolved], arguments: &[&dyn Argument]) -> Refusal {
    let text = |index: usize| arguments.get(index).map(|argument| argument.text());
    Refusal::invalid(match callee {
        Callee::Operator(operator) => format!(
            "the '{operator}' operation is not supported between {} and {}",
            text(0).unwrap_or_default(),
            text(1).unwrap_or_default()
        ),
        Callee::Function(_) | Callee::Negation => format!(
            "Invalid call to function {}, none of its type signatures match (known type \
             signatures: {})",
            callee_name(callee),
            signatures(candidates)
        ),
    })
}

fn ambiguous(callee: &Callee<'_>, several: &[Resolved], arguments: &[&dyn Argument]) -> Refusal {
    let text = |index: usize| arguments.get(index).map(|argument| argument.text());
    Refusal::invalid(match callee {
        Callee::Operator(operator) => format!(
            "Ambiguous '{operator}' operation with args {} and {}: use type hint to disambiguate, \
             example '(int) ?'",
            text(0).unwrap_or_default(),
            text(1).unwrap_or_default()
        ),
        Callee::Negation => "Ambiguous negation: use type casts to disambiguate".to_owned(),
        Callee::Function(name) => format!(
            "Ambiguous call to function {name} (can be matched by following signatures: {}): use \
             type casts to disambiguate",
            signatures(several)
        ),
    })
}

fn callee_name(callee: &Callee<'_>) -> String {
    match callee {
        Callee::Function(name) => name.to_string(),
        Callee::Operator(operator) => operator.to_string(),
        Callee::Negation => "system._negate".to_owned(),
    }
}

fn signatures(functions: &[Resolved]) -> String {
    let texts: Vec<String> = functions
        .iter()
        .map(|one| one.signature().to_string())
        .collect();
    texts.join(", ")
}
