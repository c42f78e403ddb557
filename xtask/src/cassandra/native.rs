//! The least of a CQL client: enough of native protocol v4 to log in and ask one question.
//!
//! It tells whether a node really answers; a port that is open says little. Nothing here is
//! fast or complete, and no crate is needed for it.
//!
//! ```text
//! frame   version u8 | flags u8 | stream u16 | opcode u8 | length u32 | body
//! rows    kind u32 = 2 | flags u32 | columns u32 | keyspace | table | (name, type u16)... |
//!         count u32 | (length i32, bytes)...
//! ```

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

const REQUEST: u8 = 0x04;
const RESPONSE: u8 = 0x84;
/// Answers of the questions asked here are far smaller; a larger one is not Cassandra's.
const LARGEST_BODY: usize = 1 << 20;

const ERROR: u8 = 0x00;
const STARTUP: u8 = 0x01;
const READY: u8 = 0x02;
const AUTHENTICATE: u8 = 0x03;
const QUERY: u8 = 0x07;
const RESULT: u8 = 0x08;
const AUTH_RESPONSE: u8 = 0x0F;
const AUTH_SUCCESS: u8 = 0x10;

const WARNINGS: u8 = 0x08;
const ROWS: u32 = 2;
/// The only flag of rows without paging: the table is named once for all columns.
const ONE_TABLE: u32 = 0x01;
/// Type numbers from here on are followed by a description; text and numbers lie below.
const FIRST_NESTED_TYPE: u16 = 0x20;

/// How many replicas must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consistency {
    One = 1,
    Two = 2,
    Three = 3,
}

/// A user and password for `PasswordAuthenticator`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Login {
    pub(crate) user: &'static str,
    pub(crate) password: &'static str,
}

/// Rows of cells; a cell is null or bytes.
pub(crate) type Rows = Vec<Vec<Option<Vec<u8>>>>;

/// A connection that is ready for queries.
pub(crate) struct Connection {
    stream: TcpStream,
}

impl Connection {
    /// Connects and logs in. `limit` bounds each wait for the network.
    pub(crate) fn open(address: SocketAddr, login: Option<Login>, limit: Duration) -> Result<Self> {
        let mut connection = Self::dial(address, limit)?;
        let answer = connection.ask(STARTUP, &startup())?;
        match (answer.opcode, login) {
            (READY, _) => Ok(connection),
            (AUTHENTICATE, Some(login)) => {
                let answer = connection.ask(AUTH_RESPONSE, &plain(login))?;
                ensure!(
                    answer.opcode == AUTH_SUCCESS,
                    "the login needs a second step"
                );
                Ok(connection)
            }
            (AUTHENTICATE, None) => bail!("{address} asks for a login"),
            (opcode, _) => bail!("{address} answers opcode {opcode:#04x} to STARTUP"),
        }
    }

    /// Whether a native-protocol server listens, logged in or not.
    pub(crate) fn listens(address: SocketAddr, limit: Duration) -> Result<()> {
        Self::dial(address, limit)?.ask(STARTUP, &startup())?;
        Ok(())
    }

    /// Runs one statement, whose columns must be of simple types. Answers other than rows
    /// come back empty.
    pub(crate) fn query(&mut self, cql: &str, consistency: Consistency) -> Result<Rows> {
        let answer = self.ask(QUERY, &query(cql, consistency)?)?;
        ensure!(
            answer.opcode == RESULT,
            "opcode {:#04x} instead of a result",
            answer.opcode
        );
        rows(&answer.body)
    }

    fn dial(address: SocketAddr, limit: Duration) -> Result<Self> {
        let stream = TcpStream::connect_timeout(&address, limit)
            .with_context(|| format!("cannot connect to {address}"))?;
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream })
    }

    fn ask(&mut self, opcode: u8, body: &[u8]) -> Result<Frame> {
        self.stream.write_all(&frame(opcode, body)?)?;
        let answer = Frame::read(&mut self.stream)?;
        if answer.opcode == ERROR {
            let mut body = Body(&answer.body);
            let code = body.u32()?;
            bail!("error {code:#06x}: {}", body.string()?);
        }
        Ok(answer)
    }
}

/// An answer, its warnings removed.
#[derive(Debug, PartialEq, Eq)]
struct Frame {
    opcode: u8,
    body: Vec<u8>,
}

impl Frame {
    fn read(input: &mut impl Read) -> Result<Self> {
        let mut head = [0; 9];
        input.read_exact(&mut head).context("no answer")?;
        let [version, flags, _, _, opcode, a, b, c, d] = head;
        ensure!(
            version == RESPONSE,
            "version byte {version:#04x} is not protocol v4"
        );
        let length = usize::try_from(u32::from_be_bytes([a, b, c, d]))?;
        ensure!(
            length <= LARGEST_BODY,
            "an answer of {length} bytes is too large"
        );
        let mut body = vec![0; length];
        input.read_exact(&mut body).context("half an answer")?;
        ensure!(flags & !WARNINGS == 0, "frame flags {flags:#04x}");
        if flags & WARNINGS != 0 {
            let mut rest = Body(&body);
            for _ in 0..rest.u16()? {
                rest.string()?;
            }
            body = rest.0.to_vec();
        }
        Ok(Self { opcode, body })
    }
}

fn frame(opcode: u8, body: &[u8]) -> Result<Vec<u8>> {
    let mut bytes = vec![REQUEST, 0, 0, 0, opcode];
    bytes.extend(u32::try_from(body.len())?.to_be_bytes());
    bytes.extend(body);
    Ok(bytes)
}

