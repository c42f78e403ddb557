//! Queries for tantivy, made of words. Its own query language is never used: what people type is
//! words and nothing else.

use tantivy::Term;
use tantivy::query::{
    BooleanQuery, BoostQuery, ConstScoreQuery, FuzzyTermQuery, Occur, Query as Clause, TermQuery,
};
use tantivy::schema::{Field, IndexRecordOption};

use crate::document::Kind;
use crate::fields::Fields;
use crate::matching::{Precision, Wanted, may_be_near};
use crate::words::folded_text;

/// What a word is worth in a title, in a tag and in a text.
const TITLE_WORTH: f32 = 4.0;
const TAG_WORTH: f32 = 3.0;
const TEXT_WORTH: f32 = 1.0;
/// What a word is worth that is misspelled, or only begins as it should.
const NEAR_WORTH: f32 = 0.5;
/// What it is worth if the title is the query: more than any sum of words.
const SAME_TITLE_WORTH: f32 = 1_000.0;
/// How much more everything is worth if every word is there as it was written.
const ALL_WORDS_WORTH: f32 = 10.0;

type Clauses = Vec<(Occur, Box<dyn Clause>)>;

/// Whoever has every word, as it is written.
pub(crate) fn every_word(fields: &Fields, wanted: &Wanted) -> Box<dyn Clause> {
    let clause = |word: &String| (Occur::Must, any(in_fields(fields, word, Precision::Exact)));
    Box::new(BooleanQuery::new(wanted.words.iter().map(clause).collect()))
}

/// Whoever has at least a part of the words, or words near them. Who has every word comes first.
pub(crate) fn most_words(
    fields: &Fields,
    wanted: &Wanted,
    precision: Precision,
    least: usize,
) -> Box<dyn Clause> {
    let clause = |word: &String| {
        let mut places = in_fields(fields, word, precision);
        if precision == Precision::Typing && wanted.typed.as_ref() == Some(word) {
            let beginning = FuzzyTermQuery::new_prefix(term(fields.title, word), 0, true);
            places.push(constant(Box::new(beginning), NEAR_WORTH * TITLE_WORTH));
        }
        any(places)
    };
    let words = wanted.words.iter().map(clause).collect();
    let least = least.clamp(1, wanted.words.len().max(1));
    let some = BooleanQuery::union_with_minimum_required_clauses(words, least);
    let every = BoostQuery::new(every_word(fields, wanted), ALL_WORDS_WORTH);
    Box::new(BooleanQuery::new(vec![
        (Occur::Must, Box::new(some)),
        (Occur::Should, Box::new(every)),
    ]))
}

/// Adds to a query that a title which is the query comes first.
pub(crate) fn same_title_first(
    fields: &Fields,
    text: &str,
    clause: Box<dyn Clause>,
) -> Box<dyn Clause> {
    let same = exact(fields.whole_title, &folded_text(text));
    Box::new(BooleanQuery::new(vec![
        (Occur::Must, clause),
        (Occur::Should, constant(same, SAME_TITLE_WORTH)),
    ]))
}

/// Adds filters to a query; they do not change what anything is worth.
pub(crate) fn filtered(
    fields: &Fields,
    clause: Box<dyn Clause>,
    kinds: &[Kind],
    values: [(Field, Option<&str>); 2],
) -> Box<dyn Clause> {
    let mut clauses: Clauses = vec![(Occur::Must, clause)];
    if !kinds.is_empty() {
        let kinds = Kind::ALL.into_iter().filter(|kind| kinds.contains(kind));
        let kinds = kinds.map(|kind| exact(fields.kind, kind.name()));
        clauses.push((Occur::Must, constant(any(kinds.collect()), 0.0)));
    }
    for (field, value) in values {
        if let Some(value) = value {
            clauses.push((Occur::Must, constant(exact(field, value), 0.0)));
        }
    }
    Box::new(BooleanQuery::new(clauses))
}

fn in_fields(fields: &Fields, word: &str, precision: Precision) -> Vec<Box<dyn Clause>> {
    let mut places: Vec<Box<dyn Clause>> = Vec::new();
    let is_near = precision != Precision::Exact && may_be_near(word);
    for (field, worth) in [
        (fields.title, TITLE_WORTH),
        (fields.tags, TAG_WORTH),
        (fields.text, TEXT_WORTH),
    ] {
        places.push(Box::new(BoostQuery::new(exact(field, word), worth)));
        if is_near {
            let near = FuzzyTermQuery::new(term(field, word), 1, true);
            places.push(constant(Box::new(near), NEAR_WORTH * worth));
        }
    }
    places
}

fn term(field: Field, text: &str) -> Term {
    Term::from_field_text(field, text)
}

fn exact(field: Field, text: &str) -> Box<dyn Clause> {
    Box::new(TermQuery::new(
        term(field, text),
        IndexRecordOption::WithFreqs,
    ))
}

fn any(clauses: Vec<Box<dyn Clause>>) -> Box<dyn Clause> {
    Box::new(BooleanQuery::union(clauses))
}

fn constant(clause: Box<dyn Clause>, worth: f32) -> Box<dyn Clause> {
    Box::new(ConstScoreQuery::new(clause, worth))
}
