//! What the domain says when it refuses, in other languages than its own; and in English where the
//! domain names a policy by what no person reads.

/// What a refusal says in a language; none where the domain's own English holds, which also has the
/// numbers.
#[must_use]
pub fn of_code(language: &str, code: &str) -> Option<&'static str> {
    match language {
        "de" => german(code).or_else(|| german_of_admins(code)),
        _ => english(code),
    }
}

fn english(code: &str) -> Option<&'static str> {
    Some(match code {
        "no_such_policy" => "There is no such policy",
        "policy_merged" => "This policy was merged into another one",
        "policy_closed" => "This policy is closed; the votes on it are free again",
        "policy_withdrawn" => "This policy was closed by its owner and takes no more votes",
        "too_few_on_policy" => "You do not have so many votes on this policy",
        _ => return None,
    })
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
        _ => return german_of_members(code),
    })
}

/// The same about what members do besides voting.
fn german_of_members(code: &str) -> Option<&'static str> {
    Some(match code {
        "name_looks_alike" => {
            "Dieser Name sieht aus wie ein vergebener; ähnliche Buchstaben und Ziffern zählen als gleich"
        }
        "real_name_too_long" => "Ein Vor- oder Nachname hat höchstens 100 Zeichen",
        "real_name_bad_character" => "Ein Vor- oder Nachname ist eine Zeile aus sichtbaren Zeichen",
        "no_reason" => "Sagen Sie, warum, in 3 bis 500 Zeichen",
        "note_too_long" => "Eine Bemerkung zu einer Änderung hat höchstens 200 Zeichen",
        "others_vote" => {
            "Andere haben für diesen Vorschlag gestimmt; nur die Moderation kann ihn schließen"
        }
        "too_many_versions" => "Dieser Text wurde 500 Mal geändert; mehr geht nicht",
        "no_such_proposal" => "Diese Zusammenlegung gibt es nicht",
        "proposal_decided" => "Über diese Zusammenlegung ist schon entschieden",
        "not_an_owner" => "Gefragt sind nur die Eigentümer der Vorschläge",
        "subject_too_long" => "Das hat höchstens 200 Zeichen",
        "subject_bad_character" => "Das ist eine Zeile aus sichtbaren Zeichen",
        "reason_empty" => "Sagen Sie, warum",
        "reason_too_long" => "Das hat höchstens 2.000 Zeichen",
        "reason_bad_character" => "Das hat nur sichtbare Zeichen",
        "policy_hidden" => "Dieser Vorschlag ist verborgen, bis ihn jemand geprüft hat",
        "policy_deleted" => "Dieser Vorschlag wurde entfernt",
        "no_such_comment" => "Diesen Kommentar gibt es nicht",
        "comment_removed" => "Dieser Kommentar wurde entfernt",
        "comment_hidden" => "Dieser Kommentar ist verborgen, bis ihn jemand geprüft hat",
        "not_author" => "Dieser Kommentar ist nicht von Ihnen",
        "own_doing" => "Das ist von Ihnen selbst",
        "edit_too_late" => "Ein Kommentar lässt sich 24 Stunden lang bearbeiten",
        "too_many_reports" => {
            "Es waren zu viele Meldungen in einer Stunde; versuchen Sie es in der nächsten"
        }
        "no_such_target" => "Das gibt es nicht, oder es lässt sich nicht melden",
        "tag_too_short" => "Ein Schlagwort hat mindestens 2 Zeichen",
        "tag_too_long" => "Ein Schlagwort hat höchstens 30 Zeichen",
        "tag_bad_character" => {
            "Ein Schlagwort hat nur Buchstaben, Ziffern, Leerzeichen und Bindestriche"
        }
        "tag_blocked" => "Dieses Schlagwort wurde gelöscht und ist gesperrt",
        "no_such_tag" => "Dieses Schlagwort gibt es nicht",
        "too_many_tags" => "Ein Vorschlag hat höchstens 10 Schlagworte",
        "already_tagged" => "Der Vorschlag hat dieses Schlagwort schon",
        "not_tagged" => "Der Vorschlag hat dieses Schlagwort nicht",
        "too_many_suggestions" => {
            "Sie haben heute so viele Schlagworte vorgeschlagen, wie man darf"
        }
        "policy_not_active" => "Dieser Vorschlag lässt sich nicht mehr ändern",
        "window_empty" => "Eine Rangliste blickt mindestens einen Tag zurück",
        "window_too_long" => "Eine Rangliste blickt höchstens 3.660 Tage zurück",
        "policy_not_listed" => "Dieser Vorschlag steht in keiner Rangliste",
        "votes_not_public" => "Diese Gemeinschaft zeigt nicht, wer wofür stimmt",
        "malformed_request_id" => "Dieses Formular ist beschädigt; laden Sie die Seite neu",
        "too_many_watched" => "Sie beobachten 1.000 Vorschläge; mehr geht nicht",
        _ => return german_of_moderators(code),
    })
}

