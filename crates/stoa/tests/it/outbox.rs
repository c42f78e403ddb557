//! Mail of the outbox and the index of words, by `stoa votes tasks`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use stoa_engine::Database;
use stoa_session::Session;
use stoa_types::{Clock, Ids, SystemClock, SystemIds};
use stoa_votes::model::Day;
use stoa_votes::tables::outbox::Mail;
use stoa_votes::{Settings, Votes};

use super::text;
use super::votes::{community_at, told};

const SITE: &str = "https://votes.example.org";

/// A mail server that takes everything, and keeps every line of every letter.
pub(super) struct MailServer {
    port: u16,
    heard: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl MailServer {
    pub(super) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (hears, ends) = (Arc::clone(&heard), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                talk(stream.unwrap(), &hears).unwrap();
            }
        });
        Self {
            port,
            heard,
            is_over,
            thread: Some(thread),
        }
    }

    pub(super) fn uri(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// The values of a header, of all letters so far.
    pub(super) fn headers(&self, name: &str) -> Vec<String> {
        let heard = self.heard.lock().unwrap();
        let values = heard.iter().filter_map(|line| line.strip_prefix(name));
        values.map(|value| value.trim().to_owned()).collect()
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes it; if it is gone already, there is nothing to wake.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn talk(stream: TcpStream, heard: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut out = stream.try_clone()?;
    let mut is_letter = false;
    out.write_all(b"220 small\r\n")?;
    for line in BufReader::new(stream).lines() {
        let line = line?;
        let answer = match (is_letter, &*line) {
            (true, ".") => {
                is_letter = false;
                "250 taken"
            }
            (true, _) => {
                heard.lock().unwrap().push(line);
                continue;
            }
            (false, "DATA") => {
                is_letter = true;
                "354 go on"
            }
            (false, "QUIT") => return out.write_all(b"221 bye\r\n"),
            (false, _) => "250 ok",
        };
        out.write_all(format!("{answer}\r\n").as_bytes())?;
    }
    Ok(())
}

/// How many mails of the outbox are in a state.
fn count(data: &str, state: &str) -> usize {
    let read = "SELECT state FROM stoa_votes.outbox";
    let (code, out, err) = told(&["shell", "--data", data, "-e", read, "--format", "csv"]);
    assert_eq!(code, Some(0), "{err}");
    out.lines().filter(|line| *line == state).count()
}

fn run_task(data: &str, name: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let run = ["votes", "tasks", "--run", name, "--data", data];
    told(&[&run, more].concat())
}

#[test]
fn the_mail_of_a_community_waits_for_a_server_and_is_sent_once() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("town");
    let data = text(&data);
    // So many that some join in the last days: older mail is not sent any more.
    let demo = ["votes", "demo", "--people", "40", "--data", data];
    assert_eq!(told(&demo).0, Some(0));
    let waiting = count(data, "pending");
    assert!(waiting > 0);
    let run_due = ["votes", "tasks", "--run-due", "--data", data];
    let (code, out, err) = told(&run_due);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(!out.contains("votes.send_mail"), "{out}");
    assert!(!out.contains("votes.refresh_search"), "{out}");
    assert!(count(data, "pending") >= waiting && count(data, "sent") == 0);

    let server = MailServer::start();
    let uri = server.uri();
    let words = folder.path().join("words");
    let (mail, index) = (["--mail", &uri, "--site", SITE], ["--index", text(&words)]);
    let (code, out, err) = told(&[&run_due[..], &mail, &index].concat());
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("votes.send_mail: done"), "{out}");
    assert!(out.contains("documents changed"), "{out}");
    assert!(std::fs::read_dir(&words).unwrap().count() > 0);
    // A run sends a hundred at most, and says nothing when there is none left.
    let mut rounds = 0;
    loop {
        let (code, out, err) = run_task(data, "votes.send_mail", &mail);
        assert_eq!(code, Some(0), "{err}");
        if out.trim() == "votes.send_mail: done" {
            break;
        }
        rounds += 1;
        assert!(rounds < 20, "{out}");
    }
    let letters = server.headers("Message-ID:");
    let distinct: BTreeSet<&String> = letters.iter().collect();
    assert!(!letters.is_empty());
    assert_eq!(letters.len(), distinct.len(), "{letters:?}");
    assert_eq!(count(data, "sent"), letters.len());
    let senders = server.headers("From:");
    let is_ours = |it: &String| it.contains("<noreply@votes.example.org>");
    assert!(senders.iter().all(is_ours), "{senders:?}");
    assert_eq!(count(data, "failed"), 0);
}

/// Puts mail of these kinds into the outbox, the first one first.
pub(super) async fn put(data: &Path, kinds: &[&str]) {
    let database = Database::open(data, stoa_store::Options::default()).unwrap();
    let session: Arc<dyn Session> = Arc::new(database.session());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let ids: Arc<dyn Ids> = Arc::new(SystemIds::new());
    let now = clock.now_micros();
    let names = Arc::clone(&ids);
    let opened = Votes::open(session, "stoa_votes", clock, names, Settings::default());
    let votes = opened.await.unwrap();
    for (kind, age) in kinds.iter().zip((0..1_000).rev()) {
        let fields = [("name", "Ada"), ("token", "00ff")];
        let fields = fields.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mail = Mail {
            day: Day::of_micros(now),
            id: ids.uuid(),
            recipient: "ada@example.org".to_owned(),
            kind: (*kind).to_owned(),
            fields: BTreeMap::from(fields),
            created_micros: now - age,
        };
        assert!(votes.tables().outbox.put(&mail).await.unwrap());
    }
    drop(votes);
    database.close().unwrap();
}

#[tokio::test]
async fn mail_stays_while_no_server_answers_unless_it_is_no_letter() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    community_at(&path, Arc::new(SystemClock::new())).await;
    put(&path, &["no_such_kind", "verify_email", "reset_password"]).await;
    let data = text(&path);
    let (code, _, err) = run_task(data, "votes.send_mail", &[]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--mail URI"), "{err}");
    let (code, _, err) = run_task(data, "votes.refresh_search", &[]);
    assert_eq!(code, Some(1));
    assert!(err.contains("--index DIR"), "{err}");
    let bad = ["--mail", "imap://127.0.0.1", "--site", SITE];
    let (code, _, err) = run_task(data, "votes.send_mail", &bad);
    assert_eq!(code, Some(1));
    assert!(err.contains("smtp://"), "{err}");
    let (code, _, err) = run_task(data, "votes.send_mail", &["--mail", "smtp://127.0.0.1"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--site"), "{err}");
    assert_eq!(count(data, "pending"), 3);

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let uri = format!("smtp://127.0.0.1:{port}");
    let mail = ["--mail", &uri, "--site", SITE];
    let (code, out, err) = run_task(data, "votes.send_mail", &mail);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("0 mails sent, 1 later, 1 failed"), "{out}");
    assert_eq!((count(data, "pending"), count(data, "failed")), (2, 1));

    let words = folder.path().join("words");
    let (code, out, err) = run_task(data, "votes.refresh_search", &["--index", text(&words)]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(words.is_dir());
}
