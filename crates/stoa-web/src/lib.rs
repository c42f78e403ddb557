//! The web app: pages and forms of the voting domain over HTTP.
//!
//! A request takes one way: [`server`] reads it, [`gate`] finds out who asks and whether they may, a
//! page of [`pages`] answers. Every route stands in [`router`], with who may use it; a page takes a
//! [`Visit`] and gives an [`Answer`] or a [`Failure`], and knows neither axum nor hyper.
//!
//! | Module | What |
//! |---|---|
//! | [`router`] | every route on one page, each with its rule |
//! | [`pages`] | one page or form for each file: its reads and its markup together |
//! | [`gate`] | what is checked before a page, and what is added after it |
//! | [`login`] | who is signed in, forged requests, limits, hashing of passwords |
//! | [`texts`] | every text, in every language; one that is missing does not compile |
//! | [`layout`], [`parts`] | what all pages have around them; what several have in them |
//! | [`atom`] | feeds, for programs that look again and again |
//! | [`markdown`] | what people wrote, as the little HTML that is allowed |
//! | [`live`] | totals as they change, for whoever listens |
//! | [`app`] | what an instance has: the domain, its settings, its counters |
//! | [`background`] | what it does in the background, for admins to see |
//!
//! Invariants:
//! 1. No page needs a script. Whatever a script does, a form or a link does too.
//! 2. Nothing is changed by a GET, nor by a POST that a page of ours did not make.
//! 3. Text of people is escaped by the macro of templates, or rendered by [`markdown`] alone.
//! 4. No page is served whose route has no rule: there is no other way to add a route.
#![forbid(unsafe_code)]

pub mod answer;
pub mod app;
pub mod atom;
pub mod background;
pub mod bare;
pub mod download;
pub mod error;
pub mod fields;
pub mod gate;
pub mod health;
pub mod json;
pub mod layout;
pub mod links;
pub mod live;
pub mod login;
pub mod markdown;
pub mod metrics;
pub mod pages;
pub mod parts;
pub mod route;
pub mod router;
pub mod server;
pub mod static_files;
pub mod texts;
pub mod unbroken;
pub mod visit;

pub use answer::Answer;
pub use app::{App, SiteSettings};
pub use background::Background;
pub use error::Failure;
pub use visit::Visit;
