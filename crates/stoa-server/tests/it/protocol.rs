//! Conversations byte by byte: what may follow what, and what is answered.

use std::borrow::Cow;

use stoa_wire::request::parameters::Moment;
use stoa_wire::request::{
    Batch, BatchKind, BatchStatement, BatchText, Bindings, Execute, Parameters, Prepare, Query,
};
use stoa_wire::response::result::RowsResult;
use stoa_wire::response::{Change, ErrorDetail, Event, ResultResponse, SchemaTarget};
use stoa_wire::types::{BoundValue, Consistency};
use stoa_wire::{Compression, Envelope, Opcode, Request, Response, Version};

use crate::client::{Client, query};
use crate::served::Served;

const KEYSPACE: &str =
    "CREATE KEYSPACE town WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";

fn town(served: &Served, version: Version) -> Client {
    let mut client = Client::ready(served.address, version, None);
    client.run(KEYSPACE);
    client.run(
        "CREATE TABLE town.votes (policy int, voter int, votes int, PRIMARY KEY (policy, voter))",
    );
    client
}

fn int(number: i32) -> BoundValue<'static> {
    BoundValue::Bytes(Cow::Owned(number.to_be_bytes().to_vec()))
}

fn rows<'a>(client: &Client, answer: &'a Envelope) -> RowsResult<'a> {
    match client.read(answer) {
        Response::Result(ResultResponse::Rows(rows)) => rows,
        other => panic!("no rows: {other:?}"),
    }
}

/// The numbers of all cells.
fn numbers(rows: &RowsResult<'_>) -> Vec<Option<i32>> {
    let number = |cell: Cow<'_, [u8]>| i32::from_be_bytes(cell.as_ref().try_into().unwrap());
    rows.cells().map(|cell| cell.unwrap().map(number)).collect()
}

#[test]
fn every_version_and_compression_is_agreed_on() {
    let served = Served::new();
    for (version, compression) in [
        (Version::V4, None),
        (Version::V4, Some(Compression::Lz4)),
        (Version::V4, Some(Compression::Snappy)),
        (Version::V5, None),
        (Version::V5, Some(Compression::Lz4)),
    ] {
        let mut client = Client::ready(served.address, version, compression);
        let answer = client.run("SELECT release_version, cql_version FROM system.local");
        let rows = rows(&client, &answer);
        let release = rows.cells().next().unwrap().unwrap().unwrap();
        assert!(release.starts_with(b"5.0."), "{version} {compression:?}");
        let options = client.ask(&Request::Options);
        assert!(matches!(client.read(&options), Response::Supported(_)));
    }
    served.stop();
}

#[test]
fn an_unknown_version_is_told_which_are_known() {
    let served = Served::new();
    for version in [66_u8, 65, 6, 3, 2] {
        let mut client = Client::new(served.address, Version::V5);
        client.send_bytes(&[version, 0, 0, 9, 5, 0, 0, 0, 0]);
        let answer = client.receive().unwrap();
        let Response::Error(error) = client.read(&answer) else {
            panic!("no error");
        };
        assert_eq!(error.detail, ErrorDetail::Protocol);
        let expected = format!("Invalid or unsupported protocol version ({version})");
        assert!(error.message.starts_with(&expected), "{}", error.message);
        assert!(client.receive().is_none());
    }
    served.stop();
}

#[test]
fn nothing_but_its_options_is_told_before_startup() {
    let served = Served::new();
    for version in Version::ALL {
        let mut client = Client::new(served.address, version);
        for opcode in 0..=255_u8 {
            if opcode == Opcode::Options.number() {
                continue;
            }
            client.send_bytes(&[version.number(), 0, 0, 7, opcode, 0, 0, 0, 0]);
            let answer = client.receive().unwrap();
            assert_eq!(answer.header.stream, 7);
            let Response::Error(error) = client.read(&answer) else {
                panic!("opcode {opcode} is answered");
            };
            assert_eq!(error.detail, ErrorDetail::Protocol, "opcode {opcode}");
        }
        let options = client.ask(&Request::Options);
        assert!(matches!(client.read(&options), Response::Supported(_)));
    }
    served.stop();
}

