//! One measured figure, what is wanted of it, and how it is shown.

use serde_json::{Value, json};

use crate::terminal::Palette;

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Goal {
    /// Nothing: the figure is for information.
    None,
    /// The ratio of ours to the peer's is at most this.
    RatioAtMost(f64),
    /// The ratio of ours to the peer's is at least this.
    RatioAtLeast(f64),
    /// Ours is below this.
    OursBelow(f64),
    /// Ours is at least this.
    OursAtLeast(f64),
}

/// One figure: ours, the peer's, and their ratio.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    pub(crate) work: String,
    pub(crate) ours: f64,
    /// Absent where nothing is compared.
    pub(crate) peer: Option<f64>,
    pub(crate) unit: &'static str,
    pub(crate) goal: Goal,
}

/// The heads of the columns for people.
pub(crate) const HEADS: [&str; 7] = ["work", "ours", "peer", "ratio", "unit", "goal", "met"];

impl Figure {
    /// Ours divided by the peer's.
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.peer
            .filter(|peer| *peer > 0.0)
            .map(|peer| self.ours / peer)
    }

    /// Whether the goal is met; nothing if there is none.
    pub(crate) fn is_met(&self) -> Option<bool> {
        match self.goal {
            Goal::None => None,
            Goal::RatioAtMost(most) => Some(self.ratio().is_some_and(|ratio| ratio <= most)),
            Goal::RatioAtLeast(least) => Some(self.ratio().is_some_and(|ratio| ratio >= least)),
            Goal::OursBelow(limit) => Some(self.ours < limit),
            Goal::OursAtLeast(least) => Some(self.ours >= least),
        }
    }

    fn goal_text(&self) -> Option<String> {
        match self.goal {
            Goal::None => None,
            Goal::RatioAtMost(most) => Some(format!("ratio <= {most}")),
            Goal::RatioAtLeast(least) => Some(format!("ratio >= {least}")),
            Goal::OursBelow(limit) => Some(format!("ours < {limit}")),
            Goal::OursAtLeast(least) => Some(format!("ours >= {least}")),
        }
    }

    /// The figure as one JSON object.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "work": self.work,
            "ours": rounded(self.ours),
            "peer": self.peer.map(rounded),
            "ratio": self.ratio().map(rounded),
            "unit": self.unit,
            "goal": self.goal_text(),
            "met": self.is_met(),
        })
    }

    /// The figure as cells of a table for people.
    pub(crate) fn to_cells(&self, palette: Palette) -> Vec<String> {
        let dash = || "-".to_owned();
        vec![
            self.work.clone(),
            readable(self.ours),
            self.peer.map_or_else(dash, readable),
            self.ratio().map_or_else(dash, readable_ratio),
            self.unit.to_owned(),
            self.goal_text().unwrap_or_else(dash),
            match self.is_met() {
                None => dash(),
                Some(true) => palette.good("✓"),
                Some(false) => palette.bad("✗"),
            },
        ]
    }
}

/// The middle of the measurements; of an even number, the mean of the two in the middle.
pub(crate) fn median(measured: &[f64]) -> f64 {
    let mut sorted = measured.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let at = |index: usize| sorted.get(index).copied().unwrap_or(f64::NAN);
    if sorted.len().is_multiple_of(2) {
        at(middle).midpoint(at(middle.wrapping_sub(1)))
    } else {
        at(middle)
    }
}

/// Four significant digits: more would be noise.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

fn readable_ratio(ratio: f64) -> String {
    match ratio {
        it if it < 0.1 => format!("{it:.4}"),
        it => format!("{it:.2}"),
    }
}

fn readable(number: f64) -> String {
    match number.abs() {
        it if it >= 1000.0 => format!("{number:.0}"),
        it if it >= 10.0 => format!("{number:.1}"),
        it if it >= 1.0 => format!("{number:.2}"),
        _ => format!("{number:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(ours: f64, peer: Option<f64>, goal: Goal) -> Figure {
        Figure {
            work: "work".to_owned(),
            ours,
            peer,
            unit: "us/op",
            goal,
        }
    }

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), 2.5);
        assert_eq!(median(&[7.0]), 7.0);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn ratios_are_ours_to_the_peers() {
        assert_eq!(figure(3.0, Some(2.0), Goal::None).ratio(), Some(1.5));
        assert_eq!(figure(3.0, Some(0.0), Goal::None).ratio(), None);
        assert_eq!(figure(3.0, None, Goal::None).ratio(), None);
    }

    #[test]
    fn goals_are_judged_at_their_edges() {
        let met = |ours, peer, goal| figure(ours, peer, goal).is_met();
        assert_eq!(met(1.5, Some(1.0), Goal::RatioAtMost(1.5)), Some(true));
        assert_eq!(met(1.6, Some(1.0), Goal::RatioAtMost(1.5)), Some(false));
        assert_eq!(met(0.7, Some(1.0), Goal::RatioAtLeast(0.7)), Some(true));
        assert_eq!(met(0.6, Some(1.0), Goal::RatioAtLeast(0.7)), Some(false));
        assert_eq!(met(1.0, None, Goal::RatioAtMost(1.5)), Some(false));
        assert_eq!(met(0.5, None, Goal::OursBelow(0.5)), Some(false));
        assert_eq!(met(0.4, None, Goal::OursBelow(0.5)), Some(true));
        assert_eq!(met(0.5, None, Goal::OursAtLeast(0.5)), Some(true));
        assert_eq!(met(0.4, None, Goal::OursAtLeast(0.5)), Some(false));
        assert_eq!(met(0.4, None, Goal::None), None);
    }

    #[test]
    fn json_has_exactly_the_promised_keys() {
        let json = figure(3.0, Some(2.0), Goal::RatioAtMost(1.5)).to_json();
        let keys: Vec<&str> = json
            .as_object()
            .unwrap()
            .keys()
            .map(String::as_str)
            .collect();
        let mut wanted = HEADS;
        wanted.sort_unstable();
        assert_eq!(keys, wanted);
        assert_eq!(json["ratio"], 1.5);
        assert_eq!(json["goal"], "ratio <= 1.5");
        assert_eq!(json["met"], true);
    }
}
