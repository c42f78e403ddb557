//! Damage done to the files of a store, and to the process that works on them.
//!
//! The tests run every suite in a small size; `cargo xtask damage` (the example `damage`, which
//! includes this module) runs them in full. Faults are numbered as in `docs/reliability.md`.

mod bit_flips;
pub(crate) mod child;
mod content;
mod disk_faults;
mod folders;
mod hostile;
mod journal_cuts;
mod kills;
#[cfg(test)]
mod openers;
mod plan;
mod power_cuts;
mod recovery;
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
        "journal-cuts" => journal_cuts::run_child(words),
        "bit-flips" => bit_flips::run_child(words),
        "faulty" => disk_faults::run_child(words),
        "kills" => kills::run_child(words),
        "decoders" => hostile::run_decoders(words),
        "folders" => hostile::run_folders(words),
        #[cfg(test)]
        "mortal" => tests::run_mortal(words),
        #[cfg(test)]
        "open" => openers::run_child(words),
        other => panic!("no task {other}"),
    }
}
