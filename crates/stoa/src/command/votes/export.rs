//! `stoa votes export`: the public ledger as lines of JSON.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use stoa_votes::Votes;
use stoa_votes::ops::export_ledger::LedgerExport;

use super::TaskArguments;
use super::part_file::PartFile;
use crate::terminal::{self, Palette};

#[derive(Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) common: TaskArguments,
    /// Write into a file, and say what was written; otherwise the ledger goes to standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(super) async fn run(votes: &Votes, arguments: &Arguments) -> Result<ExitCode> {
    let mut export = votes.export_ledger().await?;
    let lines = match &arguments.out {
        Some(path) => to_file(&mut export, path).await?,
        None => {
            let mut out = BufWriter::new(std::io::stdout().lock());
            write(&mut export, &mut out).await?
        }
    };
    if arguments.out.is_some() {
        tell(&export, arguments, lines)?;
    }
    if export.differing().is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let palette = Palette::for_stderr();
    for day in export.differing() {
        let what = format!("the lines of {day} do not give the hash that it was closed with");
        writeln!(std::io::stderr(), "{}", palette.bad(&what))?;
    }
    Ok(ExitCode::FAILURE)
}

async fn to_file(export: &mut LedgerExport<'_>, path: &Path) -> Result<u64> {
    let mut out = PartFile::begin(path)?;
    let lines = write(export, &mut out).await?;
    out.finish()?;
    Ok(lines)
}

async fn write(export: &mut LedgerExport<'_>, out: &mut impl Write) -> Result<u64> {
    let bar = terminal::progress_of(export.days());
    bar.set_message("days written");
    let mut written = 0;
    while let Some(lines) = export.next().await? {
        for line in &lines {
            writeln!(out, "{line}")?;
        }
        written += lines.len() as u64;
        bar.inc(1);
    }
    out.flush()?;
    bar.finish_and_clear();
    Ok(written)
}

fn tell(export: &LedgerExport<'_>, arguments: &Arguments, lines: u64) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let (days, hash) = (export.days(), export.hash().to_string());
    match arguments.common.json {
        true => writeln!(
            out,
            "{}",
            json!({ "days": days, "lines": lines, "hash": hash })
        )?,
        false => writeln!(out, "{days} days, {lines} lines, hash {hash}")?,
    }
    Ok(())
}
