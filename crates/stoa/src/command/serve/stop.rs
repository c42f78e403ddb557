//! Signals that end the program: the first lets everything finish, the second ends it at once.

use std::io::Write as _;

use anyhow::Result;

/// The exit code of a program that was ended while it was finishing.
const CUT_OFF: i32 = 1;

/// The signals from now on.
pub(in crate::command) struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    #[cfg(unix)]
    pub(in crate::command) fn listen() -> Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    #[cfg(not(unix))]
    pub(in crate::command) fn listen() -> Result<Self> {
        Ok(Self {})
    }

    /// Done when there is one.
    #[cfg(unix)]
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }

    /// Done when there is one. Without signals there is nobody to ask: it ends when it is killed.
    #[cfg(not(unix))]
    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Done when there is one; from then on another one ends the program. Whatever was answered is
    /// safe then too.
    pub(in crate::command) async fn first(mut self) {
        self.next().await;
        tracing::info!("stopping; a second signal ends at once");
        tokio::spawn(async move {
            self.next().await;
            // There is nobody left to tell if standard error is closed.
            let _ = writeln!(std::io::stderr(), "stoa: ended before all was finished");
            std::process::exit(CUT_OFF);
        });
    }
}
