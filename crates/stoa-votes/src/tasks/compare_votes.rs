//! Comparing what accounts vote for: two that vote much alike may be one person's.
//!
//! Only those are compared who joined within 90 days, at most 500, with each other and with those
//! whom a sign already ties them to. The later of two gets the sign; a case is opened only if others
//! come to it, and people decide.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use stoa_session::Error;
use uuid::Uuid;

use crate::model::{UserId, UserState};
use crate::rules::signals::{
    Allocations, LEAST_SHARED, SIGNS_SECONDS, Signal, SignalKind, are_similar,
};
use crate::votes::Votes;

/// How many accounts are compared, the last first.
const MOST_COMPARED: usize = 500;
/// How many signs one account gets by one run; more of a kind would not count.
const MOST_SIGNS: usize = 3;
/// How many days of joining are looked at: as long as signs are kept.
const DAYS: i32 = SIGNS_SECONDS / 86_400;

/// An account that is compared.
#[derive(Debug)]
struct Compared {
    user: UserId,
    created_micros: i64,
    allocations: Allocations,
}

impl Votes {
    /// Compares what accounts vote for and records who votes like another; how many do.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn compare_votes(&self) -> Result<usize, Error> {
        let mut known: BTreeMap<UserId, Option<Compared>> = BTreeMap::new();
        let recent = self.joined_lately().await?;
        for user in &recent {
            known.insert(*user, self.compared(*user).await?);
        }
        let mut count = 0;
        for user in &recent {
            let mut others = recent.clone();
            for other in self.tied_to(*user).await? {
                if let Entry::Vacant(unknown) = known.entry(other) {
                    unknown.insert(self.compared(other).await?);
                }
                others.insert(other);
            }
            let Some(Some(one)) = known.get(user) else {
                continue;
            };
            let earlier = others.iter().filter_map(|other| known.get(other)?.as_ref());
            let earlier = earlier.filter(|other| is_later(one, other));
            let similar = earlier.filter(|other| are_similar(&one.allocations, &other.allocations));
            let similar: Vec<UserId> = similar.take(MOST_SIGNS).map(|other| other.user).collect();
            count += usize::from(!similar.is_empty());
            for other in similar {
                let (kind, about) = (SignalKind::SimilarVotes, other.to_string());
                self.record_signal(*user, &Signal { kind, about }).await?;
            }
        }
        Ok(count)
    }

    /// The last who joined.
    async fn joined_lately(&self) -> Result<BTreeSet<UserId>, Error> {
        let today = self.today();
        let mut joined = BTreeSet::new();
        for back in 0..=DAYS {
            let room = MOST_COMPARED.saturating_sub(joined.len());
            if room == 0 {
                break;
            }
            let most = i32::try_from(room).unwrap_or(i32::MAX);
            let of_day = self.tables.origins.joined(today.plus(-back), most).await?;
            joined.extend(of_day);
        }
        Ok(joined)
    }

    /// Those whom signs already name.
    async fn tied_to(&self, user: UserId) -> Result<BTreeSet<UserId>, Error> {
        let signals = self.tables.signals.list(user).await?;
        let named = signals.iter().filter(|signal| {
            matches!(signal.kind, SignalKind::SameNetwork | SignalKind::SameAgent)
        });
        let named = named.filter_map(|signal| Uuid::parse_str(&signal.about).ok());
        Ok(named.map(UserId).collect())
    }

    /// An account with votes on enough policies to be compared.
    async fn compared(&self, user: UserId) -> Result<Option<Compared>, Error> {
        let Some(known) = self.tables.users.read(user).await? else {
            return Ok(None);
        };
        if known.state != UserState::Active {
            return Ok(None);
        }
        let allocations = self.allocations(user).await?;
        Ok((allocations.len() >= LEAST_SHARED).then_some(Compared {
            user,
            created_micros: known.created_micros,
            allocations,
        }))
    }
}

fn is_later(one: &Compared, other: &Compared) -> bool {
    (one.created_micros, one.user) > (other.created_micros, other.user)
}
