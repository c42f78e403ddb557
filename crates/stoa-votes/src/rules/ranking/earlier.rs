//! How policies stood at the end of an earlier day, by what is known of it now.

use std::collections::HashMap;

use super::board::RankingBoard;
use super::order::Order;
use crate::model::{Day, PolicyId, PolicyState, RankingKind};

impl RankingBoard {
    /// The ranks of the active policies at the end of a day, where votes are what counts; none by
    /// other measures. Those that were made later have none.
    #[must_use]
    pub fn ranks_on(&self, kind: RankingKind, day: Day) -> HashMap<PolicyId, usize> {
        let window = match kind {
            RankingKind::Total => None,
            RankingKind::Window(days) => Some(i32::from(days)),
            _ => return HashMap::new(),
        };
        let was_there = |made_micros: i64| Day::of_micros(made_micros) <= day;
        let lines = self.lines().iter();
        let listed: Vec<_> = lines
            .filter(|it| it.state() == PolicyState::Active && was_there(it.created_micros))
            .collect();
        let order = Order::new(listed.iter().map(|line| {
            let before = window.map_or(0, |days| line.total_on(day.plus(-days)));
            line.total_on(day).saturating_sub(before)
        }));
        let ranked = order.entries().iter().zip(1..);
        ranked
            .filter_map(|((_, number), rank)| Some((listed.get(*number as usize)?.policy(), rank)))
            .collect()
    }
}
