//! Which lines of a board are listed: decided by a few small numbers of each line, so that a whole
//! board is looked through in well under a millisecond.

use std::collections::HashMap;

use uuid::Uuid;

use super::line::Line;
use super::order::LineNumber;
use crate::model::{ListedStates, PolicyState, RankingFilter};

/// What is asked of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Mark {
    category: u32,
    party: u32,
    is_closed: bool,
}

/// The marks of all lines of a board.
#[derive(Debug, Default)]
pub(super) struct Marks {
    marks: Vec<Mark>,
    categories: HashMap<String, u32>,
    parties: HashMap<Uuid, u32>,
}

/// A line without a category, or without a party.
const NONE: u32 = 0;

impl Marks {
    pub(super) fn new<'a>(lines: impl Iterator<Item = &'a Line>) -> Self {
        let mut marks = Self::default();
        for line in lines {
            let mark = marks.mark(line);
            marks.marks.push(mark);
        }
        marks
    }

    fn mark(&mut self, line: &Line) -> Mark {
        let page = line.facts.page.as_ref();
        let category = match page.map(|page| &page.category) {
            None => NONE,
            Some(category) => match self.categories.get(category) {
                Some(number) => *number,
                None => {
                    let number = next_number(self.categories.len());
                    self.categories.insert(category.clone(), number);
                    number
                }
            },
        };
        let party = page.and_then(|page| page.party).map_or(NONE, |party| {
            let number = next_number(self.parties.len());
            *self.parties.entry(party).or_insert(number)
        });
        Mark {
            category,
            party,
            is_closed: line.state() != PolicyState::Active,
        }
    }

    /// A filter as this board knows it. `find` says which line a policy has.
    pub(super) fn chosen(
        &self,
        filter: &RankingFilter,
        find: impl Fn(crate::model::PolicyId) -> Option<LineNumber>,
    ) -> Chosen<'_> {
        let among = filter.among.as_ref().map(|policies| {
            let mut among = vec![false; self.marks.len()];
            for number in policies.iter().filter_map(|policy| find(*policy)) {
                if let Some(is_among) = among.get_mut(number as usize) {
                    *is_among = true;
                }
            }
            among
        });
        // What no line has is a number that no line has.
        let category = filter.category.as_ref();
        let category = category.map(|it| self.categories.get(it).copied().unwrap_or(u32::MAX));
        let party = filter.party.as_ref();
        let party = party.map(|it| self.parties.get(it).copied().unwrap_or(u32::MAX));
        Chosen {
            marks: &self.marks,
            category,
            party,
            states: filter.states,
            among,
        }
    }
}

fn next_number(known: usize) -> u32 {
    u32::try_from(known).map_or(u32::MAX - 1, |known| known + 1)
}

/// Which lines of one board are listed.
#[derive(Debug)]
pub(super) struct Chosen<'a> {
    marks: &'a [Mark],
    category: Option<u32>,
    party: Option<u32>,
    states: ListedStates,
    among: Option<Vec<bool>>,
}

impl Chosen<'_> {
    pub(super) fn has(&self, number: LineNumber) -> bool {
        let Some(mark) = self.marks.get(number as usize) else {
            return false;
        };
        let has_state = match self.states {
            ListedStates::Active => !mark.is_closed,
            ListedStates::Retired => mark.is_closed,
            ListedStates::All => true,
        };
        let is_among = |among: &Vec<bool>| among.get(number as usize) == Some(&true);
        has_state
            && self.category.is_none_or(|it| it == mark.category)
            && self.party.is_none_or(|it| it == mark.party)
            && self.among.as_ref().is_none_or(is_among)
    }
}
