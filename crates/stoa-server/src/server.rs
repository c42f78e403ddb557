//! The server: lets connections in, within limits, until it is told to stop.

use std::sync::Arc;
use std::time::Duration;

use stoa_engine::Database;
use stoa_session::SchemaChange;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, broadcast, watch};

use crate::connection;
use crate::prepared::PreparedStatements;

/// How long the server waits before it takes another connection after it could take none, as where
/// the process may open no more files.
const REST: Duration = Duration::from_millis(50);
/// How many changes of the schema are kept for connections that are slow to tell of them.
const MOST_EVENTS: usize = 1_024;

/// How much there may be of what, and for how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections at once; more wait in the queue of the operating system.
    pub connections: usize,
    /// Requests of one connection that are executed at once; it is not read while there are more.
    pub of_connection: usize,
    /// Requests that are executed at once; more are refused as too many.
    pub requests: usize,
    /// How large a message may be.
    pub frame: stoa_wire::Limits,
    /// How long a connection may take to begin.
    pub beginning: Duration,
    /// How long a client may take nothing of what is sent to it.
    pub taking: Duration,
    /// How long requests under way may go on once the server is told to stop.
    pub last: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 16_384,
            of_connection: 256,
            requests: 32_768,
            frame: stoa_wire::Limits::default(),
            beginning: Duration::from_secs(30),
            taking: Duration::from_secs(60),
            last: Duration::from_secs(10),
        }
    }
}

/// What all connections share.
pub(crate) struct Shared {
    pub(crate) database: Database,
    pub(crate) limits: Limits,
    pub(crate) prepared: PreparedStatements,
    /// A permit for each request that is being executed.
    pub(crate) requests: Arc<Semaphore>,
    /// Changes of the schema that were made through this server.
    pub(crate) changes: broadcast::Sender<SchemaChange>,
}

/// Serves a database until `stop` is done; then nobody new is let in, and requests under way may
/// finish.
pub async fn serve(listener: TcpListener, database: Database, stop: impl Future<Output = ()>) {
    serve_within(Limits::default(), listener, database, stop).await;
}

/// The same within limits of one's own.
pub async fn serve_within(
    limits: Limits,
    listener: TcpListener,
    database: Database,
    stop: impl Future<Output = ()>,
) {
    let shared = Arc::new(Shared {
        database,
        limits,
        prepared: PreparedStatements::default(),
        requests: Arc::new(Semaphore::new(limits.requests)),
        changes: broadcast::Sender::new(MOST_EVENTS),
    });
    let places = Arc::new(Semaphore::new(limits.connections));
    let (stopping, is_stopping) = watch::channel(false);
    let mut stop = std::pin::pin!(stop);
    loop {
        let next = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            next = next => next,
            () = &mut stop => break,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of descriptors, or gone before it was taken: others may still come.
                tracing::warn!(%error, "a connection was not accepted");
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let (shared, is_stopping) = (Arc::clone(&shared), is_stopping.clone());
        tokio::spawn(async move {
            connection::run(&shared, stream, is_stopping).await;
            drop(place);
        });
    }
    drop((listener, is_stopping));
    // Nobody listens if there is no connection.
    let _ = stopping.send(true);
    let ended = tokio::time::timeout(limits.last, stopping.closed()).await;
    if ended.is_err() {
        tracing::warn!(left = stopping.receiver_count(), "connections were cut");
    }
}
