//! Charts as drawings whose sizes are attributes, so that the policy of the page allows them.

use std::fmt::Write as _;

use maud::{Markup, html};
use stoa_votes::model::{Day, DayPoint};
use stoa_votes::rules::ranking::Line;

use crate::texts::Texts;
use crate::visit::Frame;

/// Days of the row of columns in a list.
const SPARK_DAYS: i32 = 14;
/// Height of the tallest column of home.
const TALLEST: i64 = 190;

/// The last two weeks of a policy, a column for the votes of each day. The last one is open.
#[must_use]
pub fn spark(line: &Line, today: Day) -> Markup {
    let first = today.plus(1 - SPARK_DAYS);
    let days = first.through(today);
    let changes = days.map(|day| line.total_on(day) - line.total_on(day.previous()));
    let changes: Vec<i64> = changes.collect();
    let most = changes.iter().copied().max().unwrap_or(0).max(1);
    html! {
        svg.spark width="84" height="26" viewBox="0 0 84 26" aria-hidden="true" {
            @for (at, change) in changes.iter().enumerate() {
                @let height = (change.max(&0) * 22 / most).max(i64::from(*change > 0));
                @let open = (at + 1 == changes.len()).then_some("open");
                path class=[open] d={ "M" (1 + at * 6) " " (24 - height) "h4v" (height) "h-4z" } {}
            }
            path.base d="M0 24.5h84v1.5H0z" {}
        }
    }
}

/// A column of the colonnade, as high as its votes are many.
#[must_use]
pub fn column(votes: i64, most: i64) -> Markup {
    let height = (votes.max(0) * TALLEST / most.max(1)).clamp(34, TALLEST);
    let foot = height - 9;
    html! {
        svg width="40" height=(height) viewBox={ "0 0 40 " (height) } aria-hidden="true" {
            path d={ "M2 0h36v5H2zM5 6h30l-5 6H10zM10.5 13h19L31 " (foot) "H9zM6 " (height - 8) "h28v3H6zM3 " (height - 4) "h34v4H3z" } {}
            path.flute d={ "M16 15V" (height - 10) "M20 15V" (height - 10) "M24 15V" (height - 10) } {}
        }
    }
}

/// Votes and ranks of a policy over its days, and the same as a table.
#[must_use]
pub fn history(frame: &Frame, points: &[DayPoint]) -> Markup {
    let texts = frame.texts;
    let (Some(first), Some(last)) = (points.first(), points.last()) else {
        return html! { p.muted { (texts.policy.no_days) } };
    };
    let format = &texts.format;
    let (from, to) = (format.short_day(first.day), format.short_day(last.day));
    let title = (texts.policy.chart_title)(&from, &to);
    let told = (texts.policy.chart_told)(&format.number(first.total), &format.number(last.total));
    let place = Placement::of(points);
    html! {
        svg.chart viewBox="0 0 640 296" role="img" aria-labelledby="c-t c-d" {
            title #c-t { (title) }
            desc #c-d { (told) }
            text.lab x="52" y="10" { (texts.policy.votes) }
            (place.votes_scale(texts))
            path.ln d=(place.votes_line(points)) {}
            text.lab x="52" y="184" { (texts.policy.rank) }
            (place.rank_scale())
            path.ln d=(place.rank_line(points)) {}
            text x="52" y="290" { (from) }
            @if first.day != last.day {
                text x="626" y="290" text-anchor="end" { (to) }
            }
        }
        details {
            summary { (texts.policy.as_table) }
            (table(frame, points))
        }
    }
}

fn table(frame: &Frame, points: &[DayPoint]) -> Markup {
    let (texts, format) = (&frame.texts.policy, &frame.texts.format);
    html! {
        table.tbl {
            caption { (texts.table_caption) }
            thead { tr {
                th scope="col" { (texts.day) }
                th.n scope="col" { (texts.change) }
                th.n scope="col" { (texts.votes) }
                th.n scope="col" { (texts.rank) }
            } }
            tbody {
                @for point in points.iter().rev().take(90) {
                    tr {
                        th scope="row" { (format.day(point.day)) }
                        td.n { (format.change(point.change)) }
                        td.n { (format.number(point.total)) }
                        td.n { @match point.rank { Some(rank) => (rank), None => "–" } }
                    }
                }
            }
        }
    }
}

