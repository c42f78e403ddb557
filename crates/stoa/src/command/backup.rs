//! `stoa backup`: a copy of a database in a folder, as of one moment, also while it is served.
//!
//! Whoever serves the folder has it locked, so it is asked by the socket that it listens to. The
//! copy is made beside its place, and takes the place when it is whole and safe.

use std::ffi::OsString;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use indicatif::{HumanBytes, ProgressBar};
use serde_json::json;
use stoa_store::backup::Copied;
use stoa_store::integrity::{DamageKind, read_format_file};
use stoa_store::{Options, Store, StoreError};
use stoa_types::SystemClock;

use crate::terminal::{self, Palette};

/// What the name of a copy ends with until it is whole.
const ENDING: &str = ".part";

#[derive(Args)]
#[command(
    long_about = "Copy a database into a folder, as of one moment.\n\nNobody is disturbed: if `stoa serve` has the folder \
        open, it is asked to make the copy, and people go on voting meanwhile. The copy is a database \
        of its own, and is there only when it is whole. `stoa restore` puts it into a folder to be served.\n\n\
        Indexes of words and public ledgers are not copied: they are made again. A cluster has backups \
        of its own.",
    after_help = "Examples:\n  \
        stoa backup --data town --out /backups/town-2026-11-19\n  \
        stoa check /backups/town-2026-11-19                    is every byte of it right?\n  \
        stoa restore /backups/town-2026-11-19 --data town-again"
)]
pub(crate) struct Arguments {
    /// The folder of the database
    #[arg(long, value_name = "DIR", default_value = "stoa-data")]
    data: PathBuf,
    /// The folder of the copy, which must not be there yet, or be empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let data = &arguments.data;
    if !is_store(data) {
        bail!("there is no database in {}", data.display());
    }
    let out = absolute(&arguments.out).context("--out")?;
    let bar = terminal::progress();
    let copied = match asked(data, &out, &bar)? {
        Some(copied) => copied,
        None => copied(data, &out, &bar)?,
    };
    bar.finish_and_clear();
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        let object = json!({ "keys": copied.keys, "bytes": copied.bytes, "folder": out });
        writeln!(stdout, "{object}")?;
    } else {
        let done = Palette::for_stdout().good("a whole copy is in");
        let (keys, bytes) = (copied.keys, HumanBytes(copied.bytes));
        writeln!(stdout, "{done} {}: {keys} keys, {bytes}", out.display())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Whether a folder holds a store, damaged or not.
pub(super) fn is_store(folder: &Path) -> bool {
    folder.is_dir()
        && match read_format_file(folder) {
            Ok(version) => version.is_some(),
            Err(damage) => damage.kind() != DamageKind::NotAStore,
        }
}

/// Asks whoever serves the folder; nothing, if nobody does.
#[cfg(unix)]
fn asked(data: &Path, out: &Path, bar: &ProgressBar) -> Result<Option<Copied>> {
    use std::io::{BufRead as _, BufReader};
    use std::os::unix::net::UnixStream;

    use super::serve::{ControlAnswer, SOCKET, asked_for};

    let Ok(mut stream) = UnixStream::connect(data.join(SOCKET)) else {
        return Ok(None);
    };
    let out = out.to_str().context("--out is no text")?;
    stream.write_all(asked_for(out).as_bytes())?;
    for line in BufReader::new(stream).lines() {
        let line = line.context("whoever serves the folder went away")?;
        match ControlAnswer::of_line(&line) {
            Some(ControlAnswer::Copied(copied)) => tell(bar, copied),
            Some(ControlAnswer::Done(copied)) => return Ok(Some(copied)),
            Some(ControlAnswer::Failed(why)) => bail!("whoever serves the folder says: {why}"),
            None => bail!("whoever serves the folder says {line:?}, which makes no sense here"),
        }
    }
    bail!("whoever serves the folder went away; whether there is a copy is not known")
}

#[cfg(not(unix))]
fn asked(_: &Path, _: &Path, _: &ProgressBar) -> Result<Option<Copied>> {
    Ok(None)
}

/// Copies a database that nobody has open.
fn copied(data: &Path, out: &Path, bar: &ProgressBar) -> Result<Copied> {
    let store = Store::open(data, Options::default(), Arc::new(SystemClock::new()));
    let store = store.map_err(|error| match error {
        StoreError::Locked(_) => anyhow!(
            "{} is open in a process that makes no backups; stop that first",
            data.display()
        ),
        other => anyhow!(other),
    })?;
    let copied = copy_store(&store, out, &mut |copied| tell(bar, copied));
    store.close()?;
    copied
}

fn tell(bar: &ProgressBar, copied: Copied) {
    bar.set_message(format!("{} copied", HumanBytes(copied.bytes)));
}

/// Copies an open store into a folder that is not there yet, or empty. What is there afterwards is
/// whole, and safe.
pub(super) fn copy_store(
    store: &Store,
    out: &Path,
    progress: &mut dyn FnMut(Copied),
) -> Result<Copied> {
    check_free(out)?;
    let part = part_of(out)?;
    let copied = store.backup(&part, progress)?;
    place(&part, out)?;
    Ok(copied)
}

/// Refuses a place where something is.
pub(super) fn check_free(folder: &Path) -> Result<()> {
    let shown = folder.display();
    match std::fs::read_dir(folder) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => bail!("{shown} is not empty; name a new folder"),
        },
        Err(_) if !folder.exists() => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot look into {shown}")),
    }
}

/// Where a folder is made until it is whole.
pub(super) fn part_of(folder: &Path) -> Result<PathBuf> {
    let name = folder.file_name().context("a folder needs a name")?;
    let mut part = OsString::from(name);
    part.push(ENDING);
    let part = folder.with_file_name(part);
    if part.exists() {
        bail!(
            "{} is there, of one that was cut off or is under way; remove it if it is not",
            part.display()
        );
    }
    if let Some(parent) = part.parent() {
        std::fs::create_dir_all(parent)
            .with_context(|| format!("cannot make {}", parent.display()))?;
    }
    Ok(part)
}

/// Puts a folder that is whole into its place, where it is safe.
pub(super) fn place(part: &Path, folder: &Path) -> Result<()> {
    let cannot = || format!("cannot write {}", folder.display());
    sync(part).with_context(cannot)?;
    // One that is empty is in the way on some systems.
    let _ = std::fs::remove_dir(folder);
    std::fs::rename(part, folder).with_context(cannot)?;
    match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => sync_one(parent).with_context(cannot),
        _ => Ok(()),
    }
}

/// Syncs everything in a folder, and the folder.
fn sync(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type()?.is_dir() {
            true => sync(&entry.path())?,
            false => sync_one(&entry.path())?,
        }
    }
    sync_one(folder)
}

fn sync_one(path: &Path) -> std::io::Result<()> {
    // Folders cannot be opened on every system; there they need not be.
    match File::open(path) {
        Err(_) if path.is_dir() => Ok(()),
        opened => opened?.sync_all(),
    }
}
