//! chromedriver, and WebDriver spoken to it: JSON over HTTP on this machine, one connection for each
//! command. A library would bring an HTTP client of its own for these hundred lines.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

/// How long one command may take; a script that hangs in a page ends sooner, by the driver.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running chromedriver, which ends with this value.
pub(super) struct Driver {
    process: Child,
    port: u16,
    /// Kept open: a driver that cannot write its log ends.
    _out: BufReader<ChildStdout>,
}

/// What the driver refuses: one of the words of the standard, such as `no such element`, and why.
#[derive(Debug)]
pub(super) struct Refused(pub(super) String);

impl Driver {
    /// Starts one on a free port.
    pub(super) fn start() -> Self {
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut out = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        let port = loop {
            line.clear();
            let length = out.read_line(&mut line).unwrap();
            assert!(length > 0, "chromedriver ended before it was ready");
            if let Some((_, port)) = line.split_once("started successfully on port ") {
                break port.trim().trim_end_matches('.').parse().unwrap();
            }
        };
        Self {
            process,
            port,
            _out: out,
        }
    }

    /// Runs a command, and gives what it answers.
    pub(super) fn call(&self, method: &str, path: &str, body: &Value) -> Result<Value, Refused> {
        let text = match body {
            Value::Null => String::new(),
            some => some.to_string(),
        };
        let answer = exchange(
            self.port,
            &format!(
                "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
                 Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
                self.port,
                text.len()
            ),
        );
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let mut value: Value = serde_json::from_str(body).unwrap();
        let value = value["value"].take();
        match value["error"].as_str() {
            Some(error) => {
                let message = value["message"].as_str().unwrap_or_default();
                Err(Refused(format!("{error}: {message}")))
            }
            None => Ok(value),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Whoever is gone already need not be ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a request of HTTP to a program on this machine, and gives all that comes back. Its end is
/// where its head says: a browser inherits the connection of the driver that starts it, so that it
/// stays open.
pub(super) fn exchange(port: u16, request: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let (mut answer, mut piece) = (Vec::new(), [0; 16_384]);
    loop {
        let count = stream.read(&mut piece).unwrap();
        answer.extend_from_slice(&piece[..count]);
        if count == 0 || is_whole(&answer) {
            return String::from_utf8_lossy(&answer).into_owned();
        }
    }
}

/// Whether everything is there that a head announces.
fn is_whole(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|it| it == b"\r\n\r\n") else {
        return false;
    };
    let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
    let fields = head.lines().filter_map(|line| line.split_once(':'));
    let length = fields
        .filter(|(name, _)| *name == "content-length")
        .map(|(_, length)| length)
        .next();
    length.is_some_and(|it| answer.len() >= end + 4 + it.trim().parse::<usize>().unwrap())
}
