//! German: what went wrong.

use crate::texts::failed::FailedTexts;

pub(super) const TEXTS: FailedTexts = FailedTexts {
    not_found: "Diese Seite gibt es nicht",
    not_found_more: "Vielleicht ist die Adresse vertippt, oder die Seite gab es nie.",
    wrong_method: "Diese Adresse erwartet etwas anderes",
    wrong_method_more: "Sie lässt sich nur lesen, oder sie nimmt nur an, was eines unserer Formulare sendet. Es wurde nichts geändert.",
    gone: "Diese Seite wurde entfernt",
    gone_more: "Im öffentlichen Protokoll steht, von wem und warum.",
    sign_in_first: "Bitte zuerst anmelden",
    sign_in_more: "Das geht nur angemeldet. Es wurde nichts geändert.",
    confirm_first: "Bitte zuerst die E-Mail-Adresse bestätigen",
    confirm_more: "Bei der Registrierung haben wir Ihnen einen Link geschickt. Sie können einen neuen anfordern.",
    not_allowed: "Das dürfen Sie nicht",
    not_allowed_more: "Dafür braucht es eine Rolle, die Ihr Konto nicht hat.",
    forged: "Dieses Formular ist abgelaufen",
    forged_more: "Es wurde nichts geändert. Gehen Sie zurück, laden Sie die Seite neu und senden Sie noch einmal ab.",
    bad_request: "Das verstehen wir nicht",
    bad_request_more: "Was gesendet wurde, ist nicht das, wonach die Seite fragt. Es wurde nichts geändert.",
    too_large: "Das ist zu viel auf einmal",
    too_large_more: "Senden Sie weniger Text. Es wurde nichts geändert.",
    too_many: "Zu viele Versuche",
    busy: "Gerade ist zu viel los",
    again: |seconds| {
        format!("Versuchen Sie es in {seconds} Sekunden noch einmal. Es wurde nichts geändert.")
    },
    refused: "Das wurde nicht ausgeführt",
    unknown: "Ob das ausgeführt wurde, ist noch nicht bekannt",
    unknown_more: "Laden Sie die vorige Seite neu: Was dort steht, gilt. Dasselbe Formular noch einmal zu senden, wirkt nicht doppelt.",
    broken: "Hier ist etwas kaputt",
    broken_more: "Sie haben nichts falsch gemacht. Der Fehler wurde notiert; wer diese Seite betreibt, findet ihn unter der Nummer unten.",
    home: "Zur Startseite",
    request: |id| format!("Anfrage {id}"),
    search_label: "Etwas anderes suchen",
    attention: |count| match count {
        1 => "Eine Angabe stimmt noch nicht".to_owned(),
        _ => format!("{count} Angaben stimmen noch nicht"),
    },
};
