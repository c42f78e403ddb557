//! An order of the lines of a board: the greater value first; among equals as the lines are, the
//! older first.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// A place in a list of lines.
pub(super) type LineNumber = u32;

/// All lines of a board by one measure.
#[derive(Debug)]
pub(super) struct Order {
    entries: Vec<(i64, LineNumber)>,
}

impl Order {
    /// The order of values, which are given in the order of lines.
    pub(super) fn new(values: impl Iterator<Item = i64>) -> Self {
        let mut entries: Vec<(i64, LineNumber)> = values.zip(0..).collect();
        entries.sort_unstable_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(&other.1)));
        Self { entries }
    }

    pub(super) fn entries(&self) -> &[(i64, LineNumber)] {
        &self.entries
    }

    /// How many come before what has this value and would stand before the line of this number.
    pub(super) fn before(&self, value: i64, number: LineNumber) -> usize {
        self.entries
            .partition_point(|it| it.0 > value || (it.0 == value && it.1 < number))
    }
}

/// How many windows of days a board knows the orders of.
const MOST_WINDOWS: usize = 8;

/// The orders of windows of days, made when somebody asks.
#[derive(Debug, Default)]
pub(super) struct Windows(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    asked: u64,
    orders: BTreeMap<u16, (u64, Arc<Order>)>,
}

impl Windows {
    /// The order of a window; made unless it is known.
    pub(super) fn order(&self, days: u16, make: impl FnOnce() -> Order) -> Arc<Order> {
        if let Some(order) = self.known(days) {
            return order;
        }
        // Made outside the lock: others who ask for what is known do not wait.
        let order = Arc::new(make());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.asked += 1;
        let asked = known.asked;
        if known.orders.len() >= MOST_WINDOWS {
            let oldest = known.orders.iter().min_by_key(|(_, it)| it.0);
            if let Some(days) = oldest.map(|(days, _)| *days) {
                known.orders.remove(&days);
            }
        }
        known.orders.insert(days, (asked, Arc::clone(&order)));
        order
    }

    fn known(&self, days: u16) -> Option<Arc<Order>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.asked += 1;
        let asked = known.asked;
        let (last, order) = known.orders.get_mut(&days)?;
        *last = asked;
        Some(Arc::clone(order))
    }

    /// The windows whose orders are known.
    pub(super) fn days(&self) -> Vec<u16> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.orders.keys().copied().collect()
    }
}
