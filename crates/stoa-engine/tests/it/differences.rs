//! Scripts that the engine answers otherwise than Cassandra, on purpose.
//!
//! `docs/cql-support.md` has a row for each. A script that is here and agrees is an error, too.

/// A script, and why its answers differ.
pub(crate) const DIFFERENCES: &[(&str, &str)] = &[
    (
        "batch/consistency_levels",
        "one machine meets every consistency level",
    ),
    (
        "select/consistency_levels",
        "one machine meets every consistency level",
    ),
    (
        "counters/delete_of_the_row_and_count_again",
        "Cassandra goes on counting from its counter cache, or not, if that has forgotten",
    ),
    (
        "index/sai_long_values",
        "Cassandra leaves values of more than 8 KiB out of a storage-attached index, silently",
    ),
    (
        "write/composite_key_too_long",
        "a partition key and a clustering share 65,535 bytes",
    ),
    (
        "write/null_bound_of_a_range_delete",
        "Cassandra fails at it after it was accepted",
    ),
];
