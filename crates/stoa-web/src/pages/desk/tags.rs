//! The desk of tags: what people suggest, and the tags themselves.

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, SuggestionKind, TagId, TagSuggestion, UserId};
use stoa_votes::tables::tag_figures::TagFigure;
use uuid::Uuid;

use super::{Tab, by, done};
use crate::answer::Answer;
use crate::error::Failure;
use crate::links;
use crate::pages::policy::{Names, title};
use crate::parts::forms::{self, Mistakes};
use crate::parts::icons;
use crate::route::Outcome;
use crate::visit::Visit;

/// Tags that are listed at most.
const MOST_TAGS: usize = 60;

/// What some people suggest about a tag of a policy.
struct Suggested {
    policy: PolicyId,
    title: String,
    tag: TagId,
    kind: SuggestionKind,
    name: String,
    people: Vec<UserId>,
}

/// `GET /desk/tags`
pub async fn show(visit: Visit) -> Outcome {
    page(&visit, &Mistakes::default()).await
}

/// `POST /desk/tags`
pub async fn submit(visit: Visit) -> Outcome {
    let form = &visit.form;
    let (Ok(policy), Ok(tag)) = (
        Uuid::try_parse(form.get("policy")).map(PolicyId),
        Uuid::try_parse(form.get("tag")).map(TagId),
    ) else {
        return Err(Failure::BadRequest);
    };
    let (votes, moderator) = (visit.votes(), visit.member()?.account.user);
    let (acted, told) = match (form.get("do"), form.get("kind")) {
        ("follow", "add") => {
            let tagged = votes.tag_policy(moderator, policy, form.get("name")).await;
            (tagged.map(|_| ()), "followed")
        }
        ("follow", "remove") => (votes.untag_policy(moderator, policy, tag).await, "followed"),
        ("decline", _) => (
            votes.decline_suggestion(by(&visit)?, policy, tag).await,
            "declined",
        ),
        _ => return Err(Failure::BadRequest),
    };
    match acted {
        Ok(()) => Ok(Answer::see(&format!("/desk/tags?done={told}"))),
        Err(not_done) => {
            let field = |_: &str| "suggested";
            let mistakes = Mistakes::refused(&visit, Failure::from(not_done), field)?;
            Ok(page(&visit, &mistakes).await?.with_status(422))
        }
    }
}

async fn page(visit: &Visit, mistakes: &Mistakes) -> Outcome {
    let texts = &visit.texts.desk.tags;
    let mut names = Names::default();
    let suggested = suggested(visit, &mut names).await?;
    let main = html! {
        (done(visit, &[("followed", texts.followed), ("declined", texts.declined)]))
        (mistakes.summary(visit))
        section.gap-t aria-labelledby="f-suggested" {
            div.row.apart.base {
                h2 #f-suggested { (texts.suggested) }
                span.small.muted { (texts.suggested_more) }
            }
            @if suggested.is_empty() {
                div.empty { (icons::mark()) h3 { (texts.none_suggested) } p.flush { (texts.none_suggested_more) } }
            } @else { (suggestions(visit, &suggested, &names)) }
        }
        section.sec aria-labelledby="h-all" {
            h2 #h-all { (texts.all) }
            (all(visit).await?)
        }
    };
    Ok(super::page(visit, Tab::Tags, texts.title, &main))
}

/// What people suggest, those together who suggest the same.
async fn suggested(visit: &Visit, names: &mut Names) -> Result<Vec<Suggested>, Failure> {
    let rows = visit.votes().waiting_suggestions(by(visit)?).await?;
    let board = visit.votes().board().await?;
    names
        .read(visit, rows.iter().map(|it| it.user).collect())
        .await?;
    let mut all: Vec<Suggested> = Vec::new();
    for row in rows {
        let is_same =
            |it: &&mut Suggested| (it.policy, it.tag, it.kind) == (row.policy, row.tag, row.kind);
        if let Some(known) = all.iter_mut().find(is_same) {
            known.people.push(row.user);
            continue;
        }
        let TagSuggestion {
            policy,
            tag,
            kind,
            user,
            name,
        } = row;
        all.push(Suggested {
            policy,
            title: title(visit, &board, policy).await?,
            tag,
            kind,
            name,
            people: vec![user],
        });
    }
    Ok(all)
}

