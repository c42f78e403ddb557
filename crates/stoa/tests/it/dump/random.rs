//! Random rows, from a printed seed.

use stoa_testkit::rng::Rng;

use super::{Desk, dump, execute, live, load, round_trip, selected, store, unique};
use super::{assert_same, try_load};

/// A history of writes and deletions with random stamps on few rows.
fn history(keyspace: &str, seed: u64, count: usize) -> String {
    let mut rng = Rng::new(seed);
    let mut script = format!(
        "CREATE KEYSPACE {keyspace} WITH replication = \
         {{'class': 'SimpleStrategy', 'replication_factor': 1}}; USE {keyspace};
         CREATE TYPE pair (x int, y text);
         CREATE TABLE t (k int, c int, s int static, sl list<int> static, a int, b text,
             l list<int>, m map<int, text>, z set<text>, u pair, PRIMARY KEY (k, c));\n"
    );
    for _ in 0..count {
        let statement = statement(&mut rng);
        script.push_str(&statement);
        script.push_str(";\n");
    }
    script
}

fn statement(rng: &mut Rng) -> String {
    let place = format!("k = {} AND c = {}", rng.below(4), rng.below(4));
    let time = 1_000 + rng.below(12);
    let ttl = match rng.below(3) {
        0 => format!(" AND TTL {}", 9_000_000 + rng.below(3) * 1_000),
        _ => String::new(),
    };
    let (n, m) = (rng.below(5), rng.below(5));
    if rng.chance(8) {
        let what = ["", "a", "l", "m[1]", "u.y", "z"][rng.index(6)];
        return format!("DELETE {what} FROM t USING TIMESTAMP {time} WHERE {place}");
    }
    if rng.chance(12) {
        let set = [
            format!("s = {n}"),
            format!("sl = sl + [{n}, {m}]"),
            format!("sl = [{n}]"),
        ];
        let set = &set[rng.index(3)];
        let k = rng.below(6);
        return format!("UPDATE t USING TIMESTAMP {time}{ttl} SET {set} WHERE k = {k}");
    }
    if rng.chance(20) {
        let (k, c) = (rng.below(4), rng.below(4));
        return format!(
            "INSERT INTO t (k, c, a, b, l, z) VALUES ({k}, {c}, {n}, 'it''s {m}', [{n}, {m}], \
             {{'{n}'}}) USING TIMESTAMP {time}{ttl}"
        );
    }
    let sets = [
        format!("a = {n}"),
        format!("b = '{n}\n{m}'"),
        format!("l = l + [{n}]"),
        format!("l = [{n}, {m}] + l"),
        format!("l = [{n}]"),
        format!("m[{n}] = '{m}'"),
        format!("m = {{{n}: 'a', {m}: 'b'}}"),
        format!("z = z + {{'{n}', '{m}'}}"),
        format!("z = z - {{'{n}'}}"),
        format!("u.x = {n}"),
        format!("u = {{x: {n}, y: '{m}'}}"),
    ];
    let set = &sets[rng.index(sets.len())];
    format!("UPDATE t USING TIMESTAMP {time}{ttl} SET {set} WHERE {place}")
}

#[test]
fn random_histories_come_through_a_folder() {
    for seed in 1..=12 {
        println!("seed {seed}");
        let desk = Desk::new();
        let (first, second) = (desk.data("first"), desk.data("second"));
        execute(&first, &history("r", seed, 120));
        let dumped = dump(&first, "r");
        load(&desk, &dumped, &second);
        assert_same(&dump(&second, "r"), &dumped);
        assert_same(&selected(&second, &["r.t"]), &selected(&first, &["r.t"]));
        load(&desk, &dumped, &second);
        assert_same(&dump(&second, "r"), &dumped);
    }
}

#[test]
fn a_random_history_comes_through_a_cluster() {
    let keyspace = unique("dump_random");
    round_trip(
        &keyspace,
        &history(&keyspace, 99, 300),
        &[&format!("{keyspace}.t")],
    );
}

#[test]
fn a_history_on_a_cluster_comes_home() {
    let Some(uri) = live() else { return };
    let keyspace = unique("dump_home");
    let cluster = store(&uri);
    execute(&cluster, &history(&keyspace, 7, 200));
    let dumped = dump(&cluster, &keyspace);
    let desk = Desk::new();
    let output = try_load(&desk, &dumped, &desk.data("home"), &["--writers", "1"]);
    assert!(output.status.success(), "{output:?}");
    assert_same(&dump(&desk.data("home"), &keyspace), &dumped);
    let table = format!("{keyspace}.t");
    assert_same(
        &selected(&desk.data("home"), &[&table]),
        &selected(&cluster, &[&table]),
    );
}
