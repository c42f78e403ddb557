//! Conditional writes of one partition happen one after another, each once or not at all.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use stoa_session::{
    Applied, Batch, BatchKind, Consistency, Error, Options, Outcome, Session, Shortcuts, shortcuts,
};
use stoa_sim::{Counters, Faults, SimSession};

use crate::support::{cluster, run};

const CLIENTS: u64 = 4;
const TRIES: u64 = 12;

/// What clients know about each of their tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Done,
    Refused,
    Unknown,
}

#[derive(Default)]
struct Known {
    fates: BTreeMap<i64, Fate>,
    /// The greatest head that anybody was told.
    head: i64,
}

/// Appends to a log: the head moves by one, and the new row says who moved it.
async fn appends(
    session: Arc<SimSession>,
    known: Arc<Mutex<Known>>,
    client: u64,
) -> Result<(), Error> {
    let head = "SELECT head FROM ks.log WHERE id = 1 LIMIT 1";
    let head = session.prepare(head).await?;
    let head = head
        .bind(())?
        .with(Options::new().consistency(Consistency::Serial));
    let advance = "UPDATE ks.log SET head = ? WHERE id = 1 IF head = ?";
    let advance = session.prepare(advance).await?;
    let append = "INSERT INTO ks.log (id, seq, tag) VALUES (1, ?, ?)";
    let append = session.prepare(append).await?;
    for index in 0..TRIES {
        let tag = i64::try_from(client * 1_000 + index).unwrap();
        let floor = known.lock().unwrap().head;
        let Ok(found) = session.first::<(Option<i64>,)>(&head).await else {
            continue;
        };
        let found = found.and_then(|(head,)| head);
        assert!(found.unwrap_or(0) >= floor, "a SERIAL read went back");
        let next = found.unwrap_or(0) + 1;
        let mut batch = Batch::new(BatchKind::Logged);
        batch.push(advance.bind((next, found))?);
        batch.push(append.bind((next, tag))?);
        // A client that dies in between never knows.
        known.lock().unwrap().fates.insert(tag, Fate::Unknown);
        let answer = session.batch(&batch).await.and_then(shortcuts::applied);
        let mut known = known.lock().unwrap();
        known.head = known.head.max(found.unwrap_or(0));
        let fate = match answer {
            Ok(Applied::Yes) => {
                known.head = known.head.max(next);
                Fate::Done
            }
            Ok(Applied::No(rows)) => {
                let told: Option<i64> = rows.first().unwrap().get("head").unwrap();
                assert_ne!(told, found, "refused although the condition holds");
                Fate::Refused
            }
            Err(error) if error.outcome() == Outcome::NotApplied => Fate::Refused,
            Err(_) => Fate::Unknown,
        };
        known.fates.insert(tag, fate);
    }
    Ok(())
}

/// What is known, and what is there, when all has come to rest.
struct Settled {
    fates: BTreeMap<i64, Fate>,
    /// Sequence numbers and tags.
    log: Vec<(i64, i64)>,
    head: Option<i64>,
    counters: Counters,
}

fn history(seed: u64) -> Settled {
    let (mut executor, cluster) = cluster(Faults::of_seed(seed), seed);
    let known = Arc::new(Mutex::new(Known::default()));
    for client in 0..CLIENTS {
        let session = cluster.client(&format!("client {client}"));
        let work = appends(session, Arc::clone(&known), client);
        executor.spawn("client", Box::pin(async move { work.await.unwrap() }));
    }
    executor.run_until_idle();
    cluster.heal();
    executor.run_until_idle();
    let rows = "SELECT head, seq, tag FROM ks.log WHERE id = 1";
    let rows = cluster.inspect(rows, ()).unwrap();
    let read = rows.typed::<(Option<i64>, i64, i64)>().unwrap();
    let read: Vec<(Option<i64>, i64, i64)> = read.map(Result::unwrap).collect();
    let head = read.first().and_then(|row| row.0);
    let log = read.iter().map(|(_, seq, tag)| (*seq, *tag)).collect();
    let fates = known.lock().unwrap().fates.clone();
    Settled {
        fates,
        log,
        head,
        counters: cluster.counters(),
    }
}

