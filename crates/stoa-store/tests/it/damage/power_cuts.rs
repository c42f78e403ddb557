//! E1: a power cut at any moment of the workload.

use stoa_testkit::powercut::{Campaign, Discipline, Disk, Recorder, Strace, Workshop};

use super::child;
use super::plan::{Plan, Shape};
use super::suite::{Effort, WORKERS, shared};
use super::tally::Tally;
use super::verify::{Bounds, check_folder, must_open};
use super::workload::{self, Mode};

/// One recording and how much of the images come from it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub(crate) shape: Shape,
    pub(crate) mode: Mode,
    pub(crate) discipline: Discipline,
    /// In hundredths.
    pub(crate) share: u64,
}

const fn source(shape: Shape, mode: Mode, discipline: Discipline, share: u64) -> Source {
    Source {
        shape,
        mode,
        discipline,
        share,
    }
}

/// The recordings of the suite.
pub(crate) const SOURCES: [Source; 4] = [
    source(Shape::Small, Mode::Group, Discipline::Ext4, 45),
    source(Shape::Small, Mode::Group, Discipline::Strict, 30),
    source(Shape::Small, Mode::Periodic, Discipline::Ext4, 23),
    source(Shape::Rotation, Mode::Group, Discipline::Ext4, 2),
];

/// Cuts the workload of every source.
pub(crate) fn run(strace: Strace, effort: &Effort, sources: &[Source]) -> Tally {
    let mut tally = Tally::new("power-cuts", effort.seed);
    for (place, source) in sources.iter().enumerate() {
        let wanted = effort.count * source.share / 100;
        // Each source has a workload of its own.
        let seed = effort.seed + place as u64;
        tally.add(cut(strace, effort, *source, seed, wanted));
    }
    tally
}

/// Records a workload.
pub(crate) fn record(strace: Strace, source: Source, seed: u64) -> Disk {
    let workshop = Workshop::new().expect("a folder in memory");
    let aside = Workshop::new().expect("a folder in memory");
    let task = workload::task(
        child::word(workshop.folder()),
        source.shape,
        seed,
        source.mode,
        u64::MAX,
    );
    let task: Vec<&str> = task.iter().map(String::as_str).collect();
    let recorder = Recorder::new(strace, aside.folder().join("announcements"));
    let recording = recorder
        .record(workshop.folder(), &child::command(&task))
        .unwrap_or_else(|error| panic!("{source:?}, seed {seed}: {error}"));
    assert!(
        recording.run.status.success(),
        "{source:?}, seed {seed}: {}",
        String::from_utf8_lossy(&recording.run.stderr)
    );
    recording.disk
}

fn cut(strace: Strace, effort: &Effort, source: Source, seed: u64, wanted: u64) -> Tally {
    let disk = record(strace, source, seed);
    let plan = Plan::new(source.shape, seed);
    let mut tally = shared(effort, |worker, tally| {
        let share = (worker, WORKERS);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        let mut workshop = Workshop::new().expect("a folder in memory");
        for image in Campaign::share(&disk, source.discipline, seed, wanted, share) {
            workshop.lay(&image).expect("an image can be laid out");
            let bounds = Bounds::of(image.expectations());
            let verdict = must_open(check_folder(workshop.folder(), &plan, bounds));
            let Source { shape, mode, .. } = source;
            let case = format!(
                "{shape:?} {mode:?} {:?} (workload seed {seed}), {image}",
                source.discipline
            );
            tally.count(&case, verdict);
            effort.progress(1);
        }
    });
    let operations = disk.operations().len() as u64;
    let name = format!(
        "{:?} {:?} {:?}",
        source.shape, source.mode, source.discipline
    );
    tally.note(&format!("recorded operations, {name}"), operations);
    let points = tally.points;
    tally.note(&format!("images, {name}"), points);
    tally
}
