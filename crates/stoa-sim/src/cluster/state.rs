//! What a cluster is at a moment: its replicas, and the messages on their way.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_session::{Answer, Error, ErrorKind};
use stoa_testkit::rng::Rng;

use super::conditional::{Decision, decide};
use super::message::{Message, Messages};
use super::read::{self, sample, serial_read};
use super::ticket::Ticket;
use super::write::apply;
use crate::clock::wall_micros;
use crate::plan::select::Reading;
use crate::store::partition::{PartitionId, Slice};
use crate::store::replica::{Mutation, Replica, Slices};
use crate::swarm::{Counters, Faults};
use crate::timeline::{Event, Timeline};
use crate::trace::{Trace, What};

/// How many replicas there are.
pub(crate) const REPLICAS: usize = 3;

/// A replica and whether it answers.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) data: Replica,
    pub(crate) is_up: bool,
    /// Writes that it missed and that are kept for it.
    pub(crate) hints: Vec<Arc<Mutation>>,
    /// Counts its ups and downs, so that plans of an earlier life do nothing.
    pub(crate) life: u64,
}

/// A call of a client, as messages and the trace know it.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) client: Arc<str>,
    pub(crate) number: u64,
    pub(crate) kind: CallKind,
    pub(crate) is_idempotent: bool,
    /// After how long it is given up, and whether the client said so.
    pub(crate) patience: (u64, bool),
}

/// What a call asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    Read,
    Write,
    Conditional,
}

/// The whole cluster.
pub(crate) struct State {
    pub(crate) timeline: Timeline,
    receiver: u32,
    pub(crate) nodes: [Node; REPLICAS],
    pub(crate) rng: Rng,
    pub(crate) faults: Faults,
    pub(crate) is_healed: bool,
    pub(crate) counters: Counters,
    pub(crate) messages: Messages,
    /// The last ballot of each partition that had a conditional write.
    pub(crate) ballots: BTreeMap<(usize, PartitionId), i64>,
    pub(crate) clients: u32,
    pub(crate) trace: Trace,
}

impl State {
    pub(crate) fn new(timeline: Timeline, faults: Faults, seed: u64) -> Self {
        let node = |_| Node {
            data: Replica::default(),
            is_up: true,
            hints: Vec::new(),
            life: 0,
        };
        Self {
            timeline,
            receiver: 0,
            nodes: std::array::from_fn(node),
            rng: Rng::new(seed),
            faults,
            is_healed: false,
            counters: Counters::default(),
            messages: Messages::default(),
            ballots: BTreeMap::new(),
            clients: 0,
            trace: Trace::default(),
        }
    }

    /// Begins to live as a receiver of an executor.
    pub(crate) fn begin(&mut self, receiver: u32) {
        self.receiver = receiver;
        for replica in 0..REPLICAS {
            self.plan_down(replica);
        }
    }

    pub(crate) fn now_seconds(&self) -> i64 {
        wall_micros(&self.timeline).div_euclid(1_000_000)
    }

    /// Sends a message that takes so long.
    pub(crate) fn send(&mut self, after_micros: u64, message: Message) {
        let (at, event) = self.planned(after_micros, message);
        self.timeline.plan(at, event);
    }

    /// As [`State::send`], for what goes on for ever by itself.
    pub(crate) fn send_background(&mut self, after_micros: u64, message: Message) {
        let (at, event) = self.planned(after_micros, message);
        self.timeline.plan_background(at, event);
    }

    fn planned(&mut self, after_micros: u64, message: Message) -> (u64, Event) {
        let token = self.messages.add(message);
        let event = Event::Deliver {
            receiver: self.receiver,
            token,
        };
        (self.timeline.now_micros() + after_micros, event)
    }

    /// How long the next message takes.
    pub(crate) fn delay(&mut self) -> u64 {
        let delay = self.faults.message(&mut self.rng);
        let is_slow = delay > self.faults.message_micros.1;
        self.counters.slow_messages += u64::from(is_slow);
        delay
    }

    /// The time of the message with this number has come.
    pub(crate) fn receive(&mut self, token: u64) {
        if let Some(message) = self.messages.take(token) {
            self.handle(message);
        }
    }

