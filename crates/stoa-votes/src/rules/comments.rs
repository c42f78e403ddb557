//! What a comment may be: its texts, how deep it stands, how long it can be edited.

use crate::model::{Comment, CommentId, CommentState, TalkRefusal, UserId};

/// Characters of a text at most.
pub const BODY_CHARACTERS: usize = 10_000;
/// Characters of a subject at most.
pub const SUBJECT_CHARACTERS: usize = 200;
/// Characters of a reason, or of what a reporter says, at most.
pub const REASON_CHARACTERS: usize = 2_000;
/// How deep comments stand at most. An answer to one that stands so deep stands beside it.
pub const MOST_DEPTH: i32 = 8;
/// How long a comment can be edited: a day.
pub const EDIT_MICROS: i64 = 86_400_000_000;
/// How long moderators can read the text of a removed comment: 30 days.
pub const KEPT_MICROS: i64 = 30 * 86_400_000_000;
/// How many comments one author writes in an hour at most.
pub const MOST_IN_AN_HOUR: i32 = 30;

/// What stands for a comment's text: ends of lines are those of Unix, and there is no space around.
///
/// # Errors
/// A refusal if that is empty, too long, or has a character that no text has.
pub fn body(text: &str) -> Result<String, TalkRefusal> {
    let text = tidied(text);
    if !text.chars().any(is_seen) {
        return Err(TalkRefusal::BodyEmpty);
    }
    if text.chars().any(is_bad) {
        return Err(TalkRefusal::BodyBadCharacter);
    }
    match text.chars().count() > BODY_CHARACTERS {
        true => Err(TalkRefusal::BodyTooLong),
        false => Ok(text),
    }
}

/// What stands for a comment's subject, which may be empty.
///
/// # Errors
/// A refusal if it is too long, or more than a line.
pub fn subject(text: &str) -> Result<String, TalkRefusal> {
    let text = text.trim();
    if text.chars().any(char::is_control) {
        return Err(TalkRefusal::SubjectBadCharacter);
    }
    match text.chars().count() > SUBJECT_CHARACTERS {
        true => Err(TalkRefusal::SubjectTooLong),
        false => Ok(text.to_owned()),
    }
}

/// What stands for a reason that must be given.
///
/// # Errors
/// A refusal if it is empty, too long, or has a character that no text has.
pub fn reason(text: &str) -> Result<String, TalkRefusal> {
    let text = words(text)?;
    match text.chars().any(is_seen) {
        true => Ok(text),
        false => Err(TalkRefusal::ReasonEmpty),
    }
}

/// What stands for words that may be missing.
///
/// # Errors
/// A refusal if they are too long, or have a character that no text has.
pub fn words(text: &str) -> Result<String, TalkRefusal> {
    let text = tidied(text);
    if text.chars().any(is_bad) {
        return Err(TalkRefusal::ReasonBadCharacter);
    }
    match text.chars().count() > REASON_CHARACTERS {
        true => Err(TalkRefusal::ReasonTooLong),
        false => Ok(text),
    }
}

/// Where an answer to a comment stands: under which, and how deep.
#[must_use]
pub fn place_below(answered: &Comment) -> (Option<CommentId>, i32) {
    match answered.depth >= MOST_DEPTH {
        true => (answered.parent, MOST_DEPTH),
        false => (Some(answered.id), answered.depth.saturating_add(1)),
    }
}

/// Whether a comment can be answered or marked.
///
/// # Errors
/// A refusal if it is removed or hidden.
pub fn check_readable(comment: &Comment) -> Result<(), TalkRefusal> {
    if comment.state != CommentState::Shown {
        return Err(TalkRefusal::CommentRemoved);
    }
    match comment.hidden_for {
        Some(_) => Err(TalkRefusal::CommentHidden),
        None => Ok(()),
    }
}

/// Whether a user may edit a comment now.
///
/// # Errors
/// A refusal if it is somebody else's, not to be read, or older than a day.
pub fn check_edit(comment: &Comment, by: UserId, now_micros: i64) -> Result<(), TalkRefusal> {
    if comment.author != by {
        return Err(TalkRefusal::NotAuthor);
    }
    check_readable(comment)?;
    match now_micros - comment.id.made_at_micros() > EDIT_MICROS {
        true => Err(TalkRefusal::EditTooLate),
        false => Ok(()),
    }
}

