//! Another implementation of the protocol (the crate `cassandra-protocol`) reads what we write, and we
//! read what it writes.
//!
//! Our message goes through it and comes back: we write, it reads, it writes, we read. Where it
//! differs from the protocol's description, the test says so and leaves that out.

use std::io::Cursor;

use cassandra_protocol::compression::Compression as PeerCompression;
use cassandra_protocol::frame as peer;
use cassandra_protocol::frame::Serialize;
use cassandra_protocol::frame::frame_decoder::{
    FrameDecoder, Lz4FrameDecoder, UncompressedFrameDecoder,
};
use cassandra_protocol::frame::frame_encoder::{
    FrameEncoder, Lz4FrameEncoder, UncompressedFrameEncoder,
};
use cassandra_protocol::frame::message_request::RequestBody;
use cassandra_protocol::frame::message_response::ResponseBody;
use proptest::prelude::*;
use stoa_wire::request::{Bindings, Execute, Query};
use stoa_wire::response::error::Failures;
use stoa_wire::response::event::TopologyChange;
use stoa_wire::response::{ErrorDetail, Event};
use stoa_wire::types::WriteType;
use stoa_wire::{
    Compression, Direction, Extras, Flags, Header, Limits, Opcode, Request, Response, SegmentForm,
    Splitter, Version, write_envelope,
};

use crate::samples;

fn peer_version(version: Version) -> peer::Version {
    match version {
        Version::V4 => peer::Version::V4,
        Version::V5 => peer::Version::V5,
    }
}

fn peer_opcode(opcode: Opcode) -> peer::Opcode {
    peer::Opcode::try_from(opcode.number()).unwrap()
}

fn peer_compression(compression: Option<Compression>) -> PeerCompression {
    match compression {
        None => PeerCompression::None,
        Some(Compression::Lz4) => PeerCompression::Lz4,
        Some(Compression::Snappy) => PeerCompression::Snappy,
    }
}

/// What the peer writes of a response.
fn rewritten(body: &ResponseBody, version: peer::Version) -> Vec<u8> {
    let mut out = Vec::new();
    let cursor = &mut Cursor::new(&mut out);
    match body {
        ResponseBody::Error(body) => body.serialize(cursor, version),
        ResponseBody::Authenticate(body) => body.serialize(cursor, version),
        ResponseBody::Supported(body) => body.serialize(cursor, version),
        ResponseBody::Result(body) => body.serialize(cursor, version),
        ResponseBody::Event(body) => body.serialize(cursor, version),
        ResponseBody::AuthChallenge(body) => body.serialize(cursor, version),
        ResponseBody::AuthSuccess(body) => body.serialize(cursor, version),
        _ => {}
    }
    out
}

