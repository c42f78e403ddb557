//! What is no message is refused by a message that says what is wrong and where, before anything is
//! allocated for it.

use stoa_wire::frame::error::CompressionError;
use stoa_wire::{
    Compression, DecodeErrorKind, Direction, FrameError, Limits, Opcode, Request, Response,
    SegmentForm, Splitter, Version,
};

fn splitter() -> Splitter {
    Splitter::new(Direction::Request, Limits::default())
}

fn refusal_of(bytes: &[u8]) -> FrameError {
    let mut splitter = splitter();
    splitter.feed(bytes);
    splitter.next_envelope().unwrap_err()
}

fn header(version: u8, flags: u8, opcode: u8, length: i32) -> Vec<u8> {
    let mut bytes = vec![version, flags, 0x12, 0x34, opcode];
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes
}

#[test]
fn an_unknown_version_is_refused_in_words_that_drivers_look_for() {
    let error = refusal_of(&header(66, 0, 5, 0));
    assert_eq!(
        error.to_string(),
        "Invalid or unsupported protocol version (66); supported versions are (4/v4, 5/v5)"
    );
    assert_eq!(error.reply_stream(), 0x1234);
    assert_eq!(error.stream(), None);
    // Versions 1 and 2 have a header of eight bytes, of which no more may come.
    let old = refusal_of(&[2]);
    assert!(matches!(
        old,
        FrameError::UnsupportedVersion { number: 2, .. }
    ));
}

#[test]
fn a_length_is_judged_before_the_body_arrives() {
    let huge = refusal_of(&header(4, 0, 7, i32::MAX));
    assert!(matches!(huge, FrameError::TooLarge { .. }), "{huge}");
    let negative = refusal_of(&header(4, 0, 7, -1));
    assert!(matches!(
        negative,
        FrameError::NegativeLength { length: -1, .. }
    ));
}

#[test]
fn a_response_is_no_request() {
    let error = refusal_of(&header(0x84, 0, 8, 0));
    assert_eq!(
        error.to_string(),
        "Wrong protocol direction (expected REQUEST, got RESPONSE)"
    );
}

#[test]
fn what_is_wrong_with_one_envelope_leaves_the_next_readable() {
    let mut splitter = splitter();
    splitter.feed(&header(4, 0, 0x7f, 0));
    splitter.feed(&header(4, 1, 7, 3));
    splitter.feed(&[1, 2, 3]);
    splitter.feed(&header(4, 0, 5, 0));
    let unknown = splitter.next_envelope().unwrap_err();
    assert_eq!(unknown.stream(), Some(0x1234));
    let compressed = splitter.next_envelope().unwrap_err();
    assert!(matches!(compressed, FrameError::NoCompression { .. }));
    let options = splitter.next_envelope().unwrap().unwrap();
    assert_eq!(options.header.opcode, Opcode::Options);
}

#[test]
fn after_a_broken_stream_nothing_is_read() {
    let mut splitter = splitter();
    splitter.feed(&header(4, 0, 7, -5));
    let first = splitter.next_envelope().unwrap_err();
    splitter.feed(&header(4, 0, 5, 0));
    assert_eq!(splitter.next_envelope(), Err(first));
    assert_eq!(splitter.pending_bytes(), 0);
}

#[test]
fn a_connection_keeps_its_version() {
    let mut splitter = splitter();
    splitter.feed(&header(5, 0, 5, 0));
    splitter.feed(&header(4, 0, 5, 0));
    assert!(splitter.next_envelope().unwrap().is_some());
    let other = splitter.next_envelope().unwrap_err();
    assert!(matches!(other, FrameError::OtherVersion { .. }), "{other}");
}

