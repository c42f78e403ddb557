//! E3: one bit of one file is flipped, before the store is opened or while it is open.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use stoa_store::CommitMode;
use stoa_testkit::powercut::{Snapshot, Workshop};
use stoa_testkit::rng::Rng;

use super::child::{self, do_cases};
use super::content::{open, start_clock};
use super::folders::{self, Ending, files};
use super::plan::{Plan, Shape};
use super::suite::Effort;
use super::tally::{Tally, Verdict};
use super::verify::{Bounds, check_folder, check_store};

/// When the bit flips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    BeforeOpen,
    WhileOpen,
}

/// Flips bits of a closed store, of a killed one, and of tables while they are read.
pub(crate) fn run(effort: &Effort) -> Tally {
    let mut tally = Tally::new("bit-flips", effort.seed);
    let parts = [
        (Ending::Closed, Moment::BeforeOpen, 45),
        (Ending::Killed, Moment::BeforeOpen, 45),
        (Ending::Closed, Moment::WhileOpen, 10),
    ];
    for (ending, moment, share) in parts {
        let folder = folders::make(Shape::Short, effort.seed, ending);
        let snapshot = Snapshot::of_folder(folder.workshop.folder());
        let snapshot = snapshot.expect("the folder can be read");
        let every = total(&points(&snapshot, moment));
        let cases = (effort.count * share / 100).min(every);
        let words = [effort.seed, every, cases].map(|it| it.to_string());
        let moment = format!("{moment:?}");
        let mut task = vec!["bit-flips", child::word(folder.workshop.folder()), &moment];
        task.extend(words.iter().map(String::as_str));
        tally.add(child::work_through(effort, &task, cases));
        tally.note(&format!("written bytes, {ending:?} {moment}"), every);
        tally.note(&format!("flips, {ending:?} {moment}"), cases);
    }
    tally
}

/// The files whose bytes are flipped. While the store is open only tables are read again.
fn points(snapshot: &Snapshot, moment: Moment) -> Vec<(String, u64)> {
    let all = files(snapshot).into_iter();
    all.filter(|(name, _)| moment == Moment::BeforeOpen || name.contains("/tables/"))
        .collect()
}

fn total(points: &[(String, u64)]) -> u64 {
    points.iter().map(|(_, length)| length).sum()
}

/// The child's side.
pub(crate) fn run_child(words: &[String]) {
    let base = Snapshot::of_folder(Path::new(&words[0])).expect("the folder can be read");
    let moment = match words[1].as_str() {
        "BeforeOpen" => Moment::BeforeOpen,
        _ => Moment::WhileOpen,
    };
    let number = |place: usize| -> u64 { words[place].parse().expect("a number") };
    let [seed, every, cases] = [2, 3, 4].map(number);
    let plan = Plan::new(Shape::Short, seed);
    let bounds = Bounds::exactly(plan.last());
    let points = points(&base, moment);
    let mut workshop = Workshop::new().expect("a folder in memory");
    do_cases(words, |case| {
        let mut place = case * every / cases;
        let file = points.iter().find(|(_, length)| {
            let found = place < *length;
            place -= if found { 0 } else { *length };
            found
        });
        let (file, _) = file.expect("a written byte");
        let bit = Rng::new(seed ^ case).below(8);
        workshop.lay_snapshot(&base).expect("the folder is laid");
        let flip = || flip(&workshop.folder().join(file), place, bit);
        let verdict = match moment {
            Moment::BeforeOpen => {
                flip();
                check_folder(workshop.folder(), &plan, bounds)
            }
            Moment::WhileOpen => {
                let store = open(workshop.folder(), CommitMode::Group, &start_clock());
                let store = store.expect("a whole store opens");
                flip();
                check_store(&store, &plan, bounds)
            }
        };
        let at = |what: String| format!("{file} byte {place} bit {bit}: {what}");
        match verdict {
            Verdict::Lost(what) => Verdict::Lost(at(what)),
            Verdict::Silent(what) => Verdict::Silent(at(what)),
            Verdict::Dead(what) => Verdict::Dead(at(what)),
            other => other,
        }
    });
}

fn flip(path: &Path, place: u64, bit: u64) {
    let file = OpenOptions::new().read(true).write(true).open(path);
    let file = file.expect("a file of the store");
    let mut byte = [0];
    file.read_exact_at(&mut byte, place)
        .expect("a written byte");
    byte[0] ^= 1 << bit;
    file.write_all_at(&byte, place).expect("a flipped byte");
}
