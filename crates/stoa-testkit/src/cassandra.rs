//! Where a live Cassandra is that tests may use.

/// The variable with its URI, which `cargo xtask test` sets.
const VARIABLE: &str = "STOA_CASSANDRA";

/// The same for one that asks for a login and encrypts.
const SECURE_VARIABLE: &str = "STOA_CASSANDRA_SECURE";

/// The word in `STOA_SKIPPED` that says that there is none on purpose.
const PART: &str = "cassandra";

/// The URI of a live Cassandra; `None` if tests that need one are skipped on purpose.
///
/// # Errors
/// What to do, if there is neither.
pub fn uri() -> Result<Option<String>, String> {
    find(VARIABLE, "cargo xtask cassandra up")
}

/// The URI of a live Cassandra that asks for a login and encrypts; `None` if tests that need one are
/// skipped on purpose. It says which variable holds the password.
///
/// # Errors
/// What to do, if there is neither.
pub fn secure_uri() -> Result<Option<String>, String> {
    find(SECURE_VARIABLE, "cargo xtask cassandra up --auth --tls")
}

fn find(variable: &str, command: &str) -> Result<Option<String>, String> {
    let skipped = std::env::var(crate::powercut::SKIPPED_VARIABLE).unwrap_or_default();
    choose(std::env::var(variable).ok(), &skipped).ok_or_else(|| {
        format!(
            "there is no Cassandra to test with: run `cargo xtask test`, or start one with \
             `{command}` and set {variable} to its URI"
        )
    })
}

/// `None` if there is none although tests need one.
fn choose(uri: Option<String>, skipped: &str) -> Option<Option<String>> {
    if let Some(uri) = uri.filter(|uri| !uri.is_empty()) {
        return Some(Some(uri));
    }
    let is_skipped = skipped.split(',').any(|part| part.trim() == PART);
    is_skipped.then_some(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_node_tests_fail_unless_they_are_skipped_on_purpose() {
        let uri = || Some("cql://127.0.0.1".to_owned());
        assert_eq!(choose(uri(), ""), Some(uri()));
        assert_eq!(choose(uri(), "cassandra"), Some(uri()));
        assert_eq!(choose(None, "powercut, cassandra"), Some(None));
        assert_eq!(choose(None, "powercut"), None);
        assert_eq!(choose(Some(String::new()), "powercut"), None);
    }
}
