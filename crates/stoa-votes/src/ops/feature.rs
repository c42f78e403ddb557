//! The front page: which policies are on it, in which order, from when until when.

use stoa_session::Error;
use uuid::Uuid;

use crate::model::{By, NotDone, PageRefusal, PolicyId, PolicyState, Role, UserId};
use crate::rules::front_page::{
    Featured, FeaturedBy, MOST_FEATURED, check_front_page, featured_on, put_by,
};
use crate::votes::Votes;

impl Votes {
    /// What is on the front page on which days, and its last change.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn front_page(&self) -> Result<(Vec<Featured>, Option<Uuid>), NotDone> {
        let (entries, last) = self.front_page_by().await?;
        Ok((plain(&entries), last))
    }

    /// The same, and who put each of it there.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn front_page_by(&self) -> Result<(Vec<FeaturedBy>, Option<Uuid>), NotDone> {
        let (entries, last) = self.tables.front_page.read().await?;
        Ok((entries, last.map(|(change, _)| change)))
    }

    /// What is on the front page today: what was chosen and can be read, or where that is nothing,
    /// what rises. In place of what was merged is what it was merged into.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn featured(&self) -> Result<Vec<PolicyId>, NotDone> {
        let (entries, _) = self.tables.front_page.read().await?;
        let mut featured = Vec::new();
        for policy in featured_on(&plain(&entries), self.today()) {
            let root = self.root(policy).await?;
            if self.can_be_featured(root).await? && !featured.contains(&root) {
                featured.push(root);
            }
        }
        if !featured.is_empty() {
            return Ok(featured);
        }
        let rising = self.board().await?.rising_first(MOST_FEATURED);
        Ok(rising.iter().map(|it| it.line.policy()).collect())
    }

    async fn can_be_featured(&self, root: PolicyId) -> Result<bool, NotDone> {
        let state = self.standing(root).await?.map(|it| it.state);
        if state != Some(PolicyState::Active) {
            return Ok(false);
        }
        let page = self.tables.pages.read(root).await?;
        Ok(page.is_some_and(|page| !page.is_hidden))
    }

    /// Puts policies on the front page in place of those that were seen there. It takes the role
    /// of featuring policies.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn feature(
        &self,
        by: By,
        seen: Option<Uuid>,
        entries: &[Featured],
    ) -> Result<(), NotDone> {
        self.demand(by, Role::FeaturePolicies).await?;
        check_front_page(entries)?;
        let table = &self.tables.front_page;
        let (there, last) = table.read().await?;
        let before = plain(&there);
        for entry in entries.iter().filter(|entry| !before.contains(entry)) {
            let root = self.root(entry.policy).await?;
            if !self.can_be_featured(root).await? {
                return Err(PageRefusal::NotShown(entry.policy).into());
            }
        }
        // What was done before is in the log before something else takes its place.
        self.log_featured(&before, last).await?;
        let own = (self.ids.time_uuid(), by.id());
        let entries_by = put_by(by.id(), entries, &there);
        let put = table.put(&entries_by, seen, own).await;
        if matches!(put, Ok(true)) {
            return Ok(self.log_featured(entries, Some(own)).await?);
        }
        let (there, last) = table.read().await?;
        self.log_featured(&plain(&there), last).await?;
        match put {
            Err(_) if last == Some(own) => Ok(()),
            Err(error) => Err(error.into()),
            Ok(_) => Err(PageRefusal::Changed.into()),
        }
    }

    async fn log_featured(
        &self,
        entries: &[Featured],
        last: Option<(Uuid, UserId)>,
    ) -> Result<(), Error> {
        let Some(act) = last else {
            return Ok(());
        };
        let policies = entries.iter().map(|entry| entry.policy.to_string());
        let policies: Vec<String> = policies.collect();
        self.log_act(act, "feature", "front page", &policies.join(" "))
            .await
    }
}

/// What is there, whoever put it there.
fn plain(entries: &[FeaturedBy]) -> Vec<Featured> {
    entries.iter().map(|it| it.featured).collect()
}
