//! Value bytes that sort like the values: keys of an ordered store.
//!
//! This is the byte-comparable form that Cassandra 5.0 uses in its tries (its version `OSS50`):
//! comparing two encodings as unsigned bytes gives what the types' comparators give (see
//! [`crate::compare`]), and no encoding of a whole clustering is a prefix of another. The bytes of
//! each type are drawn in `docs/formats/keys.md`.
//!
//! A sequence (a clustering, a tuple, a collection) writes one separator before each component
//! and a terminator after the last:
//!
//! ```text
//! 38  end of a sequence              3E  null, no bytes follow (first, also when descending)
//! 40  a component follows            3F  empty value, no bytes follow (41 when descending)
//! 20  just before a prefix           60  just after a prefix and all that start with it
//! ```
//!
//! A descending component has all its bytes inverted, but not its separator.
//!
//! **Slices.** A full clustering ends in `38`, which lies between `20` and `60`, as all separators
//! do. So `position(prefix, Before)` is less than every clustering that starts with the prefix and
//! greater than all that sort before those; `After` is the reverse; and any CQL slice is one
//! half-open interval of such positions. On a descending column the bounds swap: `c > 5` ends just
//! *before* 5. [`slice()`] does that.
//!
//! Invariants:
//! 1. For valid values, bytes compare as [`crate::compare::compare_clusterings`] does.
//! 2. Encodings of full clusterings of the same columns are prefix-free.
//! 3. Decoding gives bytes that compare equal to the original, and the very same bytes when
//!    [`restores`] says so.
//!
//! Two places follow Cassandra's comparators rather than its code. An empty value *inside* a tuple
//! or a collection is `3F`, where the code writes `3E` and so mixes it up with null: two clusterings
//! that differ there must not share a key. And all NaNs have one form, where the code keeps their
//! bits: they are one clustering.

mod bytes;
mod decimal;
mod integer;
mod read;
mod reader;
#[cfg(test)]
mod tests;
mod write;

use std::borrow::Cow;
use std::ops::{Bound, Range};

pub use bytes::{escape, unescape};
use read::read_component;
use reader::Reader;
use write::append_components;

use crate::data_type::{ClusteringOrder, DataType, KeyColumn};
use crate::frames::FrameError;

/// Ends a sequence.
const TERMINATOR: u8 = 0x38;
/// Before a component.
const NEXT: u8 = 0x40;
/// In place of a null component.
const NEXT_NULL: u8 = 0x3E;
/// In place of an empty component.
const NEXT_EMPTY: u8 = 0x3F;
/// In place of an empty component that sorts greatest value first.
const NEXT_EMPTY_DESCENDING: u8 = 0x41;
/// Ends a position before everything that starts with a prefix.
const BEFORE: u8 = 0x20;
/// Ends a position after everything that starts with a prefix.
const AFTER: u8 = 0x60;

/// The native bytes of the values of a clustering, column by column; nulls are `None`.
pub type Components = Vec<Option<Vec<u8>>>;

/// Why a value cannot be encoded, or bytes cannot be decoded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderedError {
    /// The number of values is not that of the columns.
    #[error("expected {expected} components, got {actual}")]
    WrongCount {
        /// The number of columns.
        expected: usize,
        /// The number of values.
        actual: usize,
    },
    /// The native bytes are not a value of their type.
    #[error("invalid native bytes for {data_type}")]
    InvalidValue {
        /// The type in CQL.
        data_type: String,
    },
    /// The native bytes of a composite value are framed wrongly.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The encoding ends too early.
    #[error("ordered bytes are cut short")]
    CutShort,
    /// The encoding has a byte that cannot be at this place.
    #[error("unexpected byte {byte:#04x} at {offset} of ordered bytes")]
    Unexpected {
        /// The byte.
        byte: u8,
        /// Where it is.
        offset: usize,
    },
    /// The encoding goes on after its end.
    #[error("{0} bytes after the end of ordered bytes")]
    TrailingBytes(usize),
    /// A number in the encoding is beyond what its type can hold.
    #[error("number in ordered bytes is out of range")]
    OutOfRange,
}

