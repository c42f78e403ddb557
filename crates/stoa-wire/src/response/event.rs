//! EVENT: something happened, told to who registered, on stream -1.
//!
//! ```text
//! string kind   TOPOLOGY_CHANGE, STATUS_CHANGE: string change, inet node
//!               SCHEMA_CHANGE: a schema change
//! ```

use crate::error::{DecodeError, EncodeError};
use crate::response::schema_change::SchemaChange;
use crate::types::Endpoint;
use crate::types::reader::Reader;
use crate::types::write_type::{read_word, write_word};

/// The stream of events.
pub const EVENT_STREAM: i16 = -1;

/// Something happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'a> {
    /// A node came, went or moved.
    Topology(TopologyChange, Endpoint),
    /// A node is up or down.
    Status(StatusChange, Endpoint),
    /// The schema changed.
    Schema(SchemaChange<'a>),
}

/// A kind of events that one can register for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A node came, went or moved.
    Topology,
    /// A node is up or down.
    Status,
    /// The schema changed.
    Schema,
}

/// What happened to the set of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TopologyChange {
    /// A node came.
    NewNode,
    /// A node went.
    RemovedNode,
    /// A node has other tokens.
    MovedNode,
}

/// What happened to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StatusChange {
    /// It answers.
    Up,
    /// It does not.
    Down,
}

const KIND: &str = "the kind of an event";
const CHANGE: &str = "the change of an event";
const NODE: &str = "the node of an event";

impl EventKind {
    /// Every kind with its word.
    pub const WORDS: [(Self, &'static str); 3] = [
        (Self::Topology, "TOPOLOGY_CHANGE"),
        (Self::Status, "STATUS_CHANGE"),
        (Self::Schema, "SCHEMA_CHANGE"),
    ];
}

impl TopologyChange {
    const WORDS: [(Self, &'static str); 3] = [
        (Self::NewNode, "NEW_NODE"),
        (Self::RemovedNode, "REMOVED_NODE"),
        (Self::MovedNode, "MOVED_NODE"),
    ];
}

impl StatusChange {
    const WORDS: [(Self, &'static str); 2] = [(Self::Up, "UP"), (Self::Down, "DOWN")];
}

impl<'a> Event<'a> {
    /// Its kind.
    #[must_use]
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Topology(..) => EventKind::Topology,
            Self::Status(..) => EventKind::Status,
            Self::Schema(_) => EventKind::Schema,
        }
    }

    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        Ok(match read_word(reader, KIND, &EventKind::WORDS)? {
            EventKind::Topology => {
                let change = read_word(reader, CHANGE, &TopologyChange::WORDS)?;
                Self::Topology(change, Endpoint::read(reader, NODE)?)
            }
            EventKind::Status => {
                let change = read_word(reader, CHANGE, &StatusChange::WORDS)?;
                Self::Status(change, Endpoint::read(reader, NODE)?)
            }
            EventKind::Schema => Self::Schema(SchemaChange::read(reader)?),
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        write_word(out, KIND, &EventKind::WORDS, self.kind())?;
        match self {
            Self::Topology(change, node) => {
                write_word(out, CHANGE, &TopologyChange::WORDS, *change)?;
                node.write(out);
                Ok(())
            }
            Self::Status(change, node) => {
                write_word(out, CHANGE, &StatusChange::WORDS, *change)?;
                node.write(out);
                Ok(())
            }
            Self::Schema(change) => change.write(out),
        }
    }
}
