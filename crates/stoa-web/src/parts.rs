//! What several pages have in them: marks, fields, charts, rows of rankings.

pub mod charts;
pub mod choices;
pub mod forms;
pub mod found;
pub mod icons;
pub mod listing;
pub mod moves;
pub mod ranked;
pub(crate) mod said;
