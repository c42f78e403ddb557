//! Tests of the engine through its public face.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking and may say why"
)]

mod schema_scripts;
