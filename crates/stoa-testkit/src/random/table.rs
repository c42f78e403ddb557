//! Tables, drawn at random, and what the generator knows of them.

use crate::rng::Rng;

use super::term::Term;
use super::types::{Type, UserType};
use super::values;

/// Where a column stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Partition,
    Clustering { is_descending: bool },
    Static,
    Regular,
}

impl Place {
    pub(super) fn is_clustering(self) -> bool {
        matches!(self, Self::Clustering { .. })
    }

    pub(super) fn is_key(self) -> bool {
        self == Self::Partition || self.is_clustering()
    }
}

/// A column, with the values that it mostly has.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) data_type: Type,
    pub(super) place: Place,
    pool: Vec<Term>,
}

impl Column {
    pub(super) fn draw(rng: &mut Rng, name: &str, data_type: Type, place: Place) -> Self {
        let count = if place.is_key() { 3 } else { 4 };
        let mut column = Self {
            name: name.to_owned(),
            data_type,
            place,
            pool: Vec::new(),
        };
        column.pool = (0..count).map(|_| column.fresh(rng)).collect();
        column
    }

    /// Any value. Of equal keys that are written differently, decimals of two scales, Cassandra
    /// shows either, depending on when it flushed; so keys have one scale.
    fn fresh(&self, rng: &mut Rng) -> Term {
        loop {
            let term = values::any(rng, &self.data_type);
            let text = term.literal();
            if !self.place.is_key() || !(text.contains("1.00") || text.contains("0.0")) {
                return term;
            }
        }
    }

    /// A value, mostly one that was used before.
    pub(super) fn value(&self, rng: &mut Rng) -> Term {
        let fresh = if self.place.is_key() { 6 } else { 25 };
        match rng.pick(&self.pool) {
            Some(known) if !rng.chance(fresh) => known.clone(),
            _ => self.fresh(rng),
        }
    }

    /// A column of the same values elsewhere, such as in a view.
    pub(super) fn moved(&self, place: Place) -> Self {
        Self {
            place,
            ..self.clone()
        }
    }
}

/// What of a column is indexed, and how.
#[derive(Debug, Clone)]
pub(super) struct Index {
    pub(super) name: String,
    pub(super) column: String,
}

/// A table or a view.
#[derive(Debug, Clone)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    pub(super) is_counter: bool,
    pub(super) is_view: bool,
    /// Whether rows expire unless a write says otherwise.
    pub(super) expires: bool,
    pub(super) indexes: Vec<Index>,
}

impl Table {
    /// A table of plain columns.
    pub(super) fn draw(rng: &mut Rng, name: &str, users: &[UserType]) -> Self {
        let mut columns = Self::draw_keys(rng, users);
        let has_clusterings = columns.iter().any(|column| column.place.is_clustering());
        let statics = if has_clusterings { rng.index(4) } else { 0 };
        for number in 0..statics {
            let data_type = Type::of_column(rng, users);
            columns.push(Column::draw(
                rng,
                &format!("s{number}"),
                data_type,
                Place::Static,
            ));
        }
        let most = if rng.chance(20) { 10 } else { 4 };
        for number in 0..=rng.index(most) {
            let data_type = Type::of_column(rng, users);
            columns.push(Column::draw(
                rng,
                &format!("v{number}"),
                data_type,
                Place::Regular,
            ));
        }
        Self {
            name: name.to_owned(),
            columns,
            is_counter: false,
            is_view: false,
            expires: rng.chance(4),
            indexes: Vec::new(),
        }
    }

    /// A table of counters.
    pub(super) fn draw_counters(rng: &mut Rng, name: &str, users: &[UserType]) -> Self {
        let mut columns = Self::draw_keys(rng, users);
        let has_clusterings = columns.iter().any(|column| column.place.is_clustering());
        let counter = || Type::Native("counter");
        if has_clusterings && rng.chance(40) {
            columns.push(Column::draw(rng, "s0", counter(), Place::Static));
        }
        for number in 0..=rng.index(3) {
            columns.push(Column::draw(
                rng,
                &format!("v{number}"),
                counter(),
                Place::Regular,
            ));
        }
        Self {
            name: name.to_owned(),
            columns,
            is_counter: true,
            is_view: false,
            expires: false,
            indexes: Vec::new(),
        }
    }

