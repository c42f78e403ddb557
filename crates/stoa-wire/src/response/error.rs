//! ERROR: what went wrong, with a code and what belongs to it.
//!
//! ```text
//! int code   string message   then by code:
//!   0x1000 unavailable     consistency, int required, int alive
//!   0x1100 write timeout   consistency, int received, int required, string write type
//!                          v5, CAS: short contentions
//!   0x1200 read timeout    consistency, int received, int required, byte data present
//!   0x1300 read failure    consistency, int received, int required, failures, byte data present
//!   0x1400 function        string keyspace, string function, string list argument types
//!   0x1500 write failure   consistency, int received, int required, failures, string write type
//!   0x1700 CAS unknown     consistency, int received, int required
//!   0x2400 exists          string keyspace, string table
//!   0x2500 unprepared      short bytes id
//! failures   v4: int number   v5: int n, n times inetaddr, short reason
//! ```

use std::borrow::Cow;
use std::net::IpAddr;

use crate::error::{DecodeError, DecodeErrorKind, EncodeError};
use crate::types::address::{read_address, write_address};
use crate::types::reader::Reader;
use crate::types::{Consistency, WriteType, writer};
use crate::version::Version;

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ErrorResponse<'a> {
    /// In words.
    pub message: Cow<'a, str>,
    /// What it is, and what belongs to it.
    pub detail: ErrorDetail<'a>,
}

/// What an error is, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorDetail<'a> {
    /// 0x0000: something unexpected.
    Server,
    /// 0x000A: what the client sent is no message, or none that may be sent now.
    Protocol,
    /// 0x0100: user name or password is wrong.
    BadCredentials,
    /// 0x1000: too few replicas are alive.
    Unavailable {
        /// At which level.
        consistency: Consistency,
        /// How many there must be.
        required: i32,
        /// How many there are.
        alive: i32,
    },
    /// 0x1001: too much is asked at once.
    Overloaded,
    /// 0x1002: the node is starting.
    Bootstrapping,
    /// 0x1003: a TRUNCATE failed.
    Truncate,
    /// 0x1100: a write was waited for in vain.
    WriteTimeout {
        /// Who answered.
        answers: Answers,
        /// What kind of write it was.
        write_type: WriteType,
        /// How often a conditional write met another; version 5, CAS.
        contentions: Option<u16>,
    },
    /// 0x1200: a read was waited for in vain.
    ReadTimeout {
        /// Who answered.
        answers: Answers,
        /// Whether the replica that was asked for data answered.
        has_data: bool,
    },
    /// 0x1300: replicas failed at a read.
    ReadFailure {
        /// Who answered.
        answers: Answers,
        /// Who failed.
        failures: Failures,
        /// Whether the replica that was asked for data answered.
        has_data: bool,
    },
    /// 0x1400: a function failed.
    FunctionFailure {
        /// The keyspace of the function.
        keyspace: Cow<'a, str>,
        /// Its name.
        function: Cow<'a, str>,
        /// The types of its arguments.
        argument_types: Vec<Cow<'a, str>>,
    },
    /// 0x1500: replicas failed at a write.
    WriteFailure {
        /// Who answered.
        answers: Answers,
        /// Who failed.
        failures: Failures,
        /// What kind of write it was.
        write_type: WriteType,
    },
    /// 0x1600: the log of changed data is full.
    CdcWriteFailure,
    /// 0x1700: whether a conditional write was applied is unknown.
    CasWriteUnknown(Answers),
    /// 0x2000: the text is not CQL.
    Syntax,
    /// 0x2100: this user may not do that.
    Unauthorized,
    /// 0x2200: well-formed, but it cannot be done.
    Invalid,
    /// 0x2300: a setting is wrong.
    Configuration,
    /// 0x2400: what is to be made exists.
    AlreadyExists {
        /// The keyspace that exists, or in which the table does.
        keyspace: Cow<'a, str>,
        /// The table that exists; empty if it is the keyspace.
        table: Cow<'a, str>,
    },
    /// 0x2500: nothing is prepared under this id.
    Unprepared(Cow<'a, [u8]>),
}

/// How many replicas answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answers {
    /// At which level.
    pub consistency: Consistency,
    /// How many answered.
    pub received: i32,
    /// How many should have.
    pub required: i32,
}

