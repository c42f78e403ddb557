//! E5 and E6: the disk is full at some write, or a sync fails.

use std::path::Path;
use std::process::Command;

use stoa_store::table::TableId;
use stoa_store::{CommitMode, Store, StoreError};
use stoa_testkit::powercut::{
    Announcer, Discipline, Fault, FaultError, FaultRun, Recorder, SYNCING_CALLS, Strace,
    WRITING_CALLS, When, Workshop,
};

use super::child;
use super::content::{advance, make_change_once, open, start_clock};
use super::plan::{Plan, Shape, Step};
use super::power_cuts::spread;
use super::suite::{Effort, WORKERS, shared};
use super::tally::{Tally, Verdict};
use super::verify::{Bounds, check_folder, check_store, must_open};

/// How often something that failed is tried again before the program gives up.
const TRIES: usize = 40;
/// A program that takes longer than this many seconds is hung.
const HUNG_SECONDS: &str = "120";

fn program(folder: &Path, seed: u64) -> Command {
    let seed = seed.to_string();
    let inner = child::command(&["faulty", child::word(folder), &seed]);
    let mut command = Command::new("timeout");
    command.args(["-s", "KILL", HUNG_SECONDS]);
    command.arg(inner.get_program()).args(inner.get_args());
    command.envs(
        inner
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?))),
    );
    command
}

/// Lets the disk be full from every write on, for good or for a while.
pub(crate) fn run_full(strace: Strace, effort: &Effort) -> Tally {
    let mut tally = Tally::new("disk-full", effort.seed);
    let most = count(strace, effort.seed, &WRITING_CALLS);
    tally.add(shared(effort, |worker, tally| {
        for case in (worker as u64..effort.count).step_by(WORKERS) {
            // Every write in turn, each time with another window, then another workload.
            let spread = case * 3 * most / effort.count.min(3 * most).max(1);
            let (number, window) = (spread % most + 1, spread / most % 3);
            let seed = effort.seed + spread / (3 * most);
            let number = u16::try_from(number).unwrap_or(u16::MAX);
            let when = match window {
                0 => When::Between(number, number + 2),
                1 => When::From(number),
                _ => When::Between(number, number + 15),
            };
            let verdict = fill(strace, seed, when, tally);
            tally.count(&format!("{when:?} (workload seed {seed})"), verdict);
            effort.progress(1);
        }
    }));
    tally.note("calls of one thread that write", most);
    tally
}

fn count(strace: Strace, seed: u64, calls: &[&str]) -> u64 {
    let place = Workshop::new().expect("a folder in memory");
    let aside = Workshop::new().expect("a folder in memory");
    let said = aside.folder().join("announcements");
    let counted = strace.count(calls, &[], &said, &program(place.folder(), seed));
    counted.expect("the program can be counted").most
}

fn fill(strace: Strace, seed: u64, when: When, tally: &mut Tally) -> Verdict {
    let place = Workshop::new().expect("a folder in memory");
    let aside = Workshop::new().expect("a folder in memory");
    let fault = Fault::new(&WRITING_CALLS, FaultError::NoSpace, when);
    let said = aside.folder().join("announcements");
    let ran = strace.run_with_fault(&fault, &said, &program(place.folder(), seed));
    let ran = ran.expect("the program can be run");
    tally.note("calls failed", ran.injected);
    let verdict = judge(&ran, when, tally);
    if !matches!(verdict, Verdict::Right(_)) {
        return verdict;
    }
    let plan = Plan::new(Shape::Short, seed);
    must_open(check_folder(
        place.folder(),
        &plan,
        bounds(&ran.announcements),
    ))
}

fn bounds(lines: &[String]) -> Bounds {
    let number = |word: &str| {
        let numbers = lines.iter().filter_map(|line| line.strip_prefix(word));
        numbers.filter_map(|it| it.trim().parse::<u64>().ok()).max()
    };
    Bounds {
        at_least: number("ack ").max(number("read ")).unwrap_or(0),
        at_most: number("begin ").unwrap_or(0),
    }
}

/// What the program's own words say about a run.
fn judge(ran: &FaultRun, when: When, tally: &mut Tally) -> Verdict {
    let lines = &ran.announcements;
    for line in lines.iter().filter_map(|it| it.strip_prefix("failed ")) {
        tally.note(&super::tally::gist(line), 1);
    }
    if !lines.iter().any(|line| line == "start") {
        tally.note("the program was not reached", 1);
        return Verdict::Right(0);
    }
    let wrong = |line: &&String| line.starts_with("wrong ");
    if let Some(line) = lines.iter().find(wrong) {
        return Verdict::Silent(line.clone());
    }
    if !ran.run.status.success() {
        let words = String::from_utf8_lossy(&ran.run.stderr).into_owned();
        return Verdict::Dead(format!("{}: {words}", ran.run.status));
    }
    let done = lines.iter().any(|line| line == "done");
    // Calls are counted for each thread, and opening the files again starts new ones: then the
    // fault comes again and again.
    let came_back = match when {
        When::Once(_) => ran.injected <= 1,
        When::Between(first, last) => ran.injected <= u64::from(last - first) + 1,
        When::From(_) => false,
    };
    if came_back && !done {
        let last = lines.iter().rev().find(|line| line.starts_with("failed "));
        return Verdict::Lost(format!("writes did not go on: {last:?}"));
    }
    tally.note(if done { "went on" } else { "gave up" }, 1);
    Verdict::Right(0)
}

