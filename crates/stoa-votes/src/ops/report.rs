//! Reporting something, and that one cannot get in.
//!
//! 1. What is about to be done is written down, and the case is opened, if none is open.
//! 2. The report: a conditional write, one of each user for each case. Once a case is decided, the
//!    same user can report the same thing again, and that opens the next one.
//! 3. The case is settled: with three reporters its target is hidden until somebody has looked.

use stoa_session::Error;
use uuid::Uuid;

use super::claim::busy;
use super::sign_in::Origin;
use crate::model::{
    Case, CaseState, NotDone, Report, ReportReason, RequestId, TagId, TalkRefusal, Target, UserId,
};
use crate::rules::comments::{reason, subject, words};
use crate::rules::secrets::derived_id;
use crate::rules::signals::{Signal, SignalKind};
use crate::tables::happenings::hour_of;
use crate::tables::talk::cases::OpenCase;
use crate::tables::talk::talk_intents::Begun;
use crate::votes::Votes;

/// How many reports one user makes in an hour at most.
pub const MOST_REPORTS_IN_AN_HOUR: i32 = 20;
/// How many people of one network say in an hour that they cannot get in, at most.
pub const MOST_PROBLEMS_IN_AN_HOUR: i32 = 5;

/// A report to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReport {
    /// What is reported.
    pub target: Target,
    /// Why.
    pub reason: ReportReason,
    /// Why, in the reporter's words; needed where the reason is [`ReportReason::Other`].
    pub words: String,
}

/// What somebody writes who cannot register or sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessProblem {
    /// What the client calls this request.
    pub request: RequestId,
    /// How to answer: an address, or nothing.
    pub contact: String,
    /// What is wrong.
    pub words: String,
}

