//! German: search.

use crate::texts::search::SearchTexts;

pub(super) const TEXTS: SearchTexts = SearchTexts {
    title: "Suche",
    title_of: |words| format!("Suche: {words}"),
    label: "Suchen nach",
    hint: "Vorschläge, Schlagworte, Menschen und Kommentare",
    none: |words| format!("Nichts passt zu „{words}“"),
    none_more: "Versuchen Sie weniger oder kürzere Wörter.",
    not_there: "Die Suche ist noch nicht bereit",
    not_there_more: "Ihr Verzeichnis entsteht gerade. Sehen Sie solange in die Ranglisten.",
    propose: "Vorschlagen",
    policy: "Vorschlag",
    comment: "Kommentar",
    tag: "Schlagwort",
    person: "Person",
    kinds: "Wonach suchen",
    all: "Alles",
    policies: "Vorschläge",
    comments: "Kommentare",
    tags: "Schlagworte",
    people: "Menschen",
    counted: |count| match count {
        "1" => "1 Treffer".to_owned(),
        _ => format!("{count} Treffer"),
    },
    loose: "Nur wenige enthalten alle diese Wörter; gezeigt wird auch Ähnliches.",
    on_policy: |policy| format!("zu {policy}"),
    next: "Weitere Treffer",
    first: "Zurück zu den ersten",
};
