//! Random and mutated bytes into every decoder: no panic, no large allocation.
//!
//! The decoders return what they found inside their input or in vectors that
//! grow as bytes are consumed, so the length of the results bounds the memory.

use std::io::Cursor;

use crate::integrity::{
    CommitRecord, JournalReader, JournalSeen, JournalStep, Mark,
    fields::Fields,
    tables::decoders::{self, BlockKind, Compression},
};

const ROUNDS: usize = 200_000;

/// xorshift: the same bytes in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % (bound as u64).max(1)).unwrap()
    }

    /// Random bytes, or the seed with some bytes changed, cut or doubled.
    fn mutate(&mut self, seed: &[u8]) -> Vec<u8> {
        if self.next().is_multiple_of(4) {
            let len = self.below(120);
            return (0..len).map(|_| (self.next() >> 32) as u8).collect();
        }
        let mut bytes = seed.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match (self.next() % 5, bytes.get_mut(at)) {
                (0, Some(byte)) => *byte ^= 1 << self.below(8),
                (1, Some(byte)) => *byte = 255,
                (2, Some(byte)) => *byte = (self.next() >> 32) as u8,
                (3, _) => bytes.truncate(at),
                _ => bytes.extend_from_within(at..),
            }
        }
        bytes
    }
}

fn hammer(seed: &[u8], mut decode: impl FnMut(&[u8])) {
    let mut random = Random(0x5704_1234_ABCD_0001);
    for _ in 0..ROUNDS {
        decode(&random.mutate(seed));
    }
}

#[test]
fn records_and_marks() {
    let record = CommitRecord {
        earlier_synced: true,
        commit: 3,
        previous_seqno: 9,
        chain_hash: 77,
        other_items: 2,
    };
    let encoded = record.encode();
    hammer(&encoded, |bytes| {
        let decoded = CommitRecord::decode(bytes);
        assert_eq!(decoded.is_some(), bytes == encoded, "{bytes:?}");
    });
    let journals = vec![
        JournalSeen {
            id: 1,
            first_commit: None
        };
        3
    ];
    let mark = Mark {
        commit: 7,
        journals,
        ..Mark::default()
    };
    let encoded = mark.encode();
    hammer(&encoded, |bytes| {
        assert_eq!(Mark::decode(bytes).is_some(), bytes == encoded);
    });
}

#[test]
fn checksums_aside_lists_and_items_stay_inside_their_input() {
    let mut tables = vec![7, 1, 2, 0, 0, 0];
    tables.extend([1; 33]);
    tables.extend([2; 33]);
    tables.extend([0; 6]);
    hammer(&tables, |bytes| {
        if let Some(listed) = decoders::tables(bytes) {
            assert!(listed.len() * 33 <= bytes.len());
        }
    });
    let mut contents = b"TOC!\x01\0\0\0".to_vec();
    contents.extend([0; 8]);
    contents.extend(9_u64.to_le_bytes());
    contents.extend(b"\x04\0data");
    hammer(&contents, |bytes| {
        if let Some(sections) = decoders::contents(bytes, 9) {
            assert!(sections.len() * 18 <= bytes.len());
        }
    });
    let mut items = b"\0\x05\x03key\x05value\0\x06\x02\x01y\x01v\x01\x07\x03\0\xFF".to_vec();
    let mut trailer = [0; 31];
    trailer[0] = 16;
    trailer[27] = 3;
    items.extend(trailer);
    assert_eq!(decoders::items(&items).map(|items| items.len()), Some(3));
    hammer(&items, |bytes| {
        if let Some(found) = decoders::items(bytes) {
            assert!(found.len() * 3 <= bytes.len());
        }
    });
    hammer(&[0x80, 0x80, 1, 2, 3], |bytes| {
        let mut fields = Fields::new(bytes);
        if let Some(counted) = fields.counted() {
            assert!(counted.len() <= bytes.len());
        }
    });
}

#[test]
fn blocks_stay_inside_their_input() {
    let mut block = b"LSM\x03\0".to_vec();
    let data = b"some data of a block";
    block.extend(xxhash_rust::xxh3::xxh3_128(data).to_le_bytes());
    block.extend([20, 0, 0, 0, 20, 0, 0, 0]);
    let check = xxhash_rust::xxh3::xxh3_128(&block).to_le_bytes();
    block.extend(&check[..4]);
    block.extend(data);
    let mut stored = Vec::new();
    let whole = block.clone();
    hammer(&block, |bytes| {
        for compression in [Compression::Plain, Compression::Lz4] {
            let mut input = Cursor::new(bytes);
            let room = bytes.len() as u64;
            let read = decoders::block(&mut input, room, BlockKind::Data, compression, &mut stored);
            let (_, checked) = read.unwrap();
            assert!(stored.capacity() <= 4 * bytes.len().max(64));
            assert!(checked.is_err() || bytes.starts_with(&whole));
        }
    });
}

#[test]
fn journals_stay_inside_their_file() {
    let mut journal = b"\x01\x01\0\0\0\x09\0\0\0\0\0\0\0".to_vec();
    let item = b"\x02\0\0\x01\0\0\0\0\0\0\0\x03\0\x02\0\0\0\x02\0\0\0keyva";
    journal.extend(item);
    journal.push(3);
    journal.extend(xxhash_rust::xxh3::xxh3_64(item).to_le_bytes());
    journal.extend(b"FJL\x03");
    let dir = super::fixture::tempdir().unwrap();
    let path = dir.path().join("0.jnl");
    let mut broken = 0;
    // One file of many journals, each read from its own beginning: two hundred
    // thousand files would only measure the file system.
    let mut all = Vec::new();
    let mut starts = Vec::new();
    hammer(&journal, |bytes| {
        starts.push(all.len() as u64);
        all.extend(bytes);
    });
    std::fs::write(&path, &all).unwrap();
    for start in starts {
        let mut reader = JournalReader::open_at(&path, start).unwrap();
        match reader.step().unwrap() {
            JournalStep::Batch(batch) => {
                let size: usize = batch.items().map(|i| i.key.len() + i.value.len()).sum();
                assert!((size as u64) < batch.end() - batch.start());
            }
            JournalStep::Broken { .. } => broken += 1,
            JournalStep::End(_) => {}
        }
    }
    assert!(broken > ROUNDS / 2);
}
