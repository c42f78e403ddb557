//! Who listens to which policies, and what each was told.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::IpAddr;

use axum::body::Bytes;
use stoa_votes::model::PolicyId;
use tokio::sync::mpsc;

use super::LiveLimits;
use crate::login::limits::whose;

/// Messages that somebody may be behind.
const MOST_BEHIND: usize = 8;

/// Everybody who listens.
#[derive(Debug, Default)]
pub(super) struct Listeners {
    all: HashMap<u64, Listener>,
    watched: HashMap<PolicyId, Watched>,
    next: u64,
    is_polled: bool,
    is_over: bool,
}

#[derive(Debug)]
struct Listener {
    whose: String,
    policies: Vec<PolicyId>,
    sender: mpsc::Sender<Bytes>,
}

#[derive(Debug, Default)]
struct Watched {
    listeners: usize,
    /// What was read last.
    total: Option<i64>,
}

/// Somebody who has a place now.
#[derive(Debug)]
pub(super) struct Joined {
    pub(super) number: u64,
    pub(super) receiver: mpsc::Receiver<Bytes>,
    /// Whether nobody polls yet.
    pub(super) is_first: bool,
}

impl Listeners {
    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    /// A place, if there is one. What is known of the policies is told at once.
    pub(super) fn join(
        &mut self,
        limits: &LiveLimits,
        address: IpAddr,
        mut policies: Vec<PolicyId>,
    ) -> Option<Joined> {
        let whose = whose(address);
        let of_address = self.all.values().filter(|it| it.whose == whose).count();
        if self.is_over || self.all.len() >= limits.in_all || of_address >= limits.of_address {
            return None;
        }
        policies.sort_unstable();
        policies.dedup();
        let (sender, receiver) = mpsc::channel(MOST_BEHIND);
        let known = policies.iter().filter_map(|policy| {
            let total = self.watched.get(policy)?.total?;
            Some((*policy, total))
        });
        // There is room: nothing was sent yet.
        let _ = sender.try_send(message(known));
        for policy in &policies {
            self.watched.entry(*policy).or_default().listeners += 1;
        }
        let number = self.next;
        self.next += 1;
        let listener = Listener {
            whose,
            policies,
            sender,
        };
        self.all.insert(number, listener);
        let is_first = !std::mem::replace(&mut self.is_polled, true);
        Some(Joined {
            number,
            receiver,
            is_first,
        })
    }

    pub(super) fn leave(&mut self, number: u64) {
        let Some(listener) = self.all.remove(&number) else {
            return;
        };
        for policy in &listener.policies {
            if let Some(watched) = self.watched.get_mut(policy) {
                watched.listeners -= 1;
                if watched.listeners == 0 {
                    self.watched.remove(policy);
                }
            }
        }
    }

    /// What is to be read; nothing if nobody listens, and then nobody polls any more.
    pub(super) fn watched(&mut self) -> Option<Vec<PolicyId>> {
        self.is_polled = !self.all.is_empty();
        self.is_polled
            .then(|| self.watched.keys().copied().collect())
    }

    /// Tells everybody what changed of what they listen to; whether anything did.
    pub(super) fn tell(&mut self, totals: &[(PolicyId, i64)]) -> bool {
        let mut changed = HashMap::new();
        for (policy, total) in totals {
            if let Some(watched) = self.watched.get_mut(policy)
                && watched.total.replace(*total) != Some(*total)
            {
                changed.insert(*policy, *total);
            }
        }
        if changed.is_empty() {
            return false;
        }
        let of = |policy: &PolicyId| changed.get(policy).map(|total| (*policy, *total));
        let messages = self.all.iter().filter_map(|(number, listener)| {
            let mut news = listener.policies.iter().filter_map(of).peekable();
            news.peek()?;
            Some((*number, message(news)))
        });
        let messages: Vec<(u64, Bytes)> = messages.collect();
        self.send(messages);
        true
    }

    /// Sends everybody something that means nothing.
    pub(super) fn beat(&mut self) {
        let beat = Bytes::from_static(b":\n\n");
        let messages = self.all.keys().map(|number| (*number, beat.clone()));
        let messages = messages.collect();
        self.send(messages);
    }

