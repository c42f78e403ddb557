//! Statements made wrong on purpose.

use super::Generator;
use super::draft::{Draft, Values};
use super::table::{Column, Table};
use super::term::Term;
use super::types::Type;
use super::values;

/// Words that belong elsewhere.
const WORDS: [&str; 24] = [
    "nothing",
    "IF EXISTS",
    "ALLOW FILTERING",
    "LIMIT 0",
    "LIMIT -1",
    "null",
    "NOT",
    "token(k0)",
    "ORDER BY v0 ASC",
    "GROUP BY v0",
    "USING TTL 500000",
    "USING TIMESTAMP 5",
    "PER PARTITION LIMIT 1",
    "AND k0 = null",
    "AND v0 CONTAINS 1",
    "AND v0 IN ()",
    ";",
    "'",
    "(",
    ")",
    "DISTINCT",
    "JSON",
    "AND c0 > null",
    "IF v0 = 1",
];

impl Generator {
    /// A statement with something wrong in it, most likely.
    pub(super) fn wrong(&mut self, table: &Table) -> Draft {
        let mut draft = match self.rng.below(10) {
            0..2 => self.wrong_value(table),
            2 => self.wrong_key(table),
            3 => self.unknown_name(table),
            _ => self.mangled(table),
        };
        // What was no write before may be one now; it needs a time of its own.
        let is_timed = draft
            .directives
            .iter()
            .any(|line| line.starts_with("timestamp"));
        if !is_timed && !table.is_counter {
            let time = self.times.unique();
            draft.direct(format!("timestamp {time}"));
        }
        draft
    }

    /// A value of another type.
    fn wrong_value(&mut self, table: &Table) -> Draft {
        let mut draft = Draft::new(Values::Literal);
        let other = Type::of_column(&mut self.rng, &self.users.clone());
        let value = values::any(&mut self.rng, &other).literal();
        // Cassandra takes any bytes for a tinyint, which nobody can read afterwards.
        let fits = |column: &Column| !(value.starts_with("0x") && column.data_type.is("tinyint"));
        let Some(column) = table.any(&mut self.rng, fits).cloned() else {
            return draft;
        };
        match self.rng.below(if table.is_counter { 2 } else { 3 }) {
            0 => {
                draft.add(&format!(
                    "UPDATE {} SET {} = {value} WHERE ",
                    table.name, column.name
                ));
                self.read_partition(&mut draft, table);
                let manner = self.plain_manner();
                self.row_clause(&mut draft, table, &manner);
            }
            1 => draft.add(&format!(
                "SELECT * FROM {} WHERE {} = {value} ALLOW FILTERING",
                table.name, column.name
            )),
            _ => {
                draft.add(&format!(
                    "DELETE FROM {} WHERE {} = {value}",
                    table.name, column.name
                ));
            }
        }
        draft
    }

    /// Some of the key is missing.
    fn wrong_key(&mut self, table: &Table) -> Draft {
        let mut draft = Draft::new(self.values());
        let head = match self.rng.below(3) {
            0 => format!("SELECT * FROM {} WHERE ", table.name),
            1 if !table.is_counter => format!("DELETE FROM {} WHERE ", table.name),
            _ => {
                let name = table.others().next().map_or("v0", |it| it.name.as_str());
                format!("UPDATE {} SET {name} = null WHERE ", table.name)
            }
        };
        draft.add(&head);
        let keys: Vec<_> = table
            .columns
            .iter()
            .filter(|it| it.place.is_key())
            .collect();
        let count = 1 + self.rng.index(keys.len());
        for (position, column) in self.rng.sample(&keys, count).into_iter().enumerate() {
            draft.add(if position == 0 { "" } else { " AND " });
            draft.add(&format!("{} = ", column.name));
            let value = match self.rng.chance(10) {
                true => Term::Null,
                false => column.value(&mut self.rng),
            };
            draft.value(&mut self.rng, &value);
        }
        draft
    }

    fn unknown_name(&mut self, table: &Table) -> Draft {
        let mut draft = self.any_draft(table);
        let names: Vec<&str> = table.columns.iter().map(|it| it.name.as_str()).collect();
        if let Some(name) = self.rng.pick(&names) {
            draft.text = draft.text.replacen(name, "nothing", 1);
        }
        draft
    }

    /// A word left out, doubled, swapped with the next, or one that does not belong there.
    fn mangled(&mut self, table: &Table) -> Draft {
        let mut draft = self.any_draft(table);
        let mut words: Vec<&str> = draft.text.split(' ').collect();
        let position = self.rng.index(words.len());
        match self.rng.below(5) {
            0 => {
                words.remove(position);
            }
            1 => {
                let word = words.get(position).copied().unwrap_or_default();
                words.insert(position, word);
            }
            2 if position + 1 < words.len() => words.swap(position, position + 1),
            _ => {
                let word = self.rng.pick(&WORDS).copied().unwrap_or("nothing");
                let position = if self.rng.chance(50) {
                    words.len()
                } else {
                    position
                };
                words.insert(position, word);
            }
        }
        let mangled = words.join(" ");
        // Times are compared with a tolerance, by their names.
        let is_named_otherwise = aliases(&mangled) != aliases(&draft.text);
        draft.text = mangled;
        if is_named_otherwise {
            draft.add(" nothing");
        }
        draft
    }

    /// A statement without variables.
    fn any_draft(&mut self, table: &Table) -> Draft {
        let bound = std::mem::take(&mut self.swarm.bound);
        let draft = match self.rng.chance(50) || table.is_view {
            true => self.select(table).1,
            false => {
                let manner = self.plain_manner();
                self.write(table, &manner).1
            }
        };
        self.swarm.bound = bound;
        draft
    }
}

/// The words after AS.
fn aliases(text: &str) -> Vec<&str> {
    let words = text.split(' ');
    let next = text.split(' ').skip(1);
    let named = words.zip(next).filter(|(word, _)| *word == "AS");
    named.map(|(_, name)| name.trim_end_matches(',')).collect()
}
