//! Pages: reading them, beginning them, and what every change of one has in common.

use std::collections::BTreeSet;

use stoa_session::{Error, Outcome};
use uuid::Uuid;

use super::claim::busy;
use super::submit::Request;
use crate::model::{
    By, Happening, HappeningKind, LastRank, NewPage, NotDone, Page, PageAct, PageAction,
    PageRefusal, PolicyId, PolicyState, Role, Standing, Target, TextVersion, UserId,
};
use crate::tables::changes::Changed;
use crate::tables::moderation::LogEntry;
use crate::tables::pages::{Owners, PageChange};
use crate::votes::Votes;

/// How many versions of a text are shown at once.
const MOST_SHOWN: i32 = 100;

/// A policy, as its page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownPage {
    /// The page.
    pub page: Page,
    /// Where the policy stands.
    pub standing: Standing,
    /// The text that holds; none once it was erased, or where nobody shall read it.
    pub text: Option<TextVersion>,
    /// Where it stood last, if it was closed.
    pub last_rank: Option<LastRank>,
    /// What was merged into it.
    pub merged_from: Vec<MergedFrom>,
}

/// Something that was merged into a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergedFrom {
    /// What.
    pub policy: PolicyId,
    /// When the merge began, in microseconds since 1970.
    pub at_micros: i64,
    /// The moderator who merged it.
    pub by: UserId,
}

impl ShownPage {
    /// Whether everybody may read it.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.standing.state.is_readable() && !self.page.is_hidden
    }

    fn without_text(mut self) -> Self {
        self.page.title.clear();
        self.text = None;
        self
    }
}

