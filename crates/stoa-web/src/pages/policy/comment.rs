//! A comment by itself with what it said before, and writing one.

use std::collections::BTreeMap;

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Comment, CommentId, PolicyId, Score};
use stoa_votes::ops::read_comments::ThreadedComment;
use stoa_votes::ops::write_comment::NewComment;
use uuid::Uuid;

use super::comment_own::of_body;
use super::talk::Talk;
use super::{Names, talk, versions};
use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::parts::forms::Mistakes;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/comments/{comment}`
pub async fn show(visit: Visit) -> Outcome {
    let comment = visit.comment()?;
    page(&visit, Some(comment), "", &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/comments`
pub async fn submit(visit: Visit) -> Outcome {
    let policy = visit.policy()?;
    let body = visit.form.get("body").to_owned();
    let answers = match visit.form.get("answers") {
        "" => None,
        id => match Uuid::try_parse(id) {
            Ok(id) => Some(CommentId(id)),
            // What answers nobody knows what is no new thread.
            Err(_) => return refused(&visit, None, &body, Failure::BadRequest).await,
        },
    };
    let new = NewComment {
        request: visit.request(),
        policy,
        answers,
        subject: String::new(),
        body: body.clone(),
    };
    let author = visit.member()?.account.user;
    match visit.votes().write_comment(author, &new).await {
        Ok(comment) => {
            let page = links::policy(policy, "");
            Ok(Answer::see(&format!("{page}?sort=newest#c-{comment}")))
        }
        Err(not_done) => refused(&visit, answers, &body, not_done.into()).await,
    }
}

/// The form once more, with what was typed.
async fn refused(
    visit: &Visit,
    answers: Option<CommentId>,
    body: &str,
    failure: Failure,
) -> Outcome {
    let mistakes = Mistakes::refused(visit, failure, of_body)?;
    let here = visit.at(&address(visit.policy()?, answers));
    let page = page(&here, answers, body, &mistakes).await?;
    Ok(page.with_status(422))
}

/// The page that shows what is answered, or the policy.
fn address(policy: PolicyId, answers: Option<CommentId>) -> String {
    match answers {
        Some(answers) => links::comment(policy, answers),
        None => links::policy(policy, ""),
    }
}

async fn page(
    visit: &Visit,
    answers: Option<CommentId>,
    body: &str,
    mistakes: &Mistakes,
) -> Outcome {
    let policy = visit.policy()?;
    let shown = visit.votes().page(policy).await?;
    let mut names = Names::default();
    let mut comment = None;
    let mut history = html! {};
    if let Some(answers) = answers {
        let found = visit.votes().comment(policy, answers).await?;
        let found = found.ok_or(Failure::NotFound)?;
        names.read(visit, vec![found.author]).await?;
        history = earlier(visit, &found).await?;
        comment = Some(ThreadedComment {
            comment: found,
            level: 0,
            score: Score::default(),
        });
    }
    let heading = match &comment {
        Some(it) => (visit.texts.policy.answer_to)(names.of(visit, it.comment.author)),
        None => visit.texts.policy.add_comment.to_owned(),
    };
    let talk = Talk {
        shown: &shown,
        names: &names,
        marks: BTreeMap::new(),
    };
    let main = html! {
        div.narrow {
            h1 { (heading) }
            (mistakes.summary(visit))
            p.name { a href=(links::policy(policy, &shown.page.title)) { (shown.page.title) } }
            @if let Some(it) = &comment { div.thread id={ "c-" (it.comment.id) } { (talk::one(visit, &talk, it, None)) } }
            (history)
            @if visit.viewer.as_ref().is_some_and(|it| it.member.is_some()) {
                (talk::form(visit, policy, answers, body, mistakes))
            } @else {
                p { a.btn href=(links::sign_in(&visit.path)) { (visit.texts.layout.sign_in) } }
            }
        }
    };
    Ok(layout::page(
        visit,
        About {
            title: &heading,
            ..About::default()
        },
        main,
    ))
}

/// What a comment said before it was edited, each version with what changed to the next.
async fn earlier(visit: &Visit, comment: &Comment) -> Result<Markup, Failure> {
    let texts = &visit.texts.acts;
    let votes = visit.votes();
    let before = votes.comment_history(comment.policy, comment.id).await?;
    let moment = |version: Uuid| {
        let micros = time_uuid::unix_micros(&version).unwrap_or(0);
        visit.texts.format.moment(micros)
    };
    let later = before.iter().skip(1).map(|it| it.body.as_str());
    let later: Vec<&str> = later.chain([comment.body.as_str()]).collect();
    Ok(html! {
        @if !before.is_empty() {
            details #history open[visit.query.get("history") == "1"] {
                summary { ((texts.comment_history)(before.len())) }
                @for (old, new) in before.iter().zip(later).rev() {
                    div.note {
                        p.meta { span { ((texts.until_version)(&moment(old.version))) } }
                        (versions::pieces(&old.body, new))
                    }
                }
            }
        }
    })
}
