//! Prints figures: JSON at once, a table at the end.

use std::io::Write as _;

use anyhow::Result;
use indicatif::ProgressBar;

use super::figure::{Figure, HEADS};
use crate::terminal::{self, Palette, table};

/// Prints figures as they come.
pub(super) struct Printer {
    json: bool,
    bar: ProgressBar,
    figures: Vec<Figure>,
}

impl Printer {
    pub(super) fn new(json: bool) -> Self {
        let bar = terminal::progress();
        bar.set_message("measuring");
        Self {
            json,
            bar,
            figures: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, figure: Figure) -> Result<()> {
        self.bar.set_message(format!("measured {}", figure.work));
        if self.json {
            let mut out = std::io::stdout().lock();
            writeln!(out, "{}", figure.to_json())?;
        }
        self.figures.push(figure);
        Ok(())
    }

    pub(super) fn finish(&self) -> Result<()> {
        self.bar.finish_and_clear();
        if self.json {
            return Ok(());
        }
        let palette = Palette::for_stdout();
        let mut rows = vec![HEADS.map(str::to_owned).to_vec()];
        rows.extend(self.figures.iter().map(|it| it.to_cells(palette)));
        write!(std::io::stdout(), "{}", table(&rows))?;
        Ok(())
    }
}
