//! What each system call does to bytes, lengths and their durability.

use super::{Call, TraceProblem, Translator, calls::Naming};
use crate::powercut::{
    descriptors::OpenId,
    disk::{NEVER, Span, Synced},
    line::{self, Outcome, buffers, string},
};

impl Translator {
    pub(super) fn write(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        if call.first_file().is_none() {
            return self.hear(call);
        }
        let bytes = written(call)?;
        let at = match call.name {
            "pwrite64" | "pwritev" | "pwritev2" => {
                let at = call.number(3)?;
                (at >= 0).then_some(at.unsigned_abs())
            }
            _ => None,
        };
        let flags = if call.name == "pwritev2" {
            call.argument(4)?
        } else {
            ""
        };
        self.write_to(call, call.first_file(), at, &bytes)?;
        if flags.contains("RWF_DSYNC") || flags.contains("RWF_SYNC") {
            self.durable_now(call);
        }
        Ok(())
    }

    /// A write that is not to the disk may be an announcement.
    fn hear(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        if call.descriptor(0)?.path.as_ref() == Some(&self.announcements) {
            let bytes = written(call)?;
            self.listener.hear(call.thread, call.span, &bytes);
        }
        Ok(())
    }

    /// Bytes go to an open file: at a given place, at its end or where it stands.
    fn write_to(
        &mut self,
        call: &Call<'_>,
        open: Option<OpenId>,
        at: Option<u64>,
        bytes: &[u8],
    ) -> Result<(), TraceProblem> {
        let span = self.changed(call);
        let Some(file) = open.and_then(|open| self.descriptors.get(open)) else {
            return Ok(());
        };
        let inode = file.inode;
        let resized = self.resized.entry(inode).or_default();
        let overlaps = match (file.append, at) {
            (true, _) => *resized > span.start,
            (false, None) => file.moved > span.start,
            (false, Some(_)) => false,
        };
        if overlaps {
            return Err(TraceProblem::Ambiguous);
        }
        let len = self.ledger.len(inode);
        let offset = match file.append {
            true => len,
            false => at.unwrap_or(file.offset),
        };
        let end = offset + bytes.len() as u64;
        if at.is_none() && span.end != NEVER {
            file.offset = end;
            file.moved = span.end;
        }
        if end > len {
            *resized = span.end;
        }
        let synced = file.synced;
        self.ledger.write(span, inode, offset, bytes);
        if synced {
            self.durable_now(call);
        }
        Ok(())
    }

    fn durable_now(&mut self, call: &Call<'_>) {
        if let Some(inode) = self
            .inode(call.first_file())
            .filter(|_| call.span.end != NEVER)
        {
            let span = Span {
                start: call.span.end,
                end: call.span.end,
            };
            self.ledger.sync(span, Synced::Data(inode));
        }
    }

    pub(super) fn copy(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let [source, target] = call.files;
        let (Some(count), Some(_)) = (call.value(), target) else {
            return Ok(());
        };
        let (source_at, target_at) = match call.name {
            "sendfile" => (bracketed(call.argument(2)?)?, None),
            _ => (bracketed(call.argument(1)?)?, bracketed(call.argument(3)?)?),
        };
        let Some(file) = source.and_then(|open| self.descriptors.get(open)) else {
            return Err(TraceProblem::Unsupported("a copy from outside the root"));
        };
        let (inode, offset) = (file.inode, source_at.unwrap_or(file.offset));
        let bytes = self.ledger.read(inode, offset, count.unsigned_abs());
        if source_at.is_none() {
            file.offset = offset + count.unsigned_abs();
            file.moved = call.span.end;
        }
        self.write_to(call, target, target_at, &bytes)
    }

    pub(super) fn seek(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let (Some(value), Some(open)) = (call.value(), call.first_file()) else {
            return Ok(());
        };
        let Some(file) = self.descriptors.get(open) else {
            return Ok(());
        };
        let value = value.unsigned_abs();
        file.offset = if call.name == "lseek" {
            value
        } else {
            file.offset + value
        };
        file.moved = call.span.end;
        Ok(())
    }

    pub(super) fn truncate(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let inode = match call.name {
            "truncate" => {
                let path = self.relative(call, 0, Naming::Path)?;
                path.and_then(|path| self.ledger.find(&path))
            }
            _ => self.inode(call.first_file()),
        };
        let Some(inode) = inode else { return Ok(()) };
        let len = call.unsigned(1)?;
        let span = self.changed(call);
        self.resized.insert(inode, span.end);
        self.ledger.resize(span, inode, len);
        Ok(())
    }

    pub(super) fn allocate(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let Some(inode) = self.inode(call.first_file()) else {
            return Ok(());
        };
        let mode = call.argument(1)?.to_owned();
        let (offset, count) = (call.unsigned(2)?, call.unsigned(3)?);
        let span = self.changed(call);
        let (len, end) = (self.ledger.len(inode), offset + count);
        let keeps_len = mode.contains("KEEP_SIZE");
        let zeroes = mode.contains("PUNCH_HOLE") || mode.contains("ZERO_RANGE");
        if !(mode == "0" || keeps_len || zeroes) {
            return Err(TraceProblem::Unsupported("a moved range of a file"));
        }
        if zeroes && offset < len {
            let zeros = usize::try_from(end.min(len) - offset).unwrap_or(0);
            self.ledger.write(span, inode, offset, &vec![0; zeros]);
        }
        if !keeps_len && end > len {
            self.resized.insert(inode, span.end);
            self.ledger.resize(span, inode, end);
        }
        Ok(())
    }

    pub(super) fn sync(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let inode = self.inode(call.first_file());
        match (call.name, inode, &call.outcome) {
            (_, _, Outcome::Unknown) => {}
            ("sync", _, Outcome::Done { .. }) | ("syncfs", Some(_), Outcome::Done { .. }) => {
                self.ledger.sync(call.span, Synced::Everything);
            }
            ("fsync", Some(inode), Outcome::Done { .. }) => {
                self.ledger.sync(call.span, Synced::Whole(inode));
            }
            ("fdatasync", Some(inode), Outcome::Done { .. }) => {
                self.ledger.sync(call.span, Synced::Data(inode));
            }
            (_, Some(inode), Outcome::Failed) => self.ledger.sync_failed(call.span, inode),
            _ => {}
        }
        Ok(())
    }
}

/// The bytes that a call wrote, or may have written if its end was not seen.
fn written(call: &Call<'_>) -> Result<Vec<u8>, TraceProblem> {
    let argument = call.argument(1)?;
    let bytes = if argument.starts_with('[') {
        buffers(argument)
    } else {
        string(argument)
    };
    let mut bytes = bytes.ok_or(TraceProblem::Form)?;
    if let Some(count) = call.value() {
        let count = usize::try_from(count).map_err(|_| TraceProblem::Form)?;
        if count > bytes.len() {
            return Err(TraceProblem::Form);
        }
        bytes.truncate(count);
    }
    Ok(bytes)
}

/// An offset behind a pointer: `[17]`, `[17] => [20]` or `NULL`.
fn bracketed(argument: &str) -> Result<Option<u64>, TraceProblem> {
    if argument == "NULL" {
        return Ok(None);
    }
    let number = argument
        .strip_prefix('[')
        .and_then(|rest| rest.split(']').next());
    let number = number
        .and_then(line::parse_number)
        .and_then(|number| u64::try_from(number).ok());
    number.map(Some).ok_or(TraceProblem::Form)
}