#[test]
fn no_append_is_lost_or_doubled_whatever_is_unknown() {
    let mut counters = Counters::default();
    let (mut done, mut unknown_done) = (0, 0);
    for seed in 0..1_500 {
        let Settled {
            fates,
            log,
            head,
            counters: happened,
        } = history(seed);
        counters += happened;
        let length = i64::try_from(log.len()).unwrap();
        assert_eq!(head.unwrap_or(0), length, "seed {seed}");
        let expected: Vec<i64> = (1..=length).collect();
        let found: Vec<i64> = log.iter().map(|(seq, _)| *seq).collect();
        assert_eq!(found, expected, "seed {seed}");
        for (tag, fate) in &fates {
            let times = log.iter().filter(|(_, own)| own == tag).count();
            match fate {
                Fate::Done => assert_eq!(times, 1, "seed {seed}, {tag}"),
                Fate::Refused => assert_eq!(times, 0, "seed {seed}, {tag}"),
                Fate::Unknown => assert!(times <= 1, "seed {seed}, {tag}"),
            }
            done += usize::from(*fate == Fate::Done);
            unknown_done += usize::from(*fate == Fate::Unknown && times == 1);
        }
        assert!(log.iter().all(|(_, tag)| fates.contains_key(tag)));
    }
    assert!(done > 5_000, "only {done} were applied");
    assert!(
        unknown_done > 50,
        "only {unknown_done} were unknown and applied"
    );
    assert!(counters.unknown_applied > 50, "{counters:?}");
    assert!(counters.unknown_later > 50, "{counters:?}");
    assert!(counters.unknown_never > 50, "{counters:?}");
}

#[test]
fn a_plain_read_and_write_loses_updates() {
    // The same counter without a condition: the check above must be able to fail.
    let mut lost = 0;
    for seed in 0..20 {
        let (mut executor, cluster) = cluster(Faults::none(), seed);
        for client in 0..CLIENTS {
            let session = cluster.client(&format!("client {client}"));
            let work = async move {
                for _ in 0..TRIES {
                    let read = session.prepare("SELECT n FROM ks.register WHERE id = 1");
                    let read = read.await.unwrap().bind(()).unwrap();
                    let found = session.first::<(i64,)>(&read).await.unwrap();
                    let next = found.map_or(1, |(n,)| n + 1);
                    let write = "INSERT INTO ks.register (id, n) VALUES (1, ?)";
                    session.query(write, (next,)).await.unwrap();
                }
            };
            executor.spawn("client", Box::pin(work));
        }
        executor.run_until_idle();
        let rows = cluster.inspect("SELECT n FROM ks.register WHERE id = 1", ());
        let n: i64 = rows.unwrap().first().unwrap().get("n").unwrap();
        lost += i64::try_from(CLIENTS * TRIES).unwrap() - n;
    }
    assert!(lost > 0);
}

#[test]
fn conditions_compare_with_null_and_answer_what_is_there() {
    let (mut executor, cluster) = cluster(Faults::none(), 1);
    let session = cluster.client("anna");
    let said = run(&mut executor, async move {
        let mut said = Vec::new();
        let text = "UPDATE ks.register SET n = ? WHERE id = 1 IF n = ?";
        for (next, wanted) in [(1_i64, None), (2, None), (3, Some(7_i64)), (4, Some(1))] {
            let bound = session.prepare(text).await.unwrap();
            let bound = bound.bind((next, wanted)).unwrap();
            said.push(match session.apply(&bound).await.unwrap() {
                Applied::Yes => Ok(next),
                Applied::No(rows) => Err(rows.first().unwrap().get::<Option<i64>>("n").unwrap()),
            });
        }
        let text = "INSERT INTO ks.register (id, n) VALUES (1, 9) IF NOT EXISTS";
        let answer = session.query(text, ()).await.unwrap();
        let Applied::No(rows) = shortcuts::applied(answer).unwrap() else {
            panic!("inserted twice");
        };
        let row = rows.first().unwrap();
        let (id, n): (i32, i64) = (row.get("id").unwrap(), row.get("n").unwrap());
        (said, id, n)
    });
    let (said, id, n) = said.unwrap();
    assert_eq!(said, [Ok(1), Err(Some(1)), Err(Some(1)), Ok(4)]);
    assert_eq!((id, n), (1, 4));
}

/// What is read after a client whose clock runs ahead has written 5, and another has made it 6
/// on condition that it was 5.
fn after_skew(ballots_beat_cells: bool) -> i64 {
    let faults = Faults {
        ballots_beat_cells,
        ..Faults::none()
    };
    let (mut executor, cluster) = cluster(faults, 1);
    let (ahead, right) = (cluster.client("ahead"), cluster.client("right"));
    ahead.clock().jump_micros(10_000_000);
    run(&mut executor, async move {
        let text = "INSERT INTO ks.register (id, n) VALUES (1, 5)";
        ahead.query(text, ()).await.unwrap();
        let text = "UPDATE ks.register SET n = 6 WHERE id = 1 IF n = 5";
        let answer = right.query(text, ()).await.unwrap();
        assert!(shortcuts::applied(answer).unwrap().is_yes());
    });
    let rows = cluster.inspect("SELECT n FROM ks.register WHERE id = 1", ());
    rows.unwrap().first().unwrap().get("n").unwrap()
}

#[test]
fn a_clock_that_runs_ahead_hides_a_conditional_write_as_in_cassandra() {
    assert_eq!(after_skew(false), 5);
    assert_eq!(after_skew(true), 6);
}
