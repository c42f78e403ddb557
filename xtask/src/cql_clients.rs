//! Clients of Cassandra that tests connect with: Python's driver and cqlsh, fetched once from PyPI into
//! the build folder.
//!
//! ```text
//! BUILD/cql-clients/bin/python   runs them
//! BUILD/cql-clients/bin/cqlsh
//! BUILD/cql-clients/installed    the stamp, written last: the packages
//! ```

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::step;

/// What is installed: the driver, the shell, and what they compress with.
const PACKAGES: [&str; 4] = [
    "cassandra-driver==3.30.1",
    "cqlsh==6.2.2",
    "lz4==4.4.5",
    "python-snappy==0.7.3",
];
const STAMP: &str = "installed";

fn home() -> Result<PathBuf> {
    Ok(step::build_folder()?.join("cql-clients"))
}

/// Whether these packages are there.
pub(crate) fn are_fetched() -> bool {
    let stamp = home().and_then(|home| Ok(fs::read_to_string(home.join(STAMP))?));
    stamp.is_ok_and(|packages| packages == PACKAGES.join(" "))
}

/// Fetches the packages.
pub(crate) fn fetch() -> Result<()> {
    let home = home()?;
    println!("cql-clients: fetching {}, once", PACKAGES.join(", "));
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--clear"]).arg(&home);
    make.stdin(Stdio::null());
    ensure!(
        step::succeeds(&mut make)?,
        "cannot make a Python environment in {}",
        home.display()
    );
    let mut install = Command::new(home.join("bin/pip"));
    install.args(["install", "--quiet", "--disable-pip-version-check"]);
    install.args(PACKAGES).stdin(Stdio::null());
    ensure!(
        step::succeeds(&mut install)?,
        "cannot fetch {} with pip",
        PACKAGES.join(", ")
    );
    Ok(fs::write(home.join(STAMP), PACKAGES.join(" "))?)
}
