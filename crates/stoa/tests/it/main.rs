//! The real binary, run as a user runs it.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and says why it is skipped"
)]

mod bench;
mod check;
mod cluster;
mod oracle;
mod shell;

use std::path::Path;
use std::process::{Command, Output};

/// Runs `stoa` with these arguments.
fn stoa(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stoa"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_command_line_that_makes_no_sense_ends_with_2() {
    for arguments in [
        &["nonsense"][..],
        &[],
        &["check"],
        &["bench", "store", "--rows", "x"],
        &["shell", "--memory", "--data", "x"],
    ] {
        assert_eq!(stoa(arguments).status.code(), Some(2), "{arguments:?}");
    }
}

#[test]
fn help_has_examples() {
    for arguments in [
        &["--help"][..],
        &["check", "--help"],
        &["bench", "store", "--help"],
        &["bench", "cluster", "--help"],
        &["check-cluster", "--help"],
        &["shell", "--help"],
    ] {
        let output = stoa(arguments);
        assert_eq!(output.status.code(), Some(0));
        let help = String::from_utf8(output.stdout).unwrap();
        assert!(help.contains("Examples:"), "{help}");
        assert!(!help.contains('\x1b'), "no colour without a terminal");
    }
}
