//! What one listener is sent, as the body of an answer that does not end by itself.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

use super::Live;

/// Events. When this is dropped, whoever listened has left.
#[derive(Debug)]
pub struct Events {
    live: Arc<Live>,
    number: u64,
    receiver: mpsc::Receiver<Bytes>,
}

impl Events {
    pub(super) fn new(live: Arc<Live>, number: u64, receiver: mpsc::Receiver<Bytes>) -> Self {
        Self {
            live,
            number,
            receiver,
        }
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        self.live.leave(self.number);
    }
}

impl Body for Events {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.receiver.poll_recv(context);
        next.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
