//! A place in a list, as clients keep it: after a policy that had some value. The place stays where
//! it is when the list changes, whether or not the policy is still there.
//!
//! ```text
//! kind - value, 16 digits; creation, 16 digits; policy, 32 digits; all hexadecimal
//! ```

use uuid::Uuid;

use crate::model::{PolicyId, RankingKind, RankingRefusal};

/// A place in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// The value of the last policy that was listed.
    pub value: i64,
    /// When that was made, in microseconds since 1970.
    pub created_micros: i64,
    /// Which it was.
    pub policy: PolicyId,
}

impl Cursor {
    /// The place as a text that means nothing to clients.
    #[must_use]
    pub fn text(&self, kind: RankingKind) -> String {
        let Self {
            value,
            created_micros,
            policy,
        } = self;
        let policy = policy.0.as_u128();
        format!(
            "{}-{value:016x}{created_micros:016x}{policy:032x}",
            name(kind)
        )
    }

    /// The place of a text that was given for the same kind of list.
    ///
    /// # Errors
    /// When it was not.
    pub fn of_text(text: &str, kind: RankingKind) -> Result<Self, RankingRefusal> {
        Self::read(text, kind).ok_or(RankingRefusal::BadCursor)
    }

    fn read(text: &str, kind: RankingKind) -> Option<Self> {
        let (of, digits) = text.split_once('-')?;
        let are_digits = digits.bytes().all(|it| it.is_ascii_hexdigit());
        if of != name(kind) || digits.len() != 64 || !are_digits {
            return None;
        }
        let number = |from, to| u64::from_str_radix(digits.get(from..to)?, 16).ok();
        let policy = u128::from_str_radix(digits.get(32..)?, 16).ok()?;
        Some(Self {
            value: number(0, 16)?.cast_signed(),
            created_micros: number(16, 32)?.cast_signed(),
            policy: PolicyId(Uuid::from_u128(policy)),
        })
    }
}

fn name(kind: RankingKind) -> String {
    match kind {
        RankingKind::Total => "total".to_owned(),
        RankingKind::Window(days) => format!("days{days}"),
        RankingKind::Rising => "rising".to_owned(),
        RankingKind::Contested => "contested".to_owned(),
        RankingKind::Discussed => "discussed".to_owned(),
        RankingKind::New => "new".to_owned(),
        RankingKind::Random(seed) => format!("random{seed:x}"),
        RankingKind::Supporters => "supporters".to_owned(),
        RankingKind::SquareRoots => "roots".to_owned(),
    }
}
