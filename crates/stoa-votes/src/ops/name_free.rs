//! Whether a name can be had, for whoever is about to register. Names are public, so this tells
//! nothing that a page does not.

use crate::model::NotDone;
use crate::rules::claims::ClaimKind;
use crate::rules::names::Name;
use crate::votes::Votes;

impl Votes {
    /// Whether nobody has a name, nor one that looks like it. Somebody may take it right after.
    ///
    /// # Errors
    /// That it is no name, or those of the session.
    pub async fn is_name_free(&self, name: &str) -> Result<bool, NotDone> {
        let name = Name::of(name)?;
        let claim = self
            .tables
            .claims
            .of(ClaimKind::Name)
            .read(&name.key)
            .await?;
        let now = self.clock.now_micros();
        Ok(claim.is_none_or(|claim| !claim.is_held(now)))
    }
}
