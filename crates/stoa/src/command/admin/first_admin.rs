//! `stoa admin first-admin`: somebody becomes the admin of a community that has none. After that,
//! admins make others.

use anyhow::{Context as _, Result, bail};
use clap::Args;
use stoa_types::{Ids as _, SystemClock, SystemIds};
use stoa_votes::Votes;
use stoa_votes::model::{By, Day, NotDone, RequestId, Role, UserId, UserState};
use stoa_votes::ops::register::Registration;
use stoa_votes::rules::secrets::Secret;

use super::{Common, name_of, write_done};

#[derive(Args)]
#[command(
    long_about = "Make somebody the first admin of a community that has none.\n\nThe account must be there, or is made with \
        --email: then a link is printed by which its owner chooses a password. While `stoa serve` runs on an embedded \
        folder, use the link that it printed when it started.",
    after_help = "Examples:\n  \
        stoa admin first-admin ada --data town\n  \
        stoa admin first-admin ada --email ada@example.org --site https://votes.example.org --data town"
)]
pub(super) struct Arguments {
    /// The name of the account, or its address
    account: String,
    /// Make the account, with this address
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    /// The address that people use, for the link that is printed
    #[arg(long, value_name = "URL", requires = "email")]
    site: Option<String>,
    #[command(flatten)]
    pub(super) common: Common,
}

pub(super) async fn run(votes: &Votes, arguments: &Arguments) -> Result<()> {
    if let Some(admin) = votes.grants(Role::Admin).await?.first() {
        let name = name_of(votes, admin.user).await?;
        bail!("{name} is an admin already; make others with: stoa admin roles grant NAME admin");
    }
    let user = match &arguments.email {
        None => known(votes, &arguments.account).await?,
        Some(email) => made(votes, &arguments.account, email).await?,
    };
    votes.grant_role(By::Operator, user, Role::Admin).await?;
    let name = name_of(votes, user).await?;
    let Some(email) = &arguments.email else {
        return write_done(&arguments.common, &format!("{name} is the first admin"));
    };
    votes.request_reset(email, request()).await?;
    let token = mailed(votes, "reset_password", email).await?;
    let token = token.context("no link for a new password was made; ask for one at /forgot")?;
    let site = arguments.site.as_deref().unwrap_or_default();
    let site = site.trim_end_matches('/');
    let told = format!(
        "{name} is the first admin; choose a password at {site}/reset-password?token={token}"
    );
    write_done(&arguments.common, &told)
}

/// An account that is there. Its address counts as confirmed: there may be nothing that sends mail.
async fn known(votes: &Votes, account: &str) -> Result<UserId> {
    let found = votes.find_account(By::Operator, account).await;
    let found = match found {
        Err(NotDone::Refused(_)) => {
            bail!("nobody has the name or address {account:?}; --email ADDRESS makes the account")
        }
        other => other?,
    };
    if found.state == UserState::Unverified {
        votes.request_verification(found.user, request()).await?;
        confirm(votes, &found.email).await?;
    }
    Ok(found.user)
}

/// A new account, with a password that nobody knows.
async fn made(votes: &Votes, name: &str, email: &str) -> Result<UserId> {
    let ids = SystemIds::new();
    let password = Secret::of_random([(); 4].map(|()| ids.random_u64()));
    let registration = Registration {
        request: request(),
        name: name.to_owned(),
        email: email.to_owned(),
        password: password.reveal().to_owned(),
        origin: None,
    };
    let user = votes.register(&registration).await?;
    confirm(votes, email).await?;
    Ok(user)
}

async fn confirm(votes: &Votes, email: &str) -> Result<()> {
    let token = mailed(votes, "verify_email", email).await?;
    let token = token.context("no link to confirm the address was made; try again in an hour")?;
    votes
        .verify_email(&Secret::shown(&token), request())
        .await?;
    Ok(())
}

/// The secret of the last mail of a kind to an address, of today or yesterday.
async fn mailed(votes: &Votes, kind: &str, email: &str) -> Result<Option<String>> {
    let today = Day::of_micros(stoa_types::Clock::now_micros(&SystemClock::new()));
    let mut last = None;
    for day in today.previous().through(today) {
        let mails = votes.tables().outbox.pending(day).await?.into_iter();
        let is_it = |it: &stoa_votes::tables::outbox::Mail| {
            it.kind == kind && it.recipient.eq_ignore_ascii_case(email)
        };
        last = mails
            .filter(is_it)
            .max_by_key(|it| it.created_micros)
            .or(last);
    }
    Ok(last.and_then(|mut mail| mail.fields.remove("token")))
}

fn request() -> RequestId {
    RequestId(SystemIds::new().uuid())
}
