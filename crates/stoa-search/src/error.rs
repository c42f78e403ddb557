//! What can go wrong with an index.

use tantivy::TantivyError;

/// Why an index does not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// The folder holds an index that is damaged or of another format. Make a new one with
    /// [`Index::create`](crate::Index::create) and fill it from the store.
    #[error("the search index must be made anew: {0}")]
    NeedsRebuild(String),
    /// The folder holds something else; it is left alone.
    #[error("the folder is not one of a search index")]
    NotOurs,
    /// Another process has the index open.
    #[error("another process has the search index open")]
    InUse,
    /// The index cannot be read or written. After a failed write, open it again.
    #[error("the search index does not work: {0}")]
    Failed(String),
}

impl SearchError {
    /// That an index cannot be opened as it is.
    pub(crate) fn at_opening(error: &TantivyError) -> Self {
        match error {
            TantivyError::LockFailure(..) => Self::InUse,
            other => Self::NeedsRebuild(other.to_string()),
        }
    }
}

impl From<TantivyError> for SearchError {
    fn from(error: TantivyError) -> Self {
        match error {
            TantivyError::LockFailure(..) => Self::InUse,
            TantivyError::DataCorruption(damage) => Self::NeedsRebuild(format!("{damage:?}")),
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<std::io::Error> for SearchError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}
