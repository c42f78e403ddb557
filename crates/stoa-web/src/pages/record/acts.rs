//! An entry of the moderation log in words, with links to what it is about as far as it can be read.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{CommentId, PolicyId, PrivacyMode, Role, TagId, UserId};
use stoa_votes::rules::ranking::RankingBoard;
use stoa_votes::tables::moderation::LogEntry;
use uuid::Uuid;

use super::rules::mode_name;
use crate::error::Failure;
use crate::links;
use crate::pages::browse::person::role_name;
use crate::pages::policy::{Names, Titles};
use crate::texts::Texts;
use crate::visit::Frame;

/// What an entry is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    Policy(PolicyId),
    Comment(PolicyId, CommentId),
    Tag(TagId),
    Person(UserId),
    Trouble,
    FrontPage,
    Other,
}

/// What is read for entries.
#[derive(Debug, Default)]
pub(super) struct Acts {
    names: Names,
    titles: Titles,
    tags: BTreeMap<TagId, String>,
}

impl Acts {
    /// Reads who did what is told, and what it was about.
    pub(super) async fn read(
        frame: &Frame,
        board: &RankingBoard,
        entries: &[LogEntry],
    ) -> Result<Self, Failure> {
        let mut acts = Self::default();
        let mut people: Vec<UserId> = entries.iter().map(|it| it.moderator).collect();
        people.retain(|it| !it.0.is_nil());
        for it in entries {
            let about = about(it);
            match about {
                About::Person(user) => people.push(user),
                About::Tag(tag) => acts.read_tag(frame, tag).await?,
                _ => {}
            }
            let policies = policies(it, about);
            acts.titles.read(frame, board, policies).await?;
            if it.action == "change_tags" {
                for tag in ids(&it.reason) {
                    acts.read_tag(frame, TagId(tag)).await?;
                }
            }
        }
        acts.names.read(frame, people).await?;
        Ok(acts)
    }

    async fn read_tag(&mut self, frame: &Frame, tag: TagId) -> Result<(), Failure> {
        if let Entry::Vacant(entry) = self.tags.entry(tag) {
            let found = frame.votes().tag(tag).await?;
            entry.insert(found.map_or(String::new(), |it| it.name));
        }
        Ok(())
    }

    /// One entry as a row.
    pub(super) fn row(&self, frame: &Frame, it: &LogEntry) -> Markup {
        let texts = frame.texts;
        let at = time_uuid::unix_micros(&it.id).unwrap_or(0);
        html! {
            tr role="row" {
                td.num role="cell" { (texts.format.time(at)) }
                td role="cell" {
                    @if it.moderator.0.is_nil() { (nobody(texts, it)) } @else { (self.names.link(frame, it.moderator)) }
                }
                th role="rowheader" scope="row" { (action(texts, &it.action)) }
                td role="cell" data-l=(texts.record.log_target) { (self.target(frame, it)) }
                td role="cell" data-l=(texts.record.log_why) { (self.reason(frame, it)) }
            }
        }
    }

    fn policy(&self, frame: &Frame, policy: PolicyId) -> Markup {
        let title = self.titles.of(policy);
        let shown = if title.is_empty() {
            frame.texts.record.a_policy
        } else {
            title
        };
        html! { a href=(links::policy(policy, title)) { (shown) } }
    }

    fn tag(&self, frame: &Frame, tag: TagId) -> Markup {
        html! { @match self.tags.get(&tag).filter(|name| !name.is_empty()) {
            Some(name) => a href=(links::tag_named(name)) { (name) },
            None => (frame.texts.record.a_tag),
        } }
    }

    fn target(&self, frame: &Frame, it: &LogEntry) -> Markup {
        let texts = &frame.texts.record;
        let about = about(it);
        html! { @match about {
            About::Policy(_) => @for (at, policy) in policies(it, about).into_iter().enumerate() {
                @if at > 0 { ", " }
                (self.policy(frame, policy))
            },
            About::Comment(policy, comment) => {
                a href=(links::comment(policy, comment)) { (texts.a_comment) } ": " (self.policy(frame, policy))
            },
            About::Tag(tag) => (self.tag(frame, tag)),
            About::Person(user) => (self.names.link(frame, user)),
            About::Trouble => (texts.a_sign_in),
            About::FrontPage => a href="/" { (texts.front_page) },
            About::Other if it.action == "choose_privacy" => a href="/ledger" { (texts.ledger_title) },
            About::Other if it.action == "decide_config" => a href="/rules" { (texts.rules_title) " " (it.target) },
            About::Other => (it.target),
        } }
    }

    fn reason(&self, frame: &Frame, it: &LogEntry) -> Markup {
        let texts = frame.texts;
        let role = Role::of_name(&it.reason).filter(|_| it.action.ends_with("_role"));
        let mode = PrivacyMode::of_name(&it.reason).filter(|_| it.action == "choose_privacy");
        html! { @match (it.action.as_str(), role, mode) {
            (_, Some(role), _) => (role_name(&texts.browse, role)),
            (_, _, Some(mode)) => (mode_name(&texts.record, mode)),
            ("change_tags", ..) => @for (at, tag) in ids(&it.reason).enumerate() {
                @if at > 0 { ", " }
                (self.tag(frame, TagId(tag)))
            },
            ("feature", ..) => @for (at, policy) in ids(&it.reason).enumerate() {
                @if at > 0 { ", " }
                (self.policy(frame, PolicyId(policy)))
            },
            _ => (it.reason),
        } }
    }
}

