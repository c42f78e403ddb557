//! The bytes of one file: sparse, cheap to copy, and comparable in one step.
//!
//! A file is a map of 4 KiB pages that share their bytes between copies, so that
//! thousands of images of the same disk cost little more than what differs.
//!
//! Invariants:
//! 1. A page of zeros is never stored: equal bytes have equal maps, and a file that
//!    was preallocated with 64 MiB of zeros costs nothing.
//! 2. After [`Content::set_len`] no stored byte lies at or beyond the length. Between
//!    [`Content::put`] and the next `set_len` bytes may lie beyond it; they are not
//!    part of the file yet.

use std::{
    collections::BTreeMap,
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Arc, OnceLock},
};

/// What a disk writes whole or not at all.
pub const SECTOR: u64 = 512;

/// Unit of sharing between copies, and of allocation in the file systems modelled.
pub(super) const PAGE: u64 = 4096;
const PAGE_BYTES: usize = 4096;
static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];

/// The bytes of one file.
#[derive(Clone, Debug, Default)]
pub struct Content {
    len: u64,
    pages: BTreeMap<u64, Arc<Page>>,
    digest: OnceLock<u64>,
}

#[derive(Clone, Debug)]
struct Page {
    bytes: [u8; PAGE_BYTES],
    digest: OnceLock<u64>,
}

impl Content {
    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether the file has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Reads up to `len` bytes from `offset`, fewer at the end of the file.
    #[must_use]
    pub fn read(&self, offset: u64, len: u64) -> Vec<u8> {
        let end = offset.saturating_add(len).min(self.len);
        self.read_beyond(offset, end.saturating_sub(offset))
    }

    /// All bytes. A sparse file is read in its whole length.
    #[must_use]
    pub fn to_vec(&self) -> Vec<u8> {
        self.read(0, self.len)
    }

    /// Reads exactly `len` bytes; what lies behind the end of the file is zero.
    pub(super) fn read_beyond(&self, offset: u64, len: u64) -> Vec<u8> {
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        for piece in pieces(offset, bytes.len()) {
            let Some(page) = self.pages.get(&piece.page) else {
                continue;
            };
            let source = page.bytes.get(piece.within..piece.within + piece.len);
            let target = bytes.get_mut(piece.at..piece.at + piece.len);
            if let (Some(source), Some(target)) = (source, target) {
                target.copy_from_slice(source);
            }
        }
        bytes
    }

    /// Stores bytes without changing the length.
    pub(super) fn put(&mut self, offset: u64, bytes: &[u8]) {
        self.digest = OnceLock::new();
        for piece in pieces(offset, bytes.len()) {
            if let Some(source) = bytes.get(piece.at..piece.at + piece.len) {
                self.put_in_page(piece.page, piece.within, source);
            }
        }
    }

    fn put_in_page(&mut self, number: u64, within: usize, source: &[u8]) {
        let zeros = ZEROS.get(..source.len()) == Some(source);
        if zeros && !self.pages.contains_key(&number) {
            return;
        }
        let page = self.pages.entry(number).or_insert_with(Page::zeros);
        let page = Arc::make_mut(page);
        page.digest = OnceLock::new();
        if let Some(target) = page.bytes.get_mut(within..within + source.len()) {
            target.copy_from_slice(source);
        }
        if zeros && page.bytes == ZEROS {
            self.pages.remove(&number);
        }
    }

    /// Sets the length: what is cut off is gone, what is added reads as zeros.
    pub(super) fn set_len(&mut self, len: u64) {
        self.digest = OnceLock::new();
        self.len = len;
        self.pages.split_off(&len.div_ceil(PAGE));
        let within = len % PAGE;
        if within != 0 && self.pages.contains_key(&(len / PAGE)) {
            let tail = usize::try_from(PAGE - within).unwrap_or(0);
            self.put(len, ZEROS.get(..tail).unwrap_or(&[]));
        }
    }

