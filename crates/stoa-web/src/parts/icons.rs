//! The few drawings: the mark and the coin. Neither says anything that words do not.

use maud::{Markup, html};

/// Four columns, a roof and two steps.
#[must_use]
pub fn mark() -> Markup {
    html! {
        svg width="30" height="26" viewBox="0 0 30 26" fill="currentColor" aria-hidden="true" {
            path d="M0 0h30v4H0zM2 5h26v2H2zM4 8h3v13H4zM10.3 8h3v13h-3zM16.7 8h3v13h-3zM23 8h3v13h-3zM2 22h26v1.5H2zM0 24.5h30V26H0z" {}
        }
    }
}

/// Votes as money.
#[must_use]
pub fn coin() -> Markup {
    html! {
        svg width="22" height="22" viewBox="0 0 22 22" fill="none" stroke="currentColor" stroke-width="1.6" aria-hidden="true" {
            circle cx="11" cy="11" r="9.6" {}
            path d="M6.5 7h9M8 9v5M11 9v5M14 9v5M6.5 16h9" {}
        }
    }
}
