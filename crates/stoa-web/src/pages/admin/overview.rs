//! The first page of administration: how everything stands, and where to look closer.

use maud::{Markup, html};
use stoa_votes::model::Role;
use stoa_votes::ops::read_outbox::Which;
use stoa_votes::rules::front_page::featured_on;

use super::{audit, page, rules, tasks};
use crate::error::Failure;
use crate::route::Outcome;
use crate::visit::Visit;

/// `GET /admin`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.admin;
    let main = html! {
        h1 { (texts.title) }
        div.grid3 {
            (rules_card(&visit))
            (places_cards(&visit).await?)
            (roles_card(&visit).await?)
            (outbox_card(&visit).await?)
            (running_cards(&visit).await?)
        }
    };
    Ok(page(&visit, "/admin", texts.title, &main))
}

/// A card with a fact, and the way to the page that has all of it.
fn card(visit: &Visit, path: &str, title: &str, fact: &Markup) -> Markup {
    let go = (visit.texts.admin.go_to)(title);
    html! {
        section.card {
            h2 { (title) }
            (fact)
            p.meta { a href=(path) { (go) } }
        }
    }
}

fn rules_card(visit: &Visit) -> Markup {
    let (texts, format) = (&visit.texts.admin, &visit.texts.format);
    let rules = &visit.notice.rules;
    let period = rules::period(visit, rules.today.period);
    let fact = html! {
        p { ((texts.rules_fact)(&format.number(rules.today.salary), &period)) }
        @match rules.coming.first() {
            Some(next) => p.small.muted { ((texts.rules_next)(&format.day(next.from))) },
            None => p.small.muted { (texts.rules_stay) },
        }
    };
    card(visit, "/admin/rules", texts.rules, &fact)
}

async fn places_cards(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.admin;
    let categories = visit.votes().categories().await?;
    let parties = visit.votes().parties().await?;
    let (entries, _) = visit.votes().front_page().await?;
    let featured = featured_on(&entries, visit.today()).len();
    let categories_used = categories.iter().filter(|it| it.is_active).count();
    let parties_used = parties.iter().filter(|it| it.is_active).count();
    let in_use = |count: usize| html! { p { ((texts.count_in_use)(count)) } };
    Ok(html! {
        (card(visit, "/admin/categories", texts.categories, &html! {
            (in_use(categories_used))
            @if categories_used == 0 { p.note.is-info { (texts.no_categories_more) } }
        }))
        (card(visit, "/admin/parties", texts.parties, &in_use(parties_used)))
        (card(visit, "/admin/featured", texts.front_page, &html! {
            p { ((texts.count_featured)(featured)) }
        }))
    })
}

async fn roles_card(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.admin;
    let admins = visit.votes().grants(Role::Admin).await?.len();
    let fact = html! { p { ((texts.count_admins)(admins)) } };
    Ok(card(visit, "/admin/roles", texts.roles, &fact))
}

async fn outbox_card(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.admin;
    let by = visit.viewer()?.by();
    let waiting = visit
        .votes()
        .outbox(by, visit.today(), Which::Waiting, None);
    let waiting = waiting.await?;
    let fact = html! {
        p { ((texts.count_mails)(waiting.mails.len(), waiting.next.is_some())) }
        @if !waiting.mails.is_empty() { p.small.muted { (texts.no_mail_server) } }
    };
    Ok(card(visit, "/admin/outbox", texts.outbox, &fact))
}

async fn running_cards(visit: &Visit) -> Result<Markup, Failure> {
    let texts = &visit.texts.admin;
    Ok(html! {
        (card(visit, "/admin/tasks", texts.tasks, &tasks::in_short(visit).await?))
        (card(visit, "/admin/audit", texts.audit, &audit::in_short(visit).await?))
    })
}
