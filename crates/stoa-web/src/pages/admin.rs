//! Administration: what holds, who may do what, what runs, what waits. Everything is for admins
//! alone, but the front page, which a role of its own may choose.

pub mod acts;
pub mod audit;
pub mod categories;
pub mod featured;
pub mod instances;
pub mod log;
pub mod outbox;
pub mod overview;
pub mod parties;
pub mod privacy;
pub mod roles;
mod rule_form;
pub mod rules;
pub mod tasks;

use maud::{Markup, html};
use stoa_votes::model::{Day, Role, UserId};
use uuid::Uuid;

use crate::answer::Answer;
use crate::error::Failure;
use crate::layout::{self, About};
use crate::links;
use crate::pages::policy::Names;
use crate::texts::admin::AdminTexts;
use crate::visit::{Frame, Visit};

/// What a page is called.
type Called = fn(&AdminTexts) -> &'static str;

/// The pages of administration, by where they are.
const WAYS: [(&str, Called); 12] = [
    ("/admin", |texts| texts.overview),
    ("/admin/rules", |texts| texts.rules),
    ("/admin/categories", |texts| texts.categories),
    ("/admin/parties", |texts| texts.parties),
    ("/admin/featured", |texts| texts.front_page),
    ("/admin/roles", |texts| texts.roles),
    ("/admin/outbox", |texts| texts.outbox),
    ("/admin/tasks", |texts| texts.tasks),
    ("/admin/instances", |texts| texts.instances),
    ("/admin/log", |texts| texts.log),
    ("/admin/audit", |texts| texts.audit),
    ("/admin/acts", |texts| texts.acts),
];

/// A page of administration, with the ways to the others.
fn page(frame: &Frame, way: &str, title: &str, main: &Markup) -> Answer {
    let texts = &frame.texts.admin;
    let main = html! {
        nav.tabs aria-label=(texts.title) {
            ul { @for (path, name) in WAYS {
                @let here = (path == way).then_some("page");
                li { a href=(path) aria-current=[here] { (name(texts)) } }
            } }
        }
        (main)
    };
    whole(frame, title, main)
}

/// A page without ways to the others, for those who may not go there.
fn whole(frame: &Frame, title: &str, main: Markup) -> Answer {
    let about = About {
        title,
        ..About::default()
    };
    layout::page(frame, about, main)
}

/// Whether somebody who came by another role may go to all of these pages.
async fn is_admin(visit: &Visit) -> Result<bool, Failure> {
    let user = visit.viewer()?.id();
    Ok(visit.votes().has_role(user, Role::Admin).await?)
}

/// What was just done, if the address says so.
fn done(visit: &Visit, name: &str, what: &str) -> Markup {
    html! {
        @if visit.query.find(name).is_some() { p.note.is-good role="status" { (what) } }
    }
}

/// Nothing is here: what that means, and what to do.
fn none(title: &str, more: &str) -> Markup {
    html! { div.empty { h2 { (title) } p.flush { (more) } } }
}

/// Somebody's name; whoever runs the program has none.
fn name<'a>(frame: &'a Frame, names: &'a Names, user: UserId) -> Markup {
    html! {
        @if user.0.is_nil() { (frame.texts.admin.operator) } @else { "@" (names.of(frame, user)) }
    }
}

/// The day that is asked for; today, if none is.
fn asked_day(visit: &Visit) -> Day {
    let today = visit.today();
    let asked = Day::parse(visit.query.get("day"));
    asked.map_or(today, |day| day.min(today))
}

/// The ways to the day before and the day after, and a field for any other.
fn days(visit: &Visit, path: &str, day: Day, kept: &[(&str, &str)]) -> Markup {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    let of = |day: Day| {
        let text = day.to_string();
        let fields = std::iter::once(("day", text.as_str())).chain(kept.iter().copied());
        links::with_fields(path, fields)
    };
    let today = visit.today();
    html! {
        form.row.filters method="get" action=(path) {
            a.btn.sm href=(of(day.previous())) { ((texts.earlier)(&format.short_day(day.previous()))) }
            label.row { (texts.day) " " input.in.sm.auto type="date" name="day" value=(day) max=(today); }
            @for (name, value) in kept { input type="hidden" name=(name) value=(value); }
            button.btn.sm { (texts.show) }
            @if day < today {
                a.btn.sm href=(of(day.next())) { ((texts.later)(&format.short_day(day.next()))) }
            }
        }
    }
}

/// The beginning of an identifier, which is enough to tell a few from each other.
fn short_id(id: Uuid) -> String {
    id.to_string().chars().take(8).collect()
}
