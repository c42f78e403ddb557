//! The shell for a person: line editing, history, completion, and statements over many lines.

use std::borrow::Cow;
use std::path::PathBuf;

use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::complete::complete;
use super::execute::{Shell, Source};
use super::names::Names;
use super::output::say;
use super::script::is_complete;
use crate::terminal::{Colour, Palette};

/// How many statements the history keeps.
const MOST_STATEMENTS: usize = 2_000;

/// Reads statements from a person until they have enough.
pub(super) fn run(shell: &mut Shell) -> anyhow::Result<()> {
    let config = Config::builder()
        .max_history_size(MOST_STATEMENTS)?
        .completion_type(CompletionType::List)
        .build();
    let mut editor: Editor<Guide, FileHistory> = Editor::with_config(config)?;
    shell.interrupt.install()?;
    editor.set_helper(Some(Guide::default()));
    let history = history_file();
    if let Some(file) = &history {
        // The first shell of a user finds no file.
        let _ = editor.load_history(file);
    }
    shell.output.tell(&format!(
        "stoa {}. HELP lists what can be typed; EXIT or Ctrl-D ends.",
        env!("CARGO_PKG_VERSION")
    ))?;
    while !shell.is_over {
        refresh(shell, &mut editor);
        match editor.readline(&prompt(shell)) {
            Ok(text) => {
                remember(&mut editor, &text)?;
                shell.run_script(&text, &Source::Argument)?;
            }
            // The line is given up, the shell is not.
            Err(ReadlineError::Interrupted) => {}
            Err(ReadlineError::Eof) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(file) = &history
        && let Err(problem) = editor.save_history(file)
    {
        let file = file.display();
        say(&format!("the history is not kept in {file}: {problem}"))?;
    }
    // A person has seen each error; the exit code is for scripts.
    shell.failures = 0;
    Ok(())
}

/// Gives the editor the names that completion offers.
fn refresh(shell: &mut Shell, editor: &mut Editor<Guide, FileHistory>) {
    let Some(guide) = editor.helper_mut() else {
        return;
    };
    guide.keyspace.clone_from(&shell.keyspace);
    if std::mem::take(&mut shell.has_new_schema) {
        // Without names there is less to offer, and nothing else is lost.
        let read = shell.runtime.block_on(Names::read(&*shell.session));
        guide.names = read.unwrap_or_default();
    }
}

fn prompt(shell: &Shell) -> String {
    match &shell.keyspace {
        Some(keyspace) => format!("stoa:{keyspace}> "),
        None => "stoa> ".to_owned(),
    }
}

/// Adds a text to the history, unless there may be a password in it.
fn remember(editor: &mut Editor<Guide, FileHistory>, text: &str) -> anyhow::Result<()> {
    let is_secret = text.to_ascii_lowercase().contains("password");
    if !text.trim().is_empty() && !is_secret {
        editor.add_history_entry(text)?;
    }
    Ok(())
}

/// `STOA_HISTORY`, or a file in the user's folder.
fn history_file() -> Option<PathBuf> {
    match std::env::var_os("STOA_HISTORY") {
        Some(file) => Some(PathBuf::from(file)),
        None => std::env::home_dir().map(|home| home.join(".stoa_history")),
    }
}

/// What the editor asks while a person types.
#[derive(Default)]
struct Guide {
    names: Names,
    keyspace: Option<String>,
}

impl Helper for Guide {}

impl Hinter for Guide {
    type Hint = String;
}

impl Highlighter for Guide {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(
        &'s self,
        prompt: &'p str,
        _default: bool,
    ) -> Cow<'b, str> {
        Cow::Owned(Palette::for_stdout().paint(Colour::Blue, prompt))
    }
}

impl Validator for Guide {
    /// Enter sends a text whose statements have all ended, and begins another line otherwise.
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_complete(context.input()) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

impl Completer for Guide {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let text = line.get(..position).unwrap_or(line);
        Ok(complete(text, &self.names, self.keyspace.as_deref()))
    }
}
