//! Without faults, answers are those of the embedded engine.

use std::sync::Arc;

use stoa_engine::{Database, Embedded};
use stoa_session::{Answer, Batch, BatchKind, Body, Bound, Error, Options, Session, Statement};
use stoa_sim::clock::START_MICROS;
use stoa_sim::{Catalog, Executor, Faults, SimCluster};
use stoa_store::Store;
use stoa_testkit::rng::Rng;
use stoa_types::{ManualClock, SeededIds, Value};

use crate::support::run;

const SCHEMA: [&str; 3] = [
    "CREATE KEYSPACE ks WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE TABLE ks.wide (p int, c text, d int, s int STATIC, z text STATIC, v int, w text, \
     tags set<text>, m map<int, text>, PRIMARY KEY (p, c, d)) \
     WITH CLUSTERING ORDER BY (c ASC, d DESC)",
    "CREATE TABLE ks.flat (a int, b text, v int, f frozen<set<int>>, g tuple<int, text>, \
     PRIMARY KEY ((a, b))) WITH default_time_to_live = 40",
];

const SECOND: u64 = 1_000_000;

/// A random statement: its text and the values of its variables.
type Drawn = (String, Vec<Value>);

struct Draw {
    rng: Rng,
}

impl Draw {
    fn int(&mut self) -> Value {
        Value::Int(i32::try_from(self.rng.below(3)).unwrap())
    }

    fn text(&mut self) -> Value {
        Value::Text(["a", "b", "c"][self.rng.index(3)].to_owned())
    }

    fn nullable(&mut self, value: Value) -> Value {
        match self.rng.below(8) {
            0 => Value::Null,
            1 => Value::Unset,
            _ => value,
        }
    }

    fn tags(&mut self) -> Value {
        let count = self.rng.index(3);
        Value::Set((0..count).map(|_| self.text()).collect())
    }

    fn entries(&mut self) -> Value {
        let count = self.rng.index(3);
        Value::Map((0..count).map(|_| (self.int(), self.text())).collect())
    }

