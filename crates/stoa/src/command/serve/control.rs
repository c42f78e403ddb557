//! A way to ask the program that serves: a socket in the folder of its data, which only who owns the
//! folder can use. `stoa backup` asks by it, because the folder is locked.
//!
//! ```text
//! asked     {"backup":"/a/folder"}             one line
//! answered  {"copied":{"keys":1,"bytes":2}}    any number of times
//!           {"done":{"keys":1,"bytes":2}}      or
//!           {"failed":"why"}                   and no more
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use stoa_engine::Database;
use stoa_store::backup::Copied;
use tokio::task::JoinHandle;

use super::folders::Folders;
use crate::command::backup;
use crate::connect::Connection;

/// The socket in the folder of the data.
pub(crate) const SOCKET: &str = "control.sock";

/// What is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    /// So much is copied.
    Copied(Copied),
    /// All is copied.
    Done(Copied),
    /// It came to nothing.
    Failed(String),
}

impl Answer {
    /// As a line.
    pub(crate) fn line(&self) -> String {
        let counts = |it: &Copied| json!({ "keys": it.keys, "bytes": it.bytes });
        let object = match self {
            Self::Copied(it) => json!({ "copied": counts(it) }),
            Self::Done(it) => json!({ "done": counts(it) }),
            Self::Failed(why) => json!({ "failed": why }),
        };
        format!("{object}\n")
    }

    /// Of a line; nothing, if it is none.
    pub(crate) fn of_line(line: &str) -> Option<Self> {
        let object: Value = serde_json::from_str(line).ok()?;
        let counts = |name: &str| {
            let it = object.get(name)?;
            let number = |key: &str| it.get(key).and_then(Value::as_u64);
            Some(Copied {
                keys: number("keys")?,
                bytes: number("bytes")?,
            })
        };
        if let Some(copied) = counts("copied") {
            return Some(Self::Copied(copied));
        }
        if let Some(copied) = counts("done") {
            return Some(Self::Done(copied));
        }
        let why = object.get("failed").and_then(Value::as_str)?;
        Some(Self::Failed(why.to_owned()))
    }
}

/// What is asked: a backup into this folder.
pub(crate) fn asked(folder: &str) -> String {
    format!("{}\n", json!({ "backup": folder }))
}

/// The folder that a line asks for.
#[cfg(unix)]
fn folder_of(line: &str) -> Option<PathBuf> {
    let object: Value = serde_json::from_str(line).ok()?;
    let folder = object.get("backup").and_then(Value::as_str)?;
    let folder = PathBuf::from(folder);
    folder.is_absolute().then_some(folder)
}

/// The socket while it is listened to.
pub(super) struct Control {
    listening: Option<(JoinHandle<()>, PathBuf)>,
    /// Whoever copies.
    turn: Arc<tokio::sync::Mutex<()>>,
}

impl Control {
    /// Listens from now on, where the data is in a folder. Serving does not depend on it.
    pub(super) fn begin(folders: &Folders, connection: &Connection) -> Self {
        let turn = Arc::default();
        let listening = match (&folders.data, connection.database()) {
            (Some(folder), Some(database)) => {
                let path = folder.join(SOCKET);
                listen(&path, database, &turn).map(|task| (task, path))
            }
            _ => None,
        };
        Self { listening, turn }
    }

    /// Listens no more; a backup that is under way is finished.
    pub(super) async fn end(self) {
        if let Some((task, path)) = self.listening {
            task.abort();
            // If it stays, the next one who serves replaces it.
            let _ = std::fs::remove_file(path);
        }
        if self.turn.try_lock().is_err() {
            tracing::info!("finishing a backup");
            drop(self.turn.lock().await);
        }
    }
}

#[cfg(not(unix))]
fn listen(
    _: &std::path::Path,
    _: &Database,
    _: &Arc<tokio::sync::Mutex<()>>,
) -> Option<JoinHandle<()>> {
    tracing::warn!("backups while serving are not possible on this system");
    None
}

#[cfg(unix)]
fn listen(
    path: &std::path::Path,
    database: &Database,
    turn: &Arc<tokio::sync::Mutex<()>>,
) -> Option<JoinHandle<()>> {
    let listener = match unix::bind(path) {
        Ok(listener) => listener,
        Err(error) => {
            // As where the path is longer than sockets may have.
            tracing::warn!(%error, path = %path.display(), "no backups while serving");
            return None;
        }
    };
    let (database, turn) = (database.clone(), Arc::clone(turn));
    Some(tokio::spawn(unix::answer_all(listener, database, turn)))
}

#[cfg(unix)]
mod unix {
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;
    use std::sync::Arc;
    use std::time::Duration;

