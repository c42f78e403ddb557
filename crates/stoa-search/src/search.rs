//! Asking an index: what has these words, and what is similar to this title.
//!
//! A search first wants every word as it is written. If that finds little, it takes those who have
//! half of the words, and words of five letters or more with one mistake.

use tantivy::collector::{Count, TopDocs};
use tantivy::query::Query as Clause;
use tantivy::schema::Value;
use tantivy::schema::document::TantivyDocument;
use uuid::Uuid;

use crate::clauses::{every_word, filtered, most_words, same_title_first};
use crate::document::{Kind, of_key};
use crate::error::SearchError;
use crate::index::Index;
use crate::matching::{MOST_QUERY_BYTES, Precision, Wanted, cut};
use crate::snippet::{Snippet, best, whole};

/// How many hits an answer has at most.
pub const MOST_HITS: usize = 100;
/// How far one can page.
pub const MOST_OFFSET: usize = 1_000;
/// With fewer hits than this, words may be missing or misspelled.
const FEW: usize = 3;

/// What somebody looks for. Of a long text only the beginning counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The words; whatever else is in it is ignored.
    pub text: String,
    /// The kinds wanted; all, if empty.
    pub kinds: Vec<Kind>,
    /// The category wanted.
    pub category: Option<String>,
    /// The state wanted.
    pub state: Option<String>,
    /// How many hits, at most [`MOST_HITS`].
    pub most: usize,
    /// How many hits to leave out first, at most [`MOST_OFFSET`].
    pub offset: usize,
}

impl Query {
    /// The first twenty of any kind.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            kinds: Vec::new(),
            category: None,
            state: None,
            most: 20,
            offset: 0,
        }
    }
}

/// What a search found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Found {
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// How many there are on all pages.
    pub total: usize,
    /// Whether words may be missing or misspelled, since few documents have them all.
    pub is_loose: bool,
}

/// A document that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    /// What it is.
    pub kind: Kind,
    /// Its identifier.
    pub id: Uuid,
    /// How well it fits, compared with the others of the same answer.
    pub score: f32,
    /// Its title, with what matched.
    pub title: Snippet,
    /// The best part of its text, with what matched.
    pub text: Snippet,
    /// The key of its category.
    pub category: Option<String>,
    /// The name of its state.
    pub state: Option<String>,
    /// What it belongs to, and is read with: the policy of a comment.
    pub parent: Option<Uuid>,
    /// When it was last changed, in microseconds since 1970.
    pub stamp_micros: i64,
}

impl Index {
    /// What has the words of a query. A query without words finds nothing.
    ///
    /// # Errors
    /// Those of files, whatever the query.
    pub fn search(&self, query: &Query) -> Result<Found, SearchError> {
        let wanted = Wanted::of(&query.text);
        let fields = &self.fields;
        let ready = |clause| {
            let text = cut(&query.text, MOST_QUERY_BYTES);
            let clause = same_title_first(fields, text, clause);
            let values = [
                (fields.category, query.category.as_deref()),
                (fields.state, query.state.as_deref()),
            ];
            filtered(fields, clause, &query.kinds, values)
        };
        if wanted.words.is_empty() {
            return Ok(Found::default());
        }
        let page = (query.offset, query.most);
        let strict = ready(every_word(fields, &wanted));
        let found = self.run(&*strict, &wanted, Precision::Exact, page)?;
        if found.total >= FEW {
            return Ok(found);
        }
        let half = wanted.words.len().div_ceil(2);
        let loose = ready(most_words(fields, &wanted, Precision::Near, half));
        let loosely = self.run(&*loose, &wanted, Precision::Near, page)?;
        Ok(Found {
            is_loose: loosely.total > found.total,
            ..loosely
        })
    }

    /// What is similar to a title that somebody is typing: whoever has some of its words, or words
    /// near them, or begins a word as the last one begins.
    ///
    /// # Errors
    /// Those of files, whatever the title.
    pub fn similar(&self, title: &str, kind: Kind, most: usize) -> Result<Vec<Hit>, SearchError> {
        let wanted = Wanted::of(title);
        if wanted.words.is_empty() {
            return Ok(Vec::new());
        }
        let fields = &self.fields;
        let least = wanted.words.len().div_ceil(3);
        let some = most_words(fields, &wanted, Precision::Typing, least);
        let clause = same_title_first(fields, cut(title, MOST_QUERY_BYTES), some);
        let nothing = [(fields.category, None), (fields.state, None)];
        let clause = filtered(fields, clause, &[kind], nothing);
        let found = self.run(&*clause, &wanted, Precision::Typing, (0, most))?;
        Ok(found.hits)
    }

    fn run(
        &self,
        clause: &dyn Clause,
        wanted: &Wanted,
        precision: Precision,
        (offset, most): (usize, usize),
    ) -> Result<Found, SearchError> {
        let searcher = self.searcher();
        // At least one, because tantivy wants it so.
        let limit = most.clamp(1, MOST_HITS);
        let top = TopDocs::with_limit(limit).and_offset(offset.min(MOST_OFFSET));
        let (top, total) = searcher.search(clause, &(top.order_by_score(), Count))?;
        let mut hits = Vec::new();
        for (score, address) in top.into_iter().take(most) {
            let document: TantivyDocument = searcher.doc(address)?;
            hits.extend(self.hit(&document, score, wanted, precision));
        }
        Ok(Found {
            hits,
            total,
            is_loose: false,
        })
    }

    fn hit(
        &self,
        document: &TantivyDocument,
        score: f32,
        wanted: &Wanted,
        precision: Precision,
    ) -> Option<Hit> {
        let value = |field| document.get_first(field).and_then(|it| it.as_str());
        let text = |field| value(field).unwrap_or_default();
        let (kind, id) = of_key(text(self.fields.key))?;
        let stamp = document.get_first(self.fields.stamp);
        Some(Hit {
            kind,
            id,
            score,
            title: whole(text(self.fields.title), wanted, precision),
            text: best(text(self.fields.text), wanted, precision),
            category: value(self.fields.category).map(str::to_owned),
            state: value(self.fields.state).map(str::to_owned),
            parent: value(self.fields.parent).and_then(|it| Uuid::parse_str(it).ok()),
            stamp_micros: stamp.and_then(|it| it.as_i64()).unwrap_or(0),
        })
    }
}
