//! What functions answer. The examples are from the recorded scripts, or from Cassandra 5.0.8.

use super::{Given, call, code, show, shown, value};
use crate::functions::arithmetic::{self, Operator};
use crate::functions::{Argument, Context, FunctionName, Resolved, resolve};

/// Checks calls of one function: arguments and the answer.
fn check(name: &str, cases: &[(&[&str], &str)]) {
    for (arguments, expected) in cases {
        assert_eq!(call(name, arguments), *expected, "{name} {arguments:?}");
    }
}

#[test]
fn bytes_and_back() {
    check(
        "decimal_as_blob",
        &[(&["decimal 1.50"], "blob 0x000000020096")],
    );
    check(
        "duration_as_blob",
        &[(&["duration 1mo2d3ns"], "blob 0x020406")],
    );
    check(
        "blob_as_int",
        &[
            (&["blob 80000000"], "int -2147483648"),
            (&["blob 01"], "0x2200"),
            (&["blob "], "int blob_as_int(0x)"),
            (&["blob null"], "int null"),
        ],
    );
    check("blob_as_text", &[(&["blob ff"], "0x2200")]);
    check("blob_as_smallint", &[(&["blob "], "0x2200")]);
}

#[test]
fn the_present_moment() {
    check(
        "current_timestamp",
        &[(&[], "timestamp '2020-09-13T12:26:40.123Z'")],
    );
    check("current_date", &[(&[], "date '2020-09-13'")]);
    check("current_time", &[(&[], "time '12:26:40.123456000'")]);
}

#[test]
fn tokens() {
    check(
        "token",
        &[
            (&["int 1"], "bigint -4069959284402364209"),
            (&["int 1", "text x"], "bigint 746584927563629270"),
            (
                &["text the quick brown fox jumps over the lazy dog"],
                "bigint -4835482818955082061",
            ),
            (&["decimal -1.5"], "bigint 2748736155642705624"),
            (&["int null"], "bigint null"),
        ],
    );
}

#[test]
fn conversions_of_time() {
    let uuid = "timeuuid d2177dd0-eaa2-11de-a572-001b779c76e3";
    check(
        "to_date",
        &[
            (&[uuid], "date '2009-12-17'"),
            (&["timestamp 2011-02-03T23:59:59.999Z"], "date '2011-02-03'"),
            (&["timestamp -1"], "date '1970-01-01'"),
            (&["timestamp -86400001"], "date '1969-12-31'"),
            (&["timestamp -86399999"], "date '1969-12-31'"),
            (&["timestamp "], "date null"),
        ],
    );
    check(
        "to_timestamp",
        &[
            (&[uuid], "timestamp '2009-12-17T00:26:29.805Z'"),
            (&["date 1969-12-30"], "timestamp '1969-12-30T00:00:00.000Z'"),
            (&["int 1"], "timestamp -185542587100800000"),
        ],
    );
    check("to_unix_timestamp", &[(&[uuid], "bigint 1261009589805")]);
    check(
        "min_timeuuid",
        &[(
            &["timestamp -1"],
            "timeuuid 138118f0-1dd2-11b2-8080-808080808080",
        )],
    );
    check(
        "maxtimeuuid",
        &[(
            &["timestamp 0"],
            "timeuuid 1381670f-1dd2-11b2-7f7f-7f7f7f7f7f7f",
        )],
    );
}

#[test]
fn floors() {
    let moment = "timestamp 2011-02-03T14:35:06.789Z";
    check(
        "floor",
        &[
            (
                &[moment, "duration 1h"],
                "timestamp '2011-02-03T14:00:00.000Z'",
            ),
            (
                &[moment, "duration 1mo1d"],
                "timestamp '2011-01-21T00:00:00.000Z'",
            ),
            (
                &[moment, "duration 7d", "timestamp 1999-01-01"],
                "timestamp '2011-01-28T00:00:00.000Z'",
            ),
            (
                &["date 2011-02-17", "duration 7d", "date 1990-01-01"],
                "date '2011-02-14'",
            ),
            (
                &["time 14:35:06.789", "duration 10m"],
                "time '14:30:00.000000000'",
            ),
            (&[moment, "duration 1h", "timestamp 2020-01-01"], "0x2200"),
            (&[moment, "duration -1h"], "0x2200"),
            (&[moment, "duration 1us"], "0x2200"),
            (&["date 2011-02-17", "duration 1h"], "0x2200"),
            (&["time 14:35:06.789", "duration 1d"], "0x2200"),
            (&["timestamp null", "duration 1h"], "timestamp null"),
        ],
    );
}

