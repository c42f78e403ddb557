//! `USE`.

use std::sync::Arc;

use stoa_cql::ast::Name;

use crate::catalog::Schema;
use crate::refusal::Refusal;

/// The keyspace that is in use from now on.
///
/// # Errors
/// When it is not there.
pub fn use_keyspace(name: &Name, schema: &Schema) -> Result<Arc<str>, Refusal> {
    match schema.keyspace(name.as_str()) {
        Some(keyspace) => Ok(Arc::clone(&keyspace.name)),
        None => Err(Refusal::invalid(format!(
            "Keyspace '{}' does not exist",
            name.as_str()
        ))),
    }
}
