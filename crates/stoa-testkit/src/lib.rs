#![doc = include_str!("../README.md")]

pub mod answer;
pub mod facts;
pub mod model;
pub mod operations;
pub mod rng;
mod text;
