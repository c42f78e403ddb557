//! What tests start and what does not come with Rust, and how to get it.
//!
//! To add a need: a static like [`STRACE`] and its place in [`NEEDS`], and in the test a look at
//! `STOA_SKIPPED`, which names the needs that could not be had.

use std::process::{Command, Stdio};

use anyhow::{Result, ensure};

use crate::{browser, cassandra, cql_clients, step};

/// Something that some tests use.
pub(crate) struct Need {
    /// The word in `STOA_ALLOW_SKIP`, in `STOA_SKIPPED` and in the summary.
    pub(crate) name: &'static str,
    /// Programs it is made of.
    tools: &'static [Tool],
    /// What is fetched besides.
    artefacts: Option<Artefacts>,
    /// What is not tested without it.
    pub(crate) serves: &'static str,
}

/// A program from a Debian package.
struct Tool {
    is_there: fn() -> bool,
    package: &'static str,
}

/// Files that no Debian package has, kept in the build folder.
struct Artefacts {
    are_there: fn() -> bool,
    /// Fetches them; needed only as long as they are not there.
    fetcher: Tool,
    fetch: fn() -> Result<()>,
}

/// Records what a store asks of the disk.
static STRACE: Need = Need {
    name: "strace",
    tools: &[Tool {
        is_there: || runs("strace", "--version"),
        package: "strace",
    }],
    artefacts: None,
    serves: "power-cut images from recorded system calls",
};

/// Makes a terminal, for the shell to be typed at.
static SCRIPT: Need = Need {
    name: "script",
    tools: &[Tool {
        is_there: || runs("script", "--version"),
        package: "bsdutils",
    }],
    artefacts: None,
    serves: "the shell on a terminal",
};

/// Real Apache Cassandra, which `cargo xtask test` starts for the tests.
pub(crate) static CASSANDRA: Need = Need {
    name: "cassandra",
    tools: &[Tool {
        is_there: || cassandra::java::find().is_ok(),
        package: "openjdk-17-jre-headless",
    }],
    artefacts: Some(Artefacts {
        are_there: || {
            let home = cassandra::cluster::home();
            home.is_ok_and(|home| cassandra::install::installed(&home).is_some())
        },
        fetcher: Tool {
            is_there: || runs("mvn", "--version"),
            package: "maven",
        },
        fetch: || cassandra::install::install(&cassandra::cluster::home()?).map(drop),
    }),
    serves: "everything that asks a real Cassandra",
};

/// A browser that programs drive, and the judge of accessibility that runs in its pages.
pub(crate) static BROWSER: Need = Need {
    name: "browser",
    tools: &[
        Tool {
            is_there: || runs("chromium", "--version"),
            package: "chromium",
        },
        Tool {
            is_there: || runs("chromedriver", "--version"),
            package: "chromium-driver",
        },
    ],
    artefacts: Some(Artefacts {
        are_there: browser::is_fetched,
        fetcher: Tool {
            is_there: || runs("npm", "--version"),
            package: "npm",
        },
        fetch: browser::fetch,
    }),
    serves: "every page in a real browser",
};

/// Python's driver of Cassandra, and cqlsh.
static CQL_CLIENTS: Need = Need {
    name: "cql-clients",
    tools: &[Tool {
        is_there: || runs("python3", "--version"),
        package: "python3",
    }],
    artefacts: Some(Artefacts {
        are_there: cql_clients::are_fetched,
        fetcher: Tool {
            is_there: || runs("python3", "-cimport ensurepip"),
            package: "python3-venv",
        },
        fetch: cql_clients::fetch,
    }),
    serves: "the engine on a port, asked by Python's driver and cqlsh",
};

/// Every need, in the order of the summary.
const NEEDS: &[&Need] = &[&STRACE, &SCRIPT, &BROWSER, &CQL_CLIENTS, &CASSANDRA];

/// A need that could not be had, and why.
pub(crate) struct Missing {
    pub(crate) need: &'static Need,
    pub(crate) why: String,
}

