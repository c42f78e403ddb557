//! English: the desk of moderators.

mod acts;
mod cases;
mod merges;
mod tags;
mod users;

use crate::texts::desk::DeskTexts;

pub(super) const TEXTS: DeskTexts = DeskTexts {
    cases: cases::TEXTS,
    merges: merges::TEXTS,
    tags: tags::TEXTS,
    users: users::TEXTS,
    acts: acts::TEXTS,
    title: "Moderators’ desk",
    overview: "Overview",
    reports: |count| match count {
        0 => "Reports".to_owned(),
        _ => format!("Reports ({count})"),
    },
    merges_way: "Merges",
    tags_way: "Tags",
    members: "Members",
    signals: "Signals",
    log: "Public log",
    desk_waiting: |count| match count {
        1 => "one case waits".to_owned(),
        _ => format!("{count} cases wait"),
    },
    all_cases: "All reports",
    nothing_waits: "Nothing waits",
    nothing_waits_more: "Every report has been decided. New ones appear here, and by mail once an hour.",
    proposed_merges: "Merges under way",
    no_merges: "No owner is being asked about a merge.",
    new_merge: "Propose a merge",
    unanswered: "Leading, and not answered yet",
    unanswered_more: "The first ten of the ranking that have no official response.",
    all_answered: "The first ten of the ranking all have an official response.",
    respond: |title| format!("Respond to {title}"),
    respond_short: "Respond",
    suspected: "Accounts to look at",
    none_suspected: "No signs of second accounts are strong enough to look at.",
    reason: "Reason",
    reason_hint: "Everybody can read it in the public log.",
    done: "Done. The public log has it.",
    somebody: "the operator",
    sure_needed: "Tick the box first: this cannot be undone",
    cancel: "Cancel",
    go_on: "Go on",
    actions: "Moderation",
};