    pub(crate) fn handle(&mut self, message: Message) {
        match message {
            Message::Apply {
                replica,
                mutation,
                call,
            } => apply(self, replica, &mutation, call),
            Message::Hint { replica, mutation } => self.hand_over(replica, mutation),
            Message::Sample { replica, call } => sample(self, replica, &call),
            Message::Repair { replica, call } => read::repair(self, replica, &call),
            Message::SerialRead(call) => serial_read(self, &call),
            Message::Decide(decision) => decide(self, &decision),
            Message::Reply {
                ticket,
                call,
                answer,
            } => self.settle(&ticket, &call, answer),
            Message::Expire {
                ticket,
                call,
                decision,
            } => self.expire(&ticket, &call, decision.as_deref()),
            Message::Down { replica, life } => self.go_down(replica, life),
            Message::Up { replica, life } => self.come_up(replica, life),
        }
    }

    /// Gives a client its answer.
    fn settle(&mut self, ticket: &Ticket, call: &Call, answer: Result<Answer, Error>) {
        let outcome = answer.as_ref().map(|_| ()).map_err(Error::clone);
        if ticket.settle(answer) && self.trace.is_on() {
            let what = What::Answered(call.clone(), outcome);
            self.trace.note(self.timeline.now_micros(), what);
        }
    }

    /// Sends an answer to the client.
    pub(crate) fn reply(
        &mut self,
        ticket: &Arc<Ticket>,
        call: &Call,
        answer: Result<Answer, Error>,
    ) {
        let delay = self.delay();
        let reply = Message::Reply {
            ticket: Arc::clone(ticket),
            call: call.clone(),
            answer,
        };
        self.send(delay, reply);
    }

    /// Plans when a call is given up.
    pub(crate) fn plan_expiry(
        &mut self,
        ticket: &Arc<Ticket>,
        call: &Call,
        decision: Option<Arc<Decision>>,
    ) {
        let expire = Message::Expire {
            ticket: Arc::clone(ticket),
            call: call.clone(),
            decision,
        };
        self.send(call.patience.0, expire);
    }

    fn expire(&mut self, ticket: &Ticket, call: &Call, decision: Option<&Decision>) {
        if ticket.is_settled() {
            return;
        }
        let kind = match call.patience.1 {
            true => ErrorKind::Deadline,
            false => ErrorKind::Timeout,
        };
        let message = "the simulated replicas did not answer in time";
        let error = match call.kind {
            CallKind::Read => {
                self.counters.failed_reads += 1;
                Error::not_applied(kind, message)
            }
            CallKind::Write => {
                self.counters.unknown_writes += 1;
                Error::unknown(kind, message)
            }
            CallKind::Conditional => {
                let is_never = decision.is_some_and(Decision::is_never);
                self.counters.unknown_never += u64::from(is_never);
                Error::unknown(kind, message)
            }
        };
        self.settle(ticket, call, Err(error.of_idempotent(call.is_idempotent)));
    }

    /// Refuses a call because too few replicas are up.
    pub(crate) fn refuse(&mut self, ticket: &Arc<Ticket>, call: &Call) {
        self.counters.unavailable += 1;
        let error = Error::not_applied(ErrorKind::Unavailable, "too few replicas are up");
        self.reply(ticket, call, Err(error.of_idempotent(call.is_idempotent)));
    }

    /// The replicas that are up, in a random order.
    pub(crate) fn up(&mut self) -> Vec<usize> {
        let nodes = self.nodes.iter().enumerate();
        let mut up: Vec<usize> = nodes
            .filter(|(_, node)| node.is_up)
            .map(|(replica, _)| replica)
            .collect();
        self.rng.shuffle(&mut up);
        up
    }

    pub(crate) fn is_up(&self, replica: usize) -> bool {
        self.nodes.get(replica).is_some_and(|node| node.is_up)
    }

    /// What a replica says to a read.
    pub(crate) fn sample(&self, replica: usize, reading: &Reading) -> Slices {
        let Some(node) = self.nodes.get(replica) else {
            return Slices::new();
        };
        let table = reading.plan.table.number;
        match &reading.ids {
            None => node.data.scan(table, &reading.extent),
            Some(ids) => ids
                .iter()
                .map(|id| (id.clone(), node.data.slice(table, id, &reading.extent)))
                .collect(),
        }
    }

    /// Adds something to what a replica keeps.
    pub(crate) fn add(&mut self, replica: usize, table: usize, id: &PartitionId, slice: &Slice) {
        if let Some(node) = self.nodes.get_mut(replica) {
            node.data.apply(table, id, slice);
        }
    }
}
