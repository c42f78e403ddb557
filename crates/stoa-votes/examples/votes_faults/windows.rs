//! The windows of people, which save all the while, and the tasks of both instances beside them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use stoa_votes::Votes;
use stoa_votes::ops::account::{Account, Statement};
use stoa_votes::ops::submit::{Accepted, Ask, NotAccepted, Request};
use tokio::task::JoinSet;

use crate::community::Community;

/// Windows of each person: they meet each other on one chain.
const WINDOWS: usize = 2;
/// Between the turns of a window: nodes need the processor, too.
const BREATH: Duration = Duration::from_millis(60);
const TASKS_EVERY: Duration = Duration::from_millis(700);
/// Between looks at the count, and between attempts to settle.
const PAUSE: Duration = Duration::from_millis(50);
/// How long the count may stand still: the cluster has stopped answering then.
const STANDSTILL: Duration = Duration::from_secs(180);
/// How often a request is sent again before it is called unsettled.
const SETTLING_ATTEMPTS: u32 = 200;

/// Windows that are open.
pub(crate) struct Windows {
    tasks: JoinSet<()>,
    should_stop: Arc<AtomicBool>,
    community: Arc<Community>,
}

impl Windows {
    pub(crate) fn open(community: &Arc<Community>) -> Self {
        let should_stop = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for (number, account) in community.people().into_iter().enumerate() {
            let instances = community.instances.iter().cycle().skip(number % 2);
            for votes in instances.take(WINDOWS) {
                let (community, votes) = (Arc::clone(community), Arc::clone(votes));
                let should_stop = Arc::clone(&should_stop);
                tasks.spawn(async move {
                    while !should_stop.load(Ordering::Relaxed) {
                        turn(&community, &votes, account).await;
                        tokio::time::sleep(BREATH).await;
                    }
                });
            }
        }
        for votes in &community.instances {
            let (community, votes) = (Arc::clone(community), Arc::clone(votes));
            let should_stop = Arc::clone(&should_stop);
            tasks.spawn(async move {
                while !should_stop.load(Ordering::Relaxed) {
                    community.run_tasks(&votes).await;
                    tokio::time::sleep(TASKS_EVERY).await;
                }
            });
        }
        Self {
            tasks,
            should_stop,
            community: Arc::clone(community),
        }
    }

    /// Waits until this many more saves were accepted.
    pub(crate) async fn add(&self, more: u64) -> Result<(), String> {
        let journal = &self.community.journal;
        let mut last = journal.accepted();
        let count = last + more;
        let mut still = Duration::ZERO;
        while journal.accepted() < count {
            tokio::time::sleep(PAUSE).await;
            still += PAUSE;
            let now = journal.accepted();
            if now > last {
                (last, still) = (now, Duration::ZERO);
            }
            if still > STANDSTILL {
                return Err(format!(
                    "no save was accepted for {STANDSTILL:?}, after {now}"
                ));
            }
        }
        Ok(())
    }

    /// Lets each finish what it is doing.
    pub(crate) async fn close(mut self) {
        self.should_stop.store(true, Ordering::Relaxed);
        while self.tasks.join_next().await.is_some() {}
    }
}

/// Looks at the votes, changes some, and saves.
async fn turn(community: &Community, votes: &Votes, account: Account) {
    let Ok(statement) = votes.statement(account).await else {
        return;
    };
    let Some(ask) = wish(community, &statement) else {
        return;
    };
    let request = Request {
        id: community.request(),
        basis: statement.basis,
        ask,
        actor: account.user,
    };
    let journal = &community.journal;
    match settled(community, votes, account, &request).await {
        Ok(accepted) => {
            journal.note(|told| told.accepted.push((account.user, accepted)));
            if votes.sync(account.user, accepted).await.is_err() {
                journal.note(|told| told.failed_tasks += 1);
            }
        }
        Err(NotAccepted::Unknown(_)) => journal.note(|told| told.unsettled += 1),
        Err(refused) => journal.note(|told| {
            *told.refused.entry(refused.code().to_owned()).or_default() += 1;
        }),
    }
}

/// Sends a request until its outcome is known, as a browser does that keeps its form.
async fn settled(
    community: &Community,
    votes: &Votes,
    account: Account,
    request: &Request,
) -> Result<Accepted, NotAccepted> {
    let mut answer = votes.submit(account, request).await;
    if matches!(answer, Err(NotAccepted::Unknown(_))) {
        community.journal.note(|told| told.unknown += 1);
    }
    for _ in 0..SETTLING_ATTEMPTS {
        if !matches!(answer, Err(NotAccepted::Unknown(_))) {
            break;
        }
        tokio::time::sleep(PAUSE).await;
        answer = votes.submit(account, request).await;
    }
    answer
}

/// Votes put on a policy while there are any, withdrawn where there are none; now and then the last
/// save taken back.
fn wish(community: &Community, statement: &Statement) -> Option<Ask> {
    if statement.basis.is_some() && community.below(20) == 0 {
        return Some(Ask::Undo);
    }
    let held = statement.positions.iter().filter(|(_, it)| it.total > 1);
    let held: Vec<_> = held.map(|(policy, it)| (*policy, it.total)).collect();
    let some = held.get(community.below(held.len())).copied();
    match (statement.balance, some) {
        (..=0, Some((policy, total))) => Some(Ask::Move(BTreeMap::from([(policy, -(total / 2))]))),
        (..=0, None) => None,
        (1.., Some((policy, _))) if community.below(4) == 0 => {
            // Moved in one save: withdrawn here, put there.
            let to = community.some_policy().filter(|to| *to != policy)?;
            Some(Ask::Move(BTreeMap::from([(policy, -1), (to, 1)])))
        }
        (1.., _) => {
            let votes = 1 + statement.balance.min(3).unsigned_abs();
            let votes = 1 + community.below(usize::try_from(votes).unwrap_or(1));
            let votes = i64::try_from(votes).unwrap_or(1).min(statement.balance);
            Some(Ask::Move(BTreeMap::from([(
                community.some_policy()?,
                votes,
            )])))
        }
    }
}