#[test]
fn a_decompression_bomb_is_refused_before_it_is_allocated() {
    let mut claim = i32::MAX.to_be_bytes().to_vec();
    claim.extend_from_slice(&[0x1f, 0, 0]);
    let limit = Limits::default().decompressed_bytes;
    let too_large = Compression::Lz4.decompress_body(&claim, limit);
    assert!(matches!(too_large, Err(CompressionError::TooLarge { .. })));
    claim[..4].copy_from_slice(&(128_i32 << 10).to_be_bytes());
    let impossible = Compression::Lz4.decompress_body(&claim, limit);
    assert!(matches!(
        impossible,
        Err(CompressionError::Impossible { .. })
    ));
    let snappy = Compression::Snappy.decompress_body(&[0xff, 0xff, 0x03, 0], limit);
    assert!(
        matches!(snappy, Err(CompressionError::Impossible { .. })),
        "{snappy:?}"
    );
}

#[test]
fn a_count_that_the_bytes_cannot_hold_is_refused_with_its_place() {
    // A query of no text, with values, 65,535 of them.
    let body = [0, 0, 0, 0, 0, 1, 1, 0xff, 0xff, 9];
    let error = Request::read(Opcode::Query, Version::V4, &body).unwrap_err();
    assert_eq!(
        error.to_string(),
        "malformed message: the values at byte 9 of the body: 262140 bytes are needed, but 1 are left"
    );
    // Rows of a billion columns, and two billion rows of one.
    let mut rows = 2_i32.to_be_bytes().to_vec();
    rows.extend_from_slice(&4_i32.to_be_bytes());
    let mut wide = rows.clone();
    wide.extend_from_slice(&1_000_000_000_i32.to_be_bytes());
    wide.extend_from_slice(&1_i32.to_be_bytes());
    rows.extend_from_slice(&1_i32.to_be_bytes());
    rows.extend_from_slice(&i32::MAX.to_be_bytes());
    for body in [wide, rows] {
        let error = Response::read(Opcode::Result, Version::V5, &body).unwrap_err();
        assert!(
            matches!(error.kind, DecodeErrorKind::Short { .. }),
            "{error}"
        );
    }
}

#[test]
fn types_that_nest_too_deep_are_refused() {
    let mut body = 2_i32.to_be_bytes().to_vec();
    body.extend_from_slice(&1_i32.to_be_bytes());
    body.extend_from_slice(&1_i32.to_be_bytes());
    body.extend_from_slice(&[0, 1, b'k', 0, 1, b't', 0, 1, b'c']);
    body.extend_from_slice(&[0, 0x20].repeat(100_000));
    let error = Response::read(Opcode::Result, Version::V4, &body).unwrap_err();
    assert_eq!(error.kind, DecodeErrorKind::TooDeep(100));
}

#[test]
fn segments_out_of_order_are_refused() {
    let ready = || {
        let mut splitter = splitter();
        splitter.make_ready(Version::V5, None);
        splitter
    };
    let options = header(5, 0, 5, 0);
    let large = [header(5, 0, 7, 200_000), vec![b'x'; 200_000]].concat();
    let (mut whole, mut parts) = (Vec::new(), Vec::new());
    SegmentForm::Plain.write_all(&mut whole, &[&options]);
    SegmentForm::Plain.write_all(&mut parts, &[&large]);

    let mut splitter = ready();
    splitter.feed(&parts[..6 + 131_071 + 4]);
    splitter.feed(&whole);
    assert_eq!(splitter.next_envelope(), Err(FrameError::Interleaved));

    let mut cut = Vec::new();
    SegmentForm::Plain.write_all(&mut cut, &[&header(5, 0, 7, 10)]);
    let mut splitter = ready();
    splitter.feed(&cut);
    assert_eq!(splitter.next_envelope(), Err(FrameError::CutEnvelope));

    let mut longer = Vec::new();
    let after = [large.as_slice(), &[1, 2, 3]].concat();
    SegmentForm::Plain.write_all(&mut longer, &[&after]);
    let mut splitter = ready();
    splitter.feed(&longer);
    assert_eq!(splitter.next_envelope(), Err(FrameError::AfterLastPart(3)));
}
