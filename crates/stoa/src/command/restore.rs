//! `stoa restore`: a backup becomes a database to be served.

use std::io::Write as _;
use std::path::{Path, PathBuf, absolute};
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use indicatif::HumanBytes;
use serde_json::json;
use stoa_store::check::check_folder;

use super::backup::{check_free, is_store, part_of, place};
use crate::terminal::{self, Palette};

#[derive(Args)]
#[command(
    long_about = "Copy a backup into a folder, to be served.\n\nEvery stored value of the copy is read and checked before \
        it takes its place; a damaged one is refused. The backup stays as it is.",
    after_help = "Examples:\n  \
        stoa restore /backups/town-2026-11-19 --data town\n  \
        stoa serve --data town"
)]
pub(crate) struct Arguments {
    /// The backup
    backup: PathBuf,
    /// The folder of the database, which must not be there yet, or be empty
    #[arg(long, value_name = "DIR", default_value = "stoa-data")]
    data: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let backup = &arguments.backup;
    if !is_store(backup) {
        bail!("there is no backup in {}", backup.display());
    }
    let data = absolute(&arguments.data).context("--data")?;
    check_free(&data)?;
    let part = part_of(&data)?;
    check_index(&data)?;
    let bar = terminal::progress();
    bar.set_message("copying");
    let restored = copy(backup, &part).and_then(|bytes| {
        bar.set_message("reading everything");
        check(&part)?;
        place(&part, &data)?;
        Ok(bytes)
    });
    bar.finish_and_clear();
    if restored.is_err() && part.exists() {
        // What is left of it is of no use; if it stays, it is told the next time.
        let _ = std::fs::remove_dir_all(&part);
    }
    let bytes = restored?;
    let mut stdout = std::io::stdout().lock();
    if arguments.json {
        writeln!(stdout, "{}", json!({ "bytes": bytes, "folder": data }))?;
    } else {
        let done = Palette::for_stdout().good("restored and checked:");
        let (bytes, data) = (HumanBytes(bytes), data.display());
        writeln!(stdout, "{done} {data}, {bytes}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// An index of words of what was there before would find what is not there any more.
fn check_index(data: &Path) -> Result<()> {
    let Some((parent, name)) = data.parent().zip(data.file_name()) else {
        return Ok(());
    };
    let mut index = name.to_owned();
    index.push(".index");
    let index = parent.join(index);
    if index.exists() {
        bail!(
            "{} is there, of a database that was here before; remove it first, it is made again",
            index.display()
        );
    }
    Ok(())
}

/// Copies files and folders; how many bytes.
fn copy(from: &Path, to: &Path) -> Result<u64> {
    std::fs::create_dir(to).with_context(|| format!("cannot make {}", to.display()))?;
    let mut bytes = 0;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let (kind, path) = (entry.file_type()?, entry.path());
        let place = to.join(entry.file_name());
        if kind.is_dir() {
            bytes += copy(&path, &place)?;
        } else if kind.is_file() {
            let copied = std::fs::copy(&path, &place);
            bytes += copied.with_context(|| format!("cannot copy {}", path.display()))?;
        }
    }
    Ok(bytes)
}

fn check(folder: &Path) -> Result<()> {
    let report = check_folder(folder, &mut |_| {})?;
    if report.is_whole() {
        return Ok(());
    }
    let damage = report.damages.first().map(ToString::to_string);
    let findings = report.contents.map(|it| it.findings);
    let finding = findings.and_then(|it| it.first().map(|it| it.what.to_string()));
    let what = damage.or(finding).unwrap_or_default();
    bail!("the backup is damaged: {what}; stoa check tells all of it")
}
