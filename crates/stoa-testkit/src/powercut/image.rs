//! A disk as a power cut may leave it.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use super::{announce::Expectations, disk::CutPoint, scenario::Scenario, snapshot::Snapshot};

/// A disk as a power cut may leave it, and what must hold for it.
#[derive(Clone, Debug)]
pub struct Image {
    pub(super) snapshot: Snapshot,
    pub(super) point: CutPoint,
    pub(super) scenario: Scenario,
    pub(super) expectations: Arc<Expectations>,
}

/// Tells images of one recording apart: equal if the bytes on the disk and the
/// expectations are. A check of two images with the same identity is the same check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ImageId(u64);

impl Image {
    /// The files and folders.
    #[must_use]
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// When the power failed.
    #[must_use]
    pub fn point(&self) -> CutPoint {
        self.point
    }

    /// What happened to what was not durable.
    #[must_use]
    pub fn scenario(&self) -> Scenario {
        self.scenario
    }

    /// What had been announced when the power failed.
    #[must_use]
    pub fn expectations(&self) -> &Expectations {
        &self.expectations
    }

    /// The identity of the image.
    #[must_use]
    pub fn id(&self) -> ImageId {
        let mut hasher = DefaultHasher::new();
        self.snapshot.digest().hash(&mut hasher);
        self.expectations.certain.len().hash(&mut hasher);
        self.expectations.possible.len().hash(&mut hasher);
        ImageId(hasher.finish())
    }
}

impl fmt::Display for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "power cut at {}, {:?}",
            self.point, self.scenario
        )
    }
}
