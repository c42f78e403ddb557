//! Random choices out of random bytes.
//!
//! Trees are made by functions that ask for one choice after another. A failing list of bytes is
//! then shrunk by proptest, and because every choice is 0 when there are no more bytes, a shorter
//! list gives a smaller tree.

/// A source of choices.
pub(crate) struct Choices {
    bytes: std::vec::IntoIter<u8>,
    depth: usize,
}

/// How deep trees may become.
const DEEPEST: usize = 4;

impl Choices {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.into_iter(),
            depth: 0,
        }
    }

    /// A number below the given one.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        usize::from(self.bytes.next().unwrap_or(0)) % bound
    }

    pub(crate) fn yes(&mut self) -> bool {
        self.below(2) == 1
    }

    pub(crate) fn one_of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    pub(crate) fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.yes().then(|| make(self))
    }

    /// A list with at least so many items.
    pub(crate) fn list<T>(&mut self, least: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let length = least + self.below(3);
        (0..length).map(|_| make(self)).collect()
    }

    /// One of many ways, of which the first so many do not go deeper.
    pub(crate) fn way(&mut self, flat: usize, all: usize) -> usize {
        let bound = if self.depth >= DEEPEST { flat } else { all };
        self.below(bound)
    }

    /// Something inside something.
    pub(crate) fn inside<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let made = make(self);
        self.depth -= 1;
        made
    }
}
