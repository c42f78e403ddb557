//! What follows from reports and decisions. All of it may be done again until the case is closed, and
//! nothing of it afterwards.

use stoa_session::Error;
use uuid::Uuid;

use super::claim::busy;
use crate::model::{
    Case, CaseState, Decision, Happening, HappeningKind, Measure, NotDone, PolicyId, Target,
    TargetKind, UserId,
};
use crate::rules::secrets::sibling_id;
use crate::tables::moderation::LogEntry;
use crate::tables::pages::PageChange;
use crate::tables::talk::cases::OpenCase;
use crate::votes::Votes;

/// So many reporters hide something until somebody has looked at it.
pub const REPORTERS_WHO_HIDE: usize = 3;

impl Votes {
    /// Brings the case of something to where it belongs: its target is hidden once enough people
    /// reported it, and what was decided is done.
    pub(crate) async fn settle_case(&self, target: Target) -> Result<(), Error> {
        let cases = &self.tables.talk.cases;
        for _ in 0..self.settings.attempts {
            let Some(case) = cases.read(target).await? else {
                return Ok(());
            };
            match (case.state, case.hiding) {
                (CaseState::Open | CaseState::Taken, None) => {
                    if !target.can_be_hidden() || !self.is_reported_enough(&case).await? {
                        return Ok(());
                    }
                    let act = self.ids.time_uuid();
                    let hiding = Case {
                        hiding: Some(act),
                        act,
                        ..case.clone()
                    };
                    cases.change(&case, &hiding).await?;
                }
                (CaseState::Open | CaseState::Taken, Some(hiding)) => {
                    self.hide_for(&case, hiding).await?;
                    // Whoever decided meanwhile may not have seen it hidden.
                    let after = cases.read(target).await?;
                    if after.is_none_or(|after| after.state.is_undecided()) {
                        return Ok(());
                    }
                }
                (CaseState::Decided, _) => {
                    self.carry_out(&case).await?;
                    let closed = Case {
                        state: CaseState::Closed,
                        act: self.ids.time_uuid(),
                        ..case.clone()
                    };
                    cases.change(&case, &closed).await?;
                }
                (CaseState::Closed, _) => {
                    if case.shows_again() {
                        self.show_for(&case).await?;
                    }
                    let id = case.id;
                    return cases.delete_open(OpenCase { id, target }).await;
                }
            }
        }
        Err(busy("the case changed too often meanwhile"))
    }

    /// Hides the page of a policy for a case, unless it is hidden, and tells if it is so for that
    /// case. What has no page is not hidden.
    async fn hide_page_for(&self, policy: PolicyId, case: &Case, act: Uuid) -> Result<(), Error> {
        let hidden = self.change_page(policy, PageChange::HiddenFor(case.id));
        match hidden.await {
            Ok(page) if page.hidden_for == Some(case.id) => {
                let act = (act, UserId(Uuid::nil()));
                self.tell(policy, HappeningKind::Hidden, act, "").await
            }
            Ok(_) | Err(NotDone::Refused(_)) => Ok(()),
            Err(NotDone::Unknown(error)) => Err(error),
        }
    }

    /// Shows the page of a policy that is hidden for a case; whether it is shown then. What a
    /// moderator or another case hid stays hidden.
    async fn show_page_for(&self, policy: PolicyId, case: &Case) -> Result<bool, Error> {
        let shown = self.change_page(policy, PageChange::ShownFor(case.id));
        match shown.await {
            Ok(page) => Ok(!page.is_hidden),
            Err(NotDone::Refused(_)) => Ok(false),
            Err(NotDone::Unknown(error)) => Err(error),
        }
    }

    async fn is_reported_enough(&self, case: &Case) -> Result<bool, Error> {
        let reports = &self.tables.talk.reports;
        let own = reports.of_case(case.target, case.id).await?;
        Ok(own.len() >= REPORTERS_WHO_HIDE)
    }