    fn using(&mut self, values: &mut Vec<Value>) -> &'static str {
        match self.rng.below(6) {
            0 => {
                values.push(Value::BigInt(self.rng.between(1, 5)));
                " USING TIMESTAMP ?"
            }
            1 => {
                values.push(Value::Int(i32::try_from(1 + self.rng.below(20)).unwrap()));
                " USING TTL ?"
            }
            _ => "",
        }
    }

    fn condition(&mut self, values: &mut Vec<Value>) -> String {
        match self.rng.below(7) {
            0 => " IF EXISTS".to_owned(),
            1 => {
                let number = self.int();
                values.push(number);
                let sign = ["<", "<=", ">", ">="][self.rng.index(4)];
                format!(" IF v {sign} ?")
            }
            2 => {
                let (first, second) = (self.int(), self.int());
                values.extend([first, second]);
                " IF v IN (?, ?)".to_owned()
            }
            3 => {
                let number = self.int();
                values.push(number);
                " IF v = ? AND w != null".to_owned()
            }
            4 => {
                let tags = self.tags();
                values.push(tags);
                " IF tags = ?".to_owned()
            }
            _ => {
                let number = self.int();
                values.push(if self.rng.chance(30) {
                    Value::Null
                } else {
                    number
                });
                let sign = ["=", "!="][self.rng.index(2)];
                format!(" IF v {sign} ?")
            }
        }
    }

    fn assignment(&mut self, values: &mut Vec<Value>) -> &'static str {
        let (value, text) = match self.rng.below(8) {
            0 => (self.tags(), "tags = ?"),
            1 => (self.tags(), "tags = tags + ?"),
            2 => (self.tags(), "tags = tags - ?"),
            3 => (self.entries(), "m = m + ?"),
            4 => (self.text(), "m[1] = ?"),
            5 => (self.text(), "w = ?"),
            6 => return "w = null",
            _ => (self.int(), "v = ?"),
        };
        let is_part = matches!(text, "tags = tags + ?" | "tags = tags - ?" | "m = m + ?");
        values.push(if is_part { value } else { self.nullable(value) });
        text
    }

    /// A write to a row of `ks.wide`.
    fn row_write(&mut self, key: &Value, is_conditional: bool) -> Drawn {
        let mut values = Vec::new();
        let (c, d) = (self.text(), self.int());
        let row = [key.clone(), c, d];
        match self.rng.below(4) {
            0 => {
                let number = self.int();
                values.extend(row);
                values.push(self.nullable(number));
                let tags = self.tags();
                values.push(self.nullable(tags));
                let text = "INSERT INTO ks.wide (p, c, d, v, tags) VALUES (?, ?, ?, ?, ?)";
                let end = match is_conditional {
                    true => " IF NOT EXISTS",
                    false => self.using(&mut values),
                };
                (format!("{text}{end}"), values)
            }
            1 => {
                let what = ["", "v", "tags", "m[1]", "v, w"][self.rng.index(5)];
                values.extend(row);
                let mut text =
                    format!("DELETE {what} FROM ks.wide WHERE p = ? AND c = ? AND d = ?");
                if is_conditional {
                    text += &self.condition(&mut values);
                }
                (text, values)
            }
            _ => {
                let using = match is_conditional {
                    true => "",
                    false => self.using(&mut values),
                };
                let set = self.assignment(&mut values);
                values.extend(row);
                let mut text =
                    format!("UPDATE ks.wide{using} SET {set} WHERE p = ? AND c = ? AND d = ?");
                if is_conditional {
                    text += &self.condition(&mut values);
                }
                (text, values)
            }
        }
    }

    fn static_write(&mut self, key: &Value, is_conditional: bool) -> Drawn {
        let number = self.int();
        let mut values = vec![self.nullable(number), key.clone()];
        let mut text = "UPDATE ks.wide SET s = ? WHERE p = ?".to_owned();
        if is_conditional {
            let number = self.int();
            values.push(if self.rng.chance(40) {
                Value::Null
            } else {
                number
            });
            text += " IF s = ?";
        }
        (text, values)
    }

    fn range_deletion(&mut self, key: &Value) -> Drawn {
        let (c, d) = (self.text(), self.int());
        match self.rng.below(4) {
            0 => (
                "DELETE FROM ks.wide WHERE p = ?".to_owned(),
                vec![key.clone()],
            ),
            1 => (
                "DELETE FROM ks.wide WHERE p = ? AND c = ?".to_owned(),
                vec![key.clone(), c],
            ),
            2 => (
                "DELETE FROM ks.wide WHERE p = ? AND c >= ?".to_owned(),
                vec![key.clone(), c],
            ),
            _ => (
                "DELETE FROM ks.wide WHERE p = ? AND c = ? AND d < ?".to_owned(),
                vec![key.clone(), c, d],
            ),
        }
    }

    fn flat_write(&mut self) -> Drawn {
        let (a, b, v) = (self.int(), self.text(), self.int());
        let numbers = Value::Set(vec![self.int(), self.int()]);
        let pair = Value::Tuple(vec![self.int(), self.text()]);
        match self.rng.below(4) {
            0 => (
                "INSERT INTO ks.flat (a, b, v, f, g) VALUES (?, ?, ?, ?, ?)".to_owned(),
                vec![a, b, self.nullable(v), self.nullable(numbers), pair],
            ),
            1 => (
                "UPDATE ks.flat SET v = ? WHERE a = ? AND b = ? IF f = ?".to_owned(),
                vec![v, a, b, numbers],
            ),
            2 => (
                "DELETE FROM ks.flat WHERE a = ? AND b = ? IF EXISTS".to_owned(),
                vec![a, b],
            ),
            _ => (
                "UPDATE ks.flat USING TTL 5 SET v = ? WHERE a = ? AND b = ?".to_owned(),
                vec![self.nullable(v), a, b],
            ),
        }
    }

    fn read(&mut self) -> Drawn {
        let (p, c, d) = (self.int(), self.text(), self.int());
        let limit = Value::Int(i32::try_from(1 + self.rng.below(4)).unwrap());
        let (text, values) = match self.rng.below(17) {
            0 => ("SELECT * FROM ks.wide", vec![]),
            15 => ("SELECT s, z FROM ks.wide WHERE p = ?", vec![p]),
            16 => ("SELECT p, s FROM ks.wide", vec![]),
            1 => ("SELECT * FROM ks.wide WHERE p = ?", vec![p]),
            2 => (
                "SELECT c, d, v FROM ks.wide WHERE p = ? AND c = ?",
                vec![p, c],
            ),
            3 => (
                "SELECT * FROM ks.wide WHERE p = ? AND c = ? AND d = ?",
                vec![p, c, d],
            ),
            4 => (
                "SELECT d FROM ks.wide WHERE p = ? AND c = ? AND d > ?",
                vec![p, c, d],
            ),
            5 => (
                "SELECT c, d FROM ks.wide WHERE p = ? AND c > ? ORDER BY c DESC, d ASC LIMIT ?",
                vec![p, c, limit],
            ),
            6 => (
                "SELECT * FROM ks.wide WHERE p IN (2, ?, 0) LIMIT ?",
                vec![p, limit],
            ),
            7 => (
                "SELECT p, c FROM ks.wide PER PARTITION LIMIT ?",
                vec![limit],
            ),
            8 => ("SELECT count(*) FROM ks.wide WHERE p = ?", vec![p]),
            9 => ("SELECT DISTINCT p, s FROM ks.wide", vec![]),
            10 => ("SELECT ttl(v) AS t, v FROM ks.wide WHERE p = ?", vec![p]),
            11 => (
                "SELECT s, v FROM ks.wide WHERE p = ? AND c IN ('b', 'a') AND d = ?",
                vec![p, d],
            ),
            12 => (
                "SELECT * FROM ks.flat WHERE a = ? AND b IN ('c', 'a')",
                vec![p],
            ),
            13 => ("SELECT * FROM ks.flat WHERE a = ? AND b = ?", vec![p, c]),
            _ => ("SELECT a, b, v, f, g FROM ks.flat", vec![]),
        };
        (text.to_owned(), values)
    }

    fn write(&mut self) -> Drawn {
        let key = self.int();
        let is_conditional = self.rng.chance(40);
        match self.rng.below(10) {
            0 => self.static_write(&key, is_conditional),
            1 => self.range_deletion(&key),
            2 | 3 => self.flat_write(),
            _ => self.row_write(&key, is_conditional),
        }
    }

    /// Several writes: some conditional and of one partition, or none and of any.
    fn batch(&mut self) -> Vec<Drawn> {
        let count = 1 + self.rng.index(3);
        if self.rng.chance(40) {
            let plain = |draw: &mut Self| {
                let key = draw.int();
                draw.row_write(&key, false)
            };
            return (0..count).map(|_| plain(self)).collect();
        }
        let key = self.int();
        let mut batch = vec![match self.rng.chance(50) {
            true => self.static_write(&key, true),
            false => self.row_write(&key, true),
        }];
        while batch.len() <= count {
            let next = self.row_write(&key, false);
            if !next.0.contains("TIMESTAMP") {
                batch.push(next);
            }
        }
        batch
    }
}

