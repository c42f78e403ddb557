//! The walkthroughs of the documentation, whose commands are run as they stand there.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{live, patient, stoa};

fn documents() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/walkthroughs")
}

/// The commands of a page: all of its blocks for a shell.
fn commands(page: &str) -> String {
    let mut commands = String::new();
    let mut is_inside = false;
    for line in page.lines() {
        match line {
            "```sh" => is_inside = true,
            "```" => is_inside = false,
            line if is_inside => {
                commands.push_str(line);
                commands.push('\n');
            }
            _ => {}
        }
    }
    commands
}

/// Runs the commands of a page in an empty folder; `stoa` is the one under test.
fn walk(name: &str, cluster: &str) -> Output {
    let page = std::fs::read_to_string(documents().join(name)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let binaries = Path::new(env!("CARGO_BIN_EXE_stoa")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    Command::new("sh")
        .args(["-e", "-u", "-c", &commands(&page)])
        .current_dir(folder.path())
        .env("PATH", format!("{}:{path}", binaries.display()))
        .env("CLUSTER", cluster)
        .output()
        .unwrap()
}

#[test]
fn moving_up_to_a_cluster_is_as_the_page_says() {
    let Some(uri) = live() else { return };
    let uri = patient(&uri, "");
    // An earlier run may have left it.
    stoa(&[
        "shell",
        "--store",
        &uri,
        "-e",
        "DROP KEYSPACE IF EXISTS shop",
    ]);
    let output = walk("moving-up-to-a-cluster.md", &uri);
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(
        printed.contains(" anna | 2026-11-16 | pear |  1.20"),
        "{printed}"
    );
    assert!(printed.contains(" home |    41"), "{printed}");
}