/// Where values stand in the chart.
struct Placement {
    first: Day,
    days: i64,
    most: i64,
    last_rank: i64,
}

impl Placement {
    fn of(points: &[DayPoint]) -> Self {
        let first = points.first().map_or(Day(0), |it| it.day);
        let last = points.last().map_or(first, |it| it.day);
        let most = points.iter().map(|it| it.total).max().unwrap_or(1);
        let ranks = points.iter().filter_map(|it| it.rank);
        Self {
            first,
            days: i64::from(last.0 - first.0).max(1),
            most: nice(most),
            last_rank: i64::from(ranks.max().unwrap_or(1)).max(2),
        }
    }

    /// Tenths of the width of a drawing.
    fn across(&self, day: Day) -> f64 {
        let days = i64::from(day.0 - self.first.0);
        52.0 + 574.0 * days as f64 / self.days as f64
    }

    fn of_votes(&self, votes: i64) -> f64 {
        150.0 - 130.0 * votes as f64 / self.most as f64
    }

    fn of_rank(&self, rank: i64) -> f64 {
        196.0 + 70.0 * (rank - 1) as f64 / (self.last_rank - 1) as f64
    }

    fn votes_scale(&self, texts: &Texts) -> Markup {
        html! {
            @for votes in [0, self.most / 2, self.most] {
                @let at = self.of_votes(votes);
                path.gl d={ "M52 " (format!("{at:.1}")) "H626" } {}
                text x="44" y=(format!("{:.1}", at + 4.0)) text-anchor="end" { (texts.format.number(votes)) }
            }
        }
    }

    fn rank_scale(&self) -> Markup {
        html! {
            @for rank in [1, self.last_rank] {
                @let at = self.of_rank(rank);
                path.gl d={ "M52 " (format!("{at:.1}")) "H626" } {}
                text x="44" y=(format!("{:.1}", at + 4.0)) text-anchor="end" { (rank) }
            }
        }
    }

    fn votes_line(&self, points: &[DayPoint]) -> String {
        let mut line = String::new();
        for it in points {
            let step = if line.is_empty() { 'M' } else { 'L' };
            let (x, y) = (self.across(it.day), self.of_votes(it.total));
            let _ = write!(line, "{step}{x:.1} {y:.1}");
        }
        seen(line, points)
    }

    fn rank_line(&self, points: &[DayPoint]) -> String {
        let mut line = String::new();
        for it in points {
            let Some(rank) = it.rank else { continue };
            let (x, y) = (self.across(it.day), self.of_rank(i64::from(rank)));
            let _ = match line.is_empty() {
                true => write!(line, "M{x:.1} {y:.1}"),
                false => write!(line, "H{x:.1}V{y:.1}"),
            };
        }
        seen(line, points)
    }
}

/// A line; of one day alone a dash, since a point has no length.
fn seen(line: String, points: &[DayPoint]) -> String {
    match (line.is_empty(), points.len()) {
        (false, 1) => line + "h8",
        _ => line,
    }
}

/// A number that is no less and can be halved: 1, 2 or 5 with noughts after it, and even.
fn nice(most: i64) -> i64 {
    let mut unit = 2_i64;
    loop {
        for factor in [1, 2, 5] {
            let it = unit.saturating_mul(factor);
            if it >= most || it == i64::MAX {
                return it;
            }
        }
        unit = unit.saturating_mul(10);
    }
}

#[cfg(test)]
mod tests {
    use super::nice;

    #[test]
    fn scales_end_at_round_numbers() {
        assert_eq!([0, 3, 10, 11, 2_731].map(nice), [2, 4, 10, 20, 4_000]);
    }
}
