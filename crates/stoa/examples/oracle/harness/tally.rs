//! What was run, what was covered, what differed.

use std::collections::BTreeMap;

use stoa_testkit::random::Family;

use super::finding::Finding;

/// Sums over scripts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) schemas: usize,
    pub(crate) statements: usize,
    /// Accepted and refused by Cassandra.
    pub(crate) families: BTreeMap<Family, (usize, usize)>,
    /// How often a reviewed exception applied.
    pub(crate) excepted: BTreeMap<&'static str, usize>,
    /// Scripts that Cassandra did not answer to their end.
    pub(crate) unanswered: Vec<String>,
    /// Statements after a write that made the two sides differ, and so prove little.
    pub(crate) astray: usize,
    /// Differences among those, or like one before.
    pub(crate) later: usize,
    pub(crate) findings: Vec<Finding>,
}

impl Tally {
    pub(crate) fn add(&mut self, other: Self) {
        self.schemas += other.schemas;
        self.statements += other.statements;
        for (family, (accepted, refused)) in other.families {
            let sum = self.families.entry(family).or_default();
            sum.0 += accepted;
            sum.1 += refused;
        }
        for (name, times) in other.excepted {
            *self.excepted.entry(name).or_default() += times;
        }
        self.unanswered.extend(other.unanswered);
        self.astray += other.astray;
        self.later += other.later;
        self.findings.extend(other.findings);
    }

    /// The report, findings apart.
    pub(crate) fn summary(&self) -> String {
        let mut lines = vec![format!("{:<18} {:>10} {:>10}", "", "accepted", "refused")];
        for (family, (accepted, refused)) in &self.families {
            let name = format!("{family:?}");
            lines.push(format!("{name:<18} {accepted:>10} {refused:>10}"));
        }
        for (name, times) in &self.excepted {
            lines.push(format!("excepted: {name}: {times}"));
        }
        for problem in &self.unanswered {
            lines.push(format!("unanswered: {problem}"));
        }
        let mut marks: BTreeMap<&str, usize> = BTreeMap::new();
        for finding in &self.findings {
            *marks.entry(&finding.mark).or_default() += 1;
        }
        let mut marks: Vec<_> = marks.into_iter().collect();
        marks.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
        for (mark, times) in marks {
            lines.push(format!("{times:>6} x {mark}"));
        }
        lines.push(format!(
            "{} statements over {} schemas: {} differ, {} unanswered; {} come after a write that \
             differs, {} of them differ too",
            self.statements,
            self.schemas,
            self.findings.len(),
            self.unanswered.len(),
            self.astray,
            self.later,
        ));
        lines.join("\n")
    }
}
