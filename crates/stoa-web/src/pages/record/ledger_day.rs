//! A closed day of the public ledger as a file. It never changes, so it may be kept for ever.

use axum::http::header;
use tokio::sync::Semaphore;

use crate::answer::Answer;
use crate::error::Failure;
use crate::fields::day_of;
use crate::route::Outcome;
use crate::visit::Visit;

/// Files that are made at once: each holds a whole day in memory.
static AT_ONCE: Semaphore = Semaphore::const_new(2);

/// `GET /ledger/{day}`
pub async fn show(visit: Visit) -> Outcome {
    let day = day_of(visit.param("day")).ok_or(Failure::NotFound)?;
    let Ok(_place) = AT_ONCE.try_acquire() else {
        return Err(Failure::Busy { seconds: 5 });
    };
    let lines = visit.votes().ledger_day(day).await?;
    let mut lines = lines.ok_or(Failure::NotFound)?.join("\n");
    lines.push('\n');
    let name = format!("attachment; filename=\"ledger-{day}.jsonl\"");
    let answer = Answer::of("application/x-ndjson", lines.into_bytes());
    Ok(answer
        .with_header(header::CONTENT_DISPOSITION, name)
        .for_ever())
}
