//! Where a live Cassandra is that tests may use.

/// The variable with its URI, which `cargo xtask test` sets.
const VARIABLE: &str = "STOA_CASSANDRA";

/// The word in `STOA_SKIPPED` that says that there is none on purpose.
const PART: &str = "cassandra";

/// The URI of a live Cassandra; `None` if tests that need one are skipped on purpose.
///
/// # Errors
/// What to do, if there is neither.
pub fn uri() -> Result<Option<String>, String> {
    let skipped = std::env::var(crate::powercut::SKIPPED_VARIABLE).unwrap_or_default();
    choose(std::env::var(VARIABLE).ok(), &skipped)
}

fn choose(uri: Option<String>, skipped: &str) -> Result<Option<String>, String> {
    if let Some(uri) = uri.filter(|uri| !uri.is_empty()) {
        return Ok(Some(uri));
    }
    if skipped.split(',').any(|part| part.trim() == PART) {
        return Ok(None);
    }
    Err(format!(
        "there is no Cassandra to test with: run `cargo xtask test`, or start one with \
         `cargo xtask cassandra up` and set {VARIABLE} to its URI"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_node_tests_fail_unless_they_are_skipped_on_purpose() {
        let uri = || Some("cql://127.0.0.1".to_owned());
        assert_eq!(choose(uri(), ""), Ok(uri()));
        assert_eq!(choose(uri(), "cassandra"), Ok(uri()));
        assert_eq!(choose(None, "powercut, cassandra"), Ok(None));
        let advice = choose(None, "powercut").unwrap_err();
        assert!(advice.contains("cargo xtask test"), "{advice}");
    }
}
