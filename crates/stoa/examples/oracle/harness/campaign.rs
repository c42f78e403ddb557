//! Many scripts, several at once.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use stoa_cluster::Cluster;
use stoa_session::uri::ClusterAddress;
use stoa_testkit::conformance::Step;
use stoa_testkit::oracle::{Comparison, Given, Search, Tables, differ, is_write};
use stoa_testkit::random::{Case, Family, Shape, generate};
use stoa_types::clock::Clock;
use tokio::task::JoinSet;

use super::engine::Place;
use super::finding::{Finding, mark, script_of};
use super::sides::{ours, theirs};
use super::tally::Tally;

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct Wish {
    pub(crate) address: ClusterAddress,
    /// The first seed; each script has the next.
    pub(crate) seed: u64,
    pub(crate) schemas: usize,
    pub(crate) statements_each: usize,
    pub(crate) jobs: usize,
    /// How often a script is run to make it small.
    pub(crate) tries: usize,
}

/// How many differences of one mark are made small.
const SMALL_PER_MARK: usize = 2;

/// How often a script is run again, to see whether Cassandra agrees with itself.
const REPEATS: usize = 12;

/// What is told of statements that Cassandra itself answers now so, now otherwise.
const UNSTEADY: &str = "Cassandra's answer changes from run to run, and is ours now and then";

/// What the workers share.
struct Shared {
    wish: Wish,
    clock: Arc<dyn Clock>,
    /// How many scripts were begun, and how many of each mark were made small.
    begun: Mutex<usize>,
    small: Mutex<BTreeMap<String, usize>>,
    tally: Mutex<Tally>,
}

