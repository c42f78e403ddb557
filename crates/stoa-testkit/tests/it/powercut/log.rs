//! The program under test: a tiny log of numbers with a checkpoint, right or wrong.
//!
//! A number is acknowledged when its record in `log` is durable. After four numbers
//! all of them go to `checkpoint`, which replaces the old one by a rename, and the log
//! starts anew. Every record and the checkpoint carry a checksum.

use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions},
    hash::{DefaultHasher, Hasher},
    io::{self, Write},
    path::Path,
};

use stoa_testkit::powercut::Announcer;

/// What the program does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mistake {
    None,
    /// Acknowledges before the sync.
    EarlyAck,
    /// Never syncs the folder.
    NoFolderSync,
    /// Renames the checkpoint into place before its content is durable.
    EarlyRename,
    /// Tries a failed sync again and believes the second answer.
    RetriedSync,
    /// Recovery empties the log before it writes it again.
    HastyRecovery,
}

const ALL: [Mistake; 6] = [
    Mistake::None,
    Mistake::EarlyAck,
    Mistake::NoFolderSync,
    Mistake::EarlyRename,
    Mistake::RetriedSync,
    Mistake::HastyRecovery,
];

impl Mistake {
    pub(crate) fn named(name: &str) -> Self {
        ALL.into_iter()
            .find(|one| format!("{one:?}") == name)
            .unwrap()
    }
}

/// Large enough to lie in six or seven sectors.
const RECORD: usize = 2616;
const NUMBERS_PER_CHECKPOINT: usize = 4;

fn checksum(bytes: &[u8]) -> [u8; 8] {
    let mut hasher = DefaultHasher::new();
    hasher.write(bytes);
    hasher.finish().to_le_bytes()
}

fn sealed(bytes: Vec<u8>) -> Vec<u8> {
    let sum = checksum(&bytes);
    [bytes, sum.to_vec()].concat()
}

fn opened(bytes: &[u8]) -> Option<&[u8]> {
    let (bytes, sum) = bytes.split_last_chunk::<8>()?;
    (checksum(bytes) == *sum).then_some(bytes)
}

fn number(bytes: &[u8]) -> Option<u64> {
    bytes
        .first_chunk::<8>()
        .map(|bytes| u64::from_le_bytes(*bytes))
}

fn record(number: u64) -> Vec<u8> {
    let mut bytes = number.to_le_bytes().to_vec();
    bytes.resize(RECORD - 8, 0xA5);
    sealed(bytes)
}

/// The numbers in a folder, the records in its log and whether it is damaged.
pub(crate) fn read(folder: &Path) -> Result<(BTreeSet<u64>, usize), String> {
    let mut numbers = BTreeSet::new();
    if let Ok(bytes) = fs::read(folder.join("checkpoint")) {
        let bytes = opened(&bytes).ok_or("the checkpoint is damaged")?;
        numbers.extend(bytes.chunks(8).filter_map(number));
    }
    let log = fs::read(folder.join("log")).unwrap_or_default();
    let records: Vec<_> = log
        .chunks(RECORD)
        .map_while(opened)
        .filter_map(number)
        .collect();
    let count = records.len();
    numbers.extend(records);
    Ok((numbers, count))
}

struct Log<'a> {
    folder: &'a Path,
    mistake: Mistake,
    file: File,
    numbers: BTreeSet<u64>,
    in_log: usize,
}

impl<'a> Log<'a> {
    /// Opens a folder and repairs its log.
    fn open(folder: &'a Path, mistake: Mistake) -> io::Result<Self> {
        let (numbers, in_log) = read(folder).map_err(io::Error::other)?;
        let path = folder.join("log");
        let is_new = !path.exists();
        let mut file = OpenOptions::new().append(true).create(true).open(path)?;
        let log = numbers.iter().rev().take(in_log).rev();
        if mistake == Mistake::HastyRecovery && in_log > 0 {
            file.set_len(0)?;
            for number in log {
                file.write_all(&record(*number))?;
            }
        } else {
            file.set_len((in_log * RECORD) as u64)?;
        }
        file.sync_all()?;
        let log = Self {
            folder,
            mistake,
            file,
            numbers,
            in_log,
        };
        if is_new {
            log.sync_folder()?;
        }
        Ok(log)
    }

    fn sync_folder(&self) -> io::Result<()> {
        match self.mistake {
            Mistake::NoFolderSync => Ok(()),
            _ => File::open(self.folder)?.sync_all(),
        }
    }

    fn sync(&self) -> io::Result<()> {
        match (self.file.sync_data(), self.mistake) {
            (Err(_), Mistake::RetriedSync) => self.file.sync_data(),
            (answer, _) => answer,
        }
    }

    fn add(&mut self, number: u64, announcer: &Announcer) -> io::Result<()> {
        announcer.say(&format!("begin {number}"))?;
        self.file.write_all(&record(number))?;
        let ack = format!("ack {number}");
        if self.mistake == Mistake::EarlyAck {
            announcer.say(&ack)?;
            self.sync()?;
        } else {
            self.sync()?;
            announcer.say(&ack)?;
        }
        self.numbers.insert(number);
        self.in_log += 1;
        if self.in_log == NUMBERS_PER_CHECKPOINT {
            self.checkpoint()
        } else {
            Ok(())
        }
    }

    fn checkpoint(&mut self) -> io::Result<()> {
        let bytes = self
            .numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        let new = self.folder.join("checkpoint.new");
        let mut file = File::create(&new)?;
        file.write_all(&sealed(bytes))?;
        if self.mistake != Mistake::EarlyRename {
            file.sync_all()?;
        }
        fs::rename(new, self.folder.join("checkpoint"))?;
        self.sync_folder()?;
        file.sync_all()?;
        self.file.set_len(0)?;
        self.in_log = 0;
        self.file.sync_all()
    }
}

/// Opens the folder and adds numbers; says so when the disk refuses one.
pub(crate) fn run(folder: &Path, mistake: Mistake, numbers: std::ops::Range<u64>) {
    let announcer = Announcer::of_environment().unwrap().unwrap();
    let work = || -> io::Result<()> {
        let mut log = Log::open(folder, mistake)?;
        numbers
            .clone()
            .try_for_each(|number| log.add(number, &announcer))
    };
    if let Err(error) = work() {
        announcer.say(&format!("refused: {error}")).unwrap();
    }
}
