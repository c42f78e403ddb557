//! Values of every type, few of each, its bounds among them.

use crate::rng::Rng;

use super::term::Term;
use super::types::{Type, UserType};

/// The values of each native type, with bars between.
const POOLS: &[(&str, &str)] = &[
    ("ascii", "'' | 'a' | 'b' | 'A' | '~' | 'it''s' | 'zz'"),
    (
        "bigint",
        "-9223372036854775808 | -1 | 0 | 1 | 2 | 9223372036854775807",
    ),
    ("blob", "0x | 0x00 | 0x01 | 0xff | 0x0001 | 0xcafe | 0x80"),
    ("boolean", "true | false"),
    (
        "date",
        "'1970-01-01' | '-5877641-06-23' | '2024-02-29' | \
         '0001-01-01' | '1969-12-31'",
    ),
    (
        "decimal",
        "0 | 0.0 | 1.0 | 1.00 | -1 | 1E+10 | 1E-10 | \
         123456789012345678901234567890.5 | -0.5 | 10",
    ),
    (
        "double",
        "0.0 | -0.0 | 1.5 | -1.5 | NaN | Infinity | -Infinity | 4.9E-324 | \
         1.7976931348623157E308 | 3",
    ),
    (
        "duration",
        "1mo | 1d | 24h | -1h | 12mo30d | 2147483647mo | \
         9223372036854775807ns | 1y2mo3w4d5h6m7s8ms9us10ns",
    ),
    (
        "float",
        "0.0 | -0.0 | 1.5 | -1.5 | NaN | Infinity | -Infinity | 1.4E-45 | \
         3.4028235E38 | 3",
    ),
    (
        "inet",
        "'127.0.0.1' | '0.0.0.0' | '255.255.255.255' | '::1' | '::' | \
         'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff' | '2001:db8::7'",
    ),
    ("int", "-2147483648 | -1 | 0 | 1 | 2 | 3 | 2147483647"),
    ("smallint", "-32768 | -1 | 0 | 1 | 2 | 32767"),
    (
        "time",
        "'00:00:00' | '23:59:59.999999999' | '12:00:00' | '00:00:00.000000001'",
    ),
    (
        "timestamp",
        "0 | -1 | 1 | '2024-02-29T12:00:00.123Z' | \
         '1969-12-31 23:59:59.999+0000' | 9223372036854775807 | \
         -9223372036854775808 | '2024-02-29'",
    ),
    (
        "timeuuid",
        "13814000-1dd2-11b2-8080-808080808080 | \
         13814000-1dd2-11b2-7f7f-7f7f7f7f7f7f | \
         00000000-0000-1000-8080-808080808080 | \
         ffffffff-ffff-1fff-bfff-ffffffffffff | \
         e45e7f30-6fcd-11ee-b962-0242ac120002",
    ),
    ("tinyint", "-128 | -1 | 0 | 1 | 2 | 127"),
    (
        "uuid",
        "00000000-0000-0000-0000-000000000000 | \
         ffffffff-ffff-ffff-ffff-ffffffffffff | \
         13814000-1dd2-11b2-8080-808080808080 | \
         c2b6f7a0-3e6b-4c9e-9d5b-0a4b8f1e2d3c | \
         e45e7f30-6fcd-11ee-b962-0242ac120002",
    ),
    (
        "varint",
        "-9223372036854775809 | -129 | -1 | 0 | 1 | 127 | 128 | \
         9223372036854775808 | 340282366920938463463374607431768211456",
    ),
    (
        "counter",
        "-9223372036854775808 | -1 | 0 | 1 | 2 | 9223372036854775807",
    ),
    (
        "text",
        "'' | 'a' | 'b' | 'B' | 'é' | '😀' | 'it''s' | 'null' | 'aa'",
    ),
];

/// A value of a native type.
fn native(rng: &mut Rng, name: &str) -> Term {
    let pool = POOLS.iter().find(|(known, _)| *known == name);
    let all: Vec<&str> = pool.map_or("0", |(_, all)| *all).split(" | ").collect();
    Term::plain(rng.pick(&all).copied().unwrap_or("0"))
}

/// Any value of a type.
pub(super) fn any(rng: &mut Rng, data_type: &Type) -> Term {
    match data_type {
        Type::Native(name) => native(rng, name),
        Type::Frozen(inner) => any(rng, inner),
        Type::List(element) => Term::Sequence(several(rng, element)),
        Type::Set(element) => Term::Set(distinct(rng, element)),
        Type::Map(key, value) => Term::Map(entries(rng, key, value)),
        Type::Vector(element, dimension) => Term::Sequence(
            (0..*dimension)
                .map(|_| element_of_vector(rng, element))
                .collect(),
        ),
        Type::Tuple(fields) => Term::Tuple(fields.iter().map(|field| part(rng, field)).collect()),
        Type::User(user) => Term::User(fields(rng, user)),
    }
}

/// Up to three different values.
fn distinct(rng: &mut Rng, element: &Type) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    for term in several(rng, element) {
        if !found.contains(&term) {
            found.push(term);
        }
    }
    found
}

/// A list of up to three values.
pub(super) fn several(rng: &mut Rng, element: &Type) -> Vec<Term> {
    let count = rng.index(4);
    let mut found: Vec<Term> = Vec::new();
    for _ in 0..count {
        let next = any(rng, element);
        let is_new = found.iter().all(|known| !is_like(known, &next));
        if is_new || found.contains(&next) && rng.chance(20) {
            found.push(next);
        }
    }
    found
}

/// Whether two values differ by the scales of their decimals, by how a moment is written, or by the
/// order of their elements, at most. Which of such two a set or a map keeps depends on hashes in
/// Cassandra.
fn is_like(one: &Term, other: &Term) -> bool {
    let form = |term: &Term| {
        let text = term.literal();
        let text = text.replace("1.00", "1.0").replace("0.0", "0");
        let text = text.replace("'1969-12-31 23:59:59.999+0000'", "-1");
        // In whatever order they stand.
        let mut letters: Vec<char> = text.chars().collect();
        letters.sort_unstable();
        letters
    };
    one == other || form(one) == form(other)
}

fn entries(rng: &mut Rng, key: &Type, value: &Type) -> Vec<(Term, Term)> {
    let mut found: Vec<(Term, Term)> = Vec::new();
    for _ in 0..rng.index(4) {
        let next = any(rng, key);
        if found.iter().all(|(known, _)| !is_like(known, &next)) {
            found.push((next, any(rng, value)));
        }
    }
    found
}

/// Numbers that are no numbers make distances that are none.
fn element_of_vector(rng: &mut Rng, element: &Type) -> Term {
    match element.is("float") {
        true => Term::plain(
            rng.pick(&["0.0", "1.0", "-1.5", "0.25"])
                .copied()
                .unwrap_or("1.0"),
        ),
        false => any(rng, element),
    }
}

fn part(rng: &mut Rng, field: &Type) -> Term {
    match rng.chance(10) {
        true => Term::Null,
        false => any(rng, field),
    }
}

fn fields(rng: &mut Rng, user: &UserType) -> Vec<(String, Term)> {
    let named = |(name, field): &(String, Type)| (name.clone(), part(rng, field));
    user.fields.iter().map(named).collect()
}
