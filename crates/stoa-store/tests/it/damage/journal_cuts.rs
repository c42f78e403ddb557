//! E2: the journal is cut at a byte, and what follows is missing, zeros or garbage.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use stoa_testkit::powercut::{Snapshot, Workshop};
use stoa_testkit::rng::Rng;

use super::child::{self, do_cases};
use super::folders::{self, Ending, journals, written};
use super::plan::{Plan, Shape};
use super::suite::Effort;
use super::tally::{Tally, Verdict};
use super::verify::{Bounds, check_folder, must_open};

/// Cuts a journal of forty batches, everywhere if `effort` is large enough.
pub(crate) fn run(effort: &Effort) -> Tally {
    let seed = effort.seed;
    let folder = folders::make(Shape::Journal, seed, Ending::KilledBehindMark);
    let base = Snapshot::of_folder(folder.workshop.folder()).expect("the folder can be read");
    let [journal] = &journals(&base)[..] else {
        panic!("the forty batches are in one journal")
    };
    let every = (written(&base, journal) + 1) * TAILS;
    let cases = effort.count.min(every);
    let (marked, bytes) = folder.marked;
    let words = [seed, marked, bytes, every, cases].map(|it| it.to_string());
    let mut task = vec!["journal-cuts", child::word(folder.workshop.folder())];
    task.extend(words.iter().map(String::as_str));
    let mut tally = Tally::new("journal-cuts", seed);
    tally.add(child::work_through(effort, &task, cases));
    tally.note("bytes of the journal", every / TAILS - 1);
    tally
}

const TAILS: u64 = 3;

/// The child's side.
pub(crate) fn run_child(words: &[String]) {
    let base = Path::new(&words[0]);
    let number = |place: usize| -> u64 { words[place].parse().expect("a number") };
    let [seed, marked, marked_bytes] = [1, 2, 3].map(number);
    let (every, cases) = (number(4), number(5));
    let plan = Plan::new(Shape::Journal, seed);
    let base = Snapshot::of_folder(base).expect("the folder can be read");
    let [journal] = &journals(&base)[..] else {
        panic!("the forty batches are in one journal")
    };
    let end = written(&base, journal);
    let mut workshop = Workshop::new().expect("a folder in memory");
    do_cases(words, |case| {
        let point = u64::try_from(u128::from(case) * u128::from(every) / u128::from(cases));
        let (cut, tail) = {
            let point = point.expect("a case of the journal");
            (point / TAILS, point % TAILS)
        };
        workshop.lay_snapshot(&base).expect("the folder is laid");
        let path = workshop.folder().join(journal);
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .expect("a journal");
        match tail {
            0 => file.set_len(cut).expect("a cut"),
            1 => file
                .write_all_at(&vec![0; (end - cut) as usize], cut)
                .expect("zeros"),
            _ => {
                let mut rng = Rng::new(seed ^ cut);
                let garbage = (cut..end).map(|_| rng.next_u64() as u8);
                file.write_all_at(&garbage.collect::<Vec<u8>>(), cut)
                    .expect("garbage");
            }
        }
        drop(file);
        let bounds = Bounds {
            at_least: marked,
            at_most: plan.last(),
        };
        let verdict = check_folder(workshop.folder(), &plan, bounds);
        match verdict {
            // Above the mark only garbage may be refused.
            Verdict::Named(_) if tail < 2 && cut >= marked_bytes => must_open(verdict),
            Verdict::Right(_) if cut < marked_bytes => {
                Verdict::Silent(format!("cut at {cut}, below the mark, and not reported"))
            }
            other => other,
        }
    });
}
