//! Goes through a recording and stops where the power fails.
//!
//! For every moment it knows what is durable by then (settled) and what is not yet
//! (pending). Going forward costs what became durable in between, so a whole recording
//! costs little more than reading it once.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    content::{Content, SECTOR},
    cut::{Cut, Pending},
    disk::{Action, CutPoint, Disk, Resize},
    durability::{Discipline, durable_from, earlier_on_same_name},
    names::{Inode, Names},
};

/// Goes through a recording and stops where the power fails.
#[derive(Debug)]
pub struct Cutter<'a> {
    disk: &'a Disk,
    discipline: Discipline,
    durable_from: Vec<u64>,
    earlier: Arc<BTreeMap<usize, Vec<usize>>>,
    names: Names,
    name_track: Track,
    files: BTreeMap<Inode, (Arc<Content>, Track)>,
    point: CutPoint,
}

/// The operations on one thing, of which the first ones are settled.
#[derive(Clone, Debug, Default)]
struct Track {
    operations: Vec<usize>,
    /// For each, when it or a later one starts at the earliest.
    starts: Vec<u64>,
    settled: usize,
}

impl Track {
    /// Settles the next operation if it is durable by then.
    fn settle(&mut self, durable_from: &[u64], point: CutPoint) -> Option<usize> {
        let next = *self.operations.get(self.settled)?;
        let durable = durable_from.get(next).is_some_and(|from| *from <= point.0);
        durable.then(|| {
            self.settled += 1;
            next
        })
    }

    /// The operations that are not settled and had started by then.
    fn pending<'a>(&'a self, disk: &'a Disk, point: CutPoint) -> impl Iterator<Item = usize> + 'a {
        let starts = self.starts.iter().skip(self.settled);
        let all = self.operations.iter().skip(self.settled).zip(starts);
        all.take_while(move |(_, start)| **start <= point.0)
            .map(|(number, _)| *number)
            .filter(move |number| {
                disk.operations
                    .get(*number)
                    .is_some_and(|one| one.span.start <= point.0)
            })
    }

    fn close(&mut self, disk: &Disk) {
        let mut earliest = u64::MAX;
        self.starts = self
            .operations
            .iter()
            .rev()
            .map(|number| {
                let start = disk.operations.get(*number).map_or(0, |one| one.span.start);
                earliest = earliest.min(start);
                earliest
            })
            .collect();
        self.starts.reverse();
    }
}

impl<'a> Cutter<'a> {
    /// Starts at the beginning of a recording.
    #[must_use]
    pub fn new(disk: &'a Disk, discipline: Discipline) -> Self {
        let mut name_track = Track::default();
        let mut tracks: BTreeMap<Inode, Track> = BTreeMap::new();
        for (number, operation) in disk.operations.iter().enumerate() {
            match &operation.action {
                Action::Name(_) => name_track.operations.push(number),
                Action::Write { inode, .. } => {
                    tracks.entry(*inode).or_default().operations.push(number);
                }
                Action::Sync(_) | Action::SyncFailed(_) => {}
            }
        }
        name_track.close(disk);
        let mut files: BTreeMap<Inode, (Arc<Content>, Track)> = disk
            .base
            .files
            .iter()
            .map(|(inode, content)| (*inode, (Arc::clone(content), Track::default())))
            .collect();
        for (inode, mut track) in tracks {
            track.close(disk);
            files.entry(inode).or_default().1 = track;
        }
        Self {
            durable_from: durable_from(disk, discipline),
            earlier: Arc::new(earlier_on_same_name(&disk.operations)),
            names: disk.base.names.clone(),
            name_track,
            files,
            point: CutPoint(0),
            disk,
            discipline,
        }
    }

    /// The cut at a moment. Moments in ascending order are cheap; to go back costs a
    /// new start.
    pub fn at(&mut self, point: CutPoint) -> Cut<'a> {
        if point < self.point {
            self.rewind();
        }
        self.point = point;
        self.settle();
        let mut pending: Vec<_> = self.name_track.pending(self.disk, point).collect();
        let mut settled = BTreeMap::new();
        for (inode, (content, track)) in &self.files {
            pending.extend(track.pending(self.disk, point));
            settled.insert(*inode, Arc::clone(content));
        }
        pending.sort_unstable();
        let pending = pending.into_iter().filter_map(|number| {
            let forced = self
                .durable_from
                .get(number)
                .is_some_and(|from| *from <= point.0);
            Some(Pending {
                number,
                forced,
                operation: self.disk.operations.get(number)?,
            })
        });
        Cut {
            point,
            discipline: self.discipline,
            earlier: Arc::clone(&self.earlier),
            expectations: Arc::new(self.disk.announcements.at(point)),
            names: self.names.clone(),
            settled,
            pending: pending.collect(),
        }
    }

    fn rewind(&mut self) {
        self.names = self.disk.base.names.clone();
        self.name_track.settled = 0;
        for (inode, (content, track)) in &mut self.files {
            *content = self.disk.base.files.get(inode).cloned().unwrap_or_default();
            track.settled = 0;
        }
    }

    fn settle(&mut self) {
        while let Some(number) = self.name_track.settle(&self.durable_from, self.point) {
            if let Some(Action::Name(change)) = action(self.disk, number) {
                self.names.apply(change);
            }
        }
        for (content, track) in self.files.values_mut() {
            while let Some(number) = track.settle(&self.durable_from, self.point) {
                if let Some(Action::Write { patch, resize, .. }) = action(self.disk, number) {
                    let content = Arc::make_mut(content);
                    if let Some(patch) = patch {
                        content.put(patch.first_sector * SECTOR, &patch.bytes);
                    }
                    let len = match resize {
                        Resize::None => content.len(),
                        Resize::Grow(len) | Resize::Shrink(len) => *len,
                    };
                    content.set_len(len);
                }
            }
        }
    }
}

fn action(disk: &Disk, number: usize) -> Option<&Action> {
    disk.operations
        .get(number)
        .map(|operation| &operation.action)
}
