//! Databases with everything in them that is hard to carry.

const REPLICATION: &str = "replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";

/// Every type with its bounds, its empty value and its null.
pub(super) fn types(keyspace: &str) -> String {
    let mut script = format!(
        "CREATE KEYSPACE {keyspace} WITH {REPLICATION}; USE {keyspace};
         CREATE TYPE inner_type (x int, \"Y z\" text);
         CREATE TYPE outer_type (a frozen<inner_type>, b frozen<list<int>>, c frozen<map<text, int>>);
         CREATE TABLE natives (k int, c text, va ascii, vb bigint, vc blob, vd boolean, ve date,
             vf decimal, vg double, vh duration, vi float, vj inet, vk int, vl smallint, vm text,
             vn time, vo timestamp, vp timeuuid, vq tinyint, vr uuid, vs varint,
             PRIMARY KEY (k, c)) WITH CLUSTERING ORDER BY (c DESC);
         CREATE TABLE composites (k frozen<tuple<int, text>>, l frozen<set<int>>,
             m timestamp, n frozen<inner_type>,
             va tuple<int, text, frozen<list<int>>>, vb frozen<list<text>>, vc frozen<map<int, text>>,
             vd frozen<outer_type>, ve outer_type, vf vector<float, 3>, vg vector<text, 2>,
             vh list<frozen<inner_type>>, vi map<text, frozen<tuple<int, int>>>, vj set<inet>,
             vk map<timeuuid, blob>, vl frozen<set<frozen<list<double>>>>,
             PRIMARY KEY ((k, l), m, n)) WITH CLUSTERING ORDER BY (m DESC, n ASC)
             AND comment = 'it''s; a -- comment';
         "
    );
    let columns: Vec<&str> = NATIVES.iter().map(|(column, _)| *column).collect();
    for number in 0..8 {
        let values: Vec<&str> = NATIVES
            .iter()
            .map(|(_, values)| values[number % values.len()])
            .collect();
        script.push_str(&format!(
            "INSERT INTO natives (k, c, {}) VALUES ({}, 'row {number}', {}) USING TIMESTAMP {};\n",
            columns.join(", "),
            number % 3,
            values.join(", "),
            1_000 + number
        ));
    }
    script.push_str(COMPOSITES);
    script
}

const NATIVES: [(&str, &[&str]); 19] = [
    ("va", &["'plain'", "''", "'it''s'", "'a\tb\nc'"]),
    (
        "vb",
        &[
            "9223372036854775807",
            "-9223372036854775808",
            "0",
            "blob_as_bigint(0x)",
        ],
    ),
    ("vc", &["0x", "0x00ff", "0xcafebabe"]),
    ("vd", &["true", "false", "blob_as_boolean(0x)", "null"]),
    (
        "ve",
        &[
            "'2026-11-16'",
            "'-5877641-06-23'",
            "'+5881580-07-11'",
            "null",
        ],
    ),
    (
        "vf",
        &[
            "0",
            "1.10",
            "-1E+100",
            "1E-400",
            "123456789012345678901234567890.0987654321",
            "blob_as_decimal(0x)",
            "null",
        ],
    ),
    (
        "vg",
        &[
            "0.1",
            "-0.0",
            "NaN",
            "Infinity",
            "-Infinity",
            "4.9E-324",
            "1.7976931348623157E308",
            "blob_as_double(0xfff8000000000001)",
        ],
    ),
    ("vh", &["1y2mo3d4h5m6s7ms8us9ns", "-1mo", "0s", "null"]),
    (
        "vi",
        &[
            "0.1",
            "-0.0",
            "NaN",
            "Infinity",
            "-Infinity",
            "1.4E-45",
            "3.4028235E38",
            "blob_as_float(0x)",
        ],
    ),
    (
        "vj",
        &[
            "'127.0.0.1'",
            "'::1'",
            "'2001:db8::ff00:42:8329'",
            "blob_as_inet(0x)",
        ],
    ),
    (
        "vk",
        &["2147483647", "-2147483648", "blob_as_int(0x)", "null"],
    ),
    ("vl", &["32767", "-32768", "0"]),
    (
        "vm",
        &[
            "'日本語 👩‍👩‍👧'",
            "''",
            "';'",
            "'-- check 0123'",
            "'\n-- end of dump: 1\n'",
            "'\r\n\u{1}'",
            "'$$ \"x\" /* '",
            "null",
        ],
    ),
    ("vn", &["'00:00:00'", "'23:59:59.999999999'", "null"]),
    (
        "vo",
        &[
            "'2026-11-16T07:20:00.123Z'",
            "'1969-12-31T23:59:59.999Z'",
            "9223372036854775807",
            "-9223372036854775808",
            "253402300800000",
            "-62135596800001",
            "blob_as_timestamp(0x)",
            "null",
        ],
    ),
    (
        "vp",
        &[
            "13814000-1dd2-11b2-8080-808080808080",
            "blob_as_timeuuid(0x)",
            "null",
        ],
    ),
    ("vq", &["127", "-128", "0"]),
    (
        "vr",
        &[
            "00000000-0000-0000-0000-000000000000",
            "c0ffee00-c0ff-eec0-ffee-c0ffeec0ffee",
        ],
    ),
    (
        "vs",
        &[
            "0",
            "-1",
            "123456789012345678901234567890123456789012345678901234567890",
            "128",
            "blob_as_varint(0x)",
        ],
    ),
];

const COMPOSITES: &str = "
    INSERT INTO composites (k, l, m, n, va, vb, vc, vd, ve, vf, vg, vh, vi, vj, vk, vl) VALUES (
        (1, 'it''s'), {3, 1, 2}, '2026-11-16T07:20:00Z', {x: 1, \"Y z\": 'q'},
        (1, null, [1, 2]), ['a', '', 'b'], {1: 'one', 2: ''},
        {a: {x: null, \"Y z\": ''}, b: [1], c: {'z': 1}}, {a: {x: 5}, b: [], c: {}},
        [1.5, -0.0, 3], ['', 'two'], [{x: 1}, {\"Y z\": 'only'}],
        {'p': (1, 2), 'q': (null, 3)}, {'10.0.0.1', '::2'},
        {13814000-1dd2-11b2-8080-808080808080: 0x01}, {[1.0, NaN], []});
    INSERT INTO composites (k, l, m, n, vb) VALUES (
        (null, ''), {}, 0, {x: null}, []) USING TIMESTAMP 1;
    INSERT INTO composites (k, l, m, n) VALUES (
        (blob_as_int(0x), null), {blob_as_int(0x)}, blob_as_timestamp(0x), {x: 2});
    UPDATE composites USING TIMESTAMP 1700000000000000 SET ve.b = [9], ve.c = {'m': 1}, vh = vh + [{x: 3}],
        vi['r'] = (9, 9), vj = vj + {'::3'}
        WHERE k = (1, 'it''s') AND l = {1, 2, 3} AND m = '2026-11-16T07:20:00Z'
        AND n = {x: 1, \"Y z\": 'q'};
";

/// Timestamps, TTLs, elements, static columns, rows of nothing but their keys.
pub(super) fn cells(keyspace: &str) -> String {
    format!(
        "CREATE KEYSPACE {keyspace} WITH {REPLICATION}; USE {keyspace};
         CREATE TYPE pair (x int, y text, z int);
         CREATE TABLE cells (k int, c int, a int, b int, l list<int>, m map<text, int>,
             s set<int>, u pair, f frozen<list<int>>, PRIMARY KEY (k, c));
         CREATE TABLE statics (k int, c int, s text static, l list<int> static,
             m map<int, int> static, u pair static, v int, PRIMARY KEY (k, c));
         CREATE TABLE keys_only (k int, c text, PRIMARY KEY (k, c));
         CREATE TABLE default_ttl (k int PRIMARY KEY, a int, b int)
             WITH default_time_to_live = 8640000;

         -- one stamp for all
         INSERT INTO cells (k, c, a, b, l, m, s, u, f) VALUES (1, 1, 1, 2, [3, 1, 3],
             {{'a': 1}}, {{5, 6}}, {{x: 1, y: 'y'}}, [7]) USING TIMESTAMP 1000;
         -- a stamp for each
         INSERT INTO cells (k, c, a, b) VALUES (1, 2, 1, 2) USING TIMESTAMP 1000;
         UPDATE cells USING TIMESTAMP 2000 AND TTL 9000000 SET b = 3, l = [1, 2],
             m = {{'a': 1, 'b': 2}}, s = {{1}}, u = {{x: 1, y: 'why', z: 3}} WHERE k = 1 AND c = 2;
         UPDATE cells USING TIMESTAMP 3000 SET l = l + [3, 4], m['c'] = 3, s = s + {{0, 2}},
             u.y = 'new', f = [] WHERE k = 1 AND c = 2;
         UPDATE cells USING TIMESTAMP 2500 AND TTL 8000000 SET l = [0] + l, m['a'] = 9
             WHERE k = 1 AND c = 2;
         UPDATE cells USING TIMESTAMP 4000 SET l[2] = 22, u.z = null WHERE k = 1 AND c = 2;
         -- made by UPDATE, of nothing but a collection
         UPDATE cells USING TIMESTAMP 5000 SET m = {{'only': 1}} WHERE k = 1 AND c = 3;
         UPDATE cells USING TIMESTAMP 5001 SET m['too'] = 2 WHERE k = 1 AND c = 3;
         -- of nothing but its key; of nothing but nulls
         INSERT INTO cells (k, c) VALUES (2, 1) USING TIMESTAMP 77;
         INSERT INTO cells (k, c, a) VALUES (2, 2, null);
         -- without a timestamp, and with odd ones
         INSERT INTO cells (k, c, a) VALUES (3, 1, 1);
         INSERT INTO cells (k, c, a, l) VALUES (3, 2, 1, [1]) USING TIMESTAMP -5;
         INSERT INTO cells (k, c, a) VALUES (3, 3, 1) USING TIMESTAMP 9223372036854775807;
         INSERT INTO cells (k, c, a, b) VALUES (3, 4, 1, 2) USING TTL 7000000;
         UPDATE cells SET b = 4 WHERE k = 3 AND c = 4;
         -- a deleted row
         INSERT INTO cells (k, c, a) VALUES (4, 1, 1);
         DELETE FROM cells WHERE k = 4 AND c = 1;

         INSERT INTO statics (k, c, s, v) VALUES (1, 1, 'shared', 1);
         INSERT INTO statics (k, c, v) VALUES (1, 2, 2);
         INSERT INTO statics (k, s, l, m, u) VALUES (2, 'alone', [1], {{1: 1}}, {{x: 1}})
             USING TIMESTAMP 10;
         UPDATE statics USING TIMESTAMP 20 AND TTL 9000000 SET l = l + [2], m[2] = 2, u.y = 'y'
             WHERE k = 2;
         INSERT INTO statics (k, c) VALUES (3, 1);
         INSERT INTO statics (k, c, v) VALUES (4, 1, 1);
         UPDATE statics SET m = m + {{3: 3}} WHERE k = 4;

         INSERT INTO keys_only (k, c) VALUES (1, '');
         INSERT INTO keys_only (k, c) VALUES (1, 'x');

         INSERT INTO default_ttl (k, a, b) VALUES (1, 1, 1);
         INSERT INTO default_ttl (k, a, b) VALUES (2, 2, 2) USING TTL 0;
         INSERT INTO default_ttl (k, a) VALUES (3, 3) USING TTL 7000000;
         UPDATE default_ttl USING TTL 0 SET b = 3 WHERE k = 3;
         INSERT INTO default_ttl (k) VALUES (4);
        "
    )
}

/// Counters, names that need quotes, indexes and a view. The keyspace is as CQL writes it.
pub(super) fn odd(keyspace: &str) -> String {
    format!(
        "CREATE KEYSPACE {keyspace} WITH {REPLICATION}; USE {keyspace};
         CREATE TYPE \"Type\" (\"from\" int, \"É\" text);
         CREATE TABLE counts (k int PRIMARY KEY, n counter, \"N 2\" counter);
         CREATE TABLE static_counts (k int, c int, s counter static, n counter, PRIMARY KEY (k, c));
         CREATE TABLE \"Select\" (\"from\" text, \"Mixed Case\" int, \"quote\"\"d\" list<int>,
             \"where\" \"Type\", \"Zß\" frozen<\"Type\">, PRIMARY KEY (\"from\", \"Mixed Case\"));
         CREATE TABLE indexed (id int PRIMARY KEY, city text, tags set<text>, born date);
         CREATE INDEX by_tag ON indexed (tags);
         CREATE CUSTOM INDEX \"ByBorn\" ON indexed (born) USING 'StorageAttachedIndex';
         CREATE MATERIALIZED VIEW by_city AS SELECT * FROM indexed
             WHERE city IS NOT NULL AND id IS NOT NULL PRIMARY KEY (city, id);

         UPDATE counts SET n = n + 7 WHERE k = 1;
         UPDATE counts SET n = n - 8, \"N 2\" = \"N 2\" + 1 WHERE k = 2;
         UPDATE counts SET n = n + 0 WHERE k = 3;
         UPDATE counts SET n = n + 9223372036854775807 WHERE k = 4;
         UPDATE counts SET n = n + -9223372036854775808 WHERE k = 5;
         UPDATE static_counts SET s = s + 5 WHERE k = 1;
         UPDATE static_counts SET s = s + 6, n = n + 1 WHERE k = 2 AND c = 1;
         UPDATE static_counts SET n = n - 1 WHERE k = 2 AND c = 2;
         INSERT INTO \"Select\" (\"from\", \"Mixed Case\", \"quote\"\"d\", \"where\", \"Zß\") VALUES
             ('x', 1, [1, 2], {{\"from\": 1, \"É\": 'é'}}, {{\"É\": 'ß'}}) USING TIMESTAMP 5;
         UPDATE \"Select\" USING TIMESTAMP 6 SET \"where\".\"from\" = 2,
             \"quote\"\"d\" = \"quote\"\"d\" + [3] WHERE \"from\" = 'x' AND \"Mixed Case\" = 1;
         INSERT INTO indexed (id, city, tags, born) VALUES (1, 'Rome', {{'a', 'b'}}, '2001-02-03');
         INSERT INTO indexed (id, city) VALUES (2, 'Paris');
         INSERT INTO indexed (id, tags) VALUES (3, {{'a'}});
        "
    )
}
