//! The index: documents in, a commit, and what was committed is found.
//!
//! Invariants:
//! 1. What is not committed is not found, and is gone after a crash. A commit is whole or not.
//! 2. The stamp of the last commit is kept with it.
//! 3. Files whose checksums are wrong are not opened.

use std::fmt;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tantivy::directory::{Directory, MmapDirectory, RamDirectory};
use tantivy::tokenizer::TextAnalyzer;
use tantivy::{IndexReader, IndexWriter, ReloadPolicy, Searcher, Term};
use uuid::Uuid;

use crate::document::{Document, Kind, key};
use crate::error::SearchError;
use crate::fields::{Fields, TOKENIZER, Words};
use crate::folder::{self, Folder};

/// How much memory new documents take before they are written.
const WRITER_BYTES: usize = 32 << 20;

/// An index of documents. It may be shared by threads; writers wait for each other.
pub struct Index {
    pub(crate) fields: Fields,
    reader: IndexReader,
    writer: Mutex<IndexWriter>,
    stamp_micros: Mutex<Option<i64>>,
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Index({} documents)", self.count())
    }
}

impl Index {
    /// A new index in memory.
    ///
    /// # Errors
    /// If its threads cannot be started.
    pub fn memory() -> Result<Self, SearchError> {
        Self::on(&new_index(RamDirectory::create())?)
    }

    /// The index of a folder; a new one, if the folder is missing or empty. Reads all of it to
    /// verify the checksums.
    ///
    /// # Errors
    /// [`SearchError::NeedsRebuild`] if it is damaged or of another format: then
    /// [`create`](Self::create) a new one.
    pub fn open(folder: &Path) -> Result<Self, SearchError> {
        match folder::look(folder)? {
            Folder::Empty => return Self::create(folder),
            Folder::Other => {
                let what = "it is of another format".to_owned();
                return Err(SearchError::NeedsRebuild(what));
            }
            Folder::Index => {}
        }
        let index = tantivy::Index::open_in_dir(folder);
        let index = index.map_err(|error| SearchError::at_opening(&error))?;
        verify(&index)?;
        Self::on(&index).map_err(|error| match error {
            SearchError::Failed(what) => SearchError::NeedsRebuild(what),
            other => other,
        })
    }

    /// A new, empty index in a folder. An index that is there is deleted.
    ///
    /// # Errors
    /// [`SearchError::NotOurs`] if there is something else in the folder, and those of files.
    pub fn create(folder: &Path) -> Result<Self, SearchError> {
        folder::clear(folder)?;
        let directory = MmapDirectory::open(folder);
        let directory = directory.map_err(|error| SearchError::Failed(error.to_string()))?;
        Self::on(&new_index(directory)?)
    }

    fn on(index: &tantivy::Index) -> Result<Self, SearchError> {
        let (fields, _) = Fields::new();
        let words = TextAnalyzer::builder(Words).build();
        index.tokenizers().register(TOKENIZER, words);
        let reader = index.reader_builder();
        let reader = reader.reload_policy(ReloadPolicy::Manual).try_into()?;
        let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        let payload = index.load_metas()?.payload;
        let stamp_micros = payload.and_then(|stamp| stamp.parse().ok());
        Ok(Self {
            fields,
            reader,
            writer: Mutex::new(writer),
            stamp_micros: Mutex::new(stamp_micros),
        })
    }

    /// Puts a document here, in place of the one that has its kind and identifier.
    ///
    /// # Errors
    /// Those of files.
    pub fn upsert(&self, document: &Document) -> Result<(), SearchError> {
        let writer = self.writer();
        writer.delete_term(self.key_term(document.kind, document.id));
        writer.add_document(self.fields.document(document))?;
        Ok(())
    }

    /// Removes a document, if it is here.
    pub fn remove(&self, kind: Kind, id: Uuid) {
        self.writer().delete_term(self.key_term(kind, id));
    }

    /// Removes every document.
    ///
    /// # Errors
    /// Those of files.
    pub fn clear(&self) -> Result<(), SearchError> {
        self.writer().delete_all_documents()?;
        Ok(())
    }

    /// Lets everything so far be found, and remembers through which moment the store was read, in
    /// microseconds since 1970.
    ///
    /// # Errors
    /// Those of files. Then nothing of it is found, and [`rollback`](Self::rollback) or opening
    /// the index anew gives back what was committed before.
    pub fn commit(&self, stamp_micros: i64) -> Result<(), SearchError> {
        let mut writer = self.writer();
        let mut prepared = writer.prepare_commit()?;
        prepared.set_payload(&stamp_micros.to_string());
        prepared.commit()?;
        self.reader.reload()?;
        *self.stamp() = Some(stamp_micros);
        Ok(())
    }

    /// Forgets what was not committed.
    ///
    /// # Errors
    /// Those of files.
    pub fn rollback(&self) -> Result<(), SearchError> {
        self.writer().rollback()?;
        Ok(())
    }

    /// Through which moment the store was read when the last commit was made, in microseconds since
    /// 1970; none if there was no commit yet.
    #[must_use]
    pub fn stamp_micros(&self) -> Option<i64> {
        *self.stamp()
    }

    /// How many documents can be found.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.searcher().num_docs()
    }

    pub(crate) fn searcher(&self) -> Searcher {
        self.reader.searcher()
    }

    fn key_term(&self, kind: Kind, id: Uuid) -> Term {
        Term::from_field_text(self.fields.key, &key(kind, id))
    }

    fn writer(&self) -> MutexGuard<'_, IndexWriter> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stamp(&self) -> MutexGuard<'_, Option<i64>> {
        let stamp = self.stamp_micros.lock();
        stamp.unwrap_or_else(PoisonError::into_inner)
    }
}

fn new_index(directory: impl Into<Box<dyn Directory>>) -> Result<tantivy::Index, SearchError> {
    let (_, schema) = Fields::new();
    let settings = tantivy::IndexSettings::default();
    Ok(tantivy::Index::create(directory, schema, settings)?)
}

/// Every file of the index is there and has its checksum, and the fields are ours.
fn verify(index: &tantivy::Index) -> Result<(), SearchError> {
    let (_, schema) = Fields::new();
    if index.schema() != schema {
        let what = "its fields are others".to_owned();
        return Err(SearchError::NeedsRebuild(what));
    }
    let damaged = index.validate_checksum();
    let damaged = damaged.map_err(|error| SearchError::at_opening(&error))?;
    match damaged.iter().next() {
        None => Ok(()),
        Some(file) => {
            let what = format!("{} is damaged", file.display());
            Err(SearchError::NeedsRebuild(what))
        }
    }
}
