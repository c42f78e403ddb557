//! Damage done to the files of a store, and to the process that works on them.
//!
//! The tests run every suite in a small size; `cargo xtask damage` (the example `damage`, which
//! includes this module) runs them in full. Faults are numbered as in `docs/reliability.md`.

pub(crate) mod child;
mod content;
mod plan;
pub(crate) mod power_cuts;
pub(crate) mod suite;
pub(crate) mod tally;
mod verify;
mod workload;

#[cfg(test)]
mod tests;

/// Does the task of a child.
pub(crate) fn run_child(task: &[String]) {
    let (name, words) = task.split_first().expect("a task has a name");
    match name.as_str() {
        "workload" => workload::run(words),
        other => panic!("no task {other}"),
    }
}
