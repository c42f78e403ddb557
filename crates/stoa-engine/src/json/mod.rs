//! Values as JSON, both ways: `SELECT JSON`, `INSERT JSON`, `to_json` and `from_json`.
//!
//! ```text
//! value  -> to_json    -> text        row  -> row_text   -> text
//! text   -> parse      -> Json        text -> row_object -> Json by column name
//! Json   -> from_json  -> value
//! ```
//!
//! | type | JSON, written | also read |
//! |---|---|---|
//! | numbers | numbers; NaN and infinities `null` | texts of numbers |
//! | boolean | `true`, `false` | texts |
//! | text, ascii, uuid, inet, date, time, duration | texts | |
//! | timestamp | `"2011-02-03 04:05:00.000Z"` | every text of a timestamp; numbers beyond an int |
//! | blob | `"0xcafe"` | |
//! | list, set, tuple, vector | arrays | a text that holds one |
//! | map, user-defined type | objects | a text that holds one |
//!
//! Keys of objects are texts: those of maps are the JSON of the key, and names with capital letters
//! are in double quotes within the text.

mod parse;
mod read;
mod row;
#[cfg(test)]
mod tests;
mod write;

pub use parse::{Json, JsonSyntaxError, parse};
pub use read::{FromJsonError, from_json};
pub use row::{row_object, row_text};
pub use write::to_json;
