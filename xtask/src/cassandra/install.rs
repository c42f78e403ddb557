//! Cassandra's jars, fetched once by Maven into the build folder.
//!
//! There is no package and no tarball here: the artefact `cassandra-all` and what it depends on
//! are the whole server. Maven itself decides from which repository they come.
//!
//! ```text
//! BUILD/cassandra/install.lock    held while fetching
//! BUILD/cassandra/5.0.8/          only ever whole: renamed when everything is in it
//!                  5.0.8/installed   the stamp: the version
//!                  5.0.8/lib/*.jar
//! BUILD/cassandra/5.0.8.partial/  while fetching; removed by the next attempt
//! ```

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::java;
use crate::step;

/// The version of Cassandra that Stoa is compared with.
pub(crate) const VERSION: &str = "5.0.8";
/// The plugin that copies an artefact's dependencies; pinned, as everything fetched is.
const PLUGIN: &str = "3.8.1";
/// Measures objects for the memtables; the JVM loads it before anything else.
const AGENT_PREFIX: &str = "jamm-";
const STAMP: &str = "installed";

/// A whole installation.
#[derive(Debug)]
pub(crate) struct Installation {
    jars: Vec<PathBuf>,
}

impl Installation {
    /// Every jar, in a fixed order.
    pub(crate) fn class_path(&self) -> String {
        let jars: Vec<String> = self
            .jars
            .iter()
            .map(|jar| jar.display().to_string())
            .collect();
        jars.join(":")
    }

    pub(crate) fn agent(&self) -> Result<&Path> {
        let agent = self.jars.iter().find(|jar| {
            let name = jar.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(AGENT_PREFIX))
        });
        Ok(agent.context("no jamm among the jars")?)
    }
}

/// What is installed, if it is whole.
pub(crate) fn installed(folder: &Path) -> Option<Installation> {
    let home = folder.join(VERSION);
    let stamp = fs::read_to_string(home.join(STAMP)).ok()?;
    if stamp.trim() != VERSION {
        return None;
    }
    read(&home.join("lib")).ok()
}

/// Fetches the jars unless they are there. `folder` is `cassandra` in the build folder.
pub(crate) fn install(folder: &Path) -> Result<Installation> {
    if let Some(found) = installed(folder) {
        return Ok(found);
    }
    fs::create_dir_all(folder)?;
    let lock = File::create(folder.join("install.lock"))?;
    lock.lock().context("cannot lock the installation")?;
    // Another run may have finished while this one waited.
    if let Some(found) = installed(folder) {
        return Ok(found);
    }
    let partial = folder.join(format!("{VERSION}.partial"));
    remove(&partial)?;
    fs::create_dir_all(&partial)?;
    println!("cassandra: fetching {VERSION} by Maven, about 70 MB, once");
    let (fetched, took) = step::timed(|| fetch(&partial));
    fetched?;
    fs::write(partial.join(STAMP), VERSION)?;
    let home = folder.join(VERSION);
    remove(&home)?;
    fs::rename(&partial, &home)?;
    println!("cassandra: fetched in {}", step::seconds(took));
    installed(folder).context("the installation vanished")
}

fn fetch(partial: &Path) -> Result<()> {
    fs::write(partial.join("pom.xml"), pom())?;
    let mut maven = Command::new("mvn");
    maven
        .args(["--batch-mode", "--quiet", "-Dstyle.color=never"])
        .args(["dependency:copy-dependencies", "-DoutputDirectory=lib"])
        .current_dir(partial)
        .stdin(Stdio::null());
    if let Some(home) = java::find().ok().and_then(|program| java::home(&program)) {
        maven.env("JAVA_HOME", home);
    }
    let output = maven
        .output()
        .context("cannot start mvn; Debian has it as maven")?;
    ensure!(
        output.status.success(),
        "Maven cannot fetch Cassandra {VERSION}: {}",
        first_error(&String::from_utf8_lossy(&output.stdout))
    );
    read(&partial.join("lib")).map(drop)
}

/// The jars of a folder; an error unless the server itself and the agent are among them.
fn read(lib: &Path) -> Result<Installation> {
    let entries = lib
        .read_dir()
        .with_context(|| format!("cannot read {}", lib.display()))?;
    let mut jars: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    jars.retain(|path| path.extension().is_some_and(|extension| extension == "jar"));
    jars.sort();
    let server = lib.join(format!("cassandra-all-{VERSION}.jar"));
    ensure!(jars.contains(&server), "no {}", server.display());
    let installation = Installation { jars };
    installation.agent()?;
    Ok(installation)
}

/// Maven marks its errors; the first says what went wrong.
fn first_error(output: &str) -> &str {
    let error = output
        .lines()
        .find_map(|line| line.strip_prefix("[ERROR] "));
    error.unwrap_or("it does not say why")
}

pub(super) fn remove(folder: &Path) -> Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

fn pom() -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- Written by cargo xtask cassandra. -->
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>stoa</groupId>
  <artifactId>cassandra-for-tests</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.cassandra</groupId>
      <artifactId>cassandra-all</artifactId>
      <version>{VERSION}</version>
    </dependency>
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.apache.maven.plugins</groupId>
        <artifactId>maven-dependency-plugin</artifactId>
        <version>{PLUGIN}</version>
      </plugin>
    </plugins>
  </build>
</project>
"#
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder in the build folder, of this test alone.
    fn scratch(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("stoa-xtask-{name}-{}", std::process::id()));
        remove(&folder).unwrap();
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn the_pom_names_the_server_and_pins_the_plugin() {
        let pom = pom();
        assert!(pom.contains("<artifactId>cassandra-all</artifactId>\n      <version>5.0.8<"));
        assert!(pom.contains(&format!("<version>{PLUGIN}<")));
        assert!(
            !pom.contains("<repository>"),
            "Maven chooses the repository"
        );
    }

    #[test]
    fn only_a_stamped_and_whole_folder_is_an_installation() {
        let folder = scratch("install");
        let lib = folder.join(VERSION).join("lib");
        fs::create_dir_all(&lib).unwrap();
        assert!(installed(&folder).is_none(), "nothing there");
        fs::write(lib.join("cassandra-all-5.0.8.jar"), "").unwrap();
        fs::write(lib.join("jamm-0.4.0.jar"), "").unwrap();
        fs::write(lib.join("notes.txt"), "").unwrap();
        assert!(installed(&folder).is_none(), "no stamp");
        let stamp = folder.join(VERSION).join(STAMP);
        fs::write(&stamp, "4.1.0").unwrap();
        assert!(installed(&folder).is_none(), "another version");
        fs::write(&stamp, VERSION).unwrap();
        let found = installed(&folder).unwrap();
        assert_eq!(found.jars.len(), 2);
        assert!(found.agent().unwrap().ends_with("jamm-0.4.0.jar"));
        assert!(found.class_path().ends_with("lib/jamm-0.4.0.jar"));
        fs::remove_file(lib.join("cassandra-all-5.0.8.jar")).unwrap();
        assert!(installed(&folder).is_none(), "a jar is missing");
        remove(&folder).unwrap();
    }

    #[test]
    fn the_first_error_of_maven_is_told() {
        let output = "[WARNING] x\n[ERROR] Could not resolve a:b:1\n[ERROR] Help 1\n";
        assert_eq!(first_error(output), "Could not resolve a:b:1");
    }
}
