//! Power cuts: records what a real program asks of the file system and builds the disks
//! that a power cut at any moment could leave.
//!
//! Knows nothing of what the files mean. A harness does four things:
//!
//! 1. [`Recorder::record`] runs the program under strace and gives a [`Disk`]: its
//!    operations in order, and what the program announced ([`Announcer`]) in between.
//! 2. [`Campaign`] (or [`Cutter`], moment by moment) gives [`Image`]s: everything synced
//!    is there; what was not synced is lost, kept or torn at 512 bytes, in any order.
//! 3. [`Workshop::lay`] turns an image into a folder, writing only what differs from the
//!    image before.
//! 4. The harness opens the folder and compares it with [`Image::expectations`].
//!
//! [`Recorder::record_on`] records a recovery on an image, whose disk can be cut again.
//! [`Strace::run_with_fault`] and [`Recorder::with_fault`] let calls fail instead.
//!
//! ```no_run
//! use std::process::Command;
//! use stoa_testkit::powercut::{Campaign, Discipline, Recorder, Strace, Workshop};
//!
//! # fn numbers_in(_: &std::path::Path) -> std::collections::BTreeSet<u64> { Default::default() }
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let recorder = Recorder::new(Strace::probe()?, "/tmp/announcements");
//! let recording = recorder.record("/tmp/store".as_ref(), &Command::new("writer"))?;
//! let mut workshop = Workshop::new()?;
//! for image in Campaign::new(&recording.disk, Discipline::Ext4, 1, 100_000) {
//!     let found = numbers_in(workshop.lay(&image)?);
//!     let lost = &image.expectations().certain_numbers("ack") - &found;
//!     assert!(lost.is_empty(), "{image}: lost {lost:?}");
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Invariants:
//! 1. A recording that is returned explains the folder: after the run the model of the
//!    disk and the real folder were compared. What the model cannot follow (files
//!    mapped for writing, symbolic links) is an error.
//! 2. Where the order of two threads is not known, the weaker promise is taken: a sync
//!    covers what had ended before it started, an announcement counts when it ended.
//! 3. The same recording, discipline and seed give the same images.

mod announce;
mod campaign;
mod content;
mod cut;
mod cutter;
mod descriptors;
mod dice;
mod disk;
mod durability;
mod fault;
mod image;
mod ledger;
mod line;
mod names;
mod record;
mod scenario;
mod snapshot;
mod strace;
mod translate;
mod workshop;

pub use announce::{ANNOUNCEMENTS_VARIABLE, Announcement, Announcements, Announcer, Expectations};
pub use campaign::Campaign;
pub use content::{Content, SECTOR};
pub use cut::Cut;
pub use cutter::Cutter;
pub use disk::{CutPoint, Disk, Operation};
pub use durability::Discipline;
pub use fault::{CallCount, Fault, FaultError, FaultRun, SYNCING_CALLS, WRITING_CALLS, When};
pub use image::{Image, ImageId};
pub use record::{RecordError, Recorder, Recording};
pub use scenario::Scenario;
pub use snapshot::{Entry, Snapshot};
pub use strace::{PART, Run, SKIPPED_VARIABLE, Strace, Unavailable};
pub use translate::{TraceError, TraceProblem};
pub use workshop::{Workshop, materialize, sweep};

#[cfg(test)]
mod tests;
