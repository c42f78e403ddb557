//! A file as the body of an answer, read piece by piece as it is taken, whatever its size.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, mpsc};

/// How much is read at once.
const PIECE: usize = 64 * 1024;
/// Pieces that wait to be taken.
const AHEAD: usize = 2;

/// A file that is being given away. Dropping it ends the reading.
#[derive(Debug)]
pub struct Download {
    size: u64,
    receiver: mpsc::Receiver<io::Result<Bytes>>,
}

impl Download {
    /// Begins to read a file as it is now, also if another one takes its place meanwhile. A thread
    /// waits for whoever takes it, so `place` is held until it ends.
    ///
    /// # Errors
    /// That it cannot be opened.
    pub async fn begin(path: &Path, place: OwnedSemaphorePermit) -> io::Result<Self> {
        let path = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            io::Result::Ok((file, size))
        });
        let (file, size) = opened.await.map_err(io::Error::other)??;
        let (sender, receiver) = mpsc::channel(AHEAD);
        tokio::task::spawn_blocking(move || {
            read(file, size, &sender);
            drop(place);
        });
        Ok(Self { size, receiver })
    }
}

/// Reads as much as was promised; a file that became shorter ends with an error.
fn read(file: File, size: u64, sender: &mpsc::Sender<io::Result<Bytes>>) {
    let mut file = file.take(size);
    let mut left = size;
    while left > 0 {
        let mut piece = vec![0; PIECE];
        let read = match file.read(&mut piece) {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            other => other,
        };
        let is_over = read.is_err();
        let piece = read.map(|length| {
            piece.truncate(length);
            left = left.saturating_sub(length as u64);
            Bytes::from(piece)
        });
        if sender.blocking_send(piece).is_err() || is_over {
            return;
        }
    }
}

impl Body for Download {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let next = self.receiver.poll_recv(context);
        next.map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.size)
    }
}
