//! `INSERT ... JSON`: an insert whose columns are known only when it is executed.

use std::sync::Arc;

use stoa_cql::ast::{self, JsonDefault};
use stoa_types::DataType;

use super::attributes::Attributes;
use super::condition::Condition;
use super::operation::Operation;
use super::prepare::{check, check_insertable, check_writable};
use super::{Kind, Modification};
use crate::catalog::Table;
use crate::json;
use crate::refusal::Refusal;
use crate::restrict::keys::unset_value;
use crate::restrict::plan::Where;
use crate::terms::{self, Context, Given, Receiver, Term, Values, Variables};

/// `INSERT ... JSON`, resolved.
#[derive(Debug, Clone)]
pub(crate) struct JsonInsert {
    pub(crate) table: Arc<Table>,
    value: Term,
    default: JsonDefault,
    attributes: Attributes,
    if_not_exists: bool,
}

impl JsonInsert {
    /// Resolves it.
    pub(crate) fn new(
        insert: &ast::InsertJson,
        table: &Arc<Table>,
        context: &Context<'_>,
        variables: &mut Variables,
    ) -> Result<Self, Refusal> {
        check_writable(table)?;
        check_insertable(table)?;
        let receiver = Receiver::new("[json]", DataType::Text);
        let value = terms::prepare(&insert.value, &receiver, context, variables)?;
        let (timestamp, ttl) = (insert.using.timestamp(), insert.using.time_to_live());
        Ok(Self {
            table: Arc::clone(table),
            value,
            default: insert.default,
            attributes: Attributes::new(timestamp, ttl, context, variables)?,
            if_not_exists: insert.if_not_exists,
        })
    }

    /// Whether it gives its own timestamp.
    pub(crate) fn has_timestamp(&self) -> bool {
        self.attributes.has_timestamp()
    }

    /// The insert that it is with these values.
    pub(crate) fn modification(&self, values: &Values<'_>) -> Result<Modification, Refusal> {
        let given = match self.value.give(values)? {
            Given::Bytes(bytes) => bytes.into_owned(),
            Given::Null => return Err(Refusal::invalid("Got null for INSERT JSON values")),
            Given::Unset => Vec::new(),
        };
        let text = String::from_utf8_lossy(&given);
        let mut object = json::row_object(&text)?;
        let (mut key, mut operations) = (Vec::new(), Vec::new());
        for (at, column) in self.table.columns.iter().enumerate() {
            let named = object.iter().position(|(name, _)| **name == *column.name);
            let value = named.map(|place| object.swap_remove(place).1);
            let term = match (value, self.default) {
                (Some(value), _) => {
                    let bytes =
                        json::from_json(&column.data_type, &value, values.environment.clock)
                            .map_err(|problem| problem.for_column(&column.name))?;
                    Term::Constant(bytes.map(Vec::into_boxed_slice))
                }
                (None, JsonDefault::Null) => Term::NULL,
                (None, JsonDefault::Unset) if column.is_key() => {
                    return Err(unset_value(&column.name));
                }
                (None, JsonDefault::Unset) => continue,
            };
            match column.is_key() {
                true => key.push((at, term)),
                false => operations.push((at, Operation::Set(term))),
            }
        }
        if let Some((name, _)) = object.first() {
            return Err(Refusal::invalid(format!(
                "JSON values map contains unrecognized column: {name}"
            )));
        }
        let write = Modification {
            table: Arc::clone(&self.table),
            kind: Kind::Insert,
            rows: Where::of_key(key, &self.table, false)?,
            operations,
            attributes: self.attributes.clone(),
            condition: match self.if_not_exists {
                true => Condition::NotExists,
                false => Condition::None,
            },
            only_static: false,
        };
        check(&write)?;
        Ok(write)
    }
}
