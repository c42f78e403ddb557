//! WHERE, of writes and of reads.

use super::Generator;
use super::draft::Draft;
use super::table::{Column, Table, names};
use super::term::Term;
use super::types::Type;
use super::values;
use super::writes::Manner;

const SLICES: [&str; 4] = ["<", "<=", ">", ">="];

impl Generator {
    /// The partition, or several, of a write.
    pub(super) fn partition_clause(&mut self, draft: &mut Draft, table: &Table, manner: &Manner) {
        let may_be_several = manner.partition.is_none() && !manner.is_conditional;
        let partition = self.partition(table, manner);
        for (position, (column, value)) in table.partition_key().zip(partition).enumerate() {
            if position > 0 {
                draft.add(" AND ");
            }
            let is_in = may_be_several && self.rng.chance(8);
            self.equal(draft, column, &value, is_in);
        }
    }

    /// `c = v`, or `c IN (v, ...)`.
    fn equal(&mut self, draft: &mut Draft, column: &Column, value: &Term, is_in: bool) {
        match is_in {
            true => {
                let mut terms = vec![value.clone()];
                for _ in 0..self.rng.index(3) {
                    terms.push(column.value(&mut self.rng));
                }
                draft.add(&format!("{} IN ", column.name));
                draft.several(&mut self.rng, &terms);
            }
            false => {
                draft.add(&format!("{} = ", column.name));
                draft.value(&mut self.rng, value);
            }
        }
    }

    /// One row, or several, of a write.
    pub(super) fn row_clause(&mut self, draft: &mut Draft, table: &Table, manner: &Manner) {
        let columns: Vec<&Column> = table.clustering().collect();
        if columns.len() > 1 && self.rng.chance(6) {
            draft.add(" AND ");
            self.tuples(draft, &columns);
            return;
        }
        for column in columns {
            draft.add(" AND ");
            let is_in = !manner.is_conditional && self.rng.chance(6);
            let value = column.value(&mut self.rng);
            self.equal(draft, column, &value, is_in);
        }
    }

    /// `(c0, c1) IN ((1, 2), ...)` or `= (1, 2)`.
    fn tuples(&mut self, draft: &mut Draft, columns: &[&Column]) {
        let is_in = self.rng.chance(70);
        let list = names(columns.iter().copied());
        draft.add(&format!("({list}) {} ", if is_in { "IN (" } else { "=" }));
        for number in 0..=(if is_in { self.rng.index(3) } else { 0 }) {
            if number > 0 {
                draft.add(", ");
            }
            self.tuple(draft, columns);
        }
        if is_in {
            draft.add(")");
        }
    }

    fn tuple(&mut self, draft: &mut Draft, columns: &[&Column]) {
        let terms: Vec<Term> = columns.iter().map(|it| it.value(&mut self.rng)).collect();
        draft.add("(");
        draft.listed(&mut self.rng, &terms);
        draft.add(")");
    }

    /// Rows whose clustering begins so, or lies between.
    pub(super) fn slice_clause(&mut self, draft: &mut Draft, table: &Table) {
        let columns: Vec<&Column> = table.clustering().collect();
        if columns.is_empty() {
            return;
        }
        let fixed = self.rng.index(columns.len() + 1);
        for column in columns.iter().take(fixed) {
            draft.add(" AND ");
            let value = column.value(&mut self.rng);
            let is_in = self.rng.chance(7);
            self.equal(draft, column, &value, is_in);
        }
        let rest: Vec<&Column> = columns.iter().skip(fixed).copied().collect();
        if rest.is_empty() || self.rng.chance(20) {
            return;
        }
        draft.add(" AND ");
        match rest.len() > 1 && self.rng.chance(35) {
            true => {
                let count = 1 + self.rng.index(rest.len());
                let part: Vec<&Column> = rest.iter().take(count).copied().collect();
                match self.rng.chance(30) {
                    true => self.tuples(draft, &part),
                    false => self.tuple_slice(draft, &part),
                }
            }
            false => self.slice(draft, rest.first().copied()),
        }
    }

    fn slice(&mut self, draft: &mut Draft, column: Option<&Column>) {
        let Some(column) = column else { return };
        let operators = self.bounds();
        for (position, operator) in operators.iter().enumerate() {
            if position > 0 {
                draft.add(" AND ");
            }
            draft.add(&format!("{} {operator} ", column.name));
            let value = column.value(&mut self.rng);
            draft.value(&mut self.rng, &value);
        }
    }

    fn tuple_slice(&mut self, draft: &mut Draft, columns: &[&Column]) {
        let operators = self.bounds();
        for (position, operator) in operators.iter().enumerate() {
            if position > 0 {
                draft.add(" AND ");
            }
            draft.add(&format!("({}) {operator} ", names(columns.iter().copied())));
            self.tuple(draft, columns);
        }
    }

