//! Comments as nested lists, page by page, with what may be done to each, and the form to add one.

use std::collections::BTreeMap;

use maud::{Markup, html};
use stoa_votes::model::{Comment, CommentId, CommentState, Mark, PolicyId, Score, Target};
use stoa_votes::ops::page::ShownPage;
use stoa_votes::ops::read_comments::{ThreadPage, ThreadedComment};
use stoa_votes::rules::comments::check_edit;
use stoa_votes::rules::threads::{ThreadCursor, ThreadOrder};
use uuid::Uuid;

use super::{Names, report};
use crate::error::Failure;
use crate::layout;
use crate::links;
use crate::markdown;
use crate::pages::desk::tools;
use crate::parts::forms::{self, Field, Mistakes};
use crate::visit::{Frame, Visit};

/// Threads of a page.
const MOST_THREADS: usize = 20;

/// What the comments of a page have in common.
pub(super) struct Talk<'a> {
    pub(super) shown: &'a ShownPage,
    pub(super) names: &'a Names,
    /// What the viewer thinks of comments that anybody thinks something of.
    pub(super) marks: BTreeMap<CommentId, Mark>,
}

/// The comments of a policy, as the address asks for them.
pub(super) async fn section(
    visit: &Visit,
    shown: &ShownPage,
    names: &mut Names,
    count: i64,
) -> Result<Markup, Failure> {
    let policy = shown.page.policy;
    let threads = read(visit, policy).await?;
    let authors = threads.comments.iter().map(|it| it.comment.author);
    names.read(visit, authors.collect()).await?;
    let linked = visit.votes().linked_discussions(policy).await?;
    let marks = marks(visit, policy, &threads.comments).await?;
    let talk = Talk {
        shown,
        names,
        marks,
    };
    let texts = &visit.texts.policy;
    let page = links::policy(policy, &shown.page.title);
    let is_part = !visit.query.get("thread").is_empty();
    Ok(html! {
        section.sec aria-labelledby="comments" {
            div.row.apart.base {
                h2 #comments { ((texts.comments)(count)) }
                a.small href=(links::of_policy(policy, "feed.atom")) { (visit.texts.browse.feed) }
                @if threads.comments.len() > 1 && !is_part { (ordering(visit, &page)) }
            }
            @if is_part { p { a href={ (page) "#comments" } { (visit.texts.acts.all_threads) } } }
            (nested(visit, &talk, &threads))
            (further(visit, &page, &threads))
            @for it in linked.iter().filter(|it| it.comments > 0) {
                p.small { a href={ (links::policy(it.policy, "")) "#comments" } { ((visit.texts.acts.linked_comments)(it.comments)) } }
            }
            @if visit.viewer.as_ref().is_some_and(|it| it.member.is_some()) {
                (form(visit, policy, None, "", &Mistakes::default()))
            }
        }
    })
}

fn order(visit: &Visit) -> ThreadOrder {
    match visit.query.get("sort") {
        "newest" => ThreadOrder::Newest,
        "oldest" => ThreadOrder::Oldest,
        _ => ThreadOrder::Best,
    }
}

/// A page of threads, or the rest of one that is longer than a page.
async fn read(visit: &Visit, policy: PolicyId) -> Result<ThreadPage, Failure> {
    let comment = |name| Uuid::try_parse(visit.query.get(name)).ok().map(CommentId);
    let votes = visit.votes();
    Ok(match (comment("thread"), comment("past")) {
        (Some(root), Some(past)) => {
            let rest = votes.rest_of_thread(policy, order(visit), root, past);
            rest.await?
        }
        _ => {
            let threads = votes.comment_threads(policy, order(visit), after(visit), MOST_THREADS);
            threads.await?
        }
    })
}

/// What the viewer thinks of comments; only those are looked up that have a score.
async fn marks(
    visit: &Visit,
    policy: PolicyId,
    comments: &[ThreadedComment],
) -> Result<BTreeMap<CommentId, Mark>, Failure> {
    let Some(viewer) = &visit.viewer else {
        return Ok(BTreeMap::new());
    };
    let scored = comments.iter().filter(|it| it.score != Score::default());
    let scored: Vec<CommentId> = scored.map(|it| it.comment.id).collect();
    let own = visit.votes().own_marks(viewer.id(), policy, &scored).await;
    Ok(own?)
}

