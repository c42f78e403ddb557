//! What the public ledger shows: reading it, choosing it, and fixing it with the first closed day.

use stoa_session::{Error, ErrorKind};

use crate::model::{By, LedgerRefusal, NotDone, PrivacyMode, Role};
use crate::tables::ledger::LedgerSettings;
use crate::votes::Votes;

/// What the public ledger shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Privacy {
    /// What is shown.
    pub mode: PrivacyMode,
    /// Whether that is for ever.
    pub is_locked: bool,
}

impl Votes {
    /// What the public ledger shows.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn privacy(&self) -> Result<Privacy, Error> {
        let settings = self.tables.ledger.settings().await?;
        Ok(settings.map_or(
            Privacy {
                mode: PrivacyMode::DEFAULT,
                is_locked: false,
            },
            |settings| Privacy {
                mode: settings.mode,
                is_locked: settings.is_locked,
            },
        ))
    }

    /// Chooses what the public ledger shows. Only admins may, before the first day is closed.
    /// Asking again for what holds does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn choose_privacy(&self, by: By, mode: PrivacyMode) -> Result<(), NotDone> {
        self.demand(by, Role::Admin).await?;
        let ledger = &self.tables.ledger;
        let seen = ledger.settings().await?;
        // What was chosen before is in the log before something else takes its place.
        self.log_privacy(seen.as_ref()).await?;
        let own = (self.ids.time_uuid(), by.id());
        let tried = match &seen {
            None => ledger.begin(mode, self.secret().reveal(), Some(own)).await,
            Some(seen) if seen.mode == mode => return Ok(()),
            Some(seen) => ledger.choose(seen, mode, own).await,
        };
        // Whatever the answer was, what holds now is what counts.
        let now = ledger.settings().await?;
        self.log_privacy(now.as_ref()).await?;
        match (now, tried) {
            (Some(now), _) if now.mode == mode => Ok(()),
            (Some(now), _) if now.is_locked => Err(LedgerRefusal::PrivacyLocked.into()),
            (_, Err(error)) => Err(error.into()),
            (_, Ok(_)) => Err(unsettled().into()),
        }
    }

    /// Writes into the public log who chose what the ledger shows. Any number of times.
    async fn log_privacy(&self, settings: Option<&LedgerSettings>) -> Result<(), Error> {
        let Some((settings, act)) = settings.and_then(|it| Some((it, it.chosen?))) else {
            return Ok(());
        };
        let (target, mode) = ("public ledger", settings.mode.name());
        self.log_act(act, "choose_privacy", target, mode).await
    }

    /// What the ledger shows, for ever from now on.
    pub(crate) async fn locked_ledger(&self) -> Result<LedgerSettings, Error> {
        let ledger = &self.tables.ledger;
        let mut tried = Ok(false);
        match ledger.settings().await? {
            Some(settings) if settings.is_locked => return Ok(settings),
            Some(_) => {}
            None => {
                let secret = self.secret();
                let mode = PrivacyMode::DEFAULT;
                tried = ledger.begin(mode, secret.reveal(), None).await;
            }
        }
        if tried.is_ok() {
            tried = ledger.lock().await;
        }
        match (ledger.settings().await?, tried) {
            (Some(settings), _) if settings.is_locked => Ok(settings),
            (_, Err(error)) => Err(error),
            (_, Ok(_)) => Err(unsettled()),
        }
    }
}

fn unsettled() -> Error {
    let what = "what the public ledger shows is being changed";
    Error::not_applied(ErrorKind::Unavailable, what)
}
