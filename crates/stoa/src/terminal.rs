//! What differs when a person watches: colour and progress bars.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Marks a word as good or bad, in colour where that can be seen and is wanted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Palette {
    is_coloured: bool,
}

impl Palette {
    /// Never colour.
    pub(crate) fn plain() -> Self {
        Self { is_coloured: false }
    }

    /// Colour if standard output is a terminal and `NO_COLOR` is not set.
    pub(crate) fn for_stdout() -> Self {
        Self::for_stream(std::io::stdout().is_terminal())
    }

    /// Colour if standard error is a terminal and `NO_COLOR` is not set.
    pub(crate) fn for_stderr() -> Self {
        Self::for_stream(std::io::stderr().is_terminal())
    }

    fn for_stream(is_terminal: bool) -> Self {
        let refused = std::env::var_os("NO_COLOR").is_some_and(|it| !it.is_empty());
        Self {
            is_coloured: !refused && is_terminal,
        }
    }

    pub(crate) fn good(self, text: &str) -> String {
        self.paint(Colour::Green, text)
    }

    pub(crate) fn bad(self, text: &str) -> String {
        self.paint(Colour::Red, text)
    }

    pub(crate) fn paint(self, colour: Colour, text: &str) -> String {
        if self.is_coloured {
            format!("\x1b[{}m{text}\x1b[0m", colour as u8)
        } else {
            text.to_owned()
        }
    }
}

/// A colour, by its number in terminals.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Colour {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Blue = 34,
    Magenta = 35,
}

/// A line on standard error that says what is going on; nothing if that is no terminal.
pub(crate) fn progress() -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new_spinner();
    if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(120));
    bar
}

/// A bar on standard error over so many bytes of a file; nothing if that is no terminal.
pub(crate) fn progress_over(bytes: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(bytes);
    let template = "{elapsed} [{bar:30}] {percent}% {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// A bar on standard error over so many things, with their number; nothing if that is no terminal.
pub(crate) fn progress_of(count: u64) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(count);
    let template = "{elapsed} [{bar:30}] {human_pos} of {human_len} {msg}";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// Left-aligned columns; every line ends with a line feed.
pub(crate) fn list(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(|column| width(rows, column)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths);
        let line: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// How wide a column is.
fn width(rows: &[Vec<String>], column: usize) -> usize {
    let cells = rows.iter().filter_map(|row| row.get(column));
    cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
}

/// Left-aligned first column, right-aligned others; every line ends with a line feed.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(|column| width(rows, column)).collect();
    let mut text = String::new();
    for row in rows {
        let line: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| match column {
                0 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        text.push_str(line.join("  ").trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        let text = table(&[row(["work", "ratio"]), row(["a long work", "1.5"])]);
        assert_eq!(text, "work         ratio\na long work    1.5\n");
        let text = list(&[
            row(["key", "name"]),
            row(["health", "Health"]),
            row(["x", ""]),
        ]);
        assert_eq!(text, "key     name\nhealth  Health\nx\n");
    }
}
