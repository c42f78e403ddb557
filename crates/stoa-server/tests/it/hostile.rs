//! Hostile requests: whatever stands in a request, it is answered once, and the server goes on.
//!
//! Bodies of valid requests are mutated; their headers tell the true length, so that each is read. The
//! same seed repeats the run. More: `STOA_HOSTILE_REQUESTS=1000000`; other seeds by
//! `STOA_FIRST_SEED`.

use std::borrow::Cow;

use stoa_testkit::rng::Rng;
use stoa_wire::request::parameters::Moment;
use stoa_wire::request::{
    Batch, BatchKind, BatchStatement, BatchText, Bindings, Execute, Parameters, Prepare, Query,
};
use stoa_wire::types::{BoundValue, Consistency};
use stoa_wire::{Request, Response, Version};

use crate::client::{Client, query};
use crate::served::Served;

/// How many requests a run sends unless it is told otherwise.
const REQUESTS: u64 = 20_000;

fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn values() -> Vec<BoundValue<'static>> {
    let bytes = |bytes: &'static [u8]| BoundValue::Bytes(Cow::Borrowed(bytes));
    vec![bytes(&[0, 0, 0, 1]), bytes(b"ada"), BoundValue::Null]
}

/// Valid requests on a table of this client's server.
fn valid(id: &[u8], metadata: Option<&[u8]>) -> Vec<Request<'static>> {
    let insert = "INSERT INTO k.t (k, name, tags) VALUES (?, ?, ?)";
    let parameters = |bindings| Parameters {
        bindings,
        page_size: Some(10),
        ..Parameters::default()
    };
    let execute = Execute {
        id: Cow::Owned(id.to_vec()),
        result_metadata_id: metadata.map(|it| Cow::Owned(it.to_vec())),
        parameters: parameters(Bindings::Positional(values())),
    };
    let statement = |text| BatchStatement {
        text,
        values: values(),
    };
    let batch = Batch {
        kind: BatchKind::Unlogged,
        statements: vec![
            statement(BatchText::Prepared(Cow::Owned(id.to_vec()))),
            statement(BatchText::Text(insert.into())),
        ],
        consistency: Consistency::One,
        moment: Moment::default(),
    };
    vec![
        query("SELECT k, name, tags FROM k.t WHERE name IN ('a', 'b') LIMIT 5 ALLOW FILTERING"),
        Request::Query(Query {
            text: insert.into(),
            parameters: parameters(Bindings::Positional(values())),
        }),
        Request::Prepare(Prepare {
            text: "UPDATE k.t SET tags = tags + {'x': 1} WHERE k = ? IF name = ?".into(),
            keyspace: None,
        }),
        Request::Execute(execute),
        Request::Batch(batch),
    ]
}

#[test]
fn every_mutated_request_is_answered_once() {
    let served = Served::new();
    let seed = number("STOA_FIRST_SEED", 0);
    let mut rng = Rng::new(seed);
    let mut setting = Client::ready(served.address, Version::V4, None);
    setting.run(
        "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    );
    setting.run("CREATE TABLE k.t (k int PRIMARY KEY, name text, tags map<text, int>)");
    for version in Version::ALL {
        let mut client = Client::ready(served.address, version, None);
        let insert = Prepare {
            text: "INSERT INTO k.t (k, name, tags) VALUES (?, ?, ?)".into(),
            keyspace: None,
        };
        let (id, metadata, _) = client.prepare(insert);
        let valid = valid(&id, metadata.as_deref());
        let (mut done, mut refused) = (0_u64, 0_u64);
        for _ in 0..number("STOA_HOSTILE_REQUESTS", REQUESTS) / 2 {
            let request = rng.pick(&valid).unwrap();
            let mut body = Vec::new();
            request.write(&mut body, version).unwrap();
            mutate(&mut body, &mut rng);
            client.send_body(9, request.opcode(), &body);
            let answer = client.receive().unwrap();
            assert_eq!(answer.header.stream, 9, "seed {seed}");
            match client.read(&answer) {
                Response::Error(_) => refused += 1,
                _ => done += 1,
            }
        }
        assert!(
            done > 100 && refused > 100,
            "{done} done, {refused} refused"
        );
    }
    setting.run("SELECT key FROM system.local");
    served.stop();
}

/// Numbers that lengths and counts are often wrong by.
const EDGES: [u8; 6] = [0, 1, 0x7f, 0x80, 0xfe, 0xff];

fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..=rng.index(3) {
        let at = rng.index(bytes.len());
        match rng.below(4) {
            _ if bytes.is_empty() => return,
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = *rng.pick(&EDGES).unwrap(),
            2 => bytes.truncate(at),
            _ => {
                let end = (at + rng.index(9)).min(bytes.len());
                let copied = bytes[at..end].to_vec();
                bytes.splice(at..at, copied);
            }
        }
    }
}