/// The same about what moderators do.
fn german_of_moderators(code: &str) -> Option<&'static str> {
    Some(match code {
        "no_such_case" => "Diesen Fall gibt es nicht",
        "case_taken" => "Diesen Fall bearbeitet jemand anderes",
        "case_not_taken" => "Übernehmen Sie den Fall zuerst",
        "case_decided" => "Über diesen Fall ist schon entschieden",
        "measure_impossible" => "Das geht damit nicht",
        "bad_response" => {
            "Eine Antwort hat 1 bis 10.000 Zeichen, ein Stand höchstens 500, ein Meilenstein 1 bis 500"
        }
        "policy_not_shown" => "Dieser Vorschlag ist nicht für alle zu sehen",
        "bad_merge" => "Zusammenlegen lassen sich 2 bis 20 Vorschläge, die für Stimmen offen sind",
        "tag_merged" => "Dieses Schlagwort zählt schon für ein anderes",
        "tag_name_taken" => "Ein anderes Schlagwort heißt so; legen Sie die beiden zusammen",
        "same_tag" => "Das ist ein und dasselbe Schlagwort",
        "same_account" => "Das ist ein und dasselbe Konto",
        _ => return None,
    })
}

/// The same about what admins decide: what holds, categories and parties, the front page.
fn german_of_admins(code: &str) -> Option<&'static str> {
    Some(match code {
        "decision_too_soon" => {
            "Ein Beschluss gilt frühestens in einer Stunde, vom Beginn eines Tages an"
        }
        "decision_within_period" => {
            "Ein Beschluss beginnt mit einer Periode; dieser Tag liegt mitten in einer"
        }
        "before_decision" => {
            "Ein späterer Beschluss, schon gefasst, läge mitten in einer Periode von diesem"
        }
        "already_decided" => "Für diesen Tag ist schon etwas anderes beschlossen",
        "salary_out_of_range" => "Ausgezahlt werden 0 bis 1.000.000 Stimmen",
        "cost_out_of_range" => "Ein neuer Vorschlag kostet 0 bis 1.000.000 Stimmen",
        "percent_out_of_range" => "Verloren gehen 0 bis 100 Prozent",
        "period_out_of_range" => "Eine Periode hat 1 bis 366 Tage",
        "unspent_out_of_range" => "Die Grenze liegt bei 0 bis 1.000.000.000 Stimmen",
        "window_out_of_range" => "Ranglisten blicken 1 bis 366 Tage zurück",
        "privacy_locked" => "Der erste Tag ist abgeschlossen; das gilt für immer",
        "bad_key" => "Ein Schlüssel hat 2 bis 30 kleine Buchstaben, Ziffern und -",
        "bad_name" => "Ein Name hat 2 bis 80 sichtbare Zeichen",
        "about_too_long" => "Eine Beschreibung hat hier höchstens 2.000 Zeichen",
        "featured_twice" => "Ein Vorschlag steht an einem Tag nur einmal auf der Startseite",
        "policy_not_shown" => "Diesen Vorschlag sehen die Leute nicht",
        "too_many_featured" => "Auf der Startseite stehen an einem Tag höchstens 6 Vorschläge",
        "featured_backwards" => "Der letzte Tag liegt vor dem ersten",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    use stoa_votes::model::Refusal;

    use super::*;
    use crate::texts::LANGUAGES;

    /// Every code that the domain can refuse with, read where it stands.
    fn codes() -> BTreeSet<String> {
        let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../stoa-votes/src/model");
        let files = fs::read_dir(model).unwrap().map(|it| it.unwrap().path());
        let refusals = files.filter(|it| it.to_string_lossy().ends_with("refusal.rs"));
        let mut codes = BTreeSet::new();
        for file in refusals {
            let text = fs::read_to_string(file).unwrap();
            let named = text.lines().filter_map(|line| {
                let (left, right) = line.trim().split_once(" => \"")?;
                let code = right.strip_suffix("\",")?;
                left.starts_with("Self::").then(|| code.to_owned())
            });
            codes.extend(named);
        }
        codes
    }

    #[test]
    fn every_refusal_is_told_in_every_language() {
        let codes = codes();
        assert!(codes.len() > 100, "{codes:?}");
        for language in LANGUAGES.iter().filter(|it| it.code != "en") {
            let untold: Vec<&String> = codes
                .iter()
                .filter(|code| of_code(language.code, code).is_none())
                .collect();
            assert!(untold.is_empty(), "{}: {untold:?}", language.code);
        }
    }

    #[test]
    fn nobody_is_told_an_identifier() {
        let policy = stoa_votes::model::PolicyId(uuid::Uuid::from_u128(7));
        let refusals = [
            Refusal::NoSuchPolicy(policy),
            Refusal::ReleasedPolicy(policy),
            Refusal::WithdrawnPolicy(policy),
            Refusal::MergedPolicy {
                policy,
                into: policy,
            },
            Refusal::TooFewOnPolicy {
                policy,
                has: 3,
                asked: 5,
            },
        ];
        for refusal in refusals {
            assert!(refusal.to_string().contains(&policy.to_string()));
            for language in LANGUAGES {
                let told = of_code(language.code, refusal.code()).unwrap();
                assert!(!told.contains(&policy.to_string()), "{told}");
            }
        }
    }
}
