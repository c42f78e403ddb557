//! The server: connections of HTTP/1.1 within limits of number and time, until it is told to stop.
//!
//! Whoever is slow costs a connection for so long and no longer: to send the head of a request, to
//! keep quiet between two, and to take an answer. How long a body may take, the gate knows.

mod patient;
mod seats;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use self::patient::Patient;
use self::seats::Seats;
use crate::gate::Remote;

/// How long the server waits before it takes another connection after it could take none, as where
/// the process may open no more files.
const REST: Duration = Duration::from_millis(50);

/// How much there may be of what, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ServerLimits {
    /// Connections at once; more wait in the queue of the operating system.
    pub connections: usize,
    /// Connections of one address that is not this machine's: one network of it, where it is of IPv6.
    /// More are closed at once.
    pub of_address: usize,
    /// How long somebody may take to send the head of a request, or keep quiet between two.
    pub head: Duration,
    /// Bytes of a head after which no more of it is read.
    pub head_bytes: usize,
    /// How long somebody may take nothing of an answer.
    pub taking: Duration,
    /// How long requests under way may go on once the server is told to stop.
    pub last: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: 4_096,
            of_address: 1_024,
            head: Duration::from_secs(20),
            head_bytes: 32 * 1_024,
            taking: Duration::from_secs(30),
            last: Duration::from_secs(10),
        }
    }
}

/// Serves until `stop` is done; then nobody new is let in, and those inside may finish.
pub async fn serve(listener: TcpListener, service: Router, stop: impl Future<Output = ()>) {
    serve_within(ServerLimits::default(), listener, service, stop).await;
}

/// The same within limits of one's own.
pub async fn serve_within(
    limits: ServerLimits,
    listener: TcpListener,
    service: Router,
    stop: impl Future<Output = ()>,
) {
    let connections = Arc::new(Semaphore::new(limits.connections));
    let seats = Arc::new(Seats::default());
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            let place = Arc::clone(&connections).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let (stream, remote) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Out of descriptors, or gone before it was taken: others may still come.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let Some(seat) = seats.take(remote.ip(), limits.of_address) else {
            tracing::debug!(%remote, "too many connections of one address");
            continue;
        };
        let (service, watcher) = (service.clone(), graceful.watcher());
        tokio::spawn(async move {
            let connection = connection(&limits, stream, remote, service);
            if let Err(error) = watcher.watch(connection).await {
                tracing::debug!(%error, "a connection broke");
            }
            drop((place, seat));
        });
    }
    drop(listener);
    let left = graceful.count();
    let finished = tokio::time::timeout(limits.last, graceful.shutdown());
    if finished.await.is_err() {
        tracing::warn!(left, "connections were cut");
    }
}

fn connection(
    limits: &ServerLimits,
    stream: TcpStream,
    remote: SocketAddr,
    service: Router,
) -> impl GracefulConnection<Error = hyper::Error> {
    let service = TowerToHyperService::new(service);
    let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(Remote(remote));
        service.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_buf_size(limits.head_bytes);
    let stream = Patient::new(stream, limits.taking);
    http.serve_connection(TokioIo::new(stream), answer)
}
