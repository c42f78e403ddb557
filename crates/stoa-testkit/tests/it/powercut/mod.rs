//! Power cuts of a small program that is right, and of ones with a planted mistake,
//! which must be caught.
//!
//! The program is this test binary itself: the test [`program`] does nothing unless
//! another test starts it again with [`FOLDER`] set.

mod log;
mod probe;
mod recording;

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    process::Command,
};

use log::Mistake;
use stoa_testkit::powercut::{
    CallCount, Campaign, Cutter, Discipline, Disk, Fault, FaultError, Image, Recorder, Recording,
    SYNCING_CALLS, Snapshot, Strace, Unavailable, WRITING_CALLS, When, Workshop, materialize,
};

/// The variable with the folder to work in.
const FOLDER: &str = "STOA_TEST_FOLDER";
/// The variable with what to do.
const TASK: &str = "STOA_TEST_TASK";

/// A strace that works, or nothing if the runner skips this part.
fn strace() -> Option<Strace> {
    match Strace::probe() {
        Ok(strace) => Some(strace),
        Err(reason @ Unavailable::Skipped) => {
            eprintln!("SKIPPED: power cuts: {reason}");
            None
        }
        Err(reason) => panic!("{reason}; set STOA_SKIPPED=powercut to go without"),
    }
}

#[test]
fn program() {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let task = std::env::var(TASK).unwrap();
    if let Some(task) = task.strip_prefix("log ") {
        let (mistake, first) = task.split_once(' ').unwrap();
        let first = first.parse().unwrap();
        log::run(&folder, Mistake::named(mistake), first..first + 6);
    } else if task == "probe" {
        probe::run();
    } else {
        recording::run(&folder, &task);
    }
}

fn this_program(folder: &Path, task: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "powercut::program", "--nocapture"]);
    command.env(FOLDER, folder).env(TASK, task);
    command
}

/// Two folders: one to record, and one for announcements.
struct Bench {
    workshop: Workshop,
    aside: Workshop,
    strace: Strace,
}

impl Bench {
    fn new() -> Option<Self> {
        let strace = strace()?;
        Some(Self {
            workshop: Workshop::new().unwrap(),
            aside: Workshop::new().unwrap(),
            strace,
        })
    }

    fn said(&self) -> PathBuf {
        self.aside.folder().join("announcements")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.workshop.folder().join(name)
    }

    fn recorder(&self) -> Recorder {
        Recorder::new(self.strace, self.said())
    }

    fn program(&self, task: &str) -> Command {
        this_program(self.workshop.folder(), task)
    }

    fn record(&self, task: &str) -> Recording {
        let recording = self
            .recorder()
            .record(self.workshop.folder(), &self.program(task));
        let recording = recording.unwrap_or_else(|error| panic!("{error}"));
        let said = String::from_utf8_lossy(&recording.run.stdout).into_owned();
        assert!(recording.run.status.success(), "{said}");
        recording
    }
}

/// What is wrong with an image, if anything.
fn complaint(image: &Image, folder: &Path) -> Option<String> {
    let found = match log::read(folder) {
        Ok((found, _)) => found,
        Err(damage) => return Some(format!("{image}: {damage}")),
    };
    let expected = image.expectations();
    let lost: BTreeSet<_> = &expected.certain_numbers("ack") - &found;
    let strange: BTreeSet<_> = &found - &expected.possible_numbers("begin");
    let wrong = !lost.is_empty() || !strange.is_empty();
    wrong.then(|| format!("{image}: lost {lost:?}, never begun {strange:?}"))
}

/// Tries all images of all moments where there are few, and some where there are many.
/// Returns how many, and the complaints.
fn try_all(disk: &Disk, discipline: Discipline) -> (usize, Vec<String>) {
    let mut workshop = Workshop::new().unwrap();
    let mut cutter = Cutter::new(disk, discipline);
    let mut complaints = Vec::new();
    let mut tried = 0;
    for point in disk.cut_points() {
        let cut = cutter.at(point);
        let images = cut.every_image(256).unwrap_or_else(|| cut.images(1, 40));
        assert!(!images.is_empty());
        tried += images.len();
        for image in &images {
            let folder = workshop.lay(image).unwrap();
            complaints.extend(complaint(image, folder));
        }
    }
    (tried, complaints)
}

#[test]
fn a_right_log_survives_every_cut() {
    let Some(bench) = Bench::new() else { return };
    let recording = bench.record("log None 1");
    assert_eq!(recording.disk.announcements().own().len(), 12);
    for discipline in [Discipline::Ext4, Discipline::Strict] {
        let (tried, complaints) = try_all(&recording.disk, discipline);
        assert!(tried > 200, "only {tried}");
        assert_eq!(complaints, Vec::<String>::new());
    }
}

#[test]
fn an_image_can_be_kept_to_look_at_it() {
    let Some(bench) = Bench::new() else { return };
    let disk = bench.record("log None 1").disk;
    let image = Campaign::new(&disk, Discipline::Ext4, 1, 200)
        .last()
        .unwrap();
    let folder = bench.aside.folder().join("kept");
    materialize(&image, &folder).unwrap();
    let found = Snapshot::of_folder(&folder).unwrap();
    assert_eq!(found.first_difference(image.snapshot()), None);
    let again = materialize(&image, &folder).unwrap_err();
    assert_eq!(again.kind(), std::io::ErrorKind::DirectoryNotEmpty);
}

