//! A client of HTTP/1.1 that keeps its connection, as small as one can be: what it costs must not be
//! what is measured.

use std::collections::BTreeSet;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

/// Longer than any answer takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A connection.
pub(super) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// An answer, which stays in the buffer of its connection until the next.
pub(super) struct Answer {
    pub(super) status: u16,
    /// Bytes of all of it.
    pub(super) bytes: usize,
    pub(super) body_bytes: usize,
    body: Vec<u8>,
}

impl Answer {
    /// The body as text.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Client {
    pub(super) fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self {
            stream,
            buffer: Vec::new(),
        })
    }

    /// Reads a page.
    pub(super) fn get(&mut self, path: &str, cookie: &str) -> Result<Answer> {
        self.ask(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\n\r\n"
        ))
    }

    /// Sends a form, from an address that a proxy names.
    pub(super) fn post(
        &mut self,
        path: &str,
        cookie: &str,
        from: &str,
        form: &str,
    ) -> Result<Answer> {
        self.ask(&format!(
            "POST {path} HTTP/1.1\r\nHost: localhost\r\nCookie: {cookie}\r\nX-Forwarded-For: {from}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n\r\n{form}",
            form.len()
        ))
    }

    fn ask(&mut self, request: &str) -> Result<Answer> {
        self.stream.write_all(request.as_bytes())?;
        self.buffer.clear();
        let head = loop {
            if let Some(at) = self.buffer.windows(4).position(|it| it == b"\r\n\r\n") {
                break at + 4;
            }
            self.receive()?;
        };
        let text =
            String::from_utf8_lossy(self.buffer.get(..head).unwrap_or_default()).into_owned();
        let status = text.split(' ').nth(1).and_then(|it| it.parse().ok());
        let status = status.with_context(|| format!("no answer of HTTP: {text}"))?;
        let body_bytes = length(&text)?;
        while self.buffer.len() < head + body_bytes {
            self.receive()?;
        }
        Ok(Answer {
            status,
            bytes: head + body_bytes,
            body_bytes,
            body: self.buffer.split_off(head),
        })
    }

    fn receive(&mut self) -> Result<()> {
        let mut part = [0_u8; 32 * 1_024];
        let count = self.stream.read(&mut part)?;
        if count == 0 {
            bail!("the server closed a connection");
        }
        self.buffer
            .extend_from_slice(part.get(..count).unwrap_or_default());
        Ok(())
    }
}

/// The length that a head says; nothing, where there is no body.
fn length(head: &str) -> Result<usize> {
    for line in head.lines() {
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            return Ok(value.trim().parse()?);
        }
    }
    Ok(0)
}

/// Every file that a document makes a browser fetch: styles, scripts, the mark.
pub(super) fn named(page: &str) -> BTreeSet<String> {
    let quoted = page.split('"').skip(1).step_by(2);
    let files = quoted.filter(|it| it.starts_with("/static/"));
    files.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_page_are_counted_once() {
        let page = r#"<link href="/static/a/x.css"><script src="/static/a/x.js"></script>
            <img src="/static/a/m.svg"><img src="/static/a/m.svg"><a href="/ranking">"#;
        assert_eq!(named(page).len(), 3);
    }

    #[test]
    fn a_head_says_how_long_its_body_is() {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 17\r\n\r\n";
        assert_eq!(length(head).unwrap(), 17);
        assert_eq!(length("HTTP/1.1 303 See Other\r\n\r\n").unwrap(), 0);
        assert!(length("HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n").is_err());
    }
}
