//! `CAST(x AS type)`: which types can be cast to which, and how.

use stoa_types::DataType;

use super::argument::Argument;
use super::function::ScalarFunction;
use crate::refusal::Refusal;

/// Finds the function of a cast; `Ok(None)` if nothing can be cast to this type.
///
/// A cast to the argument's own type is nothing to do, and not asked for here.
///
/// # Errors
/// When the argument cannot be cast to this type.
pub fn resolve(
    argument: &dyn Argument,
    target: &DataType,
) -> Result<Option<ScalarFunction>, Refusal> {
    let _ = (argument, target);
    Err(Refusal::invalid("not supported"))
}
