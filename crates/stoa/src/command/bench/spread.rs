//! How much the ratios of a work change with the number of rows.

use std::collections::BTreeMap;

use super::figure::{Figure, Goal};

/// The ratios of works that must not depend on the number of rows.
pub(super) struct Ratios {
    steady: &'static [&'static str],
    by_work: BTreeMap<String, Vec<f64>>,
}

impl Ratios {
    /// None yet, of the works with these names.
    pub(super) fn new(steady: &'static [&'static str]) -> Self {
        Self {
            steady,
            by_work: BTreeMap::new(),
        }
    }

    /// Notes the ratio of a figure whose work is called `NAME/ROWS`.
    pub(super) fn note(&mut self, figure: &Figure) {
        let name = figure.work.split('/').next().unwrap_or_default();
        if let (true, Some(ratio)) = (self.steady.contains(&name), figure.ratio()) {
            self.by_work.entry(name.to_owned()).or_default().push(ratio);
        }
    }

    /// The largest ratio of each work against its smallest.
    pub(super) fn spreads(&self) -> impl Iterator<Item = Figure> {
        self.by_work
            .iter()
            .map(|(name, ratios)| spread(name, ratios))
    }
}

fn spread(name: &str, ratios: &[f64]) -> Figure {
    Figure {
        work: format!("spread/{name}"),
        ours: ratios.iter().copied().fold(f64::MIN, f64::max),
        peer: Some(ratios.iter().copied().fold(f64::MAX, f64::min)),
        unit: "ratio",
        goal: Goal::RatioAtMost(1.2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_the_largest_to_the_smallest() {
        let figure = spread("read", &[1.2, 1.0, 1.1]);
        assert_eq!(figure.ratio(), Some(1.2));
        assert_eq!(figure.is_met(), Some(true));
        assert_eq!(spread("read", &[1.0, 1.5]).is_met(), Some(false));
    }
}
