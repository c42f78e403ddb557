//! The shell on a terminal: `script` of util-linux makes one.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use super::{text, write};

/// A shell that shows nothing new for so long is stuck, however slow the machine.
const PATIENCE: Duration = Duration::from_secs(300);

/// A shell on a terminal; it ends with this.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    screen: Receiver<String>,
    /// What it has shown.
    shown: String,
}

impl Terminal {
    fn open(folder: &std::path::Path) -> Self {
        // Without exec, a shell of the system may stay between: it gets Ctrl-C too, and some
        // of them (dash) end with it, whatever our exit code was.
        let command = format!("exec {} shell --memory", env!("CARGO_BIN_EXE_stoa"));
        let mut child = Command::new("script")
            .args([
                "--quiet",
                "--flush",
                "--return",
                "--command",
                &command,
                "/dev/null",
            ])
            .env("TERM", "xterm")
            .env("STOA_HISTORY", folder.join("history"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = child.stdout.take().unwrap();
        let (sender, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let text = String::from_utf8_lossy(&bytes[..count]).into_owned();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        Self {
            keys: child.stdin.take().unwrap(),
            child,
            screen,
            shown: String::new(),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until something is shown, and forgets what came before it.
    fn wait_for(&mut self, part: &str) {
        while !self.shown.contains(part) {
            match self.screen.recv_timeout(PATIENCE) {
                Ok(text) => self.shown.push_str(&text),
                Err(why) => panic!("{part} was not shown, {why}: {}", self.shown),
            }
        }
        let at = self.shown.find(part).unwrap() + part.len();
        self.shown = self.shown.split_off(at);
    }

    /// Waits until keys are read again. A prompt alone does not say so: it is drawn anew when a
    /// long line wraps, and keys that come between two lines are lost.
    fn wait_for_prompt(&mut self) {
        const PASTES_ARE_MARKED: &str = "\x1b[?2004h";
        self.wait_for(PASTES_ARE_MARKED);
        self.wait_for("stoa> ");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn ctrl_c_gives_up_a_statement_and_keeps_the_shell() {
    let skipped = std::env::var("STOA_SKIPPED").unwrap_or_default();
    if skipped.split(',').any(|it| it.trim() == "script") {
        println!("SKIPPED: no script");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let rows: String = (0..10_000).map(|it| format!("{it}\n")).collect();
    let file = write(folder.path(), "rows.csv", &rows);
    let mut terminal = Terminal::open(folder.path());
    terminal.wait_for_prompt();
    terminal.press(
        "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};\r",
    );
    terminal.wait_for_prompt();
    terminal.press("CREATE TABLE ks.t (k int PRIMARY KEY);\r");
    terminal.wait_for_prompt();
    // It would take hours.
    terminal.press(&format!("COPY ks.t FROM '{file}' WITH INGESTRATE = 2;\r"));
    // How far it is when it first says so is up to the machine.
    terminal.wait_for("% ");
    terminal.press("\x03");
    terminal.wait_for("interrupted");
    terminal.wait_for_prompt();
    // At the prompt, it gives up what was typed.
    terminal.press("SELECT nonsense\x03");
    terminal.wait_for_prompt();
    terminal.press("SELECT release_version FROM system.local;\r");
    terminal.wait_for("5.0.");
    terminal.wait_for_prompt();
    terminal.press("EXIT\r");
    let status = terminal.child.wait().unwrap();
    let rest: String = terminal.screen.iter().collect();
    assert!(status.success(), "{status}: {}{rest:?}", terminal.shown);
    let history = std::fs::read_to_string(folder.path().join("history")).unwrap();
    assert!(
        history.contains("INGESTRATE"),
        "{} {history}",
        text(folder.path())
    );
}
