//! Envelopes go through any splitting of the bytes, compressed or not, and damage is seen.

use std::borrow::Cow;

use proptest::prelude::*;
use stoa_testkit::rng::Rng;
use stoa_wire::request::{Parameters, Query};
use stoa_wire::{
    Compression, Direction, Envelope, Extras, Flags, FrameError, Header, Limits, Opcode, Request,
    Response, SegmentForm, Splitter, Version, write_envelope,
};
use uuid::Uuid;

use crate::samples;

/// What was agreed on for a connection.
#[derive(Debug, Clone, Copy)]
struct Agreed {
    version: Version,
    compression: Option<Compression>,
}

const ALL: [Agreed; 5] = [
    Agreed {
        version: Version::V4,
        compression: None,
    },
    Agreed {
        version: Version::V4,
        compression: Some(Compression::Lz4),
    },
    Agreed {
        version: Version::V4,
        compression: Some(Compression::Snappy),
    },
    Agreed {
        version: Version::V5,
        compression: None,
    },
    Agreed {
        version: Version::V5,
        compression: Some(Compression::Lz4),
    },
];

impl Agreed {
    fn form(self) -> SegmentForm {
        match self.compression {
            Some(_) => SegmentForm::Lz4,
            None => SegmentForm::Plain,
        }
    }

    fn splitter(self, direction: Direction) -> Splitter {
        let mut splitter = Splitter::new(direction, Limits::default());
        splitter.make_ready(self.version, self.compression);
        splitter
    }

    fn write(self, response: &Response<'_>, stream: i16, extras: &Extras<'_>) -> Vec<u8> {
        let header = Header {
            version: self.version,
            flags: Flags::NONE,
            stream,
            opcode: response.opcode(),
        };
        let mut out = Vec::new();
        write_envelope(&mut out, header, extras, self.compression, |out| {
            response.write(out, self.version)
        })
        .unwrap();
        out
    }

    /// The bytes of a connection with these envelopes.
    fn join(self, envelopes: &[Vec<u8>]) -> Vec<u8> {
        let mut out = Vec::new();
        match self.version {
            Version::V4 => out = envelopes.concat(),
            Version::V5 => {
                let envelopes: Vec<&[u8]> = envelopes.iter().map(Vec::as_slice).collect();
                self.form().write_all(&mut out, &envelopes);
            }
        }
        out
    }
}

fn query_of(length: usize, rng: &mut Rng) -> Vec<u8> {
    // Half of it is noise, so that compression has something to do and something it cannot do.
    let letter = |at: usize, rng: &mut Rng| match at % 2 {
        0 => 'a',
        _ => char::from(b'a' + u8::try_from(rng.below(26)).unwrap()),
    };
    let text: String = (0..length).map(|at| letter(at, rng)).collect();
    let query = Request::Query(Query {
        text: Cow::Owned(text),
        parameters: Parameters::default(),
    });
    let mut body = Vec::new();
    query.write(&mut body, Version::V5).unwrap();
    body
}

fn request(agreed: Agreed, stream: i16, body: &[u8]) -> Vec<u8> {
    let header = Header {
        version: agreed.version,
        flags: Flags::NONE,
        stream,
        opcode: Opcode::Query,
    };
    let mut out = Vec::new();
    write_envelope(
        &mut out,
        header,
        &Extras::default(),
        agreed.compression,
        |out| {
            out.extend_from_slice(body);
            Ok(())
        },
    )
    .unwrap();
    out
}

fn extras() -> impl Strategy<Value = Extras<'static>> {
    let payload = (samples::text(), any::<Option<[u8; 3]>>())
        .prop_map(|(name, value)| (name, value.map(|it| Cow::Owned(it.to_vec()))));
    let warnings = prop::collection::vec(samples::text(), 0..3);
    let payload = prop::collection::vec(payload, 0..3);
    (any::<Option<u128>>(), warnings, payload).prop_map(|(trace, warnings, custom_payload)| {
        Extras {
            trace: trace.map(Uuid::from_u128),
            warnings,
            custom_payload,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn envelopes_are_found_wherever_the_bytes_are_cut(
        agreed in prop::sample::select(&ALL[..]),
        sent in prop::collection::vec((samples::response(Version::V4), extras()), 1..6),
        seed in any::<u64>(),
    ) {
        let sent: Vec<_> = (0_i16..).zip(sent).collect();
        let envelopes: Vec<_> = sent
            .iter()
            .map(|(stream, (response, extras))| agreed.write(response, *stream, extras))
            .collect();
        let bytes = agreed.join(&envelopes);
        let mut rng = Rng::new(seed);
        let mut splitter = agreed.splitter(Direction::Response);
        let mut found: Vec<Envelope> = Vec::new();
        let mut left = bytes.as_slice();
        while !left.is_empty() {
            let (now, later) = left.split_at((1 + rng.index(40)).min(left.len()));
            splitter.feed(now);
            left = later;
            while let Some(envelope) = splitter.next_envelope().unwrap() {
                found.push(envelope);
            }
        }
        prop_assert_eq!(splitter.pending_bytes(), 0);
        prop_assert_eq!(found.len(), sent.len());
        for (envelope, (stream, (response, extras))) in found.iter().zip(&sent) {
            prop_assert_eq!(envelope.header.stream, *stream);
            let (read, body) = envelope.parts().unwrap();
            prop_assert_eq!(&read, extras);
            let mut expected = Vec::new();
            response.write(&mut expected, agreed.version).unwrap();
            prop_assert_eq!(body, expected);
        }
    }
}

#[test]
fn an_envelope_larger_than_a_segment_is_put_together() {
    let mut rng = Rng::new(1);
    for agreed in ALL {
        for length in [
            131_030, 131_053, 131_054, 131_062, 131_071, 131_072, 400_000,
        ] {
            let large = query_of(length, &mut rng);
            let small = query_of(10, &mut rng);
            let bodies = [&small, &large, &small, &small];
            let envelopes = bodies.map(|body| request(agreed, 5, body));
            let bytes = agreed.join(&envelopes);
            let mut splitter = agreed.splitter(Direction::Request);
            splitter.feed(&bytes);
            for body in bodies {
                let envelope = splitter.next_envelope().unwrap().unwrap();
                assert!(envelope.body == *body, "{agreed:?}, {length} bytes");
            }
            assert_eq!(splitter.next_envelope(), Ok(None));
        }
    }
}

#[test]
fn every_flipped_bit_of_a_segment_is_detected() {
    let mut rng = Rng::new(2);
    for agreed in ALL.into_iter().filter(|it| it.version == Version::V5) {
        for _ in 0..500 {
            let length = rng.index(120);
            let envelope = request(agreed, 1, &query_of(length, &mut rng));
            let mut bytes = agreed.join(&[envelope]);
            for bit in 0..bytes.len() * 8 {
                bytes[bit / 8] ^= 1 << (bit % 8);
                let mut splitter = agreed.splitter(Direction::Request);
                splitter.feed(&bytes);
                let found = splitter.next_envelope();
                let is_seen = matches!(
                    found,
                    Err(FrameError::HeaderChecksum { .. } | FrameError::PayloadChecksum { .. })
                );
                assert!(is_seen, "{agreed:?}, bit {bit}: {found:?}");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }
}