/// Which replicas failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failures {
    /// How many; version 4.
    Count(i32),
    /// Which, and why; version 5.
    Reasons(Vec<(IpAddr, u16)>),
}

const CODE: &str = "the code of an error";
const MESSAGE: &str = "the message of an error";
const COUNTS: &str = "how many replicas answered";
const FAILURES: &str = "which replicas failed";
const HAS_DATA: &str = "whether data is present";
const CONTENTIONS: &str = "the number of contentions";
const KEYSPACE: &str = "the keyspace of an error";
const NAME: &str = "the name in an error";
const TYPES: &str = "the argument types of an error";
const ID: &str = "the id of what is not prepared";
/// An address of four bytes with its length, and a reason.
const LEAST_FAILURE_BYTES: usize = 7;

impl ErrorDetail<'_> {
    /// The code of the protocol.
    #[must_use]
    pub fn code(&self) -> u16 {
        match self {
            Self::Server => 0x0000,
            Self::Protocol => 0x000a,
            Self::BadCredentials => 0x0100,
            Self::Unavailable { .. } => 0x1000,
            Self::Overloaded => 0x1001,
            Self::Bootstrapping => 0x1002,
            Self::Truncate => 0x1003,
            Self::WriteTimeout { .. } => 0x1100,
            Self::ReadTimeout { .. } => 0x1200,
            Self::ReadFailure { .. } => 0x1300,
            Self::FunctionFailure { .. } => 0x1400,
            Self::WriteFailure { .. } => 0x1500,
            Self::CdcWriteFailure => 0x1600,
            Self::CasWriteUnknown(_) => 0x1700,
            Self::Syntax => 0x2000,
            Self::Unauthorized => 0x2100,
            Self::Invalid => 0x2200,
            Self::Configuration => 0x2300,
            Self::AlreadyExists { .. } => 0x2400,
            Self::Unprepared(_) => 0x2500,
        }
    }
}

impl<'a> ErrorResponse<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        let before = reader.clone();
        let code = reader.int(CODE)?;
        let message = reader.string(MESSAGE)?;
        let detail = ErrorDetail::read(reader, version, code)?;
        let unknown = || before.error(CODE, DecodeErrorKind::Unknown(code.into()));
        Ok(Self {
            message,
            detail: detail.ok_or_else(unknown)?,
        })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        out.extend_from_slice(&i32::from(self.detail.code()).to_be_bytes());
        writer::string(out, MESSAGE, &self.message)?;
        self.detail.write(out, version)
    }
}

impl<'a> ErrorDetail<'a> {
    /// What belongs to a code; `None` if no error has it.
    fn read(
        reader: &mut Reader<'a>,
        version: Version,
        code: i32,
    ) -> Result<Option<Self>, DecodeError> {
        Ok(Some(match code {
            0x0000 => Self::Server,
            0x000a => Self::Protocol,
            0x0100 => Self::BadCredentials,
            0x1000 => {
                let Answers {
                    consistency,
                    received: required,
                    required: alive,
                } = Answers::read(reader)?;
                Self::Unavailable {
                    consistency,
                    required,
                    alive,
                }
            }
            0x1001 => Self::Overloaded,
            0x1002 => Self::Bootstrapping,
            0x1003 => Self::Truncate,
            0x1100 => Self::read_write_timeout(reader, version)?,
            0x1200 => Self::ReadTimeout {
                answers: Answers::read(reader)?,
                has_data: reader.byte(HAS_DATA)? != 0,
            },
            0x1300 => Self::ReadFailure {
                answers: Answers::read(reader)?,
                failures: Failures::read(reader, version)?,
                has_data: reader.byte(HAS_DATA)? != 0,
            },
            0x1400 => Self::FunctionFailure {
                keyspace: reader.string(KEYSPACE)?,
                function: reader.string(NAME)?,
                argument_types: reader.string_list(TYPES)?,
            },
            0x1500 => Self::WriteFailure {
                answers: Answers::read(reader)?,
                failures: Failures::read(reader, version)?,
                write_type: WriteType::read(reader)?,
            },
            0x1600 => Self::CdcWriteFailure,
            0x1700 => Self::CasWriteUnknown(Answers::read(reader)?),
            0x2000 => Self::Syntax,
            0x2100 => Self::Unauthorized,
            0x2200 => Self::Invalid,
            0x2300 => Self::Configuration,
            0x2400 => Self::AlreadyExists {
                keyspace: reader.string(KEYSPACE)?,
                table: reader.string(NAME)?,
            },
            0x2500 => Self::Unprepared(reader.short_bytes(ID)?),
            _ => return Ok(None),
        }))
    }

