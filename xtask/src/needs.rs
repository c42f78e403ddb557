//! Tools that tests start and that do not come with Rust, and how to get them.
//!
//! To add one: a row in [`NEEDS`], and in the test a look at `STOA_SKIPPED`, which names the
//! tools that could not be had.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::step;

/// A tool that some tests start.
#[derive(Debug)]
pub(crate) struct Need {
    /// The word in `STOA_ALLOW_SKIP`, in `STOA_SKIPPED` and in the summary.
    pub(crate) name: &'static str,
    /// Succeeds where the tool is installed.
    probe: &'static [&'static str],
    /// The Debian package that brings it.
    package: &'static str,
    /// What is not tested without it.
    pub(crate) serves: &'static str,
}

/// Every tool, in the order of the summary.
const NEEDS: &[Need] = &[Need {
    name: "strace",
    probe: &["strace", "--version"],
    package: "strace",
    serves: "power-cut images from recorded system calls",
}];

/// What became of the needs.
pub(crate) enum Provided {
    /// Every tool is there, but for those listed: they could not be installed.
    Ready(Vec<&'static Need>),
    /// Tools are missing and only an administrator may install them.
    AskAdministrator(Vec<&'static Need>),
}

/// Installs what is missing and can be installed. `may_skip` names the tools whose absence
/// the caller accepts.
pub(crate) fn provide(may_skip: impl Fn(&str) -> bool) -> Result<Provided> {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !is_there(need)).collect();
    if missing.is_empty() {
        return Ok(Provided::Ready(missing));
    }
    if !is_root()? {
        let unaccepted = missing.iter().any(|need| !may_skip(need.name));
        let answer = if unaccepted {
            Provided::AskAdministrator
        } else {
            Provided::Ready
        };
        return Ok(answer(missing));
    }
    install(&missing);
    Ok(Provided::Ready(
        missing.into_iter().filter(|need| !is_there(need)).collect(),
    ))
}

/// The line an administrator runs, without `sudo`.
pub(crate) fn install_line(missing: &[&Need]) -> String {
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    format!(
        "apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    )
}

fn is_there(need: &Need) -> bool {
    let Some((program, arguments)) = need.probe.split_first() else {
        return false;
    };
    let mut probe = Command::new(program);
    probe
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Failures are not errors here: the probe afterwards tells what is still missing.
fn install(missing: &[&Need]) {
    println!("==> needs: {}", install_line(missing));
    let mut update = apt(&["update"]);
    let mut install = apt(&["install", "-y", "--no-install-recommends"]);
    install.args(missing.iter().map(|need| need.package));
    for command in [&mut update, &mut install] {
        match step::succeeds(command) {
            Ok(true) => {}
            Ok(false) => eprintln!("apt-get failed; what it could not install is skipped"),
            Err(error) => eprintln!("{error:#}"),
        }
    }
}

fn apt(arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    command
        .args(arguments)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null());
    command
}

fn is_root() -> Result<bool> {
    let output = Command::new("id").arg("-u").output()?;
    Ok(output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ABSENT: Need = Need {
        name: "absent",
        probe: &["stoa-no-such-program"],
        package: "stoa-no-such-package",
        serves: "nothing",
    };

    #[test]
    fn a_probe_that_cannot_start_means_missing() {
        assert!(!is_there(&ABSENT));
        assert!(is_there(&Need {
            probe: &["true"],
            ..ABSENT
        }));
        assert!(!is_there(&Need {
            probe: &["false"],
            ..ABSENT
        }));
    }

    #[test]
    fn the_install_line_names_every_package() {
        let line = install_line(&[
            &ABSENT,
            &Need {
                package: "strace",
                ..ABSENT
            },
        ]);
        assert!(line.ends_with(" stoa-no-such-package strace"), "{line}");
    }

    #[test]
    fn names_are_unique() {
        for (index, need) in NEEDS.iter().enumerate() {
            assert!(
                NEEDS
                    .iter()
                    .skip(index + 1)
                    .all(|other| other.name != need.name)
            );
        }
    }
}
