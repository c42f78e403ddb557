//! E1: a power cut at any moment of the workload.

use stoa_testkit::powercut::{
    Campaign, Cutter, Discipline, Disk, Image, Recorder, Strace, Workshop,
};
use stoa_testkit::rng::Rng;

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

impl Source {
    fn name(&self) -> String {
        format!("{:?} {:?} {:?}", self.shape, self.mode, self.discipline)
    }
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

/// So many different images from all parts of a recording.
pub(crate) fn spread(disk: &Disk, discipline: Discipline, seed: u64, wanted: u64) -> Vec<Image> {
    let points = disk.cut_points();
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    if wanted >= points.len() {
        return Campaign::new(disk, discipline, seed, wanted).collect();
    }
    // A campaign takes its first images from the first moments: too few would never see the end.
    let mut cutter = Cutter::new(disk, discipline);
    let mut rng = Rng::new(seed);
    let mut images: Vec<Image> = Vec::new();
    for number in 0..wanted {
        let Some(point) = points.get(number * points.len() / wanted) else {
            break;
        };
        let some = cutter.at(*point).images(rng.next_u64(), 6);
        images.extend(rng.pick(&some).cloned());
    }
    images
}

fn cut(strace: Strace, effort: &Effort, source: Source, seed: u64, wanted: u64) -> Tally {
    let disk = record(strace, source, seed);
    let plan = Plan::new(source.shape, seed);
    let check = |image: &Image, workshop: &mut Workshop, tally: &mut Tally| {
        workshop.lay(image).expect("an image can be laid out");
        let bounds = Bounds::of(image.expectations());
        let verdict = must_open(check_folder(workshop.folder(), &plan, bounds));
        let what = source.name();
        tally.count(&format!("{what} (workload seed {seed}), {image}"), verdict);
        effort.progress(1);
    };
    let few = wanted < disk.cut_points().len() as u64;
    let images = match few {
        true => spread(&disk, source.discipline, seed, wanted),
        false => Vec::new(),
    };
    let mut tally = shared(effort, |worker, tally| {
        let mut workshop = Workshop::new().expect("a folder in memory");
        let share = (worker, WORKERS);
        let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
        if few {
            let part = |number: usize| images.len() * number / WORKERS;
            let own = images.iter().take(part(worker + 1)).skip(part(worker));
            own.for_each(|image| check(image, &mut workshop, tally));
        } else {
            Campaign::share(&disk, source.discipline, seed, wanted, share)
                .for_each(|image| check(&image, &mut workshop, tally));
        }
    });
    let operations = disk.operations().len() as u64;
    let name = source.name();
    tally.note(&format!("recorded operations, {name}"), operations);
    let points = tally.points;
    tally.note(&format!("images, {name}"), points);
    tally
}
