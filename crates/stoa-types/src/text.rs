//! Values as text: what Cassandra reads from quoted literals, what a CQL dump holds, and what
//! cqlsh shows in a table.
//!
//! - [`parse()`] reads the text of a native type, by the rules of Cassandra's `fromString`.
//! - [`literal()`] writes a value as a CQL term that gives it back.
//! - [`display()`] writes a value as cqlsh's result tables do; that is for eyes and may lose digits.

mod display;
pub mod identifier;
mod literal;
mod parse;
mod temporal;
mod zone;

pub use display::display;
pub use literal::{LiteralError, exact_literal, literal};
pub use parse::{ParseError, parse};

use crate::data_type::DataType;

/// Lower-case hexadecimal with the prefix `0x`.
fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once("0x".to_owned()).chain(digits).collect()
}

/// The type of each element of a collection or vector, or of each field of a tuple; the last one
/// goes on without end.
fn part_types(data_type: &DataType) -> impl Iterator<Item = &DataType> {
    let types = data_type.inner();
    let last = types.last().copied().unwrap_or(&DataType::Empty);
    types.into_iter().chain(std::iter::repeat(last))
}
