//! German: what runs, and what was written down.

use crate::texts::admin_running::AdminRunningTexts;

pub(super) const TEXTS: AdminRunningTexts = AdminRunningTexts {
    nothing_runs: "Hier wird nichts im Hintergrund erledigt. So hat es gewählt, wer diese Instanz gestartet hat.",
    tasks_about: "Was im Hintergrund erledigt wird. Jede Aufgabe darf jederzeit und überall laufen, und zweimal schadet nicht.",
    task: "Aufgabe",
    every: "Wie oft",
    last_run: "Zuletzt",
    result: "Ergebnis",
    never: "noch nicht",
    took: |millis| format!("dauerte {millis} ms"),
    done: "Erledigt",
    failed: |times| match times {
        1 => "Einmal gescheitert".to_owned(),
        _ => format!("{times}-mal hintereinander gescheitert"),
    },
    run_now: "Jetzt ausführen",
    asked: |task| {
        format!(
            "{task} läuft in wenigen Sekunden. Laden Sie die Seite neu, um das Ergebnis zu sehen."
        )
    },
    elsewhere: "läuft anderswo",
    seconds: |seconds| match seconds {
        86_400 => "jeden Tag".to_owned(),
        3_600 => "jede Stunde".to_owned(),
        60 => "jede Minute".to_owned(),
        it if it.is_multiple_of(60) => format!("alle {} Minuten", it / 60),
        it => format!("alle {it} Sekunden"),
    },
    instances_about: "Programme, die dieser Gemeinschaft jetzt dienen. Jedes meldet sich alle zwei Minuten und fehlt nach fünf.",
    instance: "Instanz",
    this_one: "diese hier",
    version: "Version",
    started: "Gestartet",
    load: "Last",
    no_instances: "Noch hat sich niemand gemeldet",
    no_instances_more: "Eine Instanz meldet sich in den zwei Minuten nach ihrem Start.",
    log_about: "Was Instanzen gemeldet haben, das Letzte zuerst. Es wird dreißig Tage aufgehoben.",
    day: "Tag",
    show: "Zeigen",
    every_instance: "Jede Instanz",
    level: "Gewicht",
    info: "Hinweis",
    warning: "Warnung",
    error: "Fehler",
    at: "Zeit",
    what: "Was geschah",
    no_lines: "An diesem Tag wurde nichts gemeldet",
    no_lines_more: "Gemeldet wird nur, was nicht gelang; das ist also eine gute Nachricht.",
    earlier: |day| format!("← {day}"),
    later: |day| format!("{day} →"),
    most_lines: |most| format!("Gezeigt werden die letzten {most} Zeilen."),
    audit_about: "Einmal am Tag wird alles mit den Stimmen jedes Mitglieds verglichen: jede Zahl, Auszahlung und jeder abgeschlossene Tag, bis zur einzelnen Stimme.",
    no_audit: "Es gab noch keine Prüfung",
    no_audit_more: "Die erste läuft von selbst. Sie können sie auch jetzt ausführen.",
    balanced: "Die Bücher stimmen, bis zur einzelnen Stimme",
    not_balanced: "Die Prüfung hat etwas gefunden",
    not_balanced_more: "Ein erster Fund kann Stimmen betreffen, die gerade gezählt wurden; eine Minute später wird noch einmal nachgesehen. Was bleibt, ist ein Fehler: Keine abgegebene Stimme geht dadurch verloren, aber der Betreiber sollte ihm nachgehen.",
    findings: "Funde",
    audit_at: |moment| format!("Geprüft am {moment}"),
    audit_now: "Jetzt prüfen",
    acts_about: "Alles, was Menschen mit Rollen damit taten, das Letzte zuerst. Was öffentlich heißt, steht auch im öffentlichen Protokoll.",
    who: "Wer",
    to_what: "Woran",
    why: "Näheres",
    seen_by: "Zu sehen für",
    public: "alle",
    not_public: "Admins",
    no_acts: "An diesem Tag tat niemand etwas mit einer Rolle",
    no_acts_more: "Sehen Sie an einem anderen Tag nach.",
    older: "Früher an diesem Tag",
    newest: "Das Letzte dieses Tages",
    operator: "Betreiber dieser Seite",
    outbox_about: "Mails der letzten Woche. Ist kein Mailserver eingerichtet, können Sie eine wartende Mail öffnen und ihren Link weitergeben.",
    all_mail: "Alle",
    waiting: "Wartet",
    sent: "Gesendet",
    not_sent: "Gescheitert",
    to: "An",
    erased: "gelöscht",
    kind: "Mail",
    kind_name: |kind| match kind {
        "verify_email" => Some("Adresse bestätigen"),
        "reset_password" => Some("Neues Passwort"),
        "change_address" => Some("Neue Adresse"),
        "address_asked" => Some("Adresse ändert sich"),
        "address_in_use" => Some("Adresse hat ein Konto"),
        "digest" => Some("Was es Neues gibt"),
        "open_cases" => Some("Offene Fälle"),
        "salary" => Some("Stimmen sind da"),
        _ => None,
    },
    written: "Geschrieben",
    tries: "Versuche",
    next_try: |moment| format!("nächster {moment}"),
    open: "Öffnen",
    open_named: |kind, to| format!("„{kind}“ an {to} öffnen"),
    no_mail: "Keine solche Mail an diesem Tag",
    no_mail_more: "Wählen Sie einen anderen Tag oder alle Mails.",
    more_mail: "Weitere Mails",
    mail_title: |kind| format!("Mail: {kind}"),
    mail_about: "Dieser Link lässt jeden, der ihn hat, in das Konto. Geben Sie ihn nur der Person, der die Adresse gehört. Dass Sie ihn geöffnet haben, steht bei den Handlungen.",
    read_ask: "Beim Öffnen sehen Sie einen Link, der in ein Konto führt; dass Sie es taten, wird bei den Handlungen notiert.",
    link: "Link zum Weitergeben",
    no_site: "Diese Seite wurde ohne ihre Adresse (--site) gestartet; setzen Sie die Adresse, die alle benutzen, vor den Link.",
    fields: "Was darin steht",
    task_about: |task| match task {
        "votes.drain_intents" => {
            Some("Beendet Stimmabgaben, die vor mehr als zwei Minuten begonnen wurden.")
        }
        "votes.close_day" => Some("Schließt jeden Tag ab, sobald er vorbei ist."),
        "votes.finish_merges" => Some("Beendet begonnene Zusammenlegungen."),
        "votes.measure" => Some("Misst, wie breit geänderte Vorschläge unterstützt werden."),
        "votes.tell_watchers" => Some("Meldet denen, die beobachten, was geschah."),
        "votes.sweep_creations" => {
            Some("Entfernt nach einer Stunde Vorschläge, aus denen nichts wurde.")
        }
        "votes.sweep_claims" => {
            Some("Gibt Namen und Adressen frei, die niemand fertig beansprucht hat.")
        }
        "votes.finish_proposals" => {
            Some("Legt zusammen, wozu die Verfasser ja oder nicht nein sagten.")
        }
        "votes.finish_talk" => Some("Beendet begonnene Kommentare, Meldungen und Entscheidungen."),
        "votes.mail_moderators" => {
            Some("Meldet der Moderation neue Fälle, höchstens einmal in der Stunde.")
        }
        "votes.rewrite_tags" => {
            Some("Ordnet Listen von Schlagwörtern nach Zusammenlegungen und Löschungen.")
        }
        "votes.rank_days" => Some("Schreibt die endgültige Rangliste jedes abgeschlossenen Tages."),
        "votes.rank_hours" => Some("Schreibt die Rangliste der vergangenen Stunde."),
        "votes.count_tags" => {
            Some("Zählt Schlagwörter und Kategorien und findet, was gefragt oder verwandt ist.")
        }
        "votes.send_digests" => Some("Legt Zusammenfassungen in den Postausgang."),
        "votes.erase_deleted" => Some("Löscht die Texte entfernter Vorschläge."),
        "votes.sweep_comments" => Some("Löscht Kommentare, die vor 30 Tagen entfernt wurden."),
        "votes.recount" => Some("Summiert die Stimmen jedes Vorschlags neu."),
        "votes.audit" => {
            Some("Vergleicht alles mit den Stimmen der Mitglieder und sagt, was nicht stimmt.")
        }
        "votes.refresh_board" => {
            Some("Bringt Ranglisten und Listen auf jeder Instanz auf den neuesten Stand.")
        }
        "votes.mail_salaries" => Some("Meldet per Mail, dass Stimmen einer neuen Periode da sind."),
        "votes.check_export" => {
            Some("Schreibt die öffentlichen Zeilen jedes abgeschlossenen Tages nach und prüft sie.")
        }
        "votes.compare_votes" => Some("Sucht neue Konten, die wie ein anderes abstimmen."),
        "votes.measure_clock" => {
            Some("Vergleicht auf jeder Instanz die Uhr mit der der Datenbank.")
        }
        "votes.send_mail" => Some("Sendet, was im Postausgang liegt."),
        "votes.refresh_search" => Some("Bringt den Suchindex auf den neuesten Stand."),
        "votes.write_export" => Some("Schreibt das öffentliche Verzeichnis in seinen Ordner."),
        _ => None,
    },
};