fn ordering(visit: &Visit, page: &str) -> Markup {
    let texts = &visit.texts.policy;
    let sort = visit.query.get("sort");
    html! {
        form.row.small method="get" action={ (page) "#comments" } {
            label for="sort" { (texts.order) } " "
            select.in.sm.auto #sort name="sort" {
                @for (value, text) in [("best", texts.best), ("newest", texts.newest), ("oldest", texts.oldest)] {
                    option value=(value) selected[value == sort] { (text) }
                }
            } " "
            button.btn.sm { (texts.show) }
        }
    }
}

/// Where the comments go on.
fn further(visit: &Visit, page: &str, threads: &ThreadPage) -> Markup {
    let texts = &visit.texts.policy;
    let sort = visit.query.get("sort");
    let last = threads.comments.last().map(|it| it.comment.id.to_string());
    let root = threads.comments.iter().rev().find(|it| it.level == 0);
    let root = root.map(|it| it.comment.id.to_string());
    // The rest of a thread has no root in it: that stands in the address.
    let root = match visit.query.get("thread") {
        "" => root,
        thread => Some(thread.to_owned()),
    };
    html! {
        @if let (true, Some(root), Some(last)) = (threads.left_out > 0, &root, &last) {
            nav.pager aria-label=(visit.texts.acts.rest_of_thread) {
                a.btn href={ (links::with_fields(page, [("sort", sort), ("thread", root), ("past", last)])) "#comments" } {
                    ((visit.texts.acts.left_out)(threads.left_out))
                }
            }
        }
        @if let Some(next) = threads.next {
            nav.pager aria-label=(texts.more_threads) {
                @let merit = next.merit.to_string();
                @let root = next.root.to_string();
                a.btn href={ (links::with_fields(page, [("sort", sort), ("merit", &merit), ("root", &root)])) "#comments" } {
                    (texts.more_threads)
                }
            }
        }
    }
}

fn after(visit: &Visit) -> Option<ThreadCursor> {
    let root = Uuid::try_parse(visit.query.get("root")).ok()?;
    let merit = visit.query.number("merit").unwrap_or(0);
    Some(ThreadCursor {
        merit,
        root: CommentId(root),
    })
}

/// Comments come in reading order, each with its level: lists are opened and closed as it changes.
fn nested(visit: &Visit, talk: &Talk<'_>, threads: &ThreadPage) -> Markup {
    let mut html = String::new();
    let mut level: Option<usize> = None;
    for (at, it) in threads.comments.iter().enumerate() {
        match level {
            None => html.push_str("<ul class=\"thread\">"),
            Some(last) if it.level > last => html.push_str("<ul>"),
            Some(last) => {
                html.push_str("</li>");
                for _ in it.level..last {
                    html.push_str("</ul></li>");
                }
            }
        }
        // A step down is one list, however deep it says it is.
        level = Some(level.map_or(0, |last| it.level.min(last + 1)));
        html.push_str(&format!("<li id=\"c-{}\">", it.comment.id));
        let skip = skip_to(threads, at);
        html.push_str(&one(visit, talk, it, skip).into_string());
    }
    if let Some(last) = level {
        html.push_str("</li>");
        for _ in 0..last {
            html.push_str("</ul></li>");
        }
        html.push_str("</ul>");
    }
    maud::PreEscaped(html)
}

/// The thread after one that has answers; none of what is no beginning of a thread.
fn skip_to(threads: &ThreadPage, at: usize) -> Option<CommentId> {
    let (it, rest) = threads.comments.get(at..)?.split_first()?;
    let has_answers = rest.first().is_some_and(|next| next.level > 0);
    let next = rest.iter().find(|next| next.level == 0)?;
    (it.level == 0 && has_answers).then_some(next.comment.id)
}

/// A comment, or what stands in its place.
pub(super) fn one(
    frame: &Frame,
    talk: &Talk<'_>,
    it: &ThreadedComment,
    skip: Option<CommentId>,
) -> Markup {
    let texts = &frame.texts.policy;
    let comment = &it.comment;
    html! {
        article {
            @if comment.state != CommentState::Shown {
                p.gone { (removed(frame, comment)) }
            } @else if !comment.is_readable() {
                p.gone { (texts.comment_hidden) }
            } @else {
                @let author = talk.names.of(frame, comment.author);
                div.meta {
                    b { (talk.names.link(frame, comment.author)) }
                    @if talk.shown.page.is_owned_by(comment.author) { span.badge.is-info { (texts.owner) } }
                    span { (frame.texts.format.moment(comment.id.made_at_micros())) }
                    @if comment.is_edited() {
                        span { a href={ (links::comment(comment.policy, comment.id)) "?history=1#history" } { (texts.edited) } }
                    }
                }
                @if !comment.subject.is_empty() { p { b { (comment.subject) } } }
                div { (markdown::html(&comment.body)) }
                (acts(frame, talk, it, author, skip))
            }
        }
    }
}

