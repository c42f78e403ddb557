//! Comments as nested lists, page by page, and the form to add one.

use maud::{Markup, html};
use stoa_votes::model::{CommentId, CommentState, PolicyId};
use stoa_votes::ops::page::ShownPage;
use stoa_votes::ops::read_comments::{ThreadPage, ThreadedComment};
use stoa_votes::rules::threads::{ThreadCursor, ThreadOrder};
use uuid::Uuid;

use super::Names;
use crate::error::Failure;
use crate::links;
use crate::markdown;
use crate::parts::forms::{self, Field, Mistakes};
use crate::visit::{Frame, Visit};

/// Threads of a page.
const MOST_THREADS: usize = 20;

/// The comments of a policy, as the address asks for them.
pub(super) async fn section(
    visit: &Visit,
    shown: &ShownPage,
    names: &mut Names,
    count: i64,
) -> Result<Markup, Failure> {
    let policy = shown.page.policy;
    let order = match visit.query.get("sort") {
        "newest" => ThreadOrder::Newest,
        "oldest" => ThreadOrder::Oldest,
        _ => ThreadOrder::Best,
    };
    let threads = visit
        .votes()
        .comment_threads(policy, order, after(visit), MOST_THREADS);
    let threads = threads.await?;
    let authors = threads
        .comments
        .iter()
        .map(|it| it.comment.author)
        .collect();
    names.read(visit, authors).await?;
    let texts = &visit.texts.policy;
    let page = links::policy(policy, &shown.page.title);
    let sort = visit.query.get("sort");
    Ok(html! {
        section.sec aria-labelledby="comments" {
            div.row.apart.base {
                h2 #comments { ((texts.comments)(count)) }
                @if threads.comments.len() > 1 {
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
            (nested(visit, shown, names, &threads))
            @if let Some(next) = threads.next {
                nav.pager aria-label=(texts.more_threads) {
                    @let merit = next.merit.to_string();
                    @let root = next.root.to_string();
                    a.btn href={ (links::with_fields(&page, [("sort", sort), ("merit", &merit), ("root", &root)])) "#comments" } {
                        (texts.more_threads)
                    }
                }
            }
            @if visit.viewer.as_ref().is_some_and(|it| it.member.is_some()) {
                (form(visit, policy, None, "", &Mistakes::default()))
            }
        }
    })
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
fn nested(visit: &Visit, shown: &ShownPage, names: &Names, threads: &ThreadPage) -> Markup {
    let mut html = String::new();
    let mut level: Option<usize> = None;
    for it in &threads.comments {
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
        html.push_str(&one(visit, shown, names, it).into_string());
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

/// A comment, or what stands in its place.
pub(super) fn one(frame: &Frame, shown: &ShownPage, names: &Names, it: &ThreadedComment) -> Markup {
    let texts = &frame.texts.policy;
    let comment = &it.comment;
    let policy = comment.policy;
    html! {
        article {
            @if comment.state != CommentState::Shown {
                p.gone { (texts.removed) }
            } @else if !comment.is_readable() {
                p.gone { (texts.comment_hidden) }
            } @else {
                div.meta {
                    b { "@" (names.of(frame, comment.author)) }
                    @if shown.page.is_owned_by(comment.author) { span.badge.is-info { (texts.owner) } }
                    span { (frame.texts.format.moment(comment.id.made_at_micros())) }
                    @if comment.is_edited() { span { (texts.edited) } }
                }
                @if !comment.subject.is_empty() { p { b { (comment.subject) } } }
                div { (markdown::html(&comment.body)) }
                div.acts {
                    a href=(links::comment(policy, comment.id)) { (texts.reply) } " "
                    a href={ "#c-" (comment.id) } { (texts.permalink) }
                }
            }
        }
    }
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
        form method="post" action=(links::of_policy(policy, "comments")) {
            (forms::token(visit))
            (forms::hidden("request", &visit.new_request().to_string()))
            @if let Some(answers) = answers { (forms::hidden("answers", &answers.to_string())) }
            (forms::area(Field { name: "body", label: texts.add_comment, hint: &hint, value: body, ..Field::default() }, 4, mistakes))
            button.btn.go { (texts.post_comment) }
        }
    }
}
