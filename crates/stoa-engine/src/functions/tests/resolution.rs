//! Which function a call means. The examples are from the recorded scripts.

use stoa_types::DataType;

use super::{Given, code};
use crate::functions::arithmetic::{self, Operator};
use crate::functions::{
    Argument, Context, FunctionName, Monotonicity, Resolved, cast, count_rows, resolve,
};

/// The signature that a call resolves to, or the code of its refusal.
fn signature(name: &str, given: &[Given], receiver: Option<&DataType>) -> String {
    let arguments: Vec<&dyn Argument> = given.iter().map(|one| one as &dyn Argument).collect();
    let name = match name.split_once('.') {
        Some((keyspace, name)) => FunctionName {
            keyspace: Some(keyspace),
            name,
        },
        None => FunctionName::unqualified(name),
    };
    match resolve(&name, &arguments, receiver, &Context::default()) {
        Ok(Some(resolved)) => resolved.signature().to_string(),
        Ok(None) => "unknown".to_owned(),
        Err(refusal) => code(&refusal),
    }
}

fn typed(data_type: DataType) -> Given {
    Given::Typed(data_type)
}

#[test]
fn names_are_those_of_5_0() {
    let timeuuid = || vec![typed(DataType::TimeUuid)];
    for (name, given, expected) in [
        ("now", vec![], "system.now : () -> timeuuid"),
        ("system.now", vec![], "system.now : () -> timeuuid"),
        ("system_schema.now", vec![], "unknown"),
        ("NOW", vec![], "unknown"),
        ("dateof", timeuuid(), "unknown"),
        ("unixtimestampof", timeuuid(), "unknown"),
        ("todate", timeuuid(), "system.todate : (timeuuid) -> date"),
        ("to_date", timeuuid(), "system.to_date : (timeuuid) -> date"),
        (
            "intasblob",
            vec![typed(DataType::Int)],
            "system.intasblob : (int) -> blob",
        ),
        (
            "varchar_as_blob",
            vec![typed(DataType::Text)],
            "system.varchar_as_blob : (text) -> blob",
        ),
        ("blob_as_blob", vec![typed(DataType::Blob)], "unknown"),
        ("list_as_blob", vec![typed(DataType::Int)], "unknown"),
        ("mapkeys", vec![typed(DataType::Int)], "unknown"),
        (
            "castAsInt",
            vec![typed(DataType::Float)],
            "system.castAsInt : (float) -> int",
        ),
        ("castasint", vec![typed(DataType::Float)], "unknown"),
        ("cast_as_varchar", vec![typed(DataType::Int)], "unknown"),
        (
            "currenttimestamp",
            vec![],
            "system.currenttimestamp : () -> timestamp",
        ),
    ] {
        assert_eq!(signature(name, &given, None), expected, "{name}");
    }
}

#[test]
fn literals_choose_the_type_they_prefer() {
    for (name, given, expected) in [
        ("abs", Given::Integer(-5), "system.abs : (int) -> int"),
        (
            "abs",
            Given::Integer(-2_147_483_649),
            "system.abs : (bigint) -> bigint",
        ),
        (
            "abs",
            Given::Integer(-9_223_372_036_854_775_809),
            "system.abs : (varint) -> varint",
        ),
        ("abs", Given::Float, "system.abs : (double) -> double"),
        ("abs", Given::Quoted, "0x2200"),
        ("abs", Given::Marker, "0x2200"),
        ("abs", Given::Null, "0x2200"),
        ("to_date", Given::Marker, "0x2200"),
        ("to_unix_timestamp", Given::Quoted, "0x2200"),
        (
            "min_timeuuid",
            Given::Quoted,
            "system.min_timeuuid : (timestamp) -> timeuuid",
        ),
        (
            "int_as_blob",
            Given::Marker,
            "system.int_as_blob : (int) -> blob",
        ),
        ("blob_as_int", Given::Integer(5), "0x2200"),
        ("count", Given::Integer(1), "0x2200"),
        ("max", Given::Integer(1), "system.max : (int) -> int"),
        (
            "to_json",
            Given::Integer(5),
            "system.to_json : (int) -> text",
        ),
        ("to_json", Given::Null, "0x2200"),
    ] {
        assert_eq!(signature(name, &[given], None), expected, "{name}");
    }
}