/// On which side of all clusterings with a prefix a position lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// Before the first of them.
    Before,
    /// After the last of them.
    After,
}

/// Encodes a full clustering: one value per column, in order, as native bytes.
///
/// # Errors
/// When the number of values is wrong, or one is not valid for its type.
pub fn encode_clustering(
    columns: &[KeyColumn],
    values: &[Option<&[u8]>],
) -> Result<Vec<u8>, OrderedError> {
    let mut out = Vec::new();
    append_clustering(columns, values, &mut out)?;
    Ok(out)
}

/// Appends the encoding of a full clustering to a key.
///
/// # Errors
/// As [`encode_clustering`]; what was appended before an error stays.
pub fn append_clustering(
    columns: &[KeyColumn],
    values: &[Option<&[u8]>],
    out: &mut Vec<u8>,
) -> Result<(), OrderedError> {
    if values.len() != columns.len() {
        return Err(OrderedError::WrongCount {
            expected: columns.len(),
            actual: values.len(),
        });
    }
    append_components(columns, values, out)?;
    out.push(TERMINATOR);
    Ok(())
}

/// Encodes a position before or after all clusterings that start with `prefix`. An empty prefix
/// gives the positions before and after everything.
///
/// # Errors
/// When there are more values than columns, or one is not valid for its type.
pub fn encode_position(
    columns: &[KeyColumn],
    prefix: &[Option<&[u8]>],
    side: Side,
) -> Result<Vec<u8>, OrderedError> {
    let mut out = Vec::new();
    append_position(columns, prefix, side, &mut out)?;
    Ok(out)
}

/// Appends a position, as [`encode_position`] makes it, to a key.
///
/// # Errors
/// As [`encode_position`]; what was appended before an error stays.
pub fn append_position(
    columns: &[KeyColumn],
    prefix: &[Option<&[u8]>],
    side: Side,
    out: &mut Vec<u8>,
) -> Result<(), OrderedError> {
    if prefix.len() > columns.len() {
        return Err(OrderedError::WrongCount {
            expected: columns.len(),
            actual: prefix.len(),
        });
    }
    append_components(columns, prefix, out)?;
    out.push(match side {
        Side::Before => BEFORE,
        Side::After => AFTER,
    });
    Ok(())
}

/// The interval of encodings of a CQL slice: clusterings that start with `prefix` and whose next
/// column lies between `lower` and `upper`, as values compare. Whether that column ascends or
/// descends does not matter to the caller.
///
/// With both bounds open it is everything that starts with the prefix. A null in the next column
/// lies below every value, so only an unbounded lower end includes it.
///
/// # Errors
/// When there is no column for a bound, or a value is not valid for its type.
pub fn slice(
    columns: &[KeyColumn],
    prefix: &[Option<&[u8]>],
    lower: Bound<&[u8]>,
    upper: Bound<&[u8]>,
) -> Result<Range<Vec<u8>>, OrderedError> {
    let order = columns
        .get(prefix.len())
        .map_or(ClusteringOrder::Ascending, |next| next.order);
    let (first, last) = match order {
        ClusteringOrder::Ascending => (lower, upper),
        ClusteringOrder::Descending => (upper, lower),
    };
    let position = |bound: Bound<&[u8]>, unbounded, included, excluded| {
        let (value, side) = match bound {
            Bound::Unbounded => (None, unbounded),
            Bound::Included(value) => (Some(value), included),
            Bound::Excluded(value) => (Some(value), excluded),
        };
        let mut all = prefix.to_vec();
        all.extend(value.map(Some));
        encode_position(columns, &all, side)
    };
    let start = position(first, Side::Before, Side::Before, Side::After)?;
    let end = position(last, Side::After, Side::After, Side::Before)?;
    Ok(start..end)
}

/// Decodes a full clustering into the native bytes of its values.
///
/// # Errors
/// When the bytes are not what [`encode_clustering`] gives for these columns.
pub fn decode_clustering(
    columns: &[KeyColumn],
    encoded: &[u8],
) -> Result<Components, OrderedError> {
    let (values, rest) = decode_clustering_prefix(columns, encoded)?;
    match rest.len() {
        0 => Ok(values),
        trailing => Err(OrderedError::TrailingBytes(trailing)),
    }
}

