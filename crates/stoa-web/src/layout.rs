//! What every page has around it: the head with the ways to go, the foot, the document.

use maud::{DOCTYPE, Markup, html};

use crate::answer::Answer;
use crate::app::App;
use crate::links;
use crate::pages::desk;
use crate::parts::{forms, icons};
use crate::static_files;
use crate::texts::{LANGUAGES, Texts};
use crate::visit::{Frame, Theme};

/// Which of the main ways a page is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Place {
    /// On none of them.
    #[default]
    Elsewhere,
    /// Rankings.
    Ranking,
    /// My votes.
    Votes,
    /// A new policy.
    Create,
    /// What moderators do.
    Desk,
}

/// What the head of a document says about the page.
#[derive(Debug, Clone, Copy, Default)]
pub struct About<'a> {
    /// Its title.
    pub title: &'a str,
    /// One or two sentences, for search engines and previews.
    pub description: &'a str,
    /// Which of the main ways it is on.
    pub place: Place,
    /// The path of a feed of what is new on it.
    pub feed: &'a str,
}

/// A page that is well.
#[must_use]
pub fn page(frame: &Frame, about: About<'_>, main: Markup) -> Answer {
    Answer::page(document(frame, about, main))
}

/// The whole document.
#[must_use]
#[expect(
    clippy::needless_pass_by_value,
    reason = "markup is made to be given away"
)]
pub fn document(frame: &Frame, about: About<'_>, main: Markup) -> Markup {
    let texts = &frame.texts.layout;
    let site = site_name(&frame.app);
    html! {
        (DOCTYPE)
        html lang=(frame.texts.code) data-theme=[named(frame.theme)] {
            head {
                (said_first(about.title, &site))
                @if !about.description.is_empty() {
                    meta name="description" content=(about.description);
                    meta property="og:title" content=(about.title);
                    meta property="og:description" content=(about.description);
                    meta property="og:site_name" content=(site);
                    meta property="og:type" content="article";
                    meta property="og:url" content={ (frame.site) (frame.path) };
                    meta property="og:image" content={ (frame.site) (static_files::address("card.png")) };
                    meta property="og:image:width" content="1200";
                    meta property="og:image:height" content="630";
                    meta name="twitter:card" content="summary_large_image";
                }
                @if !about.feed.is_empty() {
                    link rel="alternate" type="application/atom+xml" title=(about.title) href=(about.feed);
                }
                (looks())
                script type="module" src=(static_files::address("stoa.js")) {}
            }
            body {
                a.skip href="#main" { (texts.skip) }
                (head(frame, about.place))
                main.wrap #main { (main) }
                (foot(frame))
            }
        }
    }
}

/// A document around which nothing is known: neither who looks nor what holds.
#[must_use]
pub fn lone(app: &App, texts: &Texts, theme: Theme, title: &str, main: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang=(texts.code) data-theme=[named(theme)] {
            head { (said_first(title, &site_name(app))) (looks()) }
            body {
                a.skip href="#main" { (texts.layout.skip) }
                header.head { div.wrap { (mark(app)) } }
                main.wrap #main { (main) }
            }
        }
    }
}

fn site_name(app: &App) -> String {
    let community = app.settings.community.as_str();
    match community.is_empty() {
        true => "Stoa".to_owned(),
        false => format!("Stoa, {community}"),
    }
}

/// What a document says of its theme; nothing where it is the system's.
fn named(theme: Theme) -> Option<&'static str> {
    (theme != Theme::System).then(|| theme.name())
}

fn said_first(title: &str, site: &str) -> Markup {
    html! {
        meta charset="utf-8";
        meta name="viewport" content="width=device-width, initial-scale=1";
        meta name="color-scheme" content="light dark";
        title { (title) " · " (site) }
    }
}

fn looks() -> Markup {
    html! {
        link rel="icon" href=(static_files::address("mark.svg")) type="image/svg+xml";
        link rel="stylesheet" href=(static_files::address("stoa.css"));
    }
}

/// The mark and the name of the community, which lead home.
fn mark(app: &App) -> Markup {
    let community = app.settings.community.as_str();
    html! {
        a.mark href="/" {
            (icons::mark()) span { "Stoa" }
            @if !community.is_empty() { " " small { (community) } }
        }
    }
}