#[test]
fn columns_fit_where_their_bytes_do() {
    for (name, own, expected) in [
        ("avg", DataType::Timestamp, "0x2200"),
        ("avg", DataType::Text, "0x2200"),
        ("abs", DataType::Timestamp, "0x2200"),
        (
            "to_timestamp",
            DataType::Int,
            "system.to_timestamp : (date) -> timestamp",
        ),
        (
            "to_date",
            DataType::BigInt,
            "system.to_date : (timestamp) -> date",
        ),
        ("to_date", DataType::Uuid, "0x2200"),
        (
            "blob_as_int",
            DataType::Text,
            "system.blob_as_int : (blob) -> int",
        ),
        (
            "cast_as_bigint",
            DataType::Timestamp,
            "system.cast_as_bigint : (varint) -> bigint",
        ),
        ("cast_as_int", DataType::Timestamp, "0x2200"),
        ("cast_as_int", DataType::Boolean, "0x2200"),
        ("bigint_as_blob", DataType::Int, "0x2200"),
        (
            "count",
            DataType::list(DataType::Int),
            "system.count : (blob) -> bigint",
        ),
    ] {
        assert_eq!(signature(name, &[typed(own)], None), expected, "{name}");
    }
}

#[test]
fn generated_signatures_follow_the_arguments() {
    let vector = || typed(DataType::vector(DataType::Float, 2));
    let list = || typed(DataType::list(DataType::Int));
    for (name, given, expected) in [
        ("max", vec![list()], "system.max : (list<int>) -> list<int>"),
        ("max", vec![], "0x2200"),
        (
            "collection_sum",
            vec![list()],
            "system.collection_sum : (list<int>) -> int",
        ),
        ("collection_sum", vec![vector()], "0x2200"),
        ("map_keys", vec![list()], "0x2200"),
        (
            "similarity_cosine",
            vec![vector(), Given::Bracketed(2)],
            "system.similarity_cosine : (vector<float, 2>, vector<float, 2>) -> float",
        ),
        (
            "similarity_cosine",
            vec![Given::Null, vector()],
            "system.similarity_cosine : (vector<float, 2>, vector<float, 2>) -> float",
        ),
        (
            "similarity_cosine",
            vec![vector(), Given::Bracketed(3)],
            "0x2200",
        ),
        (
            "similarity_cosine",
            vec![Given::Null, Given::Null],
            "0x2200",
        ),
        (
            "similarity_cosine",
            vec![vector(), typed(DataType::list(DataType::Float))],
            "0x2200",
        ),
        (
            "mask_replace",
            vec![typed(DataType::Int), Given::Integer(7)],
            "system.mask_replace : (int, int) -> int",
        ),
        (
            "mask_replace",
            vec![typed(DataType::Text), Given::Integer(5)],
            "0x2200",
        ),
        (
            "mask_inner",
            vec![typed(DataType::Int), Given::Integer(1), Given::Integer(1)],
            "0x2200",
        ),
        (
            "mask_hash",
            vec![typed(DataType::Int), Given::Quoted],
            "system.mask_hash : (int, text) -> blob",
        ),
        ("token", vec![typed(DataType::Int)], "0x2200"),
    ] {
        assert_eq!(signature(name, &given, None), expected, "{name}");
    }
}

#[test]
fn from_json_needs_to_know_what_is_wanted() {
    let wanted = DataType::list(DataType::Int);
    assert_eq!(
        signature("from_json", &[Given::Marker], Some(&wanted)),
        "system.from_json : (text) -> list<int>"
    );
    assert_eq!(signature("from_json", &[Given::Marker], None), "0x2200");
    assert_eq!(
        signature("from_json", &[Given::Integer(5)], Some(&wanted)),
        "0x2200"
    );
}

fn operation(
    left: &Given,
    operator: Operator,
    right: &Given,
    receiver: Option<&DataType>,
) -> String {
    match arithmetic::resolve(operator, left, right, receiver) {
        Ok(function) => function.signature().to_string(),
        Err(refusal) => code(&refusal),
    }
}

#[test]
fn operators_reckon_in_the_type_of_their_operands() {
    for (left, right, expected) in [
        (
            typed(DataType::TinyInt),
            Given::Integer(1),
            "(tinyint, int) -> int",
        ),
        (
            typed(DataType::BigInt),
            typed(DataType::Float),
            "(bigint, float) -> double",
        ),
        (
            typed(DataType::VarInt),
            typed(DataType::Float),
            "(varint, float) -> decimal",
        ),
        (
            typed(DataType::Counter),
            Given::Integer(1),
            "(counter, int) -> bigint",
        ),
        (
            typed(DataType::Ascii),
            typed(DataType::Text),
            "(ascii, text) -> text",
        ),
        (
            typed(DataType::Timestamp),
            typed(DataType::Duration),
            "(timestamp, duration) -> timestamp",
        ),
        (Given::Float, Given::Integer(1), "(double, int) -> double"),
    ] {
        let expected = format!("system._add : {expected}");
        assert_eq!(operation(&left, Operator::Add, &right, None), expected);
    }
    for (left, right) in [
        (typed(DataType::Int), Given::Marker),
        (typed(DataType::Int), Given::Null),
        (typed(DataType::Timestamp), Given::Integer(1)),
        (typed(DataType::Boolean), typed(DataType::Boolean)),
        (typed(DataType::Duration), typed(DataType::Timestamp)),
    ] {
        assert_eq!(operation(&left, Operator::Add, &right, None), "0x2200");
    }
}