#[test]
fn a_ready_connection_refuses_what_is_no_request_and_goes_on() {
    let served = Served::new();
    let mut client = Client::ready(served.address, Version::V4, None);
    for opcode in (0..=255_u8).filter(|it| !matches!(it, 5 | 7 | 9 | 10 | 11 | 13)) {
        client.send_bytes(&[4, 0, 0, 7, opcode, 0, 0, 0, 0]);
        let answer = client.receive().unwrap();
        let Response::Error(error) = client.read(&answer) else {
            panic!("opcode {opcode} is answered");
        };
        assert_eq!(error.detail, ErrorDetail::Protocol, "opcode {opcode}");
    }
    // A QUERY that is cut short.
    client.send_bytes(&[4, 0, 0, 7, 7, 0, 0, 0, 4, 0, 0, 0, 9]);
    let answer = client.receive().unwrap();
    let Response::Error(error) = client.read(&answer) else {
        panic!("half a query is answered");
    };
    assert!(
        error.message.contains("the text of QUERY"),
        "{}",
        error.message
    );
    client.run("SELECT key FROM system.local");
    served.stop();
}

#[test]
fn values_come_by_place_and_by_name_and_may_be_unset() {
    let served = Served::new();
    let mut client = town(&served, Version::V4);
    let insert = |bindings| {
        Request::Query(Query {
            text: "INSERT INTO town.votes (policy, voter, votes) VALUES (:p, :v, :n)".into(),
            parameters: Parameters {
                bindings,
                ..Parameters::default()
            },
        })
    };
    let named = vec![
        ("n".into(), int(30)),
        ("p".into(), int(1)),
        ("v".into(), int(2)),
    ];
    for bindings in [
        Bindings::Positional(vec![int(1), int(1), int(10)]),
        Bindings::Named(named),
        Bindings::Positional(vec![int(1), int(1), BoundValue::Unset]),
    ] {
        let answer = client.ask(&insert(bindings));
        assert_eq!(client.read(&answer), Response::Result(ResultResponse::Void));
    }
    let answer = client.run("SELECT voter, votes FROM town.votes WHERE policy = 1");
    assert_eq!(
        numbers(&rows(&client, &answer)),
        [Some(1), Some(10), Some(2), Some(30)]
    );
    let few = client.error(&insert(Bindings::Positional(vec![int(1)])));
    assert_eq!(few.detail, ErrorDetail::Invalid);
    served.stop();
}

#[test]
fn pages_follow_each_other() {
    let served = Served::new();
    let mut client = town(&served, Version::V5);
    for voter in 0..25 {
        client.run(&format!(
            "INSERT INTO town.votes (policy, voter, votes) VALUES (1, {voter}, 0)"
        ));
    }
    let mut at: Option<Vec<u8>> = None;
    let mut sizes = Vec::new();
    loop {
        let answer = client.ask(&Request::Query(Query {
            text: "SELECT voter FROM town.votes WHERE policy = 1".into(),
            parameters: Parameters {
                page_size: Some(10),
                paging_state: at.take().map(Cow::Owned),
                ..Parameters::default()
            },
        }));
        let page = rows(&client, &answer);
        sizes.push(page.count);
        match page.metadata.paging_state {
            Some(state) => at = Some(state.into_owned()),
            None => break,
        }
    }
    assert_eq!(sizes, [10, 10, 5]);
    served.stop();
}

fn execute<'a>(id: &[u8], metadata: Option<&[u8]>, values: Vec<BoundValue<'a>>) -> Request<'a> {
    Request::Execute(Execute {
        id: Cow::Owned(id.to_vec()),
        result_metadata_id: metadata.map(|it| Cow::Owned(it.to_vec())),
        parameters: Parameters {
            bindings: Bindings::Positional(values),
            skips_metadata: true,
            ..Parameters::default()
        },
    })
}

