//! German: the desk of moderators.

mod acts;
mod cases;
mod merges;
mod tags;
mod users;

use crate::texts::desk::DeskTexts;

pub(super) const TEXTS: DeskTexts = DeskTexts {
    cases: cases::TEXTS,
    merges: merges::TEXTS,
    tags: tags::TEXTS,
    users: users::TEXTS,
    acts: acts::TEXTS,
    title: "Moderation",
    overview: "Übersicht",
    reports: |count| match count {
        0 => "Meldungen".to_owned(),
        _ => format!("Meldungen ({count})"),
    },
    merges_way: "Zusammenlegen",
    tags_way: "Schlagworte",
    members: "Mitglieder",
    signals: "Hinweise",
    log: "Öffentliches Protokoll",
    desk_waiting: |count| match count {
        1 => "eine Meldung wartet".to_owned(),
        _ => format!("{count} Meldungen warten"),
    },
    all_cases: "Alle Meldungen",
    nothing_waits: "Nichts wartet",
    nothing_waits_more: "Über jede Meldung ist entschieden. Neue erscheinen hier, und einmal in der Stunde per Mail.",
    proposed_merges: "Laufende Zusammenlegungen",
    no_merges: "Zurzeit wird niemand nach einer Zusammenlegung gefragt.",
    new_merge: "Zusammenlegung vorschlagen",
    unanswered: "Vorn, und noch ohne Antwort",
    unanswered_more: "Aus den ersten zehn der Rangliste, ohne offizielle Antwort.",
    all_answered: "Die ersten zehn der Rangliste haben alle eine offizielle Antwort.",
    respond: |title| format!("Auf {title} antworten"),
    respond_short: "Antworten",
    suspected: "Konten zur Durchsicht",
    none_suspected: "Kein Hinweis auf ein zweites Konto ist stark genug.",
    reason: "Begründung",
    reason_hint: "Im öffentlichen Protokoll für alle zu lesen.",
    done: "Erledigt. Es steht im öffentlichen Protokoll.",
    somebody: "der Betreiber",
    sure_needed: "Setzen Sie zuerst das Häkchen: Es lässt sich nicht rückgängig machen",
    cancel: "Abbrechen",
    go_on: "Weiter",
    actions: "Moderation",
};
