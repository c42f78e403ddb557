//! A comment by itself, and writing one.

use maud::html;
use stoa_votes::model::{CommentId, Score};
use stoa_votes::ops::read_comments::ThreadedComment;
use stoa_votes::ops::write_comment::NewComment;
use uuid::Uuid;

use super::{Names, talk};
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
    let answers = Uuid::try_parse(visit.form.get("answers"))
        .ok()
        .map(CommentId);
    let body = visit.form.get("body").to_owned();
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
        Err(not_done) => {
            let field = |code: &str| {
                if code.starts_with("body_") {
                    "body"
                } else {
                    ""
                }
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, answers, &body, &mistakes)
                .await?
                .with_status(422))
        }
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
    if let Some(answers) = answers {
        let found = visit.votes().comment(policy, answers).await?;
        let found = found.ok_or(Failure::NotFound)?;
        names.read(visit, vec![found.author]).await?;
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
    let main = html! {
        div.narrow {
            h1 { (heading) }
            (mistakes.summary(visit))
            p.name { a href=(links::policy(policy, &shown.page.title)) { (shown.page.title) } }
            @if let Some(it) = &comment { div.thread { (talk::one(visit, &shown, &names, it)) } }
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