fn head(frame: &Frame, place: Place) -> Markup {
    let texts = &frame.texts.layout;
    html! {
        header.head {
            div.wrap {
                (mark(&frame.app))
                nav.nav aria-label=(texts.main_nav) {
                    ul {
                        (way("/ranking", texts.ranking, place == Place::Ranking))
                        (way("/votes", texts.my_votes, place == Place::Votes))
                        (way("/create", texts.create, place == Place::Create))
                        @if desk::has_desk(frame) { (desk_way(frame, place == Place::Desk)) }
                    }
                }
                a.who href="/search" { (texts.search) }
                (viewer(frame))
            }
        }
    }
}

fn way(path: &str, text: &str, is_here: bool) -> Markup {
    let here = is_here.then_some("page");
    html! { li { a href=(path) aria-current=[here] { (text) } } }
}

/// The way to the desk, with how many cases wait.
fn desk_way(frame: &Frame, is_here: bool) -> Markup {
    let here = is_here.then_some("page");
    let waiting = frame.duties.waiting();
    html! {
        li { a href="/desk" aria-current=[here] {
            (frame.texts.layout.desk)
            @if waiting > 0 {
                span aria-hidden="true" { " (" (waiting) ")" }
                span.vh { ", " ((frame.texts.desk.desk_waiting)(waiting)) }
            }
        } }
    }
}

/// The purse and the name of whoever is signed in, or the way to sign in.
fn viewer(frame: &Frame) -> Markup {
    let (texts, format) = (&frame.texts.layout, &frame.texts.format);
    let Some(viewer) = &frame.viewer else {
        return html! {
            a.btn.sm href=(links::sign_in(&frame.path)) { (texts.sign_in) }
        };
    };
    let next = frame.notice.next_pay(frame.today());
    html! {
        @if let Some(member) = &viewer.member {
            a.purse href="/votes" {
                (icons::coin())
                span {
                    b.num { ((texts.purse)(&format.number(member.statement.balance))) }
                    @if let Some((day, votes)) = next {
                        " " span.muted { ((texts.more_on)(&format.number(votes), format.weekday(day))) }
                    }
                }
            }
        }
        @if viewer.has_news {
            a.who href="/notifications" { span.badge.is-info { (frame.texts.own.is_new) } span.vh { ": " (frame.texts.own.new_notifications) } }
        }
        a.who href="/account" { "@" (viewer.user.name) }
    }
}

fn foot(frame: &Frame) -> Markup {
    let (texts, format) = (&frame.texts.layout, &frame.texts.format);
    html! {
        footer.foot {
            div.wrap {
                span {
                    @match &frame.notice.closed {
                        Some((day, hash)) => {
                            ((texts.last_closed)(&format.day(*day))) " "
                            a href="/ledger" { code { (short_hash(&hash.to_string())) } } "."
                        }
                        None => (texts.none_closed),
                    }
                    " " (texts.times)
                }
                nav aria-label=(texts.foot_nav) {
                    ul.ways {
                        @for (path, text) in [
                            ("/whats-new", texts.whats_new), ("/tags", texts.tags), ("/categories", texts.categories),
                            ("/rules", texts.rules), ("/log", texts.log), ("/ledger", texts.ledger), ("/help", texts.help),
                        ] {
                            li { a href=(path) { (text) } }
                        }
                    }
                }
                (forms::form(frame, "/settings/look", &html! {
                    span.vh { (texts.theme) }
                    input type="hidden" name="then" value=(here(frame));
                    @for (theme, text) in [
                        (Theme::System, texts.system), (Theme::Light, texts.light), (Theme::Dark, texts.dark),
                    ] {
                        (choice("theme", theme.name(), text, frame.theme == theme))
                    }
                    @for language in LANGUAGES {
                        (choice("language", language.code, language.name, frame.texts.code == language.code))
                    }
                }))
            }
        }
    }
}

fn choice(name: &str, value: &str, text: &str, is_chosen: bool) -> Markup {
    let pressed = if is_chosen { "true" } else { "false" };
    html! { button.btn.sm name=(name) value=(value) aria-pressed=(pressed) { (text) } " " }
}

/// The address of this page, to come back to.
#[must_use]
pub fn here(frame: &Frame) -> String {
    match frame.query_text.is_empty() {
        true => frame.path.clone(),
        false => format!("{}?{}", frame.path, frame.query_text),
    }
}

/// The beginning of a hash, in groups that people can compare.
#[must_use]
pub fn short_hash(hash: &str) -> String {
    let letters: Vec<char> = hash.chars().take(12).collect();
    let groups = letters
        .chunks(4)
        .map(|group| group.iter().collect::<String>());
    groups.collect::<Vec<_>>().join(" ")
}
