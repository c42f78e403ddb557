//! The codes that clients rely on: none goes, none changes, and what is new is written down here.

/// What stands in the source of each kind of refusal, and its codes.
const CODES: &[(&str, &[&str])] = &[
    (
        include_str!("../../src/model/refusal.rs"),
        &[
            "account_ended",
            "clock_off",
            "malformed_request_id",
            "no_such_policy",
            "not_undoable",
            "nothing_to_do",
            "nothing_to_undo",
            "overdraft",
            "policy_closed",
            "policy_merged",
            "policy_withdrawn",
            "request_reused",
            "too_few_on_policy",
            "too_many_changes",
            "too_many_votes",
        ],
    ),
    (
        include_str!("../../src/model/account_refusal.rs"),
        &[
            "account_ended",
            "email_invalid",
            "email_taken",
            "email_unverified",
            "name_bad_character",
            "name_looks_alike",
            "name_reserved",
            "name_taken",
            "name_too_long",
            "name_too_short",
            "no_such_user",
            "not_allowed",
            "not_signed_in",
            "password_too_common",
            "password_too_long",
            "password_too_short",
            "real_name_bad_character",
            "real_name_too_long",
            "request_reused",
            "same_account",
            "token_invalid",
            "token_used",
            "wrong_credentials",
        ],
    ),
    (
        include_str!("../../src/model/config_refusal.rs"),
        &[
            "already_decided",
            "before_decision",
            "cost_out_of_range",
            "decision_too_soon",
            "decision_within_period",
            "percent_out_of_range",
            "period_out_of_range",
            "salary_out_of_range",
            "unspent_out_of_range",
            "window_out_of_range",
        ],
    ),
    (
        include_str!("../../src/model/page_refusal.rs"),
        &[
            "about_too_long",
            "bad_key",
            "bad_link",
            "bad_merge",
            "bad_name",
            "bad_response",
            "description_too_long",
            "featured_backwards",
            "featured_twice",
            "no_reason",
            "no_such_category",
            "no_such_party",
            "no_such_policy",
            "no_such_proposal",
            "not_an_owner",
            "note_too_long",
            "nothing_to_do",
            "others_vote",
            "page_changed",
            "policy_closed",
            "policy_not_shown",
            "proposal_decided",
            "request_reused",
            "text_bad_character",
            "title_bad_character",
            "title_too_long",
            "title_too_short",
            "too_many_featured",
            "too_many_links",
            "too_many_policies",
            "too_many_versions",
        ],
    ),
    (
        include_str!("../../src/model/ranking_refusal.rs"),
        &[
            "bad_cursor",
            "policy_not_listed",
            "window_empty",
            "window_too_long",
        ],
    ),
    (
        include_str!("../../src/model/talk_refusal.rs"),
        &[
            "body_bad_character",
            "body_empty",
            "body_too_long",
            "case_decided",
            "case_not_taken",
            "case_taken",
            "comment_hidden",
            "comment_removed",
            "edit_too_late",
            "measure_impossible",
            "no_such_case",
            "no_such_comment",
            "no_such_policy",
            "no_such_target",
            "not_author",
            "own_doing",
            "policy_deleted",
            "policy_hidden",
            "policy_merged",
            "reason_bad_character",
            "reason_empty",
            "reason_too_long",
            "subject_bad_character",
            "subject_too_long",
            "too_many_comments",
            "too_many_reports",
        ],
    ),
    (
        include_str!("../../src/model/tag_refusal.rs"),
        &[
            "already_tagged",
            "no_such_policy",
            "no_such_tag",
            "not_tagged",
            "policy_not_active",
            "reason_too_long",
            "same_tag",
            "tag_bad_character",
            "tag_blocked",
            "tag_merged",
            "tag_name_taken",
            "tag_too_long",
            "tag_too_short",
            "too_many_suggestions",
            "too_many_tags",
        ],
    ),
    (
        include_str!("../../src/model/watch_refusal.rs"),
        &["no_such_policy", "too_many_watched"],
    ),
    (
        include_str!("../../src/model/ledger_refusal.rs"),
        &["privacy_locked", "votes_not_public"],
    ),
];

/// Codes of answers that are no refusals.
const OTHERS: &[(&str, &[&str])] = &[
    (
        include_str!("../../src/model/not_done.rs"),
        &["outcome_unknown"],
    ),
    (
        include_str!("../../src/ops/submit.rs"),
        &["outcome_unknown", "stale_basis"],
    ),
];

/// The codes that a source gives: what its arms lead to.
fn codes(source: &str) -> Vec<&str> {
    let after = source.split("=> ").skip(1);
    let text = after.filter_map(|rest| rest.trim_start_matches(['{', ' ', '\n']).strip_prefix('"'));
    let mut codes: Vec<&str> = text
        .filter_map(|rest| Some(rest.split_once('"')?.0))
        .collect();
    codes.sort_unstable();
    codes
}

#[test]
fn every_refusal_has_the_code_it_always_had() {
    for (source, expected) in CODES.iter().chain(OTHERS) {
        let title = source.lines().next().unwrap_or_default();
        assert_eq!(codes(source), *expected, "{title}");
    }
}

#[test]
fn a_code_is_small_letters_and_says_one_thing_in_each_kind() {
    for (source, _) in CODES.iter().chain(OTHERS) {
        let all = codes(source);
        let mut once = all.clone();
        once.dedup();
        assert_eq!(all, once);
        for code in all {
            let is_plain = code.bytes().all(|it| it.is_ascii_lowercase() || it == b'_');
            assert!(is_plain && !code.is_empty(), "{code}");
        }
    }
}
