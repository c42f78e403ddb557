//! What one seed does often, seldom or never.

use crate::rng::Rng;

/// Kinds of steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepKind {
    Write,
    CompareAndSet,
    Read,
    Scan,
    Advance,
    JumpBack,
    JumpForward,
    Freeze,
    Flush,
    Compact,
    Purge,
    Reopen,
    Truncate,
    OpenSnapshot,
    ReadSnapshot,
    CloseSnapshot,
}

/// Kinds of changes to a table of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    Insert,
    Update,
    DeleteCells,
    DeleteRow,
    DeleteRange,
    DeletePartition,
    SetCollection,
    AddElements,
    RemoveElements,
    DeleteCollection,
    UpdateStatic,
    AddStaticElements,
}

/// Kinds of changes to a table of counters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CounterKind {
    Add,
    DeleteCell,
    DeleteRow,
    DeleteRange,
    DeletePartition,
}

/// Where a write time comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimestampKind {
    Server,
    Recent,
    BesideRecent,
    Small,
    Negative,
    FarFuture,
    Boundary,
}

/// The weights of one seed.
#[derive(Clone, Debug)]
pub(crate) struct Swarm {
    pub(crate) steps: Vec<(u32, StepKind)>,
    pub(crate) changes: Vec<(u32, ChangeKind)>,
    pub(crate) counters: Vec<(u32, CounterKind)>,
    pub(crate) timestamps: Vec<(u32, TimestampKind)>,
    pub(crate) ttl_percent: u32,
    pub(crate) large_percent: u32,
}

impl Swarm {
    /// Draws the weights of a seed. Writing, reading and the server's write times are never
    /// off; anything else is, in one of four seeds.
    pub(crate) fn draw(rng: &mut Rng) -> Self {
        let mut timestamps = switched(rng, TIMESTAMPS);
        timestamps.push((10, TimestampKind::Server));
        let mut steps = switched(rng, STEPS);
        steps.extend([(40, StepKind::Write), (25, StepKind::Read)]);
        let mut changes = switched(rng, CHANGES);
        changes.push((5, ChangeKind::Update));
        let mut counters = switched(rng, COUNTERS);
        counters.push((20, CounterKind::Add));
        Self {
            steps,
            changes,
            counters,
            timestamps,
            ttl_percent: rng.pick(&[0, 10, 30, 80]).copied().unwrap_or(0),
            large_percent: rng.pick(&[0, 0, 2, 10]).copied().unwrap_or(0),
        }
    }
}

fn switched<T: Copy>(rng: &mut Rng, kinds: &[(u32, T)]) -> Vec<(u32, T)> {
    let mut weight_of = |weight: u32| match rng.below(4) {
        0 => 0,
        1 => weight,
        2 => weight * 2,
        _ => weight * 4,
    };
    kinds
        .iter()
        .map(|(weight, kind)| (weight_of(*weight), *kind))
        .collect()
}

const STEPS: &[(u32, StepKind)] = &[
    (6, StepKind::CompareAndSet),
    (2, StepKind::Scan),
    (6, StepKind::Advance),
    (1, StepKind::JumpBack),
    (1, StepKind::JumpForward),
    (1, StepKind::Freeze),
    (2, StepKind::Flush),
    (2, StepKind::Compact),
    (2, StepKind::Purge),
    (1, StepKind::Reopen),
    (1, StepKind::Truncate),
    (2, StepKind::OpenSnapshot),
    (4, StepKind::ReadSnapshot),
    (1, StepKind::CloseSnapshot),
];

const CHANGES: &[(u32, ChangeKind)] = &[
    (10, ChangeKind::Insert),
    (10, ChangeKind::Update),
    (5, ChangeKind::DeleteCells),
    (4, ChangeKind::DeleteRow),
    (3, ChangeKind::DeleteRange),
    (1, ChangeKind::DeletePartition),
    (4, ChangeKind::SetCollection),
    (8, ChangeKind::AddElements),
    (3, ChangeKind::RemoveElements),
    (2, ChangeKind::DeleteCollection),
    (4, ChangeKind::UpdateStatic),
    (3, ChangeKind::AddStaticElements),
];

const COUNTERS: &[(u32, CounterKind)] = &[
    (2, CounterKind::DeleteCell),
    (3, CounterKind::DeleteRow),
    (2, CounterKind::DeleteRange),
    (1, CounterKind::DeletePartition),
];

const TIMESTAMPS: &[(u32, TimestampKind)] = &[
    (10, TimestampKind::Recent),
    (5, TimestampKind::BesideRecent),
    (3, TimestampKind::Small),
    (2, TimestampKind::Negative),
    (1, TimestampKind::FarFuture),
    (1, TimestampKind::Boundary),
];