/// The request as the peer tells it back; `None` where it cannot.
fn told_back(mut request: Request<'static>) -> Option<Request<'static>> {
    match &mut request {
        // It keeps options and named values in maps, which have no order.
        Request::Startup(startup) if startup.options.len() > 1 => return None,
        Request::Query(Query { parameters, .. }) | Request::Execute(Execute { parameters, .. }) => {
            if let Bindings::Named(values) = &parameters.bindings
                && values.len() > 1
            {
                return None;
            }
            // It does not know the flag.
            parameters.skips_metadata = false;
        }
        _ => {}
    }
    Some(request)
}

/// Whether the peer can read the response.
fn is_known(version: Version, response: &Response<'_>) -> bool {
    match response {
        Response::Error(error) => match &error.detail {
            ErrorDetail::CdcWriteFailure | ErrorDetail::CasWriteUnknown(_) => false,
            // It reads contentions in version 4, too, which has none.
            ErrorDetail::WriteTimeout { write_type, .. } => {
                version > Version::V4 || *write_type != WriteType::Cas
            }
            // It reads a port after each address, which the protocol has not.
            ErrorDetail::ReadFailure { failures, .. }
            | ErrorDetail::WriteFailure { failures, .. } => {
                !matches!(failures, Failures::Reasons(reasons) if !reasons.is_empty())
            }
            _ => true,
        },
        Response::Event(Event::Topology(TopologyChange::MovedNode, _)) => false,
        _ => true,
    }
}

/// Whether the peer can tell the response back: it keeps options in a map, which has no order.
fn is_told_back(response: &Response<'_>) -> bool {
    !matches!(response, Response::Supported(supported) if supported.options.len() > 1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_request_goes_through_the_peer(
        (version, request) in samples::version()
            .prop_flat_map(|version| (Just(version), samples::request(version)))
    ) {
        let mut body = Vec::new();
        request.write(&mut body, version).unwrap();
        let opcode = request.opcode();
        let read = RequestBody::try_from(&body, peer_opcode(opcode), peer_version(version));
        let read = read.map_err(|error| TestCaseError::fail(format!("{error}: {request:?}")))?;
        if let Some(request) = told_back(request) {
            let back = read.serialize_to_vec(peer_version(version));
            let back = Request::read(opcode, version, &back);
            prop_assert_eq!(back, Ok(Some(request)));
        }
    }

    #[test]
    fn a_response_goes_through_the_peer(
        (version, response) in samples::version()
            .prop_flat_map(|version| (Just(version), samples::response(version)))
    ) {
        if !is_known(version, &response) {
            return Ok(());
        }
        let mut body = Vec::new();
        response.write(&mut body, version).unwrap();
        let opcode = response.opcode();
        let read = ResponseBody::try_from(&body, peer_opcode(opcode), peer_version(version));
        let read = read.map_err(|error| TestCaseError::fail(format!("{error}: {response:?}")))?;
        if is_told_back(&response) {
            let back = rewritten(&read, peer_version(version));
            let back = Response::read(opcode, version, &back);
            prop_assert_eq!(back, Ok(Some(response)));
        }
    }
}

/// An envelope of ours with this body.
fn ours(version: Version, compression: Option<Compression>, body: &[u8]) -> Vec<u8> {
    let header = Header {
        version,
        flags: Flags::NONE,
        stream: 77,
        opcode: Opcode::Query,
    };
    let mut out = Vec::new();
    write_envelope(&mut out, header, &Extras::default(), compression, |out| {
        out.extend_from_slice(body);
        Ok(())
    })
    .unwrap();
    out
}

/// An envelope of the peer's with this body.
fn theirs(version: Version, compression: Option<Compression>, body: &[u8]) -> Vec<u8> {
    let envelope = peer::Envelope::new(
        peer_version(version),
        peer::Direction::Request,
        peer::Flags::empty(),
        peer::Opcode::Query,
        77,
        body.to_vec(),
        None,
        Vec::new(),
    );
    envelope.encode_with(peer_compression(compression)).unwrap()
}

fn sample_body(length: usize) -> Vec<u8> {
    let noise = |at: usize| (at.wrapping_mul(2_654_435_761) >> 7) as u8;
    (0..length)
        .map(|at| if at % 3 == 0 { b'a' } else { noise(at) })
        .collect()
}

#[test]
fn envelopes_of_version_4_are_read_by_both() {
    for compression in [None, Some(Compression::Lz4), Some(Compression::Snappy)] {
        for length in [1, 9, 1000, 300_000] {
            let body = sample_body(length);
            let sent = ours(Version::V4, compression, &body);
            let read = peer::Envelope::from_buffer(&sent, peer_compression(compression)).unwrap();
            assert!(read.envelope.body == body, "{compression:?}, {length}");
            assert_eq!(
                (read.envelope_len, read.envelope.stream_id),
                (sent.len(), 77)
            );

            let mut splitter = Splitter::new(Direction::Request, Limits::default());
            splitter.make_ready(Version::V4, compression);
            splitter.feed(&theirs(Version::V4, compression, &body));
            let read = splitter.next_envelope().unwrap().unwrap();
            assert!(read.body == body, "{compression:?}, {length}");
        }
    }
}

#[test]
fn segments_of_version_5_are_read_by_both() {
    for (compression, form) in [
        (None, SegmentForm::Plain),
        (Some(Compression::Lz4), SegmentForm::Lz4),
    ] {
        for length in [1, 9, 1000, 130_000, 300_000] {
            let body = sample_body(length);
            let mut sent = Vec::new();
            form.write_all(&mut sent, &[&ours(Version::V5, None, &body)]);
            let read = match form {
                SegmentForm::Plain => {
                    UncompressedFrameDecoder::default().consume(&mut sent, PeerCompression::None)
                }
                SegmentForm::Lz4 => {
                    Lz4FrameDecoder::default().consume(&mut sent, PeerCompression::Lz4)
                }
            };
            let read = read.unwrap();
            assert!(
                read.len() == 1 && read[0].body == body,
                "{form:?}, {length}"
            );

            let mut splitter = Splitter::new(Direction::Request, Limits::default());
            splitter.make_ready(Version::V5, compression);
            let envelope = theirs(Version::V5, None, &body);
            match form {
                SegmentForm::Plain => {
                    feed_theirs(
                        &mut splitter,
                        UncompressedFrameEncoder::default(),
                        &envelope,
                    );
                }
                SegmentForm::Lz4 => {
                    feed_theirs(&mut splitter, Lz4FrameEncoder::default(), &envelope);
                }
            }
            let read = splitter.next_envelope().unwrap().unwrap();
            assert!(read.body == body, "{form:?}, {length}");
        }
    }
}

fn feed_theirs(splitter: &mut Splitter, mut encoder: impl FrameEncoder, envelope: &[u8]) {
    encoder.reset();
    if encoder.can_fit(envelope.len()) {
        encoder.add_envelope(envelope.to_vec());
        splitter.feed(encoder.finalize_self_contained());
        return;
    }
    let mut left = envelope;
    while !left.is_empty() {
        let (taken, bytes) = encoder.finalize_non_self_contained(left);
        splitter.feed(bytes);
        left = &left[taken..];
        encoder.reset();
    }
}
