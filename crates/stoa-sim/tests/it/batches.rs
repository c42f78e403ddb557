//! A logged batch over several partitions happens whole or not at all; an unlogged one may not.

use stoa_session::{Batch, BatchKind, Session};
use stoa_sim::Faults;

use crate::support::cluster;

/// How many of many batches over two partitions happened in part.
fn halves(kind: BatchKind) -> usize {
    let mut halves = 0;
    for seed in 0..60 {
        let faults = Faults {
            half_sent: 300,
            up_micros: 3_000_000,
            ..Faults::all()
        };
        let (mut executor, cluster) = cluster(faults, seed);
        let session = cluster.client_with("anna", stoa_sim::Habits::default());
        let work = async move {
            let text = "INSERT INTO ks.log (id, seq, tag) VALUES (?, ?, 1)";
            let insert = session.prepare(text).await.unwrap();
            for seq in 0..20_i64 {
                let mut batch = Batch::new(kind);
                batch.push(insert.bind((1, seq)).unwrap());
                batch.push(insert.bind((2, seq)).unwrap());
                drop(session.batch(&batch).await);
            }
        };
        executor.spawn("anna", Box::pin(work));
        executor.run_until_idle();
        cluster.heal();
        executor.run_until_idle();
        for seq in 0..20_i64 {
            let count = |id: i32| {
                let text = "SELECT tag FROM ks.log WHERE id = ? AND seq = ?";
                cluster.inspect(text, (id, seq)).unwrap().len()
            };
            halves += usize::from(count(1) != count(2));
        }
    }
    halves
}

#[test]
fn a_logged_batch_is_whole_or_absent() {
    assert_eq!(halves(BatchKind::Logged), 0);
}

#[test]
fn an_unlogged_batch_may_happen_in_part() {
    assert!(halves(BatchKind::Unlogged) > 0);
}
