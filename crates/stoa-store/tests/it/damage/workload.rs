//! The program under test: does what a plan says and announces what it promised and saw.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use stoa_store::{CommitMode, Store};
use stoa_testkit::powercut::Announcer;
use stoa_types::clock::ManualClock;

use super::content::{advance, head, make_change, open, periodic, start_clock};
use super::plan::{Plan, Shape, Step};

/// How the workload commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Group,
    /// Changes are promised only by a sync.
    Periodic,
    /// A planted mistake: promises what is not synced.
    EarlyAck,
}

impl Mode {
    pub(crate) fn named(name: &str) -> Self {
        let all = [Self::Group, Self::Periodic, Self::EarlyAck];
        let same = |one: &Self| format!("{one:?}") == name;
        all.into_iter().find(same).expect("a mode")
    }

    fn commits(self) -> CommitMode {
        match self {
            Self::Group => CommitMode::Group,
            Self::Periodic | Self::EarlyAck => periodic(),
        }
    }
}

/// The words of the task that runs [`run`].
pub(crate) fn task(folder: &str, shape: Shape, seed: u64, mode: Mode, most: u64) -> Vec<String> {
    let (shape, seed) = (format!("{shape:?}"), seed.to_string());
    let (mode, most) = (format!("{mode:?}"), most.to_string());
    vec!["workload".into(), folder.into(), shape, seed, mode, most]
}

/// Continues the plan where the folder left it, for at most so many changes.
pub(crate) fn run(words: &[String]) {
    let [folder, shape, seed, mode, most] = words else {
        panic!("the workload takes five words")
    };
    let plan = Plan::new(Shape::named(shape), seed.parse().expect("a seed"));
    let voice = Announcer::of_environment().expect("a place to announce");
    let program = Program {
        folder: Path::new(folder),
        mode: Mode::named(mode),
        clock: start_clock(),
        voice: voice.expect("a place to announce"),
        begun: AtomicU64::new(0),
    };
    program.run(&plan, most.parse().expect("a number"));
}

struct Program<'a> {
    folder: &'a Path,
    mode: Mode,
    clock: Arc<ManualClock>,
    voice: Announcer,
    /// The last change that was begun: what the reader looks out for.
    begun: AtomicU64,
}

impl Program<'_> {
    fn say(&self, word: &str, number: u64) {
        let line = format!("{word} {number}");
        self.voice.say(&line).expect("an announcement");
    }

    fn open(&self) -> Store {
        open(self.folder, self.mode.commits(), &self.clock).expect("the store opens")
    }

    fn run(&self, plan: &Plan, most: u64) {
        let mut store = self.open();
        let start = head(&store.view().expect("a view")).expect("a head");
        if self.mode != Mode::Periodic {
            self.say("read", start);
        }
        // Sessions end where the store is opened again; the reader must not hold it then.
        let mut steps = remaining(plan, start, most).peekable();
        while steps.peek().is_some() {
            let stop = AtomicBool::new(false);
            let again = std::thread::scope(|scope| {
                let reader = scope.spawn(|| self.read(&store, &stop));
                let again = steps.find_map(|step| self.take(&store, step));
                stop.store(true, Ordering::SeqCst);
                reader.join().expect("the reader ends well");
                again
            });
            match again {
                None => return,
                Some(cleanly) => {
                    if cleanly {
                        store.close().expect("the store closes");
                    }
                    drop(store);
                    store = self.open();
                }
            }
        }
    }

    /// Takes a step; tells how to reopen if that is what it says.
    fn take(&self, store: &Store, step: &Step) -> Option<bool> {
        match step {
            Step::Change { number, kind } => {
                self.say("begin", *number);
                self.begun.store(*number, Ordering::SeqCst);
                make_change(store, *number, kind).expect("a change is made");
                if self.mode != Mode::Periodic {
                    self.say("ack", *number);
                }
            }
            Step::Flush => store.flush().expect("a flush"),
            Step::Compact(table) => store
                .compact(stoa_store::table::TableId(*table))
                .expect("a compaction"),
            Step::Purge => store.purge().expect("a purge"),
            Step::Housekeep => {
                advance(&self.clock);
                store.housekeep().expect("regular work");
            }
            Step::Sync => {
                let number = head(&store.view().expect("a view")).expect("a head");
                store.sync().expect("a sync");
                self.say("ack", number);
            }
            Step::Reopen { cleanly } => return Some(*cleanly),
        }
        None
    }

    /// Looks at the head all the time and announces what it sees: it must survive.
    fn read(&self, store: &Store, stop: &AtomicBool) {
        let mut seen = 0;
        while !stop.load(Ordering::SeqCst) {
            if self.begun.load(Ordering::SeqCst) > seen {
                let now = head(&store.view().expect("a view")).expect("a head");
                if now > seen && self.mode == Mode::Group {
                    self.say("read", now);
                }
                seen = seen.max(now);
            }
            std::thread::yield_now();
        }
    }
}

/// The steps after a change, for at most so many changes.
fn remaining(plan: &Plan, start: u64, most: u64) -> impl Iterator<Item = &Step> {
    let done = |step: &&Step| matches!(step, Step::Change { number, .. } if *number > start);
    let first = match start {
        0 => 0,
        _ => plan
            .steps
            .iter()
            .position(|step| done(&step))
            .unwrap_or(plan.steps.len()),
    };
    let past = move |step: &&Step| match step {
        Step::Change { number, .. } => *number <= start.saturating_add(most),
        _ => true,
    };
    plan.steps.iter().skip(first).take_while(past)
}
