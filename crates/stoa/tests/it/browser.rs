//! The site in a real browser: what people do, what they see, and what hostile texts cannot do.
//!
//! Each test has a program, a port, a folder and browsers of its own, which end with it. The community
//! they begin with is made once. `cargo xtask browser` runs these alone.

mod community;
mod driver;
mod hostile;
mod instruments;
mod journeys;
mod looks;
mod people;
mod site;
mod walk;
mod window;

use std::path::Path;

use super::{stoa, text};

/// The script of axe-core, which `cargo xtask` fetches; `None` if there is no browser and that is known.
fn axe() -> Option<String> {
    let skipped = std::env::var("STOA_SKIPPED").unwrap_or_default();
    if skipped.split(',').any(|it| it.trim() == "browser") {
        println!("SKIPPED: no browser");
        return None;
    }
    let script = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../axe-core/axe.min.js");
    let script = std::fs::read_to_string(script);
    Some(script.unwrap_or_else(|error| {
        panic!("no axe-core ({error}): run `cargo xtask browser`, or `cargo xtask test`")
    }))
}
