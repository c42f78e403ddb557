//! Where there is no strace, the reason is said.

use std::{fs, os::unix::fs::PermissionsExt, path::Path, process::Command};

use super::this_program;
use stoa_testkit::powercut::{ANNOUNCEMENTS_VARIABLE, Announcer, Strace, Workshop};

/// The program's side: says what it found.
pub(super) fn run() {
    let announcer = Announcer::of_environment().unwrap().unwrap();
    match Strace::probe() {
        Ok(_) => announcer.say("works").unwrap(),
        Err(reason) => announcer.say(&reason.to_string()).unwrap(),
    }
}

fn said(change: impl Fn(&mut Command, &Path)) -> String {
    let aside = Workshop::new().unwrap();
    let file = aside.folder().join("announcements");
    let mut command = this_program(aside.folder(), "probe");
    command
        .env(ANNOUNCEMENTS_VARIABLE, &file)
        .env_remove("STOA_SKIPPED");
    change(&mut command, aside.folder());
    assert!(command.output().unwrap().status.success());
    fs::read_to_string(file).unwrap()
}

#[test]
fn the_reason_is_that_it_was_skipped_on_purpose() {
    let said = said(|command, _| {
        command.env("STOA_SKIPPED", "other, powercut");
    });
    assert_eq!(said, "skipped on purpose: STOA_SKIPPED has powercut\n");
}

#[test]
fn the_reason_is_that_it_is_not_installed() {
    let said = said(|command, folder| {
        command.env("STOA_SKIPPED", "other").env("PATH", folder);
    });
    assert_eq!(said, "strace is not installed\n");
}

#[test]
fn the_reason_is_that_it_may_not_trace() {
    let said = said(|command, folder| {
        let script = "#!/bin/sh\necho 'ptrace: Operation not permitted' >&2\nexit 1\n";
        let path = folder.join("strace");
        fs::write(&path, script).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        command.env("PATH", folder);
    });
    assert_eq!(
        said,
        "strace may not trace: ptrace: Operation not permitted\n"
    );
}