impl Votes {
    /// Reports something. A user reports a thing once for each case of it; asking again while the
    /// case is open answers the same report.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn report(&self, reporter: UserId, new: &NewReport) -> Result<Uuid, NotDone> {
        let words = match new.reason {
            ReportReason::Other => reason(&new.words)?,
            _ => words(&new.words)?,
        };
        self.account(reporter).await?;
        let target = new.target;
        if self.doer_of(target).await? == Some(reporter) {
            return Err(TalkRefusal::OwnDoing.into());
        }
        let talk = &self.tables.talk;
        if let Some(before) = self.reported_before(target, reporter).await? {
            self.follow_reports(target).await?;
            return Ok(before);
        }
        let hour = hour_of(self.clock.now_micros());
        let who = format!("report {reporter}");
        if !self.count_once(&who, hour, MOST_REPORTS_IN_AN_HOUR).await? {
            return Err(TalkRefusal::TooManyReports.into());
        }
        let intent = self.begin_talk(Begun::Case(target)).await?;
        let case = self.open_case(target, 0, "").await?;
        let report = Report {
            reporter,
            id: self.ids.time_uuid(),
            case: case.id,
            reason: new.reason,
            words,
        };
        talk.reports.insert(target, &report).await?;
        let report = talk.reports.read(target, case.id, reporter).await?;
        let report = report.ok_or_else(|| busy("the report is not there yet"))?;
        self.follow_reports(target).await?;
        talk.intents.delete(&intent).await?;
        Ok(report.id)
    }

    /// What a user reported for the case of something that is to be decided.
    async fn reported_before(
        &self,
        target: Target,
        reporter: UserId,
    ) -> Result<Option<Uuid>, Error> {
        let talk = &self.tables.talk;
        let case = talk.cases.read(target).await?;
        let Some(case) = case.filter(|case| case.state.is_undecided()) else {
            return Ok(None);
        };
        let before = talk.reports.read(target, case.id, reporter).await?;
        Ok(before.map(|report| report.id))
    }

    /// Says that somebody cannot register or sign in; nobody needs to be signed in for it.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn report_access(&self, origin: &Origin, new: &AccessProblem) -> Result<(), NotDone> {
        let (contact, words) = (subject(&new.contact)?, reason(&new.words)?);
        let target = Target::Access(derived_id("access", new.request));
        if self.tables.talk.cases.read(target).await?.is_some() {
            return Ok(());
        }
        let who = format!("access {}", origin.network());
        let hour = hour_of(self.clock.now_micros());
        if !self
            .count_once(&who, hour, MOST_PROBLEMS_IN_AN_HOUR)
            .await?
        {
            return Err(TalkRefusal::TooManyReports.into());
        }
        let about = match contact.is_empty() {
            true => words,
            false => format!("{contact}\n{words}"),
        };
        self.open_case(target, 0, &about).await?;
        Ok(())
    }

    /// Opens the case of something, unless it is open; the case.
    pub(crate) async fn open_case(
        &self,
        target: Target,
        score: i64,
        about: &str,
    ) -> Result<Case, Error> {
        let cases = &self.tables.talk.cases;
        for _ in 0..self.settings.attempts {
            let seen = cases.read(target).await?;
            match seen {
                Some(case) if case.state.is_undecided() => return Ok(case),
                Some(case) if case.state == CaseState::Decided => {
                    // What follows from the last one comes first.
                    self.settle_case(target).await?;
                    continue;
                }
                _ => {}
            }
            let case = Case::new(target, self.ids.time_uuid(), score, about);
            let id = case.id;
            cases.write_open(OpenCase { id, target }).await?;
            match &seen {
                None => cases.insert(&case).await?,
                Some(closed) => cases.change(closed, &case).await?,
            };
            match cases.read(target).await? {
                Some(case) if case.id == id => return Ok(case),
                _ => cases.delete_open(OpenCase { id, target }).await?,
            }
        }
        Err(busy("the case changed too often meanwhile"))
    }

    /// Whose doing a thing is, if it is somebody's.
    pub(crate) async fn doer_of(&self, target: Target) -> Result<Option<UserId>, NotDone> {
        match target {
            Target::Policy(policy) => {
                let standing = self.standing(policy).await?;
                if !standing.is_some_and(|it| it.state.is_visible()) {
                    return Err(TalkRefusal::NoSuchTarget.into());
                }
                let page = self.tables.pages.read(policy).await?;
                Ok(page.map(|page| page.owner))
            }
            Target::Comment(policy, comment) => {
                let found = self.tables.talk.comments.read(policy, comment).await?;
                let found = found.ok_or(TalkRefusal::NoSuchTarget)?;
                match found.removal {
                    Some(_) => Err(TalkRefusal::CommentRemoved.into()),
                    None => Ok(Some(found.author)),
                }
            }
            Target::User(user) => match self.tables.users.read(user).await? {
                Some(_) => Ok(Some(user)),
                None => Err(TalkRefusal::NoSuchTarget.into()),
            },
            Target::Tag(tag) => match self.tables.tags.read(TagId(tag)).await? {
                Some(_) => Ok(None),
                None => Err(TalkRefusal::NoSuchTarget.into()),
            },
            Target::Access(_) | Target::Account(_) => Err(TalkRefusal::NoSuchTarget.into()),
        }
    }

    /// Does what follows from the reports of something. Any number of times.
    pub(crate) async fn follow_reports(&self, target: Target) -> Result<(), Error> {
        self.settle_case(target).await?;
        let Target::User(user) = target else {
            return Ok(());
        };
        let talk = &self.tables.talk;
        let Some(case) = talk.cases.read(target).await? else {
            return Ok(());
        };
        // That somebody is said to have two accounts is a sign among others.
        for report in talk.reports.of_case(target, case.id).await? {
            if report.reason == ReportReason::Duplicate {
                let (kind, about) = (SignalKind::Reported, report.reporter.to_string());
                self.record_signal(user, &Signal { kind, about }).await?;
            }
        }
        Ok(())
    }

    /// Counts that somebody does something, unless it was done as often as it may since the hour;
    /// whether it was not.
    pub(crate) async fn count_once(&self, who: &str, hour: i64, most: i32) -> Result<bool, Error> {
        let rates = &self.tables.talk.rates;
        for _ in 0..self.settings.attempts {
            let seen = rates.read(who, hour).await?;
            if seen.unwrap_or(0) >= most {
                return Ok(false);
            }
            if rates.raise(who, hour, seen).await? {
                return Ok(true);
            }
        }
        Err(busy("too much was asked at once"))
    }
}
