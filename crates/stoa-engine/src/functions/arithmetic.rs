//! Operators on numbers, texts, and points in time.

use stoa_types::DataType;

use super::argument::Argument;
use super::function::ScalarFunction;
use crate::refusal::Refusal;

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

/// Finds the function of an operator between two arguments.
///
/// `receiver` is the type that the answer is wanted in, where that is known: literals are then
/// reckoned in that type.
///
/// # Errors
/// When the operator does not fit the arguments, or fits them in several ways.
pub fn resolve(
    operator: Operator,
    left: &dyn Argument,
    right: &dyn Argument,
    receiver: Option<&DataType>,
) -> Result<ScalarFunction, Refusal> {
    let _ = (operator, left, right, receiver);
    Err(Refusal::invalid("not supported"))
}

/// Finds the function of a minus sign before an argument.
///
/// # Errors
/// When the argument is not a number, or may be several kinds of number.
pub fn resolve_negation(
    argument: &dyn Argument,
    receiver: Option<&DataType>,
) -> Result<ScalarFunction, Refusal> {
    let _ = (argument, receiver);
    Err(Refusal::invalid("not supported"))
}
