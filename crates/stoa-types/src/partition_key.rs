//! A partition key as one byte string: what Cassandra hashes into a token.
//!
//! A key of one column is the native bytes of its value. A key of several columns is, per column,
//! the length as two bytes, the bytes, and a zero byte.

/// Why a partition key cannot be put together or taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PartitionKeyError {
    /// The key, or one of its values, is longer than 65,535 bytes.
    #[error("key length of {0} is longer than maximum of 65535")]
    TooLong(usize),
    /// The bytes end early, or go on after the last column.
    #[error("partition key has not the expected number of columns")]
    WrongShape,
}

/// Puts the native bytes of the columns together.
///
/// # Errors
/// When the key or a value is longer than Cassandra allows.
pub fn join(values: &[&[u8]]) -> Result<Vec<u8>, PartitionKeyError> {
    let mut key = Vec::new();
    if let [single] = values {
        key.extend_from_slice(single);
    } else {
        for value in values {
            let too_long = |_| PartitionKeyError::TooLong(value.len());
            let length = u16::try_from(value.len()).map_err(too_long)?;
            key.extend_from_slice(&length.to_be_bytes());
            key.extend_from_slice(value);
            key.push(0);
        }
    }
    match u16::try_from(key.len()) {
        Ok(_) => Ok(key),
        Err(_) => Err(PartitionKeyError::TooLong(key.len())),
    }
}

/// Takes a key of this many columns apart.
///
/// # Errors
/// When the key has another number of columns.
pub fn split(key: &[u8], columns: usize) -> Result<Vec<&[u8]>, PartitionKeyError> {
    if columns == 1 {
        return Ok(vec![key]);
    }
    let mut rest = key;
    let mut values = Vec::new();
    for _ in 0..columns {
        let (length, body) = rest
            .split_first_chunk::<2>()
            .ok_or(PartitionKeyError::WrongShape)?;
        let length = usize::from(u16::from_be_bytes(*length));
        let (value, end) = body
            .split_at_checked(length)
            .ok_or(PartitionKeyError::WrongShape)?;
        rest = end
            .strip_prefix(&[0])
            .ok_or(PartitionKeyError::WrongShape)?;
        values.push(value);
    }
    if rest.is_empty() {
        Ok(values)
    } else {
        Err(PartitionKeyError::WrongShape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_column_is_bare_and_several_are_framed() {
        assert_eq!(join(&[b"ab"]), Ok(b"ab".to_vec()));
        assert_eq!(join(&[b"ab", b""]), Ok(vec![0, 2, b'a', b'b', 0, 0, 0, 0]));
        let key = join(&[b"a", b"", b"bc"]).unwrap();
        assert_eq!(split(&key, 3), Ok(vec![&b"a"[..], b"", b"bc"]));
        assert_eq!(split(b"ab", 1), Ok(vec![&b"ab"[..]]));
    }

    #[test]
    fn wrong_keys_are_refused() {
        assert_eq!(split(&[0, 2, b'a'], 2), Err(PartitionKeyError::WrongShape));
        assert_eq!(
            split(&[0, 1, b'a', 1], 2),
            Err(PartitionKeyError::WrongShape)
        );
        let key = join(&[b"a", b"b"]).unwrap();
        assert_eq!(split(&key, 3), Err(PartitionKeyError::WrongShape));
        let long = vec![0; 65_536];
        assert_eq!(join(&[&long]), Err(PartitionKeyError::TooLong(65_536)));
        assert_eq!(join(&[&long, b""]), Err(PartitionKeyError::TooLong(65_536)));
    }
}
