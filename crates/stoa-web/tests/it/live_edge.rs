//! The edge itself, over real sockets: heads, bodies, methods and paths that are not as they should
//! be, people who are slow, and the end.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request;
use stoa_web::server::{ServerLimits, serve_within};
use stoa_web::static_files;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use crate::world::World;

/// Longer than anything takes that ends.
const LONG: Duration = Duration::from_secs(30);

struct Server {
    address: SocketAddr,
    policy: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    fn start(limits: ServerLimits) -> Self {
        let (told, began) = mpsc::channel();
        let (stop, stopping) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread();
            let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let world = World::new().await;
                let ben = world.member("ben").await;
                let policy = world.policy(ben, "Night buses until two").await;
                let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
                let address = listener.local_addr().unwrap();
                told.send((address, policy.to_string())).unwrap();
                let live = world.app.live.clone();
                let stop = async {
                    stopping.await.unwrap();
                    live.end();
                };
                serve_within(limits, listener, world.service(), stop).await;
            });
        });
        let (address, policy) = began.recv().unwrap();
        Self {
            address,
            policy,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LONG)).unwrap();
        stream.set_write_timeout(Some(LONG)).unwrap();
        stream
    }

    /// The whole answer to bytes after which nothing comes.
    fn answer(&self, bytes: &[u8]) -> String {
        let mut stream = self.connect();
        // Whoever is refused early may find the connection closed before all is sent.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// The status of a request of one line, and of some headers.
    fn status(&self, line: &str, headers: &str) -> u16 {
        let request =
            format!("{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
        status_of(&self.answer(request.as_bytes()))
    }

    fn stop(mut self) {
        self.stop.take().unwrap().send(()).unwrap();
        self.thread.take().unwrap().join().unwrap();
    }
}

fn status_of(answer: &str) -> u16 {
    let status = answer.split(' ').nth(1);
    status
        .and_then(|it| it.parse().ok())
        .unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn heads_have_a_limit() {
    let server = Server::start(ServerLimits::default());
    assert_eq!(server.status("GET /help", ""), 200);
    let large = format!("X-Large: {}\r\n", "x".repeat(200_000));
    assert_eq!(server.status("GET /help", &large), 431);
    assert_eq!(
        server.status("GET /help", &"X-Many: 1\r\n".repeat(200)),
        431
    );
    let long = format!("GET /{}", "x".repeat(200_000));
    assert!(matches!(server.status(&long, ""), 414 | 431));
    assert_eq!(
        server.status(&format!("GET /{}", "x".repeat(8_000)), ""),
        404
    );
    server.stop();
}

#[test]
fn a_request_whose_length_can_be_read_in_two_ways_is_not_read() {
    let server = Server::start(ServerLimits::default());
    for headers in [
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: 0x5\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
    ] {
        assert_eq!(server.status("POST /sign-in", headers), 400, "{headers}");
    }
    // What stands in the body of one is never taken for another request.
    let inner = "GET /help HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let outer = format!(
        "POST /sign-in HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n0\r\n\r\n{inner}",
        inner.len() + 5
    );
    let answer = server.answer(outer.as_bytes());
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    server.stop();
}

#[test]
fn no_path_leads_elsewhere_and_none_breaks_anything() {
    let server = Server::start(ServerLimits::default());
    for path in [
        "/static/../Cargo.toml",
        "/static/x/..%2f..%2f..%2fetc%2fpasswd",
        "/static/%2e%2e/%2e%2e/etc/passwd",
        "/static/x/stoa.css/",
        "/static/x/stoa.css%00.html",
        "//",
        "//evil.example/",
        "/%00",
        "/%ff%fe",
        "/%",
        "/%zz",
        "/..",
        "/policies/..%2f..",
        "/policies/%00/x",
        "/policies/00000000-0000-1000-8000-000000000001/-/votes",
        "/admin/../account",
        "/ranking/",
        "/RANKING",
        "/healthz/x",
    ] {
        let status = server.status(&format!("GET {path}"), "");
        assert!(matches!(status, 400 | 404 | 405), "{path}: {status}");
    }
    // The host of an absolute address is nobody's business.
    assert_eq!(server.status("GET http://evil.example/healthz", ""), 200);
    assert_eq!(server.status("GET /healthz?x=%00%ff&%", ""), 200);
    server.stop();
}

#[test]
fn whoever_sends_slowly_or_takes_nothing_is_let_go() {
    let limits = ServerLimits {
        head: Duration::from_millis(300),
        taking: Duration::from_millis(300),
        ..ServerLimits::default()
    };
    let server = Server::start(limits);
    let mut rest = Vec::new();
    // Half a head, and nothing more; then nothing at all; then nothing after a first request.
    for begun in [
        "GET /help HTTP/1.1\r\nHost: local",
        "",
        "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
        let mut stream = server.connect();
        stream.write_all(begun.as_bytes()).unwrap();
        let ended = stream.read_to_end(&mut rest);
        assert!(ended.is_ok(), "{begun:?}: {ended:?}");
    }
    // Far more answers than buffers hold, and nobody who takes them.
    let css = static_files::address("stoa.css");
    let request = format!("GET {css} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    let mut stream = server.connect();
    let many = request.repeat(1_000);
    let end = loop {
        if let Err(error) = stream.write(many.as_bytes()) {
            break error.kind();
        }
    };
    assert!(
        matches!(end, ErrorKind::ConnectionReset | ErrorKind::BrokenPipe),
        "{end:?}"
    );
    assert_eq!(server.status("GET /healthz", ""), 200);
    server.stop();
}

#[test]
fn the_end_lets_everybody_go() {
    let server = Server::start(ServerLimits::default());
    let mut listening = server.connect();
    let request = format!(
        "GET /live/totals?of={} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        server.policy
    );
    listening.write_all(request.as_bytes()).unwrap();
    let mut part = [0_u8; 2_048];
    let count = listening.read(&mut part).unwrap();
    assert!(String::from_utf8_lossy(&part[..count]).starts_with("HTTP/1.1 200"));
    let mut idle = server.connect();
    idle.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        .unwrap();
    assert!(idle.read(&mut part).unwrap() > 0);
    let address = server.address;
    server.stop();
    let mut rest = Vec::new();
    listening.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "the answer ends as it should");
    idle.read_to_end(&mut rest).unwrap();
    assert!(TcpStream::connect(address).is_err());
}

#[tokio::test]
async fn a_method_that_a_path_does_not_have_is_refused_with_those_it_has() {
    let world = World::new().await;
    for (method, path, allowed) in [
        ("POST", "/ranking", "GET,HEAD"),
        ("DELETE", "/", "GET,HEAD"),
        ("OPTIONS", "/account", "GET,HEAD"),
        ("TRACE", "/search", "GET,HEAD"),
        ("PUT", "/sign-out", "POST"),
        ("GET", "/sign-out", "POST"),
        ("PATCH", "/healthz", "GET,HEAD"),
    ] {
        let request = Request::builder().method(method).uri(path);
        let page = world.call(request.body(Body::empty()).unwrap()).await;
        assert_eq!(page.status, 405, "{method} {path}");
        let allow = page
            .headers
            .get("allow")
            .map_or("", |it| it.to_str().unwrap());
        assert_eq!(allow, allowed, "{method} {path}");
        assert!(page.has("This address takes something else"));
    }
    let head = Request::head("/help").body(Body::empty()).unwrap();
    let page = world.call(head).await;
    assert_eq!((page.status, page.text.as_str()), (200, ""));
}