    /// Whoever is too far behind is let go, and comes again.
    fn send(&mut self, messages: Vec<(u64, Bytes)>) {
        for (number, message) in messages {
            let listener = self.all.get(&number);
            if listener.is_some_and(|it| it.sender.try_send(message).is_err()) {
                self.leave(number);
            }
        }
    }

    pub(super) fn end(&mut self) {
        self.is_over = true;
        self.all.clear();
        self.watched.clear();
    }
}

/// An event with totals; one without says only that somebody is there.
fn message(totals: impl Iterator<Item = (PolicyId, i64)>) -> Bytes {
    let mut pairs = String::new();
    for (policy, total) in totals {
        let comma = if pairs.is_empty() { "" } else { "," };
        let _ = write!(pairs, "{comma}\"{policy}\":{total}");
    }
    match pairs.is_empty() {
        true => Bytes::from_static(b":\n\n"),
        false => Bytes::from(format!("event: totals\ndata: {{{pairs}}}\n\n")),
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use uuid::Uuid;

    use super::*;

    const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn policy(number: u128) -> PolicyId {
        PolicyId(Uuid::from_u128(number))
    }

    fn heard(receiver: &mut mpsc::Receiver<Bytes>) -> String {
        let bytes = receiver.try_recv().map(Vec::from).unwrap_or_default();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn each_hears_of_changes_in_what_it_listens_to_and_of_nothing_else() {
        let (mut listeners, limits) = (Listeners::default(), LiveLimits::default());
        let mut one = listeners
            .join(&limits, HERE, vec![policy(1), policy(1)])
            .unwrap();
        let mut both = listeners
            .join(&limits, HERE, vec![policy(1), policy(2)])
            .unwrap();
        assert!(one.is_first && !both.is_first);
        assert_eq!(heard(&mut one.receiver), ":\n\n");
        assert_eq!(heard(&mut both.receiver), ":\n\n");
        assert!(listeners.tell(&[(policy(1), 5), (policy(2), 7)]));
        assert!(heard(&mut one.receiver).ends_with(&format!("{{\"{}\":5}}\n\n", policy(1))));
        assert!(heard(&mut both.receiver).contains(&format!("\"{}\":7", policy(2))));
        assert!(!listeners.tell(&[(policy(1), 5), (policy(2), 7)]));
        assert!(listeners.tell(&[(policy(1), 5), (policy(2), 8)]));
        assert_eq!(heard(&mut one.receiver), "");
        assert!(!heard(&mut both.receiver).contains(&policy(1).to_string()));
        // Whoever comes later is told at once.
        let mut late = listeners.join(&limits, HERE, vec![policy(2)]).unwrap();
        assert!(heard(&mut late.receiver).contains(":8}"));
    }

    #[test]
    fn places_have_a_limit_and_are_given_back() {
        let mut listeners = Listeners::default();
        let limits = LiveLimits {
            in_all: 3,
            of_address: 2,
            ..LiveLimits::default()
        };
        let there = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
        let first = listeners.join(&limits, HERE, vec![policy(1)]).unwrap();
        let _second = listeners.join(&limits, HERE, vec![policy(1)]).unwrap();
        assert!(listeners.join(&limits, HERE, vec![policy(1)]).is_none());
        let _third = listeners.join(&limits, there, vec![policy(1)]).unwrap();
        assert!(listeners.join(&limits, there, vec![policy(1)]).is_none());
        listeners.leave(first.number);
        listeners.leave(first.number);
        assert!(listeners.join(&limits, HERE, vec![policy(2)]).is_some());
        assert_eq!(listeners.watched().map(|it| it.len()), Some(2));
        listeners.end();
        assert!(listeners.join(&limits, HERE, vec![policy(1)]).is_none());
        assert_eq!(listeners.watched(), None);
    }

    #[test]
    fn whoever_does_not_listen_any_more_is_let_go() {
        let (mut listeners, limits) = (Listeners::default(), LiveLimits::default());
        let gone = listeners.join(&limits, HERE, vec![policy(1)]).unwrap();
        let slow = listeners.join(&limits, HERE, vec![policy(2)]).unwrap();
        drop(gone);
        listeners.beat();
        assert_eq!(listeners.count(), 1);
        for total in 0..20 {
            listeners.tell(&[(policy(2), total)]);
        }
        assert_eq!(listeners.count(), 0);
        drop(slow);
    }
}
