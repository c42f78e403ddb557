//! Comments as a conversation: which stands under which, in which order, page by page.
//!
//! Links from a comment to the one above are all that is needed. Whatever they are, every comment
//! stands in exactly one place: what points at nothing known is a root, and so is the earliest of
//! comments that point at each other.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use stoa_types::time_uuid;

use crate::model::{CommentId, Score};

/// The deviation of a normal distribution within which 80 % lie.
const DEVIATIONS: f64 = 1.281_551_565_544_6;
const MILLION: f64 = 1_000_000.0;

/// The order of threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ThreadOrder {
    /// By what readers think, as far as so few of them are to be trusted.
    #[default]
    Best,
    /// The last first. Answers follow each other as they were written.
    Newest,
    /// The first first.
    Oldest,
}

/// What is needed of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leaf {
    /// Which.
    pub id: CommentId,
    /// The one above.
    pub parent: Option<CommentId>,
    /// What readers think of it.
    pub score: Score,
}

/// A comment in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Which.
    pub id: CommentId,
    /// How many stand above it.
    pub level: usize,
}

/// A root and everything below it, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// Where it stands among the others.
    pub key: ThreadCursor,
    /// The root and what is below.
    pub comments: Vec<Placed>,
}

/// Where a page ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThreadCursor {
    /// How good the last root was, in millionths.
    pub merit: u32,
    /// The last root.
    pub root: CommentId,
}

/// How good a comment is, in millionths: what share of all readers it would help, at least, with a
/// confidence of 80 % (Wilson's interval). One mark weighs less than many of the same share.
#[must_use]
pub fn merit(score: Score) -> u32 {
    let (up, down) = (f64::from(score.up), f64::from(score.down));
    let marks = up + down;
    if marks <= 0.0 {
        return 0;
    }
    let share = up / marks;
    let square = DEVIATIONS * DEVIATIONS;
    let spread = (share * (1.0 - share) + square / (4.0 * marks)) / marks;
    let least = share + square / (2.0 * marks) - DEVIATIONS * spread.sqrt();
    let least = (least / (1.0 + square / marks)).clamp(0.0, 1.0);
    (least * MILLION) as u32
}

/// All threads of comments, in an order.
#[must_use]
pub fn threads(leaves: &[Leaf], order: ThreadOrder) -> Vec<Thread> {
    let known: BTreeMap<CommentId, &Leaf> = leaves.iter().map(|leaf| (leaf.id, leaf)).collect();
    let mut below: BTreeMap<CommentId, Vec<&Leaf>> = BTreeMap::new();
    let mut roots = Vec::new();
    for &leaf in known.values() {
        match leaf.parent.filter(|parent| known.contains_key(parent)) {
            Some(parent) => below.entry(parent).or_default().push(leaf),
            None => roots.push(leaf),
        }
    }
    for answers in below.values_mut() {
        answers.sort_by(|left, right| compare(cursor(left), cursor(right), order.of_answers()));
    }
    let mut seen = BTreeSet::new();
    let mut threads: Vec<Thread> = Vec::new();
    let mut grow = |root: &Leaf| {
        let comments = walk(root, &below, &mut seen);
        if !comments.is_empty() {
            let key = cursor(root);
            threads.push(Thread { key, comments });
        }
    };
    for root in roots {
        grow(root);
    }
    // Whatever is left points at each other.
    let mut left: Vec<&Leaf> = known.into_values().collect();
    left.sort_by(|one, other| compare(cursor(one), cursor(other), ThreadOrder::Oldest));
    for leaf in left {
        grow(leaf);
    }
    threads.sort_by(|one, other| compare(one.key, other.key, order));
    threads
}

/// A page of threads: so many roots after a cursor, and so many comments, at most; where it ends,
/// if there is more; and how many comments of a thread that is longer than a page are left out.
#[must_use]
pub fn page(
    threads: Vec<Thread>,
    order: ThreadOrder,
    after: Option<ThreadCursor>,
    most_roots: usize,
    most_comments: usize,
) -> (Vec<Placed>, Option<ThreadCursor>, usize) {
    let is_next = |thread: &Thread| {
        after.is_none_or(|after| compare(thread.key, after, order) == Ordering::Greater)
    };
    let mut rest = threads.into_iter().filter(is_next).peekable();
    let (mut placed, mut last, mut left_out) = (Vec::new(), None, 0);
    for _ in 0..most_roots {
        let Some(thread) = rest.next_if(|thread| {
            last.is_none() || placed.len() + thread.comments.len() <= most_comments
        }) else {
            break;
        };
        last = Some(thread.key);
        left_out = thread.comments.len().saturating_sub(most_comments);
        placed.extend(thread.comments.into_iter().take(most_comments));
    }
    (placed, last.filter(|_| rest.peek().is_some()), left_out)
}

/// What follows a comment in the thread of a root: so many comments at most, and how many are left
/// out after them. Nothing, if the comment does not stand there.
#[must_use]
pub fn rest_of_thread(
    threads: Vec<Thread>,
    root: CommentId,
    after: CommentId,
    most_comments: usize,
) -> (Vec<Placed>, usize) {
    let thread = threads.into_iter().find(|thread| thread.key.root == root);
    let comments = thread.map_or(Vec::new(), |thread| thread.comments);
    let rest = comments.into_iter().skip_while(|it| it.id != after).skip(1);
    let mut rest: Vec<Placed> = rest.collect();
    let left_out = rest.len().saturating_sub(most_comments);
    rest.truncate(most_comments);
    (rest, left_out)
}

impl ThreadOrder {
    /// The order of answers to one comment.
    fn of_answers(self) -> Self {
        match self {
            Self::Best => Self::Best,
            Self::Newest | Self::Oldest => Self::Oldest,
        }
    }
}

/// A comment and everything below that was not seen yet, in reading order. It does not recurse:
/// links may be as deep as they like.
fn walk(
    root: &Leaf,
    below: &BTreeMap<CommentId, Vec<&Leaf>>,
    seen: &mut BTreeSet<CommentId>,
) -> Vec<Placed> {
    let mut placed = Vec::new();
    let mut open = vec![(root.id, 0)];
    while let Some((id, level)) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        placed.push(Placed { id, level });
        let answers = below.get(&id).into_iter().flatten().rev();
        open.extend(answers.map(|answer| (answer.id, level + 1)));
    }
    placed
}

fn cursor(leaf: &Leaf) -> ThreadCursor {
    ThreadCursor {
        merit: merit(leaf.score),
        root: leaf.id,
    }
}

fn compare(left: ThreadCursor, right: ThreadCursor, order: ThreadOrder) -> Ordering {
    let by_time = time_uuid::compare(&left.root.0, &right.root.0);
    match order {
        ThreadOrder::Oldest => by_time,
        ThreadOrder::Newest => by_time.reverse(),
        ThreadOrder::Best => right.merit.cmp(&left.merit).then(by_time),
    }
}

#[cfg(test)]
mod tests;
