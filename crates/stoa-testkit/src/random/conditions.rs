//! `IF`: what conditional writes ask.

use super::Generator;
use super::draft::Draft;
use super::table::{Column, Place, Table};
use super::term::Term;
use super::types::Type;
use super::values;

const EQUALITY: [&str; 2] = ["=", "!="];
const OPERATORS: [&str; 6] = ["=", "!=", "<", "<=", ">", ">="];

impl Generator {
    /// Adds ` IF ...` for an update or a deletion.
    pub(super) fn condition(&mut self, draft: &mut Draft, table: &Table, is_static: bool) {
        if self.rng.chance(20) {
            draft.add(" IF EXISTS");
            return;
        }
        let count = 1 + self.rng.index(2);
        for number in 0..count {
            draft.add(if number == 0 { " IF " } else { " AND " });
            let fits = |column: &Column| {
                !column.place.is_key() && (!is_static || column.place == Place::Static)
            };
            match table.any(&mut self.rng, fits).cloned() {
                Some(column) => self.one_condition(draft, &column, count == 1),
                None => draft.add("EXISTS"),
            }
        }
    }

    fn one_condition(&mut self, draft: &mut Draft, column: &Column, is_alone: bool) {
        let (place, data_type) = self.place_in(draft, column);
        draft.add(&place);
        if self.rng.chance(15) {
            draft.add(" IN ");
            let terms: Vec<Term> = (0..self.rng.index(4))
                .map(|_| self.condition_value(column, &data_type))
                .collect();
            draft.several(&mut self.rng, &terms);
            return;
        }
        // Which of two conditions Cassandra looks at first depends on hashes, and a null or an
        // empty collection is an error of some operators; so two conditions ask for equality.
        let few: &[&str] = if is_alone { &OPERATORS } else { &EQUALITY };
        let operator = self.rng.pick(few).copied().unwrap_or("=");
        draft.add(&format!(" {operator} "));
        let value = match self.rng.chance(12) {
            true => Term::Null,
            false => self.condition_value(column, &data_type),
        };
        draft.value(&mut self.rng, &value);
    }

    fn condition_value(&mut self, column: &Column, data_type: &Type) -> Term {
        match *data_type == column.data_type {
            true => column.value(&mut self.rng),
            false => values::any(&mut self.rng, data_type),
        }
    }

    /// The column or a part of it, and its type.
    fn place_in(&mut self, _draft: &Draft, column: &Column) -> (String, Type) {
        let name = &column.name;
        let whole = || (name.clone(), column.data_type.clone());
        if self.rng.chance(50) {
            return whole();
        }
        match column.data_type.bare() {
            Type::Map(key, value) => {
                let key = values::any(&mut self.rng, key).literal();
                (format!("{name}[{key}]"), (**value).clone())
            }
            Type::List(element) => {
                let index = self.rng.index(3);
                (format!("{name}[{index}]"), (**element).clone())
            }
            Type::User(user) => match self.rng.pick(&user.fields) {
                Some((field, data_type)) => (format!("{name}.{field}"), data_type.clone()),
                None => whole(),
            },
            _ => whole(),
        }
    }
}
