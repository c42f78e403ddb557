//! What is there in the end, judged by what people were told.

use std::collections::BTreeSet;

use stoa_votes::Votes;
use stoa_votes::rules::public_ledger::Recount;

use crate::community::{Community, text};
use crate::journal::Told;

/// How often tasks run before what they leave is called unfinished.
const ROUNDS: usize = 20;

/// The end of a run.
pub(crate) struct Verdict {
    told: Told,
    /// Acknowledged, and not in the chain.
    lost: u64,
    /// Records in chains.
    records: u64,
    /// What the audit and the recount from the public ledger found.
    findings: Vec<String>,
    ledger_lines: u64,
}

/// Lets tasks finish everything, then reads all of it.
pub(crate) async fn judge(community: &Community) -> Result<Verdict, String> {
    let votes = &*community.instances[0];
    // Every day of the run is over, and whatever was begun is old.
    community.clock.jump_a_day();
    for _ in 0..ROUNDS {
        votes.drain().await.map_err(text)?;
        votes.finish_merges().await.map_err(text)?;
        votes.sweep_creations().await.map_err(text)?;
        votes.close_days().await.map_err(text)?;
        if votes.tables().merges.all().await.map_err(text)?.is_empty() {
            break;
        }
    }
    votes.recount_all().await.map_err(text)?;
    let told = community.journal.told();
    let books = votes.books().await.map_err(text)?;
    let mut findings: Vec<String> = books.audit().iter().map(ToString::to_string).collect();
    let records = books.chains.values();
    let records = records.map(|(_, records)| records.len() as u64).sum();
    let mut lost = 0;
    let (mut acknowledged, chain) = (BTreeSet::new(), &votes.tables().chain);
    for (user, accepted) in &told.accepted {
        let there = chain.record(*user, accepted.seq).await.map_err(text)?;
        lost += u64::from(there.map(|it| it.version) != Some(accepted.version));
        if !acknowledged.insert(accepted.version) {
            findings.push(format!("the record {} was told twice", accepted.version));
        }
    }
    let (ledger_lines, wrong) = recounted(votes).await?;
    findings.extend(wrong);
    Ok(Verdict {
        told,
        lost,
        records,
        findings,
        ledger_lines,
    })
}

/// The lines of the public ledger, and what is wrong with them.
async fn recounted(votes: &Votes) -> Result<(u64, Vec<String>), String> {
    let mut export = votes.export_ledger().await.map_err(text)?;
    let mut recount = Recount::new();
    let mut lines = 0;
    while let Some(day) = export.next().await.map_err(text)? {
        for line in day {
            recount.line(format!("{line}\n").as_bytes());
            lines += 1;
        }
    }
    let report = recount.finish();
    let mut wrong: Vec<String> = report.findings.iter().map(ToString::to_string).collect();
    let differing = export.differing().iter();
    wrong.extend(differing.map(|day| format!("the hash of {day} is not that of its lines")));
    Ok((lines, wrong))
}

impl Verdict {
    pub(crate) fn is_good(&self) -> bool {
        self.lost == 0 && self.told.unsettled == 0 && self.findings.is_empty()
    }

    pub(crate) fn print(&self, is_json: bool) {
        let told = &self.told;
        let counts = [
            ("accepted", told.accepted.len() as u64),
            ("records", self.records),
            ("lost", self.lost),
            ("unknown_at_first", told.unknown),
            ("unsettled", told.unsettled),
            ("refused", told.refused.values().sum()),
            ("merges", told.merges),
            ("failed_tasks", told.failed_tasks),
            ("ledger_lines", self.ledger_lines),
            ("findings", self.findings.len() as u64),
        ];
        if is_json {
            let fields = counts.map(|(name, count)| format!("\"{name}\": {count}"));
            println!("{{{}}}", fields.join(", "));
        } else {
            for (name, count) in counts {
                println!("{:<18}{count:>8}", name.replace('_', " "));
            }
            for (code, count) in &told.refused {
                println!("  {code:<16}{count:>8}");
            }
        }
        for finding in &self.findings {
            eprintln!("votes_faults: {finding}");
        }
        if !is_json && self.is_good() {
            println!("the books balance, to the single vote");
        }
    }
}
