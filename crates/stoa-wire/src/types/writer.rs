//! Appends the notations of the protocol to a message's body; `reader` draws them.

use std::borrow::Cow;

use crate::error::EncodeError;

/// A length or count as the protocol writes it.
fn fits<T: TryFrom<usize>>(part: &'static str, length: usize) -> Result<T, EncodeError> {
    T::try_from(length).map_err(|_| EncodeError::TooLong { part, length })
}

/// A count as `[short]`.
///
/// # Errors
/// When it is too large.
pub fn count(out: &mut Vec<u8>, part: &'static str, count: usize) -> Result<(), EncodeError> {
    let count: u16 = fits(part, count)?;
    out.extend_from_slice(&count.to_be_bytes());
    Ok(())
}

/// A length or count as `[int]`.
///
/// # Errors
/// When it is too large.
pub fn long_count(out: &mut Vec<u8>, part: &'static str, count: usize) -> Result<(), EncodeError> {
    let count: i32 = fits(part, count)?;
    out.extend_from_slice(&count.to_be_bytes());
    Ok(())
}

/// `[string]`.
///
/// # Errors
/// When it has more than 65,535 bytes.
pub fn string(out: &mut Vec<u8>, part: &'static str, text: &str) -> Result<(), EncodeError> {
    short_bytes(out, part, text.as_bytes())
}

/// `[long string]`.
///
/// # Errors
/// When it has 2 GiB or more.
pub fn long_string(out: &mut Vec<u8>, part: &'static str, text: &str) -> Result<(), EncodeError> {
    bytes(out, part, Some(text.as_bytes()))
}

/// `[short bytes]`.
///
/// # Errors
/// When they are more than 65,535.
pub fn short_bytes(out: &mut Vec<u8>, part: &'static str, bytes: &[u8]) -> Result<(), EncodeError> {
    count(out, part, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// `[bytes]`; none is null.
///
/// # Errors
/// When they are 2 GiB or more.
pub fn bytes(
    out: &mut Vec<u8>,
    part: &'static str,
    bytes: Option<&[u8]>,
) -> Result<(), EncodeError> {
    match bytes {
        Some(bytes) => {
            long_count(out, part, bytes.len())?;
            out.extend_from_slice(bytes);
        }
        None => out.extend_from_slice(&(-1_i32).to_be_bytes()),
    }
    Ok(())
}

/// `[string list]`.
///
/// # Errors
/// When there are too many strings, or one is too long.
pub fn string_list(
    out: &mut Vec<u8>,
    part: &'static str,
    texts: &[Cow<'_, str>],
) -> Result<(), EncodeError> {
    count(out, part, texts.len())?;
    texts.iter().try_for_each(|text| string(out, part, text))
}

/// A count as `[short]`, then each name with what it names.
///
/// # Errors
/// When there are too many, or one is too long.
pub fn named<T>(
    out: &mut Vec<u8>,
    part: &'static str,
    all: &[(Cow<'_, str>, T)],
    write: impl Fn(&mut Vec<u8>, &T) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    count(out, part, all.len())?;
    for (name, named) in all {
        string(out, part, name)?;
        write(out, named)?;
    }
    Ok(())
}
