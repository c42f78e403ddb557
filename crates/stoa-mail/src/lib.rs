//! Mail: sends what a domain put into its outbox.
//!
//! A [`Letter`] is checked when it is made, so that nothing in it can become a header. [`Texts`]
//! makes letters of what an outbox holds: a kind and fields. A [`Post`] gives one letter to one
//! SMTP server and says what became of it: delivered, to be tried later, failed, or unknown.
//!
//! What it is not: it keeps nothing, tries nothing twice, and knows no outbox. Whoever calls it
//! does. It takes the time from its caller; the only timer is the deadline of a delivery.
//!
//! ```
//! use stoa_mail::{Letter, NewLetter};
//! use uuid::Uuid;
//!
//! let new = NewLetter {
//!     id: Uuid::from_u128(1),
//!     to: "ada@example.org".to_owned(),
//!     subject: "Hello\r\nBcc: everybody@example.org".to_owned(),
//!     text: "Hello Ada.".to_owned(),
//!     html: None,
//!     created_micros: 0,
//! };
//! assert!(Letter::new(new).is_err());
//! ```
#![forbid(unsafe_code)]

pub mod letter;
mod message;
pub mod post;
pub mod server;
pub mod texts;

pub use letter::{BadLetter, Letter, NewLetter};
pub use post::{Delivery, Post};
pub use server::{BadServer, Password, Server};
pub use texts::{Language, NoLetter, Texts};
