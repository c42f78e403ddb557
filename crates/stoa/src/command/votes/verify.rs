//! `stoa votes verify`: an exported ledger, counted again from the file alone.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use clap::Args;
use serde_json::json;
use stoa_votes::model::PrivacyMode;
use stoa_votes::rules::public_ledger::{LedgerHash, Recount, Report};

use crate::terminal::{self, Palette};

/// Bytes between two steps of the progress bar.
const STEP: u64 = 1 << 20;
/// Bytes of a line at most; a record changes 200 policies, and a person may have votes on more.
const LONGEST_LINE: u64 = 64 << 20;

#[derive(Args)]
pub(super) struct Arguments {
    /// The exported ledger
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The hash that the last day must have, as it was published
    #[arg(long, value_name = "HASH")]
    hash: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let expected = match &arguments.hash {
        None => None,
        Some(text) => match LedgerHash::parse(text) {
            Some(hash) => Some(hash),
            None => bail!("a hash has 64 digits of 0-9 and a-f"),
        },
    };
    let report = read(arguments)?;
    let is_expected = expected.is_none() || expected == report.hash;
    let mut out = std::io::stdout().lock();
    match arguments.json {
        true => write_json(&mut out, &report, is_expected)?,
        false => write_text(&mut out, &report, is_expected)?,
    }
    Ok(match report.wrong == 0 && is_expected {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

fn read(arguments: &Arguments) -> Result<Report> {
    let path = arguments.file.display();
    let file = File::open(&arguments.file).with_context(|| format!("cannot read {path}"))?;
    let bar = terminal::progress_over(file.metadata()?.len());
    bar.set_message("counting");
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let mut recount = Recount::new();
    let (mut line, mut told) = (Vec::new(), 0);
    loop {
        line.clear();
        let mut limited = std::io::Read::take(&mut reader, LONGEST_LINE);
        let length = limited.read_until(b'\n', &mut line)?;
        if length == 0 {
            break;
        }
        recount.line(&line);
        told += length as u64;
        if told >= STEP {
            bar.inc(told);
            told = 0;
        }
    }
    bar.finish_and_clear();
    Ok(recount.finish())
}

fn counts(report: &Report) -> [(&'static str, u64); 5] {
    [
        ("days", report.days),
        ("lines", report.lines),
        ("records", report.records),
        ("people", report.people),
        ("policies", report.policies),
    ]
}

fn write_json(out: &mut impl Write, report: &Report, is_expected: bool) -> Result<()> {
    let findings: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let counts = counts(report).map(|(name, count)| (name.to_owned(), json!(count)));
    let mut object: serde_json::Map<_, _> = counts.into_iter().collect();
    let more = [
        ("mode", json!(report.mode.map(PrivacyMode::name))),
        ("through", json!(report.through.map(|day| day.to_string()))),
        ("hash", json!(report.hash.map(|hash| hash.to_string()))),
        ("is_expected_hash", json!(is_expected)),
        ("checked", json!(report.checked())),
        ("hidden", json!(report.hidden())),
        ("wrong", json!(report.wrong)),
        ("findings", json!(findings)),
    ];
    object.extend(more.map(|(name, value)| (name.to_owned(), value)));
    writeln!(out, "{}", serde_json::Value::from(object))?;
    Ok(())
}

fn write_text(out: &mut impl Write, report: &Report, is_expected: bool) -> Result<()> {
    let palette = Palette::for_stdout();
    for (name, count) in counts(report) {
        writeln!(out, "{name:<12}{count:>12}")?;
    }
    let mode = report.mode.map_or("unknown", PrivacyMode::name);
    writeln!(out, "{:<12}{mode:>12}", "mode")?;
    if let (Some(day), Some(hash)) = (report.through, report.hash) {
        writeln!(out, "closed through {day}, hash {hash}")?;
    }
    writeln!(out, "checked:")?;
    for what in report.checked() {
        writeln!(out, "  {what}")?;
    }
    writeln!(out, "not shown in this mode, and so not checked:")?;
    for what in report.hidden() {
        writeln!(out, "  {what}")?;
    }
    for finding in &report.findings {
        writeln!(out, "{}", palette.bad(&finding.to_string()))?;
    }
    if !is_expected {
        writeln!(
            out,
            "{}",
            palette.bad("the last hash is not the expected one")
        )?;
    }
    let verdict = match report.wrong {
        0 if is_expected => palette.good("the ledger counts up, to the single vote"),
        0 => palette.bad("the ledger counts up, but it is another one"),
        wrong => palette.bad(&format!("{wrong} findings")),
    };
    writeln!(out, "{verdict}")?;
    Ok(())
}
