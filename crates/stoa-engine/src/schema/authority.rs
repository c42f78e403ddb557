//! Which keyspaces nobody may change.
//!
//! Everybody may do everything here, but for the system's keyspaces. Cassandra refuses some
//! statements on them when it checks permissions and others when it executes them, which are
//! different classes of errors (`ClientState.preventSystemKSSchemaModification`,
//! `AlterSchemaStatement.execute`).

use crate::catalog::KeyspaceKind;
use crate::refusal::{Refusal, RefusalKind};

/// The longest name of a keyspace.
const NAME_LENGTH: usize = 48;

/// What of a keyspace a statement changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// Its settings.
    Settings,
    /// The keyspace as a whole, or what is in it.
    Contents,
}

/// Refuses to change the system's keyspaces, as a lack of permission.
pub(super) fn refuse_unauthorized(keyspace: &str, level: Level) -> Result<(), Refusal> {
    match KeyspaceKind::of(keyspace) {
        KeyspaceKind::Local | KeyspaceKind::Virtual => Err(Refusal::new(
            RefusalKind::Unauthorized,
            format!("{keyspace} keyspace is not user-modifiable."),
        )),
        KeyspaceKind::Replicated if level == Level::Contents => Err(Refusal::new(
            RefusalKind::Unauthorized,
            format!("Cannot change <keyspace {keyspace}>"),
        )),
        KeyspaceKind::Replicated | KeyspaceKind::User => Ok(()),
    }
}

/// Refuses to change the system's local keyspaces, and keyspaces that no one can have made, as
/// what cannot be done.
///
/// # Errors
/// That it cannot be done.
pub fn refuse_system(keyspace: &str) -> Result<(), Refusal> {
    if matches!(
        KeyspaceKind::of(keyspace),
        KeyspaceKind::Local | KeyspaceKind::Virtual
    ) {
        return Err(Refusal::invalid(format!(
            "System keyspace '{keyspace}' is not user-modifiable"
        )));
    }
    if !is_word(keyspace) {
        return Err(Refusal::invalid(format!(
            "Keyspace name must not be empty and must contain alphanumeric or underscore \
             characters only (got \"{keyspace}\")"
        )));
    }
    match keyspace.len() > NAME_LENGTH {
        true => Err(Refusal::invalid(format!(
            "Keyspace name must not be more than {NAME_LENGTH} characters long (got {} characters \
             for \"{keyspace}\")",
            keyspace.len()
        ))),
        false => Ok(()),
    }
}

/// Whether a name holds letters, digits and underscores only, and at least one of them.
pub(super) fn is_word(name: &str) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.is_empty() && name.bytes().all(is_inside)
}
