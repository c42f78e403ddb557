//! The packed form of a row: one byte string for liveness, deletion and all columns.
//!
//! ```text
//! row    := head:u8 [liveness] [deletion] [original] columns
//! head   := 0010 0000 (format version 1 in the upper three bits) | 16 has spilled parts
//!           | 1 liveness | 2 liveness expires | 4 deletion | 8 original clustering
//! liveness := timestamp:8 [ttl:unsigned expires_at:signed]
//! deletion := timestamp:8 deleted_at:signed
//! original := bytes
//! columns  := count:unsigned { id_step:unsigned column }
//! column   := cell | counter | complex, told apart by the kind in the low three bits of `mark`
//! cell     := mark:u8 [timestamp:8] [ttl:unsigned expires_at:signed] value
//!             kind 0 live, 1 expiring, 2 deleted (value is then deleted_at:signed)
//!             | 8 timestamp is the row's base | 16 expiry is the row's base | 32 value is spilled
//! counter  := mark:u8 [timestamp:8] number:signed
//!             kind 3 total, 4 change, 5 deleted (number is deleted_at) | 8 as above
//! complex  := mark:u8 [deletion] count:unsigned { path:bytes cell }
//!             kind 6 | 8 has a deletion | 16 elements are spilled (no count, no elements)
//! value    := bytes | length:unsigned hash:8 bytes (spilled)
//! ```
//!
//! The *base* timestamp and expiry are the first ones written in the row: most rows are written at
//! once, so most cells need neither. `id_step` is the difference to the previous column's id.
//! Timestamps have eight bytes, little endian; other numbers are those of [`crate::codec`].
//!
//! Invariants:
//! 1. Column ids and element paths rise strictly; a decoder refuses anything else.
//! 2. `decode(encode(row)) == row` for every row, and decoding never panics.

use crate::cell::{
    CellRef, CellState, ColumnId, ColumnRef, ComplexRef, Counter, CounterState, Deletion, Elements,
    Expiry, Liveness, RowRef, ValueRef,
};
use crate::codec::{DecodeError, Reader, put_bytes, put_signed, put_timestamp, put_unsigned};
use crate::error::StoreError;
use crate::row::purge::has_spilled;

/// A value, or a whole collection, longer than this gets keys of its own.
pub const SPILL_BYTES: usize = 4096;

/// Cassandra keeps the least timestamp for "none".
pub const RESERVED_TIMESTAMP: i64 = i64::MIN;

pub(super) const VERSION: u8 = 0x20;
const VERSION_MASK: u8 = 0xe0;
const HAS_SPILLED: u8 = 0x10;
pub(super) const HAS_LIVENESS: u8 = 1;
const LIVENESS_EXPIRES: u8 = 2;
const HAS_DELETION: u8 = 4;
const HAS_ORIGINAL: u8 = 8;

const KIND_MASK: u8 = 7;
pub(super) const LIVE: u8 = 0;
const EXPIRING: u8 = 1;
const TOMBSTONE: u8 = 2;
const COUNTER_TOTAL: u8 = 3;
const COUNTER_ADD: u8 = 4;
const COUNTER_TOMBSTONE: u8 = 5;
const COMPLEX: u8 = 6;
pub(super) const BASE_TIMESTAMP: u8 = 8;
const BASE_EXPIRY: u8 = 16;
const SPILLED: u8 = 32;
const COMPLEX_DELETION: u8 = 8;
const COMPLEX_SPILLED: u8 = 16;

/// A row as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedRow {
    bytes: Vec<u8>,
    plain: bool,
}

impl PackedRow {
    /// Packs an update. Columns and element paths must rise; timestamps must not be reserved.
    pub fn encode(row: &RowRef<'_>) -> Result<Self, StoreError> {
        validate(row)?;
        let mut bytes = Vec::with_capacity(160);
        encode_into(row, &mut bytes);
        let plain = bytes.len() <= SPILL_BYTES && is_plain(row);
        Ok(Self { bytes, plain })
    }