/// Browsers send the ends of lines of another age.
fn tidied(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

fn is_bad(character: char) -> bool {
    character.is_control() && !matches!(character, '\n' | '\t')
}

/// Whether anybody sees it: neither space nor one of the characters that have no width.
fn is_seen(character: char) -> bool {
    let has_no_width = matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{3164}' | '\u{feff}'
    );
    !character.is_whitespace() && !has_no_width
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use stoa_types::time_uuid;
    use uuid::Uuid;

    use super::*;
    use crate::model::PolicyId;

    fn comment(depth: i32) -> Comment {
        let id = time_uuid::from_unix_micros(1_000_000, 7);
        Comment {
            policy: PolicyId(Uuid::from_u128(1)),
            id: CommentId(id),
            parent: Some(CommentId(Uuid::from_u128(2))),
            answers: None,
            depth,
            author: UserId(Uuid::from_u128(3)),
            subject: String::new(),
            body: "text".to_owned(),
            version: id,
            state: CommentState::Shown,
            removal: None,
            hidden_for: None,
        }
    }

    #[test]
    fn texts_are_tidied_and_bad_ones_have_their_codes() {
        assert_eq!(body(" a\r\n\tb \r\n").unwrap(), "a\n\tb");
        let code = |text: &str| body(text).map_or_else(TalkRefusal::code, |_| "done");
        assert_eq!(code(""), "body_empty");
        assert_eq!(code(" \n\u{200b}\u{feff} "), "body_empty");
        assert_eq!(code("a\0b"), "body_bad_character");
        assert_eq!(code("a\u{1b}[31m"), "body_bad_character");
        assert_eq!(code(&"ä".repeat(10_000)), "done");
        assert_eq!(code(&"ä".repeat(10_001)), "body_too_long");
        let code = |text: &str| subject(text).map_or_else(TalkRefusal::code, |_| "done");
        assert_eq!(code(""), "done");
        assert_eq!(code("a\nb"), "subject_bad_character");
        assert_eq!(code(&"ä".repeat(201)), "subject_too_long");
        let code = |text: &str| reason(text).map_or_else(TalkRefusal::code, |_| "done");
        assert_eq!(code("\t"), "reason_empty");
        assert_eq!(code("\u{7}"), "reason_bad_character");
        assert_eq!(code(&"x".repeat(2_001)), "reason_too_long");
        assert_eq!(words("").unwrap(), "");
    }

    #[test]
    fn an_answer_stands_below_until_it_is_as_deep_as_any() {
        let shallow = comment(MOST_DEPTH - 1);
        assert_eq!(place_below(&shallow), (Some(shallow.id), MOST_DEPTH));
        let deep = comment(MOST_DEPTH);
        assert_eq!(place_below(&deep), (deep.parent, MOST_DEPTH));
    }

    #[test]
    fn authors_edit_for_a_day_what_everybody_reads() {
        let it = comment(1);
        let (author, other) = (it.author, UserId(Uuid::from_u128(4)));
        let last = 1_000_000 + EDIT_MICROS;
        assert_eq!(check_edit(&it, author, last), Ok(()));
        let late = check_edit(&it, author, last + 1);
        assert_eq!(late, Err(TalkRefusal::EditTooLate));
        assert_eq!(check_edit(&it, other, 0), Err(TalkRefusal::NotAuthor));
        let hidden = Comment {
            hidden_for: Some(Uuid::nil()),
            ..it.clone()
        };
        assert_eq!(
            check_edit(&hidden, author, 0),
            Err(TalkRefusal::CommentHidden)
        );
        let state = CommentState::Removed;
        let removed = Comment { state, ..it };
        assert_eq!(
            check_edit(&removed, author, 0),
            Err(TalkRefusal::CommentRemoved)
        );
    }

    proptest! {
        #[test]
        fn what_is_accepted_stays_as_it_is(text in "(?s).{0,300}") {
            if let Ok(once) = body(&text) {
                prop_assert_eq!(body(&once), Ok(once));
            }
            if let Ok(once) = subject(&text) {
                prop_assert_eq!(subject(&once), Ok(once));
            }
        }
    }
}
