//! How much the ratios of a work change with the number of rows.

use std::collections::BTreeMap;

use super::figure::{Figure, Goal};

/// What ratios may change by with the number of rows.
pub(super) const STEADY_WITHIN: f64 = 1.2;

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
    pub(super) fn spreads(&self, goal: Goal) -> impl Iterator<Item = Figure> {
        let works = self.by_work.iter();
        works.map(move |(name, ratios)| spread(name, ratios, goal))
    }

    /// How much the ratio of each work grows: the largest step up from fewer rows to more.
    pub(super) fn growths(&self, goal: Goal) -> impl Iterator<Item = Figure> {
        let works = self.by_work.iter();
        works.filter_map(move |(name, ratios)| growth(name, ratios, goal))
    }
}

fn spread(name: &str, ratios: &[f64], goal: Goal) -> Figure {
    Figure {
        work: format!("spread/{name}"),
        ours: ratios.iter().copied().fold(f64::MIN, f64::max),
        peer: Some(ratios.iter().copied().fold(f64::MAX, f64::min)),
        unit: "ratio",
        goal,
    }
}

fn growth(name: &str, ratios: &[f64], goal: Goal) -> Option<Figure> {
    let mut least = f64::MAX;
    let mut steps = Vec::new();
    for ratio in ratios {
        if least < f64::MAX {
            steps.push((*ratio, least));
        }
        least = least.min(*ratio);
    }
    let (ours, peer) = steps
        .into_iter()
        .max_by(|(a, b), (c, d)| (a / b).total_cmp(&(c / d)))?;
    Some(Figure {
        work: format!("growth/{name}"),
        ours,
        peer: Some(peer),
        unit: "ratio",
        goal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_is_the_largest_to_the_smallest() {
        let goal = Goal::RatioAtMost(1.2);
        let figure = spread("read", &[1.2, 1.0, 1.1], goal);
        assert_eq!(figure.ratio(), Some(1.2));
        assert_eq!(figure.is_met(), Some(true));
        assert_eq!(spread("read", &[1.0, 1.5], goal).is_met(), Some(false));
    }

    #[test]
    fn the_growth_is_the_largest_step_up() {
        let goal = Goal::RatioAtMost(1.2);
        let met = |ratios: &[f64]| growth("read", ratios, goal).and_then(|it| it.is_met());
        assert_eq!(met(&[2.0, 1.5, 1.0]), Some(true));
        assert_eq!(met(&[2.0, 1.0, 1.5, 0.5]), Some(false));
        assert_eq!(met(&[2.0]), None);
    }
}
