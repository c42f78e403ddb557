//! What goes on while rankings are looked at: people vote, policies are merged, released, hidden and
//! shown again, and supporters are measured.
//!
//! Every vote puts one on a policy, so every number between the votes that were counted and those
//! that were asked for was a policy's total at some moment; and no other number ever was.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use stoa_votes::model::{By, Category, NewPage, PolicyId, PolicyText, RequestId, UserId};
use stoa_votes::ops::account::Account;
use stoa_votes::ops::hide_policy::Visibility;
use stoa_votes::ops::release::Release;
use stoa_votes::ops::submit::{Ask, NotAccepted, Request};
use stoa_votes::rules::ranking::RankingBoard;
use stoa_votes::rules::ranking::board::facts_key;
use stoa_votes::rules::ranking::line::Line;
use tokio::task::JoinSet;

use super::town::Town;

/// Users who vote, and policies that have pages.
const VOTERS: usize = 16;
const PAGES: usize = 40;
/// The categories of the pages.
pub(super) const CATEGORIES: [&str; 2] = ["health", "roads"];
/// What a policy with a page begins with.
const FIRST_VOTES: i64 = 100;
/// How long each waits before doing something again.
const PAUSE: Duration = Duration::from_millis(10);

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Vote,
    Merge,
    Release,
    Hide,
    Measure,
}

const KINDS: [Kind; 5] = [
    Kind::Vote,
    Kind::Merge,
    Kind::Release,
    Kind::Hide,
    Kind::Measure,
];

/// What is known of all that was done.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Policies that take votes.
    active: Vec<PolicyId>,
    /// Votes that were asked for and not refused, and those that were counted.
    asked: BTreeMap<PolicyId, i64>,
    counted: BTreeMap<PolicyId, i64>,
    /// What was merged, into what.
    merged: BTreeMap<PolicyId, Vec<PolicyId>>,
    /// What is released, or about to be: nobody counts it any more.
    released: BTreeSet<PolicyId>,
    happened: BTreeMap<Kind, usize>,
}

impl Tally {
    fn happened(&mut self, kind: Kind) {
        *self.happened.entry(kind).or_default() += 1;
    }

    /// A policy that takes votes, taken out if others shall not touch it.
    fn some(&self, random: u64) -> Option<PolicyId> {
        let at = random.checked_rem(self.active.len() as u64)?;
        self.active.get(usize::try_from(at).ok()?).copied()
    }

    fn take(&mut self, random: u64) -> Option<PolicyId> {
        let policy = self.some(random)?;
        self.active.retain(|it| *it != policy);
        Some(policy)
    }

    /// The votes of a policy that were counted, of all that was merged into it by then too.
    fn least(&self, policy: PolicyId) -> i64 {
        let own = self.counted.get(&policy).copied().unwrap_or(0);
        let merged = self.merged.get(&policy).into_iter().flatten();
        own + merged.map(|source| self.least(*source)).sum::<i64>()
    }

    /// Whether everything happened after another moment.
    pub(super) fn has_everything_since(&self, before: &Self) -> bool {
        let count = |of: &Self, kind| of.happened.get(&kind).copied().unwrap_or(0);
        KINDS
            .iter()
            .all(|kind| count(self, *kind) > count(before, *kind))
    }

    /// Whether a policy of a board shows a total that it can have had, where `self` was known before
    /// the board was made and `after` after it.
    pub(super) fn may_show(&self, after: &Self, board: &RankingBoard, line: &Line) -> bool {
        let policy = line.policy();
        let least = match self.released.contains(&policy) || after.released.contains(&policy) {
            true => 0,
            false => self.least(policy),
        };
        (least..=after.most(board, policy)).contains(&line.facts.total)
    }

    /// The votes that were asked for on a policy and all that a board lists as merged into it.
    fn most(&self, board: &RankingBoard, policy: PolicyId) -> i64 {
        let own = self.asked.get(&policy).copied().unwrap_or(0);
        let facts = board.facts().get(&facts_key(policy));
        let sources = facts.into_iter().flat_map(|it| &it.standing.merged_from);
        own + sources.map(|it| self.most(board, *it)).sum::<i64>()
    }
}

/// All that goes on.
pub(super) struct Meanwhile {
    shared: Arc<Shared>,
    tasks: JoinSet<Result<()>>,
}

struct Shared {
    town: Town,
    pages: Vec<PolicyId>,
    is_over: AtomicBool,
    tally: Mutex<Tally>,
}

impl Meanwhile {
    /// Begins, on a town whose users have votes for a long time.
    pub(super) async fn start(town: &Town) -> Result<Self> {
        let mut tally = Tally::default();
        tally.active.clone_from(&town.policies);
        let mut pages = Vec::new();
        put_categories(town).await?;
        for number in 0..PAGES {
            let policy = create_page(town, number).await?;
            tally.active.push(policy);
            tally.asked.insert(policy, FIRST_VOTES);
            tally.counted.insert(policy, FIRST_VOTES);
            pages.push(policy);
        }
        let shared = Arc::new(Shared {
            town: town.shared(),
            pages,
            is_over: AtomicBool::new(false),
            tally: Mutex::new(tally),
        });
        let mut tasks = JoinSet::new();
        for first in 0..VOTERS {
            let shared = Arc::clone(&shared);
            tasks.spawn(async move { shared.again(|at| shared.vote(first + at * VOTERS)).await });
        }
        let one = Arc::clone(&shared);
        tasks.spawn(async move { one.again(|_| one.merge()).await });
        let one = Arc::clone(&shared);
        tasks.spawn(async move { one.again(|_| one.release()).await });
        let one = Arc::clone(&shared);
        tasks.spawn(async move { one.again(|at| one.hide_or_show(at)).await });
        let one = Arc::clone(&shared);
        tasks.spawn(async move { one.again(|_| one.measure()).await });
        Ok(Self { shared, tasks })
    }