/// What an answer says, as far as both must agree.
fn said(answer: Result<Answer, Error>) -> Result<String, String> {
    let answer = answer.map_err(|error| format!("{:?}", error.kind()))?;
    let Body::Rows(rows) = &answer.body else {
        return Ok("done".to_owned());
    };
    let columns = rows.columns().iter();
    let columns: Vec<String> = columns
        .map(|column| format!("{} {}", column.name, column.data_type))
        .collect();
    let shown: Vec<String> = rows
        .iter()
        .map(|row| format!("{:?}", row.cells()))
        .collect();
    Ok(format!("{columns:?}\n{}", shown.join("\n")))
}

async fn bind(session: &dyn Session, drawn: &Drawn) -> Result<Bound, Error> {
    let prepared = session.prepare(&drawn.0).await?;
    Ok(prepared.bind(drawn.1.as_slice())?)
}

async fn execute(session: &dyn Session, drawn: &[Drawn]) -> Result<Answer, Error> {
    if let [one] = drawn {
        let bound = bind(session, one).await?;
        return session.execute(&bound, None).await;
    }
    let mut batch = Batch::new(BatchKind::Logged);
    for one in drawn {
        batch.push(bind(session, one).await?);
    }
    session.batch(&batch).await
}

struct Pair {
    executor: Executor,
    cluster: SimCluster,
    database: Embedded,
    clock: Arc<ManualClock>,
    runtime: tokio::runtime::Runtime,
}

