//! `stoa check-cluster URI`: asks every node of a cluster and says what is fine and what to change.

use std::io::Write;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use stoa_cluster::health::{Facts, Finding, Verdict, judge};
use stoa_session::uri::ClusterAddress;
use stoa_types::clock::SystemClock;

use crate::connect;
use crate::terminal::{self, Palette};

const LONG_ABOUT: &str = "\
Look at a Cassandra cluster and say what is fine and what to change.

Every node of the ring is asked for its version, its schema, its clock and its settings. The
keyspace of the URI is looked at too: how many replicas it has, and where. Nothing is changed; a
keyspace that does not exist is not made.

Clocks are compared with this machine's. The error is half of the quickest round trip.

The exit code is 0 if all is fine, 1 if something is to be changed, and 2 if there is no
connection.";

#[derive(Args)]
#[command(
    long_about = LONG_ABOUT,
    after_help = "Examples:\n  \
        stoa check-cluster cql://127.0.0.1/votes\n  \
        stoa check-cluster 'cql://anna@node1,node2/votes?password-env=CQL_PASSWORD' --json"
)]
pub(crate) struct Arguments {
    /// The cluster, as `cql://USER@HOST:PORT,HOST/KEYSPACE?KEY=VALUE`
    uri: String,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let facts = match facts(&arguments.uri) {
        Ok(facts) => facts,
        Err(error) => {
            let mut out = std::io::stderr().lock();
            writeln!(out, "stoa: {error:#}")?;
            return Ok(ExitCode::from(2));
        }
    };
    let findings = judge(&facts);
    let mut out = std::io::stdout().lock();
    if arguments.json {
        write_json(&mut out, &facts, &findings)?;
    } else {
        write_text(&mut out, &findings, Palette::for_stdout())?;
    }
    Ok(match changes(&findings) {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

fn facts(uri: &str) -> anyhow::Result<Facts> {
    let address = connect::cluster_address(uri, "check-cluster")?;
    connect::runtime()?.block_on(gather(&address))
}

async fn gather(address: &ClusterAddress) -> anyhow::Result<Facts> {
    let bar = terminal::progress();
    bar.set_message("asking every node");
    // The keyspace is a thing to look at here, and need not exist.
    let address_alone = ClusterAddress {
        keyspace: None,
        ..address.clone()
    };
    let session = connect::cluster(&address_alone).await?;
    let keyspace = address.keyspace.as_deref();
    let facts = session.facts(keyspace, &SystemClock::new()).await;
    bar.finish_and_clear();
    Ok(facts)
}

fn changes(findings: &[Finding]) -> usize {
    let is_change = |finding: &&Finding| matches!(finding.verdict, Verdict::Change(_));
    findings.iter().filter(is_change).count()
}

fn write_text(out: &mut dyn Write, findings: &[Finding], palette: Palette) -> anyhow::Result<()> {
    let width = |text: fn(&Finding) -> &str| {
        let widths = findings.iter().map(|finding| text(finding).chars().count());
        widths.max().unwrap_or(0)
    };
    let subjects = width(|finding| finding.subject);
    // A long list of nodes does not push the verdicts of all others away.
    let found = width(|finding| &finding.found).min(48);
    for finding in findings {
        let verdict = match &finding.verdict {
            Verdict::Fine => palette.good("fine"),
            Verdict::Note(note) => format!("note: {note}"),
            Verdict::Change(how) => format!("{}: {how}", palette.bad("change this")),
        };
        writeln!(
            out,
            "{:<subjects$}  {:<found$}  {verdict}",
            finding.subject, finding.found
        )?;
    }
    match changes(findings) {
        0 => writeln!(out, "{}", palette.good("all is fine"))?,
        1 => writeln!(out, "{}", palette.bad("one thing to change"))?,
        count => writeln!(out, "{}", palette.bad(&format!("{count} things to change")))?,
    }
    Ok(())
}

fn write_json(out: &mut dyn Write, facts: &Facts, findings: &[Finding]) -> anyhow::Result<()> {
    for node in &facts.nodes {
        let answers = node.answers.as_ref().ok();
        let line = json!({
            "kind": "node",
            "address": node.address,
            "datacenter": node.datacenter,
            "problem": node.answers.as_ref().err(),
            "release": answers.map(|it| &it.release),
            "schema": answers.map(|it| &it.schema),
            "clock_ahead_micros": answers.map(|it| it.skew.ahead_micros),
            "clock_error_micros": answers.map(|it| it.skew.error_micros),
            "settings": answers.map(|it| &it.settings),
        });
        writeln!(out, "{line}")?;
    }
    for finding in findings {
        let (verdict, advice) = match &finding.verdict {
            Verdict::Fine => ("fine", None),
            Verdict::Note(note) => ("note", Some(note)),
            Verdict::Change(how) => ("change", Some(how)),
        };
        let line = json!({
            "kind": "finding",
            "subject": finding.subject,
            "found": finding.found,
            "verdict": verdict,
            "advice": advice,
        });
        writeln!(out, "{line}")?;
    }
    let changes = changes(findings);
    let line = json!({ "kind": "summary", "fine": changes == 0, "changes": changes });
    writeln!(out, "{line}")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings() -> [Finding; 2] {
        let finding = |subject, found: &str, verdict| Finding {
            subject,
            found: found.to_owned(),
            verdict,
        };
        [
            finding("nodes", "3 of 3 answer", Verdict::Fine),
            finding("paxos variant", "v1", Verdict::Change("use v2".to_owned())),
        ]
    }

    #[test]
    fn people_see_what_to_change() {
        let mut out = Vec::new();
        write_text(&mut out, &findings(), Palette::for_stdout()).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "nodes          3 of 3 answer  fine\n\
             paxos variant  v1             change this: use v2\n\
             one thing to change\n"
        );
    }

    #[test]
    fn machines_see_one_object_a_line() {
        let mut out = Vec::new();
        write_json(&mut out, &Facts::default(), &findings()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[1]["advice"], "use v2");
        assert_eq!(lines[2]["changes"], 1);
        assert_eq!(lines[2]["fine"], false);
    }
}