    /// The row, borrowed from the bytes.
    pub fn decode(&self) -> Result<RowRef<'_>, DecodeError> {
        decode(&self.bytes)
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether the bytes can be stored as they are where nothing is stored yet.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.plain
    }
}

/// No deletion that could cover the row's own cells, and no change to a counter.
fn is_plain(row: &RowRef<'_>) -> bool {
    row.deletion.is_none()
        && row.columns.iter().all(|(_, column)| match column {
            ColumnRef::Cell(_) => true,
            ColumnRef::Counter(counter) => !matches!(counter.state, CounterState::Add(_)),
            ColumnRef::Complex(complex) => complex.deletion.is_none(),
        })
}

fn validate(row: &RowRef<'_>) -> Result<(), StoreError> {
    let check_time = |timestamp: i64| match timestamp {
        RESERVED_TIMESTAMP => Err(StoreError::ReservedTimestamp(timestamp)),
        _ => Ok(()),
    };
    if !row
        .columns
        .iter()
        .map(|(id, _)| id)
        .is_sorted_by(|a, b| a < b)
    {
        return Err(StoreError::Invalid("columns of a row must be sorted by id"));
    }
    row.liveness.map_or(Ok(()), |it| check_time(it.timestamp))?;
    row.deletion.map_or(Ok(()), |it| check_time(it.timestamp))?;
    for (_, column) in &row.columns {
        match column {
            ColumnRef::Cell(cell) => check_time(cell.timestamp)?,
            ColumnRef::Counter(counter) => check_time(counter.timestamp)?,
            ColumnRef::Complex(complex) => {
                complex
                    .deletion
                    .map_or(Ok(()), |it| check_time(it.timestamp))?;
                let Elements::Inline(elements) = &complex.elements else {
                    return Err(StoreError::Invalid("an update holds its elements itself"));
                };
                if !elements
                    .iter()
                    .map(|(path, _)| path)
                    .is_sorted_by(|a, b| a < b)
                {
                    return Err(StoreError::Invalid("elements must be sorted by path"));
                }
                elements
                    .iter()
                    .try_for_each(|(_, cell)| check_time(cell.timestamp))?;
            }
        }
    }
    Ok(())
}

/// The first timestamp and expiry of a row, which later cells refer to.
#[derive(Default, Clone, Copy)]
struct Base {
    timestamp: Option<i64>,
    expiry: Option<Expiry>,
    /// Set by the reader when it meets a spilled part.
    has_spilled: bool,
}

/// Appends the packed form of `row` to `out`.
pub fn encode_into(row: &RowRef<'_>, out: &mut Vec<u8>) {
    let mut base = Base::default();
    let mut head = VERSION;
    if let Some(liveness) = row.liveness {
        head |= HAS_LIVENESS;
        base.timestamp = Some(liveness.timestamp);
        base.expiry = liveness.expiry;
        if liveness.expiry.is_some() {
            head |= LIVENESS_EXPIRES;
        }
    }
    head |= if row.deletion.is_some() {
        HAS_DELETION
    } else {
        0
    };
    head |= if row.original_clustering.is_some() {
        HAS_ORIGINAL
    } else {
        0
    };
    head |= if has_spilled(row) { HAS_SPILLED } else { 0 };
    out.push(head);
    if let Some(liveness) = row.liveness {
        put_timestamp(out, liveness.timestamp);
        if let Some(expiry) = liveness.expiry {
            put_expiry(out, expiry);
        }
    }
    if let Some(deletion) = row.deletion {
        put_deletion(out, deletion);
    }
    if let Some(original) = row.original_clustering {
        put_bytes(out, original);
    }
    put_unsigned(out, row.columns.len() as u64);
    let mut previous = 0;
    for (id, column) in &row.columns {
        put_unsigned(out, u64::from(id.0 - previous));
        previous = id.0;
        match column {
            ColumnRef::Cell(cell) => put_cell(out, &mut base, cell),
            ColumnRef::Counter(counter) => put_counter(out, &mut base, counter),
            ColumnRef::Complex(complex) => put_complex(out, &mut base, complex),
        }
    }
}

