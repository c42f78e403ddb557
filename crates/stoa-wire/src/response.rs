//! What servers send: one file for each message.

pub mod auth_challenge;
pub mod auth_success;
pub mod authenticate;
pub mod error;
pub mod event;
pub mod result;
pub mod schema_change;
pub mod supported;

pub use auth_challenge::AuthChallenge;
pub use auth_success::AuthSuccess;
pub use authenticate::Authenticate;
pub use error::{ErrorDetail, ErrorResponse};
pub use event::{Event, EventKind};
pub use result::ResultResponse;
pub use schema_change::{Change, SchemaChange, SchemaTarget};
pub use supported::Supported;

use crate::error::{DecodeError, EncodeError};
use crate::frame::opcode::Opcode;
use crate::types::reader::Reader;
use crate::version::Version;

/// What a server sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Response<'a> {
    /// What went wrong.
    Error(ErrorResponse<'a>),
    /// The connection is ready. It has no body.
    Ready,
    /// Who asks must say who they are.
    Authenticate(Authenticate<'a>),
    /// What the server can do.
    Supported(Supported<'a>),
    /// What a statement answers.
    Result(ResultResponse<'a>),
    /// Something happened.
    Event(Event<'a>),
    /// A further question about who asks.
    AuthChallenge(AuthChallenge<'a>),
    /// Who asks is known now.
    AuthSuccess(AuthSuccess<'a>),
}

impl<'a> Response<'a> {
    /// Reads the body of a response; `None` if requests have this opcode. Bytes after the body's end
    /// are passed over.
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
            Opcode::Error => Self::Error(ErrorResponse::read(reader, version)?),
            Opcode::Ready => Self::Ready,
            Opcode::Authenticate => Self::Authenticate(Authenticate::read(reader)?),
            Opcode::Supported => Self::Supported(Supported::read(reader)?),
            Opcode::Result => Self::Result(ResultResponse::read(reader, version)?),
            Opcode::Event => Self::Event(Event::read(reader)?),
            Opcode::AuthChallenge => Self::AuthChallenge(AuthChallenge::read(reader)?),
            Opcode::AuthSuccess => Self::AuthSuccess(AuthSuccess::read(reader)?),
            _ => return Ok(None),
        }))
    }

    /// Appends the body.
    ///
    /// # Errors
    /// When something is longer than the protocol can tell, or the version has no place for it.
    pub fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        match self {
            Self::Error(error) => error.write(out, version),
            Self::Ready => Ok(()),
            Self::Authenticate(authenticate) => authenticate.write(out),
            Self::Supported(supported) => supported.write(out),
            Self::Result(result) => result.write(out, version),
            Self::Event(event) => event.write(out),
            Self::AuthChallenge(challenge) => challenge.write(out),
            Self::AuthSuccess(success) => success.write(out),
        }
    }

    /// What kind of message it is.
    #[must_use]
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::Error(_) => Opcode::Error,
            Self::Ready => Opcode::Ready,
            Self::Authenticate(_) => Opcode::Authenticate,
            Self::Supported(_) => Opcode::Supported,
            Self::Result(_) => Opcode::Result,
            Self::Event(_) => Opcode::Event,
            Self::AuthChallenge(_) => Opcode::AuthChallenge,
            Self::AuthSuccess(_) => Opcode::AuthSuccess,
        }
    }
}
