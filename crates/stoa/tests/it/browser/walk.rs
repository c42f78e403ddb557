//! Every page that the router knows, as somebody sees it: found by following links, in light and dark,
//! on a desktop and on a phone; judged by axe-core, photographed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use stoa_web::route::{Access, Effect, Route};
use stoa_web::router::routes;

use super::site::Site;
use super::window::Window;

/// What axe-core finds, each with where: rules of WCAG 2.2 AA and what is good practice.
const JUDGE: &str = r"
    const [only, done] = arguments;
    const options = {resultTypes: ['violations']};
    if (only) options.runOnly = {type: 'rule', values: only};
    axe.run(document, options).then(
        found => done(found.violations.map(it => it.id + ': ' + it.help + ': ' +
            it.nodes.slice(0, 3).map(node => node.html.slice(0, 160)).join(' | '))),
        error => done(['axe-core: ' + error]));";

/// There only as long as there is no admin; another walk looks at it.
const FIRST_ADMIN: &str = "/first-admin";

/// The rules that depend on colours.
const OF_COLOURS: [&str; 2] = ["color-contrast", "link-in-text-block"];
/// The rules that depend on how wide a screen is.
const OF_WIDTH: [&str; 3] = [
    "target-size",
    "scrollable-region-focusable",
    "css-orientation-lock",
];

/// What hangs over the side, if the page is wider than the screen.
const SIDEWAYS: &str = r"
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return '';
    const wide = [...document.querySelectorAll('body *')].filter(it =>
        it.getBoundingClientRect().right > width + 1 && it.checkVisibility());
    return document.documentElement.scrollWidth + ' px: ' + wide.slice(0, 3).map(it => it.outerHTML.slice(0, 120)).join(' | ');";

/// Where links of the page lead, on this site.
const LINKS: &str = r"
    return [...document.querySelectorAll('a[href]')].filter(it => it.origin === location.origin)
        .map(it => it.pathname + it.search);";

/// A walk of one person.
pub(super) struct Walk<'a> {
    window: &'a Window,
    site: &'a Site,
    axe: &'a str,
    who: &'a str,
    /// What is wrong, by page.
    found: Vec<String>,
    /// Pages that were looked at, by name.
    seen: BTreeMap<String, String>,
}

impl<'a> Walk<'a> {
    /// A walk through a site, with the script of axe-core.
    pub(super) fn new(window: &'a Window, site: &'a Site, axe: &'a str, who: &'a str) -> Self {
        Self {
            window,
            site,
            axe,
            who,
            found: Vec::new(),
            seen: BTreeMap::new(),
        }
    }

    /// Opens one page for each route that `may` lets in, found by links from these pages and from every
    /// one without a parameter, and looks at those that are worth it.
    pub(super) fn everywhere(
        &mut self,
        from: &[&str],
        may: impl Fn(Access) -> bool,
        is_worth: impl Fn(&Route) -> bool,
    ) {
        let is_read = |it: &Route| it.effect() == Effect::Reads && it.path() != FIRST_ADMIN;
        let routes: Vec<Route> = routes()
            .into_iter()
            .filter(|it| is_read(it) && may(it.access()))
            .collect();
        let plain = routes
            .iter()
            .map(Route::path)
            .filter(|path| !path.contains('{'));
        let from: Vec<String> = from.iter().map(|it| (*it).to_owned()).collect();
        let plain = plain.map(str::to_owned);
        let mut waiting: VecDeque<String> = from.iter().cloned().chain(plain).collect();
        let (mut met, mut opened) = (BTreeSet::new(), BTreeSet::new());
        while let Some(path) = waiting.pop_front() {
            let bare = path.split('?').next().unwrap();
            // The most exact route, as the router itself chooses.
            let route = routes.iter().filter(|it| is_at(it.path(), bare));
            let Some(route) = route.min_by_key(|it| it.path().matches('{').count()) else {
                continue;
            };
            let is_new = met.insert(route.path()) || from.contains(&path);
            if !is_new || !opened.insert(path.clone()) {
                continue;
            }
            let head = self.site.head(&path, &self.window.cookies());
            if head.status == 303 {
                waiting.push_front(head.location);
            } else if head.status == 404 && path == route.path() {
                // It says nothing without the fields that links to it have.
                met.remove(route.path());
            } else if head.status != 200 {
                self.found.push(format!("{path}: answers {}", head.status));
            } else if head.kind.starts_with("text/html") {
                self.window.open(&path);
                if is_worth(route) {
                    let is_other = self.seen.contains_key(&name_of(route.path(), &path));
                    let mark = if is_other { "-other" } else { "" };
                    self.look(&format!("{}{mark}", name_of(route.path(), &path)));
                }
                let links = self.window.run(LINKS, &json!([]));
                let links = links.as_array().unwrap().iter();
                waiting.extend(links.map(|it| it.as_str().unwrap().to_owned()));
            }
        }
        let missed = routes
            .iter()
            .filter(|it| is_worth(it) && !met.contains(it.path()));
        self.found
            .extend(missed.map(|it| format!("{}: no page has a link to it", it.path())));
    }

