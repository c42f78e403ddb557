//! The board of an instance: made once from everything, then brought up to date from what changed.
//!
//! Nothing is decided by a board. It is swapped as a whole, so whoever reads one sees things that
//! fit together.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_session::Error;

use crate::model::{Day, PolicyId};
use crate::rules::ranking::RankingBoard;
use crate::rules::ranking::board::{AllFacts, facts_key};
use crate::tables::changes::{Changed, PolicyChange};
use crate::votes::Votes;

/// How old a board may be before whoever asks brings it up to date.
const FRESH: Duration = Duration::from_secs(10);
/// How often everything is read again, whatever changed.
const READ_ALL: Duration = Duration::from_secs(3_600);
/// How many policies may have changed before everything is read again.
const MOST_CHANGED: usize = 2_000;

/// The board of an instance, and what it was made from.
#[derive(Debug, Default)]
pub(crate) struct BoardKeeper(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    board: Option<Board>,
    is_refreshing: bool,
}

#[derive(Debug, Clone)]
struct Board {
    board: Arc<RankingBoard>,
    refreshed_at: Duration,
    read_all_at: Duration,
    /// When the last reading began, by this instance's clock.
    read_through_micros: i64,
    /// The changes that the last reading found, so that none is read for twice.
    seen: HashMap<(PolicyId, Changed), i64>,
}

/// Whoever brings the board up to date; when this goes, someone else may.
struct Turn<'a>(&'a BoardKeeper);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.with(|kept| kept.is_refreshing = false);
    }
}

impl BoardKeeper {
    fn with<T>(&self, work: impl FnOnce(&mut Kept) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn current(&self) -> Option<Board> {
        self.with(|kept| kept.board.clone())
    }

    fn begin(&self) -> Option<Turn<'_>> {
        let was_refreshing = self.with(|kept| std::mem::replace(&mut kept.is_refreshing, true));
        (!was_refreshing).then_some(Turn(self))
    }

    /// Swaps the board, unless another one was read later.
    fn keep(&self, board: Board) -> Arc<RankingBoard> {
        self.with(|kept| {
            let read_through = board.read_through_micros;
            let is_later = |it: &Board| it.read_through_micros > read_through;
            match &kept.board {
                Some(later) if is_later(later) => Arc::clone(&later.board),
                _ => Arc::clone(&kept.board.insert(board).board),
            }
        })
    }
}

impl Votes {
    /// The board. It is brought up to date if that was not done for ten seconds; where that fails,
    /// the one there is is given.
    ///
    /// # Errors
    /// Those of the session, where there is none.
    pub async fn board(&self) -> Result<Arc<RankingBoard>, Error> {
        let Some(kept) = self.boards.current() else {
            return self.refresh_board().await;
        };
        let age = self.clock.monotonic().saturating_sub(kept.refreshed_at);
        if age < FRESH {
            return Ok(kept.board);
        }
        Ok(self.refresh_board().await.unwrap_or(kept.board))
    }