    use stoa_engine::Database;
    use stoa_store::backup::Copied;
    use tokio::net::{UnixListener, UnixStream};
    use tokio::sync::{Mutex, OwnedMutexGuard, mpsc};

    use super::{Answer, backup, folder_of};

    /// Bytes of a line at most.
    const LONGEST: usize = 16 * 1_024;
    /// How long somebody may take to ask, or to take an answer.
    const PATIENCE: Duration = Duration::from_secs(10);

    pub(super) fn bind(path: &Path) -> std::io::Result<UnixListener> {
        // The folder is locked by this process, so whoever listened there before is gone.
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(path)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
        Ok(listener)
    }

    pub(super) async fn answer_all(
        listener: UnixListener,
        database: Database,
        turn: Arc<Mutex<()>>,
    ) {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let (database, turn) = (database.clone(), Arc::clone(&turn));
                    tokio::spawn(answer(stream, database, turn));
                }
                Err(error) => {
                    tracing::warn!(%error, "nobody is answered at the control socket");
                    tokio::time::sleep(Duration::from_secs(1)).await;
                }
            }
        }
    }

    async fn answer(stream: UnixStream, database: Database, turn: Arc<Mutex<()>>) {
        let Ok(Some(line)) = tokio::time::timeout(PATIENCE, read_line(&stream)).await else {
            return;
        };
        let Some(folder) = folder_of(&line) else {
            tell(
                &stream,
                &Answer::Failed("nobody here knows what that is".to_owned()),
            )
            .await;
            return;
        };
        let Ok(turn) = turn.try_lock_owned() else {
            tell(
                &stream,
                &Answer::Failed("another backup is under way".to_owned()),
            )
            .await;
            return;
        };
        tracing::info!(folder = %folder.display(), "a backup begins");
        let (steps, mut copied) = mpsc::channel(4);
        let copying = tokio::task::spawn_blocking(move || {
            let done = copy(&database, &folder, &steps);
            drop::<OwnedMutexGuard<()>>(turn);
            done
        });
        let mut is_heard = true;
        while let Some(step) = copied.recv().await {
            // Whoever asked may be gone; the backup is made all the same.
            is_heard = is_heard && tell(&stream, &Answer::Copied(step)).await;
        }
        let last = match copying.await {
            Ok(last) => last,
            Err(broken) => Answer::Failed(broken.to_string()),
        };
        tracing::info!(outcome = last.line().trim_end(), "a backup ended");
        tell(&stream, &last).await;
    }

    fn copy(database: &Database, folder: &Path, steps: &mpsc::Sender<Copied>) -> Answer {
        let done = backup::copy_store(database.store(), folder, &mut |copied| {
            // Steps that nobody takes in time are not told.
            let _ = steps.try_send(copied);
        });
        match done {
            Ok(copied) => Answer::Done(copied),
            Err(error) => Answer::Failed(format!("{error:#}")),
        }
    }

    async fn read_line(stream: &UnixStream) -> Option<String> {
        let mut line = Vec::new();
        let mut part = [0_u8; 1_024];
        while line.len() < LONGEST && !line.ends_with(b"\n") {
            stream.readable().await.ok()?;
            match stream.try_read(&mut part) {
                Ok(0) => return None,
                Ok(count) => line.extend_from_slice(part.get(..count)?),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(_) => return None,
            }
        }
        String::from_utf8(line).ok()
    }

    /// Whether somebody took it.
    async fn tell(stream: &UnixStream, answer: &Answer) -> bool {
        let line = answer.line();
        let written = tokio::time::timeout(PATIENCE, write_all(stream, line.as_bytes()));
        written.await.is_ok_and(|written| written.is_ok())
    }

    async fn write_all(stream: &UnixStream, mut bytes: &[u8]) -> std::io::Result<()> {
        while !bytes.is_empty() {
            stream.writable().await?;
            match stream.try_write(bytes) {
                Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_as_they_were_written() {
        let copied = Copied { keys: 3, bytes: 70 };
        for answer in [
            Answer::Copied(copied),
            Answer::Done(copied),
            Answer::Failed("a \"line\"\nand another".to_owned()),
        ] {
            let line = answer.line();
            assert_eq!(line.matches('\n').count(), 1);
            assert_eq!(Answer::of_line(&line), Some(answer));
        }
        for line in ["", "{}", "{\"done\":{}}", "{\"failed\":1}"] {
            assert_eq!(Answer::of_line(line), None, "{line}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn only_whole_paths_are_asked_for() {
        assert_eq!(folder_of(&asked("/a/b")), Some(PathBuf::from("/a/b")));
        for line in ["", "{}", "{\"backup\":7}", "{\"backup\":\"here\"}"] {
            assert_eq!(folder_of(line), None, "{line}");
        }
    }
}