    /// One operator of a slice, or one for each end.
    fn bounds(&mut self) -> Vec<&'static str> {
        let one = self.rng.pick(&SLICES).copied().unwrap_or("<");
        if self.rng.chance(60) {
            return vec![one];
        }
        let low = self.rng.pick(&[">", ">="]).copied().unwrap_or(">");
        let high = self.rng.pick(&["<", "<="]).copied().unwrap_or("<");
        vec![low, high]
    }

    /// The WHERE of a read, with its leading space; whether it may need filtering.
    pub(super) fn read_clause(&mut self, draft: &mut Draft, table: &Table) -> bool {
        match self.rng.below(100) {
            0..14 => false,
            14..52 => {
                draft.add(" WHERE ");
                self.read_partition(draft, table);
                self.slice_clause(draft, table);
                if self.rng.chance(10) {
                    draft.add(" AND ");
                    self.filter(draft, table);
                    return true;
                }
                false
            }
            52..66 => {
                draft.add(" WHERE ");
                self.token_clause(draft, table);
                if self.rng.chance(12) {
                    draft.add(" AND ");
                    self.filter(draft, table);
                    return true;
                }
                false
            }
            _ => {
                draft.add(" WHERE ");
                let count = 1 + self.rng.index(2);
                for number in 0..count {
                    if number > 0 {
                        draft.add(" AND ");
                    }
                    self.filter(draft, table);
                }
                true
            }
        }
    }

    pub(super) fn read_partition(&mut self, draft: &mut Draft, table: &Table) {
        for (position, column) in table.partition_key().enumerate() {
            if position > 0 {
                draft.add(" AND ");
            }
            let value = column.value(&mut self.rng);
            let is_in = self.rng.chance(15);
            self.equal(draft, column, &value, is_in);
        }
    }

    fn token_clause(&mut self, draft: &mut Draft, table: &Table) {
        let columns: Vec<&Column> = table.partition_key().collect();
        let operators = match self.rng.chance(8) {
            true => vec!["="],
            false => self.bounds(),
        };
        for (position, operator) in operators.iter().enumerate() {
            if position > 0 {
                draft.add(" AND ");
            }
            draft.add(&format!(
                "token({}) {operator} ",
                names(columns.iter().copied())
            ));
            match self.rng.chance(65) {
                true => {
                    draft.add("token");
                    self.tuple(draft, &columns);
                }
                false => {
                    let numbers = ["-9223372036854775808", "0", "9223372036854775807", "-1"];
                    let number = self.rng.pick(&numbers).copied().unwrap_or("0");
                    draft.value(&mut self.rng, &Term::plain(number));
                }
            }
        }
    }

    /// A condition on some column, mostly an indexed one where there is any.
    fn filter(&mut self, draft: &mut Draft, table: &Table) {
        let indexed: Vec<String> = table.indexes.iter().map(|it| it.column.clone()).collect();
        let is_indexed = self.rng.chance(70);
        let found = table.any(&mut self.rng, |column| {
            indexed.is_empty() || !is_indexed || indexed.contains(&column.name)
        });
        let Some(column) = found.cloned() else {
            draft.add("k0 = 0");
            return;
        };
        if column.data_type.is_collection() && self.rng.chance(75) {
            return self.contains(draft, &column);
        }
        match self.rng.below(10) {
            0..6 => {
                let value = column.value(&mut self.rng);
                self.equal(draft, &column, &value, false);
            }
            6 => {
                let value = column.value(&mut self.rng);
                self.equal(draft, &column, &value, true);
            }
            _ => self.slice(draft, Some(&column)),
        }
    }

    fn contains(&mut self, draft: &mut Draft, column: &Column) {
        let name = &column.name;
        match column.data_type.bare() {
            Type::Map(key, value) => match self.rng.below(3) {
                0 => {
                    let key = values::any(&mut self.rng, key);
                    draft.add(&format!("{name} CONTAINS KEY "));
                    draft.value(&mut self.rng, &key);
                }
                1 => {
                    let value = values::any(&mut self.rng, value);
                    draft.add(&format!("{name} CONTAINS "));
                    draft.value(&mut self.rng, &value);
                }
                _ => {
                    let key = values::any(&mut self.rng, key);
                    let value = values::any(&mut self.rng, value);
                    draft.add(&format!("{name}["));
                    draft.value(&mut self.rng, &key);
                    draft.add("] = ");
                    draft.value(&mut self.rng, &value);
                }
            },
            Type::List(element) | Type::Set(element) => {
                let element = values::any(&mut self.rng, element);
                draft.add(&format!("{name} CONTAINS "));
                draft.value(&mut self.rng, &element);
            }
            _ => {}
        }
    }
}
