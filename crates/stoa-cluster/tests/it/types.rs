//! Every type goes to a real server and comes back as it was.

use std::net::IpAddr;

use num_bigint::BigInt;
use stoa_session::to_cql::Unset;
use stoa_session::{DataType, FromCql, FromRow, ToCql, ToValues};
use stoa_types::{Date, Decimal, Duration, Time, Timestamp, Value};
use uuid::Uuid;

use crate::live::Scratch;

/// Names of columns, their types in CQL, and values they must keep.
fn natives() -> Vec<(&'static str, Vec<Value>)> {
    let huge = || BigInt::from(-1) << 200_u32;
    let time_uuid = Uuid::from_u128(0x5000_0000_0000_1000_8000_0000_0000_0001);
    let span = |months, days, nanos| {
        Value::Duration(Duration::new(months, days, nanos).expect("same signs"))
    };
    vec![
        (
            "ascii",
            vec![Value::Ascii(String::new()), Value::Ascii("~".into())],
        ),
        (
            "bigint",
            vec![i64::MIN.into(), i64::MAX.into(), Value::Empty],
        ),
        ("blob", vec![Value::Blob(vec![]), Value::Blob(vec![0, 255])]),
        ("boolean", vec![true.into(), false.into(), Value::Empty]),
        (
            "date",
            vec![Value::Date(Date(0)), Value::Date(Date(u32::MAX))],
        ),
        (
            "decimal",
            vec![Value::Decimal(Decimal::new(huge(), i32::MAX)), Value::Empty],
        ),
        (
            "double",
            vec![
                Value::Double(-0.0),
                Value::Double(f64::INFINITY),
                Value::Empty,
            ],
        ),
        (
            "duration",
            vec![span(i32::MAX, 1, i64::MAX), span(-1, 0, -1)],
        ),
        ("float", vec![Value::Float(f32::MIN_POSITIVE), Value::Empty]),
        (
            "inet",
            vec![
                Value::Inet(IpAddr::from([0; 4])),
                Value::Inet(IpAddr::from([255; 16])),
            ],
        ),
        ("int", vec![i32::MIN.into(), 0.into(), Value::Empty]),
        ("smallint", vec![Value::SmallInt(i16::MIN)]),
        (
            "text",
            vec![Value::Text(String::new()), Value::Text("hé😀\0".into())],
        ),
        ("time", vec![Value::Time(Time(86_399_999_999_999))]),
        (
            "timestamp",
            vec![Value::Timestamp(Timestamp(i64::MIN)), Value::Empty],
        ),
        ("timeuuid", vec![Value::TimeUuid(time_uuid), Value::Empty]),
        ("tinyint", vec![Value::TinyInt(-128)]),
        ("uuid", vec![Value::Uuid(Uuid::nil()), Value::Empty]),
        ("varint", vec![Value::VarInt(huge()), Value::Empty]),
    ]
}

/// The same for types that hold others; `pair` is a user-defined type of text and int.
fn composites() -> Vec<(&'static str, Vec<Value>)> {
    let numbers = |numbers: &[i32]| numbers.iter().map(|number| (*number).into()).collect();
    let pair = |name: &str| Value::UserDefined(vec![name.into(), Value::Null]);
    vec![
        ("list<int>", vec![Value::List(numbers(&[2, 1, 2]))]),
        ("frozen<list<int>>", vec![Value::List(vec![])]),
        ("set<text>", vec![Value::Set(vec!["a".into(), "b".into()])]),
        (
            "map<int, text>",
            vec![Value::Map(vec![(1.into(), "".into())])],
        ),
        (
            "map<text, frozen<list<frozen<set<int>>>>>",
            vec![Value::Map(vec![(
                "k".into(),
                Value::List(vec![Value::Set(numbers(&[1, 2])), Value::Set(vec![])]),
            )])],
        ),
        (
            "tuple<int, text, frozen<pair>>",
            vec![
                Value::Tuple(vec![1.into(), Value::Null, pair("inside")]),
                Value::Tuple(vec![Value::Null, Value::Null, Value::Null]),
            ],
        ),
        ("frozen<pair>", vec![pair("frozen")]),
        (
            "pair",
            vec![Value::UserDefined(vec!["multi-cell".into(), 7.into()])],
        ),
        (
            "vector<float, 3>",
            vec![Value::Vector([0.5, -1.0, 2.0].map(Value::Float).to_vec())],
        ),
        (
            "vector<text, 2>",
            vec![Value::Vector(vec!["a".into(), "".into()])],
        ),
        (
            "vector<frozen<vector<int, 2>>, 1>",
            vec![Value::Vector(vec![Value::Vector(numbers(&[3, 4]))])],
        ),
    ]
}

