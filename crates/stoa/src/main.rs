//! The stoa command.

fn main() {}
