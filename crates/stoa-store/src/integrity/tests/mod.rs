//! Tests of the integrity checks against real fjall databases.

mod broken_lists;
mod cuts;
mod deletions;
mod fixture;
mod flips;
mod fuzz;
mod slots;
mod whole;
