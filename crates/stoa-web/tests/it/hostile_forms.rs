//! Every form that changes something, found on its page by somebody who may use it, and sent wrong in
//! every way: a field missing, empty, huge, hostile or repeated.
//!
//! 1. The forms come from the pages, the pages from the routes: a new route without a place here, or a
//!    place without its form, fails.
//! 2. As it stands, filled in as told here, each form does what it is for. So what is wrong with it
//!    afterwards is the one field.
//! 3. Whatever is refused has a summary with the focus, what was typed, and wrote nothing.

use std::collections::BTreeMap;
use std::time::Duration;

use stoa_session::Shortcuts as _;
use stoa_web::SiteSettings;
use stoa_web::route::{Access, Effect, Route};
use stoa_web::router::routes;

use crate::hostile_places::{Place, places};
use crate::page_forms::{Filled, FormField, PageForm, escaped, forms};
use crate::world::{Browser, Page, World, encoded};

const MARKUP: &str = "\"'><script>alert(1)</script>{{7*7}}";

/// What is written although a form is refused: that somebody tried, and who looked at what.
const NOTED: [&str; 3] = ["audit_log", "sign_ins", "logins"];

/// Something in the place of what a field has: what is called so, as it is sent.
fn hostile() -> Vec<(&'static str, String)> {
    let sent = |text: &str| encoded(&[("", text)]).trim_start_matches('=').to_owned();
    vec![
        ("nothing", String::new()),
        ("huge", "x".repeat(100_000)),
        ("markup", sent(MARKUP)),
        ("nul", "a%00b".to_owned()),
        ("control characters", "a%07%1B%5B2Jb".to_owned()),
        ("bidi", sent("a\u{202e}b\u{2066}c")),
        ("no UTF-8", "%FF%C0%80%ED%A0%80%zz%".to_owned()),
        ("a negative number", "-1".to_owned()),
        ("no finite number", "1e309".to_owned()),
        ("a number too great", "99999999999999999999".to_owned()),
        ("the greatest number", "9223372036854775807".to_owned()),
        ("the least number", "-9223372036854775808".to_owned()),
    ]
}

/// A form that is sent wrong.
struct Wrong<'a> {
    how: String,
    /// The field that is wrong; none where all are.
    field: Option<&'a FormField>,
    body: String,
}

/// The body of a form, in which one field may be sent another way.
fn body(token: &str, fields: &[FormField], other: Option<(usize, &str)>) -> String {
    let mut parts = vec![encoded(&[("csrf", token)])];
    for (at, field) in fields.iter().enumerate() {
        match other.filter(|(it, _)| *it == at) {
            Some((_, "")) => {}
            Some((_, sent)) => parts.push(sent.to_owned()),
            None => parts.push(encoded(&[(&field.name, &field.value)])),
        }
    }
    parts.join("&")
}

fn wrongs<'a>(token: &str, fields: &'a [FormField]) -> Vec<Wrong<'a>> {
    let everything = |how: &str, body: String| Wrong {
        how: how.to_owned(),
        field: None,
        body,
    };
    let mut wrongs = vec![everything("no field at all", encoded(&[("csrf", token)]))];
    for (at, field) in fields.iter().enumerate() {
        let name = encoded(&[(&field.name, "")]);
        let mut wrong = |how: String, sent: &str| {
            let body = body(token, fields, Some((at, sent)));
            wrongs.push(Wrong {
                how: format!("{}: {how}", field.name),
                field: Some(field),
                body,
            });
        };
        wrong("missing".to_owned(), "");
        // What nobody types is wrong in fewer ways: they are alike to whoever reads an identifier.
        let few = ["huge", "markup", "no UTF-8", "the least number"];
        for (how, value) in hostile() {
            if field.filled == Filled::Unseen && !few.contains(&how) {
                continue;
            }
            wrong(how.to_owned(), &format!("{name}{value}"));
        }
        let markup = encoded(&[(&field.name, MARKUP)]);
        wrong(
            "twice".to_owned(),
            &format!("{markup}&{}", encoded(&[(&field.name, &field.value)])),
        );
        wrong("900 times".to_owned(), &vec![markup; 900].join("&"));
    }
    if let Some((at, typed)) = fields
        .iter()
        .enumerate()
        .find(|(_, it)| it.filled == Filled::Typed)
    {
        let huge = format!("{}{}", encoded(&[(&typed.name, "")]), "x".repeat(300_000));
        wrongs.push(everything(
            "more than is taken",
            body(token, fields, Some((at, &huge))),
        ));
    }
    wrongs
}