/// What became of the needs.
pub(crate) enum Provided {
    /// Everything is there, but for this.
    Ready(Vec<Missing>),
    /// These packages are missing and only an administrator may install them.
    AskAdministrator(Vec<&'static str>),
}

/// Installs and fetches what is missing and can be had. `may_skip` names the needs whose
/// absence the caller accepts.
pub(crate) fn provide(may_skip: impl Fn(&str) -> bool) -> Result<Provided> {
    let lacking = NEEDS.iter().filter(|need| !need.packages().is_empty());
    let lacking: Vec<&Need> = lacking.copied().collect();
    if !lacking.is_empty() {
        if is_root()? {
            install(&lacking);
        } else if lacking.iter().any(|need| !may_skip(need.name)) {
            let packages = lacking.iter().flat_map(|need| need.packages());
            return Ok(Provided::AskAdministrator(packages.collect()));
        }
    }
    let missing = NEEDS.iter().filter_map(|need| {
        let why = need.complete().err()?;
        Some(Missing {
            need,
            why: format!("{why:#}"),
        })
    });
    Ok(Provided::Ready(missing.collect()))
}

/// The line an administrator runs, without `sudo`.
pub(crate) fn install_line(packages: &[&str]) -> String {
    format!(
        "apt-get install -y --no-install-recommends {}",
        packages.join(" ")
    )
}

impl Need {
    /// The packages that are not installed.
    fn packages(&self) -> Vec<&'static str> {
        let fetcher = self.artefacts.as_ref().and_then(|artefacts| {
            let needed = !(artefacts.are_there)();
            needed.then_some(&artefacts.fetcher)
        });
        let tools = self.tools.iter().chain(fetcher);
        let missing = tools.filter(|tool| !(tool.is_there)());
        missing.map(|tool| tool.package).collect()
    }

    /// Fetches what the tools are there for; an error says what is still missing.
    fn complete(&self) -> Result<()> {
        let packages = self.packages();
        ensure!(
            packages.is_empty(),
            "cannot be installed: {}",
            packages.join(", ")
        );
        match &self.artefacts {
            Some(artefacts) if !(artefacts.are_there)() => (artefacts.fetch)(),
            _ => Ok(()),
        }
    }
}

fn runs(program: &str, argument: &str) -> bool {
    let mut probe = Command::new(program);
    probe
        .arg(argument)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    probe.status().is_ok_and(|status| status.success())
}

/// Failures are not errors here: the probe afterwards tells what is still missing. Each need is
/// installed on its own, since one unknown package makes apt install none.
fn install(lacking: &[&Need]) {
    let mut commands = vec![apt(&["update"])];
    for need in lacking {
        let packages = need.packages();
        println!("==> needs: {}", install_line(&packages));
        let mut install = apt(&["install", "-y", "--no-install-recommends"]);
        install.args(packages);
        commands.push(install);
    }
    for mut command in commands {
        match step::succeeds(&mut command) {
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

    const HERE: Tool = Tool {
        is_there: || true,
        package: "here",
    };
    const ABSENT: Tool = Tool {
        is_there: || runs("stoa-no-such-program", "--version"),
        package: "absent",
    };
    const PLAIN: Need = Need {
        name: "plain",
        tools: &[HERE],
        artefacts: None,
        serves: "nothing",
    };

    fn fetched(are_there: fn() -> bool, fetcher: Tool) -> Need {
        let artefacts = Artefacts {
            are_there,
            fetcher,
            fetch: || anyhow::bail!("no network"),
        };
        Need {
            artefacts: Some(artefacts),
            ..PLAIN
        }
    }

    #[test]
    fn a_probe_that_cannot_start_means_missing() {
        assert!(!runs("stoa-no-such-program", "--version"));
        assert!(runs("true", "--version"));
        assert!(!runs("false", "--stoa-no-such-option"));
    }

    #[test]
    fn a_need_asks_for_the_packages_it_lacks() {
        assert!(PLAIN.packages().is_empty());
        let need = Need {
            tools: &[HERE, ABSENT],
            ..PLAIN
        };
        assert_eq!(need.packages(), ["absent"]);
        let error = need.complete().unwrap_err().to_string();
        assert_eq!(error, "cannot be installed: absent");
    }

    #[test]
    fn what_fetches_is_needed_only_until_it_has_fetched() {
        assert!(fetched(|| true, ABSENT).packages().is_empty());
        assert!(fetched(|| true, ABSENT).complete().is_ok());
        assert_eq!(fetched(|| false, ABSENT).packages(), ["absent"]);
        let error = fetched(|| false, HERE).complete().unwrap_err().to_string();
        assert_eq!(error, "no network");
    }

    #[test]
    fn the_install_line_names_every_package() {
        let line = install_line(&["one", "two"]);
        assert!(line.ends_with(" one two"), "{line}");
    }

    #[test]
    fn names_are_unique() {
        for (index, need) in NEEDS.iter().enumerate() {
            let others = NEEDS.iter().skip(index + 1);
            assert!(others.into_iter().all(|other| other.name != need.name));
        }
    }
}
