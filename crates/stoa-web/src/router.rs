//! Every route on one page, each with who may use it. There is no other way to add one.
//!
//! `reads` and `serves` are GET, `changes` is POST. A path is `/noun` for lists and `/noun/{id}` for
//! one of them; what belongs to a policy stands under `/policies/{policy}/-/`, so that no title can
//! be taken for it.

use stoa_votes::model::Role;

use crate::pages::account::{
    confirm_address, first_admin, forgot, help, own, register, reset, sign_in, sign_out, verify,
};
use crate::pages::admin;
use crate::pages::browse::{categories, category, parties, party, person, tag, tags, whats_new};
use crate::pages::desk;
use crate::pages::front::{home, ranking, search};
use crate::pages::own::{export, leave, notifications, sessions, settings, watchlist};
use crate::pages::record::{ledger, ledger_day, ledger_whole, log, rules};
use crate::pages::site::{health, live, look};
use crate::pages::{feeds, policy, votes};
use crate::route::Access::{Admin, Anyone, Member, Roles, SignedIn};
use crate::route::{Route, changes, reads, serves};
use crate::static_files;

/// The table: every part of it.
#[must_use]
pub fn routes() -> Vec<Route> {
    [
        visitors(),
        browse(),
        record(),
        feeds(),
        policies(),
        own_votes(),
        members(),
        accounts(),
        desk_pages(),
        moderation(),
        administration(),
        site(),
    ]
    .concat()
}

/// Where people come in.
#[rustfmt::skip]
fn visitors() -> Vec<Route> {
    vec![
        reads("/", Anyone, home::show),
        reads("/ranking", Anyone, ranking::show),
        reads("/search", Anyone, search::show),
    ]
}

/// Other ways to policies and people.
#[rustfmt::skip]
fn browse() -> Vec<Route> {
    vec![
        reads("/whats-new", Anyone, whats_new::show),
        reads("/tags", Anyone, tags::show),
        reads("/tags/{tag}", Anyone, tag::show),
        reads("/categories", Anyone, categories::show),
        reads("/categories/{category}", Anyone, category::show),
        reads("/parties", Anyone, parties::show),
        reads("/parties/{party}", Anyone, party::show),
        reads("/users/{name}", Anyone, person::show),
    ]
}

/// What everybody may check.
#[rustfmt::skip]
fn record() -> Vec<Route> {
    vec![
        reads("/rules", Anyone, rules::show),
        reads("/log", Anyone, log::show),
        reads("/ledger", Anyone, ledger::show),
        reads("/ledger/ledger.jsonl", Anyone, ledger_whole::show),
        reads("/ledger/{day}", Anyone, ledger_day::show),
    ]
}

/// What programs ask for again and again.
#[rustfmt::skip]
fn feeds() -> Vec<Route> {
    vec![
        reads("/feed.atom", Anyone, feeds::news::show),
        reads("/ranking.atom", Anyone, feeds::ranking::show),
        reads("/whats-new.atom", Anyone, feeds::comments::show),
        reads("/tags/{tag}/feed.atom", Anyone, feeds::tag::show),
        reads("/categories/{category}/feed.atom", Anyone, feeds::category::show),
        reads("/parties/{party}/feed.atom", Anyone, feeds::party::show),
        reads("/policies/{policy}/-/feed.atom", Anyone, feeds::policy::show),
    ]
}

