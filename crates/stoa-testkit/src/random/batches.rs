//! BATCH, as a statement and as a message.

use super::Generator;
use super::draft::{Draft, Values};
use super::family::Family;
use super::table::Table;
use super::writes::{Manner, Stamp};

impl Generator {
    /// A batch of writes to a table.
    pub(super) fn batch(&mut self, table: &Table) -> (Family, Draft) {
        if table.is_counter {
            return (Family::Counter, self.counter_batch(table));
        }
        let is_conditional = self.rng.chance(self.swarm.conditional / 2);
        let is_message = self.rng.chance(30);
        let values = match is_message {
            true => Values::Literal,
            false => self.values(),
        };
        let is_stamped = !is_conditional && self.rng.chance(50);
        let stamp = match is_stamped || is_conditional {
            true => Stamp::Other,
            false => Stamp::Statement,
        };
        let is_one = is_conditional || self.rng.chance(50);
        let mut manner = Manner {
            values,
            partition: is_one.then(|| table.partition(&mut self.rng)),
            stamp,
            is_conditional: false,
        };
        let time = match table.expires {
            true => self.times.unique(),
            false => self.times.next(&mut self.rng),
        };
        let kind = self
            .rng
            .weighted(&[(60, "logged"), (40, "unlogged")])
            .copied();
        let mut draft = Draft::new(values);
        if !is_message {
            draft.add(if kind == Some("logged") {
                "BEGIN BATCH"
            } else {
                "BEGIN UNLOGGED BATCH"
            });
            if is_stamped {
                draft.add(&format!(" USING TIMESTAMP {time}"));
            }
            draft.add(" ");
        }
        let count = 1 + self.rng.index(4);
        for number in 0..count {
            manner.is_conditional = is_conditional && (number == 0 || self.rng.chance(30));
            let (_, write) = self.write(table, &manner);
            draft.append(&write);
            draft.add("; ");
        }
        match is_message {
            true => {
                draft.direct(format!("batch {}", kind.unwrap_or("logged")));
                if is_stamped {
                    draft.direct(format!("timestamp {time}"));
                }
            }
            false => draft.add("APPLY BATCH"),
        }
        let family = if is_conditional {
            Family::BatchIf
        } else {
            Family::Batch
        };
        (family, draft)
    }

    fn counter_batch(&mut self, table: &Table) -> Draft {
        let manner = self.plain_manner();
        let mut draft = Draft::new(manner.values);
        draft.add("BEGIN COUNTER BATCH ");
        for _ in 0..=self.rng.index(3) {
            let write = self.update(table, &manner);
            draft.append(&write);
            draft.add("; ");
        }
        draft.add("APPLY BATCH");
        draft
    }
}