/// A string map with one entry, the CQL version.
fn startup() -> Vec<u8> {
    let mut body = vec![0, 1];
    for word in [&b"\x00\x0BCQL_VERSION"[..], b"\x00\x053.0.0"] {
        body.extend(word);
    }
    body
}

/// SASL PLAIN: no authorization identity, the user, the password.
fn plain(login: Login) -> Vec<u8> {
    let token = format!("\0{}\0{}", login.user, login.password);
    let length = u32::try_from(token.len()).unwrap_or(u32::MAX);
    [&length.to_be_bytes(), token.as_bytes()].concat()
}

fn query(cql: &str, consistency: Consistency) -> Result<Vec<u8>> {
    let mut body = u32::try_from(cql.len())?.to_be_bytes().to_vec();
    body.extend(cql.as_bytes());
    body.extend((consistency as u16).to_be_bytes());
    body.push(0);
    Ok(body)
}

fn rows(body: &[u8]) -> Result<Rows> {
    let mut body = Body(body);
    if body.u32()? != ROWS {
        return Ok(Rows::new());
    }
    let flags = body.u32()?;
    ensure!(flags == ONE_TABLE, "metadata flags {flags:#x}");
    let columns = body.u32()?;
    let _keyspace_and_table = (body.string()?, body.string()?);
    for _ in 0..columns {
        let (name, number) = (body.string()?, body.u16()?);
        ensure!(
            (1..FIRST_NESTED_TYPE).contains(&number),
            "the type of `{name}` is not a simple one"
        );
    }
    let count = body.u32()?;
    let mut rows = Rows::new();
    for _ in 0..count {
        let row: Result<Vec<_>> = (0..columns).map(|_| body.cell()).collect();
        rows.push(row?);
    }
    Ok(rows)
}

/// What is left of a body.
struct Body<'a>(&'a [u8]);

impl<'a> Body<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8]> {
        let (head, tail) = self.0.split_at_checked(length).context("a body cut off")?;
        self.0 = tail;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.take(N)?.try_into()?)
    }

    fn u16(&mut self) -> Result<u16> {
        Ok(u16::from_be_bytes(self.array()?))
    }

    fn u32(&mut self) -> Result<u32> {
        Ok(u32::from_be_bytes(self.array()?))
    }

    fn string(&mut self) -> Result<String> {
        let length = usize::from(self.u16()?);
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// A length below zero is null.
    fn cell(&mut self) -> Result<Option<Vec<u8>>> {
        let length = i32::from_be_bytes(self.array()?);
        let Ok(length) = usize::try_from(length) else {
            return Ok(None);
        };
        Ok(Some(self.take(length)?.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_startup_frame_has_these_bytes() {
        let bytes = frame(STARTUP, &startup()).unwrap();
        assert_eq!(
            bytes,
            b"\x04\0\0\0\x01\0\0\0\x16\0\x01\0\x0BCQL_VERSION\0\x053.0.0"
        );
    }

    #[test]
    fn a_query_frame_has_these_bytes() {
        let body = query("SELECT", Consistency::Three).unwrap();
        let bytes = frame(QUERY, &body).unwrap();
        assert_eq!(bytes, b"\x04\0\0\0\x07\0\0\0\x0D\0\0\0\x06SELECT\0\x03\0");
    }

    #[test]
    fn a_login_is_two_words_after_nuls() {
        let login = Login {
            user: "ann",
            password: "pw",
        };
        assert_eq!(plain(login), b"\0\0\0\x07\0ann\0pw");
    }

    #[test]
    fn rows_are_read_with_their_nulls() {
        let bytes = b"\x84\0\0\0\x08\0\0\0\x2D\0\0\0\x02\0\0\0\x01\0\0\0\x02\0\x01k\0\x01t\
                      \0\x01a\0\x0D\0\x01b\0\x09\0\0\0\x01\0\0\0\x055.0.8\xFF\xFF\xFF\xFF";
        let frame = Frame::read(&mut &bytes[..]).unwrap();
        assert_eq!(frame.opcode, RESULT);
        assert_eq!(
            rows(&frame.body).unwrap(),
            [[Some(b"5.0.8".to_vec()), None]]
        );
    }

    #[test]
    fn warnings_before_a_body_are_dropped() {
        let bytes = b"\x84\x08\0\0\x08\0\0\0\x0B\0\x01\0\x03abc\0\0\0\x01";
        let frame = Frame::read(&mut &bytes[..]).unwrap();
        assert_eq!(frame.body, b"\0\0\0\x01");
        assert!(rows(&frame.body).unwrap().is_empty());
    }

    #[test]
    fn what_is_not_an_answer_is_refused() {
        for bytes in [
            &b""[..],
            b"HTTP/1.1 400 Bad Request",
            b"\x85\0\0\0\x08\0\0\0\0",
            b"\x84\0\0\0\x08\xFF\xFF\xFF\xFF",
            b"\x84\0\0\0\x08\0\0\0\x05ab",
            b"\x84\x08\0\0\x08\0\0\0\x02\0\x01",
        ] {
            assert!(Frame::read(&mut &bytes[..]).is_err(), "{bytes:?}");
        }
        for body in [
            &b"\0\0\0"[..],
            b"\0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0",
            b"\0\0\0\x02\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\0",
            b"\0\0\0\x02\0\0\0\x01\0\0\0\x01\0\0\0\0\0\x01a\0\x22\0\x01\0\0\0\0",
        ] {
            assert!(rows(body).is_err(), "{body:?}");
        }
    }
}
