//! Where results go: standard output, or a file while `CAPTURE` is on.

use std::fs::File;
use std::io::{BufWriter, IsTerminal as _, Stdout, Write};
use std::path::{Path, PathBuf};

use crate::terminal::Palette;

/// Where results go.
pub(super) struct Output {
    stdout: BufWriter<Stdout>,
    capture: Option<Capture>,
    palette: Palette,
    is_terminal: bool,
}

struct Capture {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Output {
    pub(super) fn new() -> Self {
        Self {
            stdout: BufWriter::new(std::io::stdout()),
            capture: None,
            palette: Palette::for_stdout(),
            is_terminal: std::io::stdout().is_terminal(),
        }
    }

    /// Where results are written to.
    pub(super) fn results(&mut self) -> &mut dyn Write {
        match &mut self.capture {
            Some(capture) => &mut capture.file,
            None => &mut self.stdout,
        }
    }

    /// The colours of results: none in files.
    pub(super) fn palette(&self) -> Palette {
        match self.capture {
            Some(_) => Palette::plain(),
            None => self.palette,
        }
    }

    /// Whether results are seen by a person at once.
    pub(super) fn is_watched(&self) -> bool {
        self.is_terminal && self.capture.is_none()
    }

    /// Writes a line that is no result, and is never captured.
    pub(super) fn tell(&mut self, line: &str) -> std::io::Result<()> {
        writeln!(self.stdout, "{line}")?;
        self.stdout.flush()
    }

    pub(super) fn flush(&mut self) -> std::io::Result<()> {
        self.results().flush()
    }

    /// The file that results go to.
    pub(super) fn captured_to(&self) -> Option<&Path> {
        self.capture.as_ref().map(|it| it.path.as_path())
    }

    /// Appends results to a file from now on.
    pub(super) fn capture(&mut self, path: &Path) -> std::io::Result<()> {
        let file = File::options().append(true).create(true).open(path)?;
        self.capture = Some(Capture {
            path: path.to_owned(),
            file: BufWriter::new(file),
        });
        Ok(())
    }

    /// Shows results again.
    pub(super) fn end_capture(&mut self) -> std::io::Result<()> {
        match self.capture.take() {
            Some(mut capture) => capture.file.flush(),
            None => Ok(()),
        }
    }
}

/// Writes a line to standard error.
pub(super) fn say(line: &str) -> std::io::Result<()> {
    writeln!(std::io::stderr(), "{line}")
}
