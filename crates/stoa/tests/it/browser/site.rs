//! A site for one test: the real program, on a port and a folder of its own, until the test is over.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};

use tempfile::TempDir;

use super::driver::exchange;

/// What the program prints before its address.
const GREETING: &str = "Stoa is at ";
/// What it prints before the link of the first admin.
const WELCOME: &str = "Become the first admin: ";

/// A running site.
pub(super) struct Site {
    process: Child,
    /// Kept open: whoever prints to nobody ends.
    out: BufReader<ChildStdout>,
    /// `http://127.0.0.1:PORT`
    pub(super) address: String,
    folder: TempDir,
}

/// The head of an answer.
pub(super) struct Head {
    pub(super) status: u16,
    pub(super) kind: String,
    pub(super) location: String,
}

impl Site {
    /// A site on a copy of a folder with a database.
    pub(super) fn on(data: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(data, &folder.path().join("data"));
        Self::start(folder)
    }

    /// A site where nobody was before.
    pub(super) fn new() -> Self {
        Self::start(tempfile::tempdir().unwrap())
    }

    fn start(folder: TempDir) -> Self {
        let log = fs::File::create(folder.path().join("log")).unwrap();
        let (process, out) = serve(folder.path(), "127.0.0.1:0", log);
        let mut site = Self {
            process,
            out,
            address: String::new(),
            folder,
        };
        site.address = site.told(GREETING);
        site
    }

    /// Ends the program, does something with its folder, and starts it again at the same address.
    pub(super) fn pause<T>(&mut self, act: impl FnOnce(&Path) -> T) -> T {
        self.end();
        let done = act(&self.folder.path().join("data"));
        let log = self.folder.path().join("log");
        let log = fs::OpenOptions::new().append(true).open(log);
        let host = self.address.strip_prefix("http://").unwrap();
        (self.process, self.out) = serve(self.folder.path(), host, log.unwrap());
        assert_eq!(self.told(GREETING), self.address);
        done
    }

    fn end(&mut self) {
        // It may have ended already, which the test has told then.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// The link by which somebody becomes the first admin, where there is none.
    pub(super) fn welcome(&mut self) -> String {
        let link = self.told(WELCOME);
        link.strip_prefix(&self.address).unwrap().to_owned()
    }

    /// The rest of the next line that begins so.
    fn told(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            let length = self.out.read_line(&mut line).unwrap();
            assert!(
                length > 0,
                "it ended before it said «{beginning}»:\n{}",
                self.log()
            );
            if let Some(rest) = line.strip_prefix(beginning) {
                return rest.trim().to_owned();
            }
        }
    }

    /// What the program wrote down.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// What an address answers, asked without a browser: some are downloads, which windows do not show.
    pub(super) fn head(&self, path: &str, cookies: &str) -> Head {
        let host = self.address.strip_prefix("http://").unwrap();
        let (_, port) = host.split_once(':').unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookies}\r\nConnection: close\r\n\r\n"
        );
        let answer = exchange(port.parse().unwrap(), &request);
        let (head, _) = answer.split_once("\r\n\r\n").unwrap();
        let field = |wanted: &str| {
            let fields = head.lines().filter_map(|line| line.split_once(": "));
            let found = fields
                .into_iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map_or(String::new(), |(_, value)| value.to_owned())
        };
        Head {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            kind: field("content-type"),
            location: field("location"),
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.end();
    }
}

fn serve(folder: &Path, host: &str, log: fs::File) -> (Child, BufReader<ChildStdout>) {
    let mut process = Command::new(env!("CARGO_BIN_EXE_stoa"))
        .args([
            "serve",
            "--listen",
            host,
            "--community",
            "Arden Town",
            "--data",
        ])
        .arg(folder.join("data"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let out = BufReader::new(process.stdout.take().unwrap());
    (process, out)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in from.read_dir().unwrap() {
        let entry = entry.unwrap();
        let place = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &place),
            false => drop(fs::copy(entry.path(), place).unwrap()),
        }
    }
}
