//! A small SMTP server on a thread: it writes down every line it hears.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

/// How it behaves. A place is a command, `greeting`, or `end` for the end of a letter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Habit {
    /// It takes every letter.
    Takes,
    /// It gives this answer at a place.
    Answers(&'static str, &'static str),
    /// It closes the connection at a place.
    Drops(&'static str),
    /// It says nothing at a place, until the other side goes away.
    Silent(&'static str),
}

pub(crate) struct Small {
    address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    is_over: Arc<AtomicBool>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Small {
    /// A server on a port of its own, at every address of this machine.
    pub(crate) fn start(habit: Habit) -> Self {
        let listener = TcpListener::bind("0.0.0.0:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let is_over = Arc::new(AtomicBool::new(false));
        let (hears, ends) = (Arc::clone(&heard), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if ends.load(Ordering::SeqCst) {
                    return;
                }
                // A client that goes away in the middle is what some tests are about.
                let _ = talk(stream.unwrap(), habit, &hears);
            }
        });
        Self {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            heard,
            is_over,
            thread: Mutex::new(Some(thread)),
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// What it heard, once it has stopped.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.stop();
        self.heard.lock().unwrap().clone()
    }

    pub(crate) fn stop(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.lock().unwrap().take() {
            // Wakes it.
            let _ = TcpStream::connect(self.address);
            thread.join().unwrap();
        }
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        self.stop();
    }
}

fn talk(stream: TcpStream, habit: Habit, heard: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut out = stream.try_clone()?;
    let mut lines = BufReader::new(stream).lines();
    let mut say = |place: &str, usual: &str| -> std::io::Result<()> {
        match habit {
            Habit::Answers(at, answer) if at == place => write!(out, "{answer}\r\n"),
            Habit::Drops(at) if at == place => Err(std::io::Error::other("dropped")),
            Habit::Silent(at) if at == place => Ok(()),
            _ => write!(out, "{usual}\r\n"),
        }
    };
    say("greeting", "220 small")?;
    let mut is_letter = false;
    while let Some(line) = lines.next().transpose()? {
        heard.lock().unwrap().push(line.clone());
        if is_letter {
            if line == "." {
                is_letter = false;
                say("end", "250 taken")?;
            }
            continue;
        }
        let command = line.split([' ', ':']).next().unwrap_or_default();
        match command {
            "EHLO" => say("EHLO", "250-small\r\n250-AUTH PLAIN LOGIN\r\n250 8BITMIME")?,
            "AUTH" => say("AUTH", "235 welcome")?,
            "DATA" => {
                is_letter = true;
                say("DATA", "354 go on")?;
            }
            "QUIT" => {
                say("QUIT", "221 bye")?;
                return Ok(());
            }
            other => say(other, "250 ok")?,
        }
    }
    Ok(())
}
