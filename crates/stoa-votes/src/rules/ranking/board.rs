//! The board: every policy that is listed, as of one moment, in every order.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use super::cursor::Cursor;
use super::filter::{Chosen, Marks};
use super::line::{Line, shuffled};
use super::order::{LineNumber, Order, Windows};
use crate::model::{
    Day, MOST_WINDOW_DAYS, PolicyFacts, PolicyId, PolicyState, RankedPolicies, RankingFilter,
    RankingKind, RankingRefusal,
};

/// Policies on a page, at most.
pub const MOST_ON_PAGE: usize = 100;

/// What was read of policies, the older first.
pub type AllFacts = BTreeMap<(i64, PolicyId), Arc<PolicyFacts>>;

/// The place of what was read of a policy.
#[must_use]
pub fn facts_key(policy: PolicyId) -> (i64, PolicyId) {
    (policy.made_at_micros(), policy)
}

/// Every policy that is listed, as of one moment.
#[derive(Debug)]
pub struct RankingBoard {
    today: Day,
    closed_through: Day,
    facts: AllFacts,
    /// In the order of their keys.
    lines: Vec<Arc<Line>>,
    /// The policies of the lines, side by side: a random order looks at all of them.
    policies: Vec<PolicyId>,
    marks: Marks,
    total: Order,
    rising: Order,
    contested: Order,
    discussed: Order,
    newest: Order,
    supporters: Order,
    square_roots: Order,
    windows: Windows,
}

/// A policy in a list.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedLine {
    /// Its rank in this list, the first being 1.
    pub rank: usize,
    /// What it is ranked by.
    pub value: i64,
    /// What else is known of it.
    pub line: Arc<Line>,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingPage {
    /// The policies.
    pub policies: Vec<RankedLine>,
    /// How many there are in the whole list.
    pub count: usize,
    /// Where to go on, if there are more.
    pub next: Option<String>,
}

impl RankingBoard {
    /// The board of what was read. Lines of an earlier board are taken over where nothing of them
    /// changed.
    #[must_use]
    pub fn new(facts: AllFacts, closed_through: Day, today: Day, earlier: Option<&Self>) -> Self {
        let earlier = earlier.filter(|it| it.today == today && it.closed_through == closed_through);
        let listed = facts.values().filter(|it| is_listed(it));
        let lines: Vec<Arc<Line>> = listed
            .map(|it| {
                let known = earlier.and_then(|earlier| earlier.line(it.policy));
                let is_alone = it.standing.merged_from.is_empty();
                match known.filter(|line| is_alone && Arc::ptr_eq(&line.facts, it)) {
                    Some(line) => Arc::clone(line),
                    None => {
                        let merged = merged_into(it, &facts);
                        Arc::new(Line::new(it, &merged, closed_through, today))
                    }
                }
            })
            .collect();
        let order = |kind| Order::new(lines.iter().map(|line| line.value(kind, today)));
        let board = Self {
            today,
            closed_through,
            policies: lines.iter().map(|line| line.policy()).collect(),
            marks: Marks::new(lines.iter().map(|line| &**line)),
            total: order(RankingKind::Total),
            rising: order(RankingKind::Rising),
            contested: order(RankingKind::Contested),
            discussed: order(RankingKind::Discussed),
            newest: order(RankingKind::New),
            supporters: order(RankingKind::Supporters),
            square_roots: order(RankingKind::SquareRoots),
            windows: Windows::default(),
            facts,
            lines,
        };
        // Whoever asks next for a window that people look at need not wait for it.
        for days in earlier.map_or(Vec::new(), |it| it.windows.days()) {
            board.window(days);
        }
        board
    }

    /// The day that windows end with.
    #[must_use]
    pub fn today(&self) -> Day {
        self.today
    }

    /// The last day that was closed.
    #[must_use]
    pub fn closed_through(&self) -> Day {
        self.closed_through
    }

    /// What was read of policies.
    #[must_use]
    pub fn facts(&self) -> &AllFacts {
        &self.facts
    }

