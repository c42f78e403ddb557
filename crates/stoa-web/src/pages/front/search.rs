//! Search: policies, tags, people and comments by their words, of all kinds or of one, page by page.

use std::sync::Arc;

use maud::{Markup, html};
use stoa_votes::model::{CommentId, NotDone, PolicyId, UserId};
use stoa_votes::ops::search::{Found, Hit, Kind, Query};

use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::pages::policy::Titles;
use crate::parts::found;
use crate::route::Outcome;
use crate::visit::Visit;

/// Characters of a query at most.
const MOST_CHARACTERS: usize = 200;
/// Results of a page.
const ON_PAGE: usize = 20;
/// How far one can go on.
const FURTHEST: usize = 980;

/// What is asked for, as the address has it.
struct Asked {
    words: String,
    kind: Option<Kind>,
    from: usize,
}

/// `GET /search`
pub async fn show(visit: Visit) -> Outcome {
    let asked = asked(&visit);
    let found = found(&visit, &asked).await?;
    let texts = &visit.texts.search;
    let main = html! {
        h1 { (texts.title) }
        (form(&visit, &asked))
        @if !asked.words.is_empty() { (kinds(&visit, &asked)) }
        @match &found {
            _ if asked.words.is_empty() => {},
            None => div.empty {
                h2 { (texts.not_there) }
                p { (texts.not_there_more) }
                a.btn href="/ranking" { (visit.texts.front.all_rankings) }
            },
            Some(found) if found.hits.is_empty() => div.empty {
                h2 { ((texts.none)(&asked.words)) }
                p { (texts.none_more) }
                a.btn href="/create" { (texts.propose) }
            },
            Some(found) => (results(&visit, &asked, found).await?),
        }
    };
    let heading = match asked.words.as_str() {
        "" => texts.title.to_owned(),
        words => (texts.title_of)(words),
    };
    let about = About {
        title: &heading,
        ..About::default()
    };
    Ok(layout::page(&visit, about, main))
}

fn asked(visit: &Visit) -> Asked {
    let words = visit.query.trimmed("q").chars().take(MOST_CHARACTERS);
    Asked {
        words: words.collect(),
        kind: Kind::of_name(visit.query.get("kind")),
        from: visit.query.number("from").unwrap_or(0).min(FURTHEST),
    }
}

/// What is found; nothing, if there is no index.
async fn found(visit: &Visit, asked: &Asked) -> Result<Option<Found>, Failure> {
    let Some(index) = visit
        .app
        .search
        .as_ref()
        .filter(|_| !asked.words.is_empty())
    else {
        return Ok(None);
    };
    let index = Arc::clone(index);
    let query = Query {
        kinds: asked.kind.into_iter().collect(),
        most: ON_PAGE,
        offset: asked.from,
        ..Query::new(asked.words.as_str())
    };
    let found = tokio::task::spawn_blocking(move || index.search(&query)).await;
    let found = found.map_err(|broken| Failure::broken(&broken.to_string()))?;
    found
        .map(Some)
        .map_err(|error| Failure::broken(&error.to_string()))
}

fn form(visit: &Visit, asked: &Asked) -> Markup {
    let texts = &visit.texts.search;
    html! {
        form.row method="get" action="/search" role="search" {
            label for="q" { (texts.label) } " "
            input.in.auto id="q" name="q" type="search" maxlength="200" value=(asked.words) aria-describedby="h-q"; " "
            @if let Some(kind) = asked.kind { input type="hidden" name="kind" value=(kind.name()); }
            button.btn.go { (visit.texts.layout.search) }
        }
        p.hint #h-q { (texts.hint) }
    }
}

fn address(asked: &Asked, kind: &str, from: usize) -> String {
    let from = if from == 0 {
        String::new()
    } else {
        from.to_string()
    };
    let fields = [("q", asked.words.as_str()), ("kind", kind), ("from", &from)];
    links::with_fields("/search", fields)
}

