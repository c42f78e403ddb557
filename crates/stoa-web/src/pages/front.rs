//! Where people come in: home, and the rankings.

pub mod home;
pub mod ranking;
pub mod search;

use std::collections::HashMap;

use crate::error::Failure;
use crate::visit::Frame;

/// The names of categories by key.
pub(crate) async fn category_names(frame: &Frame) -> Result<HashMap<String, String>, Failure> {
    let categories = frame.votes().categories().await?.into_iter();
    Ok(categories.map(|it| (it.key, it.name)).collect())
}
