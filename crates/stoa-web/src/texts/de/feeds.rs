//! German: feeds.

use crate::texts::feeds::FeedTexts;

pub(super) const TEXTS: FeedTexts = FeedTexts {
    all_news: "Alle Neuigkeiten",
    comments: "Neue Kommentare",
    ranking: "Endgültige Ranglisten",
    of: |what| format!("Neues: {what}"),
    created: |policy| format!("Neuer Vorschlag: {policy}"),
    edited: |policy| format!("Neuer Text: {policy}"),
    commented: |name, policy| format!("@{name} zu {policy}"),
    responded: |policy| format!("Offizielle Antwort: {policy}"),
    milestone: |policy| format!("Fortschritt: {policy}"),
    merged: |policy| format!("Zusammengelegt: {policy}"),
    retired: |policy| format!("Geschlossen: {policy}"),
};
