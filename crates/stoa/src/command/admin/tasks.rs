//! `stoa admin tasks`: how each background task ran last, and which instances live.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use stoa_session::Session;
use stoa_tasks::Tables;

use super::Common;
use crate::command::votes::task_records::TaskRecords;

#[derive(Args)]
#[command(after_help = "Examples:\n  \
    stoa admin tasks --data town\n  \
    stoa votes tasks --run votes.audit --data town   run one now")]
pub(super) struct Arguments {
    #[command(flatten)]
    pub(super) common: Common,
}

pub(super) async fn run(session: Arc<dyn Session>, arguments: &Arguments) -> Result<()> {
    let tables = Tables::open(session, &arguments.common.keyspace).await?;
    let records = TaskRecords {
        tables: Arc::new(tables),
        json: arguments.common.json,
    };
    records.runs().await
}
