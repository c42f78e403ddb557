//! What each system call does to names and descriptors, and which one changes bytes.

use std::path::PathBuf;

use super::{Call, TraceProblem, Translator};
use crate::powercut::{
    descriptors::{OnExec, OpenFile, OpenId},
    disk::{NEVER, Span},
    line::{self, Descriptor, Outcome, path_of, string},
    names::{Inode, Kind},
};

impl Call<'_> {
    pub(super) fn argument(&self, position: usize) -> Result<&str, TraceProblem> {
        line::arguments(self.arguments)
            .nth(position)
            .ok_or(TraceProblem::Form)
    }

    pub(super) fn number(&self, position: usize) -> Result<i64, TraceProblem> {
        line::parse_number(self.argument(position)?).ok_or(TraceProblem::Form)
    }

    pub(super) fn unsigned(&self, position: usize) -> Result<u64, TraceProblem> {
        u64::try_from(self.number(position)?).map_err(|_| TraceProblem::Form)
    }

    pub(super) fn descriptor(&self, position: usize) -> Result<Descriptor, TraceProblem> {
        Descriptor::parse(self.argument(position)?).ok_or(TraceProblem::Form)
    }

    /// The number returned, if the call succeeded.
    pub(super) fn value(&self) -> Option<i64> {
        match self.outcome {
            Outcome::Done { value, .. } => Some(value),
            Outcome::Failed | Outcome::Unknown => None,
        }
    }

    pub(super) fn first_file(&self) -> Option<OpenId> {
        let [first, _] = self.files;
        first
    }
}

/// How a call names a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Naming {
    /// By a path.
    Path,
    /// By a folder's descriptor and a path from there.
    InFolder,
}

impl Naming {
    fn of(call: &Call<'_>) -> Self {
        if call.name.trim_end_matches('2').ends_with("at") && call.name != "creat" {
            Self::InFolder
        } else {
            Self::Path
        }
    }
}

fn on_exec(flags: &str) -> OnExec {
    if flags.contains("CLOEXEC") {
        OnExec::Close
    } else {
        OnExec::Keep
    }
}

impl Translator {
    pub(super) fn apply(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        match call.name {
            "clone" | "clone3" | "fork" | "vfork" => {
                let child = call.value().and_then(|value| u32::try_from(value).ok());
                self.descriptors.child_made(call.thread, child);
                return Ok(());
            }
            "fsync" | "fdatasync" | "syncfs" | "sync" => return self.sync(call),
            _ if call.outcome == Outcome::Failed => return Ok(()),
            _ => {}
        }
        match call.name {
            "open" | "openat" | "creat" => self.open(call),
            "write" | "writev" | "pwrite64" | "pwritev" | "pwritev2" => self.write(call),
            "copy_file_range" | "sendfile" => self.copy(call),
            "read" | "readv" | "lseek" => self.seek(call),
            "ftruncate" | "truncate" => self.truncate(call),
            "fallocate" => self.allocate(call),
            "rename" | "renameat" | "renameat2" => self.rename(call),
            "link" | "linkat" => self.link(call),
            "unlink" | "unlinkat" | "rmdir" => self.remove(call),
            "mkdir" | "mkdirat" => self.make_folder(call),
            "dup" | "dup2" | "dup3" | "fcntl" => self.duplicate(call),
            "close_range" => self.close_range(call),
            "execve" | "execveat" => {
                self.descriptors.exec(call.thread);
                Ok(())
            }
            "chdir" | "fchdir" => self.change_folder(call),
            "symlink" | "symlinkat" | "splice" | "mmap" | "io_uring_setup" => self.refuse(call),
            _ => Ok(()),
        }
    }

    /// The absolute path that arguments name: `at` points to a folder's descriptor
    /// followed by a path, or to a path alone.
    fn absolute(
        &self,
        call: &Call<'_>,
        at: usize,
        naming: Naming,
    ) -> Result<PathBuf, TraceProblem> {
        let (folder, at) = match naming {
            Naming::Path => (None, at),
            Naming::InFolder => (call.descriptor(at)?.path, at + 1),
        };
        let text = call.argument(at)?;
        let path = path_of(string(text).ok_or(TraceProblem::Form)?);
        Ok(folder
            .unwrap_or_else(|| self.descriptors.working_folder(call.thread))
            .join(path))
    }

    pub(super) fn relative(
        &self,
        call: &Call<'_>,
        at: usize,
        naming: Naming,
    ) -> Result<Option<PathBuf>, TraceProblem> {
        Ok(self.roots.relative(&self.absolute(call, at, naming)?))
    }

    /// Where a call takes a name from and where it puts it.
    fn two_paths(&self, call: &Call<'_>) -> Result<[Option<PathBuf>; 2], TraceProblem> {
        let naming = Naming::of(call);
        let second = match naming {
            Naming::Path => 1,
            Naming::InFolder => 2,
        };
        Ok([
            self.relative(call, 0, naming)?,
            self.relative(call, second, naming)?,
        ])
    }

    /// Notes a change whose end may not have been seen.
    pub(super) fn changed(&mut self, call: &Call<'_>) -> Span {
        self.complete &= call.span.end != NEVER;
        call.span
    }

    pub(super) fn inode(&mut self, open: Option<OpenId>) -> Option<Inode> {
        self.descriptors.get(open?).map(|file| file.inode)
    }

