//! UPDATE: what is set, added and removed.

use super::Generator;
use super::draft::Draft;
use super::table::{Column, Place, Table};
use super::term::Term;
use super::types::Type;
use super::values;
use super::writes::{Life, Manner};

impl Generator {
    pub(super) fn update(&mut self, table: &Table, manner: &Manner) -> Draft {
        let mut draft = Draft::new(manner.values);
        draft.add(&format!("UPDATE {}", table.name));
        self.using(&mut draft, table, manner, Life::May);
        let is_static = self.rng.chance(15) && table.statics().next().is_some();
        let fits = |column: &&Column| !is_static || column.place == Place::Static;
        let others: Vec<&Column> = table.others().filter(fits).collect();
        let count = 1 + self.rng.index(3);
        let chosen = self.rng.sample(&others, count);
        draft.add(" SET ");
        for (position, column) in chosen.iter().enumerate() {
            if position > 0 {
                draft.add(", ");
            }
            self.assignment(&mut draft, column);
        }
        draft.add(" WHERE ");
        self.partition_clause(&mut draft, table, manner);
        if !is_static {
            self.row_clause(&mut draft, table, manner);
        }
        if manner.is_conditional {
            self.condition(&mut draft, table, is_static);
        }
        draft
    }

    fn assignment(&mut self, draft: &mut Draft, column: &Column) {
        let name = &column.name;
        if column.data_type.is("counter") {
            return self.count(draft, name);
        }
        let is_whole = !column.data_type.is_multi_cell() || self.rng.chance(35);
        if is_whole {
            draft.add(&format!("{name} = "));
            let value = self.written_value(column);
            if self.rng.chance(4) && draft.try_bind("unset") {
                return;
            }
            return draft.value(&mut self.rng, &value);
        }
        match &column.data_type {
            Type::List(element) => self.change_list(draft, column, element),
            Type::Set(element) => {
                let sign = self.rng.pick(&["+", "-"]).copied().unwrap_or("+");
                let value = Term::Set(values::several(&mut self.rng, element));
                self.changed_by(draft, name, sign, &value);
            }
            Type::Map(key, value) => self.change_map(draft, column, key, value),
            Type::User(user) => {
                if let Some((field, data_type)) = self.rng.pick(&user.fields).cloned() {
                    draft.add(&format!("{name}.{field} = "));
                    let value = self.null_or(&data_type);
                    draft.value(&mut self.rng, &value);
                }
            }
            _ => {}
        }
    }

    fn count(&mut self, draft: &mut Draft, name: &str) {
        let steps = ["0", "1", "2", "-1", "10", "9223372036854775807"];
        let step = Term::plain(self.rng.pick(&steps).copied().unwrap_or("1"));
        let sign = self.rng.pick(&["+", "-"]).copied().unwrap_or("+");
        self.changed_by(draft, name, sign, &step);
    }

    /// `c = c + v` or `c += v`.
    fn changed_by(&mut self, draft: &mut Draft, name: &str, sign: &str, value: &Term) {
        match self.rng.chance(60) {
            true => draft.add(&format!("{name} = {name} {sign} ")),
            false => draft.add(&format!("{name} {sign}= ")),
        }
        draft.value(&mut self.rng, value);
    }

    fn change_list(&mut self, draft: &mut Draft, column: &Column, element: &Type) {
        let name = &column.name;
        let several = Term::Sequence(values::several(&mut self.rng, element));
        match self.rng.below(4) {
            0 => self.changed_by(draft, name, "+", &several),
            1 => self.changed_by(draft, name, "-", &several),
            2 => {
                draft.add(&format!("{name} = "));
                draft.value(&mut self.rng, &several);
                draft.add(&format!(" + {name}"));
            }
            _ => {
                draft.add(&format!("{name}["));
                let index = Term::Plain(self.rng.index(3).to_string());
                draft.value(&mut self.rng, &index);
                draft.add("] = ");
                let value = self.null_or(element);
                draft.value(&mut self.rng, &value);
            }
        }
    }

    fn change_map(&mut self, draft: &mut Draft, column: &Column, key: &Type, value: &Type) {
        let name = &column.name;
        match self.rng.below(3) {
            0 => {
                let more = values::any(&mut self.rng, &column.data_type);
                self.changed_by(draft, name, "+", &more);
            }
            1 => {
                let keys = Term::Set(values::several(&mut self.rng, key));
                self.changed_by(draft, name, "-", &keys);
            }
            _ => {
                let key = values::any(&mut self.rng, key);
                draft.add(&format!("{name}["));
                draft.value(&mut self.rng, &key);
                draft.add("] = ");
                let value = self.null_or(value);
                draft.value(&mut self.rng, &value);
            }
        }
    }

    fn null_or(&mut self, data_type: &Type) -> Term {
        match self.rng.chance(12) {
            true => Term::Null,
            false => values::any(&mut self.rng, data_type),
        }
    }
}
