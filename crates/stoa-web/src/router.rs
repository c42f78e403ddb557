//! Every route on one page, each with who may use it. There is no other way to add one.
//!
//! `reads` and `serves` are GET, `changes` is POST. A path is `/noun` for lists and `/noun/{id}` for
//! one of them; what belongs to a policy stands under `/policies/{policy}/-/`, so that no title can
//! be taken for it.

use crate::pages::account::{
    first_admin, forgot, help, own, register, reset, sign_in, sign_out, verify,
};
use crate::pages::front::{home, ranking, search};
use crate::pages::site::{health, look};
use crate::pages::{policy, votes};
use crate::route::Access::{Anyone, Member, SignedIn};
use crate::route::{Route, changes, reads, serves};
use crate::static_files;

/// The table.
#[must_use]
#[rustfmt::skip]
pub fn routes() -> Vec<Route> {
    vec![
        // Where people come in.
        reads("/", Anyone, home::show),
        reads("/ranking", Anyone, ranking::show),

        reads("/search", Anyone, search::show),

        // A policy.
        reads("/create", Member, policy::create::show),
        changes("/create", Member, policy::create::submit),
        reads("/policies/{policy}", Anyone, policy::shown::bare),
        reads("/policies/{policy}/{slug}", Anyone, policy::shown::show),
        reads("/policies/{policy}/-/versions", Anyone, policy::versions::show),
        changes("/policies/{policy}/-/votes", Member, policy::vote::submit),
        changes("/policies/{policy}/-/watch", Member, policy::watch::submit),
        changes("/policies/{policy}/-/comments", Member, policy::comment::submit),
        reads("/policies/{policy}/-/comments/{comment}", Anyone, policy::comment::show),

        // One's own votes.
        reads("/votes", Member, votes::own::show),
        changes("/votes", Member, votes::own::submit),
        changes("/votes/undo", Member, votes::undo::submit),
        reads("/votes/receipts/{seq}", Member, votes::receipt::show),

        // Accounts.
        reads("/register", Anyone, register::show),
        changes("/register", Anyone, register::submit),
        reads("/verify-email", Anyone, verify::show),
        changes("/verify-email", Anyone, verify::submit),
        reads("/sign-in", Anyone, sign_in::show),
        changes("/sign-in", Anyone, sign_in::submit),
        changes("/sign-out", Anyone, sign_out::submit),
        reads("/forgot", Anyone, forgot::show),
        changes("/forgot", Anyone, forgot::submit),
        reads("/reset-password", Anyone, reset::show),
        changes("/reset-password", Anyone, reset::submit),
        reads("/help", Anyone, help::show),
        reads("/account", SignedIn, own::show),
        changes("/account/confirm", SignedIn, verify::send_again),
        reads("/first-admin", Anyone, first_admin::show),
        changes("/first-admin", Anyone, first_admin::submit),

        // The look, and what machines ask.
        changes("/settings/look", Anyone, look::change),
        serves("/static/{version}/{name}", static_files::show),
        serves("/healthz", health::healthz),
        serves("/metrics", health::metrics),
    ]
}
