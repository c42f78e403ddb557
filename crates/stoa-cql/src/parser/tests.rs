//! Tests of what texts mean: which trees they become.

use super::*;
use crate::ast::{
    ArithmeticOperator, Assignment, InValues, Literal, LiteralKind, Marker, NativeType, Operation,
    QualifiedName, Relation, Select, SelectedItem, Selection, Selector,
};

fn name(text: &str) -> Name {
    Name::exact(text)
}

fn literal(kind: LiteralKind, text: &str) -> Term {
    Term::Literal(Literal {
        kind,
        text: text.into(),
    })
}

fn integer(text: &str) -> Term {
    literal(LiteralKind::Integer, text)
}

fn string(text: &str) -> Term {
    literal(LiteralKind::String, text)
}

fn select(text: &str) -> Select {
    match parse_statement(text) {
        Ok(Statement::Select(select)) => select,
        other => panic!("{text}: {other:?}"),
    }
}

fn selectors(text: &str) -> Vec<Selector> {
    match select(&format!("SELECT {text} FROM t")).selection {
        Selection::Items(items) => items.into_iter().map(|item| item.selector).collect(),
        Selection::All => panic!("{text}"),
    }
}

fn column(text: &str) -> Selector {
    Selector::Column(name(text))
}

#[test]
fn names_are_folded_unless_quoted() {
    let select = select("SELECT Ab, \"Ab\", \"a\"\"b\" AS KEY FROM KS.\"T\"");
    let item = |selected: &str, alias: Option<&str>| SelectedItem {
        selector: column(selected),
        alias: alias.map(name),
    };
    let items = vec![
        item("ab", None),
        item("Ab", None),
        item("a\"b", Some("key")),
    ];
    assert_eq!(select.selection, Selection::Items(items));
    let from = QualifiedName {
        keyspace: Some(name("ks")),
        name: name("T"),
    };
    assert_eq!(select.from, from);
}

#[test]
fn markers_are_numbered_as_they_stand_in_the_text() {
    let text = "BEGIN BATCH USING TIMESTAMP ? \
                UPDATE t USING TTL :a SET v = ? WHERE k = :\"B\" IF v IN ?; \
                INSERT INTO t JSON :a \
                APPLY BATCH";
    let markers = parse(text).map(|parsed| parsed.markers);
    let expected = [None, Some("a"), None, Some("B"), None, Some("a")];
    assert_eq!(
        markers,
        Ok(expected.map(|marker| marker.map(name)).to_vec())
    );
}

#[test]
fn markers_of_an_abandoned_reading_do_not_count() {
    let parsed = parse("SELECT distinct, ? FROM t WHERE k = ?").map(|parsed| parsed.markers);
    assert_eq!(parsed, Ok(vec![None, None]));
    let hint = parse("SELECT (a) FROM t WHERE k = ?").map(|parsed| parsed.markers);
    assert_eq!(hint, Ok(vec![None]));
}

#[test]
fn strings_lose_their_quotes() {
    assert_eq!(parse_term("'it''s'"), Ok(string("it's")));
    assert_eq!(parse_term("$$it's$$"), Ok(string("it's")));
    assert_eq!(parse_term("''"), Ok(string("")));
    assert_eq!(parse_term("-nan"), Ok(literal(LiteralKind::Float, "NaN")));
}

#[test]
fn brackets_are_what_is_in_them() {
    let one = || integer("1");
    for (text, expected) in [
        ("[1]", Term::ListOrVector(vec![one()])),
        ("{1}", Term::SetOrEmptyMap(vec![one()])),
        ("{}", Term::SetOrEmptyMap(vec![])),
        ("{'a': 1}", Term::Map(vec![(string("a"), one())])),
        ("{a: 1}", Term::UserType(vec![(name("a"), one())])),
        ("(1)", Term::Tuple(vec![one()])),
        ("('a')", Term::Tuple(vec![string("a")])),
        (
            "{('a'): 1}",
            Term::Map(vec![(Term::Tuple(vec![string("a")]), one())]),
        ),
        (
            "(int) 1",
            Term::TypeHint(CqlType::Native(NativeType::Int), Box::new(one())),
        ),
        (
            "('Int32Type') 1",
            Term::TypeHint(CqlType::Custom("Int32Type".to_owned()), Box::new(one())),
        ),
        (
            "(int(1))",
            Term::Tuple(vec![Term::Function {
                name: QualifiedName::bare(name("int")),
                arguments: vec![one()],
            }]),
        ),
    ] {
        assert_eq!(parse_term(text), Ok(expected), "{text}");
    }
}

#[test]
fn operators_bind_as_usual() {
    let arithmetic = |operator, left, right| Term::Arithmetic {
        operator,
        left: Box::new(left),
        right: Box::new(right),
    };
    let product = arithmetic(ArithmeticOperator::Multiply, integer("2"), integer("3"));
    let sum = arithmetic(ArithmeticOperator::Add, integer("1"), product);
    let all = arithmetic(ArithmeticOperator::Subtract, sum, integer("-4"));
    assert_eq!(parse_term("1 + 2 * 3 - -4"), Ok(all));
    assert!(parse_term("1 -4").is_err());
}

#[test]
fn words_that_are_keywords_only_sometimes() {
    assert!(select("SELECT json FROM t").selection == select("SELECT \"json\" FROM t").selection);
    assert!(!select("SELECT json FROM t").is_json);
    assert!(select("SELECT JSON a FROM t").is_json);
    assert!(select("SELECT json - json FROM t").is_json);
    assert!(!select("SELECT distinct, a FROM t").is_distinct);
    let both = select("SELECT JSON DISTINCT a FROM t");
    assert!(both.is_json && both.is_distinct);
    assert_eq!(selectors("ttl, count, cast")[0], column("ttl"));
}