/// Decodes a full clustering from the front of a longer key; returns what follows it.
///
/// # Errors
/// As [`decode_clustering`].
pub fn decode_clustering_prefix<'a>(
    columns: &[KeyColumn],
    encoded: &'a [u8],
) -> Result<(Components, &'a [u8]), OrderedError> {
    let mut reader = Reader::new(encoded);
    let mut values = Vec::with_capacity(columns.len());
    for column in columns {
        let separator = reader.next()?;
        values.push(read_component(
            &mut reader,
            &column.data_type,
            column.order,
            separator,
        )?);
    }
    match reader.next()? {
        TERMINATOR => Ok((values, reader.rest())),
        _ => Err(reader.unexpected()),
    }
}

/// Decodes a position into the native bytes of its prefix and its side.
///
/// # Errors
/// When the bytes are not what [`encode_position`] gives for these columns.
pub fn decode_position(
    columns: &[KeyColumn],
    encoded: &[u8],
) -> Result<(Components, Side), OrderedError> {
    let mut reader = Reader::new(encoded);
    let mut columns = columns.iter();
    let mut values = Vec::new();
    let side = loop {
        match reader.next()? {
            BEFORE => break Side::Before,
            AFTER => break Side::After,
            separator => {
                let column = columns.next().ok_or_else(|| reader.unexpected())?;
                let (data_type, order) = (&column.data_type, column.order);
                values.push(read_component(&mut reader, data_type, order, separator)?);
            }
        }
    };
    match reader.rest().len() {
        0 => Ok((values, side)),
        trailing => Err(OrderedError::TrailingBytes(trailing)),
    }
}

/// Whether decoding the encoding of this value gives the very same native bytes.
///
/// It does not for decimals that are not in one particular form (1.0 comes back as 1.00), for
/// varints with superfluous leading bytes, for booleans other than 0 and 1, for NaNs other than
/// Java's, for tuples that leave out fields at the end, and for values that contain such. A store
/// that must give back what was written keeps the original bytes of these beside the key. Invalid
/// values of such types are never restored.
#[must_use]
pub fn restores(data_type: &DataType, native: &[u8]) -> bool {
    representative(data_type, native).is_some_and(|it| *it == *native)
}

/// The bytes that stand for all values that compare equal to this one; they are such a value, too.
/// `None` for invalid bytes, where the type [has more than one form](has_one_form) of a value.
#[must_use]
pub fn representative<'a>(data_type: &DataType, native: &'a [u8]) -> Option<Cow<'a, [u8]>> {
    if has_one_form(data_type) {
        return Some(Cow::Borrowed(native));
    }
    if let DataType::Float | DataType::Double = data_type {
        let nan = bytes::as_java_nan(data_type, native);
        return Some(Cow::Borrowed(nan.unwrap_or(native)));
    }
    let column = [KeyColumn::ascending(data_type.clone())];
    let encoded = encode_clustering(&column, &[Some(native)]).ok()?;
    let decoded = decode_clustering(&column, &encoded).ok()?;
    decoded.into_iter().next().flatten().map(Cow::Owned)
}

/// Whether values of the type that compare equal have equal bytes.
#[must_use]
pub fn has_one_form(data_type: &DataType) -> bool {
    let has_more = matches!(
        data_type,
        DataType::Boolean
            | DataType::Decimal
            | DataType::Double
            | DataType::Float
            | DataType::Tuple(_)
            | DataType::UserDefined(_)
            | DataType::VarInt
    );
    !has_more && data_type.inner().into_iter().all(has_one_form)
}

/// Whether the type is compared as raw bytes, so that it is written escaped and has no special
/// form for the empty value.
fn is_escaped(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::Ascii
            | DataType::Blob
            | DataType::Custom(_)
            | DataType::Duration
            | DataType::Inet
            | DataType::Text
    )
}
