//! The fields of the index, and how a document becomes one of tantivy's.

use tantivy::TantivyDocument;
use tantivy::schema::{
    Field, INDEXED, IndexRecordOption, STORED, STRING, Schema, SchemaBuilder, TextFieldIndexing,
    TextOptions,
};
use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use crate::document::{Document, MOST_TAGS, MOST_TEXT_BYTES, MOST_TITLE_BYTES, key};
use crate::matching::cut;
use crate::words::{folded_text, words};

/// What the tokenizer of [`Words`] is called in the index.
pub(crate) const TOKENIZER: &str = "words";

/// The fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub(crate) key: Field,
    pub(crate) kind: Field,
    pub(crate) title: Field,
    pub(crate) whole_title: Field,
    pub(crate) text: Field,
    pub(crate) tags: Field,
    pub(crate) category: Field,
    pub(crate) state: Field,
    pub(crate) parent: Field,
    pub(crate) stamp: Field,
}

impl Fields {
    /// The fields, and the schema that they make.
    pub(crate) fn new() -> (Self, Schema) {
        let mut schema = SchemaBuilder::new();
        let fields = Self {
            key: schema.add_text_field("key", STRING | STORED),
            kind: schema.add_text_field("kind", STRING),
            title: schema.add_text_field("title", worded().set_stored()),
            whole_title: schema.add_text_field("whole_title", STRING),
            text: schema.add_text_field("text", worded().set_stored()),
            tags: schema.add_text_field("tags", worded()),
            category: schema.add_text_field("category", STRING | STORED),
            state: schema.add_text_field("state", STRING | STORED),
            parent: schema.add_text_field("parent", STRING | STORED),
            stamp: schema.add_i64_field("stamp", INDEXED | STORED),
        };
        (fields, schema.build())
    }

    pub(crate) fn document(&self, document: &Document) -> TantivyDocument {
        let title = cut(&document.title, MOST_TITLE_BYTES);
        let mut it = TantivyDocument::new();
        it.add_text(self.key, key(document.kind, document.id));
        it.add_text(self.kind, document.kind.name());
        it.add_text(self.title, title);
        it.add_text(self.whole_title, folded_text(title));
        it.add_text(self.text, cut(&document.text, MOST_TEXT_BYTES));
        for tag in document.tags.iter().take(MOST_TAGS) {
            it.add_text(self.tags, cut(tag, MOST_TITLE_BYTES));
        }
        for (field, value) in [
            (self.category, &document.category),
            (self.state, &document.state),
        ] {
            if let Some(value) = value {
                it.add_text(field, cut(value, MOST_TITLE_BYTES));
            }
        }
        if let Some(parent) = document.parent {
            it.add_text(self.parent, parent.to_string());
        }
        it.add_i64(self.stamp, document.stamp_micros);
        it
    }
}

/// Text that is cut into words. Where they stand is not kept: there are no phrases.
fn worded() -> TextOptions {
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(TOKENIZER)
        .set_index_option(IndexRecordOption::WithFreqs);
    TextOptions::default().set_indexing_options(indexing)
}

/// [`words`] as tantivy wants them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Words;

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream {
        let tokens = words(text).enumerate().map(|(position, word)| Token {
            offset_from: word.range.start,
            offset_to: word.range.end,
            position,
            text: word.folded,
            position_length: 1,
        });
        WordStream {
            rest: tokens.collect::<Vec<_>>().into_iter(),
            current: Token::default(),
        }
    }
}

/// The words of one text.
#[derive(Debug)]
pub(crate) struct WordStream {
    rest: std::vec::IntoIter<Token>,
    current: Token,
}

impl TokenStream for WordStream {
    fn advance(&mut self) -> bool {
        match self.rest.next() {
            Some(token) => self.current = token,
            None => return false,
        }
        true
    }

    fn token(&self) -> &Token {
        &self.current
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.current
    }
}