/// Everything that is kept, by table.
async fn kept(world: &World) -> BTreeMap<String, Vec<u8>> {
    let tables = "SELECT table_name FROM system_schema.tables WHERE keyspace_name = 'votes'";
    let tables = world.session.query(tables, ()).await.unwrap().into_rows();
    let mut kept = BTreeMap::new();
    for table in tables.typed::<(String,)>().unwrap() {
        let (table,) = table.unwrap();
        if !NOTED.contains(&table.as_str()) {
            // That a vote was refused is kept, for whoever asks again. No record is.
            let what = match table.as_str() {
                "vote_chain" => "DISTINCT user, head, head_seq",
                _ => "*",
            };
            let all = world
                .session
                .query(&format!("SELECT {what} FROM votes.{table}"), ())
                .await;
            kept.insert(table, all.unwrap().into_rows().as_bytes().to_vec());
        }
    }
    kept
}

/// A form on its page, before somebody who may send it.
struct Stage {
    world: World,
    place: Place,
    /// How many places the route has.
    places: usize,
    forms: Vec<PageForm>,
    token: String,
    cookies: BTreeMap<String, String>,
    /// How many requests came, each from another address.
    sent: u32,
}

impl Stage {
    async fn set(route: &Route, at: usize) -> Self {
        let site = SiteSettings {
            is_behind_proxy: true,
            ..SiteSettings::default()
        };
        let world = World::with(site).await;
        let mut places = places(&world, route.path()).await;
        assert!(at < places.len(), "{route:?} has no place of its form here");
        let count = places.len();
        let place = places.swap_remove(at);
        let mut browser = match place.who {
            "" => world.browser(),
            who => world.signed_in(who).await,
        };
        let mut page = browser.get(&place.page).await;
        let token = page.field("csrf");
        if !place.first.is_empty() {
            let mut first = vec![("csrf", token.as_str())];
            first.extend(
                place
                    .first
                    .iter()
                    .map(|(name, value)| (*name, value.as_str())),
            );
            page = browser.post(&place.action, &first).await;
        }
        assert_eq!(page.status, 200, "{route:?}: {}", page.text);
        let mut found = forms(&page.text);
        found.retain(|form| form.action == place.action);
        for form in &mut found {
            form.fields.retain(|field| field.name != "csrf");
            for field in &mut form.fields {
                let told = place.fill.iter().find(|(name, _)| *name == field.name);
                if let Some((_, value)) = told {
                    field.value.clone_from(value);
                }
            }
        }
        found.dedup_by_key(|form| names(&form.fields));
        assert!(
            !found.is_empty(),
            "{route:?}: no form goes to {} on {}",
            place.action,
            place.page
        );
        let cookies = browser.cookies.clone();
        Self {
            place,
            places: count,
            forms: found,
            token,
            cookies,
            world,
            sent: 0,
        }
    }

    fn fields(&self, form: usize) -> Vec<FormField> {
        self.forms.get(form).unwrap().fields.clone()
    }

    async fn send(&mut self, body: &str) -> Page {
        self.sent += 1;
        let mut browser: Browser<'_> = self.world.browser();
        browser.cookies.clone_from(&self.cookies);
        browser.from = format!("10.0.{}.{}", self.sent / 250, self.sent % 250 + 1);
        browser.post_body(&self.place.action, body.to_owned()).await
    }
}

fn names(fields: &[FormField]) -> Vec<String> {
    fields.iter().map(|it| it.name.clone()).collect()
}

/// Whether it was done, or led on to what is to be done next.
fn is_taken(page: &Page) -> bool {
    page.status == 303 || page.status == 200
}

/// The main part of a page.
fn main_of(page: &Page) -> &str {
    page.text
        .split_once("<main")
        .map_or(page.text.as_str(), |(_, main)| main)
}

/// What a page says is wrong.
fn summary(page: &Page) -> String {
    let found = main_of(page).split_once("role=\"alert\"");
    let text = found.map_or(main_of(page), |(_, summary)| summary);
    format!("{} {text:.500}", page.status)
}