/// A policy.
#[rustfmt::skip]
fn policies() -> Vec<Route> {
    vec![
        reads("/create", Member, policy::create::show),
        changes("/create", Member, policy::create::submit),
        reads("/policies/{policy}", Anyone, policy::shown::bare),
        reads("/policies/{policy}/{slug}", Anyone, policy::shown::show),
        reads("/policies/{policy}/-/versions", Anyone, policy::versions::show),
        changes("/policies/{policy}/-/votes", Member, policy::vote::submit),
        changes("/policies/{policy}/-/watch", Member, policy::watch::submit),
        changes("/policies/{policy}/-/comments", Member, policy::comment::submit),
        reads("/policies/{policy}/-/comments/{comment}", Anyone, policy::comment::show),
        reads("/policies/{policy}/-/comments/{comment}/edit", Member, policy::comment_own::edit),
        changes("/policies/{policy}/-/comments/{comment}/edit", Member, policy::comment_own::submit_edit),
        reads("/policies/{policy}/-/comments/{comment}/remove", Member, policy::comment_own::remove),
        changes("/policies/{policy}/-/comments/{comment}/remove", Member, policy::comment_own::submit_remove),
        changes("/policies/{policy}/-/comments/{comment}/mark", Member, policy::comment_own::mark),
        reads("/policies/{policy}/-/edit", Member, policy::edit::show),
        changes("/policies/{policy}/-/edit", Member, policy::edit::submit),
        reads("/policies/{policy}/-/tags", Member, policy::tags::show),
        changes("/policies/{policy}/-/tags", Member, policy::tags::submit),
        reads("/policies/{policy}/-/withdraw", Member, policy::withdraw::show),
        changes("/policies/{policy}/-/withdraw", Member, policy::withdraw::submit),
        reads("/policies/{policy}/-/consent", Member, policy::consent::show),
        changes("/policies/{policy}/-/consent", Member, policy::consent::submit),
        reads("/policies/{policy}/-/report", Member, policy::report::of_policy),
        reads("/report", Member, policy::report::show),
        changes("/report", Member, policy::report::submit),
    ]
}

/// One's own votes.
#[rustfmt::skip]
fn own_votes() -> Vec<Route> {
    vec![
        reads("/votes", Member, votes::own::show),
        changes("/votes", Member, votes::own::submit),
        changes("/votes/undo", Member, votes::undo::submit),
        reads("/votes/receipts/{seq}", Member, votes::receipt::show),
        reads("/votes/statement", Member, votes::statement::show),
        reads("/votes/statement.csv", Member, votes::statement::csv),
        reads("/votes/statement.json", Member, votes::statement::json),
    ]
}

/// What members have for themselves.
#[rustfmt::skip]
fn members() -> Vec<Route> {
    vec![
        reads("/watchlist", Member, watchlist::show),
        changes("/watchlist", Member, watchlist::submit),
        reads("/notifications", Member, notifications::show),
        changes("/notifications", Member, notifications::submit),
        reads("/settings", Member, settings::show),
        changes("/settings", Member, settings::submit),
        reads("/settings/sessions", SignedIn, sessions::show),
        changes("/settings/sessions", SignedIn, sessions::submit),
        reads("/settings/export", SignedIn, export::show),
        reads("/settings/export/data", SignedIn, export::data),
        reads("/settings/leave", SignedIn, leave::show),
        changes("/settings/leave", SignedIn, leave::submit),
    ]
}

/// Accounts.
#[rustfmt::skip]
fn accounts() -> Vec<Route> {
    vec![
        reads("/register", Anyone, register::show),
        changes("/register", Anyone, register::submit),
        reads("/verify-email", Anyone, verify::show),
        changes("/verify-email", Anyone, verify::submit),
        reads("/confirm-address", Anyone, confirm_address::show),
        changes("/confirm-address", Anyone, confirm_address::submit),
        reads("/sign-in", Anyone, sign_in::show),
        changes("/sign-in", Anyone, sign_in::submit),
        changes("/sign-out", Anyone, sign_out::submit),
        reads("/forgot", Anyone, forgot::show),
        changes("/forgot", Anyone, forgot::submit),
        reads("/reset-password", Anyone, reset::show),
        changes("/reset-password", Anyone, reset::submit),
        reads("/help", Anyone, help::show),
        changes("/help", Anyone, help::submit),
        reads("/account", SignedIn, own::show),
        changes("/account/confirm", SignedIn, verify::send_again),
        reads("/first-admin", Anyone, first_admin::show),
        changes("/first-admin", Anyone, first_admin::submit),
    ]
}

/// The desk of moderators.
#[rustfmt::skip]
fn desk_pages() -> Vec<Route> {
    vec![
        reads("/desk", Roles(desk::STAFF), desk::overview::show),
        reads("/desk/cases", Roles(desk::JUDGES), desk::queue::show),
        reads("/desk/cases/{case}", Roles(desk::JUDGES), desk::case::show),
        changes("/desk/cases/{case}", Roles(desk::JUDGES), desk::case::submit),
        reads("/desk/merges", Roles(desk::MERGERS), desk::merges::show),
        reads("/desk/merges/new", Roles(desk::MERGERS), desk::new_merge::show),
        changes("/desk/merges/new", Roles(desk::MERGERS), desk::new_merge::submit),
        reads("/desk/merges/{proposal}", Roles(desk::MERGERS), desk::merge::show),
        changes("/desk/merges/{proposal}", Roles(desk::MERGERS), desk::merge::withdraw),
        reads("/desk/tags", Roles(desk::TAGGERS), desk::tags::show),
        changes("/desk/tags", Roles(desk::TAGGERS), desk::tags::submit),
        reads("/desk/tags/{tag}", Roles(desk::TAGGERS), desk::tag::show),
        changes("/desk/tags/{tag}", Roles(desk::TAGGERS), desk::tag::submit),
        reads("/desk/users", Roles(desk::EXAMINERS), desk::users::show),
        reads("/desk/users/{user}", Roles(desk::EXAMINERS), desk::user::show),
        changes("/desk/users/{user}", Roles(desk::ENDERS), desk::user::submit),
        reads("/desk/signals", Roles(desk::EXAMINERS), desk::signals::show),
    ]
}

