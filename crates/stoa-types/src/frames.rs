//! Values inside values: how the native bytes of a composite value are cut into parts.
//!
//! ```text
//! list, set        count (i32)  then per element  length (i32) bytes; in lists also: null
//! map              count (i32)  then per entry    length (i32) key  length (i32) value
//! tuple, user type              then per field    length (i32) bytes; negative length: null
//! vector, fixed                 elements side by side, no lengths
//! vector, variable              per element       length (unsigned vint) bytes
//! ```
//!
//! Invariants:
//! 1. A part is borrowed from the input: no length found in it is ever allocated for.

use crate::data_type::DataType;
use crate::vint;

/// What is wrong with the framing of a composite value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// The input ends before a count, a length or a part does.
    #[error("not enough bytes")]
    CutShort,
    /// A collection's count is negative.
    #[error("the count is negative ({0})")]
    NegativeCount(i32),
    /// A collection has a null inside.
    #[error("null is not supported inside collections")]
    NullElement,
    /// There is more after the last part.
    #[error("{0} unexpected bytes after the value")]
    TrailingBytes(usize),
}

/// Takes an `i32` off the front.
fn take_i32(input: &mut &[u8]) -> Result<i32, FrameError> {
    let (head, rest) = input.split_first_chunk::<4>().ok_or(FrameError::CutShort)?;
    *input = rest;
    Ok(i32::from_be_bytes(*head))
}

fn take<'a>(input: &mut &'a [u8], length: usize) -> Result<&'a [u8], FrameError> {
    let (head, rest) = input.split_at_checked(length).ok_or(FrameError::CutShort)?;
    *input = rest;
    Ok(head)
}

/// Takes a length and that many bytes; `None` for a negative length.
fn take_part<'a>(input: &mut &'a [u8]) -> Result<Option<&'a [u8]>, FrameError> {
    match usize::try_from(take_i32(input)?) {
        Ok(length) => take(input, length).map(Some),
        Err(_) => Ok(None),
    }
}

/// The count of a collection and an iterator over its parts; a map has two parts per entry.
///
/// After an error the iterator ends. Bytes left over are reported as a last, wrong part.
///
/// # Errors
/// When there is no count, or it is negative.
pub fn collection_parts<'a>(
    input: &'a [u8],
    parts_per_entry: u64,
) -> Result<(usize, impl Iterator<Item = Result<&'a [u8], FrameError>>), FrameError> {
    let next = |input: &mut &'a [u8]| take_part(input)?.ok_or(FrameError::NullElement);
    counted_parts(input, parts_per_entry, next)
}

/// A part that may be null, if it is framed well.
pub type Nullable<'a> = Result<Option<&'a [u8]>, FrameError>;

/// As [`collection_parts`], but with the nulls that Cassandra lets into frozen lists.
///
/// # Errors
/// As [`collection_parts`].
pub fn nullable_parts(
    input: &[u8],
    parts_per_entry: u64,
) -> Result<(usize, impl Iterator<Item = Nullable<'_>>), FrameError> {
    counted_parts(input, parts_per_entry, take_part)
}

fn counted_parts<'a, T, F>(
    mut input: &'a [u8],
    parts_per_entry: u64,
    next: F,
) -> Result<(usize, Parts<'a, F>), FrameError>
where
    F: FnMut(&mut &'a [u8]) -> Result<T, FrameError>,
{
    let count = take_i32(&mut input)?;
    let entries = u64::try_from(count).map_err(|_| FrameError::NegativeCount(count))?;
    let parts = Parts {
        input,
        left: entries * parts_per_entry,
        next,
    };
    Ok((usize::try_from(entries).unwrap_or(usize::MAX), parts))
}

/// The fields that a tuple's bytes hold, at most `fields` of them; nulls are `None`.
pub fn tuple_parts(
    mut input: &[u8],
    fields: usize,
) -> impl Iterator<Item = Result<Option<&[u8]>, FrameError>> {
    let mut left = fields;
    std::iter::from_fn(move || {
        if input.is_empty() {
            return None;
        }
        if left == 0 {
            let error = FrameError::TrailingBytes(input.len());
            input = &[];
            return Some(Err(error));
        }
        left -= 1;
        let part = take_part(&mut input);
        if part.is_err() {
            input = &[];
        }
        Some(part)
    })
}

/// The elements of a vector.
pub fn vector_parts<'a>(
    input: &'a [u8],
    element: &DataType,
    dimension: u32,
) -> impl Iterator<Item = Result<&'a [u8], FrameError>> {
    let fixed = element.fixed_length();
    let next = move |input: &mut &'a [u8]| {
        let length = match fixed {
            Some(length) => length,
            None => {
                let length = vint::read_unsigned(input).ok_or(FrameError::CutShort)?;
                usize::try_from(length).map_err(|_| FrameError::CutShort)?
            }
        };
        take(input, length)
    };
    Parts {
        input,
        left: u64::from(dimension),
        next,
    }
}

