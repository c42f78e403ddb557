//! What may differ from Cassandra, and why: a reviewed list.
//!
//! `docs/cql-support.md` tells users of each under "Differences".

use stoa_cql::ast::ConditionTarget;

use crate::conformance::Step;

use super::asked::Asked;
use super::comparison::Given;
use super::tables::{Column, Place, Table, Tables};

/// One reason why answers may differ.
#[derive(Debug)]
pub struct Exception {
    /// A few words.
    pub name: &'static str,
    /// Why this is right.
    pub reason: &'static str,
    applies: fn(&Asked<'_>, &Given, &Given) -> bool,
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
                 columns, with GROUP BY, and with those tests of vectors and addresses that it \
                 repeats beside a storage-attached index",
        applies: |asked, theirs, ours| {
            let differ = |words: &str| words.contains("differ from the whole");
            let repeats = asked.filters(|it| it.is_vector() || it.is_address())
                && asked.has_index(|it, _| it.is_attached);
            let may = asked.has_groups() || asked.filters_static() || repeats;
            may && ours.is_accepted() && matches!(theirs, Given::Problem(it) if differ(it))
        },
    },
    Exception {
        name: "static index",
        reason: "an index of Cassandra's old kind on a static column finds nothing in a partition \
                 beside a restriction of the clustering",
        applies: |asked, theirs, ours| {
            let nothing = theirs.rows() == Some(0) && ours.rows().is_some_and(|it| it > 0);
            let has_index =
                asked.has_index(|it, column| !it.is_attached && column.place == Place::Static);
            nothing && has_index && asked.filters(|it| it.place == Place::Clustering)
        },
    },
    Exception {
        name: "removed from a static collection",
        reason: "CONTAINS of Cassandra's finds elements of static collections that were removed",
        applies: |asked, theirs, ours| {
            let asks = asked.asks_element(|_, it| it.place == Place::Static && !it.is_frozen());
            asks && theirs.rows() > ours.rows() && ours.rows().is_some()
        },
    },
    Exception {
        name: "pages too large",
        reason: "Cassandra answers more groups in a page than were asked for",
        applies: |asked, theirs, ours| {
            let is_large = |words: &str| words.contains("a page over");
            let is_theirs = matches!(theirs, Given::Problem(it) if is_large(it));
            asked.has_groups() && ours.is_accepted() && is_theirs
        },
    },
    Exception {
        name: "values of maps in conditions",
        reason: "Cassandra compares the values of a map by the type of its keys, so that other \
                 values are equal to it, or less",
        applies: |asked, theirs, ours| {
            let conditions = asked.conditions();
            let asks_value = conditions.iter().any(|(condition, column)| {
                column.is_map() && matches!(condition.target, ConditionTarget::Element(_))
            });
            asks_value && theirs.is_accepted() && ours.is_accepted()
        },
    },
    Exception {
        name: "two conditions of a column",
        reason: "Cassandra looks at several conditions of one column in an order that changes from \
                 call to call, and refuses null where it comes to it first",
        applies: |asked, theirs, ours| {
            let conditions = asked.conditions();
            let mut names: Vec<&str> = conditions
                .iter()
                .map(|(it, _)| it.column.as_str())
                .collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            let words = "Invalid comparison with null";
            let is_refused = |it: &Given| it.lines().iter().any(|line| line.contains(words));
            let (first, second) = (is_refused(theirs), is_refused(ours));
            names.len() < all && (first && ours.is_accepted() || second && theirs.is_accepted())
        },
    },
    Exception {
        name: "limit of static filters",
        reason: "Cassandra counts partitions for LIMIT whose static row it then drops, and so \
                 answers too few rows",
        applies: |asked, theirs, ours| {
            asked.has_limit() && asked.filters_static() && asked.has_fewer(theirs, ours)
        },
    },
    Exception {
        name: "limit of vectors",
        reason: "beside a storage-attached index Cassandra looks at vectors after it has applied \
                 LIMIT, and so answers too few rows",
        applies: |asked, theirs, ours| {
            let filters = asked.filters(Column::is_vector);
            let has_index = asked.has_index(|it, column| it.is_attached && !column.is_vector());
            filters && has_index && asked.has_limit() && asked.has_fewer(theirs, ours)
        },
    },
    Exception {
        name: "vectors in the key",
        reason: "beside a storage-attached index Cassandra does not look at vectors in the key",
        applies: |asked, theirs, ours| {
            let filters = asked.filters(|it| it.is_vector() && it.place.is_key());
            let has_index = asked.has_index(|it, column| it.is_attached && !column.is_vector());
            filters && has_index && theirs.is_accepted() && ours.is_accepted()
        },
    },
    Exception {
        name: "CONTAINS beside an attached index",
        reason: "with a storage-attached index on another column Cassandra compares frozen \
                 collections whole with what they should contain, and mostly finds nothing",
        applies: |asked, theirs, ours| {
            let other = |name: &str| asked.has_index(|it, _| it.is_attached && it.column != name);
            let asks = asked.asks_element(|name, it| it.is_frozen() && other(name));
            asks && theirs.rows().is_some() && ours.rows().is_some()
        },
    },
    Exception {
        name: "rows left out of an attached index",
        reason: "a second storage-attached index that Cassandra makes when there are rows leaves \
                 out some of a table with deleted static columns",
        applies: |asked, theirs, ours| {
            let is_late = asked.has_index(|it, _| it.is_attached && it.is_late);
            let has_static = asked.table().is_some_and(Table::has_static);
            is_late && has_static && asked.has_fewer(theirs, ours)
        },
    },
    Exception {
        name: "static row behind an index of the partition key",
        reason: "an index of Cassandra's old kind on a part of the partition key does not see what \
                 is written to a static row that began with a deletion",
        applies: |asked, theirs, ours| {
            let has_index =
                asked.has_index(|it, column| !it.is_attached && column.place == Place::Partition);
            let has_static = asked.table().is_some_and(Table::has_static);
            has_index && has_static && asked.has_fewer(theirs, ours)
        },
    },
    Exception {
        name: "row behind an index of the clustering",
        reason: "what a read removes from an index of Cassandra's old kind on a clustering column \
                 hides a row that is written again with the same timestamp",
        applies: |asked, theirs, ours| {
            let has_index =
                asked.has_index(|it, column| !it.is_attached && column.place == Place::Clustering);
            has_index && asked.has_fewer(theirs, ours)
        },
    },
    Exception {
        name: "index of a truncated table",
        reason: "deletions that Cassandra is flushing while a table is truncated stay in its index \
                 of the old kind, now and then",
        applies: |asked, theirs, ours| {
            let was_truncated = asked.table().is_some_and(|it| it.was_truncated);
            let has_index = asked.has_index(|it, _| !it.is_attached);
            was_truncated && has_index && asked.has_fewer(theirs, ours)
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

/// The first reason that applies to a statement about these tables.
#[must_use]
pub fn find(
    tables: &Tables,
    step: &Step,
    theirs: &Given,
    ours: &Given,
) -> Option<&'static Exception> {
    let asked = Asked::new(step, tables);
    let applies = |exception: &&Exception| (exception.applies)(&asked, theirs, ours);
    EXCEPTIONS.iter().find(applies)
}
