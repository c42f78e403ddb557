//! Messages on their way, by number.
//!
//! Invariants:
//! 1. A number is never used for two messages.

use std::sync::Arc;

use stoa_session::{Answer, Error};

use super::Call;
use super::conditional::Decision;
use super::read::ReadCall;
use super::ticket::Ticket;
use super::write::WriteCall;
use crate::store::replica::Mutation;

/// What happens at some later time.
pub(crate) enum Message {
    /// A write reaches a replica.
    Apply {
        replica: usize,
        mutation: Arc<Mutation>,
        /// Who waits for it, and which of its mutations it is.
        call: Option<(Arc<WriteCall>, usize)>,
    },
    /// A hint reaches its replica.
    Hint {
        replica: usize,
        mutation: Arc<Mutation>,
    },
    /// A read reaches a replica.
    Sample { replica: usize, call: Arc<ReadCall> },
    /// What a read found out reaches a replica.
    Repair { replica: usize, call: Arc<ReadCall> },
    /// A read at SERIAL happens.
    SerialRead(Arc<ReadCall>),
    /// A conditional write is decided.
    Decide(Arc<Decision>),
    /// An answer reaches the client.
    Reply {
        ticket: Arc<Ticket>,
        call: Call,
        answer: Result<Answer, Error>,
    },
    /// A client or its coordinator gives up.
    Expire {
        ticket: Arc<Ticket>,
        call: Call,
        decision: Option<Arc<Decision>>,
    },
    /// A replica goes down, if it is still in this life.
    Down { replica: usize, life: u64 },
    /// A replica comes up, if it is still in this life.
    Up { replica: usize, life: u64 },
}

/// Messages on their way.
#[derive(Default)]
pub(crate) struct Messages {
    slots: Vec<Option<(u64, Message)>>,
    free: Vec<u32>,
    count: u64,
}

const INDEX_BITS: u32 = 24;

impl Messages {
    /// Adds a message; answers its number.
    pub(crate) fn add(&mut self, message: Message) -> u64 {
        self.count += 1;
        let index = match self.free.pop() {
            Some(index) => index,
            None => {
                self.slots.push(None);
                u32::try_from(self.slots.len() - 1).unwrap_or(u32::MAX)
            }
        };
        let token = (self.count << INDEX_BITS) | u64::from(index);
        let place = usize::try_from(index).unwrap_or(usize::MAX);
        if let Some(slot) = self.slots.get_mut(place) {
            *slot = Some((token, message));
        }
        token
    }

    /// Takes a message, if it has not been taken.
    pub(crate) fn take(&mut self, token: u64) -> Option<Message> {
        let index = u32::try_from(token & ((1 << INDEX_BITS) - 1)).ok()?;
        let slot = self.slots.get_mut(usize::try_from(index).ok()?)?;
        if slot.as_ref().is_none_or(|(own, _)| *own != token) {
            return None;
        }
        self.free.push(index);
        slot.take().map(|(_, message)| message)
    }

    /// The numbers of messages of some kinds, oldest first.
    pub(crate) fn tokens(&self, is_wanted: impl Fn(&Message) -> bool) -> Vec<u64> {
        let slots = self.slots.iter().flatten();
        let wanted = slots.filter(|(_, message)| is_wanted(message));
        let mut tokens: Vec<u64> = wanted.map(|(token, _)| *token).collect();
        tokens.sort_unstable();
        tokens
    }
}