fn suggestions(visit: &Visit, suggested: &[Suggested], names: &Names) -> Markup {
    let texts = &visit.texts.desk.tags;
    html! {
        table.tbl.fold role="table" {
            caption.vh { (texts.suggested_caption) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.policy) }
                th role="columnheader" scope="col" { (texts.suggestion) }
                th role="columnheader" scope="col" { (texts.by) }
                th role="columnheader" scope="col" { span.vh { (visit.texts.desk.actions) } }
            } }
            tbody role="rowgroup" { @for it in suggested { (suggestion(visit, it, names)) } }
        }
    }
}

fn suggestion(visit: &Visit, it: &Suggested, names: &Names) -> Markup {
    let texts = &visit.texts.desk.tags;
    let what = match it.kind {
        SuggestionKind::Add => (texts.put_on)(&it.name),
        SuggestionKind::Remove => (texts.take_off)(&it.name),
    };
    let people = it.people.iter().map(|user| names.of(visit, *user));
    let people: Vec<String> = people.map(|name| format!("@{name}")).collect();
    html! {
        tr role="row" {
            th role="rowheader" scope="row" { span.name { a href=(links::policy(it.policy, &it.title)) { (it.title) } } }
            td role="cell" { (what) }
            td role="cell" data-l=(texts.by) { (people.join(", ")) }
            td role="cell" {
                (forms::form(visit, "/desk/tags", &html! {
                    (forms::hidden("policy", &it.policy.to_string()))
                    (forms::hidden("tag", &it.tag.to_string()))
                    (forms::hidden("kind", it.kind.name()))
                    (forms::hidden("name", &it.name))
                    button.btn.sm name="do" value="follow" aria-label=((texts.follow_label)(&what, &it.title)) { (texts.follow) } " "
                    button.btn.sm name="do" value="decline" aria-label=((texts.decline_label)(&what, &it.title)) { (texts.decline) }
                }))
            }
        }
    }
}

/// The tags whose names begin as the address says.
async fn all(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.desk.tags;
    let asked = visit.query.trimmed("q");
    let beginning = asked.to_lowercase();
    let mut figures = visit.votes().tag_cloud().await?;
    figures.retain(|it| it.name.to_lowercase().starts_with(&beginning));
    let more = figures.len().saturating_sub(MOST_TAGS);
    figures.truncate(MOST_TAGS);
    // A new tag is not counted yet, and one that nothing bears never is.
    if let Some(tag) = visit.votes().find_tag(asked).await?
        && figures.iter().all(|it| it.tag != tag.id)
    {
        figures.push(TagFigure {
            tag: tag.id,
            name: tag.name,
            policies: 0,
            heat_thousandths: 0,
        });
    }
    Ok(html! {
        form.row method="get" action="/desk/tags" {
            label for="q" { (texts.find) } " "
            input.in.auto #q name="q" type="search" maxlength="60" value=(asked) aria-describedby="h-q"; " "
            button.btn { (texts.search) }
        }
        p.hint #h-q { (texts.find_hint) }
        @if figures.is_empty() {
            div.empty { (icons::mark()) h3 { (texts.none) } p.flush { (texts.none_more) } }
        } @else {
            table.tbl {
                caption { (texts.list_caption) }
                thead { tr { th scope="col" { (texts.name) } th.n scope="col" { (texts.policies) } } }
                tbody { @for it in &figures {
                    tr {
                        th scope="row" { span.name { a href=(format!("/desk/tags/{}", it.tag)) { (it.name) } } }
                        td.n { (visit.texts.format.number(it.policies)) }
                    }
                } }
            }
            @if more > 0 { p.small.muted.pad { ((texts.more)(more)) } }
        }
    })
}
