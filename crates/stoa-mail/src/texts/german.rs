//! German: letters.

use super::{Template, Words};

pub(super) const WORDS: Words = Words {
    templates: TEMPLATES,
    happening,
    case,
    more: |count| format!("und {count} weitere"),
};

const TEMPLATES: [Template; 8] = [
    Template {
        kind: "verify_email",
        subject: "Bestätigen Sie Ihre E-Mail-Adresse für {site}",
        path: "/verify-email?token={token}",
        text: "Guten Tag {name},\n\n\
            jemand, hoffentlich Sie, hat sich bei {site} mit dieser E-Mail-Adresse registriert. \
            Um zu bestätigen, dass es Ihre ist, öffnen Sie diesen Link:\n\n{link}\n\n\
            Er gilt einmal und eine Woche lang. Waren Sie es nicht, beachten Sie diese Mail nicht: \
            ohne Ihre Bestätigung kann niemand mit Ihrer Adresse abstimmen.\n",
    },
    Template {
        kind: "reset_password",
        subject: "Ein neues Passwort für {site}",
        path: "/reset-password?token={token}",
        text: "Guten Tag {name},\n\n\
            jemand, hoffentlich Sie, hat bei {site} um ein neues Passwort gebeten. Um eines zu \
            wählen, öffnen Sie diesen Link:\n\n{link}\n\n\
            Er gilt einmal und nicht lange. Waren Sie es nicht, beachten Sie diese Mail nicht: Ihr \
            Passwort bleibt, wie es ist.\n",
    },
    Template {
        kind: "change_address",
        subject: "Ihre neue E-Mail-Adresse für {site}",
        path: "/confirm-address?token={token}",
        text: "Guten Tag {name},\n\n\
            jemand, hoffentlich Sie, möchte bei {site} ab jetzt diese E-Mail-Adresse haben. Um zu \
            bestätigen, dass es Ihre ist, öffnen Sie diesen Link:\n\n{link}\n\n\
            Er gilt einmal und einen Tag lang. Waren Sie es nicht, beachten Sie diese Mail nicht: \
            ohne Ihre Bestätigung ändert sich nichts.\n",
    },
    Template {
        kind: "address_asked",
        subject: "Ihre E-Mail-Adresse für {site} soll sich ändern",
        path: "/forgot",
        text: "Guten Tag {name},\n\n\
            jemand, hoffentlich Sie, möchte bei {site} eine andere E-Mail-Adresse haben als diese. \
            Sie ändert sich, sobald die neue bestätigt ist; dann kommt hier nichts mehr an.\n\n\
            Waren Sie es nicht, kennt jemand Ihr Passwort. Wählen Sie gleich ein anderes:\n\n\
            {link}\n",
    },
    Template {
        kind: "address_in_use",
        subject: "Sie haben schon ein Konto bei {site}",
        path: "/forgot",
        text: "Guten Tag {name},\n\n\
            jemand, vielleicht Sie, wollte diese E-Mail-Adresse für ein weiteres Konto bei {site} \
            verwenden. Mit ihr gibt es schon eines, es heißt {name}, und eine Adresse hat nur ein \
            Konto. Haben Sie das Passwort vergessen, fordern Sie ein neues an:\n\n{link}\n\n\
            Waren Sie es nicht, beachten Sie diese Mail nicht: es wurde nichts geändert.\n",
    },
    Template {
        kind: "digest",
        subject: "Was es bei {site} Neues gibt",
        path: "/notifications",
        text: "Guten Tag {name},\n\n\
            das ist neu, seit Sie da waren ({count}):\n\n{news}\n\n\
            Alles steht hier:\n\n{link}\n",
    },
    Template {
        kind: "open_cases",
        subject: "Offene Fälle bei {site}: {count}",
        path: "/desk/cases",
        text: "Guten Tag {name},\n\n\
            so viele Fälle warten darauf, dass jemand sie ansieht: {count}.\n\n{cases}\n\n{link}\n",
    },
    Template {
        kind: "salary",
        subject: "Ihre {votes} Stimmen bei {site} sind da",
        path: "/votes",
        text: "Guten Tag {name},\n\n\
            Ihre {votes} Stimmen der neuen Periode sind da. Sie haben {balance} zu vergeben:\n\n\
            {link}\n",
    },
];

fn happening(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "created" => "ist neu",
        "edited" => "der Text wurde geändert",
        "commented" => "ein neuer Kommentar",
        "replied" => "eine Antwort auf Ihren Kommentar",
        "tagged" => "die Schlagworte wurden geändert",
        "responded" => "eine offizielle Antwort",
        "milestone" => "Neues vom Fortgang",
        "merge_proposed" => "eine Zusammenlegung ist vorgeschlagen",
        "merge_objected" => "jemand widerspricht der Zusammenlegung, die Sie vorgeschlagen haben",
        "merged" => "wurde zusammengelegt",
        "retired" => "wurde geschlossen",
        "hidden" => "ist verborgen, bis ihn jemand geprüft hat",
        "shown" => "ist wieder zu sehen",
        "deleted" => "wurde entfernt",
        "rank_moved" => "der Rang hat sich stark geändert",
        "report_decided" => "über Ihre Meldung ist entschieden",
        "role_changed" => "Ihre Rolle hat sich geändert",
        _ => return None,
    })
}

fn case(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "policy" => "Vorschläge",
        "comment" => "Kommentare",
        "tag" => "Schlagworte",
        "user" => "Personen",
        "access" => "Personen, die nicht hineinkommen",
        "duplicate_account" => "Zeichen für Zweitkonten",
        _ => return None,
    })
}
