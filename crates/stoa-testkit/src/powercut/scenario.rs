//! What happens to the operations that were not durable when the power failed.
//!
//! A [`Scenario`] is a short recipe that decides the [`Fate`] of every pending
//! operation: printed with a failure, it makes the same image again. Rules that the
//! disk imposes (order of names, versions of a sector) are not its business; they are
//! applied when the image is built.

use super::{
    cut::Pending,
    dice::{Dice, mix},
    disk::{Action, Resize},
    durability::Discipline,
    names::Inode,
};

/// What happens to the operations that were not durable. Numbers count the operations
/// from the first such one on, from 0, in the order of the recording; seeds may be
/// anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// Nothing survives.
    AllLost,
    /// Everything survives.
    AllKept,
    /// So many first ones survive.
    Prefix(usize),
    /// Those before this one survive, of this one some sectors.
    Torn(usize, u64),
    /// All but one survive.
    OneLost(usize),
    /// Only one survives.
    OneKept(usize),
    /// Changes of names survive, bytes and lengths do not.
    NamesOnly,
    /// Changes of names and lengths survive, bytes do not: files full of zeros.
    LengthsOnly,
    /// Bytes and lengths survive, changes of names do not.
    BytesOnly,
    /// Everything survives but one sector of one write.
    OneSectorLost(u64),
    /// Names and lengths survive, and of the bytes one sector of one write.
    OneSectorKept(u64),
    /// Each operation survives or not.
    Subset(u64),
    /// Each sector and each length survives or not.
    Sectors(u64),
    /// Each file has its own luck.
    EachFile(u64),
    /// One of all combinations, by its number.
    Numbered(u64),
}

/// Which sectors of a write survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bytes {
    Lost,
    Kept,
    /// By a coin for each sector.
    Coin(u64),
    /// Bit by bit.
    Bits(u64),
    Only(u64),
    AllBut(u64),
}

impl Bytes {
    pub(super) fn keep(self, sector: u64) -> bool {
        match self {
            Self::Lost => false,
            Self::Kept => true,
            Self::Coin(seed) => mix(seed ^ mix(sector)) & 1 == 1,
            Self::Bits(bits) => {
                bits.checked_shr(u32::try_from(sector).unwrap_or(64))
                    .unwrap_or(0)
                    & 1
                    == 1
            }
            Self::Only(one) => sector == one,
            Self::AllBut(one) => sector != one,
        }
    }
}

/// What happens to one operation: to its bytes (of a name: to the name) and to the
/// length it sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fate {
    pub(super) bytes: Bytes,
    pub(super) length: bool,
}

pub(super) const LOST: Fate = Fate {
    bytes: Bytes::Lost,
    length: false,
};
pub(super) const KEPT: Fate = Fate {
    bytes: Bytes::Kept,
    length: true,
};
const LENGTH: Fate = Fate {
    bytes: Bytes::Lost,
    length: true,
};

fn fate(kept: bool) -> Fate {
    if kept { KEPT } else { LOST }
}

fn is_name(pending: &Pending<'_>) -> bool {
    matches!(pending.operation.action, Action::Name(_))
}

