//! What the domain says when it refuses, in other languages than its own.

/// What a refusal says in a language; none where the domain's own English holds, which also has the
/// numbers.
#[must_use]
pub fn of_code(language: &str, code: &str) -> Option<&'static str> {
    match language {
        "de" => german(code),
        _ => None,
    }
}

fn german(code: &str) -> Option<&'static str> {
    Some(match code {
        "name_too_short" => "Ein Name hat mindestens 3 Zeichen",
        "name_too_long" => "Ein Name hat höchstens 30 Zeichen",
        "name_bad_character" => "Ein Name hat nur Buchstaben, Ziffern und die Zeichen - _ .",
        "name_reserved" => "Dieser Name ist nicht zu haben",
        "name_taken" => "Dieser Name, oder einer, der so aussieht, ist vergeben",
        "email_invalid" => "Das ist keine E-Mail-Adresse",
        "email_taken" => "Mit dieser Adresse gibt es schon ein Konto",
        "email_unverified" => "Bestätigen Sie zuerst Ihre E-Mail-Adresse",
        "password_too_short" => "Ein Passwort hat mindestens 8 Zeichen",
        "password_too_long" => "Ein Passwort hat höchstens 1024 Bytes",
        "password_too_common" => "Dieses Passwort versucht jeder zuerst",
        "wrong_credentials" => "Name oder Passwort ist falsch",
        "token_invalid" => "Dieser Link gilt nicht mehr; fordern Sie einen neuen an",
        "token_used" => "Dieser Link wurde schon benutzt",
        "not_signed_in" => "Sie sind nicht angemeldet",
        "not_allowed" => "Das dürfen Sie nicht",
        "no_such_user" => "Diese Person gibt es nicht",
        "account_ended" => "Dieses Konto ist beendet",
        "request_reused" => "Dieses Formular wurde schon für etwas anderes benutzt",
        "nothing_to_do" => "Es würde sich nichts ändern",
        "too_many_changes" => "Das sind zu viele Änderungen auf einmal",
        "too_many_votes" => "Das sind zu viele Stimmen auf einmal",
        "no_such_policy" => "Diesen Vorschlag gibt es nicht",
        "policy_merged" => "Dieser Vorschlag wurde zusammengelegt",
        "policy_closed" => "Dieser Vorschlag ist geschlossen; die Stimmen sind wieder frei",
        "policy_withdrawn" => "Dieser Vorschlag wurde zurückgezogen und nimmt keine Stimmen mehr",
        "too_few_on_policy" => "So viele Stimmen haben Sie dort nicht",
        "overdraft" => "So viele Stimmen haben Sie nicht übrig",
        "nothing_to_undo" => "Es gibt nichts rückgängig zu machen",
        "not_undoable" => "Das lässt sich nicht mehr rückgängig machen",
        "clock_off" => "Die Uhr dieses Servers geht falsch; er nimmt keine Stimmen an",
        "stale_basis" => "Ihre Stimmen wurden inzwischen anderswo geändert",
        "page_changed" => "Die Seite wurde inzwischen geändert",
        "bad_cursor" => "Diese Stelle der Liste gibt es nicht",
        "title_too_short" => "Ein Titel hat mindestens 5 Zeichen",
        "title_too_long" => "Ein Titel hat höchstens 120 Zeichen",
        "title_bad_character" => "Ein Titel ist eine Zeile aus sichtbaren Zeichen",
        "description_too_long" => "Eine Beschreibung hat höchstens 20.000 Zeichen",
        "text_bad_character" => "Ein Text hat nur sichtbare Zeichen",
        "too_many_links" => "Ein Vorschlag hat höchstens 10 Links",
        "bad_link" => "Ein Link beginnt mit http:// oder https:// und hat höchstens 500 Zeichen",
        "no_such_category" => "Diese Kategorie gibt es nicht",
        "no_such_party" => "Diese Partei gibt es nicht",
        "body_empty" => "Ein Kommentar hat einen Text",
        "body_too_long" => "Ein Kommentar hat höchstens 10.000 Zeichen",
        "body_bad_character" => "Ein Kommentar hat nur sichtbare Zeichen",
        "too_many_comments" => "Sie haben in einer Stunde 30 Kommentare geschrieben",
        "too_many_policies" => "Eine Person kann höchstens 5 Vorschläge am Tag machen",
        _ => return None,
    })
}
