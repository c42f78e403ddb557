//! The schema statements of the conformance scripts, without any data.
//!
//! Every statement that changes or describes the schema is executed and compared with what
//! Cassandra answered, and so is every plain select from `system_schema`. All others are passed
//! over. After each change the schema must come back from its records.
//!
//! The scripts in `tests/scripts` are more of the same: rare things, for each of which Cassandra
//! 5.0.8 was asked whether it answers the same code, warnings and rows.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use stoa_cql::ast::{Comparison, Relation, Select, Selection, Selector, Statement, Term};
use stoa_engine::catalog::{Schema, Table, records};
use stoa_engine::describe::describe;
use stoa_engine::schema::{Context, apply, is_schema_statement, use_keyspace};
use stoa_engine::system::{self, Environment};
use stoa_engine::{Refusal, RefusalKind};
use stoa_session::{Answer, Body, Column, Error, ErrorKind, Rows};
use stoa_testkit::conformance::directive::Form;
use stoa_testkit::conformance::expectation::Outcome;
use stoa_testkit::conformance::{Expectation, Script, Step, differences, suite};
use stoa_types::{SeededIds, Value, native};
use uuid::Uuid;

const PLACEHOLDER: &str = "$KS";
const KEYSPACE: &str = "stoa_script";

#[test]
fn schema_statements_answer_as_recorded() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut cases = suite::load(&crate_folder.join("../../conformance")).unwrap();
    cases.extend(suite::load(&crate_folder.join("tests/scripts")).unwrap());
    let system = system::initial_schema(Uuid::nil()).unwrap();
    let mut compared = 0;
    let mut wrong = 0;
    for case in cases {
        let mut node = Node::new(&system);
        let mut steps = Vec::new();
        let mut answers = Vec::new();
        for step in case.script.steps {
            if let Some(answer) = node.execute(&step) {
                answers.push(answer);
                steps.push(step);
            }
        }
        compared += steps.len();
        let script = Script {
            header: case.script.header,
            steps,
        };
        for difference in differences(&script, &answers) {
            wrong += 1;
            eprintln!("{}: {difference}", case.name);
        }
    }
    eprintln!("{compared} statements compared, {wrong} differ");
    assert!(compared > 2_000, "only {compared} statements were compared");
    assert_eq!(wrong, 0);
}

/// A node without data.
struct Node {
    system: Schema,
    schema: Schema,
    records: BTreeMap<Vec<u8>, Vec<u8>>,
    keyspace: Arc<str>,
    ids: SeededIds,
    now_micros: i64,
}

impl Node {
    fn new(system: &Schema) -> Self {
        let mut node = Self {
            system: system.clone(),
            schema: system.clone(),
            records: BTreeMap::new(),
            keyspace: Arc::from(KEYSPACE),
            ids: SeededIds::new(1),
            now_micros: 1_700_000_000_000_000,
        };
        let create = format!(
            "CREATE KEYSPACE {KEYSPACE} WITH replication = {{'class': 'SimpleStrategy', \
             'replication_factor': 1}}"
        );
        let statement = stoa_cql::parse_statement(&create).unwrap();
        node.change(&statement).unwrap();
        node
    }

    /// What a statement answers; `None` if it is of no concern here.
    fn execute(&mut self, step: &Step) -> Option<Expectation> {
        if !matches!(step.directives.form, Form::Text) && !is_only_prepared(step) {
            return None;
        }
        let text = step.statement.replace(PLACEHOLDER, KEYSPACE);
        let statement = stoa_cql::parse_statement(&text).ok()?;
        let answer = match &statement {
            Statement::Describe(it) => {
                let environment = Environment::default();
                let answer = describe(it, &self.schema, Some(&self.keyspace), &environment);
                answer.map(|it| rows(it.columns, it.rows))
            }
            Statement::Use(name) => use_keyspace(name, &self.schema).map(|keyspace| {
                self.keyspace = keyspace;
                Answer::default()
            }),
            Statement::Select(select) => Ok(self.select(select)?),
            other if is_schema_statement(other) => self.change(other),
            _ => return None,
        };
        let neutral = |text: &str| text.replace(KEYSPACE, PLACEHOLDER);
        let expectation = match answer {
            Ok(answer) => Expectation::of_answer(answer, neutral),
            Err(refusal) => Expectation::of_error(&error(&refusal), neutral),
        };
        Some(masked(expectation, &step.directives.any))
    }

    fn change(&mut self, statement: &Statement) -> Result<Answer, Refusal> {
        self.now_micros += 1_000;
        let context = Context {
            keyspace: Some(&self.keyspace),
            now_micros: self.now_micros,
            ids: &self.ids,
        };
        let change = apply(statement, &self.schema, &context)?;
        for (name, value) in change.store.records {
            match value {
                Some(value) => self.records.insert(name, value),
                None => self.records.remove(&name),
            };
        }
        self.schema = change.schema;
        self.assert_that_records_are_the_schema();
        Ok(Answer {
            body: change.answer.map_or(Body::Done, Body::ChangedSchema),
            next: None,
            warnings: change.warnings,
        })
    }

