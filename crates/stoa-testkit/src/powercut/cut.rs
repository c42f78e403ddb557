//! The images that a power cut at one moment could leave.
//!
//! Invariants:
//! 1. What is durable is in every image.
//! 2. A sector holds what it held at some moment since it was last durable; sectors
//!    are independent of each other and of the file's length.
//! 3. A file has a length that it had at some moment since its length was last
//!    durable; what no surviving sector fills reads as zeros.
//! 4. A file that was shortened has either its old length and old blocks or a later
//!    length, and then nothing of what was cut off; only the block at its new end may
//!    show the zeros early.
//! 5. Names follow the [`Discipline`].

use std::{
    collections::{BTreeMap, HashSet},
    fmt::Write,
    sync::Arc,
};

use super::{
    announce::Expectations,
    content::{Content, PAGE, SECTOR},
    dice::Dice,
    disk::{Action, CutPoint, Operation, Patch, Resize},
    durability::Discipline,
    image::{Image, ImageId},
    names::{Inode, Names},
    scenario::{Bytes, Fate, KEPT, LOST, Scenario, combinations},
};

/// A moment at which the power fails: what is durable by then, and what is not.
#[derive(Clone, Debug)]
pub struct Cut<'a> {
    pub(super) point: CutPoint,
    pub(super) discipline: Discipline,
    pub(super) earlier: Arc<BTreeMap<usize, Vec<usize>>>,
    pub(super) expectations: Arc<Expectations>,
    pub(super) names: Names,
    pub(super) settled: BTreeMap<Inode, Arc<Content>>,
    pub(super) pending: Vec<Pending<'a>>,
}

/// An operation that is not settled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending<'a> {
    pub(super) number: usize,
    /// It is durable, but one before it is not.
    pub(super) forced: bool,
    pub(super) operation: &'a Operation,
}

/// After so many draws in a row that give nothing new there is probably nothing more.
const MISSES: usize = 64;

/// If there are no more combinations than this, they are tried one after the other.
const FEW: u64 = 512;

impl Cut<'_> {
    /// How many operations may be lost.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.pending.iter().filter(|one| !one.forced).count()
    }

    /// What had been announced.
    #[must_use]
    pub fn expectations(&self) -> &Expectations {
        &self.expectations
    }

    /// The image that a scenario gives.
    #[must_use]
    pub fn image(&self, scenario: Scenario) -> Image {
        let fates = self.fates(scenario);
        let names = self.names_after(&fates);
        let mut writes: BTreeMap<Inode, Vec<(&Pending<'_>, Fate)>> = BTreeMap::new();
        for (one, fate) in self.pending.iter().zip(&fates) {
            if let Action::Write { inode, .. } = &one.operation.action {
                writes.entry(*inode).or_default().push((one, *fate));
            }
        }
        let snapshot = names.snapshot(|inode| {
            let settled = self.settled.get(&inode).cloned().unwrap_or_default();
            match writes.get(&inode) {
                Some(writes) => content_after(settled, writes),
                None => settled,
            }
        });
        let expectations = Arc::clone(&self.expectations);
        Image {
            snapshot,
            point: self.point,
            scenario,
            expectations,
        }
    }

    /// Up to `most` different images: the extremes first, then by chance, or one after
    /// the other where there are few.
    #[must_use]
    pub fn images(&self, seed: u64, most: usize) -> Vec<Image> {
        self.new_images(seed, most, &mut HashSet::new())
    }

    /// Up to `most` images that are not known yet; they are from now on.
    pub(super) fn new_images(
        &self,
        seed: u64,
        most: usize,
        known: &mut HashSet<ImageId>,
    ) -> Vec<Image> {
        let mut dice = Dice::new(seed ^ self.point.0.rotate_left(32));
        let last = self.pending.len().saturating_sub(1);
        let extremes = [
            Scenario::AllLost,
            Scenario::AllKept,
            Scenario::OneLost(last),
            Scenario::OneKept(0),
            Scenario::NamesOnly,
            Scenario::LengthsOnly,
            Scenario::BytesOnly,
            Scenario::Torn(last, dice.number()),
        ];
        let mut images = Distinct {
            known,
            images: Vec::new(),
        };
        images.take(
            most,
            usize::MAX,
            extremes.into_iter().map(|one| self.image(one)),
        );
        match combinations(&self.pending, self.discipline).filter(|all| *all <= FEW) {
            Some(all) => {
                let first = dice.below(all);
                let numbers = (0..all).map(|number| Scenario::Numbered((first + number) % all));
                images.take(most, usize::MAX, numbers.map(|one| self.image(one)));
            }
            None => {
                let count = self.pending.len();
                let draws = std::iter::repeat_with(|| Scenario::draw(&mut dice, count));
                images.take(most, MISSES, draws.map(|one| self.image(one)));
            }
        }
        images.images
    }

    /// Every image there is, each once; `None` if there are more than `limit`
    /// combinations to try.
    #[must_use]
    pub fn every_image(&self, limit: u64) -> Option<Vec<Image>> {
        let count = combinations(&self.pending, self.discipline).filter(|all| *all <= limit)?;
        let mut images = Distinct {
            known: &mut HashSet::new(),
            images: Vec::new(),
        };
        let all = (0..count).map(|number| self.image(Scenario::Numbered(number)));
        images.take(usize::MAX, usize::MAX, all);
        Some(images.images)
    }

    /// What a scenario does to each operation that was not durable, for people.
    #[must_use]
    pub fn explain(&self, scenario: Scenario) -> String {
        let mut text = String::new();
        for (one, fate) in self.pending.iter().zip(self.fates(scenario)) {
            let bytes = match fate.bytes {
                Bytes::Lost => "lost",
                Bytes::Kept => "kept",
                Bytes::Coin(_) | Bytes::Bits(_) | Bytes::Only(_) | Bytes::AllBut(_) => "torn",
            };
            let resizes = fate.length || resize(one).is_none();
            let length = if resizes { "" } else { ", its length lost" };
            // Writing to a string does not fail.
            let _ = writeln!(text, "{bytes}{length}: {}", one.operation);
        }
        text
    }

    fn fates(&self, scenario: Scenario) -> Vec<Fate> {
        let mut fates = scenario.fates(&self.pending, self.discipline);
        for (one, fate) in self.pending.iter().zip(&mut fates) {
            if one.forced {
                *fate = KEPT;
            }
        }
        self.keep_order_of_names(&mut fates);
        fates
    }

    /// A change of a name is lost if one that it builds on is.
    fn keep_order_of_names(&self, fates: &mut [Fate]) {
        let mut lost = HashSet::new();
        for (one, fate) in self.pending.iter().zip(fates) {
            if !matches!(one.operation.action, Action::Name(_)) {
                continue;
            }
            let builds_on_lost = match self.discipline {
                Discipline::Ext4 => !lost.is_empty(),
                Discipline::Strict => {
                    let earlier = self.earlier.get(&one.number);
                    earlier
                        .into_iter()
                        .flatten()
                        .any(|number| lost.contains(number))
                }
            };
            // A coin decides about the whole name.
            let kept = !builds_on_lost && fate.bytes.keep(0);
            *fate = if kept { KEPT } else { LOST };
            if !kept {
                lost.insert(one.number);
            }
        }
    }

    fn names_after(&self, fates: &[Fate]) -> Names {
        let mut names = self.names.clone();
        for (one, fate) in self.pending.iter().zip(fates) {
            if let Action::Name(change) = &one.operation.action
                && *fate == KEPT
            {
                names.apply(change);
            }
        }
        names
    }
}

