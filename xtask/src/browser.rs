//! `cargo xtask browser`: the tests in a real browser alone, and what they need that no Debian package
//! has: axe-core, the judge of accessibility, fetched once from npm's registry into the build folder.
//!
//! ```text
//! BUILD/axe-core/axe.min.js    the script that tests run in pages
//! BUILD/axe-core/LICENSE
//! BUILD/axe-core/installed     the stamp, written last: the version
//! ```

use std::fs;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};

use crate::forward::Forwarded;
use crate::needs::{self, Provided};
use crate::step;

/// The version of axe-core that judges pages.
const VERSION: &str = "4.14.0";
/// SHA-256 of its archive: it is run, so it must be the one that was looked at.
const DIGEST: &str = "2277b0a3ef47af9b52497faa3e71598e86e0a0e5e6eb295207a5657ede4709af";
const STAMP: &str = "installed";

/// What `--help` says.
pub(crate) const ABOUT: &str = "\
The tests in a real browser: every page judged by axe-core and photographed, journeys of people.

Chromium and its driver are installed from Debian where they are missing, and axe-core is fetched.
Pictures of every page are in target/screenshots afterwards. What stands behind `--` goes to the
tests, such as the name of one.";

/// Runs the tests of `crates/stoa/tests/it/browser`.
pub(crate) fn run(forwarded: &Forwarded) -> Result<ExitCode> {
    match needs::provide(|name| name != needs::BROWSER.name)? {
        Provided::Ready(missing) => {
            let gone = missing
                .iter()
                .find(|it| it.need.name == needs::BROWSER.name);
            ensure!(gone.is_none(), "{}", gone.map_or("", |it| it.why.as_str()));
        }
        Provided::AskAdministrator(packages) => {
            anyhow::bail!("run: sudo {}", needs::install_line(&packages));
        }
    }
    let mut tests = step::cargo(&["test", "-p", "stoa", "--test", "it", "--", "browser::"]);
    tests.args(forwarded.arguments());
    Ok(match step::succeeds(&mut tests)? {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn home() -> Result<PathBuf> {
    Ok(step::build_folder()?.join("axe-core"))
}

/// Whether the script of this version is there.
pub(crate) fn is_fetched() -> bool {
    let stamp = home().and_then(|home| Ok(fs::read_to_string(home.join(STAMP))?));
    stamp.is_ok_and(|version| version == VERSION)
}

/// Fetches the script.
pub(crate) fn fetch() -> Result<()> {
    let home = home()?;
    fs::create_dir_all(&home)?;
    println!("axe-core: fetching {VERSION}, about 0.7 MB, once");
    // npm's own client knows which registry this machine may ask.
    let package = format!("axe-core@{VERSION}");
    let mut pack = Command::new("npm");
    pack.args(["pack", "--silent", &package]);
    pack.current_dir(&home).stdin(Stdio::null());
    ensure!(
        step::succeeds(&mut pack)?,
        "cannot fetch {package} with npm"
    );
    let archive = format!("axe-core-{VERSION}.tgz");
    let mut sum = Command::new("sha256sum");
    let sum = sum.arg(&archive).current_dir(&home).output();
    let sum = sum.context("cannot start sha256sum")?.stdout;
    ensure!(
        sum.starts_with(DIGEST.as_bytes()),
        "{package} is not what it was: {}",
        String::from_utf8_lossy(&sum).trim()
    );
    let mut tar = Command::new("tar");
    tar.args([
        "-xzf",
        &archive,
        "--strip-components=1",
        "package/axe.min.js",
        "package/LICENSE",
    ]);
    tar.current_dir(&home).stdin(Stdio::null());
    ensure!(step::succeeds(&mut tar)?, "cannot unpack {archive}");
    fs::remove_file(home.join(&archive))?;
    Ok(fs::write(home.join(STAMP), VERSION)?)
}
