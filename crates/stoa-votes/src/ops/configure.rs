//! What the community decides about votes as money, and what holds.

use stoa_session::{Error, Outcome};

use super::claim::busy;
use crate::model::{By, ConfigRefusal, NotDone, PrivacyMode, Role, VotingConfig};
use crate::rules::decisions;
use crate::tables::moderation::LogEntry;
use crate::tables::money::Decided;
use crate::votes::Votes;

/// What holds, for everybody to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VotingRules {
    /// What holds today.
    pub today: VotingConfig,
    /// What was decided for later, the earliest first.
    pub coming: Vec<VotingConfig>,
    /// What is shown of who votes for what.
    pub privacy: PrivacyMode,
}

impl Votes {
    /// What holds, and what was decided for later.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn voting_rules(&self) -> Result<VotingRules, Error> {
        let (history, today) = (self.tables.money.config().await?, self.today());
        let coming = history.all().iter().filter(|it| it.from > today);
        Ok(VotingRules {
            today: history.on(today),
            coming: coming.copied().collect(),
            privacy: self.privacy().await?.mode,
        })
    }

    /// Decides what holds from a day on. Only admins may. It is dated in the future, begins with a
    /// period, and is never changed; asking again does no harm.
    ///
    /// # Errors
    /// A refusal, or that the outcome is unknown.
    pub async fn decide_config(&self, by: By, config: &VotingConfig) -> Result<(), NotDone> {
        self.demand(by, Role::Admin).await?;
        let money = &self.tables.money;
        for _ in 0..self.settings.attempts {
            let history = money.config().await?;
            let mut known = history.all().iter();
            if let Some(there) = known.find(|it| it.from == config.from) {
                return match there == config {
                    // Whoever decided it may not have come to write it down.
                    true => Ok(self.log_decision(config).await?),
                    false => Err(ConfigRefusal::AlreadyDecided.into()),
                };
            }
            decisions::check(config, &history, self.clock.now_micros())?;
            let decided = Decided {
                by: by.id(),
                act: self.ids.time_uuid(),
            };
            match money.decide_config(config, Some(decided)).await {
                Err(error) if error.outcome() != Outcome::Unknown => return Err(error.into()),
                // Whatever became of it is read.
                _ => {}
            }
        }
        Err(busy("what holds was decided too often meanwhile").into())
    }

    async fn log_decision(&self, config: &VotingConfig) -> Result<(), Error> {
        let Some(decided) = self.tables.money.decided(config.from).await? else {
            return Ok(());
        };
        let what = told(config);
        let entry = LogEntry {
            id: decided.act,
            moderator: decided.by,
            action: "decide_config".to_owned(),
            target: config.from.to_string(),
            reason: what,
        };
        self.tables.moderation.write(&entry).await
    }
}

/// A decision in words.
fn told(config: &VotingConfig) -> String {
    let VotingConfig {
        from: _,
        period: _,
        salary,
        creation_cost,
        penalty_percent,
        most_unspent,
        only_present,
        window_days,
    } = config;
    let mut what = format!(
        "{salary} votes a period, a policy costs {creation_cost}, \
         {penalty_percent} percent of what is withdrawn is lost, \
         rankings look back {window_days} days"
    );
    if let Some(most) = most_unspent {
        what.push_str(&format!(", nobody is paid beyond {most} unspent votes"));
    }
    if *only_present {
        what.push_str(", a period is paid to those who are there during it");
    }
    what
}