#[test]
fn mathematics() {
    check(
        "abs",
        &[
            (&["tinyint -128"], "tinyint -128"),
            (&["double -Infinity"], "double Infinity"),
            (&["decimal -1.50"], "decimal 1.50"),
            (&["int "], "int null"),
        ],
    );
    check(
        "round",
        &[
            (&["float 2.5"], "float 3.0"),
            (&["float -2.5"], "float -2.0"),
            (&["double 0.49999999999999994"], "double 0.0"),
            (&["double 1e300"], "double 9.223372036854776e18"),
            (&["double NaN"], "double 0.0"),
            (&["decimal -2.5"], "decimal -3"),
            (&["decimal 1e10"], "decimal 10000000000"),
        ],
    );
    check(
        "exp",
        &[
            (&["tinyint 2"], "tinyint 7"),
            (&["int 1000"], "int 2147483647"),
            (
                &["varint 100"],
                "varint 26881171418161354484126255515800000000000000",
            ),
        ],
    );
    check(
        "log",
        &[(&["int 0"], "int -2147483648"), (&["varint 0"], "0x0000")],
    );
    check(
        "log10",
        &[(&["int 1000"], "int 3"), (&["decimal -1"], "0x0000")],
    );
}

#[test]
fn casts() {
    check(
        "cast_as_tinyint",
        &[
            (&["float 1e20"], "tinyint -1"),
            (&["int 300"], "tinyint 44"),
        ],
    );
    check(
        "cast_as_bigint",
        &[(&["double 1e30"], "bigint 9223372036854775807")],
    );
    check(
        "cast_as_varint",
        &[(&["decimal 1e25"], "varint 1590897978359414784")],
    );
    check(
        "cast_as_float",
        &[(&["int -2147483648"], "float -2147483600.0")],
    );
    check(
        "cast_as_decimal",
        &[
            (
                &["bigint 9223372036854775807"],
                "decimal 9223372036854775807",
            ),
            (&["float 2.9"], "decimal 2.9"),
            (&["double 1e10"], "decimal 1.0E+10"),
            (&["double NaN"], "0x0000"),
        ],
    );
    check(
        "cast_as_text",
        &[
            (&["double 2e23"], "text '1.9999999999999998E23'"),
            (&["decimal 1e25"], "text '1E+25'"),
            (&["inet 2001:db8::1"], "text '2001:db8:0:0:0:0:0:1'"),
            (
                &["timestamp 2011-02-03T04:05:06.789Z"],
                "text '2011-02-03T04:05:06.789Z'",
            ),
            (&["time 01:02:03.000000004"], "text '01:02:03.000000004'"),
            (&["boolean true"], "text 'true'"),
            (&["int "], "text null"),
        ],
    );
    check(
        "cast_as_date",
        &[(&["bigint 86400000"], "date '1970-01-02'")],
    );
}

#[test]
fn collections() {
    check(
        "map_keys",
        &[(&["map<int, text> 1 a 2 b"], "set<int> {1, 2}")],
    );
    check(
        "map_values",
        &[(&["map<int, text> 1 a 2 b"], "list<text> ['a', 'b']")],
    );
    check(
        "collection_count",
        &[
            (&["list<text> a a"], "int 2"),
            (&["set<int> null"], "int null"),
        ],
    );
    check(
        "collection_min",
        &[
            (&["list<int> 3 -1 2"], "int -1"),
            (&["list<int>"], "int null"),
        ],
    );
    check(
        "collection_max",
        &[(&["list<double> NaN 1.5"], "double NaN")],
    );
    check(
        "collection_sum",
        &[
            (&["list<tinyint> 100 100"], "tinyint -56"),
            (&["list<int>"], "int 0"),
        ],
    );
    check(
        "collection_avg",
        &[
            (&["list<decimal> 1 1.5 2.25"], "decimal 1.55"),
            (
                &["list<bigint> 9223372036854775807 1"],
                "bigint 4611686018427387904",
            ),
        ],
    );
}