fn put_expiry(out: &mut Vec<u8>, expiry: Expiry) {
    put_unsigned(out, u64::from(expiry.ttl_seconds.cast_unsigned()));
    put_signed(out, expiry.expires_at);
}

fn put_deletion(out: &mut Vec<u8>, deletion: Deletion) {
    put_timestamp(out, deletion.timestamp);
    put_signed(out, deletion.deleted_at);
}

/// Appends one cell with its own timestamp and expiry: the form of a spilled element.
pub fn put_single_cell(out: &mut Vec<u8>, cell: &CellRef<'_>) {
    put_cell(out, &mut Base::default(), cell);
}

fn put_cell(out: &mut Vec<u8>, base: &mut Base, cell: &CellRef<'_>) {
    let mut mark = match cell.state {
        CellState::Live(_) => LIVE,
        CellState::Expiring(..) => EXPIRING,
        CellState::Tombstone { .. } => TOMBSTONE,
    };
    let same_time = base.timestamp == Some(cell.timestamp);
    let expiry = cell.expiry();
    let same_expiry = expiry.is_some() && base.expiry == expiry;
    if matches!(cell.value(), Some(ValueRef::Spilled { .. })) {
        mark |= SPILLED;
    }
    mark |= if same_time { BASE_TIMESTAMP } else { 0 };
    mark |= if same_expiry { BASE_EXPIRY } else { 0 };
    out.push(mark);
    if !same_time {
        put_timestamp(out, cell.timestamp);
        base.timestamp.get_or_insert(cell.timestamp);
    }
    if let (Some(expiry), false) = (expiry, same_expiry) {
        put_expiry(out, expiry);
        base.expiry.get_or_insert(expiry);
    }
    match cell.state {
        CellState::Live(value) | CellState::Expiring(value, _) => put_value(out, value),
        CellState::Tombstone { deleted_at } => put_signed(out, deleted_at),
    }
}

fn put_value(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Inline(bytes) => put_bytes(out, bytes),
        ValueRef::Spilled { length, hash } => {
            put_unsigned(out, u64::from(length));
            out.extend_from_slice(&hash.to_le_bytes());
        }
    }
}

fn put_counter(out: &mut Vec<u8>, base: &mut Base, counter: &Counter) {
    let (kind, number) = match counter.state {
        CounterState::Total(total) => (COUNTER_TOTAL, total),
        CounterState::Add(delta) => (COUNTER_ADD, delta),
        CounterState::Tombstone { deleted_at } => (COUNTER_TOMBSTONE, deleted_at),
    };
    let same_time = base.timestamp == Some(counter.timestamp);
    out.push(kind | if same_time { BASE_TIMESTAMP } else { 0 });
    if !same_time {
        put_timestamp(out, counter.timestamp);
        base.timestamp.get_or_insert(counter.timestamp);
    }
    put_signed(out, number);
}

fn put_complex(out: &mut Vec<u8>, base: &mut Base, complex: &ComplexRef<'_>) {
    let mut mark = COMPLEX;
    mark |= if complex.deletion.is_some() {
        COMPLEX_DELETION
    } else {
        0
    };
    mark |= if complex.elements == Elements::Spilled {
        COMPLEX_SPILLED
    } else {
        0
    };
    out.push(mark);
    if let Some(deletion) = complex.deletion {
        put_deletion(out, deletion);
    }
    if let Elements::Inline(elements) = &complex.elements {
        put_unsigned(out, elements.len() as u64);
        for (path, cell) in elements {
            put_bytes(out, path);
            put_cell(out, base, cell);
        }
    }
}

/// Whether a packed row says that parts of it lie under other keys.
#[must_use]
#[inline]
pub fn says_spilled(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|head| head & HAS_SPILLED != 0)
}

