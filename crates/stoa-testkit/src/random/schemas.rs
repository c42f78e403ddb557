//! Types, tables, indexes and views: made at the beginning, changed on the way.

use super::Generator;
use super::draft::{Draft, Values};
use super::family::Family;
use super::table::{Column, Index, Place, Table, names};
use super::types::{Type, UserType};

impl Generator {
    /// Everything that a script begins with.
    pub(super) fn create_all(&mut self) {
        for number in 0..self.rng.index(3) {
            let user = UserType::draw(&mut self.rng, format!("u{number}"), &self.users.clone());
            self.say(Family::Create, &user.create());
            self.users.push(user);
        }
        let users = self.users.clone();
        let table = match self.rng.chance(12) && self.makes(Family::Counter) {
            true => Table::draw_counters(&mut self.rng, "t0", &users),
            false => Table::draw(&mut self.rng, "t0", &users),
        };
        self.say(Family::Create, &table.create());
        let is_plain = !table.is_counter;
        self.tables.push(table);
        if is_plain && self.makes(Family::Index) && self.rng.chance(45) {
            for _ in 0..=self.rng.index(2) {
                self.create_index(0, Family::Create);
            }
        }
        if is_plain && self.makes(Family::View) && self.rng.chance(25) {
            self.create_view(0, Family::Create);
        }
        if self.rng.chance(15) {
            let second = Table::draw(&mut self.rng, "t1", &users);
            self.say(Family::Create, &second.create());
            self.tables.push(second);
        }
    }

    /// A change of the schema on the way.
    pub(super) fn change_schema(&mut self) {
        let place = self.rng.index(self.tables.len());
        let Some(table) = self.tables.get(place).cloned() else {
            return;
        };
        if table.is_view {
            return;
        }
        match self.rng.below(10) {
            0..3 if self.makes(Family::Alter) => self.add_column(place, &table),
            3..5 if self.makes(Family::Alter) => self.drop_column(place, &table),
            5 if self.makes(Family::Alter) => self.rename(place, &table),
            6 if self.makes(Family::Index) && !table.is_counter => {
                self.create_index(place, Family::Index);
            }
            7 if self.makes(Family::Index) => self.drop_index(place),
            8 if self.makes(Family::View) && !table.is_counter && !self.has_view() => {
                self.create_view(place, Family::View);
            }
            _ if self.makes(Family::Truncate) => {
                self.say(Family::Truncate, &format!("TRUNCATE {}", table.name));
            }
            _ => {}
        }
    }

    fn has_view(&self) -> bool {
        self.tables.iter().any(|table| table.is_view)
    }

    /// A column that was dropped may come back. Cells later than its drop would then be there, or
    /// not, if Cassandra has flushed meanwhile; so it does not come back where such were written.
    fn add_column(&mut self, place: usize, table: &Table) {
        let dropped = match self.rng.chance(60) && !self.times.is_far() {
            true => self.dropped.pop(),
            false => None,
        };
        let column = match dropped {
            Some(again) if table.column(&again.name).is_none() => again,
            _ => {
                self.added += 1;
                let data_type = match table.is_counter {
                    true => Type::Native("counter"),
                    false => Type::of_column(&mut self.rng, &self.users.clone()),
                };
                let has_clustering = table.clustering().next().is_some();
                let place = match has_clustering && self.rng.chance(20) {
                    true => Place::Static,
                    false => Place::Regular,
                };
                Column::draw(&mut self.rng, &format!("w{}", self.added), data_type, place)
            }
        };
        let ending = if column.place == Place::Static {
            " static"
        } else {
            ""
        };
        let text = format!(
            "ALTER TABLE {} ADD {} {}{ending}",
            table.name,
            column.name,
            column.data_type.cql()
        );
        self.say(Family::Alter, &text);
        if let Some(table) = self.tables.get_mut(place) {
            table.columns.push(column);
        }
    }

    /// Not a column of an index or of a view, and never the last.
    fn drop_column(&mut self, place: usize, table: &Table) {
        let is_free = |column: &Column| {
            !column.place.is_key() && table.indexes.iter().all(|it| it.column != column.name)
        };
        if self.has_view() || table.is_counter || table.others().count() < 2 {
            return;
        }
        let Some(column) = table.any(&mut self.rng, is_free).cloned() else {
            return;
        };
        let text = format!("ALTER TABLE {} DROP {}", table.name, column.name);
        self.say(Family::Alter, &text);
        if let Some(table) = self.tables.get_mut(place) {
            table.columns.retain(|it| it.name != column.name);
        }
        self.dropped.push(column);
    }

    fn rename(&mut self, place: usize, table: &Table) {
        if self.has_view() || !table.indexes.is_empty() {
            return;
        }
        let Some(column) = table.any(&mut self.rng, |it| it.place.is_key()).cloned() else {
            return;
        };
        self.added += 1;
        let name = format!("r{}", self.added);
        let text = format!(
            "ALTER TABLE {} RENAME {} TO {name}",
            table.name, column.name
        );
        self.say(Family::Alter, &text);
        let columns = self.tables.get_mut(place).map(|table| &mut table.columns);
        for known in columns.into_iter().flatten() {
            if known.name == column.name {
                known.name.clone_from(&name);
            }
        }
    }

