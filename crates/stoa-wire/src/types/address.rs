//! `[inet]` and `[inetaddr]`: an address, with a port or without.
//!
//! ```text
//! inetaddr   byte n (4 or 16), n bytes        inet   inetaddr, int port
//! ```

use std::net::IpAddr;

use crate::error::{DecodeError, DecodeErrorKind};
use crate::types::reader::Reader;

/// `[inet]`: where a node is. Its port is a whole `[int]`, although ports end at 65,535.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// The node's address.
    pub address: IpAddr,
    /// Its port.
    pub port: i32,
}

impl Endpoint {
    pub(crate) fn read(reader: &mut Reader<'_>, part: &'static str) -> Result<Self, DecodeError> {
        Ok(Self {
            address: read_address(reader, part)?,
            port: reader.int(part)?,
        })
    }

    pub(crate) fn write(self, out: &mut Vec<u8>) {
        write_address(out, self.address);
        out.extend_from_slice(&self.port.to_be_bytes());
    }
}

pub(crate) fn read_address(
    reader: &mut Reader<'_>,
    part: &'static str,
) -> Result<IpAddr, DecodeError> {
    let before = reader.clone();
    let length = reader.byte(part)?;
    let bytes = match length {
        4 | 16 => reader.raw(part, usize::from(length))?,
        _ => return Err(before.error(part, DecodeErrorKind::OutOfRange(length.into()))),
    };
    Ok(
        match (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes)) {
            (_, Ok(long)) => IpAddr::from(long),
            (short, _) => IpAddr::from(short.unwrap_or_default()),
        },
    )
}

pub(crate) fn write_address(out: &mut Vec<u8>, address: IpAddr) {
    match address {
        IpAddr::V4(address) => {
            out.push(4);
            out.extend_from_slice(&address.octets());
        }
        IpAddr::V6(address) => {
            out.push(16);
            out.extend_from_slice(&address.octets());
        }
    }
}
