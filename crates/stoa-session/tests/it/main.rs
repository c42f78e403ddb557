//! What programs do at the waist: derives, values, pages, on a session that answers from a list.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod derives;
mod paging;
mod scripted;
mod values;