/// The identifiers in a text, as entries name several.
fn ids(text: &str) -> impl Iterator<Item = Uuid> {
    text.split_whitespace()
        .filter_map(|it| Uuid::try_parse(it).ok())
        .take(50)
}

/// What an entry is about. Reports name the kind; other acts tell it themselves.
fn about(it: &LogEntry) -> About {
    let (kind, rest) = it
        .target
        .split_once(' ')
        .unwrap_or(("", it.target.as_str()));
    let id = Uuid::try_parse(rest).ok();
    match (kind, id) {
        ("policy", Some(id)) => return About::Policy(PolicyId(id)),
        ("tag", Some(id)) => return About::Tag(TagId(id)),
        ("user" | "duplicate_account", Some(id)) => return About::Person(UserId(id)),
        ("access", Some(_)) => return About::Trouble,
        ("comment", None) => {
            let parts = rest.split_once('/');
            let parsed = parts.and_then(|(policy, comment)| {
                Some((
                    Uuid::try_parse(policy).ok()?,
                    Uuid::try_parse(comment).ok()?,
                ))
            });
            if let Some((policy, comment)) = parsed {
                return About::Comment(PolicyId(policy), CommentId(comment));
            }
        }
        _ => {}
    }
    let first = ids(&it.target).next();
    match (it.action.as_str(), first) {
        ("feature", _) => About::FrontPage,
        ("rename_tag" | "merge_tags" | "delete_tag", Some(id)) => About::Tag(TagId(id)),
        ("void_account" | "merge_accounts" | "grant_role" | "revoke_role", Some(id)) => {
            About::Person(UserId(id))
        }
        ("put_party", _) => About::Other,
        (_, Some(id)) => About::Policy(PolicyId(id)),
        _ => About::Other,
    }
}

/// The policies that an entry names.
fn policies(it: &LogEntry, about: About) -> Vec<PolicyId> {
    match about {
        About::Comment(policy, _) => vec![policy],
        About::Policy(_) => {
            let words = it.target.strip_prefix("policy ").unwrap_or(&it.target);
            ids(words).map(PolicyId).collect()
        }
        About::FrontPage => ids(&it.reason).map(PolicyId).collect(),
        _ => Vec::new(),
    }
}

/// Who did it, if no user did.
fn nobody(texts: &Texts, it: &LogEntry) -> &'static str {
    match it.action.as_str() {
        "hide_pending" => texts.record.automatic,
        _ => texts.record.operator,
    }
}

/// What was done, in words; as the log has it, if there are none.
fn action<'a>(texts: &Texts, action: &'a str) -> &'a str {
    let texts = &texts.record;
    match action {
        "hide_policy" => texts.act_hide_policy,
        "show_policy" => texts.act_show_policy,
        "place_policy" => texts.act_place_policy,
        "edit_policy" => texts.act_edit_policy,
        "redact_policy" => texts.act_redact_policy,
        "retire_policy" => texts.act_retire_policy,
        "delete_policy" => texts.act_delete_policy,
        "propose_merge" => texts.act_propose_merge,
        "merge_policies" => texts.act_merge_policies,
        "feature" => texts.act_feature,
        "choose_privacy" => texts.act_choose_privacy,
        "decide_config" => texts.act_decide_config,
        "hide_pending" => texts.act_hide_pending,
        "uphold_report" => texts.act_uphold_report,
        "reject_report" => texts.act_reject_report,
        "remove_comment" => texts.act_remove_comment,
        "change_tags" => texts.act_change_tags,
        "rename_tag" => texts.act_rename_tag,
        "merge_tags" => texts.act_merge_tags,
        "delete_tag" => texts.act_delete_tag,
        "void_account" => texts.act_void_account,
        "merge_accounts" => texts.act_merge_accounts,
        "grant_role" => texts.act_grant_role,
        "revoke_role" => texts.act_revoke_role,
        "put_category" => texts.act_put_category,
        "put_party" => texts.act_put_party,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(action: &str, target: &str) -> LogEntry {
        LogEntry {
            id: Uuid::nil(),
            moderator: UserId(Uuid::nil()),
            action: action.to_owned(),
            target: target.to_owned(),
            reason: String::new(),
        }
    }

    #[test]
    fn what_an_entry_is_about_is_told_by_its_kind_or_its_act() {
        let id = Uuid::from_u128(7);
        let text = id.to_string();
        for (action, target, expected) in [
            ("hide_policy", text.clone(), About::Policy(PolicyId(id))),
            (
                "uphold_report",
                format!("policy {id}"),
                About::Policy(PolicyId(id)),
            ),
            ("uphold_report", format!("tag {id}"), About::Tag(TagId(id))),
            ("uphold_report", format!("access {id}"), About::Trouble),
            (
                "reject_report",
                format!("user {id}"),
                About::Person(UserId(id)),
            ),
            (
                "remove_comment",
                format!("comment {id}/{id}"),
                About::Comment(PolicyId(id), CommentId(id)),
            ),
            ("rename_tag", text.clone(), About::Tag(TagId(id))),
            ("grant_role", text.clone(), About::Person(UserId(id))),
            ("put_party", text.clone(), About::Other),
            ("put_category", "health".to_owned(), About::Other),
            ("feature", "front page".to_owned(), About::FrontPage),
            ("remove_comment", "comment x/y".to_owned(), About::Other),
        ] {
            assert_eq!(
                about(&entry(action, &target)),
                expected,
                "{action} {target}"
            );
        }
        let both = entry("propose_merge", &format!("{id} {}", Uuid::from_u128(8)));
        assert_eq!(policies(&both, about(&both)).len(), 2);
    }
}
