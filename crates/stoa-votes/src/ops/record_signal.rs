//! Recording signs that an account is the second one of somebody. Enough of them open one case, and
//! people decide.

use stoa_session::Error;

use super::sign_in::Origin;
use crate::model::{Target, User, UserId, UserState};
use crate::rules::names::Email;
use crate::rules::signals::{CASE_SCORE, Signal, SignalKind, score};
use crate::tables::origins::OriginOf;
use crate::votes::Votes;

/// Others from the same place who are looked at: many homes share a network, and more of one kind
/// of sign would not count.
const MOST_OTHERS: i32 = 8;

impl Votes {
    /// Records a sign, opens a case if that is enough and there is none, and answers the score. Of an
    /// account that has ended nothing is recorded.
    ///
    /// # Errors
    /// Those of the session; recording it again does no harm.
    pub async fn record_signal(&self, user: UserId, signal: &Signal) -> Result<i64, Error> {
        let at_micros = self.clock.now_micros();
        self.record_signal_at(user, signal, at_micros).await
    }

    /// Records a sign that was seen at a moment.
    pub(crate) async fn record_signal_at(
        &self,
        user: UserId,
        signal: &Signal,
        at_micros: i64,
    ) -> Result<i64, Error> {
        let known = self.tables.users.read(user).await?;
        if known.is_some_and(|known| known.state.has_ended()) {
            return Ok(0);
        }
        let signals = &self.tables.signals;
        signals.write(user, signal, at_micros).await?;
        let score = score(&signals.list(user).await?);
        let target = Target::Account(user);
        // Once people have decided, more signs do not ask them again.
        if score >= CASE_SCORE && self.tables.talk.cases.read(target).await?.is_none() {
            self.open_case(target, score, "").await?;
        }
        Ok(score)
    }

    /// Records what a registration tells. The write times follow from the account, so doing it again
    /// changes nothing.
    pub(crate) async fn note_registration(
        &self,
        user: &User,
        email: &Email,
        origin: Option<&Origin>,
    ) -> Result<(), Error> {
        let at = user.created_micros;
        self.tables.origins.write_joined(user.id, at).await?;
        if email.is_disposable() {
            let signal = Signal {
                kind: SignalKind::DisposableEmail,
                about: email.domain().to_owned(),
            };
            self.record_signal_at(user.id, &signal, at).await?;
        }
        let Some(origin) = origin else {
            return Ok(());
        };
        let mut places = vec![(SignalKind::SameNetwork, origin.network())];
        // Who says nothing of a browser has none in common with others.
        if !origin.agent.is_empty() {
            places.push((SignalKind::SameAgent, origin.agent_digest()));
        }
        for (kind, origin) in places {
            self.note_origin(user, kind, origin).await?;
        }
        Ok(())
    }

    async fn note_origin(
        &self,
        user: &User,
        kind: SignalKind,
        origin: String,
    ) -> Result<(), Error> {
        let origins = &self.tables.origins;
        let others = origins.users(kind, &origin, MOST_OTHERS).await?;
        let created_micros = user.created_micros;
        let own = OriginOf {
            kind,
            origin,
            user: user.id,
            created_micros,
        };
        origins.write(&own).await?;
        for other in others.into_iter().filter(|other| *other != user.id) {
            if self.is_there(other).await? {
                let about = other.to_string();
                let signal = Signal { kind, about };
                self.record_signal_at(user.id, &signal, created_micros)
                    .await?;
            }
        }
        Ok(())
    }

    /// Whether an account has joined and has not ended, nor was given up.
    async fn is_there(&self, user: UserId) -> Result<bool, Error> {
        let user = self.tables.users.read(user).await?;
        Ok(
            user.is_some_and(|user| {
                matches!(user.state, UserState::Unverified | UserState::Active)
            }),
        )
    }
}