/// What is wrong with the answer to a form that was sent wrong.
fn faults(fields: &[FormField], wrong: &Wrong<'_>, page: &Page) -> Vec<String> {
    let mut faults = Vec::new();
    if page.status >= 500 || page.status == 429 {
        faults.push(format!("is answered by {}", summary(page)));
    }
    if page.has("<script>alert") {
        faults.push("puts what was sent into the page as it is".to_owned());
    }
    if is_taken(page) {
        return faults;
    }
    let main = main_of(page);
    let alerts = main.split("role=\"alert\"").skip(1);
    let focused = alerts.filter(|it| it.split('>').next().unwrap().contains(" autofocus"));
    if focused.count() != 1 {
        faults.push(format!("has no summary with the focus: {}", summary(page)));
    }
    // Who changed what nobody types gets a plain refusal, and so does who sends nothing, or too much.
    if wrong.field.is_none_or(|it| it.filled == Filled::Unseen) {
        return faults;
    }
    if !main.contains("id=\"mistakes\"") {
        faults.push(format!("is answered by another page: {}", summary(page)));
    }
    for other in fields.iter().filter(|it| it.filled == Filled::Typed) {
        let sent = match wrong.field == Some(other) {
            true => form_value(&wrong.body, &other.name),
            false => other.value.clone(),
        };
        if !main.contains(&escaped(sent.trim())) {
            faults.push(format!(
                "forgets what was typed as {}: {}",
                other.name,
                summary(page)
            ));
        }
    }
    faults
}

/// What the first field of a name says in a body.
fn form_value(body: &str, name: &str) -> String {
    let fields = stoa_web::fields::Fields::parse(body.as_bytes());
    fields.get(name).to_owned()
}

async fn try_route(route: &Route) -> Vec<String> {
    let mut faults = Vec::new();
    let mut at = 0;
    loop {
        let stage = Stage::set(route, at).await;
        for form in 0..stage.forms.len() {
            faults.extend(try_form(route, at, form).await);
        }
        at += 1;
        if at == stage.places {
            return faults;
        }
    }
}

async fn try_form(route: &Route, at: usize, form: usize) -> Vec<String> {
    let mut stage = Stage::set(route, at).await;
    let fields = stage.fields(form);
    let right = body(&stage.token, &fields, None);
    let right = stage.send(&right).await;
    let what = format!("{} ({})", route.path(), names(&fields).join(", "));
    if !is_taken(&right) {
        return vec![format!("{what} as it stands: {}", summary(&right))];
    }
    let mut faults_of_form = Vec::new();
    stage = Stage::set(route, at).await;
    let mut before = kept(&stage.world).await;
    for number in 0..wrongs("", &fields).len() {
        let fields = stage.fields(form);
        let token = stage.token.clone();
        let wrong = wrongs(&token, &fields).swap_remove(number);
        let mut page = stage.send(&wrong.body).await;
        if page.status == 429 {
            // Tries at a password run out, and so do others.
            stage.world.clock.advance(Duration::from_secs(600));
            page = stage.send(&wrong.body).await;
        }
        let found = faults(&fields, &wrong, &page);
        let what = format!("{what} with {}", wrong.how);
        faults_of_form.extend(found.into_iter().map(|it| format!("{what} {it}")));
        let after = kept(&stage.world).await;
        if !is_taken(&page) && after != before {
            let mut changed = after.keys().collect::<Vec<_>>();
            changed.retain(|table| after.get(*table) != before.get(*table));
            faults_of_form.push(format!("{what} is refused and changes {changed:?}"));
        }
        // Also what is only noted may end what comes after, such as a login.
        if page.status == 303 || after != before {
            stage = Stage::set(route, at).await;
            before = kept(&stage.world).await;
        }
    }
    faults_of_form
}

async fn try_routes(is_meant: impl Fn(Access) -> bool) {
    let changing = routes()
        .into_iter()
        .filter(|it| it.effect() == Effect::Changes);
    let mut faults = Vec::new();
    for route in changing.filter(|it| is_meant(it.access())) {
        faults.extend(try_route(&route).await);
    }
    assert!(
        faults.is_empty(),
        "{} faults:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

#[tokio::test]
async fn forms_for_all_refuse_what_is_wrong_and_keep_what_was_typed() {
    try_routes(|access| matches!(access, Access::Anyone | Access::SignedIn)).await;
}

#[tokio::test]
async fn forms_for_members_refuse_what_is_wrong_and_keep_what_was_typed() {
    try_routes(|access| access == Access::Member).await;
}

#[tokio::test]
async fn forms_for_moderators_refuse_what_is_wrong_and_keep_what_was_typed() {
    try_routes(|access| matches!(access, Access::Roles(_))).await;
}

#[tokio::test]
async fn forms_for_admins_refuse_what_is_wrong_and_keep_what_was_typed() {
    try_routes(|access| access == Access::Admin).await;
}
