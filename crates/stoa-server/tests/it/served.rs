//! A server on a free port, for as long as a test lasts.

use std::net::SocketAddr;

use stoa_engine::Database;
use stoa_server::Limits;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server that is running.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
    runtime: Runtime,
}

impl Served {
    /// Serves an empty database in memory.
    pub(crate) fn new() -> Self {
        Self::within(Limits::default())
    }

    /// The same within limits.
    pub(crate) fn within(limits: Limits) -> Self {
        Self::with(limits, Database::memory().unwrap())
    }

    /// Serves a database within limits.
    pub(crate) fn with(limits: Limits, database: Database) -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = runtime.spawn(async move {
            let stopped = async {
                // Whoever forgets to stop it stops it by the end of the test.
                let _ = stopped.await;
            };
            stoa_server::serve_within(limits, listener, database, stopped).await;
        });
        Self {
            address,
            stop,
            task,
            runtime,
        }
    }

    /// Runs what is asynchronous.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// Tells the server to stop and waits until it has.
    pub(crate) fn stop(self) {
        self.stop.send(()).unwrap();
        self.runtime.block_on(self.task).unwrap();
    }
}
