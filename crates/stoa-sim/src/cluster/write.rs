//! Plain writes: sent to every replica, acknowledged when enough have them.

use std::sync::{Arc, Mutex, PoisonError};

use stoa_session::Answer;

use super::message::Message;
use super::state::{Call, REPLICAS, State};
use super::ticket::Ticket;
use crate::store::replica::Mutation;
use crate::swarm::happens;

/// A plain write that is waited for.
#[derive(Debug)]
pub(crate) struct WriteCall {
    ticket: Arc<Ticket>,
    call: Call,
    needed: usize,
    /// Whether a replica that misses it always gets it later, as those of a logged batch do.
    is_lossless: bool,
    /// For each mutation, how many replicas have it.
    acknowledged: Mutex<Vec<usize>>,
}

/// Sends writes, each to one partition.
pub(crate) fn begin_write(
    state: &mut State,
    call: &Call,
    mutations: Vec<Mutation>,
    needed: usize,
    is_lossless: bool,
) -> Arc<Ticket> {
    let ticket = Arc::new(Ticket::default());
    if state.up().len() < needed {
        state.refuse(&ticket, call);
        return ticket;
    }
    let write = Arc::new(WriteCall {
        ticket: Arc::clone(&ticket),
        call: call.clone(),
        needed,
        is_lossless: is_lossless && mutations.len() > 1,
        acknowledged: Mutex::new(vec![0; mutations.len()]),
    });
    if happens(&mut state.rng, state.faults.half_sent) {
        send_some(state, mutations, write.is_lossless);
    } else {
        send_all(state, mutations, &write);
    }
    state.plan_expiry(&ticket, call, None);
    ticket
}

fn send_all(state: &mut State, mutations: Vec<Mutation>, write: &Arc<WriteCall>) {
    for (index, mutation) in mutations.into_iter().enumerate() {
        let mutation = Arc::new(mutation);
        for replica in 0..REPLICAS {
            let delay = write_delay(state);
            let message = Message::Apply {
                replica,
                mutation: Arc::clone(&mutation),
                call: Some((Arc::clone(write), index)),
            };
            state.send(delay, message);
        }
    }
}

/// The coordinator dies: any of its messages may be missing, and nobody is answered. A logged
/// batch is found by others later, or it was not yet written down and nothing of it happens.
fn send_some(state: &mut State, mutations: Vec<Mutation>, is_logged: bool) {
    state.counters.half_sent += 1;
    let is_replayed = state.rng.chance(50);
    for mutation in mutations {
        let mutation = Arc::new(mutation);
        for replica in 0..REPLICAS {
            let is_sent = state.rng.chance(50);
            let mutation = Arc::clone(&mutation);
            if is_logged && is_replayed {
                // As a hint, so that no down time makes it miss a replica.
                let delay = state.faults.timeout_micros + write_delay(state);
                state.send(delay, Message::Hint { replica, mutation });
            } else if is_sent && !is_logged {
                let delay = write_delay(state);
                let message = Message::Apply {
                    replica,
                    mutation,
                    call: None,
                };
                state.send(delay, message);
            }
        }
    }
}

/// How long a write takes to a replica: as a message does, or very long.
pub(crate) fn write_delay(state: &mut State) -> u64 {
    let delay = state.delay();
    if !happens(&mut state.rng, state.faults.late_write) {
        return delay;
    }
    state.counters.late_writes += 1;
    delay + state.rng.below(state.faults.latest_micros + 1)
}

/// A write has come to a replica.
pub(crate) fn apply(
    state: &mut State,
    replica: usize,
    mutation: &Arc<Mutation>,
    call: Option<(Arc<WriteCall>, usize)>,
) {
    let is_lossless = call.as_ref().is_some_and(|(call, _)| call.is_lossless);
    if !state.is_up(replica) {
        miss(state, replica, mutation, is_lossless);
        return;
    }
    state.add(replica, mutation.table, &mutation.id, &mutation.slice);
    let Some((call, index)) = call else {
        return;
    };
    let is_enough = {
        let acknowledged = call.acknowledged.lock();
        let mut acknowledged = acknowledged.unwrap_or_else(PoisonError::into_inner);
        let Some(own) = acknowledged.get_mut(index) else {
            return;
        };
        *own += 1;
        let is_new = *own == call.needed;
        is_new && acknowledged.iter().all(|count| *count >= call.needed)
    };
    if !is_enough {
        return;
    }
    if happens(&mut state.rng, state.faults.lost_reply) {
        state.counters.lost_replies += 1;
    } else {
        state.reply(&call.ticket, &call.call, Ok(Answer::default()));
    }
}

/// A replica is down when a write comes: it gets it later as a hint, or never.
fn miss(state: &mut State, replica: usize, mutation: &Arc<Mutation>, is_lossless: bool) {
    let is_lost = happens(&mut state.rng, state.faults.lost_hint);
    if is_lost && !is_lossless {
        state.counters.lost_hints += 1;
        return;
    }
    state.counters.hints += 1;
    if let Some(node) = state.nodes.get_mut(replica) {
        node.hints.push(Arc::clone(mutation));
    }
}
