//! What a dump has to know of a table: its columns by their kinds, and what to select.

use std::collections::BTreeSet;

use stoa_cql::ast::{CqlType, CreateTable, Name, NativeType};
use stoa_types::text::identifier::quoted;

/// A table, as its `CREATE TABLE` tells it. Names are as CQL writes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The table with its keyspace.
    pub(crate) table: String,
    /// The columns of the primary key, without quotes.
    pub(crate) primary_key: Vec<Name>,
    pub(crate) partition: Vec<String>,
    pub(crate) clustering: Vec<String>,
    pub(crate) statics: Vec<String>,
    pub(crate) regulars: Vec<String>,
    /// Which columns are lists that are not frozen.
    pub(crate) lists: BTreeSet<Name>,
    pub(crate) is_counter: bool,
    pub(crate) has_default_ttl: bool,
}

impl Shape {
    /// Reads the definition of a table.
    pub(crate) fn of(table: &CreateTable) -> Self {
        let inline = table.columns.iter().filter(|it| it.is_primary_key);
        let inline = inline.map(|it| it.name.clone());
        let key = table.primary_keys.first();
        let partition: Vec<Name> = match key {
            Some(key) => key.partition.clone(),
            None => inline.collect(),
        };
        let clustering = key.map_or(&[][..], |key| &key.clustering);
        let is_key = |name: &Name| partition.contains(name) || clustering.contains(name);
        let (mut statics, mut regulars) = (Vec::new(), Vec::new());
        for column in table.columns.iter().filter(|it| !is_key(&it.name)) {
            match column.is_static {
                true => statics.push(quoted(column.name.as_str())),
                false => regulars.push(quoted(column.name.as_str())),
            }
        }
        let written = |names: &[Name]| names.iter().map(|it| quoted(it.as_str())).collect();
        let of_type =
            |is: fn(&CqlType) -> bool| table.columns.iter().filter(move |it| is(&it.cql_type));
        let lists = of_type(|it| matches!(it, CqlType::List(_)));
        let ttl = table.properties.get("default_time_to_live");
        let keyspace = table.name.keyspace.as_ref().map(|it| quoted(it.as_str()));
        Self {
            table: format!(
                "{}.{}",
                keyspace.unwrap_or_default(),
                quoted(table.name.name.as_str())
            ),
            primary_key: partition.iter().chain(clustering).cloned().collect(),
            partition: written(&partition),
            clustering: written(clustering),
            statics,
            regulars,
            lists: lists.map(|it| it.name.clone()).collect(),
            is_counter: of_type(|it| *it == CqlType::Native(NativeType::Counter))
                .next()
                .is_some(),
            has_default_ttl: ttl.and_then(|it| it.text()).is_some_and(|it| it != "0"),
        }
    }

    /// Reads everything that CQL can tell of its rows: the keys; then each column, followed, unless
    /// it is a counter, by its write time and its TTL.
    pub(super) fn select(&self) -> String {
        let mut items: Vec<String> = self.keys().cloned().collect();
        for column in self.statics.iter().chain(&self.regulars) {
            items.push(column.clone());
            if !self.is_counter {
                items.push(format!("WRITETIME({column})"));
                items.push(format!("TTL({column})"));
            }
        }
        format!("SELECT {} FROM {}", items.join(", "), self.table)
    }

    /// The columns of the primary key.
    pub(super) fn keys(&self) -> impl Iterator<Item = &String> {
        self.partition.iter().chain(&self.clustering)
    }
}

#[cfg(test)]
mod tests {
    use stoa_cql::ast::Statement;

    use super::*;

    fn shape(text: &str) -> Shape {
        match stoa_cql::parse(text).unwrap().statement {
            Statement::CreateTable(table) => Shape::of(&table),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn columns_are_told_apart() {
        let shape = shape(
            "CREATE TABLE k.\"T\" (a int, b int, c text, s int STATIC, \"V\" list<int>, \
             f frozen<list<int>>, PRIMARY KEY ((a, b), c)) WITH default_time_to_live = 60",
        );
        assert_eq!(shape.table, "k.\"T\"");
        assert_eq!((shape.partition.len(), shape.clustering.len()), (2, 1));
        assert_eq!(shape.statics, ["s"]);
        assert_eq!(shape.regulars, ["\"V\"", "f"]);
        assert_eq!(shape.lists.len(), 1);
        assert!(shape.has_default_ttl && !shape.is_counter);
        assert_eq!(
            shape.select(),
            "SELECT a, b, c, s, WRITETIME(s), TTL(s), \"V\", WRITETIME(\"V\"), TTL(\"V\"), f, \
             WRITETIME(f), TTL(f) FROM k.\"T\""
        );
    }

    #[test]
    fn counters_have_no_times() {
        let shape = shape("CREATE TABLE k.t (a int PRIMARY KEY, n counter)");
        assert!(shape.is_counter && !shape.has_default_ttl);
        assert_eq!(shape.select(), "SELECT a, n FROM k.t");
    }
}
