//! German: home and rankings.

use crate::texts::front::FrontTexts;

pub(super) const TEXTS: FrontTexts = FrontTexts {
    title: "Was soll als Nächstes geschehen?",
    title_of: |community| format!("Was soll {community} als Nächstes tun?"),
    lead: |votes, part| {
        format!(
            "Jedes Mitglied bekommt regelmäßig {votes} Stimmen und gibt sie für Vorschläge aus. Stimmen lassen sich zurücknehmen; {part} Prozent davon verfallen. Die Reihenfolge zeigt also, was den Menschen etwas wert ist."
        )
    },
    spend: |votes| format!("Ihre {votes} Stimmen ausgeben"),
    propose: "Einen Vorschlag machen",
    colonnade: |days| {
        format!(
            "Stimmen der letzten {days} Tage für die führenden Vorschläge, als Säulen. Dieselben Zahlen stehen in der Tabelle darunter."
        )
    },
    blue: "Blaue Säulen tragen Ihre Stimmen",
    last_days: |days| format!("Letzte {days} Tage"),
    all_rankings: "Alle Ranglisten",
    featured: "Im Blickpunkt",
    rising: "Im Kommen",
    newest: "Neu",
    hot_categories: "Gefragte Kategorien",
    hot_tags: "Gefragte Schlagworte",
    empty: "Noch kein Vorschlag",
    empty_more: "Wer den ersten macht, gibt das Thema vor.",
    none_match: "Nichts gefunden",
    none_match_more: "Versuchen Sie alle Kategorien oder eine andere Ordnung.",
    show_all: "Alle Vorschläge zeigen",
    demo: |name, password| {
        format!(
            "Dies ist eine Vorführung. Melden Sie sich als {name} mit dem Passwort {password} an."
        )
    },
    ranking: "Rangliste",
    counted: |count| format!("{count} Vorschläge"),
    final_of: |day| format!("Endgültige Rangliste vom {day}"),
    order: "Ordnung",
    all_votes: "Alle Stimmen",
    days: |days| format!("{days} Tage"),
    discussed: "Meistbesprochen",
    contested: "Umstritten",
    random: "Zufällig",
    by_supporters: "Unterstützer",
    roots: "Quadratwurzeln",
    filter: "Auswahl",
    category: "Kategorie",
    every_category: "Alle",
    party: "Partei",
    tag: "Schlagwort",
    any_tag: "beliebig",
    state: "Stand",
    active: "Offen",
    closed: "Geschlossen",
    both: "Beide",
    day: "Tag",
    show: "Zeigen",
    only_mine: "Nur meine Stimmen",
    everything: "Alle Vorschläge",
    caption: "Vorschläge, der erste zuerst",
    next_page: |count| format!("Nächste {count}"),
    first_page: "Zurück zum Anfang",
    ranks: |from, to| format!("Plätze {from} bis {to}"),
    move_column: "Zug",
    policy_column: "Vorschlag",
    fourteen_days: "14 Tage",
    race_column: "Rennen",
    window_votes: |days| format!("Stimmen in {days} Tagen"),
    supporters: |count| format!("{count} Unterstützer"),
    comments: |count| match count {
        "1" => "1 Kommentar".to_owned(),
        _ => format!("{count} Kommentare"),
    },
    you: |votes| format!("Sie: {votes}"),
    to_beat: |votes, rank| format!("{votes} bis Platz {rank}"),
    leads_by: |votes| format!("führt mit {votes}"),
    not_ranked_before: "gestern noch nicht dabei",
    places_up: |places| format!("{places} Plätze hinauf seit gestern"),
    places_down: |places| format!("{places} Plätze hinunter seit gestern"),
    unchanged: "unverändert seit gestern",
    votes: |votes| format!("{votes} Stimmen"),
    rank_number: |rank| format!("Platz {rank}"),
    not_ranked: "Dieser Tag hat keine Rangliste: Er ist noch offen oder liegt vor dem Anfang.",
};
