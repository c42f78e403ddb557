//! What members have for themselves: what they watch, what they were told, how they are told, where
//! they are signed in, everything that is kept about them, and the way out.

pub mod export;
pub mod leave;
pub mod notifications;
pub mod sessions;
pub mod settings;
pub mod watchlist;

use maud::{Markup, html};

use crate::error::Failure;
use crate::layout::About;
use crate::login::limits::SIGN_IN_ACCOUNT;
use crate::visit::{Frame, Visit};

/// Which of one's own pages it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    /// Who one is.
    Account,
    /// What one was told.
    Notifications,
    /// What one watches.
    Watchlist,
    /// Names, mail, password.
    Settings,
    /// Where one is signed in.
    Sessions,
    /// What is kept of one.
    Export,
}

/// The ways between one's own pages.
pub(crate) fn tabs(frame: &Frame, here: Tab) -> Markup {
    let texts = &frame.texts.own;
    let ways = [
        (Tab::Account, "/account", frame.texts.account.account),
        (Tab::Notifications, "/notifications", texts.notifications),
        (Tab::Watchlist, "/watchlist", texts.watchlist),
        (Tab::Settings, "/settings", texts.settings),
        (Tab::Sessions, "/settings/sessions", texts.sessions),
        (Tab::Export, "/settings/export", texts.export),
    ];
    html! {
        nav.tabs aria-label=(texts.tabs) { ul { @for (tab, path, text) in ways {
            li { a href=(path) aria-current=[(tab == here).then_some("page")] { (text) } }
        } } }
    }
}

/// What the head of one of these pages says.
pub(crate) fn about(title: &str) -> About<'_> {
    About {
        title,
        ..About::default()
    }
}

/// Takes a try of whoever is signed in at telling the password.
fn limit_passwords(visit: &Visit) -> Result<(), Failure> {
    let now = visit.app.clock.monotonic();
    let user = visit.viewer()?.id().to_string();
    visit
        .app
        .limits
        .take("own password", &user, SIGN_IN_ACCOUNT, now)
}