#[test]
fn selectors_have_fields_elements_and_slices() {
    let slice = |from: Option<&str>, to: Option<&str>| Selector::Slice {
        of: Box::new(column("m")),
        from: from.map(integer),
        to: to.map(integer),
    };
    assert_eq!(
        selectors("m[1], m[1..2], m[1..], m[..2]"),
        [
            Selector::Element(Box::new(column("m")), integer("1")),
            slice(Some("1"), Some("2")),
            slice(Some("1"), None),
            slice(None, Some("2")),
        ]
    );
    let field = Selector::Field(Box::new(column("u")), name("f"));
    assert_eq!(selectors("u.f"), [field]);
    let function = Selector::Function {
        name: QualifiedName {
            keyspace: Some(name("u")),
            name: name("f"),
        },
        arguments: vec![],
    };
    assert_eq!(selectors("u.f()"), [function]);
}

#[test]
fn parentheses_hold_a_type_if_something_follows() {
    let parenthesized = Selector::Parenthesized(vec![column("a")]);
    assert_eq!(selectors("(a)"), std::slice::from_ref(&parenthesized));
    assert!(matches!(selectors("(a) -1")[0], Selector::TypeHint(..)));
    assert!(
        matches!(&selectors("(a) - 1")[0], Selector::Arithmetic { left, .. } if **left == parenthesized)
    );
}

#[test]
fn assignments_add_subtract_and_prepend() {
    let operations = |set: &str| -> Vec<Operation> {
        let text = format!("UPDATE t SET {set} WHERE k = 1");
        match parse_statement(&text) {
            Ok(Statement::Update(update)) => {
                let operation = |assignment: Assignment| assignment.operation;
                update.assignments.into_iter().map(operation).collect()
            }
            other => panic!("{text}: {other:?}"),
        }
    };
    let three = || integer("3");
    assert_eq!(
        operations("a = 3, b = b + 3, c = c - 3, d = 3 + d, e = e -3, f += 3, g -= 3"),
        [
            Operation::Set(three()),
            Operation::Add(three()),
            Operation::Subtract(three()),
            Operation::Prepend(three()),
            Operation::Add(integer("-3")),
            Operation::Add(three()),
            Operation::Subtract(three()),
        ]
    );
}

#[test]
fn relations_of_several_columns() {
    let relations = select(
        "SELECT * FROM t WHERE (a, b) IN ((1, 2)) AND (a, b) IN (?, ?) AND ((a) = ?) AND a IN ?",
    )
    .relations;
    let marker = |index| Marker { index, name: None };
    let columns = || vec![name("a"), name("b")];
    assert_eq!(
        relations,
        [
            Relation::ColumnsIn {
                columns: columns(),
                values: InValues::List(vec![Term::Tuple(vec![integer("1"), integer("2")])]),
            },
            Relation::ColumnsIn {
                columns: columns(),
                values: InValues::List(vec![Term::Marker(marker(0)), Term::Marker(marker(1))]),
            },
            Relation::Columns {
                columns: vec![name("a")],
                comparison: crate::ast::Comparison::Equal,
                value: Term::Marker(marker(2)),
            },
            Relation::In {
                column: name("a"),
                values: InValues::Marker(marker(3)),
            },
        ]
    );
}

#[test]
fn types_nest() {
    let int = || Box::new(CqlType::Native(NativeType::Int));
    assert_eq!(
        parse_type("map<int, frozen<list<int>>>"),
        Ok(CqlType::Map(
            int(),
            Box::new(CqlType::Frozen(Box::new(CqlType::List(int()))))
        ))
    );
    assert_eq!(parse_type("vector<int, 3>"), Ok(CqlType::Vector(int(), 3)));
    let user_type = |keyspace: Option<&str>, text| {
        CqlType::UserType(QualifiedName {
            keyspace: keyspace.map(name),
            name: name(text),
        })
    };
    assert_eq!(parse_type("\"int\""), Ok(user_type(None, "int")));
    assert_eq!(parse_type("int.a"), Ok(user_type(Some("int"), "a")));
    assert_eq!(parse_type("map"), Ok(user_type(None, "map")));
    assert!(parse_type("frozen<int>").is_err());
}

#[test]
fn errors_say_where_and_what() {
    for (text, said) in [
        (
            "SELECT FROM t",
            "line 1:7 no viable alternative at input 'FROM' (SELECT [FROM]...)",
        ),
        (
            "SELECT a\n FROM",
            "line 0:-1 no viable alternative at input '<EOF>'",
        ),
        (
            "SELECT a\nFORM t",
            "line 2:0 no viable alternative at input 'FORM' (SELECT a\n[FORM]...)",
        ),
        (
            "SELECT a FROM t WHERE a IS NULL",
            "line 1:27 mismatched input 'NULL' expecting K_NOT (...FROM t WHERE a IS [NULL])",
        ),
        (
            "SELECT 'é",
            "line 1:9 mismatched character '<EOF>' expecting its end",
        ),
        (
            "SELECT 'é' ^ 1",
            "line 1:11 no viable alternative at character '^'",
        ),
        (
            "SELECT a FROM ?",
            "Bind variables cannot be used for table names",
        ),
        (
            "ALTER TABLE t WITH a = 1 AND a = 2",
            "Multiple definition for property 'a'",
        ),
        (
            "CREATE ROLE r WITH OPTIONS = {'a': ?}",
            "Invalid property value: ? for property: a (bind variables are not supported in DDL queries)",
        ),
    ] {
        let error = parse_statement(text).map_err(|error| error.to_string());
        assert_eq!(error, Err(said.to_owned()), "{text}");
    }
}