impl Pair {
    fn new(catalog: &Arc<Catalog>, seed: u64) -> Self {
        let mut executor = Executor::new();
        let cluster = SimCluster::new(&mut executor, Arc::clone(catalog), Faults::none(), seed);
        let clock = Arc::new(ManualClock::at_micros(START_MICROS));
        let own: Arc<ManualClock> = Arc::clone(&clock);
        let store = Store::memory(stoa_store::Options::default(), own).unwrap();
        let own: Arc<ManualClock> = Arc::clone(&clock);
        let ids = Arc::new(SeededIds::new(seed));
        let database = Database::with_store(store, own, ids).unwrap().session();
        let runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = { runtime }.enable_all().build().unwrap();
        for text in SCHEMA {
            let statement = Statement::new(text).with(Options::new());
            runtime.block_on(database.run(&statement, None)).unwrap();
        }
        Self {
            executor,
            cluster,
            database,
            clock,
            runtime,
        }
    }

    /// Executes the same on both; a second passes before.
    fn compare(&mut self, drawn: &[Drawn], seed: u64, step: usize) -> bool {
        let next = (self.executor.now_micros() / SECOND + 1) * SECOND;
        self.executor.run_until(next);
        self.clock
            .set_micros(START_MICROS + i64::try_from(next).unwrap());
        let theirs = self.runtime.block_on(execute(&self.database, drawn));
        let session = self.cluster.client("anna");
        let told = drawn.to_vec();
        let work = async move { execute(&*session, &told).await };
        let ours = run(&mut self.executor, work).unwrap();
        let message = format!("{ours:?}");
        let (ours, theirs) = (said(ours), said(theirs));
        assert_eq!(
            ours, theirs,
            "seed {seed}, step {step}: {drawn:?}\n{message}"
        );
        ours.is_ok()
    }
}

#[test]
fn answers_are_those_of_the_engine() {
    let catalog = Catalog::of(&SCHEMA).unwrap();
    let (mut answered, mut refused) = (0, 0);
    for seed in 0..60 {
        let mut pair = Pair::new(&catalog, seed);
        let mut draw = Draw {
            rng: Rng::new(seed),
        };
        for step in 0..150 {
            let drawn = match draw.rng.below(10) {
                0 | 1 => draw.batch(),
                2..=4 => vec![draw.read()],
                _ => vec![draw.write()],
            };
            match pair.compare(&drawn, seed, step) {
                true => answered += 1,
                false => refused += 1,
            }
        }
    }
    assert!(answered > 8_500, "{answered} answered, {refused} refused");
}

#[test]
fn variables_and_columns_are_those_of_the_engine() {
    let catalog = Catalog::of(&SCHEMA).unwrap();
    let pair = Pair::new(&catalog, 0);
    let session = pair.cluster.client("anna");
    let mut draw = Draw { rng: Rng::new(7) };
    for _ in 0..2_000 {
        let (text, _) = match draw.rng.chance(50) {
            true => draw.read(),
            false => draw.write(),
        };
        let told = |session: &dyn Session| {
            let prepared = pair.runtime.block_on(session.prepare(&text)).unwrap();
            let types = |columns: &[stoa_session::Column]| -> Vec<String> {
                let columns = columns.iter();
                columns
                    .map(|it| format!("{} {}", it.name, it.data_type))
                    .collect()
            };
            let variables = types(prepared.variables());
            let columns = types(prepared.columns());
            (variables, prepared.partition_key().to_vec(), columns)
        };
        assert_eq!(told(&*session), told(&pair.database), "{text}");
    }
}
