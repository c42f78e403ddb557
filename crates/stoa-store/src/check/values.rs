//! Walks the spaces of an open store and verifies every pair.

use std::collections::HashMap;

use super::partition::Walk;
use super::{Contents, Finding, Part, Place, Step, TableCounts};
use crate::catalog::CATALOG_SPACE;
use crate::codec::Reader;
use crate::error::StoreError;
use crate::integrity::{CHAIN_KEY, CommitRecord};
use crate::kv::{Direction, Pair, SpaceId};
use crate::purge_queue::{Entry, PURGE_SPACE};
use crate::seal::{Verified, unseal};
use crate::table::{Table, TableId};
use crate::view::View;

/// Above every key of every space: keys are at most 65,535 bytes and never begin like this.
const TOP: [u8; 12] = [0xff; 12];
/// How many bytes are read between two steps of progress.
const STEP_BYTES: u64 = 1 << 20;

/// Verifies the catalogue.
pub(super) fn check_catalog(view: &View, contents: &mut Contents) {
    let walked = walk(view, CATALOG_SPACE, &mut |_| {}, &mut |(key, sealed)| {
        if let Some(what) = catalog_entry(&key, sealed).err() {
            contents.report(finding(Part::Catalog, &key, what));
        }
    });
    unfinished(walked, Part::Catalog, contents);
    let mut owners: HashMap<SpaceId, TableId> = HashMap::new();
    for table in view.catalog().tables() {
        if let Some(other) = owners.insert(table.space, table.id) {
            let what = format!(
                "tables {} and {} share space {}",
                other.0, table.id.0, table.space.0
            );
            contents.report(finding(Part::Catalog, &[], what));
        }
    }
}

fn catalog_entry(key: &[u8], sealed: crate::kv::Bytes) -> Result<(), String> {
    if key == CHAIN_KEY {
        return match CommitRecord::decode(&sealed) {
            Some(_) => Ok(()),
            None => Err("the record of the last commit does not check out".to_owned()),
        };
    }
    let value = Verified::new(CATALOG_SPACE, key, sealed).map_err(|error| reason(&error))?;
    match key.split_first() {
        Some((b't', id)) => {
            let id = <[u8; 8]>::try_from(id).map_err(|_| "not the key of a table".to_owned())?;
            let id = TableId(u64::from_be_bytes(id));
            Table::decode(id, &value).map_err(|error| error.to_string())?;
            Ok(())
        }
        Some((b'n' | b'w', [])) => {
            let reader = &mut Reader::new(&value);
            let number = reader.signed("number");
            let read = number.and_then(|_| reader.finish("number"));
            read.map_err(|error| error.to_string())
        }
        Some((b'r', _)) => Ok(()),
        _ => Err("not a key of the catalogue".to_owned()),
    }
}

/// Verifies the purge queue.
pub(super) fn check_purge_queue(
    view: &View,
    contents: &mut Contents,
    progress: &mut dyn FnMut(Step),
) {
    let walked = walk(view, PURGE_SPACE, progress, &mut |(key, sealed)| {
        if let Err(error) = Entry::decode(&key, sealed) {
            contents.report(finding(Part::PurgeQueue, &key, reason(&error)));
        }
    });
    unfinished(walked, Part::PurgeQueue, contents);
}

/// Verifies one table.
pub(super) fn check_table(
    view: &View,
    table: &Table,
    contents: &mut Contents,
    progress: &mut dyn FnMut(Step),
) -> TableCounts {
    let part = Part::Table(table.id);
    let mut partitions = Walk::new(table.id);
    let mut findings = 0;
    let mut report = |found: Vec<Finding>| {
        findings += found.len() as u64;
        found.into_iter().for_each(|it| contents.report(it));
    };
    let walked = walk(view, table.space, progress, &mut |(key, sealed)| {
        let value = unseal(table.space, &key, &sealed).map_err(|error| reason(&error));
        partitions.bytes(key.len() + sealed.len());
        report(partitions.pair(&key, value));
    });
    report(partitions.finish());
    let mut counts = partitions.counts;
    counts.findings = findings + u64::from(walked.is_err());
    unfinished(walked, part, contents);
    counts
}

/// Hands every pair of a space to `visit`. An error ends the walk: what follows is out of reach.
fn walk(
    view: &View,
    space: SpaceId,
    progress: &mut dyn FnMut(Step),
    visit: &mut dyn FnMut(Pair),
) -> Result<(), StoreError> {
    let mut unreported = 0;
    for pair in view.snapshot.range(space, &[], &TOP, Direction::Forward)? {
        let (key, sealed) = pair?;
        unreported += (key.len() + sealed.len()) as u64;
        if unreported >= STEP_BYTES {
            progress(Step::Read(std::mem::take(&mut unreported)));
        }
        visit((key, sealed));
    }
    progress(Step::Read(unreported));
    Ok(())
}

fn unfinished(walked: Result<(), StoreError>, part: Part, contents: &mut Contents) {
    if let Err(error) = walked {
        let what = format!("the rest cannot be read: {}", reason(&error));
        contents.report(finding(part, &[], what));
    }
}

fn finding(part: Part, key: &[u8], what: String) -> Finding {
    Finding {
        place: Place {
            part,
            partition: None,
            clustering: None,
            key: key.to_vec(),
        },
        what,
    }
}

/// What an error says without the place, which the finding has.
fn reason(error: &StoreError) -> String {
    match error {
        StoreError::Damaged { what, .. } => what.clone(),
        other => other.to_string(),
    }
}
