//! How much at once, how large, and what happens at the end.

use std::collections::HashSet;
use std::time::Duration;

use stoa_server::Limits;
use stoa_wire::response::ErrorDetail;
use stoa_wire::{Request, Response, Version};

use crate::client::{Client, query};
use crate::served::Served;

const SELECT: &str = "SELECT key FROM system.local";

#[test]
fn every_stream_is_answered_once() {
    let served = Served::new();
    for version in Version::ALL {
        let mut client = Client::ready(served.address, version, None);
        let mut waiting: HashSet<i16> = (0..i16::MAX).collect();
        // As many as there are streams, sent in parts so that neither side waits for the other.
        for streams in (0..i16::MAX).collect::<Vec<_>>().chunks(512) {
            for stream in streams {
                client.send(*stream, &query(SELECT));
            }
            for _ in streams {
                let answer = client.receive().unwrap();
                assert!(matches!(client.read(&answer), Response::Result(_)));
                assert!(waiting.remove(&answer.header.stream));
            }
        }
        assert!(waiting.is_empty());
    }
    served.stop();
}

#[test]
fn too_large_a_message_ends_its_connection_alone() {
    let served = Served::new();
    let mut healthy = Client::ready(served.address, Version::V5, None);
    let mut client = Client::ready(served.address, Version::V4, None);
    client.send_bytes(&[4, 0, 0, 1, 7, 0x7f, 0xff, 0xff, 0xff]);
    let answer = client.receive().unwrap();
    let Response::Error(error) = client.read(&answer) else {
        panic!("no error");
    };
    assert_eq!(error.detail, ErrorDetail::Protocol);
    assert!(error.message.contains("too big"), "{}", error.message);
    assert!(client.receive().is_none());
    healthy.run(SELECT);
    served.stop();
}

#[test]
fn a_damaged_segment_ends_its_connection_alone() {
    let served = Served::new();
    let mut healthy = Client::ready(served.address, Version::V5, None);
    let mut client = Client::ready(served.address, Version::V5, None);
    client.send_bytes(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    let answer = client.receive().unwrap();
    let Response::Error(error) = client.read(&answer) else {
        panic!("no error");
    };
    assert!(
        error.message.contains("corrupt header"),
        "{}",
        error.message
    );
    assert!(client.receive().is_none());
    healthy.run(SELECT);
    served.stop();
}

#[test]
fn who_says_nothing_keeps_nobody_waiting_and_is_cut_off() {
    let served = Served::within(Limits {
        beginning: Duration::from_millis(300),
        ..Limits::default()
    });
    let mut silent: Vec<Client> = (0..200)
        .map(|_| Client::new(served.address, Version::V4))
        .collect();
    silent[0].send_bytes(&[4, 0]);
    Client::ready(served.address, Version::V4, None).run(SELECT);
    for client in &mut silent {
        assert!(client.receive().is_none());
    }
    served.stop();
}

#[test]
fn who_takes_nothing_is_cut_off_and_keeps_nobody_waiting() {
    let served = Served::within(Limits {
        taking: Duration::from_millis(300),
        ..Limits::default()
    });
    let mut healthy = Client::ready(served.address, Version::V4, None);
    healthy.run(
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    );
    healthy.run("CREATE TABLE k.t (k int PRIMARY KEY, v text)");
    let large = "x".repeat(1 << 20);
    healthy.run(&format!("INSERT INTO k.t (k, v) VALUES (1, '{large}')"));
    let mut greedy = Client::ready(served.address, Version::V4, None);
    for stream in 0..200 {
        greedy.send(stream, &query("SELECT v FROM k.t WHERE k = 1"));
    }
    // It never reads; once it is cut off, it cannot write either.
    while greedy.try_send_bytes(&[4, 0, 0, 1, 5, 0, 0, 0, 0]).is_ok() {
        healthy.run(SELECT);
    }
    healthy.run(SELECT);
    served.stop();
}

#[test]
fn more_requests_than_allowed_are_refused_as_too_many() {
    let served = Served::within(Limits {
        requests: 0,
        ..Limits::default()
    });
    let mut client = Client::ready(served.address, Version::V5, None);
    assert_eq!(client.error(&query(SELECT)).detail, ErrorDetail::Overloaded);
    let options = client.ask(&Request::Options);
    assert!(matches!(client.read(&options), Response::Supported(_)));
    served.stop();
}

#[test]
fn connections_beyond_the_limit_wait_for_a_place() {
    let served = Served::within(Limits {
        connections: 1,
        ..Limits::default()
    });
    let mut first = Client::ready(served.address, Version::V4, None);
    first.run(SELECT);
    let address = served.address;
    let waiting = std::thread::spawn(move || {
        Client::ready(address, Version::V4, None).run(SELECT);
    });
    first.run(SELECT);
    drop(first);
    waiting.join().unwrap();
    served.stop();
}

#[test]
fn what_was_begun_is_answered_before_the_end() {
    let served = Served::new();
    let mut client = Client::ready(served.address, Version::V5, None);
    for stream in 0..300 {
        client.send(stream, &query(SELECT));
    }
    let first = client.receive().unwrap();
    assert!(matches!(client.read(&first), Response::Result(_)));
    served.stop();
    // Whatever the server had read was answered, and nothing was cut in the middle.
    let mut answered = 1;
    while let Some(answer) = client.receive() {
        assert!(matches!(client.read(&answer), Response::Result(_)));
        answered += 1;
    }
    assert!(answered <= 300);
}
