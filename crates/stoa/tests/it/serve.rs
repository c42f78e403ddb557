//! `stoa serve`, `backup` and `restore`, as an operator runs them.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use stoa_types::{Clock as _, ManualClock, SystemClock};

use super::outbox::{MailServer, put};
use super::text;
use super::votes::{community_at, told};

const DAY_MICROS: i64 = 86_400_000_000;
/// Longer than anything takes that comes at all.
const LONG: Duration = Duration::from_secs(60);

/// A program that serves, and is killed where a test fails.
struct Server {
    child: Child,
    address: String,
    log: PathBuf,
    /// Held open: whoever prints to nobody ends.
    _out: BufReader<ChildStdout>,
}

impl Server {
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        let log = folder.join("log");
        let mut child = Command::new(env!("CARGO_BIN_EXE_stoa"))
            .args(["serve", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        let told = line.trim().strip_prefix("Stoa is at ");
        let told = told.unwrap_or_else(|| panic!("{line:?} {}", read(&log)));
        // Where the site has another address than this, the log tells where it listens.
        let address = match told.strip_prefix("http://127") {
            Some(rest) => format!("127{rest}"),
            None => String::new(),
        };
        Self {
            child,
            address,
            log,
            _out: out,
        }
    }

    fn request(&self, text: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn get(&self, path: &str) -> String {
        self.request(&format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.address
        ))
    }

    fn log(&self) -> String {
        read(&self.log)
    }

    fn signal(&self) {
        let killed = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
    }

    /// Asks it to stop; the exit code.
    fn stop(mut self) -> Option<i32> {
        self.signal();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended long ago.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// Looks until something is there.
fn wait_until(what: &str, mut is_there: impl FnMut() -> bool) {
    let clock = SystemClock::new();
    while !is_there() {
        assert!(clock.monotonic() < LONG, "{what} never came");
        std::thread::park_timeout(Duration::from_millis(50));
    }
}

/// A folder with votes of some days, in a folder of its own.
async fn town(folder: &Path) -> PathBuf {
    let data = folder.join("town");
    let three_days_ago = SystemClock::new().now_micros() - 3 * DAY_MICROS;
    community_at(&data, Arc::new(ManualClock::at_micros(three_days_ago))).await;
    data
}

#[tokio::test]
async fn a_community_is_served_backed_up_meanwhile_and_restored() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let data = town(folder.path()).await;
    let (data, copy) = (text(&data), place("copy"));
    let server = Server::start(folder.path(), &["--data", data]);
    assert!(server.get("/").starts_with("HTTP/1.1 200"));
    assert!(server.get("/healthz").ends_with("ok\n"));
    // Three days were closed, and everybody can have them.
    let ledger = place("town.ledger").join("ledger.jsonl");
    wait_until("the ledger", || ledger.exists());
    assert_eq!(told(&["votes", "verify", text(&ledger)]).0, Some(0));
    let (code, _, err) = told(&["votes", "audit", "--data", data]);
    assert_eq!(code, Some(1));
    assert!(err.contains("another process has it open"), "{err}");

    let backup = ["backup", "--data", data, "--out", text(&copy)];
    let (code, out, err) = told(&[&backup[..], &["--json"]].concat());
    assert_eq!((code, err.as_str()), (Some(0), ""));
    let counts: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(counts["keys"].as_u64().unwrap() > 10, "{out}");
    let (code, _, err) = told(&backup);
    assert_eq!(code, Some(1));
    assert!(err.contains("is not empty"), "{err}");
    // People noticed nothing.
    assert!(server.get("/ranking").starts_with("HTTP/1.1 200"));
    assert_eq!(server.stop(), Some(0));
    assert!(!Path::new(data).join("control.sock").exists());

    let again = place("again");
    let restore = ["restore", text(&copy), "--data", text(&again)];
    let (code, out, err) = told(&restore);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("restored and checked"), "{out}");
    assert_eq!(told(&["check", text(&again)]).0, Some(0));
    for whole in [data, text(&again)] {
        let (code, out, _) = told(&["votes", "audit", "--data", whole]);
        assert_eq!(code, Some(0), "{out}");
        assert!(out.contains("the books balance"), "{out}");
    }
    let records = |data: &str| {
        let (_, out, _) = told(&["votes", "audit", "--data", data, "--json"]);
        let counts: serde_json::Value = serde_json::from_str(&out).unwrap();
        counts["records"].as_u64().unwrap()
    };
    assert_eq!((records(data), records(text(&again))), (3, 3));
    let (code, _, err) = told(&restore);
    assert_eq!(code, Some(1));
    assert!(err.contains("is not empty"), "{err}");
    let server = Server::start(folder.path(), &["--data", text(&again)]);
    assert!(server.get("/ranking").starts_with("HTTP/1.1 200"));
    assert_eq!(server.stop(), Some(0));
}

#[tokio::test]
async fn a_copy_is_made_without_a_server_too_and_a_damaged_one_is_not_restored() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let data = town(folder.path()).await;
    let (data, copy) = (text(&data), place("copy"));
    let (code, out, err) = told(&["backup", "--data", data, "--out", text(&copy)]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("a whole copy is in"), "{out}");
    assert_eq!(told(&["check", text(&copy)]).0, Some(0));
    // What somebody else is making is left alone.
    std::fs::create_dir(place("other.part")).unwrap();
    let (code, _, err) = told(&["backup", "--data", data, "--out", text(&place("other"))]);
    assert_eq!(code, Some(1));
    assert!(err.contains("other.part is there"), "{err}");
    for (command, place) in [("backup", "--data"), ("restore", "")] {
        let words = [command, place, text(folder.path()), "--out", "x"];
        let words: Vec<&str> = words.into_iter().filter(|it| !it.is_empty()).collect();
        let words = if command == "restore" {
            &words[..2]
        } else {
            &words[..]
        };
        let (code, _, err) = told(words);
        assert_eq!(code, Some(1));
        assert!(err.contains("there is no"), "{err}");
    }
    // An index of what was there before would find what is not there.
    let again = place("again");
    std::fs::create_dir(place("again.index")).unwrap();
    let restore = ["restore", text(&copy), "--data", text(&again)];
    let (code, _, err) = told(&restore);
    assert_eq!(code, Some(1));
    assert!(err.contains("again.index is there"), "{err}");
    std::fs::remove_dir(place("again.index")).unwrap();

