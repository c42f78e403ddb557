//! Reads: replicas are asked at different moments, merged, and made equal before the answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use stoa_session::{Answer, Error};

use super::message::Message;
use super::state::{Call, State};
use super::ticket::Ticket;
use crate::plan::select::Reading;
use crate::store::replica::{Slices, merge_slices};
use crate::swarm::happens;

/// A read that is waited for.
#[derive(Debug)]
pub(crate) struct ReadCall {
    ticket: Arc<Ticket>,
    call: Call,
    reading: Reading,
    needed: usize,
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    asked: Vec<usize>,
    samples: Vec<(usize, Slices)>,
    /// What the replicas know together, once enough have answered.
    merged: Slices,
    /// How many replicas are still to be made equal.
    unrepaired: usize,
}

impl ReadCall {
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(ticket: &Arc<Ticket>, call: &Call, reading: Reading, needed: usize) -> Self {
        Self {
            ticket: Arc::clone(ticket),
            call: call.clone(),
            reading,
            needed,
            progress: Mutex::default(),
        }
    }
}

/// Asks as many replicas as needed.
pub(crate) fn begin_read(
    state: &mut State,
    call: &Call,
    reading: Reading,
    needed: usize,
) -> Arc<Ticket> {
    let ticket = Arc::new(Ticket::default());
    let up = state.up();
    if up.len() < needed {
        state.refuse(&ticket, call);
        return ticket;
    }
    let read = Arc::new(ReadCall::new(&ticket, call, reading, needed));
    for replica in up.into_iter().take(needed) {
        ask(state, replica, &read);
    }
    state.plan_expiry(&ticket, call, None);
    ticket
}

fn ask(state: &mut State, replica: usize, read: &Arc<ReadCall>) {
    read.progress().asked.push(replica);
    let delay = state.delay();
    let call = Arc::clone(read);
    state.send(delay, Message::Sample { replica, call });
}

/// A read has come to a replica. If that is down, one that was not asked is asked instead.
pub(crate) fn sample(state: &mut State, replica: usize, read: &Arc<ReadCall>) {
    if read.ticket.is_settled() {
        return;
    }
    if !state.is_up(replica) {
        let up = state.up();
        let other = {
            let progress = read.progress();
            up.into_iter().find(|it| !progress.asked.contains(it))
        };
        if let Some(other) = other {
            ask(state, other, read);
        }
        return;
    }
    let found = state.sample(replica, &read.reading);
    let mut progress = read.progress();
    progress.samples.push((replica, found));
    if progress.samples.len() < read.needed {
        return;
    }
    let behind = combine(&read.reading, &mut progress);
    drop(progress);
    match behind.is_empty() {
        true => answer(state, read),
        false => {
            state.counters.read_repairs += 1;
            for replica in behind {
                let delay = state.delay();
                let call = Arc::clone(read);
                state.send(delay, Message::Repair { replica, call });
            }
        }
    }
}

/// Merges the samples; answers the replicas that know less than all together.
fn combine(reading: &Reading, progress: &mut Progress) -> Vec<usize> {
    let mut samples = progress.samples.iter();
    let Some((_, first)) = samples.next() else {
        return Vec::new();
    };
    let mut merged = first.clone();
    let mut is_equal = true;
    for (_, other) in samples {
        if merged != *other {
            is_equal = false;
            merged = merge(reading, &merged, other);
        }
    }
    let mut behind = Vec::new();
    if !is_equal {
        let samples = progress.samples.iter();
        let less = samples.filter(|(_, sample)| *sample != merged);
        behind.extend(less.map(|(replica, _)| *replica));
    }
    progress.merged = merged;
    progress.unrepaired = behind.len();
    behind
}

/// What a read found out has come to a replica. If that is down, the read is never answered.
pub(crate) fn repair(state: &mut State, replica: usize, read: &Arc<ReadCall>) {
    if !state.is_up(replica) {
        return;
    }
    let is_last = {
        let mut progress = read.progress();
        repair_now(state, replica, &read.reading, &progress.merged);
        progress.unrepaired = progress.unrepaired.saturating_sub(1);
        progress.unrepaired == 0
    };
    if is_last {
        answer(state, read);
    }
}

fn repair_now(state: &mut State, replica: usize, reading: &Reading, merged: &Slices) {
    for (id, slice) in merged {
        if !slice.is_blank() {
            state.add(replica, reading.plan.table.number, id, slice);
        }
    }
}

fn answer(state: &mut State, read: &Arc<ReadCall>) {
    let now = state.now_seconds();
    let answer: Result<Answer, Error> = read.reading.answer(&read.progress().merged, now);
    if happens(&mut state.rng, state.faults.lost_reply) {
        state.counters.lost_replies += 1;
    } else {
        state.reply(&read.ticket, &read.call, answer);
    }
}

/// Merges what two replicas said to a read.
pub(crate) fn merge(reading: &Reading, left: &Slices, right: &Slices) -> Slices {
    if reading.ids.is_none() {
        return merge_slices(left, right);
    }
    let pairs = left.iter().zip(right);
    pairs
        .map(|((id, left), (_, right))| (id.clone(), left.merge(right)))
        .collect()
}

/// Begins a read at SERIAL: one atomic step at some moment of the call.
pub(crate) fn begin_serial_read(state: &mut State, call: &Call, reading: Reading) -> Arc<Ticket> {
    let ticket = Arc::new(Ticket::default());
    if state.up().len() < super::state::REPLICAS / 2 + 1 {
        state.refuse(&ticket, call);
        return ticket;
    }
    let read = Arc::new(ReadCall::new(&ticket, call, reading, 2));
    let delay = state.delay() + state.delay();
    state.send(delay, Message::SerialRead(read));
    state.plan_expiry(&ticket, call, None);
    ticket
}

/// A read at SERIAL happens, unless too few replicas are up by now.
pub(crate) fn serial_read(state: &mut State, read: &Arc<ReadCall>) {
    let up = state.up();
    let [first, second, ..] = up.as_slice() else {
        return;
    };
    let left = state.sample(*first, &read.reading);
    let right = state.sample(*second, &read.reading);
    if left != right {
        let merged = merge(&read.reading, &left, &right);
        repair_now(state, *first, &read.reading, &merged);
        repair_now(state, *second, &read.reading, &merged);
        state.counters.read_repairs += 1;
        read.progress().merged = merged;
    } else {
        read.progress().merged = left;
    }
    answer(state, read);
}
