//! What a storage-attached index takes: classes, options and types.
//!
//! The rules are those of Cassandra's `StorageAttachedIndex.validateOptions`.

use stoa_types::DataType;

use super::create_index::ResolvedTarget;
use crate::catalog::{IndexTarget, Table};
use crate::refusal::Refusal;

const CLASS: &str = "org.apache.cassandra.index.sai.StorageAttachedIndex";
const ANALYZER: [&str; 3] = ["ascii", "case_sensitive", "normalize"];
const VECTOR: [&str; 4] = [
    "construction_beam_width",
    "maximum_node_connections",
    "optimize_for",
    "similarity_function",
];

/// What Cassandra tells whoever makes an index on vectors.
const VECTOR_WARNING: &str = "SAI ANN indexes on vector columns are experimental and are not \
     recommended for production use.\nThey don't yet support SELECT queries with:\n * Consistency \
     level higher than ONE/LOCAL_ONE.\n * Paging.\n * No LIMIT clauses.\n * PER PARTITION LIMIT \
     clauses.\n * GROUP BY clauses.\n * Aggregation functions.\n * Filters on columns without a SAI \
     index.";

/// What is told whenever a table with such indexes is validated: once for each on vectors.
pub(super) fn warnings(table: &Table) -> Vec<String> {
    let indexes = table.indexes.iter().filter(|it| it.is_storage_attached());
    let on_vectors = indexes.filter(|index| {
        let column = table.column(&index.column);
        column.is_some_and(|it| matches!(it.data_type, DataType::Vector { .. }))
    });
    on_vectors.map(|_| VECTOR_WARNING.to_owned()).collect()
}

/// Refuses classes that are not there, and what the storage-attached index does not take.
pub(super) fn validate(
    class: &str,
    table: &Table,
    targets: &[ResolvedTarget<'_>],
    options: &[(String, String)],
) -> Result<(), Refusal> {
    let is_alias = ["sai", "storageattachedindex"].contains(&class.to_lowercase().as_str());
    if class != CLASS && !is_alias {
        return Err(Refusal::configuration(format!(
            "Unable to find custom indexer class '{class}'"
        )));
    }
    let is_known = |name: &str| ANALYZER.contains(&name) || VECTOR.contains(&name);
    if let Some((unknown, _)) = options.iter().find(|(name, _)| !is_known(name)) {
        return Err(Refusal::configuration(format!(
            "Properties specified [{unknown}] are not understood by StorageAttachedIndex"
        )));
    }
    let [target] = targets else {
        return Err(Refusal::invalid(match targets.is_empty() {
            true => "Missing target column",
            false => "A storage-attached index cannot be created over multiple columns",
        }));
    };
    let is_same = |index: &crate::catalog::Index| {
        index.is_storage_attached()
            && index.column == target.column.name
            && index.target == target.target
    };
    if table.indexes.iter().any(|it| is_same(it)) {
        return Err(Refusal::invalid(format!(
            "Cannot create more than one storage-attached index on the same column: {}",
            target.column.name
        )));
    }
    let indexed = indexed_type(&target.column.data_type, target.target);
    refuse_analyzer(target, &indexed, options)?;
    let function = similarity(&indexed, options)?;
    refuse_types(&indexed, function)
}

/// How near vectors are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Similarity {
    Cosine,
    Other,
}

/// The types of what is indexed: one, but a key and a value for the entries of a map.
fn indexed_type(data_type: &DataType, target: IndexTarget) -> Vec<DataType> {
    match (target, data_type) {
        (IndexTarget::Keys, DataType::Map { key, .. }) => vec![DataType::clone(key)],
        (IndexTarget::Entries, DataType::Map { key, value, .. }) => {
            vec![DataType::clone(key), DataType::clone(value)]
        }
        (IndexTarget::Values, DataType::Map { value, .. }) => vec![DataType::clone(value)],
        (IndexTarget::Values, DataType::List { element, .. } | DataType::Set { element, .. }) => {
            vec![DataType::clone(element)]
        }
        _ => vec![data_type.clone()],
    }
}