    damage(&copy);
    let (code, _, err) = told(&restore);
    assert_eq!(code, Some(1));
    assert!(err.contains("the backup is damaged"), "{err}");
    assert!(!again.exists() && !place("again.part").exists());
}

/// Changes a byte in the middle of the largest file.
fn damage(folder: &Path) {
    let mut open = vec![folder.to_owned()];
    let mut largest = (0, PathBuf::new());
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let length = entry.metadata().unwrap().len();
            match entry.file_type().unwrap().is_dir() {
                true => open.push(entry.path()),
                false => largest = largest.max((length, entry.path())),
            }
        }
    }
    let mut bytes = std::fs::read(&largest.1).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&largest.1, bytes).unwrap();
}

#[tokio::test]
async fn mail_of_the_outbox_is_sent_while_people_are_served() {
    let folder = tempfile::tempdir().unwrap();
    let data = town(folder.path()).await;
    put(&data, &["verify_email", "reset_password"]).await;
    let post = MailServer::start();
    let config = folder.path().join("stoa.toml");
    let settings = format!(
        "data = {:?}\nmail = {:?}\nsite = 'https://votes.example.org'\ncommunity = 'Town'\n",
        text(&data),
        post.uri()
    );
    std::fs::write(&config, settings).unwrap();
    let server = Server::start(folder.path(), &["--config", text(&config)]);
    wait_until("mail", || post.headers("Message-ID:").len() == 2);
    let senders = post.headers("From:");
    assert!(
        senders
            .iter()
            .all(|it| it.contains("noreply@votes.example.org")),
        "{senders:?}"
    );
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn settings_that_do_not_fit_together_are_refused_before_anything_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let config = folder.path().join("stoa.toml");
    std::fs::write(&config, "colour = 'red'").unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for (arguments, expected) in [
        (&["--mail", "smtp://127.0.0.1"][..], "--site"),
        (&["--mail-from", "a@example.org"], "--mail URI"),
        (&["--config", text(&config)], "colour"),
        (&["--config", "no-such-file"], "cannot read no-such-file"),
        (&["--metrics-token-file", "no-such-file"], "no-such-file"),
        (&["--listen", &taken], "cannot listen on"),
    ] {
        let (code, out, err) = told(&[&["serve", "--data", text(&data)], arguments].concat());
        assert_eq!((code, out.as_str()), (Some(1), ""), "{err}");
        assert!(err.contains(expected), "{err}");
    }
    assert!(!data.exists());
}

#[test]
fn the_log_names_each_request_and_tells_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(folder.path(), &["--store", "memory:"]);
    let page = server.get("/reset-password?token=canary-of-a-link");
    let id = page
        .lines()
        .find_map(|it| it.strip_prefix("x-request-id: "));
    let id = id.unwrap().trim().to_owned();
    let body = "name=ada&password=canary-of-a-password";
    let refused = server.request(&format!(
        "POST /sign-in HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         Cookie: stoa_login=canary-of-a-cookie\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    assert!(refused.starts_with("HTTP/1.1 403"), "{refused}");
    server.get("/%0a%7b%22level%22:%22ERROR%22%7d");
    let log = server.log();
    assert!(!log.contains("canary"), "{log}");
    let lines: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let named = lines.iter().find(|line| line["request"] == *id).unwrap();
    assert_eq!(named["route"], "/reset-password");
    assert_eq!(
        (&named["method"], &named["status"]),
        (&"GET".into(), &200.into())
    );
    assert!(lines.iter().all(|line| line["level"] != "ERROR"), "{log}");
    assert_eq!(server.stop(), Some(0));
}

#[test]
fn a_second_signal_ends_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = Server::start(folder.path(), &["--store", "memory:"]);
    // A form that never comes whole is waited for, but not by whoever is in a hurry.
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.write_all(b"POST /sign-in HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nname=")
        .unwrap();
    assert!(server.get("/healthz").starts_with("HTTP/1.1 200"));
    server.signal();
    wait_until("stopping", || server.log().contains("a second signal"));
    server.signal();
    assert_eq!(server.child.wait().unwrap().code(), Some(1));
    assert!(server.log().contains("ended before all was finished"));
}
