//! The stylesheet, the scripts and the mark, part of the program.
//!
//! Their address has a digest of all of them, so browsers keep them for a year and a new version has
//! another address; and modules find each other by relative addresses.

use std::sync::LazyLock;

use stoa_votes::rules::secrets::digest;

use crate::answer::Answer;
use crate::error::Failure;
use crate::route::Outcome;
use crate::visit::Served;

struct StaticFile {
    name: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
}

const FILES: [StaticFile; 7] = [
    StaticFile {
        name: "stoa.css",
        content_type: "text/css; charset=utf-8",
        bytes: include_bytes!("static_files/stoa.css"),
    },
    StaticFile {
        name: "stoa.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("static_files/stoa.js"),
    },
    StaticFile {
        name: "steppers.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("static_files/steppers.js"),
    },
    StaticFile {
        name: "budget.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("static_files/budget.js"),
    },
    StaticFile {
        name: "inplace.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("static_files/inplace.js"),
    },
    StaticFile {
        name: "mark.svg",
        content_type: "image/svg+xml",
        bytes: include_bytes!("static_files/mark.svg"),
    },
    StaticFile {
        name: "card.png",
        content_type: "image/png",
        bytes: include_bytes!("static_files/card.png"),
    },
];

/// A digest of all files.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let all: Vec<u8> = FILES.iter().flat_map(|file| file.bytes).copied().collect();
    digest("static files", &all).chars().take(16).collect()
});

/// The address of a file.
#[must_use]
pub fn address(name: &str) -> String {
    format!("/static/{}/{name}", *VERSION)
}

/// `GET /static/{version}/{name}`
pub async fn show(served: Served) -> Outcome {
    let found = FILES.iter().find(|file| file.name == served.param("name"));
    let file = found.ok_or(Failure::NotFound)?;
    let answer = Answer::of(file.content_type, file.bytes.to_vec());
    match served.param("version") == *VERSION {
        true => Ok(answer.for_ever()),
        false => Ok(answer),
    }
}
