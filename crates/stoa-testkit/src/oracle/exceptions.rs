//! What may differ from Cassandra, and why: a reviewed list.
//!
//! `docs/cql-support.md` tells users of each under "Differences".

use crate::conformance::Step;

use super::comparison::Given;

/// One reason why answers may differ.
#[derive(Debug)]
pub struct Exception {
    /// A few words.
    pub name: &'static str,
    /// Why this is right.
    pub reason: &'static str,
    applies: fn(&Step, &Given, &Given) -> bool,
}

/// The native protocol's number of a failure inside the server.
const SERVER_ERROR: u16 = 0x0000;

/// The numbers of reads and writes that failed on a replica.
const FAILED_READ: u16 = 0x1300;
const FAILED_WRITE: u16 = 0x1500;

/// The reviewed list.
pub const EXCEPTIONS: &[Exception] = &[
    Exception {
        name: "server error",
        reason: "Cassandra accepts the statement and then fails at it",
        applies: |_, theirs, _| {
            let failures = [SERVER_ERROR, FAILED_READ, FAILED_WRITE];
            theirs.code().is_some_and(|code| failures.contains(&code))
        },
    },
    Exception {
        name: "pages fail",
        reason: "Cassandra answers the statement whole and fails at it in pages: over range \
                 deletions, and with GROUP BY",
        applies: |_, theirs, ours| {
            let signs = ["Operation failed", "paging state", "java.lang."];
            let fails = |words: &str| signs.iter().any(|sign| words.contains(sign));
            ours.is_accepted() && matches!(theirs, Given::Problem(words) if fails(words))
        },
    },
    Exception {
        name: "pages differ",
        reason: "Cassandra's pages together are not what it answers whole: with filters on static \
                 columns, and with GROUP BY",
        applies: |step, theirs, ours| {
            let differ = |words: &str| words.contains("differ from the whole");
            let text = &step.statement;
            let may = text.contains(" GROUP BY ") || names_static(filters_of(text));
            may && ours.is_accepted() && matches!(theirs, Given::Problem(it) if differ(it))
        },
    },
    Exception {
        name: "static index",
        reason: "an index of Cassandra's old kind on a static column finds nothing in a partition \
                 beside a restriction of the clustering",
        applies: |step, theirs, ours| {
            let filters = filters_of(&step.statement);
            let names_clustering = words_of(filters).any(|it| is_name_of(it, "c"));
            let nothing = theirs.rows() == Some(0) && ours.rows().is_some_and(|it| it > 0);
            nothing && names_clustering && names_static(filters)
        },
    },
    Exception {
        name: "removed from a static collection",
        reason: "CONTAINS of Cassandra's finds elements of static collections that were removed",
        applies: |step, theirs, ours| {
            let filters = filters_of(&step.statement);
            let words: Vec<&str> = words_of(filters).collect();
            let mut pairs = words.iter().zip(words.iter().skip(1));
            let is_static = |it: &str| is_name_of(it, "s") || is_name_of(it, "w");
            let asks = pairs.any(|(column, next)| is_static(column) && *next == "CONTAINS");
            asks && theirs.rows() > ours.rows() && ours.rows().is_some()
        },
    },
    Exception {
        name: "pages too large",
        reason: "Cassandra answers more groups in a page than were asked for",
        applies: |step, theirs, ours| {
            let is_large = |words: &str| words.contains("a page over");
            let groups = step.statement.contains(" GROUP BY ");
            groups && ours.is_accepted() && matches!(theirs, Given::Problem(it) if is_large(it))
        },
    },
    Exception {
        name: "values of maps in conditions",
        reason: "Cassandra compares the values of a map by the type of its keys, so that other \
                 values are equal to it, or less",
        applies: |step, theirs, ours| {
            let condition = step.statement.split_once(" IF ");
            let asks_element = condition.is_some_and(|(_, condition)| condition.contains('['));
            asks_element && theirs.is_accepted() && ours.is_accepted()
        },
    },
    Exception {
        name: "list beside a static condition",
        reason: "Cassandra does not read the row where all conditions are on static columns, and \
                 takes its lists for null",
        applies: |step, theirs, ours| {
            let words = "on a list which is null";
            let is_null = theirs.lines().iter().any(|line| line.contains(words));
            step.statement.contains(" IF ") && is_null && ours.is_accepted()
        },
    },
    Exception {
        name: "limit of static filters",
        reason: "Cassandra counts partitions for LIMIT whose static row it then drops, and so \
                 answers too few rows",
        applies: |step, theirs, ours| {
            let filters = filters_of(&step.statement);
            let has_fewer = match (theirs.rows(), ours.rows()) {
                (Some(theirs), Some(ours)) => theirs < ours,
                (None, Some(_)) => matches!(theirs, Given::Problem(_)),
                _ => false,
            };
            filters.contains("LIMIT") && has_fewer && names_static(filters)
        },
    },
    Exception {
        name: "CONTAINS beside an attached index",
        reason: "with a storage-attached index on another column Cassandra finds nothing in frozen \
                 collections by CONTAINS",
        applies: |step, theirs, ours| {
            let text = &step.statement;
            let aggregates = ["count(", "min(", "max(", "sum(", "avg("];
            let is_sum = aggregates.iter().any(|it| text.contains(it));
            let has_fewer = match (theirs.rows(), ours.rows()) {
                (Some(theirs), Some(ours)) => theirs < ours || is_sum && theirs == ours,
                _ => false,
            };
            has_fewer && text.contains(" CONTAINS ") && text.contains(" AND ")
        },
    },
    Exception {
        name: "the driver cannot read it",
        reason: "the class of min and max of timeuuid has no number in the protocol, and the \
                 driver does not know its name",
        applies: |_, theirs, _| {
            let is_unread = |words: &str| words.contains("LegacyTimeUUIDType");
            matches!(theirs, Given::Problem(words) if is_unread(words))
        },
    },
];

/// What comes after WHERE.
fn filters_of(statement: &str) -> &str {
    statement.split_once(" WHERE ").map_or("", |(_, rest)| rest)
}

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split([' ', '[', '('])
}

/// Whether a word is a name as the generator gives it to columns of one place: `c0`.
fn is_name_of(word: &str, place: &str) -> bool {
    word.len() == 2 && word.starts_with(place)
}

/// Whether static columns are named, or such that may be.
fn names_static(filters: &str) -> bool {
    words_of(filters).any(|it| is_name_of(it, "s") || is_name_of(it, "w"))
}

/// The first reason that applies.
#[must_use]
pub fn find(step: &Step, theirs: &Given, ours: &Given) -> Option<&'static Exception> {
    let applies = |exception: &&Exception| (exception.applies)(step, theirs, ours);
    EXCEPTIONS.iter().find(applies)
}
