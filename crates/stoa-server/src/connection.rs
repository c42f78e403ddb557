//! One connection: its state, its requests, its end.
//!
//! What a connection is told about itself (STARTUP, OPTIONS, REGISTER) is answered in order. What is
//! executed is executed at once with everything else, and answered when it is done.
//!
//! Invariants:
//! 1. Nothing is executed before STARTUP, and the version and compression stay as agreed on then.
//! 2. What was begun is answered, also when the server is told to stop.

use std::io;
use std::sync::Arc;

use stoa_session::SchemaChange;
use stoa_wire::request::Startup;
use stoa_wire::response::event::EVENT_STREAM;
use stoa_wire::response::{ErrorDetail, Event, EventKind};
use stoa_wire::{
    Compression, Direction, Envelope, FrameError, Opcode, Request, Response, SegmentForm, Splitter,
    Version,
};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedReadHalf;
use tokio::sync::{Semaphore, broadcast, watch};

use crate::answer::schema_change;
use crate::execute::{self, Context, protocol_error};
use crate::failure;
use crate::outbox::{self, Outbox, Parcel, Room};
use crate::server::Shared;
use crate::startup::{self, Stage};

/// How many bytes are read at once.
const READ_BYTES: usize = 16 << 10;

/// Why a connection is read no more.
#[derive(Debug)]
struct Ended;

/// Serves a connection to its end.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    stream: TcpStream,
    mut stopping: watch::Receiver<bool>,
) {
    // Answers are gathered before they are sent; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let (reader, writer) = stream.into_split();
    let (outbox, parcels) = outbox::outbox();
    let sending = tokio::spawn(outbox::send_all(parcels, writer, shared.limits.taking));
    let connection = Connection::new(shared, outbox);
    connection.read_all(&reader, &mut stopping).await;
    if let Ok(Err(error)) = sending.await {
        tracing::debug!(%error, "a connection broke");
    }
}

struct Connection {
    shared: Arc<Shared>,
    outbox: Outbox,
    splitter: Splitter,
    /// What requests are executed with; none before STARTUP.
    context: Option<Arc<Context>>,
    /// A permit for each request of this connection that is being executed.
    permits: Arc<Semaphore>,
    /// The room for answers that wait to be sent.
    room: Room,
    /// Changes of the schema, if the client wants to know.
    changes: Option<broadcast::Receiver<SchemaChange>>,
}

impl Connection {
    fn new(shared: &Arc<Shared>, outbox: Outbox) -> Self {
        Self {
            shared: Arc::clone(shared),
            outbox,
            splitter: Splitter::new(Direction::Request, shared.limits.frame),
            context: None,
            permits: Arc::new(Semaphore::new(shared.limits.of_connection)),
            room: Room::new(),
            changes: None,
        }
    }

    /// Reads until the client goes, the server stops, or what comes is no message.
    async fn read_all(mut self, reader: &OwnedReadHalf, stopping: &mut watch::Receiver<bool>) {
        let too_late = tokio::time::sleep(self.shared.limits.beginning);
        let mut too_late = std::pin::pin!(too_late);
        loop {
            if self.take_all().await.is_err() {
                return;
            }
            tokio::select! {
                ready = reader.readable() => {
                    if ready.is_err() || self.read_some(reader).is_err() {
                        return;
                    }
                }
                change = next_change(&mut self.changes) => self.tell(&change).await,
                _ = stopping.changed() => return,
                () = self.outbox.closed() => return,
                () = &mut too_late, if self.context.is_none() => return,
            }
        }
    }

