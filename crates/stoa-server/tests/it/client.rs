//! A client of our own codec, which sends what it is told to and no more.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use stoa_wire::request::{Parameters, Prepare, Query, Register, Startup};
use stoa_wire::response::result::PreparedResult;
use stoa_wire::response::{ErrorResponse, EventKind, ResultResponse};
use stoa_wire::{
    Compression, Direction, Envelope, Extras, Flags, Header, Limits, Opcode, Request, Response,
    SegmentForm, Splitter, Version, write_envelope,
};

/// How long an answer may take, so that a test that waits in vain ends.
const LONGEST: Duration = Duration::from_secs(60);

/// A connection.
pub(crate) struct Client {
    socket: TcpStream,
    splitter: Splitter,
    version: Version,
    compression: Option<Compression>,
    form: Option<SegmentForm>,
}

impl Client {
    /// A connection that has not begun.
    pub(crate) fn new(address: SocketAddr, version: Version) -> Self {
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(LONGEST)).unwrap();
        Self {
            socket,
            splitter: Splitter::new(Direction::Response, Limits::default()),
            version,
            compression: None,
            form: None,
        }
    }

    /// A connection that is ready.
    pub(crate) fn ready(
        address: SocketAddr,
        version: Version,
        compression: Option<Compression>,
    ) -> Self {
        let mut client = Self::new(address, version);
        let mut options = vec![("CQL_VERSION".into(), "3.4.5".into())];
        if let Some(compression) = compression {
            let names = Compression::NAMES;
            let name = names.iter().find(|(it, _)| *it == compression).unwrap().1;
            options.push(("COMPRESSION".into(), name.into()));
        }
        let answer = client.ask(&Request::Startup(Startup { options }));
        assert_eq!(client.read(&answer), Response::Ready);
        client.splitter.make_ready(version, compression);
        client.compression = compression;
        if version == Version::V5 {
            client.form = Some(match compression {
                Some(_) => SegmentForm::Lz4,
                None => SegmentForm::Plain,
            });
        }
        client
    }

    /// Sends bytes as they are.
    pub(crate) fn send_bytes(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).unwrap();
    }

    /// Sends bytes, if there is still somebody.
    pub(crate) fn try_send_bytes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.socket.write_all(bytes)
    }

    /// Sends a request on a stream.
    pub(crate) fn send(&mut self, stream: i16, request: &Request<'_>) {
        let mut body = Vec::new();
        request.write(&mut body, self.version).unwrap();
        self.send_body(stream, request.opcode(), &body);
    }

    /// Sends a request with this body.
    pub(crate) fn send_body(&mut self, stream: i16, opcode: Opcode, body: &[u8]) {
        let header = Header {
            version: self.version,
            flags: Flags::NONE,
            stream,
            opcode,
        };
        let mut envelope = Vec::new();
        let extras = Extras::default();
        write_envelope(&mut envelope, header, &extras, self.compression, |out| {
            out.extend_from_slice(body);
            Ok(())
        })
        .unwrap();
        match self.form {
            None => self.send_bytes(&envelope),
            Some(form) => {
                let mut bytes = Vec::new();
                form.write_all(&mut bytes, &[&envelope]);
                self.send_bytes(&bytes);
            }
        }
    }

    /// The next envelope; `None` if the server closes the connection.
    pub(crate) fn receive(&mut self) -> Option<Envelope> {
        loop {
            if let Some(envelope) = self.splitter.next_envelope().unwrap() {
                return Some(envelope);
            }
            let mut room = [0; 65_536];
            match self.socket.read(&mut room) {
                Ok(0) => return None,
                Ok(count) => self.splitter.feed(&room[..count]),
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return None,
                Err(error) => panic!("no answer: {error}"),
            }
        }
    }

    /// The message of an envelope.
    pub(crate) fn read<'a>(&self, envelope: &'a Envelope) -> Response<'a> {
        let (_, body) = envelope.parts().unwrap();
        let version = envelope.header.version;
        Response::read(envelope.header.opcode, version, body)
            .unwrap()
            .unwrap()
    }

    /// Sends a request and waits for its answer.
    pub(crate) fn ask(&mut self, request: &Request<'_>) -> Envelope {
        self.send(3, request);
        let envelope = self.receive().unwrap();
        assert_eq!(envelope.header.stream, 3);
        envelope
    }

    /// Executes a text, which must be done.
    pub(crate) fn run(&mut self, text: &str) -> Envelope {
        let answer = self.ask(&query(text));
        if let Response::Error(error) = self.read(&answer) {
            panic!("{text}: {error:?}");
        }
        answer
    }

    /// The error of a request.
    pub(crate) fn error(&mut self, request: &Request<'_>) -> ErrorResponse<'static> {
        let answer = self.ask(request);
        match self.read(&answer) {
            Response::Error(error) => ErrorResponse {
                message: Cow::Owned(error.message.into_owned()),
                detail: owned(&error.detail),
            },
            other => panic!("no error: {other:?}"),
        }
    }

    /// The id of a prepared statement, the id of its columns, and how many variables it has.
    pub(crate) fn prepare(&mut self, prepare: Prepare<'_>) -> (Vec<u8>, Option<Vec<u8>>, usize) {
        let answer = self.ask(&Request::Prepare(prepare));
        match self.read(&answer) {
            Response::Result(ResultResponse::Prepared(it)) => {
                let PreparedResult {
                    id,
                    result_metadata_id,
                    variables,
                    ..
                } = *it;
                let metadata = result_metadata_id.map(Cow::into_owned);
                (id.into_owned(), metadata, variables.len())
            }
            other => panic!("not prepared: {other:?}"),
        }
    }

    /// Asks to hear of events.
    pub(crate) fn register(&mut self) {
        let kinds = vec![EventKind::Schema, EventKind::Status, EventKind::Topology];
        let answer = self.ask(&Request::Register(Register { kinds }));
        assert_eq!(self.read(&answer), Response::Ready);
    }
}

/// What tests look at of an error.
pub(crate) fn owned(
    detail: &stoa_wire::response::ErrorDetail<'_>,
) -> stoa_wire::response::ErrorDetail<'static> {
    use stoa_wire::response::ErrorDetail;
    match detail {
        ErrorDetail::AlreadyExists { keyspace, table } => ErrorDetail::AlreadyExists {
            keyspace: keyspace.clone().into_owned().into(),
            table: table.clone().into_owned().into(),
        },
        ErrorDetail::Unprepared(id) => ErrorDetail::Unprepared(id.clone().into_owned().into()),
        ErrorDetail::Protocol => ErrorDetail::Protocol,
        ErrorDetail::Overloaded => ErrorDetail::Overloaded,
        ErrorDetail::Syntax => ErrorDetail::Syntax,
        ErrorDetail::Invalid => ErrorDetail::Invalid,
        ErrorDetail::Configuration => ErrorDetail::Configuration,
        other => panic!("an unexpected error: {other:?}"),
    }
}

/// A text without values.
pub(crate) fn query(text: &str) -> Request<'_> {
    Request::Query(Query {
        text: text.into(),
        parameters: Parameters::default(),
    })
}