    /// How many policies there are, closed ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// All that are listed, the oldest first.
    pub(super) fn lines(&self) -> &[Arc<Line>] {
        &self.lines
    }

    /// A policy, if it is listed.
    #[must_use]
    pub fn line(&self, policy: PolicyId) -> Option<&Arc<Line>> {
        self.lines.get(self.number(policy)? as usize)
    }

    /// The first policies of a list, or those after a place that an earlier page gave.
    ///
    /// # Errors
    /// When the place is none, or a window is empty.
    pub fn page(
        &self,
        kind: RankingKind,
        filter: &RankingFilter,
        after: Option<&str>,
        most: usize,
    ) -> Result<RankingPage, RankingRefusal> {
        let after = after.map(|text| Cursor::of_text(text, kind)).transpose()?;
        let most = most.clamp(1, MOST_ON_PAGE);
        let chosen = self.chosen(filter);
        if let RankingKind::Random(seed) = kind {
            return Ok(self.random_page((kind, seed), &chosen, after, most));
        }
        self.with_order(kind, |order| {
            let from = after.map_or(0, |it| order.before(it.value, self.number_after(&it)));
            let entries = order.entries();
            let (before, rest) = entries.split_at_checked(from).unwrap_or((entries, &[]));
            let skipped = count(before, &chosen);
            let mut listed = rest.iter().filter(|(_, number)| chosen.has(*number));
            let found: Vec<(i64, LineNumber)> = listed.by_ref().take(most).copied().collect();
            let has_more = listed.next().is_some();
            let left = usize::from(has_more) + listed.count();
            let count = skipped + found.len() + left;
            self.made_page(kind, &found, skipped, count)
        })
    }

    /// The first active policies and their values, by rank.
    #[must_use]
    pub fn first(&self, kind: RankingKind, most: usize) -> RankedPolicies {
        let chosen = self.chosen(&RankingFilter::default());
        let found = self.with_order(kind, |order| {
            let listed = order.entries().iter().filter(|it| chosen.has(it.1));
            let lines = listed.filter_map(|it| self.ranked(0, *it)).take(most);
            lines
                .zip(1..)
                .map(|(it, rank)| (rank, (it.line.policy(), it.value)))
                .collect()
        });
        found.unwrap_or_default()
    }

    /// The first rising policies, if any rise.
    #[must_use]
    pub fn rising_first(&self, most: usize) -> Vec<RankedLine> {
        let filter = RankingFilter::default();
        let page = self.page(RankingKind::Rising, &filter, None, most);
        let mut policies = page.map_or(Vec::new(), |page| page.policies);
        policies.retain(|it| it.value > 0);
        policies
    }

    pub(super) fn with_order<T>(
        &self,
        kind: RankingKind,
        work: impl FnOnce(&Order) -> T,
    ) -> Result<T, RankingRefusal> {
        let order = match kind {
            RankingKind::Total => &self.total,
            RankingKind::Rising => &self.rising,
            RankingKind::Contested => &self.contested,
            RankingKind::Discussed => &self.discussed,
            RankingKind::New => &self.newest,
            RankingKind::Supporters => &self.supporters,
            RankingKind::SquareRoots => &self.square_roots,
            RankingKind::Window(0) => return Err(RankingRefusal::WindowEmpty),
            RankingKind::Window(days) if days > MOST_WINDOW_DAYS => {
                return Err(RankingRefusal::WindowTooLong);
            }
            RankingKind::Window(days) => return Ok(work(&self.window(days))),
            // Nobody has neighbours in an order that everyone has for himself.
            RankingKind::Random(_) => return Err(RankingRefusal::NotListed),
        };
        Ok(work(order))
    }

    fn window(&self, days: u16) -> Arc<Order> {
        let kind = RankingKind::Window(days);
        let values = || self.lines.iter().map(|line| line.value(kind, self.today));
        self.windows.order(days, || Order::new(values()))
    }

