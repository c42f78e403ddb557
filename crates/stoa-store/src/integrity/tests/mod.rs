//! Tests of the integrity checks against real fjall databases.

mod cuts;
mod deletions;
mod fixture;
mod flips;
mod fuzz;
mod slots;
mod whole;
