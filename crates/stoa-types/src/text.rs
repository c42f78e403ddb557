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

pub use display::display;
pub use literal::{LiteralError, literal};
pub use parse::{ParseError, parse};

/// Lower-case hexadecimal with the prefix `0x`.
fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().map(|byte| format!("{byte:02x}"));
    std::iter::once("0x".to_owned()).chain(digits).collect()
}
