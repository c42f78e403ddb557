//! Statements: as text, prepared, with values, and several as one.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::bind::{BindError, BoundValues, ToValues};
use crate::column::Column;
use crate::options::Options;

/// A statement as text, without variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// CQL.
    pub text: String,
    /// How to execute it.
    pub options: Options,
}

impl Statement {
    /// A statement with the session's own options.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            options: Options::new(),
        }
    }

    /// Sets how to execute it.
    #[must_use]
    pub fn with(self, options: Options) -> Self {
        Self { options, ..self }
    }
}

/// A statement that a session has made ready. Cheap to clone.
#[derive(Clone)]
pub struct Prepared {
    inner: Arc<PreparedParts>,
}

/// What a session tells about a statement it has made ready.
pub struct PreparedParts {
    /// CQL.
    pub text: String,
    /// The variables in the order of their markers.
    pub variables: Vec<Column>,
    /// Which variables make the partition key, in its order; empty if they do not.
    pub partition_key: Vec<usize>,
    /// The columns of the answer as they were when it was prepared; empty if it has no rows.
    pub columns: Vec<Column>,
    /// Whatever the session needs to execute it.
    pub handle: Box<dyn Any + Send + Sync>,
}

impl Prepared {
    /// Called by sessions.
    #[must_use]
    pub fn new(parts: PreparedParts) -> Self {
        Self {
            inner: Arc::new(parts),
        }
    }

    /// CQL.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// The variables in the order of their markers.
    #[must_use]
    pub fn variables(&self) -> &[Column] {
        &self.inner.variables
    }

    /// Which variables make the partition key, in its order; empty if they do not.
    #[must_use]
    pub fn partition_key(&self) -> &[usize] {
        &self.inner.partition_key
    }

    /// The columns of the answer as they were when it was prepared; empty if it has no rows.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.inner.columns
    }

    /// What the session that made it put in; `None` if another kind of session made it.
    #[must_use]
    pub fn handle<T: 'static>(&self) -> Option<&T> {
        self.inner.handle.downcast_ref()
    }

    /// Gives the variables their values.
    ///
    /// # Errors
    /// When there are too many or too few, or one does not fit its variable's type.
    pub fn bind(&self, values: impl ToValues) -> Result<Bound, BindError> {
        let mut bound = BoundValues::with_room_for(self.variables().len());
        values.write_values(self.variables(), &mut bound)?;
        bound.check_count(self.variables())?;
        Ok(Bound {
            prepared: self.clone(),
            values: bound,
            options: Options::new(),
        })
    }
}

impl fmt::Debug for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Prepared").field(&self.text()).finish()
    }
}

/// A prepared statement with its values.
#[derive(Debug, Clone)]
pub struct Bound {
    /// What to execute.
    prepared: Prepared,
    /// With which values.
    values: BoundValues,
    /// How to execute it.
    pub options: Options,
}

impl Bound {
    /// Sets how to execute it.
    #[must_use]
    pub fn with(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// What to execute.
    #[must_use]
    pub fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    /// With which values.
    #[must_use]
    pub fn values(&self) -> &BoundValues {
        &self.values
    }
}

/// Several writes, executed as one.
#[derive(Debug, Clone)]
pub struct Batch {
    /// What is promised about the whole.
    pub kind: BatchKind,
    /// How to execute it. Options of the single statements count for nothing.
    pub options: Options,
    items: Vec<BatchItem>,
}

/// What is promised about a batch as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BatchKind {
    /// All of it happens, or nothing.
    #[default]
    Logged,
    /// A part of it may happen alone, if it concerns several partitions.
    Unlogged,
    /// Changes of counters, as `Unlogged`.
    Counter,
}

/// One write of a batch.
#[derive(Debug, Clone)]
pub enum BatchItem {
    /// Prepared, with its values.
    Bound(Bound),
    /// As text, without variables.
    Text(String),
}

impl Batch {
    /// A batch of nothing yet.
    #[must_use]
    pub fn new(kind: BatchKind) -> Self {
        Self {
            kind,
            options: Options::new(),
            items: Vec::new(),
        }
    }

    /// Sets how to execute it.
    #[must_use]
    pub fn with(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Adds a prepared write.
    pub fn push(&mut self, bound: Bound) {
        self.items.push(BatchItem::Bound(bound));
    }

    /// Adds a write as text, without variables.
    pub fn push_text(&mut self, text: impl Into<String>) {
        self.items.push(BatchItem::Text(text.into()));
    }

    /// The writes in their order.
    #[must_use]
    pub fn items(&self) -> &[BatchItem] {
        &self.items
    }
}