/// Images that differ from each other.
struct Distinct<'a> {
    known: &'a mut HashSet<ImageId>,
    images: Vec<Image>,
}

impl Distinct<'_> {
    /// Takes new images until there are `most`, or more than `misses` in a row are not
    /// new.
    fn take(&mut self, most: usize, misses: usize, candidates: impl Iterator<Item = Image>) {
        let mut missed = 0;
        let mut candidates = candidates;
        while self.images.len() < most && missed <= misses {
            let Some(image) = candidates.next() else {
                return;
            };
            match self.known.insert(image.id()) {
                true => {
                    self.images.push(image);
                    missed = 0;
                }
                false => missed += 1,
            }
        }
    }
}

fn content_after(settled: Arc<Content>, writes: &[(&Pending<'_>, Fate)]) -> Arc<Content> {
    if writes.iter().all(|(_, fate)| *fate == LOST) {
        return settled;
    }
    let length_from = writes
        .iter()
        .rposition(|(one, fate)| fate.length && resize(one).is_some());
    let mut len = settled.len();
    let mut content = Content::clone(&settled);
    // Sectors from here on went away with a shortening that is lost: they stay as they
    // were before it.
    let mut frozen = u64::MAX;
    for (number, (one, fate)) in writes.iter().enumerate() {
        let Action::Write { patch, resize, .. } = &one.operation.action else {
            continue;
        };
        let length_survives = length_from.is_some_and(|last| number <= last);
        match resize {
            Resize::Shrink(shorter) if length_survives => {
                content.set_len(*shorter);
                len = *shorter;
                continue;
            }
            Resize::Shrink(shorter) => {
                put(&mut content, patch.as_ref(), fate.bytes, frozen);
                frozen = frozen.min(shorter.next_multiple_of(PAGE) / SECTOR);
            }
            Resize::Grow(longer) => {
                put(&mut content, patch.as_ref(), fate.bytes, frozen);
                len = if length_survives { *longer } else { len };
            }
            Resize::None => put(&mut content, patch.as_ref(), fate.bytes, frozen),
        }
    }
    content.set_len(len);
    Arc::new(content)
}

fn resize(one: &Pending<'_>) -> Option<u64> {
    match one.operation.action {
        Action::Write {
            resize: Resize::Grow(len) | Resize::Shrink(len),
            ..
        } => Some(len),
        Action::Write { .. } | Action::Name(_) | Action::Sync(_) | Action::SyncFailed(_) => None,
    }
}

/// Stores the sectors that survive and lie before `frozen`.
fn put(content: &mut Content, patch: Option<&Patch>, bytes: Bytes, frozen: u64) {
    let Some(patch) = patch else { return };
    if bytes == Bytes::Kept && patch.first_sector + patch.sectors() <= frozen {
        content.put(patch.first_sector * SECTOR, &patch.bytes);
        return;
    }
    let size = usize::try_from(SECTOR).unwrap_or(usize::MAX);
    for (number, sector) in (0..).zip(patch.bytes.chunks(size)) {
        let at = patch.first_sector + number;
        if at < frozen && bytes.keep(number) {
            content.put(at * SECTOR, sector);
        }
    }
}
