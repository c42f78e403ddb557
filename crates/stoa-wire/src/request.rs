//! What clients send: one file for each message.

pub mod auth_response;
pub mod batch;
pub mod execute;
pub mod parameters;
pub mod prepare;
pub mod query;
pub mod register;
pub mod startup;

pub use auth_response::AuthResponse;
pub use batch::{Batch, BatchKind, BatchStatement, BatchText};
pub use execute::Execute;
pub use parameters::{Bindings, Parameters};
pub use prepare::Prepare;
pub use query::Query;
pub use register::Register;
pub use startup::Startup;

use crate::error::{DecodeError, EncodeError};
use crate::frame::opcode::Opcode;
use crate::types::reader::Reader;
use crate::version::Version;

/// What a client sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request<'a> {
    /// Begins a connection.
    Startup(Startup<'a>),
    /// Asks what the server can do. It has no body.
    Options,
    /// Answers a question about who asks.
    AuthResponse(AuthResponse<'a>),
    /// Asks to be told of events.
    Register(Register),
    /// Executes a text.
    Query(Query<'a>),
    /// Prepares a text.
    Prepare(Prepare<'a>),
    /// Executes what was prepared.
    Execute(Execute<'a>),
    /// Executes several writes as one.
    Batch(Batch<'a>),
}

impl<'a> Request<'a> {
    /// Reads the body of a request; `None` if responses have this opcode. Bytes after the body's end
    /// are passed over, as Cassandra does.
    ///
    /// # Errors
    /// What is wrong with the body, and where.
    pub fn read(
        opcode: Opcode,
        version: Version,
        body: &'a [u8],
    ) -> Result<Option<Self>, DecodeError> {
        let mut reader = Reader::new(body);
        let reader = &mut reader;
        Ok(Some(match opcode {
            Opcode::Startup => Self::Startup(Startup::read(reader)?),
            Opcode::Options => Self::Options,
            Opcode::AuthResponse => Self::AuthResponse(AuthResponse::read(reader)?),
            Opcode::Register => Self::Register(Register::read(reader)?),
            Opcode::Query => Self::Query(Query::read(reader, version)?),
            Opcode::Prepare => Self::Prepare(Prepare::read(reader, version)?),
            Opcode::Execute => Self::Execute(Execute::read(reader, version)?),
            Opcode::Batch => Self::Batch(Batch::read(reader, version)?),
            _ => return Ok(None),
        }))
    }

    /// Appends the body.
    ///
    /// # Errors
    /// When something is longer than the protocol can tell, or the version has no place for it.
    pub fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        match self {
            Self::Startup(startup) => startup.write(out),
            Self::Options => Ok(()),
            Self::AuthResponse(response) => response.write(out),
            Self::Register(register) => register.write(out),
            Self::Query(query) => query.write(out, version),
            Self::Prepare(prepare) => prepare.write(out, version),
            Self::Execute(execute) => execute.write(out, version),
            Self::Batch(batch) => batch.write(out, version),
        }
    }

    /// What kind of message it is.
    #[must_use]
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::Startup(_) => Opcode::Startup,
            Self::Options => Opcode::Options,
            Self::AuthResponse(_) => Opcode::AuthResponse,
            Self::Register(_) => Opcode::Register,
            Self::Query(_) => Opcode::Query,
            Self::Prepare(_) => Opcode::Prepare,
            Self::Execute(_) => Opcode::Execute,
            Self::Batch(_) => Opcode::Batch,
        }
    }
}
