//! E4: a power cut during the recovery from a power cut.

use stoa_testkit::powercut::{Image, Recorder, Strace, Workshop};

use super::child;
use super::plan::{Plan, Shape};
use super::power_cuts::{Source, record, spread};
use super::suite::{Effort, WORKERS, shared};
use super::tally::{Tally, Verdict};
use super::verify::{Bounds, check_folder, must_open};
use super::workload::{self, Mode};

/// How many cuts there are of each recovery.
const CUTS: u64 = 50;

/// The recovery opens the store and makes this many changes more.
const CHANGES: u64 = 2;

/// One recovery in so many is recorded besides: some write so little that they have fewer moments
/// than [`CUTS`].
const SPARE: u64 = 20;

/// Cuts the recoveries of images of a workload: as many as give the wanted number of points, and a
/// few more.
pub(crate) fn run(strace: Strace, effort: &Effort, source: Source) -> Tally {
    let seed = effort.seed;
    let mut tally = Tally::new("recovery", seed);
    let disk = record(strace, source, seed);
    let plan = Plan::new(source.shape, seed);
    let needed = effort.count.div_ceil(CUTS);
    let recoveries = needed + needed.div_ceil(SPARE);
    let chosen = spread(&disk, source.discipline, seed, recoveries);
    tally.add(shared(effort, |worker, tally| {
        for image in chosen.iter().skip(worker).step_by(WORKERS) {
            let case = format!("recovery of {image} (workload seed {seed})");
            cut(strace, source, (&plan, seed), image, effort, tally, &case);
        }
    }));
    tally.note("recoveries recorded", chosen.len() as u64);
    tally
}

fn cut(
    strace: Strace,
    source: Source,
    (plan, seed): (&Plan, u64),
    image: &Image,
    effort: &Effort,
    tally: &mut Tally,
    case: &str,
) {
    let mut workshop = Workshop::new().expect("a folder in memory");
    let aside = Workshop::new().expect("a folder in memory");
    let folder = child::word(workshop.folder()).to_owned();
    let Source { shape, mode, .. } = source;
    let task = workload::task(&folder, shape, seed, mode, CHANGES);
    let task: Vec<&str> = task.iter().map(String::as_str).collect();
    let recorder = Recorder::new(strace, aside.folder().join("announcements"));
    let recording = recorder
        .record_on(&mut workshop, image, &child::command(&task))
        .unwrap_or_else(|error| panic!("{case}: {error}"));
    if !recording.run.status.success() {
        let words = String::from_utf8_lossy(&recording.run.stderr).into_owned();
        tally.count(case, Verdict::Dead(words));
        return;
    }
    for nested in spread(&recording.disk, source.discipline, seed, CUTS) {
        workshop.lay(&nested).expect("an image can be laid out");
        let bounds = Bounds::of(nested.expectations());
        let verdict = must_open(check_folder(workshop.folder(), plan, bounds));
        tally.count(&format!("{case}, again {nested}"), verdict);
        effort.progress(1);
    }
}

/// The workload whose recovery is cut.
pub(crate) const SOURCE: Source = Source {
    shape: Shape::Small,
    mode: Mode::Group,
    discipline: stoa_testkit::powercut::Discipline::Ext4,
    share: 100,
};
