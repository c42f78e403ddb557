//! What machines ask: whether the instance is well, and what it counted.

use std::time::Duration;

use axum::http::header;
use stoa_votes::model::PolicyId;
use uuid::Uuid;

use crate::answer::Answer;
use crate::error::Failure;
use crate::metrics::Gauge;
use crate::route::Outcome;
use crate::visit::Served;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// `GET /healthz`: whether the database answers, whether it still takes what the background writes,
/// whether the clock is right, and whether the instance goes on. What is wrong is said in a few words.
pub async fn healthz(served: Served) -> Outcome {
    let app = &served.app;
    let asked = app.votes.standing(PolicyId(Uuid::nil()));
    let trouble = match tokio::time::timeout(PATIENCE, asked).await {
        Err(_) | Ok(Err(_)) => Some("the database does not answer"),
        Ok(Ok(_)) if app.votes.check_clock().is_err() => Some("the clock is off"),
        Ok(Ok(_)) => app.health.trouble(app.clock.monotonic()),
    };
    let (status, text) = match trouble {
        None => (200, "ok"),
        Some(trouble) => (503, trouble),
    };
    let text = format!("{text}\n").into_bytes();
    let answer = Answer::of("text/plain; charset=utf-8", text).with_status(status);
    Ok(answer.with_header(header::CACHE_CONTROL, "no-store"))
}

/// `GET /metrics`: for this machine, and for whoever has the token. For others there is no such page.
pub async fn metrics(served: Served) -> Outcome {
    let app = &served.app;
    let has_token = app.settings.metrics_token.as_deref();
    if !served.is_of_this_machine && !has_token.is_some_and(|token| served.bears(token)) {
        return Err(Failure::NotFound);
    }
    let now = app.clock.monotonic();
    let count = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    app.metrics
        .set(Gauge::LiveListeners, count(app.live.count()));
    app.metrics
        .set(Gauge::HashingWaiting, count(app.slots.waiting()));
    let text = app.metrics.text(now).into_bytes();
    let answer = Answer::of("text/plain; version=0.0.4; charset=utf-8", text);
    Ok(answer.with_header(header::CACHE_CONTROL, "no-store"))
}
