//! Reporting something to the moderators: a policy, a comment, a tag or a person.

use maud::{Markup, html};
use stoa_votes::model::{
    Comment, CommentId, PolicyId, ReportReason, TagId, Target, TargetKind, UserId,
};
use stoa_votes::ops::report::NewReport;
use uuid::Uuid;

use super::{Names, title};
use crate::answer::Answer;
use crate::error::Failure;
use crate::fields::Fields;
use crate::layout::{self, About};
use crate::links;
use crate::markdown;
use crate::parts::choices::{self, Choice};
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// Characters of a reported text that are shown.
const SHOWN: usize = 200;

/// `GET /policies/{policy}/-/report`
pub async fn of_policy(visit: Visit) -> Outcome {
    let target = Target::Policy(visit.policy()?);
    page(&visit, target, &Mistakes::default()).await
}

/// `GET /report`
pub async fn show(visit: Visit) -> Outcome {
    let target = target(&visit.query).ok_or(Failure::NotFound)?;
    page(&visit, target, &Mistakes::default()).await
}

/// `POST /report`
pub async fn submit(visit: Visit) -> Outcome {
    let target = target(&visit.form).ok_or(Failure::NotFound)?;
    let Some(reason) = ReportReason::of_name(visit.form.get("reason")) else {
        let mut mistakes = Mistakes::default();
        mistakes.add("reason", visit.texts.acts.choose_reason);
        return Ok(page(&visit, target, &mistakes).await?.with_status(422));
    };
    let report = NewReport {
        target,
        reason,
        words: visit.form.get("words").to_owned(),
    };
    match visit.votes().report(visit.viewer()?.id(), &report).await {
        Ok(_) => Ok(Answer::see(&format!("{}&sent=1", address(target)))),
        Err(not_done) => {
            let field = |code: &str| match code {
                it if it.starts_with("reason_") => "words",
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, target, &mistakes).await?.with_status(422))
        }
    }
}

/// The page on which something is reported.
pub(super) fn address(target: Target) -> String {
    let (id, policy) = (target.id().to_string(), target.policy());
    let policy = match target {
        Target::Comment(..) => policy.map_or(String::new(), |it| it.to_string()),
        _ => String::new(),
    };
    let fields = [
        ("kind", target.kind().name()),
        ("of", id.as_str()),
        ("policy", policy.as_str()),
    ];
    links::with_fields("/report", fields)
}

/// What fields say is reported.
fn target(fields: &Fields) -> Option<Target> {
    let kind = TargetKind::of_name(fields.get("kind"))?;
    let id = Uuid::try_parse(fields.get("of")).ok()?;
    let policy = Uuid::try_parse(fields.get("policy")).ok().map(PolicyId);
    match kind {
        TargetKind::Access | TargetKind::Account => None,
        kind => Target::of_parts(kind, id, policy),
    }
}

/// What is reported: what it is called, where it is, and what it says.
struct Reported {
    name: String,
    address: String,
    text: String,
}

async fn reported(visit: &Visit, target: Target) -> Result<Reported, Failure> {
    let votes = visit.votes();
    let texts = &visit.texts.acts;
    match target {
        Target::Policy(policy) => {
            let shown = votes.page(policy).await?;
            Ok(Reported {
                address: links::policy(policy, &shown.page.title),
                name: shown.page.title,
                text: String::new(),
            })
        }
        Target::Comment(policy, comment) => comment_of(visit, policy, comment).await,
        Target::Tag(tag) => {
            let tag = votes.tag(TagId(tag)).await?.ok_or(Failure::NotFound)?;
            Ok(Reported {
                address: links::tag_named(&tag.name),
                name: (texts.the_tag)(&tag.name),
                text: String::new(),
            })
        }
        Target::User(user) => {
            let user = votes.user(user).await?;
            Ok(Reported {
                address: format!("/users/{}", user.name),
                name: format!("@{}", user.name),
                text: String::new(),
            })
        }
        Target::Access(_) | Target::Account(_) => Err(Failure::NotFound),
    }
}

async fn comment_of(
    visit: &Visit,
    policy: PolicyId,
    comment: CommentId,
) -> Result<Reported, Failure> {
    let found = visit.votes().comment(policy, comment).await?;
    let found = found
        .filter(Comment::is_readable)
        .ok_or(Failure::NotFound)?;
    let mut names = Names::default();
    names.read(visit, vec![found.author]).await?;
    let board = visit.votes().board().await?;
    let on = title(visit, &board, policy).await?;
    let author = names.of(visit, found.author);
    Ok(Reported {
        address: links::comment(policy, comment),
        name: (visit.texts.acts.comment_of)(author, &on),
        text: markdown::plain(&found.body, SHOWN),
    })
}

async fn page(visit: &Visit, target: Target, mistakes: &Mistakes) -> Outcome {
    let it = reported(visit, target).await?;
    let texts = &visit.texts.acts;
    let heading = (texts.report_of)(&it.name);
    let main = html! {
        div.narrow {
            h1 { (heading) }
            @if visit.query.get("sent") == "1" {
                div.note.is-good role="status" { h2 { (texts.report_sent) } p { (texts.report_sent_more) } }
                p.row { a.btn href=(it.address) { (texts.go_back) } " " a.btn href="/log" { (texts.public_log) } }
            } @else {
                p { a href=(it.address) { "← " (it.name) } }
                @if !it.text.is_empty() { p.quote { (it.text) } }
                (mistakes.summary(visit))
                p { (texts.report_more) }
                (form(visit, target, mistakes))
            }
        }
    };
    let about = About {
        title: &heading,
        ..About::default()
    };
    Ok(layout::page(visit, about, main))
}

fn form(visit: &Visit, target: Target, mistakes: &Mistakes) -> Markup {
    let texts = &visit.texts.acts;
    let policy = target.policy().map_or(String::new(), |it| it.to_string());
    let options = [
        (ReportReason::Spam, texts.reason_spam),
        (ReportReason::Abuse, texts.reason_abuse),
        (ReportReason::OffTopic, texts.reason_off_topic),
        (ReportReason::Duplicate, texts.reason_duplicate),
        (ReportReason::Illegal, texts.reason_illegal),
        (ReportReason::Other, texts.reason_other),
    ];
    let options = options.map(|(reason, text)| (reason.name(), text));
    let choice = Choice {
        name: "reason",
        label: texts.report_reason,
        hint: "",
        options: &options,
        chosen: visit.form.get("reason"),
    };
    html! {
        form method="post" action="/report" novalidate {
            (forms::token(visit))
            (forms::hidden("kind", target.kind().name()))
            (forms::hidden("of", &target.id().to_string()))
            (forms::hidden("policy", &policy))
            (choices::radios(&choice, mistakes))
            (forms::area(Field { name: "words", label: texts.report_words, hint: texts.report_words_hint, value: visit.form.get("words"), ..Field::default() }, 4, mistakes))
            button.btn.go { (texts.report_send) }
        }
    }
}

/// The way to report a person.
#[must_use]
pub fn of_person(user: UserId) -> String {
    address(Target::User(user))
}

/// The way to report a tag.
#[must_use]
pub fn of_tag(tag: TagId) -> String {
    address(Target::Tag(tag.0))
}
