//! `stoa check DIR`: reads everything in a store and says what is damaged and what is not.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, anyhow};
use clap::Args;
use indicatif::{HumanBytes, ProgressBar};
use serde_json::json;
use stoa_store::StoreError;
use stoa_store::check::{Contents, Finding, Part, Report, Step, check_folder};
use stoa_store::integrity::{Damage, Progress};
use stoa_store::kv::SpaceId;

use crate::terminal::{self, Palette, table};

const LONG_ABOUT: &str = "\
Read everything in a store and say what is damaged.

First every file is read to its last byte. If all are whole, the store is opened and every
stored value of every table is verified: its checksum, that it can be decoded, that range
deletions do not overlap, and that nothing refers to a value that is missing.

Nothing is deleted and nothing is rewritten. Opening repairs a folder that was not closed
cleanly, as opening always does: a torn end of the journal, above the last synced commit, is cut
off. If a file is damaged, nothing is opened.

The exit code is 0 if all is whole and 1 if anything is not.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa check data          a summary for people\n  \
        stoa check data --json   one JSON object a line: damage, findings, tables, a summary"
)]
pub(crate) struct Arguments {
    /// The folder of the store; no process may have it open
    dir: PathBuf,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let dir = &arguments.dir;
    if !dir.is_dir() {
        return Err(anyhow!("{}: there is no such folder", dir.display()));
    }
    let bar = terminal::progress();
    let mut told = Told::default();
    let checked = check_folder(dir, &mut |step| told.tell(&bar, step));
    bar.finish_and_clear();
    let report = checked.map_err(explain).context("cannot check")?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        write_json(&mut out, &report)?;
    } else {
        write_text(&mut out, &report, Palette::for_stdout())?;
    }
    Ok(if report.is_whole() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Adds what the user can do.
fn explain(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Locked(path) => anyhow!(
            "{} is open in another process; stop it first, or check a copy of a backup",
            path.display()
        ),
        other => anyhow!(other),
    }
}

/// What the progress line has told so far.
#[derive(Default)]
struct Told {
    files: u64,
    file_bytes: u64,
    value_bytes: u64,
    table: Option<u64>,
}

impl Told {
    fn tell(&mut self, bar: &ProgressBar, step: Step) {
        match step {
            Step::File(Progress::Table { bytes }) => {
                self.files += 1;
                self.file_bytes += bytes;
            }
            Step::File(Progress::Journal { .. }) => self.files += 1,
            Step::File(Progress::Keyspace { .. }) => {}
            Step::Opening => return bar.set_message("files are whole; opening"),
            Step::Table(id) => self.table = Some(id.0),
            Step::Read(bytes) => self.value_bytes += bytes,
        }
        bar.set_message(match self.table {
            None => format!("{} files, {} read", self.files, HumanBytes(self.file_bytes)),
            Some(id) => format!(
                "table {id}, {} of values read",
                HumanBytes(self.value_bytes)
            ),
        });
    }
}

fn write_text(out: &mut dyn Write, report: &Report, palette: Palette) -> anyhow::Result<()> {
    let files = &report.files;
    let damaged = damaged_files(&report.damages);
    let verdict = match damaged.len() {
        0 => palette.good("whole"),
        count => palette.bad(&format!("{count} damaged")),
    };
    writeln!(
        out,
        "files: {} table files ({}) and {} journals ({} commits) read, {verdict}",
        files.table_files,
        HumanBytes(files.table_bytes),
        files.journals,
        files.batches,
    )?;
    for damage in &report.damages {
        writeln!(out, "  {} {damage}", palette.bad("damaged:"))?;
    }
    match &report.contents {
        Some(contents) => write_contents(out, contents, palette)?,
        None => write_trees(out, report)?,
    }
    writeln!(
        out,
        "{}",
        if report.is_whole() {
            palette.good("all is whole")
        } else {
            palette.bad("damage was found; restore from a backup what is named above")
        }
    )?;
    Ok(())
}

