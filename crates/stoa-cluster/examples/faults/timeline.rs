//! What was done to the nodes and when, and what of it explains an outcome that nobody knows.
//!
//! A node is in trouble from the moment it is killed or paused until it has been back for
//! [`SETTLING`]. A write whose outcome is unknown is explained if a node that it was sent to was in
//! trouble while it waited. A conditional write takes several rounds, any of which may be lost to
//! others that set the same register: it is explained, too, where the server says so, and else it
//! is late. Any other write without such a reason is unexplained.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use stoa_session::Error;
use stoa_testkit::nodes::Deed;

/// How long after it is back a node may still be the reason: it catches up with what it missed.
const SETTLING: Duration = Duration::from_secs(5);

/// What a server answers to a conditional write that lost too many rounds against others.
const WRITE_TIMEOUT: u16 = 0x1100;
const CONDITIONAL_WRITE_UNKNOWN: u16 = 0x1700;

/// A kind of write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Write {
    /// A row, which may be saved twice.
    Save,
    /// An element of a list, which may not.
    Append,
    /// A register that nobody else sets, if it holds what is expected.
    Conditional,
    /// A register that others set, too, if it holds what is expected.
    Contended,
}

impl fmt::Display for Write {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Save => "save",
            Self::Append => "append",
            Self::Conditional => "conditional",
            Self::Contended => "contended",
        })
    }
}

/// A write whose outcome was unknown, and when it was under way.
#[derive(Debug, Clone)]
pub(crate) struct Unknown {
    pub(crate) write: Write,
    pub(crate) error: Error,
    pub(crate) from: Duration,
    pub(crate) to: Duration,
}

/// Why the outcome of a write is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// A node that was asked was killed or paused, or just back.
    Coordinator(Deed),
    /// Other conditional writes to the same partition stood in its way for too long.
    Contention,
    /// The rounds of a contended write took too long, and nobody says why.
    Late,
    /// Nobody knows.
    Unexplained,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Coordinator(deed) => write!(f, "its coordinator: {deed}"),
            Self::Contention => f.write_str("contention"),
            Self::Late => f.write_str("late"),
            Self::Unexplained => f.write_str("UNEXPLAINED"),
        }
    }
}

/// Everything that was done to the nodes.
#[derive(Debug, Default)]
pub(crate) struct Timeline {
    troubles: Vec<Trouble>,
}

/// A stretch of time in which a node did not work.
#[derive(Debug)]
struct Trouble {
    deed: Deed,
    from: Duration,
    /// When it was back.
    until: Option<Duration>,
}

impl Timeline {
    /// Something is about to be done to a node.
    pub(crate) fn begin(&mut self, deed: Deed, at: Duration) {
        if matches!(deed, Deed::Kill(_) | Deed::Pause(_)) {
            self.troubles.push(Trouble {
                deed,
                from: at,
                until: None,
            });
        }
    }

    /// It has been done.
    pub(crate) fn end(&mut self, deed: Deed, at: Duration) {
        if matches!(deed, Deed::Kill(_) | Deed::Pause(_)) {
            return;
        }
        for trouble in &mut self.troubles {
            if trouble.deed.node() == deed.node() && trouble.until.is_none() {
                trouble.until = Some(at);
            }
        }
    }

    /// Why the outcome of a write is unknown.
    pub(crate) fn reason(&self, unknown: &Unknown) -> Reason {
        let asked = |trouble: &&Trouble| {
            let nodes = unknown.error.nodes().iter();
            nodes
                .map(SocketAddr::ip)
                .any(|node| node == trouble.deed.address())
        };
        let during = |trouble: &&Trouble| {
            let is_over = |until: Duration| until + SETTLING < unknown.from;
            trouble.from <= unknown.to && !trouble.until.is_some_and(is_over)
        };
        match self.troubles.iter().filter(asked).find(during) {
            Some(trouble) => Reason::Coordinator(trouble.deed),
            None if unknown.write != Write::Contended => Reason::Unexplained,
            None if is_contention(&unknown.error) => Reason::Contention,
            None => Reason::Late,
        }
    }
}

/// Whether a server says that others stood in the way of a conditional write.
fn is_contention(error: &Error) -> bool {
    match error.code() {
        Some(CONDITIONAL_WRITE_UNKNOWN) => true,
        Some(WRITE_TIMEOUT) => error.message().contains("contention"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use stoa_session::ErrorKind;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn unknown(write: Write, error: Error, node: u8, from: u32) -> Unknown {
        let node = SocketAddr::from(([127, 0, 0, node], 9042));
        Unknown {
            write,
            error: error.asked_of(vec![node]),
            from: SECOND * from,
            to: SECOND * (from + 1),
        }
    }

    fn late() -> Error {
        Error::unknown(ErrorKind::Deadline, "no answer within 1.5s")
    }

    /// Node 2 is paused from 10 s to 20 s.
    fn timeline() -> Timeline {
        let mut timeline = Timeline::default();
        timeline.begin(Deed::Pause(2), SECOND * 10);
        timeline.end(Deed::Pause(2), SECOND * 10);
        timeline.begin(Deed::Resume(2), SECOND * 19);
        timeline.end(Deed::Resume(2), SECOND * 20);
        timeline
    }

    #[test]
    fn a_node_that_was_asked_and_paused_is_the_reason_until_it_has_settled() {
        let timeline = timeline();
        let reason = |node, from| timeline.reason(&unknown(Write::Append, late(), node, from));
        let paused = Reason::Coordinator(Deed::Pause(2));
        for from in [9, 10, 15, 20, 24] {
            assert_eq!(reason(2, from), paused, "at {from} s");
        }
        for (node, from) in [(2, 8), (2, 26), (1, 15), (3, 15)] {
            assert_eq!(reason(node, from), Reason::Unexplained, "{node}, {from} s");
        }
    }

    #[test]
    fn a_node_that_is_not_back_stays_the_reason() {
        let mut timeline = timeline();
        timeline.begin(Deed::Kill(3), SECOND * 30);
        timeline.end(Deed::Kill(3), SECOND * 31);
        let lost = unknown(Write::Save, late(), 3, 500);
        assert_eq!(timeline.reason(&lost), Reason::Coordinator(Deed::Kill(3)));
    }

    #[test]
    fn contention_is_what_the_server_calls_so_and_only_where_registers_are_shared() {
        let timeline = Timeline::default();
        let said =
            |code, message: &str| Error::unknown(ErrorKind::Timeout, message).with_code(code);
        let words = "CAS operation timed out: received 1 of 2 required responses after 9 \
                     contention retries";
        for error in [
            said(0x1100, words),
            said(0x1700, "CAS operation result is unknown"),
        ] {
            let lost = unknown(Write::Contended, error.clone(), 1, 5);
            assert_eq!(timeline.reason(&lost), Reason::Contention);
            for write in [Write::Append, Write::Conditional] {
                let lost = unknown(write, error.clone(), 1, 5);
                assert_eq!(timeline.reason(&lost), Reason::Unexplained);
            }
        }
        let slow = said(0x1100, "Operation timed out - received only 1 responses.");
        let lost = unknown(Write::Contended, slow.clone(), 1, 5);
        assert_eq!(timeline.reason(&lost), Reason::Late);
        let lost = unknown(Write::Save, slow, 1, 5);
        assert_eq!(timeline.reason(&lost), Reason::Unexplained);
    }
}