struct Parts<'a, F> {
    input: &'a [u8],
    left: u64,
    next: F,
}

impl<'a, T, F> Iterator for Parts<'a, F>
where
    F: FnMut(&mut &'a [u8]) -> Result<T, FrameError>,
{
    type Item = Result<T, FrameError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            let rest = std::mem::take(&mut self.input).len();
            return (rest > 0).then_some(Err(FrameError::TrailingBytes(rest)));
        }
        self.left -= 1;
        let part = (self.next)(&mut self.input);
        if part.is_err() {
            self.left = 0;
            self.input = &[];
        }
        Some(part)
    }
}

/// A length or count as the protocol writes it; values of 2 GiB and more cannot be framed.
fn length_prefix(length: usize) -> Option<[u8; 4]> {
    i32::try_from(length).ok().map(i32::to_be_bytes)
}

/// Appends a collection's count; `None` if it is too large.
pub fn write_count(count: usize, out: &mut Vec<u8>) -> Option<()> {
    out.extend_from_slice(&length_prefix(count)?);
    Some(())
}

/// Appends a length and that many bytes, or the length -1 for null; `None` if it is too large.
pub fn write_part(part: Option<&[u8]>, out: &mut Vec<u8>) -> Option<()> {
    match part {
        Some(bytes) => {
            out.extend_from_slice(&length_prefix(bytes.len())?);
            out.extend_from_slice(bytes);
        }
        None => out.extend_from_slice(&(-1_i32).to_be_bytes()),
    }
    Some(())
}

/// Appends an element of a vector.
pub fn write_vector_part(element: &DataType, bytes: &[u8], out: &mut Vec<u8>) {
    if element.fixed_length().is_none() {
        vint::write_unsigned(bytes.len() as u64, out);
    }
    out.extend_from_slice(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_count_costs_nothing() {
        let bytes = [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 1, 9];
        let (count, parts) = collection_parts(&bytes, 1).unwrap();
        assert_eq!(count, i32::MAX as usize);
        let parts: Vec<_> = parts.collect();
        assert_eq!(parts, [Ok(&[9_u8][..]), Err(FrameError::CutShort)]);
    }

    #[test]
    fn wrong_framing_is_named() {
        let wrong = |bytes: &[u8]| match collection_parts(bytes, 1) {
            Ok((_, mut parts)) => parts.find_map(Result::err),
            Err(error) => Some(error),
        };
        assert_eq!(wrong(&[0, 0]), Some(FrameError::CutShort));
        assert_eq!(wrong(&[0xFF; 4]), Some(FrameError::NegativeCount(-1)));
        assert_eq!(
            wrong(&[0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF]),
            Some(FrameError::NullElement)
        );
        assert_eq!(wrong(&[0, 0, 0, 0, 7]), Some(FrameError::TrailingBytes(1)));
        assert_eq!(wrong(&[0, 0, 0, 0]), None);
    }

    #[test]
    fn tuples_may_be_short_but_not_long() {
        let two = [0, 0, 0, 1, 9, 0xFF, 0xFF, 0xFF, 0xFF];
        let parts: Vec<_> = tuple_parts(&two, 3).collect();
        assert_eq!(parts, [Ok(Some(&[9_u8][..])), Ok(None)]);
        let parts: Vec<_> = tuple_parts(&two, 1).collect();
        assert_eq!(
            parts,
            [Ok(Some(&[9_u8][..])), Err(FrameError::TrailingBytes(4))]
        );
    }
}
