//! SELECT.

use super::Generator;
use super::draft::{Draft, Values};
use super::family::Family;
use super::table::{Column, Place, Table};
use super::term::Term;

impl Generator {
    /// A read of any kind.
    pub(super) fn select(&mut self, table: &Table) -> (Family, Draft) {
        let mut draft = Draft::new(self.values());
        draft.add("SELECT ");
        let json = self.swarm.json / 2;
        let family = match self.rng.below(100) {
            _ if self.rng.chance(json) => {
                draft.add("JSON ");
                self.plain_columns(&mut draft, table);
                Family::SelectJson
            }
            0..52 => {
                self.plain_columns(&mut draft, table);
                Family::Select
            }
            52..78 => {
                self.selectors(&mut draft, table);
                Family::SelectFunctions
            }
            78..93 => {
                self.aggregates(&mut draft, table);
                Family::SelectAggregates
            }
            _ => {
                self.distinct_columns(&mut draft, table);
                Family::SelectDistinct
            }
        };
        draft.add(&format!(" FROM {}", table.name));
        let is_filtering = match family {
            Family::SelectDistinct if self.rng.chance(70) => {
                if self.rng.chance(50) {
                    draft.add(" WHERE ");
                    self.read_partition(&mut draft, table);
                }
                false
            }
            _ => self.read_clause(&mut draft, table),
        };
        let is_grouped = family == Family::SelectAggregates && self.rng.chance(60);
        self.ending(&mut draft, table, is_grouped, is_filtering);
        match table.is_view && family == Family::Select {
            true => (Family::SelectView, draft),
            false => (family, draft),
        }
    }

    /// Everything after WHERE.
    fn ending(&mut self, draft: &mut Draft, table: &Table, is_grouped: bool, is_filtering: bool) {
        if is_grouped {
            self.group_by(draft, table);
        }
        if self.rng.chance(12) {
            self.order_by(draft, table);
        }
        if self.rng.chance(10) {
            draft.add(" PER PARTITION LIMIT ");
            self.limit(draft);
        }
        if self.rng.chance(15) {
            draft.add(" LIMIT ");
            self.limit(draft);
        }
        let allowed = if is_filtering { 85 } else { 6 };
        if self.rng.chance(allowed) {
            draft.add(" ALLOW FILTERING");
        }
        if self.rng.chance(25) {
            let sizes = ["1", "2", "7", "5000", "1 2", "2 7"];
            let size = self.rng.pick(&sizes).copied().unwrap_or("2");
            draft.direct(format!("pages {size}"));
        }
        if !draft.is_bound() && self.rng.chance(8) {
            draft.direct("prepare".to_owned());
        }
    }

    fn limit(&mut self, draft: &mut Draft) {
        let limits = ["1", "2", "3", "5", "100", "2147483647"];
        let limit = match self.rng.chance(3) {
            true => "0",
            false => self.rng.pick(&limits).copied().unwrap_or("1"),
        };
        draft.value(&mut self.rng, &Term::plain(limit));
    }

    fn group_by(&mut self, draft: &mut Draft, table: &Table) {
        let keys: Vec<&Column> = table
            .columns
            .iter()
            .filter(|it| it.place.is_key())
            .collect();
        let partitions = table.partition_key().count();
        let count = match self.rng.chance(90) {
            true => partitions + self.rng.index(keys.len() + 1 - partitions),
            false => 1 + self.rng.index(keys.len()),
        };
        let names: Vec<&str> = keys.iter().take(count).map(|it| it.name.as_str()).collect();
        draft.add(&format!(" GROUP BY {}", names.join(", ")));
    }

    fn order_by(&mut self, draft: &mut Draft, table: &Table) {
        let clustering: Vec<&Column> = table.clustering().collect();
        if clustering.is_empty() {
            return;
        }
        let count = 1 + self.rng.index(clustering.len());
        let is_reversed = self.rng.chance(60);
        let mut parts = Vec::new();
        for column in clustering.into_iter().take(count) {
            let is_descending = column.place
                == Place::Clustering {
                    is_descending: true,
                };
            let is_odd = self.rng.chance(5);
            let word = match (is_descending != is_reversed) != is_odd {
                true => "DESC",
                false => "ASC",
            };
            parts.push(format!("{} {word}", column.name));
        }
        draft.add(&format!(" ORDER BY {}", parts.join(", ")));
    }

    /// All of a table, in one answer.
    pub(super) fn select_all(table: &Table) -> Draft {
        let mut draft = Draft::new(Values::Literal);
        draft.add(&format!("SELECT * FROM {}", table.name));
        draft
    }
}
