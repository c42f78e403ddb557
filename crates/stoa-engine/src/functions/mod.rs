//! The native functions of CQL: which call means which function, and what it answers.
//!
//! Everything here is pure: native bytes in (`None` is null), native bytes out. A function that
//! needs the time or a new identifier gets them from its [`Environment`].
//!
//! A call is first resolved, from a name and what is known about its arguments, and then called
//! once per row:
//!
//! ```text
//! resolve(name, arguments, receiver, context)   a call by name        -> Resolved
//! arithmetic::resolve(operator, left, right, .) an operator           -> ScalarFunction
//! arithmetic::resolve_negation(argument, .)     a minus sign          -> ScalarFunction
//! cast::resolve(argument, target, .)            CAST(x AS type)       -> ScalarFunction
//! count_rows()                                  count(*) and count(1) -> AggregateFunction
//! ```
//!
//! Invariants:
//! 1. The rules are those of Cassandra's `FunctionResolver` and `FunctionFactory`: an exact match
//!    wins, else the only weak one; two weak ones are ambiguous.
//! 2. Refusals have Cassandra's codes: a call that cannot be resolved is invalid, one that fails
//!    while it runs is a failure of the function where Cassandra says so.
//!
//! Differences from Cassandra 5.0.8, all of them in rare values: `mask_hash` knows neither SHA-3
//! nor MD2; `map_keys` and `map_values` hand on the bytes of booleans above 1 and of addresses in
//! the long form of IPv4 as they are; the sign of a NaN that a sum makes may differ; exponentials
//! and logarithms of decimals have every digit right, where Cassandra's last one may not be.

pub mod argument;
pub mod function;
pub mod resolve;

mod generated;
mod registry;

pub mod aggregate;
pub mod arithmetic;
pub mod cast;

mod bytes;
mod collections;
mod documents;
mod mask;
mod math;
mod moments;
mod times;
mod token;
mod vectors;

mod calendar;
mod decimal;
pub(crate) mod float_text;
mod number;
pub(crate) mod scalar_text;

#[cfg(test)]
mod tests;

pub use aggregate::count_rows;
pub use argument::{Argument, Assignability, OfType, assignability};
pub use function::{
    Accumulator, AggregateFunction, Environment, FunctionName, Monotonicity, Resolved,
    ScalarFunction, Signature,
};
pub use resolve::{Context, resolve};
