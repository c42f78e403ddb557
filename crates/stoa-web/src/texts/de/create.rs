//! German: proposing a policy.

use crate::texts::create::CreateTexts;

pub(super) const TEXTS: CreateTexts = CreateTexts {
    title: "Einen Vorschlag machen",
    steps: "Schritte",
    step_title: "Titel",
    step_similar: "Ähnliche Vorschläge",
    step_text: "Text",
    title_hint: "Ein Satz, 5 bis 120 Zeichen.",
    go_on: "Weiter",
    similar_question: "Hat das schon jemand vorgeschlagen?",
    similar_more: "Stimmen für einen Vorschlag wirken mehr als verteilte. Sehen Sie sich diese zuerst an.",
    no_similar: "Es wurde nichts Ähnliches gefunden.",
    text: "Text",
    text_hint: "Was, wo, bis wann. Bis zu 20.000 Zeichen, mit Markdown.",
    links: "Links",
    links_hint: "Einer in jeder Zeile, bis zu zehn.",
    category: "Kategorie",
    tags: "Schlagworte",
    tags_hint: "Bis zu zehn, mit Kommas dazwischen.",
    preview: "Vorschau",
    publish: |votes| format!("{votes} Stimmen ausgeben und veröffentlichen"),
    change: "Ändern",
    what_it_costs: "Was es kostet",
    in_purse: "In Ihrem Beutel",
    to_propose: "Für einen Vorschlag",
    left_after: "Danach übrig",
    become_votes: "Sie werden Ihre ersten Stimmen für den Vorschlag. Sie können sie später zum üblichen Preis zurücknehmen.",
    good: "Ein guter Vorschlag",
    good_one: "verlangt eine Sache;",
    good_where: "sagt, wo und bis wann;",
    good_yes: "lässt sich mit Ja oder Nein beantworten.",
    choose_category: "Wählen Sie eine Kategorie",
    purse_changed: "Ihre Stimmen wurden inzwischen anderswo geändert. Es wurde nichts veröffentlicht; sehen Sie nach, was übrig ist, und veröffentlichen Sie noch einmal.",
    too_few: |missing| format!("Ihnen fehlen {missing} Stimmen."),
    back: "Zurück",
    mine_differs: "Meiner ist anders, weiter",
    support_this: "Diesen unterstützen",
    support_label: |title| format!("Stattdessen {title} unterstützen"),
    step_place: "Kategorie und Schlagworte",
    step_cost: "Preis",
    party: "Partei",
    party_hint: "Nur wenn eine dahintersteht.",
    choose_party: "Wählen Sie eine Partei der Liste oder keine",
    cost_told: |votes| {
        format!(
            "Zum Veröffentlichen geben Sie {votes} Stimmen aus. Vor dem letzten Schritt wird nichts ausgegeben."
        )
    },
    to_preview: "Einverstanden, zur Vorschau",
};