    /// What is known by now.
    pub(super) fn tally(&self) -> Tally {
        self.shared.tally().clone()
    }

    /// Fails if something came to an end that should go on.
    pub(super) fn check(&mut self) -> Result<()> {
        match self.tasks.try_join_next() {
            Some(ended) => {
                ended??;
                bail!("somebody stopped too early")
            }
            None => Ok(()),
        }
    }

    /// Lets everybody finish.
    pub(super) async fn stop(mut self) -> Result<()> {
        self.shared.is_over.store(true, Ordering::Relaxed);
        while let Some(done) = self.tasks.join_next().await {
            done??;
        }
        Ok(())
    }
}

impl Shared {
    fn tally(&self) -> MutexGuard<'_, Tally> {
        self.tally.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something again and again, until all is over.
    async fn again<F: Future<Output = Result<()>>>(&self, one: impl Fn(usize) -> F) -> Result<()> {
        let mut at = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            one(at).await?;
            at += 1;
            tokio::time::sleep(PAUSE).await;
        }
        Ok(())
    }

    async fn vote(&self, at: usize) -> Result<()> {
        let account = self.town.user(at)?;
        let basis = self.town.votes.tables().chain.tip(account.user).await?.head;
        let random = self.town.ids.random_u64();
        let policy = {
            let mut tally = self.tally();
            let policy = tally.some(random).context("no policy takes votes")?;
            *tally.asked.entry(policy).or_default() += 1;
            policy
        };
        let request = Request {
            id: RequestId(self.town.ids.uuid()),
            basis,
            ask: Ask::Move(BTreeMap::from([(policy, 1)])),
            actor: account.user,
        };
        match self.town.votes.submit(account, &request).await {
            Ok(accepted) => {
                self.town.votes.sync(account.user, accepted).await?;
                let mut tally = self.tally();
                *tally.counted.entry(policy).or_default() += 1;
                tally.happened(Kind::Vote);
            }
            Err(NotAccepted::Unknown(error)) => return Err(error.into()),
            // Merged or released meanwhile, or all votes are spent.
            Err(_) => *self.tally().asked.entry(policy).or_default() -= 1,
        }
        Ok(())
    }

    async fn merge(&self) -> Result<()> {
        // As many come as go.
        let new = self.town.new_policy().await?;
        let random = self.town.ids.random_u64();
        let sources: BTreeSet<PolicyId> = {
            let mut tally = self.tally();
            tally.active.push(new);
            let both = [tally.take(random), tally.take(random >> 7)];
            both.into_iter().flatten().collect()
        };
        let by = UserId(self.town.ids.uuid());
        let merged = self.town.votes.merge(by, sources.clone()).await?;
        let target = merged.context("nothing was merged")?;
        let mut tally = self.tally();
        tally.merged.insert(target, sources.into_iter().collect());
        tally.active.push(target);
        tally.happened(Kind::Merge);
        Ok(())
    }

    async fn release(&self) -> Result<()> {
        let new = self.town.new_policy().await?;
        let random = self.town.ids.random_u64();
        let policy = {
            let mut tally = self.tally();
            tally.active.push(new);
            let policy = tally.take(random).context("no policy is left")?;
            tally.released.insert(policy);
            policy
        };
        self.town.votes.release(policy, Release::Retire).await?;
        self.tally().happened(Kind::Release);
        Ok(())
    }

    async fn hide_or_show(&self, at: usize) -> Result<()> {
        let page = self.pages.get(at / 2 % self.pages.len().max(1));
        let page = page.copied().context("there are no pages")?;
        let to = match at % 2 {
            0 => Visibility::Hidden,
            _ => Visibility::Shown,
        };
        let (by, reason) = (By::Operator, "to see who notices");
        self.town.votes.set_visibility(by, page, to, reason).await?;
        self.tally().happened(Kind::Hide);
        Ok(())
    }

    async fn measure(&self) -> Result<()> {
        if self.town.votes.measure().await? > 0 {
            self.tally().happened(Kind::Measure);
        }
        Ok(())
    }
}

async fn put_categories(town: &Town) -> Result<()> {
    for (position, key) in (1..).zip(CATEGORIES) {
        let category = Category {
            key: key.to_owned(),
            name: key.to_owned(),
            description: String::new(),
            position,
            is_active: true,
        };
        town.votes.put_category(By::Operator, &category).await?;
    }
    Ok(())
}

/// A policy with a page, of somebody who does nothing else.
async fn create_page(town: &Town, number: usize) -> Result<PolicyId> {
    let author = Account {
        user: UserId(town.ids.uuid()),
        joined: town.today,
    };
    let category = CATEGORIES.get(number % CATEGORIES.len());
    let page = NewPage {
        text: PolicyText {
            title: format!("Wish number {number}"),
            description: "This would be good.".to_owned(),
            links: Vec::new(),
        },
        category: category.copied().unwrap_or_default().to_owned(),
        party: None,
    };
    let request = RequestId(town.ids.uuid());
    let created = town.votes.create_policy(author, request, None, &page);
    Ok(created.await?.policy)
}
