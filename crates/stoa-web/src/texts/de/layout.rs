//! German: the head, the foot, the ways between pages.

use crate::texts::layout::LayoutTexts;

pub(super) const TEXTS: LayoutTexts = LayoutTexts {
    skip: "Zum Inhalt springen",
    main_nav: "Hauptmenü",
    ranking: "Rangliste",
    my_votes: "Meine Stimmen",
    create: "Vorschlagen",
    desk: "Moderation",
    search: "Suche",
    purse: |votes| format!("{votes} Stimmen"),
    more_on: |votes, day| format!("+{votes} am {day}"),
    sign_in: "Anmelden",
    sign_out: "Abmelden",
    register: "Registrieren",
    confirm_first: "Bestätigen Sie Ihre E-Mail-Adresse, um abzustimmen.",
    send_again: "Link noch einmal senden",
    last_closed: |day| format!("Letzter abgeschlossener Tag: {day}, Prüfsumme"),
    none_closed: "Noch ist kein Tag abgeschlossen.",
    theme: "Darstellung",
    system: "System",
    light: "Hell",
    dark: "Dunkel",
    language: "Sprache",
    times: "Zeiten in UTC.",
};
