//! What is sent on one connection: envelopes as they are done, many at once where many wait.
//!
//! Invariants:
//! 1. Whatever was put in before the last sender went is sent, unless the client takes nothing.
//! 2. No more waits than there is room for; whoever has more waits, too.
//! 3. While answers wait that are [`MOST_UNSENT`] together, no further request is begun.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use stoa_wire::SegmentForm;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// How many envelopes may wait.
const MOST_WAITING: usize = 256;
/// How many bytes are gathered before they are sent.
const MOST_GATHERED: usize = 256 << 10;

/// How many bytes of answers may wait before requests do.
const MOST_UNSENT: u32 = 8 << 20;

/// The room for answers that wait, in bytes.
#[derive(Debug, Clone)]
pub(crate) struct Room(Arc<Semaphore>);

impl Room {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(
            usize::try_from(MOST_UNSENT).unwrap_or(usize::MAX),
        )))
    }

    /// Waits until there is some.
    pub(crate) async fn wait(&self) {
        // It is given back at once: how much an answer takes is known when there is one.
        let _ = self.0.acquire().await;
    }

    /// Takes what an answer needs, and waits for it.
    async fn take(&self, bytes: usize) -> Option<OwnedSemaphorePermit> {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX).min(MOST_UNSENT);
        Arc::clone(&self.0).acquire_many_owned(bytes).await.ok()
    }

    /// An envelope in its room.
    pub(crate) async fn parcel(&self, envelope: Vec<u8>) -> Parcel {
        let room = self.take(envelope.len()).await;
        Parcel::Envelope(envelope, room)
    }
}

/// What is sent.
#[derive(Debug)]
pub(crate) enum Parcel {
    /// An envelope, and the room that it takes until it is sent.
    Envelope(Vec<u8>, Option<OwnedSemaphorePermit>),
    /// From here on envelopes are in segments of this form.
    Segments(SegmentForm),
}

/// Where what is to be sent is put.
pub(crate) type Outbox = mpsc::Sender<Parcel>;

/// An outbox, and what takes from it.
pub(crate) fn outbox() -> (Outbox, mpsc::Receiver<Parcel>) {
    mpsc::channel(MOST_WAITING)
}

/// Sends what comes until there is nobody left who could put something in.
///
/// # Errors
/// When the client is gone, or takes nothing for as long as that.
pub(crate) async fn send_all(
    mut parcels: mpsc::Receiver<Parcel>,
    socket: OwnedWriteHalf,
    taking: Duration,
) -> io::Result<()> {
    let mut form = None;
    while let Some(parcel) = parcels.recv().await {
        let mut gathered = Gathered::default();
        let mut next = Some(parcel);
        while let Some(parcel) = next {
            match parcel {
                Parcel::Envelope(envelope, room) => gathered.add(envelope, room),
                Parcel::Segments(new) => {
                    gathered.close(form);
                    form = Some(new);
                }
            }
            next = match gathered.is_enough() {
                true => None,
                false => parcels.try_recv().ok(),
            };
        }
        gathered.close(form);
        send(&socket, &gathered.bytes, taking).await?;
    }
    Ok(())
}

/// Envelopes that are sent at once.
#[derive(Default)]
struct Gathered {
    envelopes: Vec<Vec<u8>>,
    waiting: usize,
    bytes: Vec<u8>,
    /// Given back when all of it is sent.
    room: Vec<OwnedSemaphorePermit>,
}

impl Gathered {
    fn add(&mut self, envelope: Vec<u8>, room: Option<OwnedSemaphorePermit>) {
        self.waiting += envelope.len();
        self.room.extend(room);
        self.envelopes.push(envelope);
    }

    fn is_enough(&self) -> bool {
        self.bytes.len() + self.waiting >= MOST_GATHERED
    }

    /// Makes bytes of the envelopes, in segments if there is a form of them.
    fn close(&mut self, form: Option<SegmentForm>) {
        let envelopes: Vec<&[u8]> = self.envelopes.iter().map(Vec::as_slice).collect();
        match form {
            Some(form) => form.write_all(&mut self.bytes, &envelopes),
            None => envelopes
                .iter()
                .for_each(|envelope| self.bytes.extend_from_slice(envelope)),
        }
        self.envelopes.clear();
        self.waiting = 0;
    }
}

async fn send(socket: &OwnedWriteHalf, bytes: &[u8], taking: Duration) -> io::Result<()> {
    let mut left = bytes;
    while !left.is_empty() {
        match socket.try_write(left) {
            Ok(sent) => left = left.get(sent..).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                let takes = tokio::time::timeout(taking, socket.writable()).await;
                takes.map_err(|_| io::ErrorKind::TimedOut)??;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