impl Votes {
    /// The page of a policy, as everybody sees it. Of one that is hidden or was taken away there is
    /// neither title nor text; how it ended is told at once.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn page(&self, policy: PolicyId) -> Result<ShownPage, NotDone> {
        let shown = self.whole_page(policy).await?;
        Ok(match shown.is_readable() {
            true => shown,
            false => shown.without_text(),
        })
    }

    /// The page of a policy, as somebody sees it: owners see what is hidden, and moderators also
    /// what was taken away, until it is erased; that they read it is in the audit log.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn page_for(&self, viewer: By, policy: PolicyId) -> Result<ShownPage, NotDone> {
        let shown = self.whole_page(policy).await?;
        Ok(match self.may_read(viewer, &shown).await? {
            true => shown,
            false => shown.without_text(),
        })
    }

    async fn whole_page(&self, policy: PolicyId) -> Result<ShownPage, NotDone> {
        let no_such = PageRefusal::NoSuchPolicy(policy);
        let standing = self.standing(policy).await?;
        let standing = standing.filter(|it| it.state.is_visible()).ok_or(no_such)?;
        let page = self.tables.pages.read(policy).await?.ok_or(no_such)?;
        let text = self.tables.pages.text(policy, page.text_version).await?;
        let last_rank = match standing.state {
            PolicyState::Retired | PolicyState::Withdrawn => self.last_rank(&page).await?,
            _ => None,
        };
        let merged_from = self.merged_from(policy, &standing).await?;
        Ok(ShownPage {
            page,
            standing,
            text,
            last_rank,
            merged_from,
        })
    }

    /// What was merged into a policy. The target of a merge is made when that begins, by its
    /// moderator, and for nothing else.
    async fn merged_from(
        &self,
        policy: PolicyId,
        standing: &Standing,
    ) -> Result<Vec<MergedFrom>, Error> {
        let mut merged = Vec::new();
        if standing.merged_from.is_empty() {
            return Ok(merged);
        }
        let by = self.tables.policies.maker(policy).await?;
        for source in &standing.merged_from {
            // It may have ended before it could be merged.
            let points_to = self.standing(*source).await?.and_then(|it| it.merged_to);
            if points_to == Some(policy) {
                merged.push(MergedFrom {
                    policy: *source,
                    at_micros: policy.made_at_micros(),
                    by: by.unwrap_or(UserId(Uuid::nil())),
                });
            }
        }
        Ok(merged)
    }

    async fn may_read(&self, viewer: By, shown: &ShownPage) -> Result<bool, NotDone> {
        if shown.is_readable() {
            return Ok(true);
        }
        if let By::User(user) = viewer
            && shown.standing.state.is_readable()
            && shown.page.is_owned_by(user)
        {
            return Ok(true);
        }
        for role in [Role::EditPolicies, Role::HandleReports] {
            match self.demand(viewer, role).await {
                Ok(()) => {
                    let what = Target::Policy(shown.page.policy).to_string();
                    self.note_reading(viewer, "read_policy", &what).await?;
                    return Ok(true);
                }
                Err(NotDone::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// The versions of the text of a policy, the last first, as everybody sees them: none of one
    /// that is hidden or was taken away.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn versions(&self, policy: PolicyId) -> Result<Vec<TextVersion>, NotDone> {
        match self.page(policy).await?.is_readable() {
            true => Ok(self.tables.pages.texts(policy, MOST_SHOWN).await?),
            false => Ok(Vec::new()),
        }
    }

    /// The versions of the text of a policy, the last first, as somebody sees them, like the page.
    ///
    /// # Errors
    /// A refusal, or those of the session.
    pub async fn versions_for(
        &self,
        viewer: By,
        policy: PolicyId,
    ) -> Result<Vec<TextVersion>, NotDone> {
        let shown = self.whole_page(policy).await?;
        match self.may_read(viewer, &shown).await? {
            true => Ok(self.tables.pages.texts(policy, MOST_SHOWN).await?),
            false => Ok(Vec::new()),
        }
    }

    /// Writes the page of a policy that is being created. Nobody sees it before the policy.
    pub(crate) async fn begin_page(
        &self,
        policy: PolicyId,
        new: &NewPage,
        request: &Request,
    ) -> Result<(), Error> {
        let owners = Owners {
            owner: request.actor,
            co_owners: BTreeSet::new(),
        };
        let first = TextVersion {
            version: 1,
            text: new.text.clone(),
            author: request.actor,
            at: policy.0,
            request: request.id,
            note: String::new(),
        };
        // Whether it was there already makes no difference: the identifier is new.
        let pages = &self.tables.pages;
        pages.begin(policy, new, &owners, &first).await.map(|_| ())
    }

    /// Takes away the page of a policy that never came to be.
    pub(crate) async fn forget_page(&self, policy: PolicyId) -> Result<(), Error> {
        for _ in 0..self.settings.attempts {
            match self.tables.pages.settle(policy).await? {
                None => return Ok(()),
                Some(page) => self.tables.pages.forget(&page).await?,
            };
        }
        Err(busy("the page was changed too often meanwhile"))
    }

    /// The page of a policy that still takes votes; no change of it stays undecided.
    pub(crate) async fn open_page(&self, policy: PolicyId) -> Result<Page, NotDone> {
        match self.standing(policy).await?.map(|it| it.state) {
            Some(PolicyState::Active) => {}
            Some(state) if state.is_visible() => return Err(PageRefusal::Closed(policy).into()),
            _ => return Err(PageRefusal::NoSuchPolicy(policy).into()),
        }
        self.settled_page(policy).await
    }

    /// The page of a policy; no change of it stays undecided.
    pub(crate) async fn settled_page(&self, policy: PolicyId) -> Result<Page, NotDone> {
        let page = self.tables.pages.settle(policy).await?;
        page.ok_or_else(|| PageRefusal::NoSuchPolicy(policy).into())
    }

    /// Refuses whoever neither owns a page nor edits those of others.
    pub(crate) async fn demand_page(&self, by: UserId, page: &Page) -> Result<(), NotDone> {
        if !page.is_owned_by(by) {
            return self.demand(By::User(by), Role::EditPolicies).await;
        }
        self.account(by).await.map(|_| ())
    }

    /// Changes a page, whatever else of it changes meanwhile; the page as it is then.
    pub(crate) async fn change_page(
        &self,
        policy: PolicyId,
        to: PageChange<'_>,
    ) -> Result<Page, NotDone> {
        let change = self.ids.time_uuid();
        for _ in 0..self.settings.attempts {
            let page = self.settled_page(policy).await?;
            if to.is_there(&page) {
                self.note_changed(policy, Changed::Rest).await?;
                return Ok(page);
            }
            match self.tables.pages.change(&page, &to, change, None).await {
                Ok(_) => {}
                Err(error) if error.outcome() == Outcome::Unknown => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(busy("the page was changed too often meanwhile").into())
    }

    /// Changes a page as a moderator does, and writes that into the public log; nothing, where
    /// nothing changes. What was done before is in the log by then, whoever did it.
    pub(crate) async fn moderate_page(
        &self,
        policy: PolicyId,
        to: PageChange<'_>,
        (by, action, reason): (By, PageAction, &str),
    ) -> Result<(), NotDone> {
        for _ in 0..self.settings.attempts {
            let page = self.settled_page(policy).await?;
            self.publish_act(&page).await?;
            if to.is_there(&page) {
                self.note_changed(policy, Changed::Rest).await?;
                return Ok(());
            }
            // Each attempt has an identifier of its own: others may have acted in between.
            let act = self.page_act(by.id(), action, reason);
            let pages = &self.tables.pages;
            match pages.change(&page, &to, act.id, Some(&act)).await {
                Err(error) if error.outcome() != Outcome::Unknown => return Err(error.into()),
                _ => {}
            }
        }
        Err(busy("the page was changed too often meanwhile").into())
    }

    /// Something that a moderator does now.
    pub(crate) fn page_act(&self, by: UserId, action: PageAction, reason: &str) -> PageAct {
        PageAct {
            id: self.ids.time_uuid(),
            by,
            action,
            reason: reason.to_owned(),
        }
    }

    /// Tells what a moderator did to a page last, and writes it into the public log. Any number of
    /// times.
    pub(crate) async fn publish_act(&self, page: &Page) -> Result<(), Error> {
        let Some(act) = &page.act else {
            return Ok(());
        };
        let (policy, who) = (page.policy, (act.id, act.by));
        if let Some(kind) = act.action.told() {
            self.tell(policy, kind, who, &act.reason).await?;
        }
        let target = policy.to_string();
        self.log_act(who, act.action.name(), &target, &act.reason)
            .await
    }

    /// Writes what happened to a policy, for whoever watches it. Any number of times.
    pub(crate) async fn tell(
        &self,
        policy: PolicyId,
        kind: HappeningKind,
        (id, actor): (Uuid, UserId),
        detail: &str,
    ) -> Result<(), Error> {
        let happening = Happening {
            id,
            policy: Some(policy),
            kind,
            actor,
            about: None,
            detail: detail.to_owned(),
        };
        self.tables.happenings.write(policy, &happening).await
    }

    /// Writes what a moderator did to a policy into the public log. Any number of times.
    pub(crate) async fn log_act(
        &self,
        (id, moderator): (Uuid, UserId),
        action: &str,
        target: &str,
        reason: &str,
    ) -> Result<(), Error> {
        let entry = LogEntry {
            id,
            moderator,
            action: action.to_owned(),
            target: target.to_owned(),
            reason: reason.to_owned(),
        };
        self.tables.moderation.write(&entry).await
    }
}
