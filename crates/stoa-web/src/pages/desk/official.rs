//! Speaking officially about a policy: a response, how far it is, a milestone.

use maud::{Markup, html};
use stoa_types::time_uuid;
use stoa_votes::model::{Day, PolicyStatus, Progress, ProgressKind};

use super::{Subject, choice, done};
use crate::answer::Answer;
use crate::error::Failure;
use crate::fields::day_of;
use crate::links;
use crate::markdown;
use crate::pages::policy::Names;
use crate::parts::forms::{self, Field, Mistakes};
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /policies/{policy}/-/official`
pub async fn show(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    page(&visit, &subject, &Mistakes::default()).await
}

/// `POST /policies/{policy}/-/official`
pub async fn submit(visit: Visit) -> Outcome {
    let subject = Subject::read(&visit).await?;
    let mut mistakes = Mistakes::default();
    let Some(kind) = kind(&visit, &mut mistakes) else {
        return Ok(page(&visit, &subject, &mistakes).await?.with_status(422));
    };
    let author = visit.member()?.account.user;
    let (request, text) = (visit.request(), visit.form.get("text"));
    let published = visit
        .votes()
        .publish(author, subject.policy(), request, kind, text);
    match published.await {
        Ok(()) => {
            let page = links::of_policy(subject.policy(), "official");
            Ok(Answer::see(&format!("{page}?done=published")))
        }
        Err(not_done) => {
            let field = |code: &str| match code {
                "bad_response" | "text_bad_character" | "policy_not_shown" | "request_reused" => {
                    "text"
                }
                _ => "",
            };
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, &subject, &mistakes).await?.with_status(422))
        }
    }
}

/// What the form asks for; what is missing is noted.
fn kind(visit: &Visit, mistakes: &mut Mistakes) -> Option<ProgressKind> {
    let (form, texts) = (&visit.form, &visit.texts.desk.acts);
    let kind = form.get("kind");
    let status = PolicyStatus::of_name(form.get("status"));
    let day: Option<Day> = day_of(form.trimmed("day"));
    let found = ProgressKind::of(kind, status, day);
    if found.is_none() {
        match kind {
            "status" => mistakes.add("status", texts.choose_status),
            "milestone" => mistakes.add("day", texts.bad_day),
            _ => mistakes.add("kind", texts.choose_what),
        }
    }
    found
}

async fn page(visit: &Visit, subject: &Subject, mistakes: &Mistakes) -> Outcome {
    let texts = &visit.texts.desk.acts;
    let said = visit.votes().progress(&subject.shown).await?;
    let mut names = Names::default();
    names
        .read(visit, said.iter().map(|it| it.author).collect())
        .await?;
    let main = html! {
        (done(visit, &[("published", texts.published)]))
        (mistakes.summary(visit))
        @if subject.shown.is_readable() {
            p.text { (texts.official_more) }
            (form(visit, subject, mistakes))
        } @else { p.note { (texts.not_readable) } }
        @if !said.is_empty() { (before(visit, &said, &names)) }
    };
    let title = (texts.official_title)(&subject.title);
    Ok(subject.page(visit, &title, &main))
}

fn form(visit: &Visit, subject: &Subject, mistakes: &Mistakes) -> Markup {
    let (texts, typed) = (&visit.texts.desk.acts, &visit.form);
    let options = [
        ("response", texts.a_response, texts.a_response_more),
        ("status", texts.a_status, texts.a_status_more),
        ("milestone", texts.a_milestone, texts.a_milestone_more),
    ];
    let day = Field {
        name: "day",
        label: texts.day,
        hint: texts.day_hint,
        kind: "date",
        value: typed.get("day"),
        ..Field::default()
    };
    let text = Field {
        name: "text",
        label: texts.text,
        value: typed.get("text"),
        ..Field::default()
    };
    html! {
        form method="post" action=(links::of_policy(subject.policy(), "official")) novalidate {
            (forms::token(visit))
            (forms::hidden("request", &visit.new_request().to_string()))
            (choice(("kind", texts.what), &options, typed.get("kind"), mistakes))
            div.field {
                (forms::above("status", texts.status, "", mistakes))
                select.in.auto #f-status name="status" aria-invalid=[forms::invalid("status", mistakes)]
                    aria-describedby=[forms::described("status", "", mistakes)] {
                    option value="" { "–" }
                    @for (status, name) in PolicyStatus::NAMES {
                        option value=(name) selected[name == typed.get("status")] { (status_name(visit, status)) }
                    }
                }
            }
            (forms::field(day, mistakes))
            (forms::area(text, 8, mistakes))
            p.row {
                button.btn.go { ((texts.publish)(&subject.title)) } " "
                a.btn href=(subject.address()) { (visit.texts.desk.cancel) }
            }
        }
    }
}

fn status_name(visit: &Visit, status: PolicyStatus) -> &'static str {
    let texts = &visit.texts.policy;
    match status {
        PolicyStatus::Examined => texts.status_examined,
        PolicyStatus::Planned => texts.status_planned,
        PolicyStatus::Started => texts.status_started,
        PolicyStatus::Done => texts.status_done,
        PolicyStatus::Declined => texts.status_declined,
    }
}

fn before(visit: &Visit, said: &[Progress], names: &Names) -> Markup {
    let (texts, format) = (&visit.texts.desk.acts, &visit.texts.format);
    let what = |it: &Progress| match it.kind {
        ProgressKind::Response => texts.a_response.to_owned(),
        ProgressKind::Status(status) => status_name(visit, status).to_owned(),
        ProgressKind::Milestone(day) => format!("{}, {}", texts.a_milestone, format.day(day)),
    };
    html! {
        section.sec aria-labelledby="h-before" {
            h2 #h-before { (texts.before) }
            p.small.muted { (texts.before_caption) }
            ul.lines { @for it in said {
                li {
                    div.meta {
                        b { (what(it)) }
                        span { "@" (names.of(visit, it.author)) }
                        span { (format.moment(time_uuid::unix_micros(&it.at).unwrap_or(0))) }
                    }
                    @if !it.text.is_empty() { div { (markdown::html(&it.text)) } }
                }
            } }
        }
    }
}
