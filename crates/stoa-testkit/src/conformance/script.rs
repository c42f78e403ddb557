//! A script as text, and back.

use super::directive::Directives;
use super::expectation::Expectation;

/// A script.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// Lines before the first statement, and what it says it shows.
    pub header: Vec<String>,
    /// The statements in order.
    pub steps: Vec<Step>,
}

/// One statement and its answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The line of the statement, counted from 1.
    pub line: usize,
    /// The statement.
    pub statement: String,
    /// How to execute it.
    pub directives: Directives,
    /// The recorded answer, if there is one.
    pub expected: Option<Expectation>,
    /// Statement and directives as they were written.
    source: Vec<String>,
    /// Lines for readers between this statement and the next.
    trailing: Vec<String>,
}

/// What is wrong with the text of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScriptError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub problem: String,
}

impl std::fmt::Display for ScriptError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for ScriptError {}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// The first line that is wrong.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut script = Self {
            header: Vec::new(),
            steps: Vec::new(),
        };
        let mut recorded: Vec<String> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let fail = |problem: String| ScriptError {
                line: index + 1,
                problem,
            };
            if let Some(statement) = line.strip_prefix("> ") {
                finish(&mut script, &mut recorded)?;
                script.steps.push(Step::new(index + 1, statement, line));
                continue;
            }
            match script.steps.last_mut() {
                None if line.is_empty() || line.starts_with('#') => {
                    script.header.push(line.to_owned());
                }
                None => return Err(fail("expected `# ...` or `> statement`".to_owned())),
                Some(step) => step.take(line, &mut recorded).map_err(fail)?,
            }
        }
        finish(&mut script, &mut recorded)?;
        match script.behaviour().is_empty() {
            true => Err(ScriptError {
                line: 1,
                problem: "the first line must say what the script shows: `# ...`".to_owned(),
            }),
            false => Ok(script),
        }
    }

    /// What it shows: the comment at its beginning.
    #[must_use]
    pub fn behaviour(&self) -> &str {
        let first = self.header.first().map_or("", String::as_str);
        first.strip_prefix('#').unwrap_or_default().trim()
    }

    /// A script of some of its steps, for readers of another beginning.
    #[must_use]
    pub fn with_steps(&self, behaviour: &str, steps: Vec<Step>) -> Self {
        Self {
            header: vec![format!("# {behaviour}"), String::new()],
            steps,
        }
    }

    /// Whether a recorded answer is an error.
    #[must_use]
    pub fn shows_an_error(&self) -> bool {
        let is_error = |step: &Step| {
            let lines = step.expected.as_ref().map(Expectation::lines);
            lines.is_some_and(|lines| lines.iter().any(|line| line.starts_with('!')))
        };
        self.steps.iter().any(is_error)
    }

    /// The text, with these answers in place of the recorded ones.
    #[must_use]
    pub fn with_answers(&self, answers: &[Expectation]) -> String {
        let mut lines = self.header.clone();
        for (step, answer) in self.steps.iter().zip(answers) {
            lines.extend(step.source.iter().cloned());
            lines.extend(answer.lines());
            lines.push(String::new());
            lines.extend(step.trailing.iter().cloned());
        }
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        lines.join("\n") + "\n"
    }
}

/// Gives the last step the answer that was read for it.
fn finish(script: &mut Script, recorded: &mut Vec<String>) -> Result<(), ScriptError> {
    let Some(step) = script.steps.last_mut() else {
        return Ok(());
    };
    step.expected = Expectation::parse(recorded).map_err(|line| ScriptError {
        line: step.line,
        problem: format!("not a recorded answer: {line}"),
    })?;
    recorded.clear();
    Ok(())
}

impl Step {
    /// Statement and directives as they were written.
    #[must_use]
    pub fn text(&self) -> String {
        self.source.join("\n")
    }

    fn new(line: usize, statement: &str, source: &str) -> Self {
        Self {
            line,
            statement: statement.to_owned(),
            directives: Directives::default(),
            expected: None,
            source: vec![source.to_owned()],
            trailing: Vec::new(),
        }
    }

    fn take(&mut self, line: &str, recorded: &mut Vec<String>) -> Result<(), String> {
        let is_before_answer = recorded.is_empty() && self.trailing.is_empty();
        if let Some(directive) = line.strip_prefix("@ ").filter(|_| is_before_answer) {
            self.source.push(line.to_owned());
            return self.directives.add(directive);
        }
        if let Some(more) = line.strip_prefix("  ").filter(|_| is_before_answer) {
            self.source.push(line.to_owned());
            self.statement.push('\n');
            self.statement.push_str(more);
            return Ok(());
        }
        match line.chars().next() {
            None => Ok(()),
            Some('#') => {
                self.trailing.push(line.to_owned());
                Ok(())
            }
            Some('=' | '-' | '!' | '~') => {
                recorded.push(line.to_owned());
                Ok(())
            }
            Some(_) => Err(format!("unexpected here: {line}")),
        }
    }
}
