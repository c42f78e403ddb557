//! A node that asks for a login and encrypts: who gets in, and what the others are told.

use std::path::{Path, PathBuf};

use stoa_cluster::{Cluster, Password};
use stoa_session::uri::{ClusterAddress, Encryption, Host};
use stoa_session::{BackEnd, Error, ErrorKind, Shortcuts};
use stoa_testkit::cassandra;

use crate::live::{connect, password};

/// The address of the node; `None` if tests are to be skipped.
fn address() -> Option<ClusterAddress> {
    let Some(uri) = cassandra::secure_uri().unwrap_or_else(|advice| panic!("{advice}")) else {
        println!("SKIPPED: no Cassandra");
        return None;
    };
    match uri.parse() {
        Ok(BackEnd::Cluster(address)) => Some(*address),
        other => panic!("STOA_CASSANDRA_SECURE is not a cql:// URI: {other:?}"),
    }
}

/// Why nobody gets in.
async fn refusal(address: &ClusterAddress, password: Option<&Password>) -> Error {
    let error = Cluster::connect(address, password).await;
    error.expect_err("a refusal")
}

fn trusting(address: &ClusterAddress, file: &Path) -> ClusterAddress {
    ClusterAddress {
        encryption: Encryption::Verified {
            authorities: Some(PathBuf::from(file)),
        },
        ..address.clone()
    }
}

#[tokio::test]
async fn who_logs_in_and_trusts_the_certificate_is_served() {
    let Some(address) = address() else { return };
    let session = connect(&address).await.expect("connects");
    let rows = session.run_text("LIST ROLES").await.expect("a superuser");
    let role = rows.into_rows();
    let role = role.first().expect("at least one");
    assert_eq!(role.get::<String>("role").as_deref(), Ok("cassandra"));
    let shown = format!("{session:?} {address:?} {:?}", password(&address));
    // The user has the same name, so the password is looked for where it would be written.
    assert!(!shown.contains("password: \"cassandra\""), "{shown}");
    assert!(shown.contains("Password(***)"), "{shown}");
}

#[tokio::test]
async fn a_wrong_password_is_refused_and_not_repeated() {
    let Some(address) = address() else { return };
    let error = refusal(&address, Some(&Password::new("opensesame"))).await;
    assert_eq!(
        (error.kind(), error.code()),
        (ErrorKind::Credentials, Some(0x0100)),
        "{error}"
    );
    assert!(!format!("{error} {error:?}").contains("opensesame"));
}

#[tokio::test]
async fn who_gives_no_login_is_told_how() {
    let Some(address) = address() else { return };
    let address = ClusterAddress {
        user: None,
        password: None,
        ..address
    };
    let error = refusal(&address, None).await;
    assert_eq!(error.kind(), ErrorKind::Credentials, "{error}");
    assert!(error.message().contains("password-env=NAME"), "{error}");
}

#[tokio::test]
async fn a_certificate_that_nobody_vouches_for_is_refused() {
    let Some(address) = address() else { return };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/stranger.pem");
    let password = password(&address);
    let error = refusal(&trusting(&address, &file), password.as_ref()).await;
    assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    assert!(error.message().contains("not trusted"), "{error}");
    let any = ClusterAddress {
        encryption: Encryption::Unverified,
        ..address
    };
    let session = connect(&any).await.expect("any certificate will do");
    let rows = session.run_text("SELECT key FROM system.local").await;
    assert_eq!(rows.expect("an answer").into_rows().len(), 1);
}

#[tokio::test]
async fn plain_words_on_the_encrypted_port_are_not_understood_and_the_other_way_round() {
    let Some(address) = address() else { return };
    let password = password(&address);
    let plain = ClusterAddress {
        encryption: Encryption::None,
        ..address.clone()
    };
    let error = refusal(&plain, password.as_ref()).await;
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert!(error.message().contains("TLS"), "{error}");
    let lower = |host: &Host| Host {
        port: host.port - 1,
        ..host.clone()
    };
    let open = ClusterAddress {
        hosts: address.hosts.iter().map(lower).collect(),
        ..address
    };
    let error = refusal(&open, password.as_ref()).await;
    assert!(
        matches!(
            error.kind(),
            ErrorKind::Configuration | ErrorKind::Unreachable
        ),
        "{error:?}"
    );
}