/// What moderators do to policies and comments.
#[rustfmt::skip]
fn moderation() -> Vec<Route> {
    vec![
        reads("/policies/{policy}/-/hide", Roles(desk::HIDERS), desk::visibility::show),
        changes("/policies/{policy}/-/hide", Roles(desk::HIDERS), desk::visibility::submit),
        reads("/policies/{policy}/-/retire", Roles(desk::EDITORS), desk::retire::show),
        changes("/policies/{policy}/-/retire", Roles(desk::EDITORS), desk::retire::submit),
        reads("/policies/{policy}/-/delete", Roles(desk::EDITORS), desk::take_away::show),
        changes("/policies/{policy}/-/delete", Roles(desk::EDITORS), desk::take_away::submit),
        reads("/policies/{policy}/-/category", Roles(desk::EDITORS), desk::place::show),
        changes("/policies/{policy}/-/category", Roles(desk::EDITORS), desk::place::submit),
        reads("/policies/{policy}/-/official", Roles(desk::SPEAKERS), desk::official::show),
        changes("/policies/{policy}/-/official", Roles(desk::SPEAKERS), desk::official::submit),
        reads("/policies/{policy}/-/comments/{comment}/moderate", Roles(desk::JUDGES), desk::comment::show),
        changes("/policies/{policy}/-/comments/{comment}/moderate", Roles(desk::JUDGES), desk::comment::submit),
    ]
}

/// Administration.
#[rustfmt::skip]
fn administration() -> Vec<Route> {
    vec![
        reads("/admin", Admin, admin::overview::show),
        reads("/admin/rules", Admin, admin::rules::show),
        changes("/admin/rules", Admin, admin::rules::submit),
        changes("/admin/rules/privacy", Admin, admin::privacy::submit),
        reads("/admin/categories", Admin, admin::categories::show),
        changes("/admin/categories", Admin, admin::categories::add),
        reads("/admin/categories/{category}", Admin, admin::categories::edit),
        changes("/admin/categories/{category}", Admin, admin::categories::submit),
        reads("/admin/parties", Admin, admin::parties::show),
        changes("/admin/parties", Admin, admin::parties::add),
        reads("/admin/parties/{party}", Admin, admin::parties::edit),
        changes("/admin/parties/{party}", Admin, admin::parties::submit),
        reads("/admin/featured", Roles(&[Role::FeaturePolicies]), admin::featured::show),
        changes("/admin/featured", Roles(&[Role::FeaturePolicies]), admin::featured::submit),
        reads("/admin/roles", Admin, admin::roles::show),
        changes("/admin/roles", Admin, admin::roles::grant),
        changes("/admin/roles/revoke", Admin, admin::roles::revoke),
        reads("/admin/outbox", Admin, admin::outbox::show),
        changes("/admin/outbox/{day}/{mail}", Admin, admin::outbox::open),
        reads("/admin/tasks", Admin, admin::tasks::show),
        changes("/admin/tasks", Admin, admin::tasks::run),
        reads("/admin/instances", Admin, admin::instances::show),
        reads("/admin/log", Admin, admin::log::show),
        reads("/admin/audit", Admin, admin::audit::show),
        reads("/admin/acts", Admin, admin::acts::show),
    ]
}

/// The look, and what machines ask.
#[rustfmt::skip]
fn site() -> Vec<Route> {
    vec![
        changes("/settings/look", Anyone, look::change),
        serves("/static/{version}/{name}", static_files::show),
        serves("/live/totals", live::totals),
        serves("/healthz", health::healthz),
        serves("/metrics", health::metrics),
    ]
}