#[test]
fn written_literals_are_reckoned_in_the_type_of_the_column() {
    let operate = |left: Given, right: Given, receiver: DataType| {
        operation(&left, Operator::Divide, &right, Some(&receiver))
    };
    assert_eq!(
        operate(Given::Integer(3), Given::Integer(2), DataType::Double),
        "system._divide : (double, double) -> double"
    );
    assert_eq!(
        operate(Given::Integer(1), Given::Integer(3), DataType::Decimal),
        "system._divide : (decimal, decimal) -> decimal"
    );
    assert_eq!(
        operate(Given::Float, Given::Integer(1), DataType::Int),
        "0x2200"
    );
    assert_eq!(
        operate(Given::Integer(1), Given::Marker, DataType::Int),
        "0x2200"
    );
    let bigint = typed(DataType::BigInt);
    assert_eq!(operate(bigint, Given::Integer(1), DataType::Int), "0x2200");
}

#[test]
fn casts_are_resolved_as_functions_are() {
    let cast = |given: Given, target: DataType, receiver: Option<DataType>| match cast::resolve(
        &given,
        &target,
        receiver.as_ref(),
    ) {
        Ok(Some(function)) => function.signature().to_string(),
        Ok(None) => "cannot be cast".to_owned(),
        Err(refusal) => code(&refusal),
    };
    let text = || Some(DataType::Text);
    assert_eq!(
        cast(Given::Integer(5), DataType::Text, text()),
        "system.cast_as_text : (int) -> text"
    );
    assert_eq!(
        cast(Given::Float, DataType::Int, None),
        "system.cast_as_int : (double) -> int"
    );
    assert_eq!(cast(Given::Integer(1), DataType::Int, None), "0x2200");
    assert_eq!(
        cast(Given::Integer(5), DataType::Text, Some(DataType::Int)),
        "0x2200"
    );
    assert_eq!(cast(Given::Quoted, DataType::Int, None), "0x2200");
    assert_eq!(
        cast(typed(DataType::Int), DataType::Counter, None),
        "cannot be cast"
    );
    assert_eq!(
        cast(typed(DataType::TimeUuid), DataType::Uuid, None),
        "cannot be cast"
    );
}

#[test]
fn columns_are_named_after_the_call() {
    let named = |name: &str, given: &[Given], arguments: &[&str]| {
        let given: Vec<&dyn Argument> = given.iter().map(|one| one as &dyn Argument).collect();
        let name = FunctionName::unqualified(name);
        let resolved = resolve(&name, &given, None, &Context::default())
            .unwrap()
            .unwrap();
        resolved.signature().column_name(arguments)
    };
    let int = || [typed(DataType::Int)];
    assert_eq!(named("abs", &int(), &["v"]), "system.abs(v)");
    assert_eq!(named("max", &int(), &["Value"]), "system.max(Value)");
    assert_eq!(named("intasblob", &int(), &["v"]), "system.intasblob(v)");
    assert_eq!(named("now", &[], &[]), "system.now()");
    assert_eq!(named("castAsText", &int(), &["v"]), "cast(v as text)");
    assert_eq!(count_rows().signature().column_name(&[]), "count");
    let sum = arithmetic::resolve(Operator::Add, &int()[0], &int()[0], None).unwrap();
    assert_eq!(sum.signature().column_name(&["v", "W"]), "v + W");
    let minus = arithmetic::resolve_negation(&int()[0], None).unwrap();
    assert_eq!(minus.signature().column_name(&["v"]), "-v");
}

#[test]
fn only_times_keep_the_order_of_rows() {
    let scalar = |name: &str, given: &[Given]| {
        let given: Vec<&dyn Argument> = given.iter().map(|one| one as &dyn Argument).collect();
        let name = FunctionName::unqualified(name);
        match resolve(&name, &given, None, &Context::default()) {
            Ok(Some(Resolved::Scalar(function))) => function,
            other => panic!("{other:?}"),
        }
    };
    let floor = scalar(
        "floor",
        &[typed(DataType::Timestamp), typed(DataType::Duration)],
    );
    assert_eq!(floor.monotonicity(), Monotonicity::InFirstArgument);
    let to_date = scalar("to_date", &[typed(DataType::Timestamp)]);
    assert_eq!(to_date.monotonicity(), Monotonicity::Always);
    assert_eq!(
        scalar("abs", &[typed(DataType::Int)]).monotonicity(),
        Monotonicity::None
    );
    assert!(to_date.is_deterministic());
    assert!(!scalar("now", &[]).is_deterministic());
}
