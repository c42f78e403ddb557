//! `MASKED WITH`, which is accepted where Cassandra accepts it while masking is off.
//!
//! Masking is off by default, and then a mask can be given to an added column only; it is kept and
//! shown, and never applied.

use std::sync::Arc;

use stoa_cql::ast::{ColumnMask as Written, LiteralKind, Name, Term};
use stoa_types::DataType;

use crate::catalog::ColumnMask;
use crate::refusal::Refusal;

/// What Cassandra says of masks while masking is off.
pub(super) fn disabled() -> Refusal {
    Refusal::invalid(
        "Cannot mask columns because dynamic data masking is not enabled. You can enable it with \
         the dynamic_data_masking_enabled property on cassandra.yaml",
    )
}

/// The mask of an added column.
pub(super) fn resolve(written: &Written, data_type: &DataType) -> Result<ColumnMask, Refusal> {
    let (name, arguments) = match written {
        Written::Default => ("mask_default", &Vec::new()),
        Written::Function { name, arguments } => {
            let keyspace = name.keyspace.as_ref().map(Name::as_str);
            if keyspace.is_some_and(|it| it != "system") {
                return Err(unknown(name.name.as_str()));
            }
            (name.name.as_str(), arguments)
        }
    };
    let int = || DataType::Int;
    let text = || DataType::Text;
    let types = match (name, arguments.len()) {
        ("mask_default" | "mask_null", 0) => Vec::new(),
        ("mask_hash", 0) if *data_type == DataType::Blob => Vec::new(),
        ("mask_hash", 1) if *data_type == DataType::Blob => vec![text()],
        ("mask_replace", 1) => vec![data_type.clone()],
        ("mask_inner" | "mask_outer", 2) if is_text(data_type) => vec![int(), int()],
        ("mask_inner" | "mask_outer", 3) if is_text(data_type) => vec![int(), int(), text()],
        _ => return Err(unknown(name)),
    };
    let arguments = types.into_iter().zip(arguments).map(|(data_type, term)| {
        let text = argument(&data_type, term).ok_or_else(|| unknown(name))?;
        Ok((data_type, text))
    });
    Ok(ColumnMask {
        keyspace: Arc::from("system"),
        function: Arc::from(name),
        arguments: arguments.collect::<Result<_, Refusal>>()?,
    })
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Ascii | DataType::Text)
}

/// The text of an argument, without quotes; `None` within for null.
fn argument(data_type: &DataType, term: &Term) -> Option<Option<String>> {
    match term {
        Term::Null => Some(None),
        Term::Literal(literal) => {
            let fits = match data_type {
                DataType::Int => literal.kind == LiteralKind::Integer,
                DataType::Text | DataType::Ascii => literal.kind == LiteralKind::String,
                _ => true,
            };
            fits.then(|| Some(literal.text.to_string()))
        }
        _ => None,
    }
}

fn unknown(name: &str) -> Refusal {
    Refusal::invalid(format!(
        "Unable to find masking function, no declared function matches the signature of {name}"
    ))
}
