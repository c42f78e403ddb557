//! The whole public ledger as a file, as the task that keeps it wrote it last.

use std::sync::{Arc, LazyLock};

use axum::http::header;
use tokio::sync::Semaphore;

use crate::answer::Answer;
use crate::download::Download;
use crate::error::Failure;
use crate::route::Outcome;
use crate::visit::Visit;

/// What the file is called, in its folder and by those who get it.
const NAME: &str = "ledger.jsonl";

/// Files that are given away at once: a thread waits for each of those who take one.
static AT_ONCE: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(8)));

/// Whether there is one.
pub(super) fn is_kept(visit: &Visit) -> bool {
    let folder = visit.app.settings.ledger.as_ref();
    folder.is_some_and(|folder| folder.join(NAME).is_file())
}

/// `GET /ledger/ledger.jsonl`
pub async fn show(visit: Visit) -> Outcome {
    let folder = visit.app.settings.ledger.as_ref();
    let path = folder.ok_or(Failure::NotFound)?.join(NAME);
    let place = Arc::clone(&AT_ONCE).try_acquire_owned();
    let place = place.map_err(|_| Failure::Busy { seconds: 5 })?;
    let file = Download::begin(&path, place).await;
    let file = file.map_err(|_| Failure::NotFound)?;
    Ok(Answer::file("application/x-ndjson", file).with_header(
        header::CONTENT_DISPOSITION,
        format!("attachment; filename=\"{NAME}\""),
    ))
}