    /// Brings the board up to date, and gives it. Whoever serves people does this every few
    /// seconds, so that none of them waits for it. While one caller does it, others get the board
    /// that there is.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn refresh_board(&self) -> Result<Arc<RankingBoard>, Error> {
        let turn = self.boards.begin();
        let kept = match (self.boards.current(), &turn) {
            (Some(kept), None) => return Ok(kept.board),
            (kept, _) => kept,
        };
        // The day first: what is read later may be of more closed days, and that is left out.
        let (closed_through, today) = (self.closed_through().await?, self.today());
        let changed = match &kept {
            Some(kept) if self.may_update(kept, closed_through, today) => {
                self.updated(kept).await?
            }
            _ => None,
        };
        let board = match changed {
            Some(board) => board,
            None => self.read_board(kept, closed_through, today).await?,
        };
        Ok(self.boards.keep(board))
    }

    /// Notes that a policy changed, so that boards read it again. A board that misses it reads
    /// everything within the hour.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn note_changed(&self, policy: PolicyId, what: Changed) -> Result<(), Error> {
        let now = self.begin_micros();
        self.tables.changes.write(policy, what, now).await
    }

    fn may_update(&self, kept: &Board, closed_through: Day, today: Day) -> bool {
        let age = self.clock.monotonic().saturating_sub(kept.read_all_at);
        let board = &kept.board;
        age < READ_ALL && board.closed_through() == closed_through && board.today() == today
    }

    async fn read_board(
        &self,
        earlier: Option<Board>,
        closed_through: Day,
        today: Day,
    ) -> Result<Board, Error> {
        let began = (self.clock.monotonic(), self.clock.now_micros());
        let facts = self.tables.all_policy_facts(closed_through).await?;
        let earlier = earlier.as_ref().map(|it| &*it.board);
        let board = RankingBoard::new(facts, closed_through, today, earlier);
        Ok(Board {
            board: Arc::new(board),
            refreshed_at: began.0,
            read_all_at: began.0,
            read_through_micros: began.1,
            seen: HashMap::new(),
        })
    }

    /// A board with what changed since; `None` where reading everything is less work.
    async fn updated(&self, kept: &Board) -> Result<Option<Board>, Error> {
        let began = (self.clock.monotonic(), self.clock.now_micros());
        let from = kept.read_through_micros.min(began.1);
        let changes = self.tables.changes.between(from, began.1).await?;
        let is_new =
            |it: &&PolicyChange| kept.seen.get(&(it.policy, it.what)) != Some(&it.changed_micros);
        let latest = latest(&changes);
        let changed = latest.iter().filter(is_new).map(|it| it.policy);
        let changed: BTreeSet<PolicyId> = changed.collect();
        if changed.len() > MOST_CHANGED {
            return Ok(None);
        }
        let board = match changed.is_empty() {
            true => Arc::clone(&kept.board),
            false => {
                let old = &*kept.board;
                let facts = self.read_changed(old, changed).await?;
                let (closed_through, today) = (old.closed_through(), old.today());
                Arc::new(RankingBoard::new(facts, closed_through, today, Some(old)))
            }
        };
        let seen = latest.iter();
        let seen = seen.map(|it| ((it.policy, it.what), it.changed_micros));
        Ok(Some(Board {
            board,
            refreshed_at: began.0,
            read_all_at: kept.read_all_at,
            read_through_micros: began.1.max(kept.read_through_micros),
            seen: seen.collect(),
        }))
    }

    /// What is known of all policies, where these were read again. A merge is noted for its target
    /// alone, so those that point elsewhere than is known are read with it.
    async fn read_changed(
        &self,
        board: &RankingBoard,
        changed: BTreeSet<PolicyId>,
    ) -> Result<AllFacts, Error> {
        let mut facts = board.facts().clone();
        let mut read = BTreeSet::new();
        let mut open: Vec<PolicyId> = changed.into_iter().collect();
        while let Some(policy) = open.pop() {
            if !read.insert(policy) {
                continue;
            }
            let key = facts_key(policy);
            let days = facts.get(&key).map(|it| Arc::clone(&it.days));
            let through = board.closed_through();
            let Some(new) = self.tables.policy_facts(policy, days, through).await? else {
                facts.remove(&key);
                continue;
            };
            let points_here = |source: &PolicyId| {
                let known = facts.get(&facts_key(*source));
                known.is_some_and(|it| it.standing.merged_to == Some(policy))
            };
            let sources = new.standing.merged_from.iter();
            open.extend(sources.filter(|source| !points_here(source)));
            open.extend(new.standing.merged_to);
            facts.insert(key, new);
        }
        Ok(facts)
    }
}

/// The last change of each kind of each policy.
fn latest(changes: &[PolicyChange]) -> Vec<PolicyChange> {
    let mut latest: HashMap<(PolicyId, Changed), PolicyChange> = HashMap::new();
    for it in changes {
        let known = latest.entry((it.policy, it.what)).or_insert(*it);
        if known.changed_micros < it.changed_micros {
            *known = *it;
        }
    }
    latest.into_values().collect()
}
