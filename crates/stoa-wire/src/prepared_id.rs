//! The ids of prepared statements and of the columns of results, as Cassandra computes them.
//!
//! `QueryProcessor.computeId` and `ResultSet.ResultMetadata.computeResultMetadataId` at
//! cassandra-5.0.

use md5::{Digest, Md5};

use crate::response::result::ColumnSpec;

/// The MD5 of something.
pub type Id = [u8; 16];

/// The id of a statement that is prepared in a keyspace, or that needs none.
#[must_use]
pub fn statement_id(keyspace: Option<&str>, text: &str) -> Id {
    let mut digest = Md5::new();
    digest.update(keyspace.unwrap_or_default());
    digest.update(text);
    digest.finalize().into()
}

/// The id of the columns of a result.
#[must_use]
pub fn metadata_id(columns: &[ColumnSpec<'_>]) -> Id {
    let mut digest = Md5::new();
    for column in columns {
        digest.update(column.name.as_bytes());
        digest.update([0]);
        digest.update(column.data_type.class_name());
        digest.update([0, 0]);
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_the_digest_of_keyspace_and_text() {
        let id = statement_id(Some("town"), "SELECT 1");
        let same = statement_id(None, "townSELECT 1");
        assert_eq!(id, same);
        let hex: String = statement_id(None, "abc")
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(hex, "900150983cd24fb0d6963f7d28e17f72");
    }
}
