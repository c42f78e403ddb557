//! How a statement is to be executed and its answer compared.
//!
//! | Directive | Meaning |
//! |---|---|
//! | `@ bind TERM, ...` | prepare it, with these values; see [`terms`](super::terms) |
//! | `@ prepare` | prepare it, though it has no variables |
//! | `@ batch KIND` | one batch message of the statements, each ending in `;`; logged, unlogged or counter |
//! | `@ timestamp MICROS` | the client's timestamp |
//! | `@ consistency LEVEL`, `@ serial LEVEL` | the levels |
//! | `@ pages N ...` | ask again in pages of these sizes: all together they must be the same rows |
//! | `@ wait SECONDS` | let this much time pass first |
//! | `@ any COLUMN ...` | values of these columns differ from run to run; recorded as `*` |
//! | `@ within N COLUMN ...` | numbers of these columns may differ by N |
//! | `@ unordered` | rows may come in any order |

use std::num::NonZeroU32;
use std::time::Duration;

use stoa_session::{BatchKind, Consistency, SerialConsistency};

/// Everything said about one statement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Directives {
    /// How it is sent.
    pub form: Form,
    /// The client's timestamp.
    pub timestamp: Option<i64>,
    /// The consistency level.
    pub consistency: Option<Consistency>,
    /// The serial consistency level.
    pub serial: Option<SerialConsistency>,
    /// Page sizes to ask again with.
    pub pages: Vec<NonZeroU32>,
    /// How much time passes before.
    pub wait: Duration,
    /// Columns whose values differ from run to run.
    pub any: Vec<String>,
    /// Columns whose numbers may differ, and by how much.
    pub within: Vec<(String, f64)>,
    /// Whether rows may come in any order.
    pub is_unordered: bool,
}

/// How a statement is sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Form {
    /// As text.
    #[default]
    Text,
    /// Prepared, with these terms as values.
    Prepared(String),
    /// As one batch message.
    Batch(BatchKind),
}

impl Directives {
    /// Adds what one line says, without its `@`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn add(&mut self, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim();
        let wrong = || format!("`@ {word}` does not take {rest:?}");
        match word {
            "bind" => self.form = Form::Prepared(rest.to_owned()),
            "prepare" => self.form = Form::Prepared(String::new()),
            "batch" => self.form = Form::Batch(batch_kind(rest).ok_or_else(wrong)?),
            "timestamp" => self.timestamp = Some(rest.parse().map_err(|_| wrong())?),
            "consistency" => self.consistency = Some(rest.parse().map_err(|_| wrong())?),
            "serial" => self.serial = Some(rest.parse().map_err(|_| wrong())?),
            "pages" => {
                let sizes = rest.split_whitespace().map(str::parse);
                self.pages = sizes.collect::<Result<_, _>>().map_err(|_| wrong())?;
            }
            "wait" => {
                let seconds = rest.parse::<f64>().ok();
                let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.wait = wait.ok_or_else(wrong)?;
            }
            "any" => self.any.extend(rest.split_whitespace().map(str::to_owned)),
            "within" => {
                let (most, columns) = rest.split_once(' ').ok_or_else(wrong)?;
                let most: f64 = most.parse().map_err(|_| wrong())?;
                let columns = columns.split_whitespace();
                self.within
                    .extend(columns.map(|name| (name.to_owned(), most)));
            }
            "unordered" if rest.is_empty() => self.is_unordered = true,
            _ => return Err(format!("unknown directive `@ {line}`")),
        }
        Ok(())
    }
}

fn batch_kind(word: &str) -> Option<BatchKind> {
    match word {
        "logged" => Some(BatchKind::Logged),
        "unlogged" => Some(BatchKind::Unlogged),
        "counter" => Some(BatchKind::Counter),
        _ => None,
    }
}
