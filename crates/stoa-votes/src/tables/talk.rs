//! What people say and report: a table of tables, since they belong together.

pub mod cases;
pub mod comment_lists;
pub mod comment_marks;
pub mod comment_requests;
pub mod comment_versions;
pub mod comments;
pub mod rates;
pub mod reports;
pub mod talk_intents;

use stoa_session::Error;

use super::Base;
use cases::CaseTables;
use comment_lists::CommentLists;
use comment_marks::MarkTables;
use comment_requests::CommentRequestTable;
use comment_versions::CommentVersionTable;
use comments::CommentTable;
use rates::RateTable;
use reports::ReportTable;
use talk_intents::TalkIntentTable;

/// Every table of what people say and report.
#[derive(Debug)]
pub struct TalkTables {
    /// Comments of policies.
    pub comments: CommentTable,
    /// Texts that comments had before.
    pub versions: CommentVersionTable,
    /// Which comment each request makes.
    pub requests: CommentRequestTable,
    /// What readers think of comments.
    pub marks: MarkTables,
    /// Comments by when they were written or removed.
    pub lists: CommentLists,
    /// What was begun.
    pub intents: TalkIntentTable,
    /// Who reported what.
    pub reports: ReportTable,
    /// What people should look at.
    pub cases: CaseTables,
    /// How often something was done.
    pub rates: RateTable,
}

impl TalkTables {
    pub(super) async fn prepare(base: &Base<'_>) -> Result<Self, Error> {
        Ok(Self {
            comments: CommentTable::prepare(base).await?,
            versions: CommentVersionTable::prepare(base).await?,
            requests: CommentRequestTable::prepare(base).await?,
            marks: MarkTables::prepare(base).await?,
            lists: CommentLists::prepare(base).await?,
            intents: TalkIntentTable::prepare(base).await?,
            reports: ReportTable::prepare(base).await?,
            cases: CaseTables::prepare(base).await?,
            rates: RateTable::prepare(base).await?,
        })
    }
}
