//! The shell on a terminal: `script` of util-linux makes one.

use std::io::{Read as _, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};

use super::{text, write};

/// A shell on a terminal.
struct Terminal {
    child: Child,
    keys: ChildStdin,
    /// What it has shown.
    shown: String,
}

impl Terminal {
    fn open(folder: &std::path::Path) -> Self {
        let command = format!("{} shell --memory", env!("CARGO_BIN_EXE_stoa"));
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
        Self {
            keys: child.stdin.take().unwrap(),
            child,
            shown: String::new(),
        }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
    }

    /// Waits until something is shown, and forgets what came before it.
    fn wait_for(&mut self, part: &str) {
        let screen = self.child.stdout.as_mut().unwrap();
        let mut bytes = [0; 4_096];
        while !self.shown.contains(part) {
            let count = screen.read(&mut bytes).unwrap();
            assert!(count > 0, "{part} was not shown: {}", self.shown);
            self.shown
                .push_str(&String::from_utf8_lossy(&bytes[..count]));
        }
        let at = self.shown.find(part).unwrap() + part.len();
        self.shown = self.shown.split_off(at);
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
    terminal.wait_for("stoa> ");
    terminal.press(
        "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};\r",
    );
    terminal.wait_for("stoa> ");
    terminal.press("CREATE TABLE ks.t (k int PRIMARY KEY);\r");
    terminal.wait_for("stoa> ");
    // It would take hours.
    terminal.press(&format!("COPY ks.t FROM '{file}' WITH INGESTRATE = 2;\r"));
    terminal.wait_for("% 1 rows");
    terminal.press("\x03");
    terminal.wait_for("interrupted");
    terminal.wait_for("stoa> ");
    // At the prompt, it gives up what was typed.
    terminal.press("SELECT nonsense\x03");
    terminal.wait_for("stoa> ");
    terminal.press("SELECT release_version FROM system.local;\r");
    terminal.wait_for("5.0.");
    terminal.wait_for("stoa> ");
    terminal.press("EXIT\r");
    assert!(terminal.child.wait().unwrap().success());
    let history = std::fs::read_to_string(folder.path().join("history")).unwrap();
    assert!(
        history.contains("INGESTRATE"),
        "{} {history}",
        text(folder.path())
    );
}
