//! What may differ from Cassandra, and why: a reviewed list.
//!
//! `docs/cql-support.md` tells users of each under "Differences".

use crate::conformance::Step;

use super::comparison::Given;

/// One reason why answers may differ.
#[derive(Debug)]
pub struct Exception {
    /// A few words.
    pub name: &'static str,
    /// Why this is right.
    pub reason: &'static str,
    applies: fn(&Step, &Given, &Given) -> bool,
}

/// The native protocol's number of a failure inside the server.
const SERVER_ERROR: u16 = 0x0000;

/// The numbers of reads and writes that failed on a replica.
const FAILED_READ: u16 = 0x1300;
const FAILED_WRITE: u16 = 0x1500;

/// The reviewed list.
pub const EXCEPTIONS: &[Exception] = &[Exception {
    name: "server error",
    reason: "Cassandra accepts the statement and then fails at it",
    applies: |_, theirs, _| {
        matches!(
            theirs.code(),
            Some(SERVER_ERROR | FAILED_READ | FAILED_WRITE)
        )
    },
}];

/// The first reason that applies.
#[must_use]
pub fn find(step: &Step, theirs: &Given, ours: &Given) -> Option<&'static Exception> {
    let applies = |exception: &&Exception| (exception.applies)(step, theirs, ours);
    EXCEPTIONS.iter().find(applies)
}