/// Lets syncs fail once or for good, and cuts the power afterwards.
pub(crate) fn run_syncs(strace: Strace, effort: &Effort) -> Tally {
    let mut tally = Tally::new("sync-fails", effort.seed);
    let most = count(strace, effort.seed, &SYNCING_CALLS);
    tally.add(shared(effort, |worker, tally| {
        for case in (worker as u64..effort.count).step_by(WORKERS) {
            let spread = case * 2 * most / effort.count.min(2 * most).max(1);
            let number = u16::try_from(spread % most + 1).unwrap_or(u16::MAX);
            let seed = effort.seed + spread / (2 * most);
            let when = match spread / most % 2 {
                0 => When::Once(number),
                _ => When::From(number),
            };
            let verdict = fail_sync(strace, seed, when, tally);
            tally.count(&format!("{when:?} (workload seed {seed})"), verdict);
            effort.progress(1);
        }
    }));
    tally.note("calls of one thread that sync", most);
    tally
}

/// How many power cuts follow each run with a failed sync.
const CUTS: u64 = 8;

fn fail_sync(strace: Strace, seed: u64, when: When, tally: &mut Tally) -> Verdict {
    let mut place = Workshop::new().expect("a folder in memory");
    let aside = Workshop::new().expect("a folder in memory");
    let said = aside.folder().join("announcements");
    let fault = Fault::new(&SYNCING_CALLS, FaultError::InputOutput, when);
    let recorder = Recorder::new(strace, &said).with_fault(fault);
    let recording = recorder
        .record(place.folder(), &program(place.folder(), seed))
        .unwrap_or_else(|error| panic!("{when:?}, seed {seed}: {error}"));
    tally.note("calls failed", recording.injected);
    let own = recording.disk.announcements().own();
    let ran = FaultRun {
        run: recording.run,
        announcements: own.iter().map(|one| one.line.clone()).collect(),
        injected: recording.injected,
    };
    let verdict = judge(&ran, when, tally);
    if !matches!(verdict, Verdict::Right(_)) {
        return verdict;
    }
    let plan = Plan::new(Shape::Short, seed);
    let after = check_folder(place.folder(), &plan, bounds(&ran.announcements));
    if !matches!(after, Verdict::Right(_)) {
        return must_open(after);
    }
    for image in spread(&recording.disk, Discipline::Ext4, seed, CUTS) {
        place.lay(&image).expect("an image can be laid out");
        let bounds = Bounds::of(image.expectations());
        tally.note("power cuts after it", 1);
        match must_open(check_folder(place.folder(), &plan, bounds)) {
            Verdict::Right(_) => {}
            Verdict::Lost(what) => return Verdict::Lost(format!("{image}: {what}")),
            Verdict::Silent(what) => return Verdict::Silent(format!("{image}: {what}")),
            other => return other,
        }
    }
    Verdict::Right(0)
}

/// The program under test: does a plan and tries again what fails.
pub(crate) fn run_child(words: &[String]) {
    let [folder, seed] = words else {
        panic!("a folder and a seed")
    };
    let plan = Plan::new(Shape::Short, seed.parse().expect("a seed"));
    let voice = Announcer::of_environment().expect("a place to announce");
    let program = Program {
        plan: &plan,
        voice: voice.expect("a place to announce"),
    };
    program.say("start");
    program.run(Path::new(folder));
}

struct Program<'a> {
    plan: &'a Plan,
    voice: Announcer,
}

impl Program<'_> {
    fn say(&self, line: &str) {
        let line = line.replace('\n', " ");
        self.voice.say(&line).expect("an announcement");
    }

    fn run(&self, folder: &Path) {
        let clock = start_clock();
        let opened = self.try_often("open", &|| open(folder, CommitMode::Group, &clock));
        let Some(store) = opened else { return };
        let mut acknowledged = 0;
        for step in &self.plan.steps {
            let kept = match step {
                Step::Change { number, kind } => {
                    self.say(&format!("begin {number}"));
                    let kept = self.try_often("change", &|| {
                        let made = make_change_once(&store, *number, kind);
                        if made.is_err() {
                            self.read(&store, acknowledged, *number);
                        }
                        made
                    });
                    if kept.is_some() {
                        self.say(&format!("ack {number}"));
                        acknowledged = *number;
                    }
                    kept
                }
                Step::Flush => self.try_often("flush", &|| self.mend(&store, Store::flush)),
                Step::Compact(table) => self.try_often("compact", &|| {
                    self.mend(&store, |it| it.compact(TableId(*table)))
                }),
                Step::Purge => self.try_often("purge", &|| self.mend(&store, Store::purge)),
                Step::Housekeep => {
                    advance(&clock);
                    self.try_often("housekeep", &|| self.mend(&store, Store::housekeep))
                }
                Step::Sync | Step::Reopen { .. } => Some(()),
            };
            if kept.is_none() {
                return;
            }
        }
        self.read(&store, acknowledged, acknowledged);
        if self.try_often("close", &|| store.close()).is_some() {
            self.say("done");
        }
    }

    /// Does regular work; after a failure only a write opens the files again.
    fn mend(
        &self,
        store: &Store,
        work: impl Fn(&Store) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let done = work(store);
        if done.is_err() {
            let _ = store.decide(|_| Ok(()));
        }
        done
    }

    fn try_often<R>(&self, what: &str, act: &dyn Fn() -> Result<R, StoreError>) -> Option<R> {
        for _ in 0..TRIES {
            match act() {
                Ok(done) => return Some(done),
                Err(error) => self.say(&format!("failed {what}: {error}")),
            }
        }
        self.say(&format!("gave up {what}"));
        None
    }

    /// Reads go on whatever happened to a write; what they show must stay.
    fn read(&self, store: &Store, at_least: u64, at_most: u64) {
        let bounds = Bounds { at_least, at_most };
        match check_store(store, self.plan, bounds) {
            Verdict::Right(head) => self.say(&format!("read {head}")),
            other => self.say(&format!("wrong after {at_least}: {other:?}")),
        }
    }
}