fn damaged_files(damages: &[Damage]) -> Vec<&str> {
    let mut files: Vec<&str> = damages.iter().map(Damage::file).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// With damaged files the rows are out of reach; at least say which trees are whole.
fn write_trees(out: &mut dyn Write, report: &Report) -> anyhow::Result<()> {
    for tree in &report.files.trees {
        let folder = format!("kv/keyspaces/{}/", tree.id);
        let holds = match tree.space {
            None => "unknown".to_owned(),
            Some(SpaceId(0)) => "the catalogue".to_owned(),
            Some(SpaceId(1)) => "the purge queue".to_owned(),
            Some(SpaceId(space)) => format!("a table, space {space}"),
        };
        let is_damaged = report
            .damages
            .iter()
            .any(|it| it.file().starts_with(&folder));
        let state = if is_damaged { "damaged" } else { "whole" };
        writeln!(
            out,
            "  {folder} ({holds}): {} table files, {state}",
            tree.files
        )?;
    }
    writeln!(out, "values were not read, because the files are damaged")?;
    Ok(())
}

fn write_contents(
    out: &mut dyn Write,
    contents: &Contents,
    palette: Palette,
) -> anyhow::Result<()> {
    let head = [
        "table",
        "partitions",
        "rows",
        "cells",
        "spilled",
        "bytes",
        "damaged",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (id, counts) in &contents.tables {
        rows.push(vec![
            id.0.to_string(),
            counts.partitions.to_string(),
            counts.rows.to_string(),
            counts.cells.to_string(),
            counts.spilled.to_string(),
            counts.bytes.to_string(),
            counts.findings.to_string(),
        ]);
    }
    write!(out, "{}", table(&rows))?;
    for finding in &contents.findings {
        writeln!(
            out,
            "  {} {}: {}",
            palette.bad("damaged:"),
            place(finding),
            finding.what
        )?;
    }
    if contents.more_findings > 0 {
        writeln!(out, "  and {} more", contents.more_findings)?;
    }
    Ok(())
}

fn place(finding: &Finding) -> String {
    let place = &finding.place;
    let mut text = part_name(place.part);
    let mut add = |name: &str, bytes: &[u8]| {
        text.push_str(&format!(" {name} 0x{}", hex(bytes)));
    };
    match (&place.partition, &place.clustering) {
        (Some(partition), None) => {
            add("partition", partition);
            add("key", &place.key);
        }
        (Some(partition), Some(clustering)) => {
            add("partition", partition);
            add("clustering", clustering);
        }
        (None, _) if place.key.is_empty() => {}
        (None, _) => add("key", &place.key),
    }
    text
}

fn part_name(part: Part) -> String {
    match part {
        Part::Catalog => "catalogue".to_owned(),
        Part::PurgeQueue => "purge queue".to_owned(),
        Part::Table(id) => format!("table {}", id.0),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn write_json(out: &mut dyn Write, report: &Report) -> anyhow::Result<()> {
    for damage in &report.damages {
        let line = json!({
            "kind": "damage",
            "file": damage.file(),
            "offset": damage.offset(),
            "what": damage.to_string(),
        });
        writeln!(out, "{line}")?;
    }
    let contents = report.contents.as_ref();
    for finding in contents.iter().flat_map(|it| &it.findings) {
        let line = json!({
            "kind": "finding",
            "part": part_name(finding.place.part),
            "partition": finding.place.partition.as_deref().map(hex),
            "clustering": finding.place.clustering.as_deref().map(hex),
            "key": hex(&finding.place.key),
            "what": finding.what,
        });
        writeln!(out, "{line}")?;
    }
    for (id, counts) in contents.iter().flat_map(|it| &it.tables) {
        let line = json!({
            "kind": "table",
            "table": id.0,
            "partitions": counts.partitions,
            "rows": counts.rows,
            "cells": counts.cells,
            "ranges": counts.ranges,
            "spilled": counts.spilled,
            "bytes": counts.bytes,
            "findings": counts.findings,
        });
        writeln!(out, "{line}")?;
    }
    let line = json!({
        "kind": "summary",
        "whole": report.is_whole(),
        "table_files": report.files.table_files,
        "table_bytes": report.files.table_bytes,
        "journals": report.files.journals,
        "damaged_files": damaged_files(&report.damages).len(),
        "values_read": contents.is_some(),
        "findings": contents.map_or(0, |it| it.findings.len() as u64 + it.more_findings),
    });
    writeln!(out, "{line}")?;
    Ok(())
}
