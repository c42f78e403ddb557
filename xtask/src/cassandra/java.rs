//! Finds a Java that Cassandra 5.0 runs on: 17, or 11, and nothing else.
//!
//! 18 to 23 are unsupported and 24 removed the security manager it cannot start without.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

const BEST: u32 = 17;
const SECOND: u32 = 11;
/// Where Debian puts every Java that is installed.
const DEBIAN_FOLDER: &str = "/usr/lib/jvm";

/// The program to start: of `JAVA_HOME`, of the path, or any that Debian installed.
pub(crate) fn find() -> Result<PathBuf> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    let mut candidates: Vec<PathBuf> = home.into_iter().collect();
    candidates.push(PathBuf::from("java"));
    candidates.extend(installed(Path::new(DEBIAN_FOLDER)));
    let found = candidates
        .into_iter()
        .filter_map(|program| Some((ask(&program)?, program)));
    choose(found).context("no Java 17 or 11; Debian has it as openjdk-17-jre-headless")
}

/// The folder `JAVA_HOME` should name for this program, if links lead to one.
pub(crate) fn home(program: &Path) -> Option<PathBuf> {
    let real = program.canonicalize().ok()?;
    Some(real.parent()?.parent()?.to_owned())
}

/// The first program of the best version; none is asked after that.
fn choose(found: impl Iterator<Item = (u32, PathBuf)>) -> Option<PathBuf> {
    let mut second = None;
    for (major, program) in found {
        if major == BEST {
            return Some(program);
        }
        if major == SECOND && second.is_none() {
            second = Some(program);
        }
    }
    second
}

fn installed(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut programs: Vec<PathBuf> = entries
        .map(|entry| entry.path().join("bin/java"))
        .filter(|program| program.is_file())
        .collect();
    programs.sort();
    programs
}

/// The major version, if the program runs.
fn ask(program: &Path) -> Option<u32> {
    let output = Command::new(program)
        .arg("-version")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    major(&String::from_utf8_lossy(&output.stderr))
}

/// `17` from `openjdk version "17.0.15" 2025-04-15`, `8` from `java version "1.8.0_292"`.
fn major(text: &str) -> Option<u32> {
    let (_, rest) = text.split_once("version \"")?;
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit());
    let first = numbers.next()?.parse().ok()?;
    if first == 1 {
        return numbers.next()?.parse().ok();
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        assert_eq!(
            major("Picked up X\nopenjdk version \"17.0.15\" 2025-04-15\n"),
            Some(17)
        );
        assert_eq!(major("openjdk version \"25\" 2025-09-16"), Some(25));
        assert_eq!(major("java version \"1.8.0_292\""), Some(8));
        assert_eq!(major("openjdk version \"18-ea\""), Some(18));
        assert_eq!(major("not java"), None);
    }

    #[test]
    fn seventeen_is_chosen_before_eleven_and_others_never() {
        let found = |majors: &[u32]| {
            let named = majors
                .iter()
                .map(|major| (*major, PathBuf::from(major.to_string())));
            choose(named)
        };
        assert_eq!(found(&[25, 11, 17]), Some(PathBuf::from("17")));
        assert_eq!(found(&[21, 11]), Some(PathBuf::from("11")));
        assert_eq!(found(&[8, 21, 25]), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_no_java() {
        assert_eq!(ask(Path::new("stoa-no-such-program")), None);
    }
}
