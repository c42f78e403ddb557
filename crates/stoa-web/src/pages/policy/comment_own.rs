//! What somebody does to comments: editing one's own for a day, removing it, and saying whether one of
//! somebody else helps.

use maud::html;
use stoa_votes::model::{Comment, CommentState, Mark, TalkRefusal};
use stoa_votes::rules::comments::check_edit;

use super::{shown, title};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::markdown;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// The comment of the path, as everybody may read it.
async fn read(visit: &Visit) -> Result<Comment, Failure> {
    let found = visit.votes().comment(visit.policy()?, visit.comment()?);
    found.await?.ok_or(Failure::NotFound)
}

/// Where a comment stands among the others.
fn among_others(comment: &Comment) -> String {
    let page = links::policy(comment.policy, "");
    format!("{page}?sort=newest#c-{}", comment.id)
}

/// `GET /policies/{policy}/-/comments/{comment}/edit`
pub async fn edit(visit: Visit) -> Outcome {
    let comment = read(&visit).await?;
    let by = visit.viewer()?.id();
    check_edit(&comment, by, visit.now_micros()).map_err(refused)?;
    editing(&visit, &comment, &comment.body, &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/comments/{comment}/edit`
pub async fn submit_edit(visit: Visit) -> Outcome {
    let comment = read(&visit).await?;
    let (by, body) = (visit.viewer()?.id(), visit.form.get("body"));
    let (policy, id) = (comment.policy, comment.id);
    let subject = &comment.subject;
    match visit
        .votes()
        .edit_comment(by, policy, id, subject, body)
        .await
    {
        Ok(()) => Ok(Answer::see(&among_others(&comment))),
        Err(not_done) => {
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), of_body)?;
            let page = editing(&visit, &comment, body, &mistakes).await?;
            Ok(page.with_status(422))
        }
    }
}

fn refused(refusal: TalkRefusal) -> Failure {
    stoa_votes::model::NotDone::from(refusal).into()
}

/// The field that a refusal of a comment is about.
pub(super) fn of_body(code: &str) -> &'static str {
    match code {
        it if it.starts_with("body_") => "body",
        "edit_too_late" | "too_many_comments" => "body",
        _ => "",
    }
}

async fn editing(visit: &Visit, comment: &Comment, body: &str, mistakes: &Mistakes) -> Outcome {
    let texts = &visit.texts.acts;
    let board = visit.votes().board().await?;
    let on = title(visit, &board, comment.policy).await?;
    let address = links::comment(comment.policy, comment.id);
    let main = html! {
        div.narrow {
            h1 { (texts.edit_comment) }
            p.name { a href=(links::policy(comment.policy, &on)) { (on) } }
            (mistakes.summary(visit))
            form method="post" action={ (address) "/edit" } novalidate {
                (forms::token(visit))
                (forms::area(Field { name: "body", label: texts.comment_text, hint: texts.edit_comment_hint, value: body, ..Field::default() }, 6, mistakes))
                p.row {
                    button.btn.go { (texts.save_comment) } " "
                    a.btn href=(address) { (texts.leave_as_is) }
                }
            }
        }
    };
    let about = About {
        title: texts.edit_comment,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}

/// `GET /policies/{policy}/-/comments/{comment}/remove`
pub async fn remove(visit: Visit) -> Outcome {
    let comment = read(&visit).await?;
    if comment.author != visit.viewer()?.id() {
        return Err(refused(TalkRefusal::NotAuthor));
    }
    if comment.state != CommentState::Shown {
        return Err(refused(TalkRefusal::CommentRemoved));
    }
    Ok(removing(&visit, &comment, &Mistakes::default()))
}

fn removing(visit: &Visit, comment: &Comment, mistakes: &Mistakes) -> Answer {
    let texts = &visit.texts.acts;
    let address = links::comment(comment.policy, comment.id);
    let main = html! {
        div.narrow {
            h1 { (texts.remove_comment) }
            (mistakes.summary(visit))
            div.quote { (markdown::html(&comment.body)) }
            p.gap-t { (texts.remove_comment_more) }
            (forms::form(visit, &format!("{address}/remove"), &html! {
                button.btn.is-bad { (texts.remove_comment) } " "
                a.btn href=(address) { (texts.leave_as_is) }
            }))
        }
    };
    let about = About {
        title: texts.remove_comment,
        ..About::default()
    };
    layout::page(visit, about, main)
}

/// `POST /policies/{policy}/-/comments/{comment}/remove`
pub async fn submit_remove(visit: Visit) -> Outcome {
    let comment = read(&visit).await?;
    let (author, votes) = (visit.viewer()?.id(), visit.votes());
    let removed = votes.remove_own_comment(author, comment.policy, comment.id);
    match removed.await {
        Ok(()) => Ok(Answer::see(&among_others(&comment))),
        Err(not_done) => {
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), of_body)?;
            Ok(removing(&visit, &comment, &mistakes).with_status(422))
        }
    }
}

/// `POST /policies/{policy}/-/comments/{comment}/mark`
pub async fn mark(visit: Visit) -> Outcome {
    match marked(&visit).await {
        Err(failure) => shown::refused(&visit, failure, |_| "").await,
        done => done,
    }
}

async fn marked(visit: &Visit) -> Outcome {
    let (policy, comment) = (visit.policy()?, visit.comment()?);
    let mark = match visit.form.get("mark") {
        "up" => Mark::Up,
        "down" => Mark::Down,
        "none" => Mark::None,
        _ => return Err(Failure::BadRequest),
    };
    let user = visit.viewer()?.id();
    visit
        .votes()
        .mark_comment(user, policy, comment, mark)
        .await?;
    let then = links::own_path(visit.form.get("then")).map(str::to_owned);
    let then = then.unwrap_or_else(|| links::policy(policy, ""));
    Ok(Answer::see(&format!("{then}#c-{comment}")))
}
