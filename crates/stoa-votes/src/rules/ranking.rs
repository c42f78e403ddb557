//! Rankings: what each policy is worth by every measure, the orders that follow, and where one
//! stands among others.
//!
//! Invariants:
//! 1. A board is made of values and never changes. Whatever is read of one board fits together: no
//!    policy is twice in a list, and neighbours are those of the list.
//! 2. Every order is total: the greater value first, then the older policy, then the identifier.
//! 3. Time alone changes no order but that of windows of days, which change at midnight.

pub mod board;
pub mod breadth;
pub mod cursor;
pub mod days;
pub mod earlier;
pub mod filter;
pub mod line;
pub mod neighbours;
pub mod order;
#[cfg(test)]
mod tests;

pub use board::{MOST_ON_PAGE, RankedLine, RankingBoard, RankingPage};
pub use line::Line;
pub use neighbours::{Neighbour, Neighbours};