/// Writes each value, alone, into its column and reads it.
async fn check(scratch: &Scratch, table: &str, samples: &[(&str, Vec<Value>)]) {
    let columns: Vec<String> = samples
        .iter()
        .enumerate()
        .map(|(index, (data_type, _))| format!(", c{index} {data_type}"))
        .collect();
    let columns = columns.concat();
    scratch
        .run(&format!(
            "CREATE TABLE {table} (k int PRIMARY KEY{columns})"
        ))
        .await;
    for (index, (data_type, values)) in samples.iter().enumerate() {
        let insert = format!("INSERT INTO {table} (k, c{index}) VALUES (1, ?)");
        let select = format!("SELECT c{index} FROM {table} WHERE k = 1");
        for value in values {
            scratch.query(&insert, [value.clone()]).await;
            let rows = scratch.query(&select, ()).await;
            let row = rows.first().expect("one row");
            assert_eq!(row.values(), Ok(vec![value.clone()]), "{data_type}");
            // As text without preparing, the answer is the same.
            let again = scratch.run(&select).await.into_rows();
            assert_eq!(again, rows, "{data_type}");
        }
        scratch.query(&insert, [Value::Unset]).await;
        let rows = scratch.query(&select, ()).await;
        let kept = rows.first().expect("one row").values();
        assert_eq!(
            kept,
            Ok(values.last().cloned().into_iter().collect()),
            "{data_type}"
        );
        scratch.query(&insert, [Value::Null]).await;
        let rows = scratch.query(&select, ()).await;
        let gone = rows.first().expect("one row").values();
        assert_eq!(gone, Ok(vec![Value::Null]), "{data_type}");
    }
}

#[tokio::test]
async fn every_native_type_comes_back_as_it_was() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    check(&scratch, "natives", &natives()).await;
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn every_composite_type_comes_back_as_it_was() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TYPE pair (name text, number int)")
        .await;
    check(&scratch, "composites", &composites()).await;
    scratch.drop_keyspace().await;
}

#[tokio::test]
async fn types_are_told_without_frozen_and_variables_by_name() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TYPE pair (name text, number int)")
        .await;
    scratch
        .run(
            "CREATE TABLE t (a int, b text, c frozen<map<int, frozen<list<text>>>>, d frozen<pair>, \
             e vector<float, 3>, PRIMARY KEY ((a, b)))",
        )
        .await;
    let bound = scratch
        .bind("SELECT c, d, e FROM t WHERE b = ? AND a = ?", ("x", 1))
        .await;
    let prepared = bound.prepared();
    assert_eq!(prepared.partition_key(), [1, 0]);
    let names: Vec<&str> = prepared
        .variables()
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!(names, ["b", "a"]);
    assert_eq!(&*prepared.variables()[0].table, "t");
    assert_eq!(&*prepared.variables()[0].keyspace, scratch.keyspace);
    let types: Vec<String> = prepared
        .columns()
        .iter()
        .map(|it| it.data_type.to_string())
        .collect();
    assert_eq!(types, ["map<int, list<text>>", "pair", "vector<float, 3>"]);
    assert!(matches!(&prepared.columns()[1].data_type,
        DataType::UserDefined(pair) if pair.fields.len() == 2 && !pair.is_frozen));
    scratch.drop_keyspace().await;
}

#[derive(Debug, Clone, PartialEq, FromCql, ToCql)]
struct Pair {
    name: String,
    number: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, FromRow, ToValues)]
struct Policy {
    id: i32,
    #[cql(rename = "Title")]
    title: String,
    pairs: Vec<Pair>,
    votes: Option<i64>,
}

#[tokio::test]
async fn structs_go_in_and_come_out() {
    let Some(scratch) = Scratch::new().await else {
        return;
    };
    scratch
        .run("CREATE TYPE pair (name text, number int)")
        .await;
    scratch
        .run(
            "CREATE TABLE policy (id int PRIMARY KEY, \"Title\" text, pairs list<frozen<pair>>, \
             votes bigint)",
        )
        .await;
    let trees = Policy {
        id: 7,
        title: "Trees".into(),
        pairs: vec![Pair {
            name: "oak".into(),
            number: None,
        }],
        votes: None,
    };
    let insert = "INSERT INTO policy (\"Title\", id, votes, pairs) VALUES (?, ?, ?, ?)";
    scratch.query(insert, &trees).await;
    let rows = scratch
        .query("SELECT * FROM policy WHERE id = ?", (7,))
        .await;
    let read: Vec<Policy> = rows
        .typed()
        .expect("fits")
        .map(|row| row.expect("fits"))
        .collect();
    assert_eq!(read, std::slice::from_ref(&trees));
    // What is unset stays.
    scratch
        .query(
            "INSERT INTO policy (id, \"Title\", votes) VALUES (?, ?, ?)",
            (7, Unset, 9_i64),
        )
        .await;
    let rows = scratch
        .query("SELECT \"Title\", votes FROM policy WHERE id = ?", (7,))
        .await;
    let read = rows.typed::<(&str, i64)>().expect("fits").next();
    assert_eq!(read, Some(Ok(("Trees", 9))));
    scratch.drop_keyspace().await;
}
