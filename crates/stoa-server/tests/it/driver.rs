//! The Rust driver connects as to a Cassandra node.

use std::net::SocketAddr;

use stoa_cluster::Cluster;
use stoa_session::answer::Body;
use stoa_session::uri::{ClusterAddress, Host};
use stoa_session::{BackEnd, Batch, BatchKind, Outcome, Session, Shortcuts, Statement};
use stoa_session::{Options, pages::Pages};

use crate::served::Served;

/// The address of a server, for the driver.
pub(crate) fn address(served: SocketAddr) -> ClusterAddress {
    let Ok(BackEnd::Cluster(mut address)) = "cql://127.0.0.1".parse() else {
        panic!("no address of a cluster");
    };
    address.hosts = vec![Host {
        name: served.ip().to_string(),
        port: served.port(),
    }];
    *address
}

const KEYSPACE: &str =
    "CREATE KEYSPACE town WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}";

#[test]
fn the_rust_driver_does_what_it_does_with_cassandra() {
    let served = Served::new();
    served.block_on(async {
        let session = Cluster::connect(&address(served.address), None).await;
        let session = session.unwrap();
        session.run_text(KEYSPACE).await.unwrap();
        session
            .run_text("CREATE TABLE town.people (id int PRIMARY KEY, name text, tags set<text>)")
            .await
            .unwrap();
        let insert = "INSERT INTO town.people (id, name) VALUES (?, ?)";
        let prepared = session.prepare(insert).await.unwrap();
        let mut batch = Batch::new(BatchKind::Logged);
        for id in 0..50_i32 {
            let bound = prepared.bind((id, format!("name {id}"))).unwrap();
            match id % 2 {
                0 => batch.push(bound),
                _ => drop(session.execute(&bound, None).await.unwrap()),
            }
        }
        session.batch(&batch).await.unwrap();

        let select = session
            .prepare("SELECT id, name FROM town.people")
            .await
            .unwrap();
        let seven = std::num::NonZeroU32::new(7).unwrap();
        let bound = select.bind(()).unwrap();
        let bound = bound.with(Options::new().page_size(seven));
        let mut pages = Pages::new(&session, &bound, None);
        let mut found = Vec::new();
        while let Some(page) = pages.next().await.unwrap() {
            let rows = page.into_rows();
            assert!(rows.len() <= 7);
            found.extend(rows.iter().map(|row| row.get::<i32>("id").unwrap()));
        }
        found.sort_unstable();
        assert_eq!(found, (0..50).collect::<Vec<_>>());

        let again = "INSERT INTO town.people (id, name) VALUES (1, 'x') IF NOT EXISTS";
        let rows = session.run_text(again).await.unwrap().into_rows();
        let first = rows.first().unwrap();
        assert!(!first.get::<bool>("[applied]").unwrap());
        assert_eq!(first.get::<String>("name").unwrap(), "name 1");

        let error = session
            .run_text("SELECT * FROM town.nobody")
            .await
            .unwrap_err();
        assert_eq!(
            (error.code(), error.outcome()),
            (Some(0x2200), Outcome::NotApplied)
        );
        let done = session
            .run(&Statement::new("TRUNCATE town.people"), None)
            .await;
        assert!(matches!(done.unwrap().body, Body::Done));
    });
    served.stop();
}