fn text(text: &str) -> Prepare<'_> {
    Prepare {
        text: text.into(),
        keyspace: None,
    }
}

#[test]
fn columns_are_told_again_when_they_change() {
    let served = Served::new();
    let mut client = town(&served, Version::V5);
    client.run("INSERT INTO town.votes (policy, voter, votes) VALUES (1, 2, 3)");
    let select = "SELECT * FROM town.votes WHERE policy = ?";
    let (id, metadata, variables) = client.prepare(text(select));
    assert_eq!(variables, 1);
    let answer = client.ask(&execute(&id, metadata.as_deref(), vec![int(1)]));
    let known = rows(&client, &answer);
    assert_eq!(
        (known.metadata.columns, known.metadata.new_id),
        (None, None)
    );
    assert_eq!(known.count, 1);

    client.run("ALTER TABLE town.votes ADD weight int");
    let answer = client.ask(&execute(&id, metadata.as_deref(), vec![int(1)]));
    let changed = rows(&client, &answer).metadata;
    assert_eq!(changed.columns.unwrap().len(), 4);
    let new_id = changed.new_id.unwrap();
    let answer = client.ask(&execute(&id, Some(&new_id), vec![int(1)]));
    let known = rows(&client, &answer).metadata;
    assert_eq!((known.columns, known.new_id), (None, None));

    // Version 4 has no ids of columns: whoever skips them hears of them only when they are others.
    let mut older = Client::ready(served.address, Version::V4, None);
    let answer = older.ask(&execute(&id, None, vec![int(1)]));
    assert_eq!(rows(&older, &answer).metadata.columns.unwrap().len(), 4);
    older.prepare(text(select));
    let answer = older.ask(&execute(&id, None, vec![int(1)]));
    assert_eq!(rows(&older, &answer).metadata.columns, None);
    served.stop();
}

#[test]
fn conditional_writes_always_tell_their_columns() {
    let served = Served::new();
    let mut client = town(&served, Version::V5);
    let insert = "INSERT INTO town.votes (policy, voter, votes) VALUES (?, 1, 1) IF NOT EXISTS";
    let (id, metadata, _) = client.prepare(text(insert));
    for columns in [1, 4] {
        let answer = client.ask(&execute(&id, metadata.as_deref(), vec![int(1)]));
        let told = rows(&client, &answer).metadata;
        assert_eq!(told.columns.unwrap().len(), columns);
        assert_eq!(told.new_id, None);
    }
    served.stop();
}

#[test]
fn what_is_not_prepared_is_told_by_its_id() {
    let served = Served::new();
    let mut client = Client::ready(served.address, Version::V5, None);
    let id = [7; 16];
    let error = client.error(&execute(&id, Some(&[]), Vec::new()));
    assert_eq!(error.detail, ErrorDetail::Unprepared(Cow::Borrowed(&id)));
    let batch = Request::Batch(Batch {
        kind: BatchKind::Logged,
        statements: vec![BatchStatement {
            text: BatchText::Prepared(Cow::Borrowed(&id)),
            values: Vec::new(),
        }],
        consistency: Consistency::One,
        moment: Moment::default(),
    });
    let error = client.error(&batch);
    assert_eq!(error.detail, ErrorDetail::Unprepared(Cow::Borrowed(&id)));
    served.stop();
}