/// What stands for a comment that was removed: a moderator says why.
fn removed(frame: &Frame, comment: &Comment) -> Markup {
    let acts = &frame.texts.acts;
    let by_moderator = comment
        .removal
        .as_ref()
        .filter(|it| it.by != comment.author && !it.reason.is_empty());
    html! {
        @match by_moderator {
            Some(removal) => { ((acts.removed_by_moderator)(&removal.reason)) " " a href="/log" { (acts.public_log) } },
            None => (frame.texts.policy.removed),
        }
    }
}

/// What may be done to a comment.
fn acts(
    frame: &Frame,
    talk: &Talk<'_>,
    it: &ThreadedComment,
    author: &str,
    skip: Option<CommentId>,
) -> Markup {
    let (texts, acts) = (&frame.texts.policy, &frame.texts.acts);
    let comment = &it.comment;
    let address = links::comment(comment.policy, comment.id);
    let viewer = frame.viewer.as_ref().filter(|it| it.member.is_some());
    let is_own = viewer.is_some_and(|viewer| viewer.id() == comment.author);
    let is_editable = is_own && check_edit(comment, comment.author, frame.now_micros()).is_ok();
    html! {
        div.acts {
            a href=(address) aria-label={ (texts.reply) ": @" (author) } { (texts.reply) } " "
            a href={ "#c-" (comment.id) } { (texts.permalink) } " "
            (tools::of_comment(frame, &address, author))
            @if is_editable { a href={ (address) "/edit" } { (acts.edit) } " " }
            @if is_own { a href={ (address) "/remove" } { (acts.remove) } " " }
            @else { a href=(report::address(Target::Comment(comment.policy, comment.id))) aria-label=((acts.report_comment)(author)) { (acts.report) } " " }
            @if let Some(next) = skip { a href={ "#c-" (next) } { (acts.skip_thread) } " " }
            @if viewer.is_some() && !is_own { (marking(frame, talk, it, author)) }
            @else if it.score.up > 0 { span { ((acts.helped)(it.score.up)) } }
        }
    }
}

/// Whether it helps: a second press takes the mark back.
fn marking(frame: &Frame, talk: &Talk<'_>, it: &ThreadedComment, author: &str) -> Markup {
    let acts = &frame.texts.acts;
    let address = links::comment(it.comment.policy, it.comment.id);
    let own = talk.marks.get(&it.comment.id).copied();
    let choices = [
        (
            Mark::Up,
            "up",
            acts.helpful,
            it.score.up,
            (acts.helpful_label)(author),
        ),
        (
            Mark::Down,
            "down",
            acts.unhelpful,
            it.score.down,
            (acts.unhelpful_label)(author),
        ),
    ];
    forms::form(
        frame,
        &format!("{address}/mark"),
        &html! {
            (forms::hidden("then", &layout::here(frame)))
            @for (mark, value, text, count, label) in &choices {
                @let is_pressed = own == Some(*mark);
                button.btn.sm name="mark" value=(if is_pressed { "none" } else { value })
                    aria-pressed=(if is_pressed { "true" } else { "false" }) aria-label={ (label) ", " (count) } {
                    (text) @if *count > 0 { " " (count) }
                } " "
            }
        },
    )
}

/// The form of a new comment.
pub(super) fn form(
    visit: &Visit,
    policy: PolicyId,
    answers: Option<CommentId>,
    body: &str,
    mistakes: &Mistakes,
) -> Markup {
    let texts = &visit.texts.policy;
    let name = visit.viewer.as_ref().map_or("", |it| it.user.name.as_str());
    let hint = (texts.comment_hint)(name);
    html! {
        form.gap-t method="post" action=(links::of_policy(policy, "comments")) {
            (forms::token(visit))
            (forms::hidden("request", &visit.new_request().to_string()))
            @if let Some(answers) = answers { (forms::hidden("answers", &answers.to_string())) }
            (forms::area(Field { name: "body", label: texts.add_comment, hint: &hint, value: body, ..Field::default() }, 4, mistakes))
            button.btn.go { (texts.post_comment) }
        }
    }
}