    fn read_write_timeout(reader: &mut Reader<'a>, version: Version) -> Result<Self, DecodeError> {
        let answers = Answers::read(reader)?;
        let write_type = WriteType::read(reader)?;
        let mut contentions = None;
        if version > Version::V4 && write_type == WriteType::Cas {
            contentions = Some(reader.short_int(CONTENTIONS)?);
        }
        Ok(Self::WriteTimeout {
            answers,
            write_type,
            contentions,
        })
    }

    fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        match self {
            Self::Unavailable {
                consistency,
                required,
                alive,
            } => Answers {
                consistency: *consistency,
                received: *required,
                required: *alive,
            }
            .write(out),
            Self::WriteTimeout {
                answers,
                write_type,
                contentions,
            } => {
                answers.write(out);
                write_type.write(out)?;
                if version > Version::V4 && *write_type == WriteType::Cas {
                    out.extend_from_slice(&contentions.unwrap_or_default().to_be_bytes());
                }
            }
            Self::ReadTimeout { answers, has_data } => {
                answers.write(out);
                out.push(u8::from(*has_data));
            }
            Self::ReadFailure {
                answers,
                failures,
                has_data,
            } => {
                answers.write(out);
                failures.write(out, version)?;
                out.push(u8::from(*has_data));
            }
            Self::FunctionFailure {
                keyspace,
                function,
                argument_types,
            } => {
                writer::string(out, KEYSPACE, keyspace)?;
                writer::string(out, NAME, function)?;
                writer::string_list(out, TYPES, argument_types)?;
            }
            Self::WriteFailure {
                answers,
                failures,
                write_type,
            } => {
                answers.write(out);
                failures.write(out, version)?;
                write_type.write(out)?;
            }
            Self::CasWriteUnknown(answers) => answers.write(out),
            Self::AlreadyExists { keyspace, table } => {
                writer::string(out, KEYSPACE, keyspace)?;
                writer::string(out, NAME, table)?;
            }
            Self::Unprepared(id) => writer::short_bytes(out, ID, id)?,
            _ => {}
        }
        Ok(())
    }
}

impl Answers {
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            consistency: Consistency::read(reader, "the consistency of an error")?,
            received: reader.int(COUNTS)?,
            required: reader.int(COUNTS)?,
        })
    }

    fn write(self, out: &mut Vec<u8>) {
        self.consistency.write(out);
        out.extend_from_slice(&self.received.to_be_bytes());
        out.extend_from_slice(&self.required.to_be_bytes());
    }
}

impl Failures {
    fn read(reader: &mut Reader<'_>, version: Version) -> Result<Self, DecodeError> {
        if version == Version::V4 {
            return reader.int(FAILURES).map(Self::Count);
        }
        let count = reader.long_count(FAILURES, LEAST_FAILURE_BYTES)?;
        let reasons = reader.many(count, |reader| {
            Ok((read_address(reader, FAILURES)?, reader.short_int(FAILURES)?))
        })?;
        Ok(Self::Reasons(reasons))
    }

    /// Version 4 tells how many failed, version 5 which.
    fn write(&self, out: &mut Vec<u8>, version: Version) -> Result<(), EncodeError> {
        match (self, version) {
            (Self::Count(count), Version::V4) => out.extend_from_slice(&count.to_be_bytes()),
            (Self::Count(_), Version::V5) => writer::long_count(out, FAILURES, 0)?,
            (Self::Reasons(reasons), Version::V4) => {
                writer::long_count(out, FAILURES, reasons.len())?;
            }
            (Self::Reasons(reasons), Version::V5) => {
                writer::long_count(out, FAILURES, reasons.len())?;
                for (address, reason) in reasons {
                    write_address(out, *address);
                    out.extend_from_slice(&reason.to_be_bytes());
                }
            }
        }
        Ok(())
    }
}
