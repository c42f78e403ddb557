//! The forms of a page, as a browser finds them: where each goes, and what it sends as it stands.

/// Who fills a field in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filled {
    /// Somebody who types, and wants to find it again.
    Typed,
    /// Somebody who types, and never sees it again.
    Secret,
    /// Somebody who chooses.
    Chosen,
    /// The page itself: a hidden field, or the button that is pressed.
    Unseen,
}

/// A field, with what it has before anybody does anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FormField {
    pub(crate) name: String,
    pub(crate) value: String,
    pub(crate) filled: Filled,
}

/// A form that changes something.
#[derive(Debug, Clone)]
pub(crate) struct PageForm {
    pub(crate) action: String,
    pub(crate) fields: Vec<FormField>,
}

/// A tag, with what stands between it and the next one.
struct Tag<'a> {
    inside: &'a str,
    after: &'a str,
}

impl Tag<'_> {
    fn is(&self, name: &str) -> bool {
        let rest = self.inside.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    }

    fn has(&self, attribute: &str) -> bool {
        let bare = format!(" {attribute}");
        self.inside.contains(&format!("{bare}="))
            || self.inside.ends_with(&bare)
            || self.inside.contains(&format!("{bare} "))
    }

    fn value(&self, attribute: &str) -> String {
        let begins = format!(" {attribute}=\"");
        let found = self.inside.split_once(&begins);
        let value = found.and_then(|(_, rest)| rest.split('"').next());
        unescaped(value.unwrap_or_default())
    }
}

/// What a text of a page says.
fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

/// A text as it stands in a page.
pub(crate) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

fn tags(html: &str) -> impl Iterator<Item = Tag<'_>> {
    html.split('<').skip(1).filter_map(|part| {
        let (inside, after) = part.split_once('>')?;
        Some(Tag { inside, after })
    })
}

/// Every form of a page that changes something.
pub(crate) fn forms(page: &str) -> Vec<PageForm> {
    let forms = page.split("<form").skip(1);
    let forms = forms.map(|rest| rest.split("</form>").next().unwrap());
    forms
        .filter(|form| form.contains("method=\"post\""))
        .map(|form| {
            let head = tags_of_head(form);
            PageForm {
                action: head,
                fields: fields(form),
            }
        })
        .collect()
}

fn tags_of_head(form: &str) -> String {
    let inside = form.split('>').next().unwrap();
    Tag { inside, after: "" }.value("action")
}

/// The fields, with one of its buttons: the one that does what the form is for.
fn fields(form: &str) -> Vec<FormField> {
    let mut fields: Vec<FormField> = Vec::new();
    let mut buttons: Vec<(bool, FormField)> = Vec::new();
    let mut select: Option<usize> = None;
    for tag in tags(form) {
        let name = tag.value("name");
        let field = |filled, value| FormField {
            name: tag.value("name"),
            value,
            filled,
        };
        if tag.is("input") {
            let is_known = fields.iter().any(|it| it.name == name);
            match tag.value("type").as_str() {
                "hidden" => fields.push(field(Filled::Unseen, tag.value("value"))),
                "checkbox" | "radio" if is_known => {
                    if tag.has("checked") {
                        let known = fields.iter_mut().find(|it| it.name == name);
                        known.unwrap().value = tag.value("value");
                    }
                }
                "checkbox" | "radio" => fields.push(field(Filled::Chosen, tag.value("value"))),
                "password" => fields.push(field(Filled::Secret, String::new())),
                _ => fields.push(field(Filled::Typed, tag.value("value"))),
            }
        } else if tag.is("textarea") {
            let value = tag.after.strip_prefix('\n').unwrap_or(tag.after);
            fields.push(field(Filled::Typed, unescaped(value)));
        } else if tag.is("select") {
            select = Some(fields.len());
            fields.push(field(Filled::Chosen, String::new()));
        } else if tag.is("option") {
            let of = fields.get_mut(select.unwrap()).unwrap();
            if of.value.is_empty() || tag.has("selected") {
                of.value = tag.value("value");
            }
        } else if tag.is("button") && tag.has("name") {
            let class = tag.value("class");
            let is_main = ["go", "is-price", "is-bad"]
                .iter()
                .any(|it| class.split(' ').any(|part| part == *it));
            buttons.push((is_main, field(Filled::Unseen, tag.value("value"))));
        }
    }
    let main = buttons
        .iter()
        .find(|(is_main, _)| *is_main)
        .or(buttons.last());
    fields.extend(main.map(|(_, button)| button.clone()));
    fields
}

#[test]
fn what_a_form_sends_is_found() {
    let page = "<form method=\"get\" action=\"/search\"><input name=\"q\"></form>\
        <form class=\"row\" method=\"post\" action=\"/a?x=1&amp;y=2\">\
        <input type=\"hidden\" name=\"h\" value=\"1\"><input class=\"in\" name=\"t\" value=\"&lt;2\">\
        <textarea name=\"a\">\nthree\nlines</textarea>\
        <select name=\"s\"><option value=\"\"></option><option value=\"x\"></option>\
        <option value=\"y\" selected>Y</option></select>\
        <input type=\"radio\" name=\"r\" value=\"1\"><input type=\"radio\" name=\"r\" value=\"2\" checked>\
        <button class=\"vh\" name=\"do\" value=\"look\"></button>\
        <button class=\"btn go\" name=\"do\" value=\"save\">Save</button></form>";
    let forms = forms(page);
    assert_eq!(forms.len(), 1);
    let form = forms.first().unwrap();
    assert_eq!(form.action, "/a?x=1&y=2");
    let sent = form.fields.iter();
    let sent: Vec<_> = sent.map(|it| (&*it.name, &*it.value, it.filled)).collect();
    let expected = [
        ("h", "1", Filled::Unseen),
        ("t", "<2", Filled::Typed),
        ("a", "three\nlines", Filled::Typed),
        ("s", "y", Filled::Chosen),
        ("r", "2", Filled::Chosen),
        ("do", "save", Filled::Unseen),
    ];
    assert_eq!(sent, expected);
}
