//! Who has which role, and how many cases wait, as it was a few seconds ago: for showing ways and
//! buttons alone. What somebody may do is asked anew by the gate and by the domain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use stoa_types::Clock;
use stoa_votes::Votes;
use stoa_votes::model::{Role, TargetKind, UserId};

use crate::error::Failure;

/// How long it is remembered.
const REMEMBER: Duration = Duration::from_secs(20);

/// Who has which role, and how many cases wait.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Staff {
    roles: BTreeMap<UserId, BTreeSet<Role>>,
    waiting: BTreeMap<TargetKind, usize>,
}

/// What somebody is shown for the roles that they have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Duties {
    roles: BTreeSet<Role>,
    waiting: usize,
}

/// What an instance remembers of it.
#[derive(Debug, Default)]
pub struct StaffMemory(Mutex<Option<(Duration, Arc<Staff>)>>);

impl Duties {
    /// Whether somebody has a role, or is an admin.
    #[must_use]
    pub fn may(&self, role: Role) -> bool {
        self.roles.contains(&role) || self.roles.contains(&Role::Admin)
    }

    /// Whether somebody has one of some roles, or is an admin.
    #[must_use]
    pub fn may_any(&self, roles: &[Role]) -> bool {
        roles.iter().any(|role| self.may(*role))
    }

    /// Whether somebody has no role at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.roles.is_empty()
    }

    /// How many cases wait that somebody may decide.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting
    }
}

impl Staff {
    async fn read(votes: &Votes) -> Result<Self, Failure> {
        let mut roles: BTreeMap<UserId, BTreeSet<Role>> = BTreeMap::new();
        for (role, _) in Role::NAMES {
            for grant in votes.grants(role).await? {
                roles.entry(grant.user).or_default().insert(role);
            }
        }
        Ok(Self {
            roles,
            waiting: votes.waiting_cases().await?,
        })
    }

    /// What somebody is shown.
    #[must_use]
    pub fn duties_of(&self, user: UserId) -> Duties {
        let roles = self.roles.get(&user).cloned().unwrap_or_default();
        let mut duties = Duties { roles, waiting: 0 };
        duties.waiting = if duties.may(Role::HandleReports) {
            self.waiting.values().sum()
        } else if duties.may(Role::ModerateComments) {
            let comments = self.waiting.get(&TargetKind::Comment);
            comments.copied().unwrap_or(0)
        } else {
            0
        };
        duties
    }
}

impl StaffMemory {
    /// Who has which role, as it was a few seconds ago.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn staff(&self, votes: &Votes, clock: &dyn Clock) -> Result<Arc<Staff>, Failure> {
        let now = clock.monotonic();
        let known = self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        if let Some((at, staff)) = known
            && now.saturating_sub(at) < REMEMBER
        {
            return Ok(staff);
        }
        let staff = Arc::new(Staff::read(votes).await?);
        let remembered = Some((now, Arc::clone(&staff)));
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = remembered;
        Ok(staff)
    }

    /// Forgets it, after somebody with a role changed something.
    pub fn forget(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn everybody_is_told_of_the_cases_that_they_may_decide() {
        let user = |number| UserId(Uuid::from_u128(number));
        let staff = Staff {
            roles: BTreeMap::from([
                (user(1), BTreeSet::from([Role::Admin])),
                (user(2), BTreeSet::from([Role::HandleReports])),
                (user(3), BTreeSet::from([Role::ModerateComments])),
                (user(4), BTreeSet::from([Role::ModerateTags])),
            ]),
            waiting: BTreeMap::from([(TargetKind::Policy, 2), (TargetKind::Comment, 3)]),
        };
        let waiting: Vec<usize> = (1..=5)
            .map(|it| staff.duties_of(user(it)).waiting())
            .collect();
        assert_eq!(waiting, [5, 5, 3, 0, 0]);
        assert!(staff.duties_of(user(1)).may(Role::MergePolicies));
        assert!(
            !staff
                .duties_of(user(4))
                .may_any(&[Role::Admin, Role::EditUsers])
        );
        assert!(staff.duties_of(user(5)).is_empty());
    }
}