fn refuse_analyzer(
    target: &ResolvedTarget<'_>,
    indexed: &[DataType],
    options: &[(String, String)],
) -> Result<(), Refusal> {
    let mut given = options
        .iter()
        .filter(|(name, _)| ANALYZER.contains(&name.as_str()))
        .peekable();
    if given.peek().is_none() {
        return Ok(());
    }
    if target.column.is_key() {
        return Err(Refusal::invalid(
            "Analysis options are not supported on primary key columns",
        ));
    }
    if !matches!(indexed, [DataType::Ascii | DataType::Text]) {
        return Err(Refusal::invalid(format!(
            "CQL type {} cannot be analyzed.",
            target.column.data_type
        )));
    }
    for (name, value) in given {
        if value.is_empty() {
            return Err(Refusal::invalid(format!(
                "Empty value for boolean option '{name}'"
            )));
        }
        if !["true", "false"].contains(&value.to_lowercase().as_str()) {
            return Err(Refusal::invalid(format!(
                "Illegal value for boolean option '{name}': {value}"
            )));
        }
    }
    Ok(())
}

fn similarity(indexed: &[DataType], options: &[(String, String)]) -> Result<Similarity, Refusal> {
    let mut similarity = Similarity::Cosine;
    for (name, value) in options
        .iter()
        .filter(|(name, _)| VECTOR.contains(&name.as_str()))
    {
        if !matches!(indexed, [DataType::Vector { .. }]) {
            let shown: Vec<_> = indexed.iter().map(ToString::to_string).collect();
            return Err(Refusal::invalid(format!(
                "CQL type {} cannot have vector options",
                shown.join(", ")
            )));
        }
        let upper = value.to_uppercase();
        match (name.as_str(), upper.as_str()) {
            ("similarity_function", "COSINE") | ("optimize_for", "LATENCY" | "RECALL") => {}
            ("similarity_function", "EUCLIDEAN" | "DOT_PRODUCT") => {
                similarity = Similarity::Other;
            }
            ("similarity_function", _) => {
                return Err(Refusal::invalid(format!(
                    "Similarity function {upper} was not recognized for index null. Valid values \
                     are: EUCLIDEAN, DOT_PRODUCT, COSINE"
                )));
            }
            ("optimize_for", _) => {
                return Err(Refusal::invalid(format!(
                    "optimize_for '{upper}' was not recognized for index null. Valid values are: \
                     LATENCY, RECALL"
                )));
            }
            _ => {
                return Err(Refusal::invalid(format!(
                    "{name} cannot be set without enabling SAI_VECTOR_ALLOW_CUSTOM_PARAMETERS"
                )));
            }
        }
    }
    Ok(similarity)
}

fn refuse_types(indexed: &[DataType], similarity: Similarity) -> Result<(), Refusal> {
    for data_type in indexed {
        let is_whole = !data_type.inner().is_empty() && !data_type.is_multi_cell();
        let is_refused = matches!(
            data_type,
            DataType::Blob
                | DataType::Counter
                | DataType::Duration
                | DataType::Empty
                | DataType::Custom(_)
        );
        if is_refused || (data_type.native_name().is_none() && !is_whole) {
            return Err(Refusal::invalid(format!("Unsupported type: {data_type}")));
        }
    }
    let [DataType::Vector { element, dimension }] = indexed else {
        return Ok(());
    };
    if **element != DataType::Float {
        return Err(Refusal::invalid(
            "SAI ANN indexes are only allowed on vector columns with float elements",
        ));
    }
    if *dimension == 1 && similarity == Similarity::Cosine {
        return Err(Refusal::invalid(
            "Cosine similarity is not supported for single-dimension vectors",
        ));
    }
    Ok(())
}