    /// Looks at the page that is open, in every light and from near and far.
    pub(super) fn look(&mut self, name: &str) {
        if let Some(before) = self.seen.insert(name.to_owned(), self.window.place()) {
            assert_eq!(before, self.window.place(), "two pages are called {name}");
        }
        self.window
            .run(&format!("if (!window.axe) {{ {} }}", self.axe), &json!([]));
        self.at(name, 1280, false, &Value::Null);
        self.at(name, 1280, true, &json!(OF_COLOURS));
        self.at(name, 390, true, &json!(OF_COLOURS));
        self.at(name, 390, false, &json!(OF_WIDTH));
        for width in [390, 320] {
            self.window.become_wide(width, false);
            let wide = self.window.run(SIDEWAYS, &json!([]));
            if wide != "" {
                self.tell(&format!("{name} at {width} px is wide as {wide}"));
            }
        }
        self.window.become_wide(1280, false);
        for complaint in self.window.complaints() {
            self.tell(&format!("{name}: {complaint}"));
        }
    }

    fn at(&mut self, name: &str, width: u32, is_dark: bool, rules: &Value) {
        let light = if is_dark { "dark" } else { "light" };
        self.window.become_wide(width, is_dark);
        self.window.picture(
            &folder()
                .join(self.who)
                .join(format!("{name}-{width}-{light}.png")),
        );
        let judge = || self.window.run_long(JUDGE, &json!([rules]));
        let found = judge().or_else(judge);
        for violation in found.unwrap().as_array().unwrap() {
            self.tell(&format!(
                "{name} at {width} px, {light}: {}",
                violation.as_str().unwrap()
            ));
        }
    }

    fn tell(&mut self, what: &str) {
        self.found.push(format!("{}: {what}", self.window.place()));
    }

    /// Fails if anything was wrong anywhere.
    pub(super) fn end(self) {
        let mut report = String::new();
        for finding in &self.found {
            let _ = writeln!(report, "- {finding}");
        }
        assert!(
            self.found.is_empty(),
            "{} sees {} things wrong:\n{report}",
            self.who,
            self.found.len()
        );
        assert!(!self.seen.is_empty(), "no page was looked at");
    }
}

/// Where pictures are put.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("../screenshots")
}

/// Whether a path is that of a route.
fn is_at(route: &str, path: &str) -> bool {
    let (mut parts, mut there) = (route.split('/'), path.split('/'));
    loop {
        match (parts.next(), there.next()) {
            (None, None) => return true,
            (Some(part), Some(it))
                if part == it || (part.starts_with('{') && !it.is_empty() && it != "-") => {}
            _ => return false,
        }
    }
}

/// What the pictures of a page are called.
fn name_of(route: &str, path: &str) -> String {
    let query = path.split_once('?').map_or("", |(_, query)| query);
    let text = format!("{route}-{query}");
    let letters = text
        .chars()
        .map(|it| if it.is_alphanumeric() { it } else { '-' });
    let name: String = letters.collect();
    let parts: Vec<&str> = name.split('-').filter(|it| !it.is_empty()).collect();
    match parts.is_empty() {
        true => "home".to_owned(),
        false => parts.join("-"),
    }
}
