//! Every message is read back as it was written, and cut short it is refused.

use proptest::prelude::*;
use stoa_wire::{Request, Response, Version};

use crate::samples;

fn requests() -> impl Strategy<Value = (Version, Request<'static>)> {
    samples::version().prop_flat_map(|version| (Just(version), samples::request(version)))
}

fn responses() -> impl Strategy<Value = (Version, Response<'static>)> {
    samples::version().prop_flat_map(|version| (Just(version), samples::response(version)))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn a_request_is_read_back((version, request) in requests()) {
        let mut body = Vec::new();
        request.write(&mut body, version).unwrap();
        let read = Request::read(request.opcode(), version, &body);
        prop_assert_eq!(read, Ok(Some(request)));
    }

    #[test]
    fn a_response_is_read_back((version, response) in responses()) {
        let mut body = Vec::new();
        response.write(&mut body, version).unwrap();
        let read = Response::read(response.opcode(), version, &body);
        prop_assert_eq!(read, Ok(Some(response)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_message_that_is_cut_short_is_refused(
        (version, request) in requests(),
        (other, response) in responses(),
    ) {
        let mut body = Vec::new();
        request.write(&mut body, version).unwrap();
        for end in 0..body.len() {
            prop_assert!(Request::read(request.opcode(), version, &body[..end]).is_err());
        }
        body.clear();
        response.write(&mut body, other).unwrap();
        for end in 0..body.len() {
            prop_assert!(Response::read(response.opcode(), other, &body[..end]).is_err());
        }
    }
}
