//! Ctrl-C while a statement is executed: the statement is given up, the shell is not.
//!
//! In a script nothing is installed, and Ctrl-C ends the process as always. At the prompt, the
//! editor sees the key itself and no signal is sent.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often it is looked whether Ctrl-C was typed.
const GLANCE: Duration = Duration::from_millis(20);

/// Whether Ctrl-C was typed.
#[derive(Debug, Clone, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

/// Ctrl-C was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interrupted;

impl std::fmt::Display for Interrupted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "interrupted; a write that was under way may have happened, or may still happen",
        )
    }
}

impl std::error::Error for Interrupted {}

impl Interrupt {
    /// From now on Ctrl-C is noted, and does not end the process.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub(super) fn install(&self) -> anyhow::Result<()> {
        let typed = Arc::clone(&self.0);
        ctrlc::set_handler(move || typed.store(true, Ordering::SeqCst))?;
        Ok(())
    }

    /// Forgets what was typed before a statement.
    pub(super) fn clear(&self) {
        self.0.store(false, Ordering::SeqCst);
    }

    /// # Errors
    /// When Ctrl-C was typed.
    pub(super) fn check(&self) -> Result<(), Interrupted> {
        match self.0.load(Ordering::SeqCst) {
            true => Err(Interrupted),
            false => Ok(()),
        }
    }

    /// Waits for an answer, or until Ctrl-C is typed.
    ///
    /// # Errors
    /// When Ctrl-C was typed.
    pub(super) async fn guard<T>(&self, answer: impl Future<Output = T>) -> Result<T, Interrupted> {
        self.check()?;
        let typed = async {
            while self.check().is_ok() {
                tokio::time::sleep(GLANCE).await;
            }
        };
        tokio::select! {
            answer = answer => Ok(answer),
            () = typed => Err(Interrupted),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect;

    #[test]
    fn what_never_answers_is_given_up() {
        let interrupt = Interrupt::default();
        let runtime = connect::runtime().unwrap();
        assert_eq!(runtime.block_on(interrupt.guard(async { 1 })), Ok(1));
        let other = interrupt.clone();
        let given_up = runtime.block_on(async {
            let never = std::future::pending::<()>();
            let type_it = async { other.0.store(true, Ordering::SeqCst) };
            tokio::join!(interrupt.guard(never), type_it).0
        });
        assert_eq!(given_up, Err(Interrupted));
        assert_eq!(interrupt.check(), Err(Interrupted));
        interrupt.clear();
        assert_eq!(interrupt.check(), Ok(()));
    }
}
