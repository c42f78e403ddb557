//! Replicas go down and come up, get their hints, and are healed and repaired.

use std::sync::Arc;

use super::message::Message;
use super::state::{REPLICAS, State};
use crate::store::replica::{Mutation, Replica};
use crate::swarm::Faults;
use crate::trace::What;

/// A fifth of all down times are long.
const LONG_PERCENT: u32 = 20;

impl State {
    /// Plans the next down time of a replica that is up.
    pub(crate) fn plan_down(&mut self, replica: usize) {
        let most = self.faults.up_micros.saturating_mul(2);
        if most == 0 {
            return;
        }
        let Some(node) = self.nodes.get(replica) else {
            return;
        };
        let life = node.life;
        let after = self.rng.below(most);
        self.send_background(after, Message::Down { replica, life });
    }

    pub(crate) fn go_down(&mut self, replica: usize, life: u64) {
        let is_current = self.nodes.get(replica).is_some_and(|it| it.life == life);
        if !is_current {
            return;
        }
        let is_long = self.rng.chance(LONG_PERCENT);
        let most = match is_long {
            true => self.faults.long_down_micros,
            false => self.faults.down_micros,
        };
        let after = 1 + self.rng.below(most);
        self.counters.long_down_times += u64::from(is_long);
        self.take_down(replica);
        if let Some(node) = self.nodes.get(replica) {
            let life = node.life;
            self.send_background(after, Message::Up { replica, life });
        }
    }

    pub(crate) fn come_up(&mut self, replica: usize, life: u64) {
        let is_current = self.nodes.get(replica).is_some_and(|it| it.life == life);
        if is_current {
            self.bring_up(replica);
            self.plan_down(replica);
        }
    }

    pub(crate) fn take_down(&mut self, replica: usize) {
        let Some(node) = self.nodes.get_mut(replica) else {
            return;
        };
        if node.is_up {
            node.is_up = false;
            node.life += 1;
            self.counters.down_times += 1;
            self.note_life(replica, false);
        }
    }

    /// Brings a replica up and sends it what was kept for it.
    pub(crate) fn bring_up(&mut self, replica: usize) {
        let Some(node) = self.nodes.get_mut(replica) else {
            return;
        };
        if node.is_up {
            return;
        }
        node.is_up = true;
        node.life += 1;
        for mutation in std::mem::take(&mut node.hints) {
            let delay = self.delay();
            self.send(delay, Message::Hint { replica, mutation });
        }
        self.note_life(replica, true);
    }

    fn note_life(&mut self, replica: usize, is_up: bool) {
        if self.trace.is_on() {
            let now = self.timeline.now_micros();
            self.trace.note(now, What::Replica { replica, is_up });
        }
    }

    /// A hint has come to its replica, which may be down again.
    pub(crate) fn hand_over(&mut self, replica: usize, mutation: Arc<Mutation>) {
        let Some(node) = self.nodes.get_mut(replica) else {
            return;
        };
        match node.is_up {
            true => node
                .data
                .apply(mutation.table, &mutation.id, &mutation.slice),
            false => node.hints.push(mutation),
        }
    }

    /// Ends all faults, and lets happen what was on its way to replicas.
    pub(crate) fn heal(&mut self) {
        self.faults = Faults {
            message_micros: self.faults.message_micros,
            timeout_micros: self.faults.timeout_micros,
            ballots_beat_cells: self.faults.ballots_beat_cells,
            ..Faults::none()
        };
        self.is_healed = true;
        for replica in 0..REPLICAS {
            self.bring_up(replica);
        }
        for node in &mut self.nodes {
            node.life += 1;
        }
        let is_wanted = |message: &Message| {
            matches!(
                message,
                Message::Apply { .. } | Message::Hint { .. } | Message::Decide(_)
            )
        };
        // A decision sends to the third replica, which must happen as well.
        loop {
            let tokens = self.messages.tokens(is_wanted);
            if tokens.is_empty() {
                return;
            }
            for token in tokens {
                self.receive(token);
            }
        }
    }

    /// Makes all replicas equal.
    pub(crate) fn repair(&mut self) {
        let mut all = Replica::default();
        for node in &self.nodes {
            all.absorb(&node.data);
        }
        for node in &mut self.nodes {
            node.data = all.clone();
        }
    }

    pub(crate) fn replicas_equal(&self) -> bool {
        let mut nodes = self.nodes.iter();
        let Some(first) = nodes.next() else {
            return true;
        };
        nodes.all(|node| node.data.is_same(&first.data))
    }

    pub(crate) fn row_counts(&self) -> [usize; REPLICAS] {
        let mut counts = [0; REPLICAS];
        for (count, node) in counts.iter_mut().zip(&self.nodes) {
            *count = node.data.row_count();
        }
        counts
    }
}