/// Reads a packed row.
pub fn decode(bytes: &[u8]) -> Result<RowRef<'_>, DecodeError> {
    let reader = &mut Reader::new(bytes);
    let head = reader.byte("row head")?;
    if head & VERSION_MASK != VERSION {
        return Err(DecodeError::UnknownVersion(head >> 5));
    }
    let mut base = Base::default();
    let mut row = RowRef::default();
    if head & HAS_LIVENESS != 0 {
        let timestamp = reader.timestamp("row timestamp")?;
        let expires = head & LIVENESS_EXPIRES != 0;
        let expiry = if expires {
            Some(read_expiry(reader)?)
        } else {
            None
        };
        row.liveness = Some(Liveness { timestamp, expiry });
        base.timestamp = Some(timestamp);
        base.expiry = expiry;
    } else if head & LIVENESS_EXPIRES != 0 {
        return Err(DecodeError::Invalid("row head"));
    }
    if head & HAS_DELETION != 0 {
        row.deletion = Some(read_deletion(reader)?);
    }
    if head & HAS_ORIGINAL != 0 {
        row.original_clustering = Some(reader.bytes("original clustering")?);
    }
    read_columns(reader, &mut base, &mut row)?;
    reader.finish("end of row")?;
    if base.has_spilled != says_spilled(bytes) {
        return Err(DecodeError::Invalid("spilled parts"));
    }
    Ok(row)
}

fn read_columns<'a>(
    reader: &mut Reader<'a>,
    base: &mut Base,
    row: &mut RowRef<'a>,
) -> Result<(), DecodeError> {
    let count = reader.unsigned_32("number of columns")? as usize;
    // Every column takes at least three bytes, so a false count cannot ask for much memory.
    row.columns
        .reserve_exact(count.min(reader.remaining() / 3 + 1));
    let mut previous: Option<u32> = None;
    for _ in 0..count {
        if let Some(timestamp) = base.timestamp
            && let Some((step, value)) = reader.short_cell(LIVE | BASE_TIMESTAMP)
        {
            // By far the most cells are of this kind: live, short, written with the row.
            let id = next_id(previous, step)?;
            previous = Some(id);
            let state = CellState::Live(ValueRef::Inline(value));
            let cell = ColumnRef::Cell(CellRef { timestamp, state });
            row.columns.push((ColumnId(id), cell));
            continue;
        }
        let id = next_id(previous, reader.unsigned_32("column id")?)?;
        previous = Some(id);
        let mark = reader.byte("column mark")?;
        let column = match mark & KIND_MASK {
            LIVE | EXPIRING | TOMBSTONE => ColumnRef::Cell(read_cell(reader, base, mark)?),
            COUNTER_TOTAL | COUNTER_ADD | COUNTER_TOMBSTONE => {
                ColumnRef::Counter(read_counter(reader, base, mark)?)
            }
            COMPLEX => ColumnRef::Complex(read_complex(reader, base, mark)?),
            _ => return Err(DecodeError::Invalid("column kind")),
        };
        row.columns.push((ColumnId(id), column));
    }
    Ok(())
}

/// The id after `previous`: ids rise.
#[inline]
fn next_id(previous: Option<u32>, step: u32) -> Result<u32, DecodeError> {
    match previous {
        None => Ok(step),
        Some(_) if step == 0 => Err(DecodeError::Invalid("column order")),
        Some(before) => before
            .checked_add(step)
            .ok_or(DecodeError::Invalid("column id")),
    }
}

fn read_expiry(reader: &mut Reader<'_>) -> Result<Expiry, DecodeError> {
    let ttl = reader.unsigned_32("ttl")?;
    let ttl_seconds = i32::try_from(ttl).map_err(|_| DecodeError::Invalid("ttl"))?;
    Ok(Expiry {
        ttl_seconds,
        expires_at: reader.signed("expiry")?,
    })
}

fn read_deletion(reader: &mut Reader<'_>) -> Result<Deletion, DecodeError> {
    let timestamp = reader.timestamp("deletion timestamp")?;
    Ok(Deletion {
        timestamp,
        deleted_at: reader.signed("deletion second")?,
    })
}

fn read_timestamp(reader: &mut Reader<'_>, base: &mut Base, mark: u8) -> Result<i64, DecodeError> {
    if mark & BASE_TIMESTAMP != 0 {
        return base.timestamp.ok_or(DecodeError::Invalid("base timestamp"));
    }
    let timestamp = reader.timestamp("cell timestamp")?;
    base.timestamp.get_or_insert(timestamp);
    Ok(timestamp)
}

