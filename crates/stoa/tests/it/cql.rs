//! `stoa cql`, as who tries a driver runs it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use super::{stoa, text};

/// A program that serves, and is killed where a test fails.
struct Port {
    child: Child,
    address: String,
}

impl Port {
    fn open(place: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_stoa"))
            .args(["cql", "--listen", "127.0.0.1:0"])
            .args(place)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let out = child.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("CQL is at ");
        let address = address.unwrap_or_else(|| panic!("{line:?}")).to_owned();
        Self { child, address }
    }

    /// What `stoa shell` prints, connected to it as to a cluster.
    fn shell(&self, statement: &str) -> String {
        let uri = format!("cql://{}", self.address);
        let output = stoa(&["shell", "--store", &uri, "-e", statement]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{statement}: {told}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// Asks it to stop; the exit code.
    fn stop(mut self) -> Option<i32> {
        let id = self.child.id().to_string();
        let killed = Command::new("kill").args(["-TERM", &id]).status();
        assert!(killed.unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn what_a_driver_writes_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let place = ["--data", text(&data)];
    let port = Port::open(&place);
    port.shell("CREATE KEYSPACE town WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
    port.shell("CREATE TABLE town.votes (voter text PRIMARY KEY, votes int)");
    port.shell("INSERT INTO town.votes (voter, votes) VALUES ('ada', 3)");
    assert_eq!(port.stop(), Some(0));

    let port = Port::open(&place);
    let shown = port.shell("SELECT * FROM town.votes");
    assert!(shown.contains("ada"), "{shown}");
    assert_eq!(port.stop(), Some(0));
}