#[test]
fn a_batch_takes_texts_and_prepared_statements() {
    let served = Served::new();
    let mut client = town(&served, Version::V4);
    let insert = "INSERT INTO town.votes (policy, voter, votes) VALUES (?, ?, ?)";
    let (id, _, variables) = client.prepare(text(insert));
    assert_eq!(variables, 3);
    let statement = |text, values| BatchStatement { text, values };
    let literal = "INSERT INTO town.votes (policy, voter, votes) VALUES (1, 3, 3)";
    let answer = client.ask(&Request::Batch(Batch {
        kind: BatchKind::Unlogged,
        statements: vec![
            statement(
                BatchText::Prepared(Cow::Owned(id)),
                vec![int(1), int(1), int(1)],
            ),
            statement(BatchText::Text(insert.into()), vec![int(1), int(2), int(2)]),
            statement(BatchText::Text(literal.into()), Vec::new()),
        ],
        consistency: Consistency::Quorum,
        moment: Moment {
            timestamp_micros: Some(77),
            ..Moment::default()
        },
    }));
    assert_eq!(client.read(&answer), Response::Result(ResultResponse::Void));
    let answer = client.run("SELECT votes FROM town.votes WHERE policy = 1");
    assert_eq!(
        numbers(&rows(&client, &answer)),
        [Some(1), Some(2), Some(3)]
    );
    served.stop();
}

#[test]
fn errors_have_their_codes_and_what_belongs_to_them() {
    let served = Served::new();
    let mut client = town(&served, Version::V5);
    let error = client.error(&query("SELEC 1"));
    assert_eq!(error.detail, ErrorDetail::Syntax);
    let error = client.error(&query("SELECT * FROM town.nothing"));
    assert_eq!(error.detail, ErrorDetail::Invalid);
    let exists = |keyspace: &'static str, table: &'static str| ErrorDetail::AlreadyExists {
        keyspace: keyspace.into(),
        table: table.into(),
    };
    let error = client.error(&query(KEYSPACE));
    assert_eq!(error.detail, exists("town", ""));
    let error = client.error(&query("CREATE TABLE town.votes (k int PRIMARY KEY)"));
    assert_eq!(error.detail, exists("town", "votes"));
    served.stop();
}

#[test]
fn a_request_may_name_its_keyspace() {
    let served = Served::new();
    let mut client = town(&served, Version::V5);
    let in_town = Moment {
        keyspace: Some("town".into()),
        ..Moment::default()
    };
    let select = "SELECT votes FROM votes WHERE policy = 1";
    assert_eq!(client.error(&query(select)).detail, ErrorDetail::Invalid);
    let answer = client.ask(&Request::Query(Query {
        text: select.into(),
        parameters: Parameters {
            moment: in_town.clone(),
            ..Parameters::default()
        },
    }));
    assert_eq!(rows(&client, &answer).count, 0);
    let (id, metadata, _) = client.prepare(Prepare {
        text: select.into(),
        keyspace: in_town.keyspace,
    });
    let answer = client.ask(&execute(&id, metadata.as_deref(), Vec::new()));
    assert_eq!(rows(&client, &answer).count, 0);

    let answer = client.run("USE town");
    let used = Response::Result(ResultResponse::SetKeyspace("town".into()));
    assert_eq!(client.read(&answer), used);
    client.run(select);
    // The id is that of the keyspace in use, unless the statement names its keyspace itself.
    assert_eq!(client.prepare(text(select)).0, id);
    let whole = "SELECT votes FROM town.votes";
    let within = client.prepare(text(whole)).0;
    let mut other = Client::ready(served.address, Version::V5, None);
    assert_eq!(other.prepare(text(whole)).0, within);
    served.stop();
}

#[test]
fn a_change_of_the_schema_is_told_to_who_registered() {
    let served = Served::new();
    let mut listening = Client::ready(served.address, Version::V5, None);
    listening.register();
    let mut deaf = Client::ready(served.address, Version::V4, None);
    let _changing = town(&served, Version::V4);
    let mut heard = Vec::new();
    for _ in 0..2 {
        let envelope = listening.receive().unwrap();
        assert_eq!(envelope.header.stream, -1);
        let Response::Event(Event::Schema(change)) = listening.read(&envelope) else {
            panic!("no change of the schema");
        };
        assert_eq!(
            (change.change, &*change.keyspace),
            (Change::Created, "town")
        );
        heard.push(matches!(change.target, SchemaTarget::Table(_)));
    }
    assert_eq!(heard, [false, true]);
    deaf.run("SELECT key FROM system.local");
    served.stop();
}