fn kinds(visit: &Visit, asked: &Asked) -> Markup {
    let texts = &visit.texts.search;
    let kinds = [
        (None, texts.all),
        (Some(Kind::Policy), texts.policies),
        (Some(Kind::Comment), texts.comments),
        (Some(Kind::Tag), texts.tags),
        (Some(Kind::Person), texts.people),
    ];
    html! {
        nav.tabs aria-label=(texts.kinds) { ul { @for (kind, name) in kinds {
            li { a href=(address(asked, kind.map_or("", Kind::name), 0)) aria-current=[(kind == asked.kind).then_some("page")] { (name) } }
        } } }
    }
}

async fn results(visit: &Visit, asked: &Asked, found: &Found) -> Result<Markup, Failure> {
    let (texts, format) = (&visit.texts.search, &visit.texts.format);
    let board = visit.votes().board().await?;
    let mut titles = Titles::default();
    let policies = found.hits.iter().filter_map(policy_of).collect();
    titles.read(visit, &board, policies).await?;
    let mut hits = Vec::new();
    for hit in &found.hits {
        if is_there(visit, hit, &titles).await? {
            hits.push(hit);
        }
    }
    let total = i64::try_from(found.total).unwrap_or(i64::MAX);
    let kind = asked.kind.map_or("", Kind::name);
    let next = asked.from + ON_PAGE;
    Ok(html! {
        p.muted.small { ((texts.counted)(&format.number(total))) @if found.is_loose { ". " (texts.loose) } }
        ul.lines { @for hit in hits { (line(visit, hit, &titles)) } }
        @if asked.from > 0 || next < found.total {
            nav.pager aria-label=(texts.title) {
                @if asked.from > 0 { a.btn href=(address(asked, kind, 0)) { (texts.first) } }
                @if next < found.total && next <= FURTHEST { a.btn href=(address(asked, kind, next)) { (texts.next) } }
            }
        }
    })
}

/// The policy that is found, or that a comment is about.
fn policy_of(hit: &Hit) -> Option<PolicyId> {
    match hit.kind {
        Kind::Policy => Some(PolicyId(hit.id)),
        _ => hit.parent.map(PolicyId),
    }
}

/// Whether everybody may still read what was found: an index is a little behind.
async fn is_there(visit: &Visit, hit: &Hit, titles: &Titles) -> Result<bool, Failure> {
    let votes = visit.votes();
    let policy = policy_of(hit);
    if let Some(policy) = policy
        && titles.of(policy).is_empty()
    {
        return Ok(false);
    }
    match (hit.kind, policy) {
        (Kind::Comment, Some(policy)) => {
            let comment = votes.comment(policy, CommentId(hit.id)).await?;
            Ok(comment.is_some_and(|it| it.is_readable()))
        }
        (Kind::Comment, None) => Ok(false),
        (Kind::Person, _) => match votes.user(UserId(hit.id)).await {
            Ok(_) => Ok(true),
            Err(NotDone::Refused(_)) => Ok(false),
            Err(error) => Err(error.into()),
        },
        (Kind::Policy | Kind::Tag, _) => Ok(true),
    }
}

fn line(visit: &Visit, hit: &Hit, titles: &Titles) -> Markup {
    let texts = &visit.texts.search;
    let kind = match hit.kind {
        Kind::Policy => texts.policy,
        Kind::Comment => texts.comment,
        Kind::Tag => texts.tag,
        Kind::Person => texts.person,
    };
    let about = hit.parent.map(|policy| titles.of(PolicyId(policy)));
    let title = match (hit.title.text.is_empty(), about) {
        (false, _) => found::snippet(&hit.title),
        (true, Some(about)) => html! { ((texts.on_policy)(about)) },
        (true, None) => html! { (kind) },
    };
    html! {
        li {
            span.name { a href=[found::address(hit)] { (title) } }
            div.meta {
                span { (kind) }
                @if let Some(about) = about.filter(|_| !hit.title.text.is_empty()) { span { ((texts.on_policy)(about)) } }
            }
            @if !hit.text.text.is_empty() { p.small.flush { (found::snippet(&hit.text)) } }
        }
    }
}