#[test]
fn similarities() {
    let vector = "vector<float, 2> 1 1";
    check(
        "similarity_cosine",
        &[
            (&[vector, "vector<float, 2> 1 0"], "float 0.8535534"),
            (&[vector, "vector<float, 2> 0 0"], "0x2200"),
            (&[vector, "vector<float, 2> null"], "float null"),
        ],
    );
    let (left, right) = ("vector<float, 2> 1 2", "vector<float, 2> 3 4");
    check(
        "similarity_euclidean",
        &[(&[left, right], "float 0.11111111")],
    );
    check("similarity_dot_product", &[(&[left, right], "float 6.0")]);
}

#[test]
fn masks() {
    check("mask_null", &[(&["int 5"], "int null")]);
    check(
        "mask_default",
        &[
            (&["text null"], "text '****'"),
            (
                &["timeuuid null"],
                "timeuuid 13814000-1dd2-11b2-8080-808080808080",
            ),
            (
                &["tuple<int, text> 1 a"],
                "frozen<tuple<int, text>> (0, '****')",
            ),
            (&["vector<float, 2> 1 2"], "vector<float, 2> [0.0, 0.0]"),
            (&["list<int> 1"], "list<int> []"),
        ],
    );
    check("mask_replace", &[(&["int 5", "int 7"], "int 7")]);
    check(
        "mask_inner",
        &[
            (&["text abcdef", "int 1", "int 2"], "text 'a***ef'"),
            (&["text é😀ü", "int 1", "int 2"], "text 'é*?ü'"),
            (
                &["text abcdef", "int null", "int 1", "text #"],
                "text '#####f'",
            ),
            (&["text abcdef", "int -1", "int 1"], "text '*****f'"),
            (&["text abcdef", "int 1", "int 1", "text ##"], "0x2200"),
            (&["ascii xyz", "int 1", "int 1"], "ascii 'x*z'"),
        ],
    );
    check(
        "mask_outer",
        &[(&["text abcdef", "int 1", "int 2"], "text '*bcd**'")],
    );
    check(
        "mask_hash",
        &[
            (
                &["text abc"],
                "blob 0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            ),
            (
                &["text abc", "text MD5"],
                "blob 0x900150983cd24fb0d6963f7d28e17f72",
            ),
            (
                &["text abc", "text sha-1"],
                "blob 0xa9993e364706816aba3e25717850c26c9cd0d89d",
            ),
            (&["text abc", "text nothing"], "0x2200"),
            (&["text null", "text MD5"], "blob null"),
        ],
    );
}

#[test]
fn json() {
    check(
        "to_json",
        &[
            (&["int "], "text 'null'"),
            (&["int null"], "text 'null'"),
            (&["double 1e-7"], "text '1.0E-7'"),
            (&["map<int, text> 1 x"], "text '{\"1\": \"x\"}'"),
        ],
    );
}

fn operate(left: &str, operator: Operator, right: &str) -> String {
    let ((left_type, left), (right_type, right)) = (value(left), value(right));
    let (one, other) = (Given::Typed(left_type), Given::Typed(right_type));
    match arithmetic::resolve(operator, &one, &other, None) {
        Ok(function) => show(&function, &[left.as_deref(), right.as_deref()]),
        Err(refusal) => code(&refusal),
    }
}

#[test]
fn arithmetic_of_numbers() {
    use Operator::{Add, Divide, Modulo, Multiply, Subtract};
    for (left, operator, right, expected) in [
        ("tinyint 127", Add, "tinyint 127", "tinyint -2"),
        ("int -2147483648", Divide, "int -1", "int -2147483648"),
        ("int -7", Divide, "int 2", "int -3"),
        ("int -7", Modulo, "int 2", "int -1"),
        ("tinyint 7", Divide, "float 1.5", "float 4.6666665"),
        ("bigint 10", Divide, "float 1.5", "double 6.666666666666667"),
        ("tinyint 7", Multiply, "decimal 3.25", "decimal 22.750"),
        ("varint 11", Multiply, "decimal 3.25", "decimal 35.75"),
        ("decimal 3.25", Subtract, "decimal 3.25", "decimal 0.00"),
        (
            "double 2.5",
            Divide,
            "varint 11",
            "decimal 0.227272727272727272727272727272727",
        ),
        ("float 1", Divide, "double 0", "double Infinity"),
        ("int 1", Divide, "int 0", "0x1400"),
        ("varint 1", Modulo, "varint 0", "0x1400"),
        ("decimal 1", Divide, "decimal 0", "0x1400"),
        ("double NaN", Add, "decimal 1", "0x1400"),
        ("int ", Add, "int 1", "int null"),
        ("int null", Add, "int 1", "int null"),
    ] {
        assert_eq!(
            operate(left, operator, right),
            expected,
            "{left} {operator:?} {right}"
        );
    }
}

#[test]
fn arithmetic_of_texts_and_times() {
    use Operator::{Add, Subtract};
    for (left, operator, right, expected) in [
        ("text é", Add, "ascii x", "text 'éx'"),
        ("ascii x", Add, "ascii ", "ascii 'x'"),
        ("text null", Add, "text x", "text null"),
        ("date 2020-01-31", Add, "duration 1mo", "date '2020-02-29'"),
        (
            "date 1969-12-31",
            Subtract,
            "duration 1w",
            "date '1969-12-24'",
        ),
        ("date 2020-01-31", Add, "duration 24h", "0x1400"),
        (
            "timestamp 2020-01-31T10:00Z",
            Add,
            "duration 1y2mo3d4h",
            "timestamp '2021-04-03T14:00:00.000Z'",
        ),
        (
            "timestamp 2020-01-31T10:00Z",
            Subtract,
            "duration -1mo",
            "timestamp '2020-02-29T10:00:00.000Z'",
        ),
        ("timestamp 0", Add, "duration 1us", "0x1400"),
        ("timestamp 0", Add, "duration null", "timestamp null"),
    ] {
        assert_eq!(
            operate(left, operator, right),
            expected,
            "{left} {operator:?} {right}"
        );
    }
}

/// The answer of an aggregate of these values, twice: again after a reset.
fn aggregate(name: &str, data_type: &str, values: &[&str]) -> String {
    let own = super::data_type(data_type);
    let given = Given::Typed(own);
    let arguments: [&dyn Argument; 1] = [&given];
    let name = FunctionName::unqualified(name);
    let resolved = resolve(&name, &arguments, None, &Context::default()).unwrap();
    let Some(Resolved::Aggregate(function)) = resolved else {
        panic!("not an aggregate");
    };
    let mut accumulator = function.start();
    let mut answer = |values: &[&str]| {
        accumulator.reset();
        for text in values {
            let (_, bytes) = value(&format!("{data_type} {text}"));
            accumulator.add(&[bytes.as_deref()]).unwrap();
        }
        accumulator
            .finish()
            .map(|bytes| shown(&function.signature().result, bytes.as_deref()))
    };
    let first = answer(values).unwrap();
    assert_eq!(answer(values).unwrap(), first);
    first
}

#[test]
fn aggregates() {
    for (name, data_type, values, expected) in [
        ("count", "text", &["a", "null", ""][..], "bigint 2"),
        ("sum", "tinyint", &["127", "127", "2"], "tinyint 0"),
        ("sum", "decimal", &["1.10", "2.2"], "decimal 3.30"),
        ("sum", "double", &["1e16", "1", "1", "-1e16"], "double 2.0"),
        (
            "sum",
            "double",
            &["1e16", "1", "1"],
            "double 1.0000000000000002e16",
        ),
        ("sum", "double", &["-Infinity", "Infinity"], "double NaN"),
        ("sum", "float", &["Infinity", "1"], "float Infinity"),
        ("sum", "int", &[], "int 0"),
        ("avg", "tinyint", &["127", "127", "2"], "tinyint 85"),
        (
            "avg",
            "bigint",
            &["9223372036854775807", "9223372036854775807", "1"],
            "bigint 6148914691236517205",
        ),
        (
            "avg",
            "double",
            &["0.1", "0.2", "0.3"],
            "double 0.19999999999999998",
        ),
        (
            "avg",
            "double",
            &["1.7976931348623157e308", "1.7976931348623157e308"],
            "double 1.7976931348623157e308",
        ),
        ("avg", "decimal", &["1", "1", "2"], "decimal 1"),
        ("avg", "decimal", &["1.10", "2.2"], "decimal 1.65"),
        ("avg", "varint", &["10", "-15"], "varint -2"),
        ("avg", "decimal", &[], "decimal 0"),
        ("min", "double", &["NaN", "5"], "double 5.0"),
        ("max", "double", &["NaN", "5"], "double NaN"),
        (
            "min",
            "inet",
            &["10.0.0.1", "9.0.0.1", "null"],
            "inet '9.0.0.1'",
        ),
        ("max", "int", &[], "int null"),
    ] {
        assert_eq!(
            aggregate(name, data_type, values),
            expected,
            "{name} {data_type} {values:?}"
        );
    }
}