/// Reads one cell written by [`put_single_cell`].
pub fn read_single_cell(bytes: &[u8]) -> Result<CellRef<'_>, DecodeError> {
    let reader = &mut Reader::new(bytes);
    let mark = reader.byte("cell mark")?;
    if mark & KIND_MASK > TOMBSTONE {
        return Err(DecodeError::Invalid("cell kind"));
    }
    let cell = read_cell(reader, &mut Base::default(), mark)?;
    reader.finish("end of cell")?;
    Ok(cell)
}

fn read_cell<'a>(
    reader: &mut Reader<'a>,
    base: &mut Base,
    mark: u8,
) -> Result<CellRef<'a>, DecodeError> {
    let kind = mark & KIND_MASK;
    let timestamp = read_timestamp(reader, base, mark)?;
    let expiry = match (kind == EXPIRING, mark & BASE_EXPIRY != 0) {
        (true, true) => Some(base.expiry.ok_or(DecodeError::Invalid("base expiry"))?),
        (true, false) => {
            let expiry = read_expiry(reader)?;
            base.expiry.get_or_insert(expiry);
            Some(expiry)
        }
        (false, false) => None,
        (false, true) => return Err(DecodeError::Invalid("cell mark")),
    };
    if kind == TOMBSTONE {
        if mark & SPILLED != 0 {
            return Err(DecodeError::Invalid("cell mark"));
        }
        let deleted_at = reader.signed("deletion second")?;
        return Ok(CellRef {
            timestamp,
            state: CellState::Tombstone { deleted_at },
        });
    }
    let value = if mark & SPILLED != 0 {
        base.has_spilled = true;
        let length = reader.unsigned_32("length of spilled value")?;
        ValueRef::Spilled {
            length,
            hash: reader.fixed_64("hash of spilled value")?,
        }
    } else {
        ValueRef::Inline(reader.bytes("cell value")?)
    };
    let state = match expiry {
        Some(expiry) => CellState::Expiring(value, expiry),
        None => CellState::Live(value),
    };
    Ok(CellRef { timestamp, state })
}

fn read_counter(
    reader: &mut Reader<'_>,
    base: &mut Base,
    mark: u8,
) -> Result<Counter, DecodeError> {
    let timestamp = read_timestamp(reader, base, mark)?;
    let number = reader.signed("counter")?;
    let state = match mark & KIND_MASK {
        COUNTER_TOTAL => CounterState::Total(number),
        COUNTER_ADD => CounterState::Add(number),
        _ => CounterState::Tombstone { deleted_at: number },
    };
    Ok(Counter { timestamp, state })
}

fn read_complex<'a>(
    reader: &mut Reader<'a>,
    base: &mut Base,
    mark: u8,
) -> Result<ComplexRef<'a>, DecodeError> {
    let deletion = if mark & COMPLEX_DELETION != 0 {
        Some(read_deletion(reader)?)
    } else {
        None
    };
    if mark & COMPLEX_SPILLED != 0 {
        base.has_spilled = true;
        return Ok(ComplexRef {
            deletion,
            elements: Elements::Spilled,
        });
    }
    let count = reader.unsigned_32("number of elements")? as usize;
    let mut elements = Vec::with_capacity(count.min(reader.remaining() / 3 + 1));
    let mut previous: Option<&[u8]> = None;
    for _ in 0..count {
        let path = reader.bytes("element path")?;
        if previous.is_some_and(|before| before >= path) {
            return Err(DecodeError::Invalid("element order"));
        }
        previous = Some(path);
        let mark = reader.byte("element mark")?;
        if mark & KIND_MASK > TOMBSTONE {
            return Err(DecodeError::Invalid("element kind"));
        }
        elements.push((path, read_cell(reader, base, mark)?));
    }
    Ok(ComplexRef {
        deletion,
        elements: Elements::Inline(elements),
    })
}

#[cfg(test)]
mod tests;