    /// A hash of length and bytes.
    pub(super) fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            self.len.hash(&mut hasher);
            for (number, page) in &self.pages {
                (number, page.digest()).hash(&mut hasher);
            }
            hasher.finish()
        })
    }

    /// Whether length and every byte are equal.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        self.len == other.len
            && self.pages.len() == other.pages.len()
            && self
                .pages
                .iter()
                .zip(&other.pages)
                .all(|((at, page), (other_at, other_page))| {
                    at == other_at
                        && (Arc::ptr_eq(page, other_page) || page.bytes == other_page.bytes)
                })
    }

    /// The stored pages, in order, clipped to the length.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.pages.iter().filter_map(|(number, page)| {
            let offset = number * PAGE;
            let len = usize::try_from(self.len.saturating_sub(offset).min(PAGE)).unwrap_or(0);
            Some((offset, page.bytes.get(..len)?))
        })
    }

    /// The pages in which this file differs from what `older` left on disk, in order
    /// and clipped to the length. Where `older` had bytes and this file has none, the
    /// page is of zeros.
    pub(super) fn pages_unlike<'a>(&'a self, older: &'a Self) -> Vec<(u64, &'a [u8])> {
        let mut unlike = Vec::new();
        for (number, page) in &self.pages {
            let same = older
                .pages
                .get(number)
                .is_some_and(|old| Arc::ptr_eq(page, old) || page.bytes == old.bytes);
            if !same {
                unlike.push((number * PAGE, page.bytes.as_slice()));
            }
        }
        for number in older.pages.keys() {
            if !self.pages.contains_key(number) && number * PAGE < self.len {
                unlike.push((number * PAGE, ZEROS.as_slice()));
            }
        }
        unlike.sort_unstable_by_key(|(offset, _)| *offset);
        for (offset, bytes) in &mut unlike {
            let len = usize::try_from(self.len.saturating_sub(*offset)).unwrap_or(usize::MAX);
            *bytes = bytes.get(..len.min(bytes.len())).unwrap_or(&[]);
        }
        unlike
    }

    /// Reads a file from disk, skipping what is zero.
    ///
    /// # Errors
    /// Those of reading the file.
    pub fn of_file(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let found = file.metadata()?;
        let mut content = Self::default();
        if found.blocks() > 0 {
            let mut buffer = vec![0; 256 * PAGE_BYTES];
            let mut offset = 0;
            loop {
                let count = file.read(&mut buffer)?;
                if count == 0 {
                    break;
                }
                content.put(offset, buffer.get(..count).unwrap_or(&[]));
                offset += count as u64;
            }
        }
        content.set_len(found.len());
        Ok(content)
    }
}

impl From<&[u8]> for Content {
    fn from(bytes: &[u8]) -> Self {
        let mut content = Self::default();
        content.put(0, bytes);
        content.set_len(bytes.len() as u64);
        content
    }
}

impl Page {
    fn zeros() -> Arc<Self> {
        Arc::new(Self {
            bytes: ZEROS,
            digest: OnceLock::new(),
        })
    }

    fn digest(&self) -> u64 {
        *self.digest.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            hasher.write(&self.bytes);
            hasher.finish()
        })
    }
}

/// The part of a range that lies in one page.
struct Piece {
    page: u64,
    within: usize,
    at: usize,
    len: usize,
}

fn pieces(offset: u64, len: usize) -> impl Iterator<Item = Piece> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let position = offset + at as u64;
        let within = usize::try_from(position % PAGE).unwrap_or(0);
        let piece = Piece {
            page: position / PAGE,
            within,
            at,
            len: (len - at).min(PAGE_BYTES - within),
        };
        at += piece.len;
        (piece.len > 0).then_some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_across_page_borders() {
        let mut content = Content::default();
        let bytes: Vec<u8> = (0..10_000_u32).map(|n| (n % 251) as u8 + 1).collect();
        content.put(3000, &bytes);
        content.set_len(13_000);
        assert_eq!(content.read(3000, 10_000), bytes);
        assert_eq!(content.read(0, 3000), vec![0; 3000]);
        assert_eq!(content.read(12_999, 50).len(), 1);
    }

    #[test]
    fn zeros_cost_nothing_and_do_not_change_the_identity() {
        let mut zeros = Content::default();
        zeros.put(0, &[0; 9000]);
        zeros.set_len(64 << 20);
        let mut holes = Content::default();
        holes.set_len(64 << 20);
        assert_eq!(zeros.pages().count(), 0);
        assert!(zeros.same(&holes));
        assert_eq!(zeros.digest(), holes.digest());
        zeros.put(70, b"x");
        assert_ne!(zeros.digest(), holes.digest());
        zeros.put(70, b"\0");
        assert_eq!(zeros.digest(), holes.digest());
    }

    #[test]
    fn what_is_cut_off_does_not_come_back() {
        let mut content = Content::from(&[7; 5000][..]);
        content.set_len(100);
        content.set_len(5000);
        assert_eq!(
            content.read(0, 5000),
            [vec![7; 100], vec![0; 4900]].concat()
        );
    }

    #[test]
    fn the_difference_is_only_the_pages_that_changed() {
        let older = Content::from(&[7; 12_000][..]);
        let mut newer = older.clone();
        newer.put(5000, b"changed");
        newer.put(8192, &[0; 3808]);
        newer.set_len(12_000);
        let unlike = newer.pages_unlike(&older);
        assert_eq!(
            unlike.iter().map(|(at, _)| *at).collect::<Vec<_>>(),
            [4096, 8192]
        );
        assert_eq!(unlike[1].1, &[0; 3808]);
        assert!(newer.pages_unlike(&newer.clone()).is_empty());
    }
}