    fn create_index(&mut self, place: usize, family: Family) {
        let Some(table) = self.tables.get(place).cloned() else {
            return;
        };
        // To an index of the old kind decimals of two scales are different values.
        let fits = |column: &Column| !column.data_type.cql().contains("decimal");
        let Some(column) = table.any(&mut self.rng, fits).cloned() else {
            return;
        };
        let is_attached = self.rng.chance(50);
        let name = &column.name;
        let parts = ["keys", "values", "entries"];
        let target = match (&column.data_type, column.data_type.bare()) {
            (Type::Frozen(_), Type::List(_) | Type::Set(_) | Type::Map(..)) => {
                format!("full({name})")
            }
            (_, Type::Map(..)) => {
                let part = self.rng.pick(&parts).copied().unwrap_or("values");
                format!("{part}({name})")
            }
            _ => name.clone(),
        };
        self.added += 1;
        let index = format!("i{}", self.added);
        let using = if is_attached { " USING 'sai'" } else { "" };
        self.say(
            family,
            &format!("CREATE INDEX {index} ON {} ({target}){using}", table.name),
        );
        if let Some(table) = self.tables.get_mut(place) {
            table.indexes.push(Index {
                name: index,
                column: column.name,
            });
        }
    }

    fn drop_index(&mut self, place: usize) {
        let index = self
            .tables
            .get_mut(place)
            .and_then(|table| table.indexes.pop());
        if let Some(index) = index {
            self.say(
                Family::Index,
                &format!("DROP INDEX IF EXISTS {}", index.name),
            );
        }
    }

    /// The columns of a view's key: one of its own at the front, or the table's in another order.
    ///
    /// In a view a column that sorts descending in its table keeps a type of its own, which changes
    /// the order of IN and what may be compared with it; so there is no view of such a table. Nor
    /// does a view have a decimal of its own in its key: where 0.0 becomes 0, Cassandra leaves the
    /// row of 0.0 in the view.
    fn view_key(&mut self, table: &Table) -> Option<Vec<Column>> {
        let descending = Place::Clustering {
            is_descending: true,
        };
        if table.columns.iter().any(|it| it.place == descending) {
            return None;
        }
        let keys = table.columns.iter().filter(|it| it.place.is_key());
        let mut keys: Vec<Column> = keys.cloned().collect();
        let fits = |column: &Column| {
            column.place == Place::Regular
                && !column.data_type.is_multi_cell()
                && !column.data_type.is("duration")
                && !column.data_type.is("decimal")
        };
        match table.any(&mut self.rng, fits) {
            Some(extra) if self.rng.chance(70) => keys.insert(0, extra.clone()),
            _ => self.rng.shuffle(&mut keys),
        }
        Some(keys)
    }

    fn create_view(&mut self, place: usize, family: Family) {
        let Some(table) = self.tables.get(place).cloned() else {
            return;
        };
        let Some(keys) = self.view_key(&table) else {
            return;
        };
        let rest = table
            .columns
            .iter()
            .filter(|it| it.place == Place::Regular && keys.iter().all(|key| key.name != it.name));
        let rest: Vec<Column> = rest.filter(|_| self.rng.chance(70)).cloned().collect();
        self.added += 1;
        let partitions = 1 + self.rng.index(keys.len().min(2));
        let as_key = |(number, column): (usize, &Column)| match number < partitions {
            true => column.moved(Place::Partition),
            false => column.moved(Place::Clustering {
                is_descending: number % 3 == 2,
            }),
        };
        let mut columns: Vec<Column> = keys.iter().enumerate().map(as_key).collect();
        columns.extend(rest);
        let view = Table {
            name: format!("m{}", self.added),
            columns,
            is_counter: false,
            is_view: true,
            expires: false,
            indexes: Vec::new(),
        };
        let conditions: Vec<String> = keys
            .iter()
            .map(|key| format!("{} IS NOT NULL", key.name))
            .collect();
        let order = view
            .clustering_order()
            .map(|it| format!(" WITH {it}"))
            .unwrap_or_default();
        let text = format!(
            "CREATE MATERIALIZED VIEW {} AS SELECT {} FROM {} WHERE {} {}{order}",
            view.name,
            names(view.columns.iter()),
            table.name,
            conditions.join(" AND "),
            view.primary_key()
        );
        self.say(family, &text);
        if family == Family::View {
            // Cassandra fills a view some time after it was made.
            let mut draft = Self::select_all(&view);
            draft.direct("wait 1".to_owned());
            self.push(Family::SelectView, &draft);
        }
        self.tables.push(view);
    }

    pub(super) fn drop_all(&mut self) {
        let tables = self.tables.clone();
        for table in tables.iter().rev() {
            let what = if table.is_view {
                "MATERIALIZED VIEW"
            } else {
                "TABLE"
            };
            self.say(Family::Drop, &format!("DROP {what} {}", table.name));
            self.say(Family::Select, &format!("SELECT * FROM {}", table.name));
        }
        for user in self.users.clone().iter().rev() {
            self.say(Family::Drop, &format!("DROP TYPE {}", user.name));
        }
    }

    fn say(&mut self, family: Family, text: &str) {
        let mut draft = Draft::new(Values::Literal);
        draft.add(text);
        self.push(family, &draft);
    }
}
