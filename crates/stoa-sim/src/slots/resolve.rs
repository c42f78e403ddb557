//! How conflicts are resolved: once in a user's row, and once more in each policy's.

use std::collections::BTreeMap;

use super::model::{NewVote, Record, Version};

/// What a user's row amounts to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Resolved {
    /// The records that follow each other from the beginning.
    pub(super) chain: Vec<Record>,
    /// The records whose parent is not there.
    pub(super) orphans: Vec<Record>,
}

impl Resolved {
    pub(super) fn head(&self) -> Version {
        self.chain.last().map_or(Version::ZERO, |it| it.version)
    }
}

/// Finds the newest version with an unbroken chain of predecessors.
pub(super) fn user(records: &BTreeMap<Version, Record>) -> Resolved {
    let mut chain: Vec<Record> = Vec::new();
    let mut head = Version::ZERO;
    while let Some(record) = records.get(&head) {
        head = record.version;
        chain.push(record.clone());
    }
    let is_there = |version: Version| {
        version == Version::ZERO || records.values().any(|it| it.version == version)
    };
    let orphans = records.values().filter(|it| !is_there(it.previous));
    Resolved {
        orphans: orphans.cloned().collect(),
        chain,
    }
}

/// What a policy's row amounts to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Counted {
    /// The records that count on top of the boundary.
    pub(super) passed: Vec<NewVote>,
    /// The records whose chain does not reach the boundary.
    pub(super) orphans: Vec<NewVote>,
    /// The records that are older than the boundary, and so taken for counted.
    pub(super) old: Vec<NewVote>,
}

/// Tells the records of a policy's row that count from those that do not.
pub(super) fn policy(boundary: Version, row: &[NewVote]) -> Counted {
    let new = row.iter().filter(|it| it.version > boundary);
    let by_version: BTreeMap<Version, &NewVote> = new.map(|it| (it.version, it)).collect();
    let mut counted = Counted::default();
    for vote in row {
        if vote.version <= boundary {
            counted.old.push(*vote);
            continue;
        }
        let mut previous = vote.previous;
        // A circle cannot be: each version is made after its predecessor was read.
        for _ in 0..=by_version.len() {
            match by_version.get(&previous) {
                Some(parent) if previous > boundary => previous = parent.previous,
                _ => break,
            }
        }
        match previous <= boundary {
            true => counted.passed.push(*vote),
            false => counted.orphans.push(*vote),
        }
    }
    counted
}