impl Scenario {
    /// The fate of each pending operation.
    pub(super) fn fates(self, pending: &[Pending<'_>], discipline: Discipline) -> Vec<Fate> {
        let each = |decide: &dyn Fn(usize, &Pending<'_>) -> Fate| -> Vec<Fate> {
            pending
                .iter()
                .enumerate()
                .map(|(number, one)| decide(number, one))
                .collect()
        };
        match self {
            Self::AllLost => each(&|_, _| LOST),
            Self::AllKept => each(&|_, _| KEPT),
            Self::Prefix(count) => each(&|number, _| fate(number < count)),
            Self::Torn(torn, seed) => each(&|number, _| match number == torn {
                true => Fate {
                    bytes: Bytes::Coin(seed),
                    length: seed & 2 == 2,
                },
                false => fate(number < torn),
            }),
            Self::OneLost(lost) => each(&|number, _| fate(number != lost)),
            Self::OneKept(kept) => each(&|number, _| fate(number == kept)),
            Self::NamesOnly => each(&|_, one| fate(is_name(one))),
            Self::LengthsOnly => each(&|_, one| if is_name(one) { KEPT } else { LENGTH }),
            Self::BytesOnly => each(&|_, one| fate(!is_name(one))),
            Self::OneSectorLost(seed) => one_sector(pending, seed, KEPT, Bytes::AllBut),
            Self::OneSectorKept(seed) => one_sector(pending, seed, LENGTH, Bytes::Only),
            Self::Subset(seed) => each(&|number, one| match is_name(one) {
                true => fate(keep_name(seed, number, pending.len())),
                false => fate(coin(seed, number)),
            }),
            Self::Sectors(seed) => each(&|number, one| match is_name(one) {
                true => fate(keep_name(seed, number, pending.len())),
                false => Fate {
                    bytes: Bytes::Coin(mix(seed) ^ number as u64),
                    length: coin(seed, number),
                },
            }),
            Self::EachFile(seed) => each_file(pending, seed),
            Self::Numbered(number) => numbered(pending, discipline, number),
        }
    }

    /// A scenario for so many pending operations, drawn by chance.
    pub(super) fn draw(dice: &mut Dice, pending: usize) -> Self {
        match dice.below(8) {
            0..=2 => Self::draw_simple(dice, pending),
            3 => Self::Subset(dice.number()),
            4..=6 => Self::Sectors(dice.number()),
            _ => Self::EachFile(dice.number()),
        }
    }

    /// One of the few in which little is out of the ordinary.
    fn draw_simple(dice: &mut Dice, pending: usize) -> Self {
        let one = usize::try_from(dice.below(pending as u64)).unwrap_or(0);
        match dice.below(10) {
            0..=2 => Self::Prefix(one),
            3..=5 => Self::Torn(one, dice.number()),
            6 => Self::OneLost(one),
            7 => Self::OneKept(one),
            8 => Self::OneSectorLost(dice.number()),
            _ => Self::OneSectorKept(dice.number()),
        }
    }
}

/// Whether a change of a name survives. Mostly it does: without its name, what happened
/// to the bytes of a file cannot be seen.
fn keep_name(seed: u64, number: usize, count: usize) -> bool {
    let luck = mix(seed ^ 0x6E61_6D65);
    match luck % 4 {
        0 => coin(luck, number),
        1 => (number as u64) < mix(luck) % (count as u64 + 1),
        _ => true,
    }
}

fn coin(seed: u64, number: usize) -> bool {
    mix(seed ^ mix(number as u64 + 1)) & 1 == 1
}

fn sectors(pending: &Pending<'_>) -> u64 {
    match &pending.operation.action {
        Action::Write {
            patch: Some(patch), ..
        } => patch.sectors(),
        Action::Write { .. } | Action::Name(_) | Action::Sync(_) | Action::SyncFailed(_) => 0,
    }
}

/// One sector of one write is treated differently from all others.
fn one_sector(
    pending: &[Pending<'_>],
    seed: u64,
    other: Fate,
    bytes: impl Fn(u64) -> Bytes,
) -> Vec<Fate> {
    let mut dice = Dice::new(seed);
    let mut sector = dice.below(pending.iter().map(sectors).sum());
    let mut found = false;
    let decide = |one: &Pending<'_>| {
        if is_name(one) {
            return KEPT;
        }
        let count = sectors(one);
        if !found && sector < count {
            found = true;
            return Fate {
                bytes: bytes(sector),
                length: true,
            };
        }
        sector = sector.saturating_sub(count);
        other
    };
    pending.iter().map(decide).collect()
}

/// Each file loses all, keeps all, keeps some first writes, keeps only lengths or is
/// torn.
fn each_file(pending: &[Pending<'_>], seed: u64) -> Vec<Fate> {
    let count = pending.len() as u64 + 1;
    let decide = |(number, one): (usize, &Pending<'_>)| {
        let Action::Write {
            inode: Inode(inode),
            ..
        } = one.operation.action
        else {
            return fate(keep_name(seed, number, pending.len()));
        };
        let luck = mix(seed ^ mix(u64::from(inode) + 1));
        match luck % 5 {
            0 => LOST,
            1 => KEPT,
            2 => fate((number as u64) < mix(luck) % count),
            3 => LENGTH,
            _ => Fate {
                bytes: Bytes::Coin(luck ^ number as u64),
                length: true,
            },
        }
    };
    pending.iter().enumerate().map(decide).collect()
}

/// How many combinations there are for one operation. With an ordered journal the
/// names are one choice together, see [`combinations`].
fn choices(one: &Pending<'_>, discipline: Discipline) -> Option<u64> {
    if one.forced {
        return Some(1);
    }
    match &one.operation.action {
        Action::Name(_) => Some(if discipline == Discipline::Ext4 { 1 } else { 2 }),
        Action::Write { resize, .. } => {
            let bytes = 1_u64.checked_shl(u32::try_from(sectors(one)).ok()?)?;
            bytes.checked_mul(if *resize == Resize::None { 1 } else { 2 })
        }
        Action::Sync(_) | Action::SyncFailed(_) => Some(1),
    }
}

fn orders_of_names(pending: &[Pending<'_>], discipline: Discipline) -> u64 {
    match discipline {
        Discipline::Ext4 => pending.iter().filter(|one| is_name(one)).count() as u64 + 1,
        Discipline::Strict => 1,
    }
}

/// How many combinations there are in all; `None` if they are too many to count.
pub(super) fn combinations(pending: &[Pending<'_>], discipline: Discipline) -> Option<u64> {
    let names = orders_of_names(pending, discipline);
    pending
        .iter()
        .try_fold(names, |all, one| all.checked_mul(choices(one, discipline)?))
}

/// The combination with this number.
fn numbered(pending: &[Pending<'_>], discipline: Discipline, number: u64) -> Vec<Fate> {
    let mut number = number;
    let mut digit = |sides: u64| {
        let value = number.checked_rem(sides).unwrap_or(0);
        number = number.checked_div(sides).unwrap_or(0);
        value
    };
    let mut names = digit(orders_of_names(pending, discipline));
    let decide = |one: &Pending<'_>| match (is_name(one), discipline) {
        _ if one.forced => KEPT,
        (true, Discipline::Ext4) => {
            let kept = names > 0;
            names = names.saturating_sub(1);
            fate(kept)
        }
        (true, Discipline::Strict) => fate(digit(2) == 1),
        (false, _) => {
            let bits = 1_u64.checked_shl(u32::try_from(sectors(one)).unwrap_or(64));
            let bytes = Bytes::Bits(digit(bits.unwrap_or(1)));
            let resizes = !matches!(
                one.operation.action,
                Action::Write {
                    resize: Resize::None,
                    ..
                }
            );
            Fate {
                bytes,
                length: resizes && digit(2) == 1,
            }
        }
    };
    pending.iter().map(decide).collect()
}