    async fn hide_for(&self, case: &Case, hiding: Uuid) -> Result<(), Error> {
        match case.target {
            Target::Policy(policy) => {
                self.hide_page_for(policy, case, hiding).await?;
            }
            Target::Comment(policy, comment) => {
                let comments = &self.tables.talk.comments;
                comments.hide(policy, comment, case.id).await?;
                self.recount_discussion(policy).await?;
            }
            _ => return Ok(()),
        }
        let entry = LogEntry {
            id: hiding,
            moderator: UserId(Uuid::nil()),
            action: "hide_pending".to_owned(),
            target: case.target.to_string(),
            reason: format!("reported by {REPORTERS_WHO_HIDE}"),
        };
        self.tables.moderation.write(&entry).await
    }

    /// Shows again what is hidden for a case, and for nothing else; whether it is a policy that is
    /// shown then.
    async fn show_for(&self, case: &Case) -> Result<bool, Error> {
        match case.target {
            Target::Policy(policy) => self.show_page_for(policy, case).await,
            Target::Comment(policy, comment) => {
                let comments = &self.tables.talk.comments;
                comments.show(policy, comment, case.id).await?;
                self.recount_discussion(policy).await?;
                Ok(false)
            }
            _ => Ok(false),
        }
    }

    /// Does what was decided, writes it into the public log, and tells the reporters.
    async fn carry_out(&self, case: &Case) -> Result<(), Error> {
        let (Some(decision), Some(by)) = (case.decision, case.handled_by) else {
            return Ok(());
        };
        match (decision, case.target) {
            (Decision::Upheld(Measure::Remove), Target::Comment(policy, comment)) => {
                match self.take_away(policy, comment, by, &case.reason).await {
                    // Somebody removed it before.
                    Ok(()) | Err(NotDone::Refused(_)) => {}
                    Err(NotDone::Unknown(error)) => return Err(error),
                }
            }
            (Decision::Upheld(Measure::Hide), _) => self.hide_decided(case).await?,
            _ if case.shows_again() => {
                let is_shown = self.show_for(case).await?;
                if let Some(policy) = case.target.policy().filter(|_| is_shown) {
                    let act = (case.act, by);
                    self.tell(policy, HappeningKind::Shown, act, "").await?;
                }
            }
            _ => {}
        }
        let action = match decision {
            Decision::Upheld(_) => "uphold_report",
            Decision::Rejected => "reject_report",
        };
        let entry = LogEntry {
            id: case.act,
            moderator: by,
            action: action.to_owned(),
            target: case.target.to_string(),
            reason: case.reason.clone(),
        };
        // What kept somebody from signing in is nobody else's business.
        let log = match case.target.kind() {
            TargetKind::Access => &self.tables.audit,
            _ => &self.tables.moderation,
        };
        log.write(&entry).await?;
        self.tell_reporters(case, decision, by).await
    }

    /// Tells the reporters what was decided. Those who watch too are told of what follows from it,
    /// so it has an identifier of its own.
    async fn tell_reporters(
        &self,
        case: &Case,
        decision: Decision,
        by: UserId,
    ) -> Result<(), Error> {
        let told = Happening {
            id: sibling_id(case.act, b"decided"),
            policy: case.target.policy(),
            kind: HappeningKind::ReportDecided,
            actor: by,
            about: Some(case.target.id()),
            detail: decision.name().to_owned(),
        };
        let reports = &self.tables.talk.reports;
        for report in reports.of_case(case.target, case.id).await? {
            self.notify(report.reporter, &told).await?;
        }
        Ok(())
    }

    /// Hides what was decided to be, whether or not it is hidden for the case.
    async fn hide_decided(&self, case: &Case) -> Result<(), Error> {
        match case.target {
            Target::Policy(policy) => {
                let act = case.hiding.unwrap_or(case.act);
                self.hide_page_for(policy, case, act).await
            }
            Target::Comment(policy, comment) => {
                let comments = &self.tables.talk.comments;
                comments.hide(policy, comment, case.id).await?;
                self.recount_discussion(policy).await
            }
            _ => Ok(()),
        }
    }
}