    fn open(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let flags = match call.name {
            "creat" => "O_WRONLY|O_CREAT|O_TRUNC",
            "open" => call.argument(1)?,
            _ => call.argument(2)?,
        };
        let number = call.value();
        let seen = match &call.outcome {
            Outcome::Done { path, .. } => path.as_deref(),
            Outcome::Failed | Outcome::Unknown => None,
        };
        let path = self.relative(call, 0, Naming::of(call))?;
        let path = path.or_else(|| seen.and_then(|path| self.roots.relative(path)));
        let Some(path) = path else {
            if let Some(number) = number {
                self.descriptors
                    .assign(call.thread, number, None, OnExec::Keep);
            }
            return Ok(());
        };
        if flags.contains("O_TMPFILE") {
            return Err(TraceProblem::Unsupported("a file without a name"));
        }
        let known = self.ledger.find(&path);
        let inode = match known {
            Some(inode) => inode,
            None if flags.contains("O_CREAT") => {
                let span = self.changed(call);
                self.ledger.create(span, &path, Kind::File)?
            }
            None if call.span.end == NEVER => return Ok(()),
            None => return Err(TraceProblem::Path(path)),
        };
        if flags.contains("O_TRUNC") && self.ledger.len(inode) > 0 {
            let span = self.changed(call);
            self.resized.insert(inode, span.end);
            self.ledger.resize(span, inode, 0);
        }
        if let Some(number) = number {
            let file = OpenFile {
                inode,
                offset: 0,
                append: flags.contains("O_APPEND"),
                synced: flags.contains("O_SYNC") || flags.contains("O_DSYNC"),
                moved: 0,
            };
            self.descriptors
                .open(call.thread, number, file, on_exec(flags));
        }
        Ok(())
    }

    fn rename(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let [from, to] = self.two_paths(call)?;
        if call.name == "renameat2" && !matches!(call.argument(4)?, "0" | "RENAME_NOREPLACE") {
            return Err(TraceProblem::Unsupported("an exchange of two names"));
        }
        let span = call.span;
        match (from, to) {
            (Some(from), Some(to)) => {
                self.changed(call);
                Ok(self.ledger.rename(span, &from, &to)?)
            }
            (Some(from), None) => {
                self.changed(call);
                Ok(self.ledger.remove(span, &from)?)
            }
            (None, Some(_)) => Err(TraceProblem::Unsupported("a file moved in from outside")),
            (None, None) => Ok(()),
        }
    }

    fn link(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let [from, to] = self.two_paths(call)?;
        match (from, to) {
            (Some(from), Some(to)) => {
                let span = self.changed(call);
                Ok(self.ledger.link(span, &from, &to)?)
            }
            (None, Some(_)) => Err(TraceProblem::Unsupported("a file linked from outside")),
            (_, None) => Ok(()),
        }
    }

    fn remove(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let Some(path) = self.relative(call, 0, Naming::of(call))? else {
            return Ok(());
        };
        let span = self.changed(call);
        Ok(self.ledger.remove(span, &path)?)
    }

    fn make_folder(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let Some(path) = self.relative(call, 0, Naming::of(call))? else {
            return Ok(());
        };
        let span = self.changed(call);
        self.ledger.create(span, &path, Kind::Folder)?;
        Ok(())
    }

    fn duplicate(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let Some(number) = call.value() else {
            return Ok(());
        };
        let on_exec = match call.name {
            "fcntl" => {
                let command = call.argument(1)?;
                if command == "F_SETFD" {
                    let number = call.descriptor(0)?.number.ok_or(TraceProblem::Form)?;
                    let on_exec = on_exec(call.argument(2)?);
                    self.descriptors.set_on_exec(call.thread, number, on_exec);
                }
                if !command.starts_with("F_DUPFD") {
                    return Ok(());
                }
                on_exec(command)
            }
            "dup3" => on_exec(call.argument(2)?),
            _ => OnExec::Keep,
        };
        self.descriptors
            .assign(call.thread, number, call.first_file(), on_exec);
        Ok(())
    }

    fn close_range(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let first = Descriptor::parse(call.argument(0)?).and_then(|one| one.number);
        let last = Descriptor::parse(call.argument(1)?).and_then(|one| one.number);
        if call.argument(2)? == "0" {
            let (first, last) = (first.ok_or(TraceProblem::Form)?, last.unwrap_or(i64::MAX));
            self.descriptors.close_range(call.thread, first, last);
        }
        Ok(())
    }

    fn change_folder(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let folder = match call.name {
            "chdir" => self.absolute(call, 0, Naming::Path)?,
            _ => call.descriptor(0)?.path.ok_or(TraceProblem::Form)?,
        };
        self.descriptors.change_working_folder(call.thread, &folder);
        Ok(())
    }

    fn refuse(&mut self, call: &Call<'_>) -> Result<(), TraceProblem> {
        let [first, second] = call.files;
        let reason = match call.name {
            "io_uring_setup" => Some("a ring of calls that the trace does not show"),
            "splice" => second.map(|_| "bytes from a pipe"),
            "mmap" => {
                let writes = call.argument(2)?.contains("PROT_WRITE");
                let shared = call.argument(3)?.contains("MAP_SHARED");
                first
                    .filter(|_| writes && shared)
                    .map(|_| "a file mapped for writing")
            }
            _ => self
                .relative(call, 1, Naming::of(call))?
                .map(|_| "a symbolic link"),
        };
        reason.map_or(Ok(()), |reason| Err(TraceProblem::Unsupported(reason)))
    }
}
