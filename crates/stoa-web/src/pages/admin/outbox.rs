//! The outbox: mail that waits, was sent or failed. While no server sends mail, an admin opens what
//! waits and hands out its link. Opening one is written down, so it takes a form.

use maud::{Markup, html};
use stoa_votes::model::Day;
use stoa_votes::ops::read_outbox::{OutboxPage, Which};
use stoa_votes::tables::outbox::{Delivery, Listed, Mail};
use uuid::Uuid;

use super::{asked_day, days, none, page};
use crate::error::Failure;
use crate::links;
use crate::parts::forms;
use crate::route::Outcome;
use crate::visit::{Frame, Visit};

const LIST: &str = "/admin/outbox";
/// Which mail is shown, by the name in the address; what waits comes first.
const WHICH: [(&str, Which); 4] = [
    ("", Which::Waiting),
    ("sent", Which::Sent),
    ("failed", Which::Failed),
    ("all", Which::All),
];

/// `GET /admin/outbox`
pub async fn show(visit: Visit) -> Outcome {
    let texts = &visit.texts.admin_running;
    let title = visit.texts.admin.outbox;
    let asked = visit.query.get("which");
    let known = WHICH.iter().find(|(name, _)| *name == asked);
    let (asked, which) = known.copied().unwrap_or(("", Which::Waiting));
    let day = asked_day(&visit);
    let after = Uuid::try_parse(visit.query.get("after")).ok();
    let by = visit.viewer()?.by();
    let mut listed = visit.votes().outbox(by, day, which, after).await?;
    listed
        .mails
        .sort_by_key(|it| (std::cmp::Reverse(it.created_micros), it.id));
    let main = html! {
        h1 { (title) ": " (visit.texts.format.day(day)) }
        p.text { (texts.outbox_about) }
        (days(&visit, LIST, day, &[("which", asked)]))
        nav.tabs aria-label=(texts.kind) {
            ul { @for (name, which) in WHICH {
                @let here = (name == asked).then_some("page");
                li { a href=(address(day, name, None)) aria-current=[here] { (which_name(&visit, which)) } }
            } }
        }
        @if listed.mails.is_empty() { (none(texts.no_mail, texts.no_mail_more)) }
        @else { (table(&visit, day, &listed)) }
        @if let Some(next) = listed.next {
            nav.pager aria-label=(title) { a.btn href=(address(day, asked, Some(next))) { (texts.more_mail) } }
        }
    };
    Ok(page(&visit, LIST, title, &main))
}

/// `POST /admin/outbox/{day}/{mail}`: opens a mail that waits.
pub async fn open(visit: Visit) -> Outcome {
    let day = Day::parse(visit.param("day")).ok_or(Failure::NotFound)?;
    let id = visit.uuid("mail")?;
    let by = visit.viewer()?.by();
    let mail = visit.votes().read_mail(by, day, id).await?;
    let mail = mail.ok_or(Failure::NotFound)?;
    let texts = &visit.texts.admin_running;
    let title = (texts.mail_title)(kind(&visit, &mail.kind));
    let main = html! {
        h1 { (title) }
        p.meta {
            span { (texts.to) " " (mail.recipient) }
            span { (texts.written) " " (visit.texts.format.moment(mail.created_micros)) }
        }
        (link(&visit, &mail))
        h2 { (texts.fields) }
        @match letter(&visit, &mail) {
            Some((subject, text)) => {
                p { b { (subject) } }
                // Its lines are kept as they are.
                @for paragraph in text.split("\n\n") {
                    p { @for line in paragraph.lines() { (line) br; } }
                }
            },
            None => {
                table.tbl {
                    caption.vh { (texts.fields) }
                    tbody { @for (name, value) in mail.fields.iter().filter(|(name, _)| *name != "token") {
                        tr { th scope="row" { code { (name) } } td { (value) } }
                    } }
                }
            },
        }
        p.row.gap-t { a.btn href=(address(day, "", None)) { (visit.texts.admin.back) } }
    };
    Ok(page(&visit, LIST, &title, &main))
}

fn address(day: Day, which: &str, after: Option<Uuid>) -> String {
    let (day, after) = (
        day.to_string(),
        after.map(|it| it.to_string()).unwrap_or_default(),
    );
    let fields = [("day", day.as_str()), ("which", which), ("after", &after)];
    links::with_fields(LIST, fields)
}