    /// Reads what is there. Its room is on the stack, so that an idle connection has none.
    fn read_some(&mut self, reader: &OwnedReadHalf) -> Result<(), Ended> {
        let mut room = [0; READ_BYTES];
        match reader.try_read(&mut room) {
            Ok(0) => Err(Ended),
            Ok(count) => {
                self.splitter.feed(room.get(..count).unwrap_or_default());
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(_) => Err(Ended),
        }
    }

    /// Handles every envelope that is all there.
    async fn take_all(&mut self) -> Result<(), Ended> {
        loop {
            match self.splitter.next_envelope() {
                Ok(None) => return Ok(()),
                Ok(Some(envelope)) => self.handle(envelope).await?,
                Err(error) => {
                    self.refuse(&error).await?;
                    if error.stream().is_none() {
                        return Err(Ended);
                    }
                }
            }
        }
    }

    async fn handle(&mut self, envelope: Envelope) -> Result<(), Ended> {
        let header = envelope.header;
        let stage = match self.context {
            Some(_) => Stage::Ready,
            None => Stage::New,
        };
        if let Err(message) = startup::check(stage, header.opcode) {
            let error = Response::Error(protocol_error(message));
            return self.reply(header.version, header.stream, &error).await;
        }
        if !matches!(
            header.opcode,
            Opcode::Options | Opcode::Startup | Opcode::Register
        ) {
            return self.execute(envelope).await;
        }
        let request = envelope
            .parts()
            .and_then(|(_, body)| Request::read(header.opcode, header.version, body));
        let response = match request {
            Ok(Some(Request::Startup(startup))) => {
                return self.begin(&startup, header.version, header.stream).await;
            }
            Ok(Some(Request::Register(register))) => {
                if register.kinds.contains(&EventKind::Schema) {
                    self.changes = Some(self.shared.changes.subscribe());
                }
                Response::Ready
            }
            Ok(_) => Response::Supported(startup::supported()),
            Err(error) => Response::Error(protocol_error(error.to_string())),
        };
        self.reply(header.version, header.stream, &response).await
    }

    /// Agrees on a version and a compression, or not.
    async fn begin(
        &mut self,
        startup: &Startup<'_>,
        version: Version,
        stream: i16,
    ) -> Result<(), Ended> {
        let compression = match startup::agree(startup, version) {
            Ok(compression) => compression,
            Err(message) => {
                let error = Response::Error(protocol_error(message));
                return self.reply(version, stream, &error).await;
            }
        };
        self.reply(version, stream, &Response::Ready).await?;
        self.splitter.make_ready(version, compression);
        self.context = Some(Arc::new(Context {
            shared: Arc::clone(&self.shared),
            session: self.shared.database.session(),
            version,
            compression,
        }));
        if version == Version::V4 {
            return Ok(());
        }
        let form = match compression {
            Some(_) => SegmentForm::Lz4,
            None => SegmentForm::Plain,
        };
        self.put(Parcel::Segments(form)).await
    }

    /// Executes a request beside the others of this connection.
    async fn execute(&mut self, envelope: Envelope) -> Result<(), Ended> {
        let Some(context) = self.context.clone() else {
            return Err(Ended);
        };
        let Ok(request) = Arc::clone(&self.shared.requests).try_acquire_owned() else {
            let message = "too many requests are being executed; try again later".to_owned();
            let error = Response::Error(failure::told(message, ErrorDetail::Overloaded));
            let header = envelope.header;
            return self.reply(header.version, header.stream, &error).await;
        };
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let permit = permit.map_err(|_| Ended)?;
        self.room.wait().await;
        let (outbox, room) = (self.outbox.clone(), self.room.clone());
        tokio::spawn(async move {
            let answer = execute::respond(&context, &envelope).await;
            drop(request);
            // The client may be gone; then nobody waits for the answer.
            let _ = outbox.send(room.parcel(answer).await).await;
            drop(permit);
        });
        Ok(())
    }

    /// Tells what is wrong with the bytes that came.
    async fn refuse(&self, error: &FrameError) -> Result<(), Ended> {
        // Who speaks no version of ours is told in the newest, as Cassandra does.
        let version = self.splitter.version().unwrap_or(Version::V5);
        let told = Response::Error(protocol_error(error.to_string()));
        self.reply(version, error.reply_stream(), &told).await
    }

    async fn reply(
        &self,
        version: Version,
        stream: i16,
        response: &Response<'_>,
    ) -> Result<(), Ended> {
        let compression = self.compression();
        let bytes = execute::envelope(version, compression, stream, &[], response);
        let parcel = self.room.parcel(bytes).await;
        self.put(parcel).await
    }

    fn compression(&self) -> Option<Compression> {
        self.context.as_ref().and_then(|it| it.compression)
    }

    async fn put(&self, parcel: Parcel) -> Result<(), Ended> {
        self.outbox.send(parcel).await.map_err(|_| Ended)
    }

    /// Tells of a change of the schema.
    async fn tell(&self, change: &SchemaChange) {
        if let Some(context) = &self.context {
            let event = Response::Event(Event::Schema(schema_change(change)));
            // If the client is gone, the next reading says so.
            let _ = self.reply(context.version, EVENT_STREAM, &event).await;
        }
    }
}

/// The next change of the schema; never, if nobody wants to know.
async fn next_change(changes: &mut Option<broadcast::Receiver<SchemaChange>>) -> SchemaChange {
    let Some(changes) = changes else {
        return std::future::pending().await;
    };
    loop {
        match changes.recv().await {
            Ok(change) => return change,
            // Too slow for some: the client reads the schema anyway when it hears of the next.
            Err(broadcast::error::RecvError::Lagged(_)) => {}
            Err(broadcast::error::RecvError::Closed) => return std::future::pending().await,
        }
    }
}
