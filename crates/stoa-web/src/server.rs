//! The server: connections of HTTP/1.1 within limits of number and time, until it is told to stop.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::gate::Remote;

/// Connections at once; more wait in the queue of the operating system.
const MOST_CONNECTIONS: usize = 4_096;
/// How long somebody may take to send the head of a request, or keep quiet between two.
const HEAD: Duration = Duration::from_secs(20);
/// Bytes of a head at most.
const MOST_HEAD_BYTES: usize = 32 * 1_024;
/// How long requests under way may go on once it is told to stop.
const LAST: Duration = Duration::from_secs(10);

/// Serves until `stop` is done; then nobody new is let in, and those inside may finish.
pub async fn serve(listener: TcpListener, service: Router, stop: impl Future<Output = ()>) {
    let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let Ok(place) = Arc::clone(&connections).acquire_owned().await else {
            break;
        };
        let (stream, remote) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(error) => {
                    // Out of descriptors, or gone before it was taken: others may still come.
                    tracing::warn!(%error, "a connection was not accepted");
                    tokio::task::yield_now().await;
                    continue;
                }
            },
            () = &mut stop => break,
        };
        let (service, watcher) = (service.clone(), graceful.watcher());
        tokio::spawn(async move {
            let connection = connection(stream, Remote(remote), service);
            if let Err(error) = watcher.watch(connection).await {
                tracing::debug!(%error, "a connection broke");
            }
            drop(place);
        });
    }
    drop(listener);
    let left = graceful.count();
    if tokio::time::timeout(LAST, graceful.shutdown())
        .await
        .is_err()
    {
        tracing::warn!(left, "connections were cut");
    }
}

fn connection(
    stream: TcpStream,
    remote: Remote,
    service: Router,
) -> impl hyper_util::server::graceful::GracefulConnection<Error = hyper::Error> {
    let service = TowerToHyperService::new(service);
    let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(remote);
        service.call(request)
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(MOST_HEAD_BYTES);
    http.serve_connection(TokioIo::new(stream), answer)
}
