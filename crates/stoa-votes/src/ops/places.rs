//! Categories and parties, and sorting policies into them.

use stoa_session::Outcome;
use uuid::Uuid;

use super::claim::busy;
use crate::model::{By, Category, NotDone, PageAction, PageRefusal, Party, PolicyId, Role};
use crate::rules::page_text::{check_key, checked_about, checked_name};
use crate::tables::pages::PageChange;
use crate::tables::places::{Place, PlaceChange};
use crate::votes::Votes;

impl Votes {
    /// The categories, in their order.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn categories(&self) -> Result<Vec<Category>, NotDone> {
        let known = self.tables.places.categories().await?;
        let mut categories: Vec<Category> = known.into_iter().map(|(it, _)| it).collect();
        categories
            .sort_by(|one, other| (one.position, &one.name).cmp(&(other.position, &other.name)));
        Ok(categories)
    }

    /// Adds a category or changes it. Only admins may.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn put_category(&self, by: By, category: &Category) -> Result<(), NotDone> {
        self.demand(by, Role::Admin).await?;
        check_key(&category.key)?;
        let category = Category {
            name: checked_name(&category.name)?,
            description: checked_about(&category.description)?,
            ..category.clone()
        };
        self.put_place(by, &Place::Category(category)).await
    }

    /// The parties, by name.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn parties(&self) -> Result<Vec<Party>, NotDone> {
        let known = self.tables.places.parties().await?;
        let mut parties: Vec<Party> = known.into_iter().map(|(it, _)| it).collect();
        parties.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(parties)
    }

    /// Adds a party or changes it. Only admins may.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn put_party(&self, by: By, party: &Party) -> Result<(), NotDone> {
        self.demand(by, Role::Admin).await?;
        let party = Party {
            name: checked_name(&party.name)?,
            description: checked_about(&party.description)?,
            ..party.clone()
        };
        self.put_place(by, &Place::Party(party)).await
    }

    /// Adds a category or a party or changes it, unless it is so already. What was done before is
    /// in the public log by then, whoever did it.
    async fn put_place(&self, by: By, place: &Place) -> Result<(), NotDone> {
        let places = &self.tables.places;
        for _ in 0..self.settings.attempts {
            let known = places.find(place).await?;
            if let Some((there, last)) = &known {
                let (action, target, name) = there.described();
                self.log_act((last.id, last.by), action, &target, name)
                    .await?;
                if there == place {
                    return Ok(());
                }
            }
            let change = PlaceChange {
                id: self.ids.time_uuid(),
                by: by.id(),
            };
            let seen = known.map(|(_, last)| last.id);
            match places.put(place, seen, change).await {
                Err(error) if error.outcome() != Outcome::Unknown => return Err(error.into()),
                _ => {}
            }
        }
        Err(busy("categories and parties were changed too often meanwhile").into())
    }

    /// Refuses a place that no policy can be in.
    pub(crate) async fn check_place(
        &self,
        category: &str,
        party: Option<Uuid>,
    ) -> Result<(), NotDone> {
        let mut categories = self.categories().await?.into_iter();
        if !categories.any(|it| it.key == category && it.is_active) {
            return Err(PageRefusal::NoSuchCategory.into());
        }
        let Some(party) = party else {
            return Ok(());
        };
        let mut parties = self.parties().await?.into_iter();
        match parties.any(|it| it.party == party && it.is_active) {
            true => Ok(()),
            false => Err(PageRefusal::NoSuchParty.into()),
        }
    }

    /// Sorts a policy into a category and behind a party. It takes the role of editing policies.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn place_policy(
        &self,
        by: By,
        policy: PolicyId,
        category: &str,
        party: Option<Uuid>,
    ) -> Result<(), NotDone> {
        self.demand(by, Role::EditPolicies).await?;
        self.check_place(category, party).await?;
        self.open_page(policy).await?;
        let place = PageChange::Place { category, party };
        let act = (by, PageAction::Place, category);
        self.moderate_page(policy, place, act).await
    }
}
