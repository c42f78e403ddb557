//! INSERT and DELETE, and what all writes have in common.

use super::Generator;
use super::draft::{Draft, Values};
use super::family::Family;
use super::table::{Column, Place, Table, names};
use super::term::Term;
use super::types::Type;
use super::values;

/// How a write is to be made.
#[derive(Debug, Clone)]
pub(super) struct Manner {
    pub(super) values: Values,
    /// The partition to write to; any without it.
    pub(super) partition: Option<Vec<Term>>,
    pub(super) stamp: Stamp,
    pub(super) is_conditional: bool,
}

/// Who says a write's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stamp {
    /// The statement or its request.
    Own,
    /// The statement.
    Statement,
    /// Someone else.
    Other,
}

impl Generator {
    /// A write of any kind.
    pub(super) fn write(&mut self, table: &Table, manner: &Manner) -> (Family, Draft) {
        if table.is_counter {
            return (Family::Counter, self.update(table, manner));
        }
        let (plain, conditional, draft);
        match self.rng.below(100) {
            0..42 => {
                plain = Family::Insert;
                conditional = Family::InsertIf;
                draft = self.insert(table, manner);
            }
            42..76 => {
                plain = Family::Update;
                conditional = Family::UpdateIf;
                draft = self.update(table, manner);
            }
            _ => {
                plain = Family::Delete;
                conditional = Family::DeleteIf;
                draft = self.delete(table, manner);
            }
        }
        match manner.is_conditional {
            true => (conditional, draft),
            false => (plain, draft),
        }
    }

    fn insert(&mut self, table: &Table, manner: &Manner) -> Draft {
        let mut draft = Draft::new(manner.values);
        let partition = self.partition(table, manner);
        let mut chosen: Vec<(&Column, Term)> = table.partition_key().zip(partition).collect();
        let is_static = table.statics().next().is_some() && self.rng.chance(12);
        if !is_static {
            let keys = table.clustering();
            chosen.extend(keys.map(|column| (column, column.value(&mut self.rng))));
        }
        for column in table.others() {
            let wanted = if column.place == Place::Static {
                30
            } else {
                65
            };
            if (!is_static || column.place == Place::Static) && self.rng.chance(wanted) {
                chosen.push((column, self.written_value(column)));
            }
        }
        if self.rng.chance(15) {
            self.rng.shuffle(&mut chosen);
        }
        let columns = names(chosen.iter().map(|(column, _)| *column));
        draft.add(&format!("INSERT INTO {} ({columns}) VALUES (", table.name));
        for (position, (column, value)) in chosen.iter().enumerate() {
            if position > 0 {
                draft.add(", ");
            }
            self.maybe_nothing(&mut draft, column, value);
        }
        draft.add(")");
        if manner.is_conditional {
            draft.add(" IF NOT EXISTS");
        }
        self.using(&mut draft, table, manner, Life::May);
        draft
    }

    /// INSERT ... JSON.
    pub(super) fn insert_json(&mut self, table: &Table) -> Draft {
        let mut draft = Draft::new(self.values());
        let mut fields = Vec::new();
        for column in &table.columns {
            if column.place.is_key() || self.rng.chance(55) {
                let value = match self.rng.chance(8) && !column.place.is_key() {
                    true => Term::Null,
                    false => column.value(&mut self.rng),
                };
                fields.push(format!("\"{}\": {}", column.name, value.json()));
            }
        }
        let json = Term::Plain(format!("'{{{}}}'", fields.join(", ").replace('\'', "''")));
        draft.add(&format!("INSERT INTO {} JSON ", table.name));
        draft.value(&mut self.rng, &json);
        let default = ["", "", " DEFAULT UNSET", " DEFAULT NULL"];
        draft.add(self.rng.pick(&default).copied().unwrap_or(""));
        let manner = self.plain_manner();
        self.using(&mut draft, table, &manner, Life::May);
        draft
    }

