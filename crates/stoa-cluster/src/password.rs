//! A password on its way from the binary to the driver.
//!
//! Invariants:
//! 1. Nothing prints it: `Debug` shows stars, and there is no `Display`.

use std::fmt;

/// A password. Reading it from the environment or from a file is the binary's work.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// Takes a password.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The password itself, for the one place that sends it.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(***)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        let shown = format!("{:?}", Some(Password::new("opensesame")));
        assert_eq!(shown, "Some(Password(***))");
    }
}
