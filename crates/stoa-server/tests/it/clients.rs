//! Clients of other people, as they are: Python's driver and cqlsh.
//!
//! `cargo xtask test` fetches them. Where they cannot be had and `STOA_SKIPPED` has the word
//! `cql-clients`, the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::served::Served;

/// What they are asked to do.
const SCRIPTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients");

/// The folder of their programs; `None` if tests are to be skipped.
fn programs() -> Option<PathBuf> {
    let skipped = std::env::var("STOA_SKIPPED").unwrap_or_default();
    if skipped.split(',').any(|it| it.trim() == "cql-clients") {
        println!("SKIPPED: no cql-clients");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../cql-clients/bin");
    assert!(
        folder.join("python").exists(),
        "there are no clients to test with: run `cargo xtask test`, or set STOA_SKIPPED=cql-clients"
    );
    Some(folder)
}

/// What a program prints, which must succeed.
fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let out = String::from_utf8_lossy(&output.stdout).into_owned();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{out}\n{complaints}");
    out
}

#[test]
fn the_python_driver_does_what_it_does_with_cassandra() {
    let Some(programs) = programs() else {
        return;
    };
    let served = Served::new();
    // Version 0 is whatever they agree on.
    for (version, compression) in [
        ("0", "none"),
        ("5", "none"),
        ("5", "lz4"),
        ("4", "none"),
        ("4", "lz4"),
        ("4", "snappy"),
    ] {
        let mut driver = Command::new(programs.join("python"));
        driver.arg(Path::new(SCRIPTS).join("driver.py"));
        driver.args([&served.address.port().to_string(), version, compression]);
        printed(&mut driver);
    }
    served.stop();
}

#[test]
fn cqlsh_shows_describes_and_copies() {
    let Some(programs) = programs() else {
        return;
    };
    let served = Served::new();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cqlsh");
    std::fs::create_dir_all(&folder).unwrap();
    let mut shell = Command::new(programs.join("python"));
    shell.arg(programs.join("cqlsh"));
    shell.args(["127.0.0.1", &served.address.port().to_string(), "-f"]);
    shell.arg(Path::new(SCRIPTS).join("shell.cql"));
    shell.env("HOME", &folder).current_dir(&folder);
    let shown = printed(&mut shell);
    for expected in [
        "system_schema",
        "CREATE TABLE shell.votes (",
        " trees |     2 |     4\n",
        "2 rows exported to 1 files",
        "2 rows imported from 1 files",
        "CREATE TABLE shell.copied (",
    ] {
        assert!(shown.contains(expected), "no {expected:?} in {shown}");
    }
    served.stop();
}