    fn delete(&mut self, table: &Table, manner: &Manner) -> Draft {
        let mut draft = Draft::new(manner.values);
        draft.add("DELETE ");
        let mut has_regular = false;
        if self.rng.chance(40) {
            let others: Vec<&Column> = table.others().collect();
            let count = 1 + self.rng.index(2);
            let mut chosen = self.rng.sample(&others, count);
            if self.rng.chance(25) {
                chosen.retain(|column| column.place == Place::Static);
            }
            for (position, column) in chosen.iter().enumerate() {
                if position > 0 {
                    draft.add(", ");
                }
                has_regular |= column.place == Place::Regular;
                self.deleted(&mut draft, column);
            }
            draft.add(if chosen.is_empty() { "" } else { " " });
            if !chosen.is_empty() && !has_regular {
                draft.add(&format!("FROM {}", table.name));
                self.using(&mut draft, table, manner, Life::Never);
                draft.add(" WHERE ");
                self.partition_clause(&mut draft, table, manner);
                if manner.is_conditional {
                    self.condition(&mut draft, table, true);
                }
                return draft;
            }
        }
        draft.add(&format!("FROM {}", table.name));
        self.using(&mut draft, table, manner, Life::Never);
        draft.add(" WHERE ");
        self.partition_clause(&mut draft, table, manner);
        match has_regular || manner.is_conditional || self.rng.chance(50) {
            true => self.row_clause(&mut draft, table, manner),
            false => self.slice_clause(&mut draft, table),
        }
        if manner.is_conditional {
            self.condition(&mut draft, table, false);
        }
        draft
    }

    /// A deletion of counters: of some cells, a row, or more.
    pub(super) fn delete_counters(&mut self, table: &Table) -> Draft {
        let manner = self.plain_manner();
        self.delete(table, &manner)
    }

    /// A column or a part of it, to be deleted.
    fn deleted(&mut self, draft: &mut Draft, column: &Column) {
        draft.add(&column.name);
        let is_part = column.data_type.is_multi_cell() && self.rng.chance(60);
        if !is_part {
            return;
        }
        match &column.data_type {
            Type::Map(key, _) | Type::Set(key) => {
                let key = values::any(&mut self.rng, key);
                draft.add("[");
                draft.value(&mut self.rng, &key);
                draft.add("]");
            }
            Type::List(_) => {
                let index = Term::Plain(self.rng.index(3).to_string());
                draft.add("[");
                draft.value(&mut self.rng, &index);
                draft.add("]");
            }
            Type::User(user) => {
                if let Some((name, _)) = self.rng.pick(&user.fields) {
                    draft.add(&format!(".{name}"));
                }
            }
            _ => {}
        }
    }

    /// A value of a column, now and then none.
    pub(super) fn written_value(&mut self, column: &Column) -> Term {
        match self.rng.chance(8) {
            true => Term::Null,
            false => column.value(&mut self.rng),
        }
    }

    /// Adds the value, or now and then a variable that is unset or empty.
    fn maybe_nothing(&mut self, draft: &mut Draft, column: &Column, value: &Term) {
        let odds = if column.place.is_key() { 1 } else { 5 };
        if self.rng.chance(odds) {
            let word = if self.rng.chance(75) {
                "unset"
            } else {
                "empty"
            };
            if draft.try_bind(word) {
                return;
            }
        }
        draft.value(&mut self.rng, value);
    }

    /// Adds `USING ...`, or the request's time.
    pub(super) fn using(&mut self, draft: &mut Draft, table: &Table, manner: &Manner, life: Life) {
        let mut parts: Vec<(&str, i64)> = Vec::new();
        if manner.stamp != Stamp::Other && !manner.is_conditional && !table.is_counter {
            let time = match table.expires {
                true => self.times.unique(),
                false => self.times.next(&mut self.rng),
            };
            match manner.stamp == Stamp::Own && self.rng.chance(30) {
                true => draft.direct(format!("timestamp {time}")),
                false => parts.push(("TIMESTAMP", time)),
            }
        }
        let expiring = self.swarm.expiring;
        if life == Life::May && !table.is_counter && self.rng.chance(expiring) {
            let seconds = match self.rng.chance(4) {
                true => self.rng.pick(&[0, -1, 630_720_001]).copied().unwrap_or(0),
                false => self.times.next_ttl(&mut self.rng),
            };
            parts.push(("TTL", seconds));
        }
        if self.rng.chance(50) {
            parts.reverse();
        }
        for (position, (word, number)) in parts.iter().enumerate() {
            draft.add(if position == 0 { " USING " } else { " AND " });
            draft.add(&format!("{word} "));
            draft.value(&mut self.rng, &Term::Plain(number.to_string()));
        }
    }

    pub(super) fn partition(&mut self, table: &Table, manner: &Manner) -> Vec<Term> {
        match &manner.partition {
            Some(given) => given.clone(),
            None => table.partition(&mut self.rng),
        }
    }

    pub(super) fn values(&mut self) -> Values {
        match self.rng.chance(self.swarm.bound) {
            true => Values::Bound,
            false => Values::Literal,
        }
    }

    /// A write like most: with a time of its own, without a condition.
    pub(super) fn plain_manner(&mut self) -> Manner {
        Manner {
            values: self.values(),
            partition: None,
            stamp: Stamp::Own,
            is_conditional: false,
        }
    }
}

/// Whether a write may expire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    May,
    Never,
}
