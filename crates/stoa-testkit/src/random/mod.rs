//! Random scripts of CQL, each from one seed.
//!
//! [`generate`] turns a seed and a [`Shape`] into a [`Case`]: a
//! [conformance script](crate::conformance) without answers, which any back end can run, and the
//! family of each of its statements. A script begins with types, tables, indexes and a view, goes
//! on with writes and reads, and ends with reads of everything. A few statements change the
//! schema on the way, and some are wrong on purpose.
//!
//! **Answers can be compared.** Every write brings its time, except conditional ones and those of
//! counters, whose times are the server's. Times given are far from now and far from each other,
//! and lives are long, so that WRITETIME and TTL can be compared with a tolerance (`@ within`).
//! Values and keys come from small pools with the bounds of each type, so that they collide. A
//! deletion of counters comes last, for Cassandra says itself that a counter must not be used
//! after it.
//!
//! The same seed and shape give the same script, whatever the machine.

mod batches;
mod conditions;
mod draft;
mod family;
mod restrict;
mod schemas;
mod selections;
mod selects;
mod swarm;
mod table;
mod term;
#[cfg(test)]
mod tests;
mod types;
mod updates;
mod values;
mod writes;
mod wrong;

pub use family::Family;
pub use term::Term;
pub use types::{Type, UserType};

use crate::conformance::{Script, ScriptError};
use crate::rng::Rng;
use draft::Draft;
use swarm::{Swarm, Times};
use table::{Column, Table};
use writes::{Manner, Stamp};

/// How large a script is, and what is left out of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// About how many statements it has.
    pub statements: usize,
    /// Families that are not made.
    pub without: Vec<Family>,
}

impl Shape {
    /// Scripts of about so many statements of all families.
    #[must_use]
    pub fn new(statements: usize) -> Self {
        Self {
            statements,
            without: Vec::new(),
        }
    }
}

/// A random script.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// What it was made from.
    pub seed: u64,
    /// Its statements.
    pub script: Script,
    /// The family of each of its statements, in their order.
    pub families: Vec<Family>,
}

/// Makes the script of a seed.
///
/// # Errors
/// When the text is no script, which would be a mistake in here.
pub fn generate(seed: u64, shape: &Shape) -> Result<Case, ScriptError> {
    let mut generator = Generator::new(seed, shape);
    generator.create_all();
    while generator.families.len() < shape.statements {
        generator.step();
    }
    generator.finish();
    Ok(Case {
        seed,
        script: Script::parse(&generator.text)?,
        families: generator.families,
    })
}

/// A script while it is written.
struct Generator {
    rng: Rng,
    shape: Shape,
    swarm: Swarm,
    times: Times,
    users: Vec<UserType>,
    tables: Vec<Table>,
    dropped: Vec<Column>,
    /// How many names were made up on the way.
    added: usize,
    text: String,
    families: Vec<Family>,
}

impl Generator {
    fn new(seed: u64, shape: &Shape) -> Self {
        let mut rng = Rng::new(seed);
        let mut swarm = Swarm::draw(&mut rng);
        let is_out = |family: Family| shape.without.contains(&family);
        if is_out(Family::InsertIf) {
            swarm.conditional = 0;
        }
        if is_out(Family::InsertJson) {
            swarm.json = 0;
        }
        Self {
            rng,
            shape: shape.clone(),
            swarm,
            times: Times::default(),
            users: Vec::new(),
            tables: Vec::new(),
            dropped: Vec::new(),
            added: 0,
            text: format!("# A random script of seed {seed}.\n"),
            families: Vec::new(),
        }
    }

    fn makes(&self, family: Family) -> bool {
        !self.shape.without.contains(&family)
    }

    /// The next statement, or the next few.
    fn step(&mut self) {
        if self.rng.below(10_000) < self.swarm.schema_in_ten_thousand {
            return self.change_schema();
        }
        let place = self.rng.index(self.tables.len());
        let Some(table) = self.tables.get(place).cloned() else {
            return;
        };
        if self.rng.chance(self.swarm.wrong) && self.makes(Family::Wrong) {
            let draft = self.wrong(&table);
            return self.push(Family::Wrong, &draft);
        }
        if table.is_view || self.rng.chance(self.swarm.reads) {
            let (family, draft) = self.select(&table);
            return self.push(family, &draft);
        }
        let (family, draft) = self.write_or_batch(&table);
        self.push(family, &draft);
    }

    fn write_or_batch(&mut self, table: &Table) -> (Family, Draft) {
        if self.rng.chance(self.swarm.batch) && self.makes(Family::Batch) {
            return self.batch(table);
        }
        if self.rng.chance(self.swarm.json) && !table.is_counter && table.is_spelt_once() {
            return (Family::InsertJson, self.insert_json(table));
        }
        let is_conditional = self.rng.chance(self.swarm.conditional) && !table.is_counter;
        let manner = Manner {
            values: self.values(),
            partition: None,
            stamp: Stamp::Own,
            is_conditional,
        };
        self.write(table, &manner)
    }

    /// Reads everything, deletes counters, and drops it all.
    fn finish(&mut self) {
        for table in self.tables.clone() {
            let mut draft = Self::select_all(&table);
            draft.direct("pages 1 7".to_owned());
            self.push(Family::Select, &draft);
            if table.is_counter {
                for _ in 0..3 {
                    let draft = self.delete_counters(&table);
                    self.push(Family::Counter, &draft);
                    self.push(Family::Select, &Self::select_all(&table));
                }
            }
        }
        if self.makes(Family::Drop) && self.rng.chance(20) {
            self.drop_all();
        }
    }

    fn push(&mut self, family: Family, draft: &Draft) {
        self.text.push_str("\n> ");
        self.text.push_str(&draft.text);
        for line in draft.lines() {
            self.text.push_str("\n@ ");
            self.text.push_str(&line);
        }
        self.text.push('\n');
        self.families.push(family);
    }
}
