//! Many different power cuts of one recording.

use std::collections::{HashSet, VecDeque};

use super::{
    cutter::Cutter,
    disk::{CutPoint, Disk},
    durability::Discipline,
    image::{Image, ImageId},
};

/// Different images of a recording, from all its moments, until there are as many as
/// wanted or no more are found.
///
/// The order is that of the recording, several times over, so that each image differs
/// little from the one before it and a [`super::Workshop`] has little to write.
#[derive(Debug)]
pub struct Campaign<'a> {
    cutter: Cutter<'a>,
    points: Vec<CutPoint>,
    next_point: usize,
    /// How many new images to take from each moment in this round.
    quota: usize,
    seed: u64,
    known: HashSet<ImageId>,
    waiting: VecDeque<Image>,
    wanted: usize,
    /// The moments of this round that gave all they were asked for.
    rich: Vec<CutPoint>,
}

impl<'a> Campaign<'a> {
    /// Prepares `wanted` images of all moments of a recording.
    #[must_use]
    pub fn new(disk: &'a Disk, discipline: Discipline, seed: u64, wanted: usize) -> Self {
        Self::over(disk, discipline, seed, wanted, disk.cut_points())
    }

    /// Prepares the part of a campaign that one of several workers does: a stretch of
    /// the recording of its own.
    #[must_use]
    pub fn share(
        disk: &'a Disk,
        discipline: Discipline,
        seed: u64,
        wanted: usize,
        (worker, workers): (usize, usize),
    ) -> Self {
        let points = disk.cut_points();
        let part = |number: usize| points.len() * number / workers.max(1);
        let stretch = points
            .get(part(worker)..part(worker + 1))
            .unwrap_or(&[])
            .to_vec();
        Self::over(disk, discipline, seed, wanted / workers.max(1), stretch)
    }

    fn over(
        disk: &'a Disk,
        discipline: Discipline,
        seed: u64,
        wanted: usize,
        points: Vec<CutPoint>,
    ) -> Self {
        Self {
            cutter: Cutter::new(disk, discipline),
            quota: wanted.div_ceil(points.len().max(1)),
            points,
            next_point: 0,
            seed,
            known: HashSet::new(),
            waiting: VecDeque::new(),
            wanted,
            rich: Vec::new(),
        }
    }

    /// How many different images there were so far.
    #[must_use]
    pub fn distinct(&self) -> usize {
        self.known.len() - self.waiting.len()
    }

    fn visit(&mut self, point: CutPoint) {
        let most = self.quota.min(self.wanted.saturating_sub(self.known.len()));
        let images = self
            .cutter
            .at(point)
            .new_images(self.seed, most, &mut self.known);
        if images.len() >= most {
            self.rich.push(point);
        }
        self.waiting.extend(images);
    }

    /// Goes through the recording once more, for what is still missing, but not to the
    /// moments that had no more to give.
    fn next_round(&mut self) {
        self.points = std::mem::take(&mut self.rich);
        let left = self.wanted.saturating_sub(self.known.len());
        self.quota = left.div_ceil(self.points.len().max(1));
        self.next_point = 0;
        self.seed = self.seed.wrapping_add(1);
    }
}

impl Iterator for Campaign<'_> {
    type Item = Image;

    fn next(&mut self) -> Option<Image> {
        loop {
            if let Some(image) = self.waiting.pop_front() {
                return Some(image);
            }
            if self.known.len() >= self.wanted {
                return None;
            }
            match self.points.get(self.next_point).copied() {
                Some(point) => {
                    self.next_point += 1;
                    self.visit(point);
                }
                None if self.rich.is_empty() => return None,
                None => self.next_round(),
            }
        }
    }
}
