//! A window of a browser, as a person uses it: things are found by the names that are seen or read
//! out, and touched by mouse or by keys.

use serde_json::{Value, json};

use super::driver::{Driver, Refused};

/// Finds what has a name among the elements of a selector: the first that is called exactly that, or
/// else the first that begins so. What nobody sees is passed over.
const FIND: &str = r"
    const [selector, wanted] = arguments;
    const all = [...document.querySelectorAll(selector)].filter(it =>
        it.checkVisibility({visibilityProperty: true}) && !it.closest('[aria-hidden=true]'));
    const named = all.map(it => [it, nameOf(it)]);
    const found = named.find(([, name]) => name === wanted) ?? named.find(([, name]) => name.startsWith(wanted));
    return found ? found[0] : null;";

/// What an element is called by whoever reads it out.
const NAME: &str = r"
    const nameOf = it => ((it.getAttribute('aria-label') ?? '') || [...(it.labels ?? [])].map(label =>
        label.innerText).join(' ') || it.innerText || '').replace(/\s+/g, ' ').trim();";

/// The name of what has the focus, and whether a selector describes it.
const FOCUSED: &str = r"
    const it = document.activeElement;
    return [nameOf(it), it.matches(arguments[0])];";

/// The name of what the tab key goes to for a box: itself, or the one of its kind that is chosen, or
/// the first of them.
const FIRST: &str = r"
    const [it] = arguments;
    const all = it.type === 'radio' ? [...it.form.elements[it.name]] : [it];
    return nameOf(all.find(one => one.checked) ?? all[0]);";

/// Becomes true when the page has a text, in scripts or not.
const WAIT: &str = r"
    const [wanted, done] = arguments;
    const has = () => document.body.innerText.replace(/\s+/g, ' ').includes(wanted);
    if (has()) { done(true); return; }
    const over = setTimeout(() => done(false), 20000);
    new MutationObserver((_, watching) => {
        if (!has()) return;
        watching.disconnect(); clearTimeout(over); done(true);
    }).observe(document, {subtree: true, childList: true, characterData: true, attributes: true});";

/// What the standard calls the identifier of an element in JSON.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Links, and what unfolds.
const LINKS: &str = "a[href], summary";
const BUTTONS: &str = "button";
const FIELDS: &str = "input, textarea, select";

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const CONTROL: &str = "\u{e009}";
const DOWN: &str = "\u{e015}";
const DELETE: &str = "\u{e017}";
/// The keys that a page may need until the focus is where it shall be.
const MOST_TABS: usize = 400;

/// Among how many a person chooses at most.
const MOST_CHOICES: usize = 20;
/// What the driver says of a page that went away while a script ran in it.
const GONE: [&str; 3] = ["navigat", "unloaded", "script timeout"];
/// How often a page is asked again that went away.
const MOST_PAGES: usize = 5;
/// How often a page without scripts is looked at until it has what it shall have.
pub(super) const MOST_LOOKS: usize = 3_000;

/// What a person has to touch pages with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A mouse, and scripts run.
    Mouse,
    /// A mouse, and no scripts.
    NoScripts,
    /// Keys alone.
    Keys,
}

/// A browser with one window. It has a driver of its own, so that whatever happens to it happens to
/// no other.
pub(super) struct Window {
    driver: Driver,
    session: String,
    address: String,
    way: Way,
}

