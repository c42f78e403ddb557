//! German: my votes.

use crate::texts::votes::VotesTexts;

pub(super) const TEXTS: VotesTexts = VotesTexts {
    title: "Meine Stimmen",
    next_pay: |votes, day| format!("Nächste Zahlung: {votes} Stimmen am {day}"),
    budget: "Haushalt",
    on_policies: "Auf Vorschlägen",
    burned: "Verfallen",
    left: "Übrig",
    of_paid: |votes| format!("von {votes} gezahlten"),
    by_policy: "Ihre Stimmen nach Vorschlag",
    policy: "Vorschlag",
    now: "Jetzt",
    new_total: "Neue Summe",
    change: "Änderung",
    price: "Preis",
    no_price: "keiner",
    edited: "geändert",
    burns: |votes| format!("{votes} verfallen"),
    fewer_of: |title| format!("10 von {title} nehmen"),
    more_of: |title, left| format!("10 zu {title}, Sie haben {left} übrig"),
    total_for: |title| format!("Neue Summe für {title}"),
    edits: |count| match count {
        0 => "Keine Änderung".to_owned(),
        1 => "Eine Änderung".to_owned(),
        _ => format!("{count} Änderungen"),
    },
    adds: "Mehr",
    returns: "Zurück",
    burns_all: "Verfallen",
    left_after: "Übrig",
    work_out: "Preis ausrechnen",
    save: "Speichern",
    save_burn: |votes| format!("Speichern, {votes} verfallen"),
    too_much: |missing| {
        format!("Das braucht {missing} Stimmen mehr, als Sie haben. Es wurde nichts gespeichert.")
    },
    bad_number: |title| format!("{title}: eine ganze Zahl ab 0"),
    changed: "In einem anderen Fenster geändert",
    changed_more: "Ihre Stimmen wurden anderswo gespeichert; das gilt, und «Jetzt» zeigt es. Ihre Änderungen unten wurden nicht gespeichert. Sie sind noch da und neu ausgepreist.",
    changed_line: |title, before, now| format!("{title}: vorher {before}, jetzt {now}"),
    go_on: "Mit meinen Änderungen weiter",
    drop_them: "Verwerfen und neu laden",
    saved: "Gespeichert",
    undo_until: |until| {
        format!("Das letzte Speichern lässt sich bis {until} kostenlos rückgängig machen.")
    },
    undo: "Rückgängig machen",
    undone: "Rückgängig gemacht. Alles ist wie zuvor.",
    none: "Noch keine Stimmen vergeben",
    none_more: |votes| format!("Sie haben {votes} zum Anfangen."),
    see_ranking: "Zur Rangliste",
    statement: "Kontoauszug",
    statement_more: "Neueste zuerst. Was geschlossene Vorschläge zurückgaben, und Zahlungen, stecken in den Zahlen oben.",
    day: "Tag",
    entry: "Eintrag",
    votes: "Stimmen",
    receipt: "Beleg",
    receipt_of: |seq| format!("Beleg {seq}"),
    kind_vote: "Stimmen",
    kind_create: "Vorgeschlagen",
    kind_undo: "Rückgängig",
    kind_final: "Konto beendet",
    older: "Ältere Einträge",
    receipt_not_yet: |day| {
        format!(
            "Dieser Eintrag zählt für {day}, der noch offen ist. Der Beleg entsteht, wenn der Tag abgeschlossen ist."
        )
    },
    receipt_hidden: |day| format!("Das öffentliche Verzeichnis zeigt vom {day} nur Summen."),
    receipt_line: "Ihr Eintrag ist diese Zeile des öffentlichen Verzeichnisses:",
    line_hash: "Prüfsumme der Zeile",
    day_hash: "Prüfsumme des Tages",
};