/// Runs scripts; `progress` is told the sums after each.
pub(crate) async fn run(
    wish: Wish,
    clock: Arc<dyn Clock>,
    progress: impl Fn(&Tally) + Send + Sync + 'static,
) -> Result<Tally, String> {
    let jobs = wish.jobs;
    let shared = Arc::new(Shared {
        wish,
        clock,
        begun: Mutex::new(0),
        small: Mutex::default(),
        tally: Mutex::default(),
    });
    let progress = Arc::new(progress);
    let mut workers = JoinSet::new();
    for number in 0..jobs {
        let (shared, progress) = (Arc::clone(&shared), Arc::clone(&progress));
        workers.spawn(async move { work(&shared, number, &*progress).await });
    }
    while let Some(finished) = workers.join_next().await {
        finished.map_err(|error| error.to_string())??;
    }
    let tally = std::mem::take(&mut *locked(&shared.tally));
    Ok(tally)
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn work(shared: &Shared, number: usize, progress: &dyn Progress) -> Result<(), String> {
    let cluster = Cluster::connect(&shared.wish.address, None)
        .await
        .map_err(|error| error.to_string())?;
    let keyspace = format!("oracle_{}_{number}", std::process::id());
    loop {
        let next = {
            let mut begun = locked(&shared.begun);
            let next = *begun;
            *begun += 1;
            next
        };
        if next >= shared.wish.schemas {
            return Ok(());
        }
        let seed = shared
            .wish
            .seed
            .wrapping_add(u64::try_from(next).unwrap_or(0));
        let shape = Shape::new(shared.wish.statements_each);
        let case = generate(seed, &shape).map_err(|error| error.to_string())?;
        let told = run_case(shared, &case, &cluster, &keyspace).await?;
        let mut tally = locked(&shared.tally);
        tally.add(told);
        progress.tell(&tally);
    }
}

/// Someone who watches.
trait Progress: Send + Sync {
    fn tell(&self, tally: &Tally);
}

impl<F: Fn(&Tally) + Send + Sync> Progress for F {
    fn tell(&self, tally: &Tally) {
        self(tally);
    }
}

/// Odd seeds run on disk, even ones in memory.
fn place(seed: u64) -> Place {
    match seed % 2 {
        0 => Place::Memory,
        _ => Place::Disk,
    }
}

async fn run_case(
    shared: &Shared,
    case: &Case,
    cluster: &Cluster,
    keyspace: &str,
) -> Result<Tally, String> {
    let now = shared.clock.now_micros();
    let steps = &case.script.steps;
    let ours = ours(steps, place(case.seed), case.seed, now).await?;
    let theirs = theirs(steps, cluster, keyspace).await;
    let mut tally = Tally {
        schemas: 1,
        statements: theirs.len(),
        ..Tally::default()
    };
    if let Some(Given::Nothing(why)) = theirs.last() {
        tally.unanswered.push(format!("seed {}: {why}", case.seed));
    }
    for change in ours.changed {
        tally.findings.push(changed(case.seed, change));
    }
    let found = compare(case, &theirs, &ours.given, &mut tally);
    for (position, finding) in found {
        let our = ours.given.get(position);
        if is_unsteady(steps, position, our, cluster, keyspace).await {
            *tally.excepted.entry(UNSTEADY).or_default() += 1;
            continue;
        }
        let script = match is_to_be_small(shared, &finding.mark) {
            true => make_small(shared, case, position, cluster, keyspace).await?,
            false => None,
        };
        tally.findings.push(Finding { script, ..finding });
    }
    Ok(tally)
}

/// Compares the answers to a script: where they differ without a reason, once for each mark.
fn compare(
    case: &Case,
    theirs: &[Given],
    ours: &[Given],
    tally: &mut Tally,
) -> Vec<(usize, Finding)> {
    let mut found: Vec<(usize, Finding)> = Vec::new();
    let mut is_astray = false;
    let mut tables = Tables::default();
    for (position, (theirs, ours)) in theirs.iter().zip(ours).enumerate() {
        let (Some(step), Some(family)) =
            (case.script.steps.get(position), case.families.get(position))
        else {
            break;
        };
        count(tally, *family, theirs);
        tally.astray += usize::from(is_astray);
        if matches!(theirs, Given::Nothing(_)) {
            break;
        }
        let comparison = Comparison::of(&tables, step, theirs, ours);
        if theirs.is_accepted() {
            tables.follow(&step.statement);
        }
        let finding = match comparison {
            Comparison::Same => continue,
            Comparison::Excepted(name) => {
                *tally.excepted.entry(name).or_default() += 1;
                let is_done = theirs.is_accepted() || ours.is_accepted();
                is_astray |= is_done && is_write(&step.statement);
                continue;
            }
            Comparison::Different => {
                finding(case.seed, step, mark(*family, theirs, ours), theirs, ours)
            }
        };
        if is_astray || found.iter().any(|(_, known)| known.mark == finding.mark) {
            tally.later += 1;
            continue;
        }
        // After a write that one side refused, everything may differ.
        is_astray = is_write(&step.statement) && theirs.is_accepted() != ours.is_accepted();
        found.push((position, finding));
    }
    found
}

/// Notes whether the judge accepted a statement.
fn count(tally: &mut Tally, family: Family, theirs: &Given) {
    let counts = tally.families.entry(family).or_default();
    match theirs.is_accepted() {
        true => counts.0 += 1,
        false => counts.1 += 1,
    }
}

fn finding(seed: u64, step: &Step, mark: String, theirs: &Given, ours: &Given) -> Finding {
    Finding {
        seed,
        mark,
        statement: step.statement.clone(),
        theirs: theirs.lines(),
        ours: ours.lines(),
        script: None,
    }
}

fn changed(seed: u64, change: String) -> Finding {
    Finding {
        seed,
        mark: "an answer changed without a write".to_owned(),
        statement: change,
        theirs: Vec::new(),
        ours: Vec::new(),
        script: None,
    }
}

fn is_to_be_small(shared: &Shared, mark: &str) -> bool {
    if shared.wish.tries == 0 {
        return false;
    }
    let mut small = locked(&shared.small);
    let times = small.entry(mark.to_owned()).or_default();
    *times += 1;
    *times <= SMALL_PER_MARK
}

/// Whether Cassandra, asked again from the beginning, gives our answer too. What it finds may depend
/// on when it flushes, and on hashes.
async fn is_unsteady(
    steps: &[Step],
    position: usize,
    ours: Option<&Given>,
    cluster: &Cluster,
    keyspace: &str,
) -> bool {
    let (Some(step), Some(steps)) = (steps.get(position), steps.get(..=position)) else {
        return false;
    };
    let Some(ours) = ours else { return false };
    for _ in 0..REPEATS {
        let theirs = theirs(steps, cluster, keyspace).await;
        if let Some(again) = theirs.get(position)
            && !differ(step, again, ours)
        {
            return true;
        }
    }
    false
}

/// The tables after statements, of which some were accepted.
fn tables_of(steps: &[Step], given: &[Given]) -> Tables {
    let mut tables = Tables::default();
    for (step, given) in steps.iter().zip(given) {
        if given.is_accepted() {
            tables.follow(&step.statement);
        }
    }
    tables
}

/// Leaves statements out as long as the last one differs in the same way.
async fn make_small(
    shared: &Shared,
    case: &Case,
    position: usize,
    cluster: &Cluster,
    keyspace: &str,
) -> Result<Option<String>, String> {
    let steps = &case.script.steps;
    let (Some(last), Some(family)) = (steps.get(position), case.families.get(position)) else {
        return Ok(None);
    };
    let now = shared.clock.now_micros();
    let place = place(case.seed);
    let mut wanted = None;
    let all: Vec<_> = steps.iter().take(position).cloned().collect();
    let writes = all.iter().zip(&case.families);
    let writes: Vec<_> = writes
        .filter(|(_, family)| !family.is_read() && **family != Family::Wrong)
        .map(|(step, _)| step.clone())
        .collect();
    for before in [writes, all] {
        let mut search = Search::new(before, last.clone(), shared.wish.tries);
        let mut best = None;
        let mut next = Some(search.clone().into_best());
        while let Some(tried) = next {
            let ours = ours(&tried, place, case.seed, now).await?.given;
            let theirs = theirs(&tried, cluster, keyspace).await;
            let (Some(our), Some(their)) = (ours.last(), theirs.last()) else {
                break;
            };
            let found = mark(*family, their, our);
            let tables = tables_of(&tried, &theirs);
            let differs = theirs.len() == tried.len()
                && Comparison::of(&tables, last, their, our) == Comparison::Different
                && *wanted.get_or_insert(found.clone()) == found;
            match (differs, &best) {
                (false, None) => break,
                (_, None) => {}
                _ => search.tell(differs),
            }
            if differs {
                best = Some(script_of(case.seed, tried, &theirs));
            }
            next = search.next_try();
        }
        if best.is_some() {
            return Ok(best);
        }
    }
    Ok(None)
}
