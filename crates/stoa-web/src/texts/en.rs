//! English.

mod account;
mod acts;
mod admin;
mod admin_rules;
mod admin_running;
mod browse;
mod create;
mod desk;
mod failed;
mod feeds;
mod format;
mod front;
mod layout;
mod own;
mod policy;
mod record;
mod search;
mod votes;

use super::Texts;

/// All of them.
pub static TEXTS: Texts = Texts {
    code: "en",
    name: "English",
    format: format::TEXTS,
    layout: layout::TEXTS,
    failed: failed::TEXTS,
    front: front::TEXTS,
    policy: policy::TEXTS,
    acts: acts::TEXTS,
    create: create::TEXTS,
    search: search::TEXTS,
    browse: browse::TEXTS,
    record: record::TEXTS,
    feeds: feeds::TEXTS,
    votes: votes::TEXTS,
    account: account::TEXTS,
    own: own::TEXTS,
    desk: desk::TEXTS,
    admin: admin::TEXTS,
    admin_rules: admin_rules::TEXTS,
    admin_running: admin_running::TEXTS,
};
