//! A comment before moderators: all that it says and said, and removing it with a reason.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Comment, CommentState};
use stoa_votes::tables::talk::comment_versions::CommentVersion;

use super::{about, by, reason};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout;
use crate::links;
use crate::markdown;
use crate::pages::policy::{Names, title};
use crate::parts::forms::{self, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/comments/{comment}/moderate`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, "", &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/comments/{comment}/moderate`
pub async fn submit(visit: Visit) -> Outcome {
    let (policy, comment) = (visit.policy()?, visit.comment()?);
    let why = visit.form.get("reason");
    let removed = visit
        .votes()
        .remove_comment(by(&visit)?, policy, comment, why);
    match removed.await {
        Ok(()) => Ok(Answer::see(&links::comment(policy, comment))),
        Err(not_done) => {
            let field = |code: &str| match code {
                "reason_empty" | "reason_too_long" | "reason_bad_character" | "comment_removed" => {
                    "reason"
                }
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, why, &mistakes).await?.with_status(422))
        }
    }
}

async fn page(visit: &Visit, why: &str, mistakes: &Mistakes) -> Outcome {
    let (policy, comment) = (visit.policy()?, visit.comment()?);
    let votes = visit.votes();
    let (found, earlier) = votes
        .comment_for_moderators(by(visit)?, policy, comment)
        .await?;
    let mut names = Names::default();
    names.read(visit, vec![found.author]).await?;
    let author = names.of(visit, found.author);
    let board = votes.board().await?;
    let of = title(visit, &board, policy).await?;
    let texts = &visit.texts.desk.acts;
    let heading = (texts.comment_title)(author);
    let main = html! {
        div.narrow {
            p.meta { a href=(links::policy(policy, &of)) { (of) } }
            h1 { (heading) }
            (mistakes.summary(visit))
            (whole(visit, &found, &earlier, &names))
            @if found.state == CommentState::Shown {
                section.sec aria-labelledby="h-remove" {
                    h2 #h-remove { (texts.remove_comment) }
                    p { (texts.remove_more) }
                    form method="post" action={ (links::comment(policy, comment)) "/moderate" } novalidate {
                        (forms::token(visit))
                        (reason(visit, "reason", why, mistakes))
                        p.row {
                            button.btn.is-bad { ((texts.remove_button)(author)) } " "
                            a.btn href=(links::comment(policy, comment)) { (visit.texts.desk.cancel) }
                        }
                    }
                }
            }
        }
    };
    Ok(layout::page(visit, about(&heading), main))
}

/// All that a comment says, and said before.
pub(super) fn whole(
    visit: &Visit,
    comment: &Comment,
    earlier: &[CommentVersion],
    names: &Names,
) -> Markup {
    let (texts, format) = (&visit.texts.desk.cases, &visit.texts.format);
    let at = |id| format.moment(time_uuid::unix_micros(id).unwrap_or(0));
    html! {
        div.meta {
            b { "@" (names.of(visit, comment.author)) }
            span { (format.moment(comment.id.made_at_micros())) }
        }
        @if comment.state != CommentState::Shown { p.note { (texts.removed_already) } }
        @if !comment.subject.is_empty() { p { b { (comment.subject) } } }
        @if comment.body.is_empty() { p.muted { (texts.text_gone) } }
        @else { blockquote.quote { (markdown::html(&comment.body)) } }
        @if !earlier.is_empty() {
            details {
                summary { ((texts.earlier_texts)(earlier.len())) }
                @for text in earlier {
                    p.small.muted { (at(&text.version)) }
                    blockquote.quote { (markdown::html(&text.body)) }
                }
            }
        }
    }
}