    pub(super) fn chosen(&self, filter: &RankingFilter) -> Chosen<'_> {
        self.marks.chosen(filter, |policy| self.number(policy))
    }

    pub(super) fn number(&self, policy: PolicyId) -> Option<LineNumber> {
        let key = facts_key(policy);
        let found = self.lines.binary_search_by_key(&key, |line| line.key());
        found
            .ok()
            .and_then(|number| LineNumber::try_from(number).ok())
    }

    /// The number of the first line after a place among equals.
    fn number_after(&self, place: &Cursor) -> LineNumber {
        let key = (place.created_micros, place.policy);
        let number = self.lines.partition_point(|line| line.key() <= key);
        LineNumber::try_from(number).unwrap_or(LineNumber::MAX)
    }

    pub(super) fn ranked(&self, rank: usize, entry: (i64, LineNumber)) -> Option<RankedLine> {
        let line = Arc::clone(self.lines.get(entry.1 as usize)?);
        let value = entry.0;
        Some(RankedLine { rank, value, line })
    }

    fn made_page(
        &self,
        kind: RankingKind,
        found: &[(i64, LineNumber)],
        skipped: usize,
        count: usize,
    ) -> RankingPage {
        let ranked = found.iter().zip(skipped + 1..);
        let policies: Vec<RankedLine> = ranked
            .filter_map(|(entry, rank)| self.ranked(rank, *entry))
            .collect();
        let last = policies.last().filter(|it| it.rank < count);
        let next = last.map(|it| {
            let (created_micros, policy) = it.line.key();
            let value = it.value;
            let cursor = Cursor {
                value,
                created_micros,
                policy,
            };
            cursor.text(kind)
        });
        RankingPage {
            policies,
            count,
            next,
        }
    }

    /// The order of a number is nobody else's, so it is not kept: the greatest that come after a
    /// place are picked in one pass.
    fn random_page(
        &self,
        (kind, seed): (RankingKind, u64),
        chosen: &Chosen<'_>,
        after: Option<Cursor>,
        most: usize,
    ) -> RankingPage {
        let place = after.map(|it| (Reverse(it.value), self.number_after(&it)));
        let (mut skipped, mut count) = (0, 0);
        let mut first = BinaryHeap::with_capacity(most + 1);
        for (policy, number) in self.policies.iter().zip(0..) {
            if !chosen.has(number) {
                continue;
            }
            count += 1;
            let entry = (Reverse(shuffled(*policy, seed)), number);
            if place.is_some_and(|place| entry < place) {
                skipped += 1;
                continue;
            }
            first.push(entry);
            if first.len() > most {
                first.pop();
            }
        }
        let first = first.into_sorted_vec();
        let found: Vec<(i64, LineNumber)> = first.iter().map(|it| (it.0.0, it.1)).collect();
        self.made_page(kind, &found, skipped, count)
    }
}

/// How many of these are listed.
pub(super) fn count(entries: &[(i64, LineNumber)], chosen: &Chosen<'_>) -> usize {
    entries.iter().filter(|it| chosen.has(it.1)).count()
}

fn is_listed(facts: &PolicyFacts) -> bool {
    let state = facts.standing.state;
    let is_hidden = facts.page.as_ref().is_some_and(|page| page.is_hidden);
    let is_shown = matches!(
        state,
        PolicyState::Active | PolicyState::Withdrawn | PolicyState::Retired
    );
    is_shown && !is_hidden
}

/// Every policy that counts for one, itself left out. A source counts only if it points where it
/// is listed.
fn merged_into(root: &PolicyFacts, facts: &AllFacts) -> Vec<Arc<PolicyFacts>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::from([root.policy]);
    let mut open = vec![(root.policy, &root.standing.merged_from)];
    while let Some((target, sources)) = open.pop() {
        let sources = sources.iter().filter_map(|it| facts.get(&facts_key(*it)));
        for source in sources.filter(|it| it.standing.merged_to == Some(target)) {
            if seen.insert(source.policy) {
                found.push(Arc::clone(source));
                open.push((source.policy, &source.standing.merged_from));
            }
        }
    }
    found
}
