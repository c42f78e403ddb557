//! Conditional writes: one atomic step at some moment, whose answer may be lost.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use stoa_session::{Answer, Error};

use super::message::Message;
use super::state::{Call, State};
use super::ticket::Ticket;
use super::write::write_delay;
use crate::clock::wall_micros;
use crate::plan::refusal::{Conditional, applied};
use crate::plan::write::When;
use crate::store::partition::{Extent, Slice};
use crate::swarm::happens;
use crate::trace::What;

/// A conditional write that is to be decided.
#[derive(Debug)]
pub(crate) struct Decision {
    ticket: Arc<Ticket>,
    call: Call,
    conditional: Conditional,
    fate: Fate,
    is_hopeless: AtomicBool,
}

/// What becomes of a conditional write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Answered,
    AnswerLost,
    Later,
    Never,
}

impl Decision {
    /// Whether it is never decided.
    pub(crate) fn is_never(&self) -> bool {
        self.fate == Fate::Never || self.is_hopeless.load(Ordering::Relaxed)
    }
}

/// Sends a conditional write.
pub(crate) fn begin_conditional(
    state: &mut State,
    call: &Call,
    conditional: Conditional,
) -> Arc<Ticket> {
    let ticket = Arc::new(Ticket::default());
    if state.up().len() < 2 {
        state.refuse(&ticket, call);
        return ticket;
    }
    let fate = fate(state);
    let decision = Arc::new(Decision {
        ticket: Arc::clone(&ticket),
        call: call.clone(),
        conditional,
        fate,
        is_hopeless: AtomicBool::new(false),
    });
    let round_trip = state.delay() + state.delay();
    let delay = match fate {
        Fate::Answered | Fate::AnswerLost => Some(round_trip),
        Fate::Later => {
            let later = state.rng.below(state.faults.latest_micros + 1);
            Some(call.patience.0 + later)
        }
        Fate::Never => None,
    };
    if let Some(delay) = delay {
        state.send(delay, Message::Decide(Arc::clone(&decision)));
    }
    state.plan_expiry(&ticket, call, Some(decision));
    ticket
}

fn fate(state: &mut State) -> Fate {
    let faults = &state.faults;
    let fates = [
        (faults.unknown_applied, Fate::AnswerLost),
        (faults.unknown_later, Fate::Later),
        (faults.unknown_never, Fate::Never),
    ];
    for (chance, fate) in fates {
        if happens(&mut state.rng, chance) {
            return fate;
        }
    }
    Fate::Answered
}

/// A conditional write is decided, unless too few replicas are up by now.
pub(crate) fn decide(state: &mut State, decision: &Arc<Decision>) {
    let up = state.up();
    let [first, second, ..] = up.as_slice() else {
        decision.is_hopeless.store(true, Ordering::Relaxed);
        // Whoever gave up before counts now, the others when they give up.
        state.counters.unknown_never += u64::from(decision.ticket.is_settled());
        return;
    };
    if decision.ticket.is_settled() {
        state.counters.unknown_later += 1;
    } else if decision.fate == Fate::AnswerLost {
        state.counters.unknown_applied += 1;
    }
    let third = (0..super::state::REPLICAS).find(|it| it != first && it != second);
    let answer = step(state, [*first, *second], third, decision);
    if decision.fate == Fate::Answered {
        state.reply(&decision.ticket, &decision.call, answer);
    }
}

/// Reads a quorum, decides, and writes the quorum; the third replica gets it by and by.
fn step(
    state: &mut State,
    quorum: [usize; 2],
    third: Option<usize>,
    decision: &Decision,
) -> Result<Answer, Error> {
    let conditional = &decision.conditional;
    let extent = conditional.extent();
    let found = read_quorum(state, quorum, conditional, &extent);
    let now_seconds = state.now_seconds();
    let holds = conditional.holds(&found, now_seconds)?;
    if state.trace.is_on() {
        let what = What::Decided(decision.call.clone(), holds);
        state.trace.note(state.timeline.now_micros(), what);
    }
    if !holds {
        state.counters.refused_conditions += 1;
        let shown = match conditional.shows_any_row() {
            true => read_quorum(state, quorum, conditional, &Extent::All),
            false => found,
        };
        return conditional.refusal(&shown, now_seconds);
    }
    let place = (conditional.table.number, conditional.id.clone());
    let last = state.ballots.get(&place).copied().unwrap_or(i64::MIN);
    let mut timestamp = wall_micros(&state.timeline).max(last.saturating_add(1));
    if state.faults.ballots_beat_cells {
        timestamp = timestamp.max(found.latest().saturating_add(1));
    }
    let mutation = conditional.mutation(When {
        timestamp,
        now_seconds,
    })?;
    state.ballots.insert(place, timestamp);
    state.counters.applied_conditions += 1;
    for replica in quorum {
        state.add(replica, mutation.table, &mutation.id, &mutation.slice);
    }
    if let Some(replica) = third {
        let delay = write_delay(state);
        let message = Message::Apply {
            replica,
            mutation: Arc::new(mutation),
            call: None,
        };
        state.send(delay, message);
    }
    Ok(applied())
}

/// What a quorum knows together, which both then know.
fn read_quorum(
    state: &mut State,
    quorum: [usize; 2],
    conditional: &Conditional,
    extent: &Extent,
) -> Slice {
    let table = conditional.table.number;
    let mut known = quorum.iter().filter_map(|replica| {
        let node = state.nodes.get(*replica)?;
        Some(node.data.slice(table, &conditional.id, extent))
    });
    let first = known.next().unwrap_or_default();
    let second = known.next().unwrap_or_default();
    if first == second {
        return first;
    }
    let merged = first.merge(&second);
    for replica in quorum {
        state.add(replica, table, &conditional.id, &merged);
    }
    state.counters.read_repairs += 1;
    merged
}
