//! `ALTER MATERIALIZED VIEW`.

use stoa_cql::ast::AlterView;
use stoa_session::answer::{Change, SchemaChange, Target};

use super::Context;
use super::authority::{Level, refuse_system, refuse_unauthorized};
use super::change::{Draft, told};
use crate::catalog::Table;
use crate::catalog::options::TableOptions;
use crate::refusal::Refusal;

pub(super) fn apply(
    statement: &AlterView,
    draft: &mut Draft<'_>,
    context: &Context<'_>,
) -> Result<Option<SchemaChange>, Refusal> {
    let keyspace = context.keyspace_of(&statement.name)?.to_owned();
    let name = statement.name.name.as_str();
    let view = draft.new.table(&keyspace, name).filter(|it| it.is_view());
    if view.is_some() {
        refuse_unauthorized(&keyspace, Level::Contents)?;
    }
    refuse_system(&keyspace)?;
    let Some(view) = view else {
        return match statement.if_exists {
            true => Ok(None),
            false => Err(missing(&keyspace, name)),
        };
    };
    TableOptions::refuse_wrong(&statement.properties)?;
    let options = view.options.altered(&statement.properties)?;
    if options.gc_grace_seconds == 0 {
        return Err(Refusal::invalid(
            "Cannot alter gc_grace_seconds of a materialized view to 0, since this value is used to \
             TTL undelivered updates. Setting gc_grace_seconds too low might cause undelivered \
             updates to expire before being replayed.",
        ));
    }
    if options.default_time_to_live > 0 {
        return Err(Refusal::invalid(
            "Forbidden default_time_to_live detected for a materialized view. Data in a \
             materialized view always expire at the same time than the corresponding data in the \
             parent table. default_time_to_live must be set to zero, see CASSANDRA-12868 for more \
             information",
        ));
    }
    let mut parts = view.parts();
    parts.options = options;
    draft.put_table(Table::new(parts));
    Ok(told(Change::Updated, Target::Table, &keyspace, name))
}

/// What Cassandra says of a view that is not there.
pub(super) fn missing(keyspace: &str, name: &str) -> Refusal {
    Refusal::invalid(format!(
        "Materialized view '{keyspace}.{name}' doesn't exist"
    ))
}