#[test]
fn an_acknowledgement_before_the_sync_is_caught() {
    let Some(bench) = Bench::new() else { return };
    let recording = bench.record("log EarlyAck 1");
    let (_, complaints) = try_all(&recording.disk, Discipline::Ext4);
    assert!(
        complaints.iter().any(|one| one.contains("lost {1}")),
        "{complaints:?}"
    );
}

#[test]
fn a_missing_sync_of_the_folder_is_caught_by_the_strict_rules() {
    let Some(bench) = Bench::new() else { return };
    let recording = bench.record("log NoFolderSync 1");
    let (_, complaints) = try_all(&recording.disk, Discipline::Strict);
    assert!(
        complaints.iter().any(|one| one.contains("lost {1}")),
        "{complaints:?}"
    );
}

#[test]
fn a_rename_before_the_sync_of_the_content_is_caught() {
    let Some(bench) = Bench::new() else { return };
    let recording = bench.record("log EarlyRename 1");
    let (_, complaints) = try_all(&recording.disk, Discipline::Ext4);
    assert!(
        complaints.iter().any(|one| one.contains("damaged")),
        "{complaints:?}"
    );
}

/// Cuts the recovery of some images of a recording. Returns the complaints.
fn try_recoveries(bench: &mut Bench, mistake: Mistake) -> Vec<String> {
    let disk = bench.record("log None 1").disk;
    let images: Vec<_> = Campaign::new(&disk, Discipline::Ext4, 2, 120).collect();
    assert_eq!(images.len(), 120);
    let mut complaints = Vec::new();
    for image in images.iter().step_by(30) {
        let program = bench.program(&format!("log {mistake:?} 11"));
        let recorder = bench.recorder();
        let nested = recorder.record_on(&mut bench.workshop, image, &program);
        let nested = nested
            .unwrap_or_else(|error| panic!("{image}: {error}"))
            .disk;
        complaints.extend(try_all(&nested, Discipline::Ext4).1);
        // Once more: the recovery of a cut recovery.
        let again = Campaign::new(&nested, Discipline::Ext4, 3, 60)
            .last()
            .unwrap();
        let program = bench.program(&format!("log {mistake:?} 21"));
        let nested = recorder.record_on(&mut bench.workshop, &again, &program);
        let nested = nested
            .unwrap_or_else(|error| panic!("{again}: {error}"))
            .disk;
        complaints.extend(try_all(&nested, Discipline::Ext4).1);
    }
    complaints
}

#[test]
fn a_right_recovery_survives_cuts_and_cuts_of_its_own_recovery() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    assert_eq!(
        try_recoveries(&mut bench, Mistake::None),
        Vec::<String>::new()
    );
}

#[test]
fn a_recovery_that_empties_the_log_first_is_caught() {
    let Some(mut bench) = Bench::new() else {
        return;
    };
    let complaints = try_recoveries(&mut bench, Mistake::HastyRecovery);
    assert!(
        complaints.iter().any(|one| one.contains("lost {")),
        "{complaints:?}"
    );
}

#[test]
fn a_full_disk_is_reported_at_every_write() {
    let paths = |bench: &Bench| ["log", "checkpoint.new"].map(|name| bench.at(name));
    let Some(bench) = Bench::new() else { return };
    let program = bench.program("log None 1");
    let count = bench
        .strace
        .count(&WRITING_CALLS, &paths(&bench), &bench.said(), &program);
    // Six records and a checkpoint are written; twice the log is emptied, which the tool
    // counts by itself.
    assert_eq!(count.unwrap(), CallCount { total: 9, most: 7 });
    for number in 1..=7 {
        let Some(bench) = Bench::new() else { return };
        let fault = Fault::new(&["write"], FaultError::NoSpace, When::From(number));
        let (fault, program) = (fault.on(paths(&bench)), bench.program("log None 1"));
        let ran = bench
            .strace
            .run_with_fault(&fault, &bench.said(), &program)
            .unwrap();
        assert!(ran.run.status.success());
        assert_eq!(ran.injected, 1);
        let last = ran.announcements.last().unwrap();
        assert!(last.contains("refused: No space left"), "{last}");
        let (found, _) = log::read(bench.workshop.folder()).unwrap();
        let acks = ran
            .announcements
            .iter()
            .filter(|line| line.starts_with("ack "))
            .count();
        assert_eq!(found.len(), acks, "write {number}");
    }
}

/// Lets each sync fail once, and cuts what comes of it. Returns the complaints.
fn try_failed_syncs(mistake: Mistake) -> Option<Vec<String>> {
    let mut complaints = Vec::new();
    for number in 1..=4 {
        let bench = Bench::new()?;
        let fault = Fault::new(&SYNCING_CALLS, FaultError::InputOutput, When::Once(number));
        let program = bench.program(&format!("log {mistake:?} 1"));
        let recorder = bench.recorder().with_fault(fault);
        let recording = recorder.record(bench.workshop.folder(), &program).unwrap();
        assert!(recording.injected > 0);
        complaints.extend(try_all(&recording.disk, Discipline::Ext4).1);
    }
    Some(complaints)
}

#[test]
fn a_log_that_stops_at_a_failed_sync_loses_nothing() {
    let Some(complaints) = try_failed_syncs(Mistake::None) else {
        return;
    };
    assert_eq!(complaints, Vec::<String>::new());
}

#[test]
fn a_log_that_believes_the_second_sync_is_caught() {
    let Some(complaints) = try_failed_syncs(Mistake::RetriedSync) else {
        return;
    };
    assert!(
        complaints.iter().any(|one| one.contains("lost {")),
        "{complaints:?}"
    );
}
