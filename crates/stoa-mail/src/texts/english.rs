//! English: letters.

use super::{Template, Words};

pub(super) const WORDS: Words = Words {
    templates: TEMPLATES,
    happening,
    case,
    more: |count| format!("and {count} more"),
};

const TEMPLATES: [Template; 8] = [
    Template {
        kind: "verify_email",
        subject: "Confirm your e-mail address for {site}",
        path: "/verify-email?token={token}",
        text: "Hello {name},\n\n\
            somebody, hopefully you, registered at {site} with this e-mail address. To confirm \
            that it is yours, open this link:\n\n{link}\n\n\
            It works once, and for a week. If it was not you, ignore this mail: without your \
            confirmation nobody can vote with your address.\n",
    },
    Template {
        kind: "reset_password",
        subject: "A new password for {site}",
        path: "/reset-password?token={token}",
        text: "Hello {name},\n\n\
            somebody, hopefully you, asked for a new password at {site}. To choose one, open \
            this link:\n\n{link}\n\n\
            It works once, and not for long. If it was not you, ignore this mail: your password \
            stays as it is.\n",
    },
    Template {
        kind: "change_address",
        subject: "Your new e-mail address for {site}",
        path: "/confirm-address?token={token}",
        text: "Hello {name},\n\n\
            somebody, hopefully you, asked to have this e-mail address at {site} from now on. To \
            confirm that it is yours, open this link:\n\n{link}\n\n\
            It works once, and for a day. If it was not you, ignore this mail: nothing changes \
            without your confirmation.\n",
    },
    Template {
        kind: "address_asked",
        subject: "Your e-mail address for {site} is about to change",
        path: "/forgot",
        text: "Hello {name},\n\n\
            somebody, hopefully you, asked at {site} to have another e-mail address in place of \
            this one. It changes once the new one is confirmed; then nothing is sent here any \
            more.\n\n\
            If it was not you, somebody knows your password. Choose another one at once:\n\n\
            {link}\n",
    },
    Template {
        kind: "address_in_use",
        subject: "You have an account at {site} already",
        path: "/forgot",
        text: "Hello {name},\n\n\
            somebody, perhaps you, wanted to use this e-mail address for another account at \
            {site}. It has one already, which is called {name}, and an address has one account \
            only. If you forgot the password, ask for a new one:\n\n{link}\n\n\
            If it was not you, ignore this mail: nothing was changed.\n",
    },
    Template {
        kind: "digest",
        subject: "What is new at {site}",
        path: "/notifications",
        text: "Hello {name},\n\n\
            this is new since you were here ({count}):\n\n{news}\n\n\
            Everything is here:\n\n{link}\n",
    },
    Template {
        kind: "open_cases",
        subject: "Open cases at {site}: {count}",
        path: "/desk/cases",
        text: "Hello {name},\n\n\
            cases that wait for somebody to look at them: {count}.\n\n{cases}\n\n{link}\n",
    },
    Template {
        kind: "salary",
        subject: "Your {votes} votes at {site} have arrived",
        path: "/votes",
        text: "Hello {name},\n\n\
            your {votes} votes of the new period have arrived. You have {balance} to spend:\n\n\
            {link}\n",
    },
];

fn happening(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "created" => "it was created",
        "edited" => "its text was changed",
        "commented" => "a new comment",
        "replied" => "an answer to your comment",
        "tagged" => "its tags were changed",
        "responded" => "an official response",
        "milestone" => "news of its progress",
        "merge_proposed" => "merging it is proposed",
        "merge_objected" => "an owner objects to the merge that you proposed",
        "merged" => "it was merged",
        "retired" => "it was closed",
        "hidden" => "it was hidden until somebody has looked at it",
        "shown" => "it is shown again",
        "deleted" => "it was taken away",
        "rank_moved" => "its rank changed by much",
        "report_decided" => "your report was decided",
        "role_changed" => "your role was changed",
        _ => return None,
    })
}

fn case(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "policy" => "policies",
        "comment" => "comments",
        "tag" => "tags",
        "user" => "people",
        "access" => "people who cannot get in",
        "duplicate_account" => "signs of second accounts",
        _ => return None,
    })
}
