//! Mistakes that can be planted, to see that they are noticed.

use stoa_votes::rules::audit::Invariant;

/// A mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Planted {
    /// A record may follow another one than the last.
    NoCompare,
    /// More may be spent than there is.
    NoBalanceCheck,
    /// Where policies stand is remembered, even of those from which votes are withdrawn.
    OldRoots,
    /// A day's votes are added twice to its closing total.
    AddedTwice,
    /// Withdrawals cost half.
    HalfPrice,
    /// A policy that was merged can be merged once more, into another one.
    MergedTwice,
    /// A released policy takes votes again.
    Reopened,
    /// A period is paid twice.
    PaidTwice,
    /// As much is paid whatever is unspent.
    CapIgnored,
    /// Those are paid, too, who were not there.
    AbsentPaid,
    /// What a release gives back is spent before it.
    SpentAhead,
}

impl Planted {
    /// Every mistake, and the invariant that it breaks.
    pub const ALL: [(Self, Invariant); 11] = [
        (Self::NoCompare, Invariant::OnePath),
        (Self::NoBalanceCheck, Invariant::NoOverdraft),
        (Self::OldRoots, Invariant::NothingNegative),
        (Self::AddedTwice, Invariant::DaysAddUp),
        (Self::HalfPrice, Invariant::PriceExact),
        (Self::MergedTwice, Invariant::MergesConserve),
        (Self::Reopened, Invariant::ReleasedOnce),
        (Self::PaidTwice, Invariant::PaidOnce),
        (Self::CapIgnored, Invariant::PaidOnce),
        (Self::AbsentPaid, Invariant::PaidOnce),
        (Self::SpentAhead, Invariant::NoOverdraft),
    ];
}