    fn assert_that_records_are_the_schema(&self) {
        let records: Vec<_> = self.records.clone().into_iter().collect();
        let decoded = records::decode(&records, &self.system).unwrap();
        assert_eq!(decoded.version, self.schema.version);
        assert_eq!(decoded.next_table, self.schema.next_table);
        let changes = records::changed(&decoded, &self.schema);
        let names = changes.into_iter().map(|(name, _)| name);
        assert_eq!(names.collect::<Vec<_>>(), [b"catalog/version".to_vec()]);
    }

    /// A select of whole columns by plain equalities from `system_schema`.
    fn select(&self, select: &Select) -> Option<Answer> {
        let keyspace = select.from.keyspace.as_ref()?.as_str();
        let table = self.schema.table(keyspace, select.from.name.as_str())?;
        let is_plain = select.limit.is_none()
            && select.order_by.is_empty()
            && select.group_by.is_empty()
            && !select.is_json
            && !select.is_distinct;
        if keyspace != "system_schema" || !is_plain {
            return None;
        }
        let selected = selected(select, table)?;
        let wanted: Option<Vec<_>> = select
            .relations
            .iter()
            .map(|it| equality(it, table))
            .collect();
        let wanted = wanted?;
        if (0..wanted.len()).any(|at| !wanted.iter().any(|(it, _)| *it == at)) {
            return None;
        }
        let columns = selected
            .iter()
            .map(|at| &table.columns[*at])
            .map(|it| Column {
                keyspace: Arc::clone(&table.keyspace),
                table: Arc::clone(&table.name),
                name: it.name.to_string(),
                data_type: it.data_type.clone(),
            });
        let all = system::rows(&self.schema, &Environment::default(), keyspace, &table.name);
        let found = all.into_iter().filter(|row| {
            let mut wanted = wanted.iter();
            wanted.all(|(at, value)| row[*at].as_ref() == Some(value))
        });
        let found = found.map(|row| selected.iter().map(|at| row[*at].clone()).collect());
        Some(rows(columns.collect(), found.collect()))
    }
}

fn is_only_prepared(step: &Step) -> bool {
    matches!(&step.directives.form, Form::Prepared(terms) if terms.is_empty())
}

fn selected(select: &Select, table: &Table) -> Option<Vec<usize>> {
    match &select.selection {
        Selection::All => Some((0..table.columns.len()).collect()),
        Selection::Items(items) => {
            let item = |it: &stoa_cql::ast::SelectedItem| match &it.selector {
                Selector::Column(name) if it.alias.is_none() => table.index_of(name.as_str()),
                _ => None,
            };
            items.iter().map(item).collect()
        }
    }
}

fn equality(relation: &Relation, table: &Table) -> Option<(usize, Vec<u8>)> {
    let Relation::Column {
        column,
        comparison: Comparison::Equal,
        value: Term::Literal(literal),
    } = relation
    else {
        return None;
    };
    let at = table.index_of(column.as_str())?;
    let column = &table.columns[at];
    let value = Value::Text(literal.text.to_string());
    let bytes = native::encode(&column.data_type, &value).ok()??;
    column.is_key().then_some((at, bytes))
}

fn rows(columns: Arc<[Column]>, rows: Vec<Vec<Option<Vec<u8>>>>) -> Answer {
    let mut page = Rows::with_columns(columns);
    for row in rows {
        page.push(row.iter().map(Option::as_deref)).unwrap();
    }
    Answer::of_rows(page)
}

fn error(refusal: &Refusal) -> Error {
    let kind = match refusal.kind {
        RefusalKind::Syntax => ErrorKind::Syntax,
        RefusalKind::Unauthorized => ErrorKind::Unauthorized,
        RefusalKind::Configuration => ErrorKind::Configuration,
        RefusalKind::AlreadyExists => ErrorKind::AlreadyExists,
        RefusalKind::Server | RefusalKind::FunctionFailure => ErrorKind::Server,
        RefusalKind::Invalid | RefusalKind::WriteFailure => ErrorKind::Invalid,
    };
    Error::not_applied(kind, refusal.message.clone()).with_code(refusal.kind.code())
}

/// Values that differ from run to run are not compared.
fn masked(mut expectation: Expectation, any: &[String]) -> Expectation {
    if let Outcome::Rows { columns, rows } = &mut expectation.outcome {
        for (at, column) in columns.iter().enumerate() {
            let name = column.split(' ').next().unwrap_or_default();
            if any.iter().any(|it| it == name) {
                for row in rows.iter_mut() {
                    "*".clone_into(&mut row[at]);
                }
            }
        }
    }
    expectation
}
