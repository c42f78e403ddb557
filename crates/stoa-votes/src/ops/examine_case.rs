//! Looking at cases: one with everything that was ever reported about its thing, and how many wait.

use std::collections::BTreeMap;

use stoa_session::Error;
use stoa_types::time_uuid;

use crate::model::{By, Case, NotDone, Report, TalkRefusal, Target, TargetKind};
use crate::votes::Votes;

/// A case, with everything that was reported about its thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExaminedCase {
    /// The case: the last one of the thing, decided or not.
    pub case: Case,
    /// The reports that belong to it, the first first.
    pub reports: Vec<Report>,
    /// Those of cases before, the first first.
    pub earlier: Vec<Report>,
}

impl Votes {
    /// The last case of something, for those who may judge it.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn examine_case(&self, by: By, target: Target) -> Result<ExaminedCase, NotDone> {
        self.demand_for(by, target).await?;
        let talk = &self.tables.talk;
        let case = talk.cases.read(target).await?;
        let case = case.ok_or(TalkRefusal::NoSuchCase)?;
        let mut reports = talk.reports.of_case(target, case.id).await?;
        let mut earlier = talk.reports.list(target).await?;
        earlier.retain(|it| it.case != case.id);
        for some in [&mut reports, &mut earlier] {
            some.sort_by(|one, other| time_uuid::compare(&one.id, &other.id));
        }
        Ok(ExaminedCase {
            case,
            reports,
            earlier,
        })
    }

    /// How many cases of each kind wait, as the list of open ones has it: it is read without the
    /// cases, so it may count one that was closed a moment ago.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn waiting_cases(&self) -> Result<BTreeMap<TargetKind, usize>, Error> {
        let mut waiting = BTreeMap::new();
        for (kind, _) in TargetKind::NAMES {
            let open = self.tables.talk.cases.list_open(kind).await?;
            if !open.is_empty() {
                waiting.insert(kind, open.len());
            }
        }
        Ok(waiting)
    }
}
