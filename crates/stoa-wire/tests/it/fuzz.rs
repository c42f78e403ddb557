//! Hostile bytes: always a message or an error, never a panic, and bounded memory.
//!
//! Valid connections of both versions, with every kind of message, are mutated and read. Half of the
//! mutants in version 5 get their checksums right again, so that they are looked into. A child
//! process does it, so that its memory can be measured and its death is seen. The same seed repeats
//! the run.
//!
//! More: `STOA_FUZZ_FRAMES=10000000 cargo test --release -p stoa-wire --test it fuzz`; other seeds
//! by `STOA_FIRST_SEED`.

use std::process::{Command, Stdio};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use stoa_testkit::rng::Rng;
use stoa_wire::{
    Compression, Direction, Extras, Flags, Header, Limits, Request, Response, SegmentForm,
    Splitter, Version, write_envelope,
};

use crate::samples;

/// Set for the child.
const TASK: &str = "STOA_FUZZ_TASK";
/// How many mutants a run reads unless it is told otherwise.
const FRAMES: u64 = 500_000;
/// How many connections are mutated.
const SEEDLINGS: usize = 400;
/// By how much memory may grow while mutants are read.
const MOST_GROWN_KIB: u64 = 64 * 1024;

#[test]
fn mutated_frames_are_read_or_refused_within_bounded_memory() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "fuzz::program", "--nocapture"]);
    let output = command
        .env(TASK, "1")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}\n{complained}");
    let grown = said.lines().find_map(|it| it.strip_prefix("grown KiB: "));
    let grown: u64 = grown.expect("how much it grew").parse().unwrap();
    println!("{said}");
    assert!(grown <= MOST_GROWN_KIB, "{said}");
}

/// What the child does. Without a task it has nothing to do.
#[test]
fn program() {
    if std::env::var_os(TASK).is_none() {
        return;
    }
    let seed = number("STOA_FIRST_SEED", 0);
    let wanted = number("STOA_FUZZ_FRAMES", FRAMES);
    let seedlings = seedlings();
    let mut rng = Rng::new(seed);
    let before = peak_kib();
    let (mut messages, mut refused) = (0_u64, 0_u64);
    for _ in 0..wanted {
        let seedling = rng.pick(&seedlings).unwrap();
        let (read, failed) = seedling.mutant(&mut rng);
        messages += read;
        refused += failed;
    }
    println!("\nseed {seed}: {messages} messages read, {refused} refusals");
    println!("grown KiB: {}", peak_kib() - before);
    assert!(
        messages > wanted / 10 && refused > wanted / 4,
        "it tries too little"
    );
}

fn number(name: &str, default: u64) -> u64 {
    let given = std::env::var(name).ok();
    given.and_then(|it| it.parse().ok()).unwrap_or(default)
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|it| it.parse().ok()).unwrap()
}

/// A connection as it should be.
struct Seedling {
    direction: Direction,
    version: Version,
    compression: Option<Compression>,
    /// The envelopes, not in segments.
    bytes: Vec<u8>,
}

fn seedlings() -> Vec<Seedling> {
    let source = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), source);
    let compressions = [None, Some(Compression::Lz4), Some(Compression::Snappy)];
    let mut all = Vec::new();
    for place in 0..SEEDLINGS {
        let version = Version::ALL[place % 2];
        let mut compression = compressions[place / 2 % 3];
        if version == Version::V5 {
            compression = compression.map(|_| Compression::Lz4);
        }
        let mut bytes = Vec::new();
        let mut add = |opcode, body: Vec<u8>| {
            let header = Header {
                version,
                flags: Flags::NONE,
                stream: 1,
                opcode,
            };
            let extras = Extras {
                warnings: vec!["w".into()],
                ..Extras::default()
            };
            write_envelope(&mut bytes, header, &extras, compression, |out| {
                out.extend_from_slice(&body);
                Ok(())
            })
            .unwrap();
        };
        let direction = if place % 4 < 2 {
            Direction::Request
        } else {
            Direction::Response
        };
        for _ in 0..2 {
            let mut body = Vec::new();
            match direction {
                Direction::Request => {
                    let request = samples::request(version).new_tree(&mut runner).unwrap();
                    let request = request.current();
                    request.write(&mut body, version).unwrap();
                    add(request.opcode(), body);
                }
                Direction::Response => {
                    let response = samples::response(version).new_tree(&mut runner).unwrap();
                    let response = response.current();
                    response.write(&mut body, version).unwrap();
                    add(response.opcode(), body);
                }
            }
        }
        all.push(Seedling {
            direction,
            version,
            compression,
            bytes,
        });
    }
    all
}

impl Seedling {
    /// Reads a mutant: how many messages were read, and how many refused.
    fn mutant(&self, rng: &mut Rng) -> (u64, u64) {
        let mut bytes = self.bytes.clone();
        let form = match self.compression {
            Some(_) => SegmentForm::Lz4,
            None => SegmentForm::Plain,
        };
        let is_late = rng.chance(50);
        if !is_late {
            mutate(&mut bytes, rng);
        }
        if self.version == Version::V5 {
            let mut segments = Vec::new();
            form.write_all(&mut segments, &[&bytes]);
            bytes = segments;
        }
        if is_late {
            mutate(&mut bytes, rng);
        }
        let mut splitter = Splitter::new(self.direction, Limits::default());
        splitter.make_ready(self.version, self.compression);
        let (mut read, mut refused) = (0, 0);
        splitter.feed(&bytes);
        loop {
            match splitter.next_envelope() {
                Ok(Some(envelope)) => {
                    let opcode = envelope.header.opcode;
                    let is_message = envelope.parts().is_ok_and(|(_, body)| {
                        Request::read(opcode, self.version, body).is_ok_and(|it| it.is_some())
                            || Response::read(opcode, self.version, body)
                                .is_ok_and(|it| it.is_some())
                    });
                    if is_message { read += 1 } else { refused += 1 }
                }
                Ok(None) => break,
                Err(error) => {
                    refused += 1;
                    assert!(!error.to_string().is_empty());
                    if error.stream().is_none() {
                        break;
                    }
                }
            }
        }
        (read, refused)
    }
}

/// Numbers that lengths and counts are often wrong by.
const EDGES: [u8; 8] = [0, 1, 0x7f, 0x80, 0xfe, 0xff, 0x20, 0x31];

fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng) {
    for _ in 0..=rng.index(3) {
        if bytes.is_empty() {
            return;
        }
        let at = rng.index(bytes.len());
        match rng.below(6) {
            0 => bytes[at] ^= 1 << rng.below(8),
            1 => bytes[at] = *rng.pick(&EDGES).unwrap(),
            2 => bytes.truncate(at),
            3 => {
                let end = (at + rng.index(9)).min(bytes.len());
                bytes.drain(at..end);
            }
            4 => {
                let end = (at + rng.index(17)).min(bytes.len());
                let copied = bytes[at..end].to_vec();
                bytes.splice(at..at, copied);
            }
            _ => {
                let edge = *rng.pick(&EDGES).unwrap();
                let end = (at + 4).min(bytes.len());
                bytes[at..end].fill(edge);
            }
        }
    }
}
