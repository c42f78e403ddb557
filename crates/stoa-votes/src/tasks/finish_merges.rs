//! Finishing merges that someone began and did not end.

use stoa_session::Error;

use super::failures::Failures;
use crate::votes::Votes;

impl Votes {
    /// Finishes every merge under way.
    ///
    /// # Errors
    /// Those of the session; what was not done is done by the next run.
    pub async fn finish_merges(&self) -> Result<(), Error> {
        let mut failures = Failures::default();
        for merge in self.tables.merges.all().await? {
            failures.part(self.finish_merge(&merge).await)?;
        }
        failures.end()
    }
}