fn which_name(frame: &Frame, which: Which) -> &'static str {
    let texts = &frame.texts.admin_running;
    match which {
        Which::All => texts.all_mail,
        Which::Waiting => texts.waiting,
        Which::Sent => texts.sent,
        Which::Failed => texts.not_sent,
    }
}

/// What a mail of a kind is called.
fn kind<'a>(frame: &Frame, kind: &'a str) -> &'a str {
    (frame.texts.admin_running.kind_name)(kind).unwrap_or(kind)
}

fn table(visit: &Visit, day: Day, listed: &OutboxPage) -> Markup {
    let texts = &visit.texts.admin_running;
    let has_links = listed.mails.iter().any(|it| it.delivery.is_none());
    html! {
        @if has_links { p.small.muted { (texts.read_ask) } }
        table.tbl.fold role="table" {
            caption.vh { (visit.texts.admin.outbox) }
            thead role="rowgroup" { tr role="row" {
                th role="columnheader" scope="col" { (texts.kind) }
                th role="columnheader" scope="col" { (texts.to) }
                th role="columnheader" scope="col" { (texts.written) }
                th role="columnheader" scope="col" { (texts.result) }
                th role="columnheader" scope="col" { (visit.texts.admin.action) }
            } }
            tbody role="rowgroup" { @for it in &listed.mails { (row(visit, day, it)) } }
        }
    }
}

fn row(visit: &Visit, day: Day, it: &Listed) -> Markup {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    let kind = kind(visit, &it.kind);
    let to = it.recipient.as_deref();
    html! {
        tr role="row" {
            th role="rowheader" scope="row" { (kind) }
            td role="cell" data-l=(texts.to) {
                @match to { Some(to) => (to), None => span.muted { (texts.erased) } }
            }
            td role="cell" data-l=(texts.written) { (format.moment(it.created_micros)) }
            td role="cell" {
                @match it.delivery {
                    None => span.badge.is-wait { (texts.waiting) },
                    Some(Delivery::Sent) => span.badge.is-good { (texts.sent) },
                    Some(Delivery::Failed) => span.badge.is-bad { (texts.not_sent) },
                }
                @if it.attempts > 0 {
                    div.small.muted {
                        (texts.tries) ": " (it.attempts)
                        @if it.delivery.is_none() { ", " ((texts.next_try)(&format.moment(it.due_micros))) }
                    }
                }
            }
            td role="cell" {
                @if let (None, Some(to)) = (it.delivery, to) {
                    (forms::form(visit, &format!("{LIST}/{day}/{}", it.id), &html! {
                        button.btn.sm aria-label=((texts.open_named)(kind, to)) { (texts.open) }
                    }))
                }
            }
        }
    }
}

/// The link of a mail, to hand it out.
fn link(visit: &Visit, mail: &Mail) -> Markup {
    let texts = &visit.texts.admin_running;
    let page = match mail.kind.as_str() {
        "verify_email" => "/verify-email",
        "reset_password" => "/reset-password",
        "change_address" => "/confirm-address",
        _ => return html! {},
    };
    let Some(token) = mail.fields.get("token") else {
        return html! {};
    };
    let path = links::with_fields(page, [("token", token.as_str())]);
    let site = visit.app.settings.site.as_deref();
    let site = site.map(|it| it.trim_end_matches('/'));
    html! {
        div.note.is-price {
            h2 { (texts.link) }
            p { code { (site.unwrap_or_default()) (path) } }
            @if site.is_none() { p.small { (texts.no_site) } }
            p { (texts.mail_about) }
        }
    }
}

/// The letter as it would be sent, in the language of whoever looks, if this site knows its address.
fn letter(visit: &Visit, mail: &Mail) -> Option<(String, String)> {
    let site = visit.app.settings.site.as_deref()?;
    let named = visit.app.settings.community.as_str();
    let named = if named.is_empty() { "Stoa" } else { named };
    let language = stoa_mail::Language::of_code(visit.texts.code).unwrap_or_default();
    let texts = stoa_mail::Texts::new(named, site).ok()?;
    let texts = texts.in_language(language);
    let letter = texts.letter(
        &mail.kind,
        &mail.fields,
        &mail.recipient,
        mail.id,
        mail.created_micros,
    );
    let letter = letter.ok()?;
    Some((letter.subject().to_owned(), letter.text().to_owned()))
}
