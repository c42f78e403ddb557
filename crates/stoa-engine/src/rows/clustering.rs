//! The values of a clustering, from its key bytes or from what was kept beside them.

use stoa_store::StoreError;
use stoa_store::cell::RowRef;
use stoa_types::{KeyColumn, frames, ordered};

/// The values of a row's clustering, as they were written.
pub(crate) fn clustering_values(
    key: &[KeyColumn],
    encoded: &[u8],
    row: &RowRef<'_>,
) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
    if key.is_empty() {
        return Ok(Vec::new());
    }
    let damaged = |what: String| StoreError::Damaged {
        place: "a clustering".to_owned(),
        what,
    };
    if let Some(original) = row.original_clustering {
        let parts = frames::tuple_parts(original, key.len());
        return parts
            .map(|part| {
                let part = part.map_err(|problem| damaged(problem.to_string()))?;
                Ok(part.map(<[u8]>::to_vec))
            })
            .collect();
    }
    ordered::decode_clustering(key, encoded).map_err(|problem| damaged(problem.to_string()))
}

/// What must be kept beside the key bytes of a clustering, because they do not give the values
/// back as they were written; `None` where they do.
pub(crate) fn original_clustering(key: &[KeyColumn], values: &[Option<&[u8]>]) -> Option<Vec<u8>> {
    let restores = |(column, value): (&KeyColumn, &Option<&[u8]>)| {
        value.is_none_or(|value| ordered::restores(&column.data_type, value))
    };
    if key.iter().zip(values).all(restores) {
        return None;
    }
    let mut out = Vec::new();
    for value in values {
        frames::write_part(*value, &mut out)?;
    }
    Some(out)
}