    fn draw_keys(rng: &mut Rng, users: &[UserType]) -> Vec<Column> {
        let mut columns = Vec::new();
        let partitions = rng
            .weighted(&[(60, 1), (30, 2), (10, 3)])
            .copied()
            .unwrap_or(1);
        for number in 0..partitions {
            let data_type = Type::of_key(rng, users);
            columns.push(Column::draw(
                rng,
                &format!("k{number}"),
                data_type,
                Place::Partition,
            ));
        }
        let weights = [(25, 0), (35, 1), (22, 2), (12, 3), (6, 4)];
        let clusterings = rng.weighted(&weights).copied().unwrap_or(1);
        for number in 0..clusterings {
            let data_type = Type::of_key(rng, users);
            // Bound sets and maps of a descending column are kept in the order they are sent in.
            let is_descending = rng.chance(35) && !data_type.has_sets();
            let place = Place::Clustering { is_descending };
            columns.push(Column::draw(rng, &format!("c{number}"), data_type, place));
        }
        columns
    }

    /// The statement that makes it.
    pub(super) fn create(&self) -> String {
        let parts = self.columns.iter().map(|column| {
            let ending = if column.place == Place::Static {
                " static"
            } else {
                ""
            };
            format!("{} {}{ending}", column.name, column.data_type.cql())
        });
        let mut parts: Vec<String> = parts.collect();
        parts.push(self.primary_key());
        let mut options = Vec::new();
        options.extend(self.clustering_order());
        if self.expires {
            options.push("default_time_to_live = 900000".to_owned());
        }
        let options = match options.is_empty() {
            true => String::new(),
            false => format!(" WITH {}", options.join(" AND ")),
        };
        format!("CREATE TABLE {} ({}){options}", self.name, parts.join(", "))
    }

    pub(super) fn primary_key(&self) -> String {
        let partition = names(self.partition_key());
        let clustering = names(self.clustering());
        let clustering = match clustering.is_empty() {
            true => clustering,
            false => format!(", {clustering}"),
        };
        format!("PRIMARY KEY (({partition}){clustering})")
    }

    pub(super) fn clustering_order(&self) -> Option<String> {
        let order = |column: &Column| {
            let is_descending = column.place
                == Place::Clustering {
                    is_descending: true,
                };
            let word = if is_descending { "DESC" } else { "ASC" };
            format!("{} {word}", column.name)
        };
        let orders: Vec<String> = self.clustering().map(order).collect();
        let is_said = orders.iter().any(|order| order.ends_with("DESC"));
        is_said.then(|| format!("CLUSTERING ORDER BY ({})", orders.join(", ")))
    }

    pub(super) fn partition_key(&self) -> impl Iterator<Item = &Column> {
        self.columns
            .iter()
            .filter(|column| column.place == Place::Partition)
    }

    pub(super) fn clustering(&self) -> impl Iterator<Item = &Column> {
        self.columns
            .iter()
            .filter(|column| column.place.is_clustering())
    }

    /// Columns that are in no key.
    pub(super) fn others(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !column.place.is_key())
    }

    pub(super) fn statics(&self) -> impl Iterator<Item = &Column> {
        self.columns
            .iter()
            .filter(|column| column.place == Place::Static)
    }

    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// Any column, of those that fulfil something.
    pub(super) fn any<'t>(
        &'t self,
        rng: &mut Rng,
        fits: impl Fn(&Column) -> bool,
    ) -> Option<&'t Column> {
        let fitting: Vec<&Column> = self.columns.iter().filter(|column| fits(column)).collect();
        rng.pick(&fitting).copied()
    }

    /// Values for the partition key.
    pub(super) fn partition(&self, rng: &mut Rng) -> Vec<Term> {
        self.partition_key()
            .map(|column| column.value(rng))
            .collect()
    }
}

pub(super) fn names<'c>(columns: impl Iterator<Item = &'c Column>) -> String {
    let names: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
    names.join(", ")
}
