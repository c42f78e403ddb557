//! German: search.

use crate::texts::search::SearchTexts;

pub(super) const TEXTS: SearchTexts = SearchTexts {
    title: "Suche",
    label: "Suchen nach",
    hint: "Vorschläge, Schlagworte, Personen und Kommentare",
    none: |words| format!("Nichts gefunden zu „{words}“"),
    none_more: "Versuchen Sie ein kürzeres Wort.",
    propose: "Vorschlagen",
    policy: "Vorschlag",
    comment: "Kommentar",
    tag: "Schlagwort",
    person: "Person",
};
