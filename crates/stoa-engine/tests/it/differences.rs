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
        "index/limit_of_vectors_beside_sai",
        "beside a storage-attached index Cassandra looks at vectors after it has applied LIMIT",
    ),
    (
        "index/partition_key_and_a_deleted_static",
        "an index of Cassandra's old kind misses a static row that began with a deletion",
    ),
    (
        "index/sai_long_values",
        "Cassandra leaves values of more than 8 KiB out of a storage-attached index, silently",
    ),
    (
        "index/static_beside_clustering",
        "an index of Cassandra's old kind on a static column finds nothing beside a clustering",
    ),
    (
        "lwt/map_values_compared_by_the_type_of_keys",
        "to Cassandra 3 is equal to 5 where the keys are uuids, and -1 above 5 where they are texts",
    ),
    (
        "write/composite_key_too_long",
        "a partition key and a clustering share 65,535 bytes",
    ),
];
