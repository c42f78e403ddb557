//! Judging a case: a moderator takes it, and decides, or gives it back. Each is one conditional write
//! that follows the last act of the case.

use std::collections::BTreeMap;

use stoa_session::Error;
use uuid::Uuid;

use super::claim::busy;
use crate::model::{
    By, Case, CaseState, Decision, NotDone, Report, Role, TalkRefusal, Target, TargetKind,
};
use crate::rules::comments::reason;
use crate::tables::talk::talk_intents::Begun;
use crate::votes::Votes;

/// For how long nobody else may take a case that a moderator took: a day.
pub const TAKEN_MICROS: i64 = 86_400_000_000;
/// Cases of one answer at most.
pub const MOST_CASES: usize = 100;

/// A case to be decided, with what was reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueuedCase {
    /// The case.
    pub case: Case,
    /// The reports that belong to it.
    pub reports: Vec<Report>,
}

impl Votes {
    /// Takes a case, to look at it. Somebody else's can be taken after a day.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn take_case(&self, by: By, target: Target, case: Uuid) -> Result<Case, NotDone> {
        self.demand_for(by, target).await?;
        for _ in 0..self.settings.attempts {
            let seen = self.case(target, case).await?;
            match (seen.state, seen.handled_by) {
                (CaseState::Open, _) => {}
                (CaseState::Taken, Some(taker)) if taker == by.id() => {
                    self.note_case(by, "take_case", &seen).await?;
                    return Ok(seen);
                }
                (CaseState::Taken, _) => {
                    if self.clock.now_micros() - seen.act_micros() < TAKEN_MICROS {
                        return Err(TalkRefusal::CaseTaken.into());
                    }
                }
                (CaseState::Decided | CaseState::Closed, _) => {
                    return Err(TalkRefusal::CaseDecided.into());
                }
            }
            if self.is_own_doing(by, target).await? {
                return Err(TalkRefusal::OwnDoing.into());
            }
            let taken = Case {
                state: CaseState::Taken,
                act: self.ids.time_uuid(),
                handled_by: Some(by.id()),
                ..seen.clone()
            };
            self.tables.talk.cases.change(&seen, &taken).await?;
        }
        Err(busy("the case changed too often meanwhile").into())
    }

    /// Gives a case back that one took, for others to look at.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn return_case(&self, by: By, target: Target, case: Uuid) -> Result<(), NotDone> {
        self.demand_for(by, target).await?;
        let mut given = None;
        for _ in 0..self.settings.attempts {
            let seen = self.case(target, case).await?;
            match seen.state {
                CaseState::Open => {
                    if let Some(given) = &given {
                        self.note_case(by, "return_case", given).await?;
                    }
                    return Ok(());
                }
                CaseState::Taken if seen.handled_by == Some(by.id()) => {}
                CaseState::Taken => return Err(TalkRefusal::CaseTaken.into()),
                CaseState::Decided | CaseState::Closed => {
                    return Err(TalkRefusal::CaseDecided.into());
                }
            }
            let open = Case {
                state: CaseState::Open,
                act: self.ids.time_uuid(),
                handled_by: None,
                ..seen.clone()
            };
            self.tables.talk.cases.change(&seen, &open).await?;
            given = Some(open);
        }
        Err(busy("the case changed too often meanwhile").into())
    }

    /// Decides a case that one took, with a reason that everybody may read. What follows is done at
    /// once, or by a task. Asking again for the same does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn decide_case(
        &self,
        by: By,
        target: Target,
        case: Uuid,
        decision: Decision,
        why: &str,
    ) -> Result<(), NotDone> {
        let why = reason(why)?;
        self.demand_for(by, target).await?;
        if !decision.fits(target) {
            return Err(TalkRefusal::MeasureImpossible.into());
        }
        let mut intent = None;
        for _ in 0..self.settings.attempts {
            let seen = self.case(target, case).await?;
            let is_own = seen.handled_by == Some(by.id());
            match seen.state {
                CaseState::Taken if is_own => {}
                CaseState::Taken => return Err(TalkRefusal::CaseTaken.into()),
                CaseState::Open => return Err(TalkRefusal::CaseNotTaken.into()),
                CaseState::Decided | CaseState::Closed => {
                    if seen.state == CaseState::Decided {
                        self.settle_case(target).await?;
                    }
                    if let Some(intent) = &intent {
                        self.tables.talk.intents.delete(intent).await?;
                    }
                    return match is_own && seen.decision == Some(decision) {
                        true => Ok(()),
                        false => Err(TalkRefusal::CaseDecided.into()),
                    };
                }
            }
            if intent.is_none() {
                intent = Some(self.begin_talk(Begun::Case(target)).await?);
            }
            let decided = Case {
                state: CaseState::Decided,
                act: self.ids.time_uuid(),
                decision: Some(decision),
                reason: why.clone(),
                ..seen.clone()
            };
            self.tables.talk.cases.change(&seen, &decided).await?;
        }
        Err(busy("the case changed too often meanwhile").into())
    }

    /// The cases of a kind that are to be decided, the first first; at most [`MOST_CASES`].
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn open_cases(&self, by: By, kind: TargetKind) -> Result<Vec<QueuedCase>, NotDone> {
        self.demand_kind(by, kind).await?;
        let mut queue = Vec::new();
        for case in self.undecided_cases(kind).await? {
            if queue.len() >= MOST_CASES {
                break;
            }
            let reports = &self.tables.talk.reports;
            let reports = reports.of_case(case.target, case.id).await?;
            queue.push(QueuedCase { case, reports });
        }
        Ok(queue)
    }

    /// How many cases of each kind are to be decided.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn case_counts(&self, by: By) -> Result<BTreeMap<TargetKind, usize>, NotDone> {
        self.demand_kind(by, TargetKind::Comment).await?;
        let mut counts = BTreeMap::new();
        for (kind, _) in TargetKind::NAMES {
            let count = self.undecided_cases(kind).await?.len();
            if count > 0 {
                counts.insert(kind, count);
            }
        }
        Ok(counts)
    }

    /// The cases of a kind that are to be decided, the first first.
    pub(crate) async fn undecided_cases(&self, kind: TargetKind) -> Result<Vec<Case>, Error> {
        let cases = &self.tables.talk.cases;
        let mut undecided = Vec::new();
        for open in cases.list_open(kind).await? {
            let case = cases.read(open.target).await?;
            undecided.extend(case.filter(|it| it.id == open.id && it.state.is_undecided()));
        }
        Ok(undecided)
    }

    async fn demand_kind(&self, by: By, kind: TargetKind) -> Result<(), NotDone> {
        match self.demand(by, Role::HandleReports).await {
            Err(NotDone::Refused(_)) if kind == TargetKind::Comment => {
                self.demand(by, Role::ModerateComments).await
            }
            demanded => demanded,
        }
    }

    async fn case(&self, target: Target, id: Uuid) -> Result<Case, NotDone> {
        let case = self.tables.talk.cases.read(target).await?;
        let case = case.filter(|case| case.id == id);
        Ok(case.ok_or(TalkRefusal::NoSuchCase)?)
    }

    /// Whether a moderator would judge the own doing.
    async fn is_own_doing(&self, by: By, target: Target) -> Result<bool, NotDone> {
        if let Target::Account(user) = target {
            return Ok(user == by.id());
        }
        match self.doer_of(target).await {
            Ok(doer) => Ok(doer == Some(by.id())),
            // What is gone by now can still be decided about.
            Err(NotDone::Refused(_)) => Ok(false),
            Err(unknown) => Err(unknown),
        }
    }
}