impl Window {
    /// A browser that knows nothing yet, for a site.
    pub(super) fn new(address: &str, way: Way) -> Self {
        let driver = Driver::start();
        let scripts = if way == Way::NoScripts { 2 } else { 1 };
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "unhandledPromptBehavior": "ignore",
            "goog:chromeOptions": {
                // Without a sandbox, since a build machine often runs as root; no name of another
                // machine is known, so that nothing leaves this one.
                "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                    "--hide-scrollbars", "--lang=en", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"],
                "prefs": {
                    "profile.managed_default_content_settings.javascript": scripts,
                    "credentials_enable_service": false,
                    "intl.accept_languages": "en",
                },
            },
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }}});
        let session = driver.call("POST", "/session", &wanted).unwrap();
        let session = session["sessionId"].as_str().unwrap().to_owned();
        let window = Self {
            driver,
            session,
            address: address.to_owned(),
            way,
        };
        window.become_wide(1280, false);
        window
    }

    pub(super) fn try_call(
        &self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<Value, Refused> {
        let path = format!("/session/{}{path}", self.session);
        self.driver.call(method, &path, body)
    }

    pub(super) fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.try_call(method, path, body);
        answer.unwrap_or_else(|refused| panic!("{method} {path} at {}: {refused:?}", self.place()))
    }

    /// Asks for something that only this browser can do.
    pub(super) fn command(&self, name: &str, params: &Value) -> Value {
        self.call(
            "POST",
            "/goog/cdp/execute",
            &json!({"cmd": name, "params": params}),
        )
    }

    /// Runs a script at the beginning of every page that comes.
    pub(super) fn before_pages(&self, script: &str) {
        self.command(
            "Page.addScriptToEvaluateOnNewDocument",
            &json!({"source": script}),
        );
    }

    /// Runs a script in the page, even where those of the page do not run.
    pub(super) fn run(&self, script: &str, arguments: &Value) -> Value {
        self.call(
            "POST",
            "/execute/sync",
            &json!({"script": script, "args": arguments}),
        )
    }

    /// Runs a script that tells later; none if the page went away meanwhile, which the driver does not
    /// always notice before its own limit.
    pub(super) fn run_long(&self, script: &str, arguments: &Value) -> Option<Value> {
        let body = json!({"script": script, "args": arguments});
        match self.try_call("POST", "/execute/async", &body) {
            Ok(value) => Some(value),
            Err(refused) if GONE.iter().any(|it| refused.0.contains(it)) => None,
            Err(refused) => panic!("at {}: {refused:?}", self.place()),
        }
    }

    /// Types an address of the site.
    pub(super) fn open(&self, path: &str) -> &Self {
        self.call(
            "POST",
            "/url",
            &json!({"url": format!("{}{path}", self.address)}),
        );
        self
    }

    /// Where it is, without the name of the site.
    pub(super) fn place(&self) -> String {
        let url = self.try_call("GET", "/url", &Value::Null);
        let url = url.map_or(String::new(), |it| {
            it.as_str().unwrap_or_default().to_owned()
        });
        url.strip_prefix(&self.address).unwrap_or(&url).to_owned()
    }

    /// What is read on the page.
    pub(super) fn text(&self) -> String {
        let text = self.run(
            r"return document.body.innerText.replace(/\s+/g, ' ')",
            &json!([]),
        );
        text.as_str().unwrap().to_owned()
    }

    /// Whether a text is on the page, now.
    pub(super) fn has(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// Waits until a text is on the page no more.
    pub(super) fn misses(&self, text: &str) -> &Self {
        let is_gone = (0..MOST_LOOKS).any(|_| !self.has(text));
        assert!(is_gone, "«{text}» stays at {}", self.place());
        self
    }

    /// Waits until a text is on the page.
    pub(super) fn sees(&self, text: &str) -> &Self {
        let is_there = match self.way {
            // Nothing tells when a page is there in which nothing runs.
            Way::NoScripts => (0..MOST_LOOKS).any(|_| self.has(text)),
            // A page that goes away meanwhile makes place for the one that has it.
            Way::Mouse | Way::Keys => (0..MOST_PAGES)
                .find_map(|_| self.run_long(WAIT, &json!([text])))
                .is_some_and(|it| it == true),
        };
        assert!(
            is_there,
            "no «{text}» at {}:\n{}",
            self.place(),
            self.text()
        );
        self
    }

    /// The identifier of an element by its name.
    fn find(&self, selector: &str, name: &str) -> Option<String> {
        let found = self.run(&format!("{NAME}{FIND}"), &json!([selector, name]));
        let id = found.as_object()?.values().next()?;
        Some(id.as_str().unwrap().to_owned())
    }

    fn element(&self, selector: &str, name: &str) -> String {
        let found = self.find(selector, name);
        found.unwrap_or_else(|| {
            panic!(
                "no {selector} «{name}» at {}:\n{}",
                self.place(),
                self.text()
            )
        })
    }

    /// Whether there is a button of a name.
    pub(super) fn offers(&self, name: &str) -> bool {
        self.find(BUTTONS, name).is_some()
    }

    /// Goes where a link leads, or unfolds what it names.
    pub(super) fn follow(&self, name: &str) -> &Self {
        self.touch(LINKS, name)
    }

    /// Presses a button.
    pub(super) fn press(&self, name: &str) -> &Self {
        self.touch(BUTTONS, name)
    }

    /// Ticks a box, or chooses one of several.
    pub(super) fn tick(&self, name: &str) -> &Self {
        if self.way == Way::Keys {
            // Tab goes to one of several that exclude each other, arrows go on among them.
            let first = self.run(
                &format!("{NAME}{FIRST}"),
                &json!([{ELEMENT: self.element(FIELDS, name)}]),
            );
            self.tab_to(FIELDS, first.as_str().unwrap());
            for _ in 0..MOST_CHOICES {
                if self.focused().starts_with(name) {
                    break;
                }
                self.keys(&[DOWN]);
            }
            self.keys(&[" "]);
        } else {
            self.click(&self.element(FIELDS, name));
        }
        self
    }

    /// Writes into a field, instead of what is there.
    pub(super) fn fill(&self, name: &str, text: &str) -> &Self {
        if self.way == Way::Keys {
            self.tab_to(FIELDS, name);
            self.chord(CONTROL, "a");
            self.keys(&[DELETE]);
            let letters: Vec<String> = text.chars().map(String::from).collect();
            self.keys(&letters.iter().map(String::as_str).collect::<Vec<_>>());
        } else {
            let id = self.element(FIELDS, name);
            self.call("POST", &format!("/element/{id}/clear"), &json!({}));
            self.call(
                "POST",
                &format!("/element/{id}/value"),
                &json!({"text": text}),
            );
        }
        self
    }

    /// Takes an entry of a list.
    pub(super) fn choose(&self, name: &str, entry: &str) -> &Self {
        if self.way == Way::Keys {
            self.tab_to(FIELDS, name);
            let letters: Vec<String> = entry.chars().map(String::from).collect();
            self.keys(&letters.iter().map(String::as_str).collect::<Vec<_>>());
        } else {
            let id = self.element(FIELDS, name);
            self.call(
                "POST",
                &format!("/element/{id}/value"),
                &json!({"text": entry}),
            );
        }
        self
    }

    fn touch(&self, selector: &str, name: &str) -> &Self {
        if self.way == Way::Keys {
            self.tab_to(selector, name);
            self.keys(&[ENTER]);
            // Unlike a click, a key is not waited for: any command is, while a page loads.
            self.settle();
        } else {
            let id = self.element(selector, name);
            self.click(&id);
        }
        self
    }

    fn click(&self, id: &str) {
        self.call("POST", &format!("/element/{id}/click"), &json!({}));
    }

    /// Waits until what a key began is there.
    fn settle(&self) {
        let script = "const [done] = arguments; requestAnimationFrame(() => setTimeout(() => done(true), 0));";
        let is_there =
            |script: &str| (0..MOST_PAGES).any(|_| self.run_long(script, &json!([])).is_some());
        let is_drawn = is_there(script);
        let loaded = "const [done] = arguments; document.readyState === 'complete' ? done(true) \
            : addEventListener('load', () => done(true));";
        assert!(
            is_drawn && is_there(loaded),
            "pages come and go at {}",
            self.place()
        );
    }

    /// Presses the tab key until something has the focus.
    fn tab_to(&self, selector: &str, name: &str) {
        // Where there are several, the one that a mouse would take: keys pass the others.
        let _ = self.element(selector, name);
        let script = format!("{NAME}{FOCUSED}");
        let mut passed = Vec::new();
        for _ in 0..MOST_TABS {
            let focused = self.run(&script, &json!([selector]));
            let named = focused[0].as_str().unwrap();
            if focused[1] == true && (named == name || named.starts_with(name)) {
                return;
            }
            passed.push(named.to_owned());
            self.keys(&[TAB]);
        }
        panic!("keys do not reach «{name}» at {}: {passed:?}", self.place());
    }

    fn keys(&self, keys: &[&str]) {
        let down_and_up = keys.iter().flat_map(|key| {
            [
                json!({"type": "keyDown", "value": key}),
                json!({"type": "keyUp", "value": key}),
            ]
        });
        let actions: Vec<Value> = down_and_up.collect();
        self.call(
            "POST",
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}),
        );
    }

    /// A key while another is held down.
    fn chord(&self, held: &str, key: &str) {
        let actions = json!([
            {"type": "keyDown", "value": held}, {"type": "keyDown", "value": key},
            {"type": "keyUp", "value": key}, {"type": "keyUp", "value": held},
        ]);
        self.call(
            "POST",
            "/actions",
            &json!({"actions": [{"type": "key", "id": "keys", "actions": actions}]}),
        );
    }

    /// The name of what has the focus.
    pub(super) fn focused(&self) -> String {
        let focused = self.run(&format!("{NAME}{FOCUSED}"), &json!(["*"]));
        focused[0].as_str().unwrap().to_owned()
    }

    /// Signs somebody in by the form.
    pub(super) fn sign_in(&self, name: &str, password: &str) -> &Self {
        self.open("/sign-in");
        self.fill("Member name or e-mail address", name);
        self.fill("Password", password)
            .press("Sign in")
            .sees(&format!("@{name}"))
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        // Ends the browser; the driver ends after it.
        let _ = self.try_call("DELETE", "", &Value::Null);
    }
}
