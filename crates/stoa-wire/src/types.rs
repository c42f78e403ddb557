//! The notations of the protocol's description: `[string]`, `[bytes]`, `[consistency]` and so on.

pub mod address;
pub mod column_type;
pub mod consistency;
pub mod reader;
pub mod value;
pub mod write_type;
pub mod writer;

pub use address::Endpoint;
pub use consistency::Consistency;
pub use value::BoundValue;
pub use write_type::WriteType;
