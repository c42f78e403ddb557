//! Functions, aggregates and triggers.

use std::fmt::{self, Display, Formatter};

use super::{Clause, IfExists, IfNotExists, Quoted, list, name};
use crate::ast::{
    CreateAggregate, CreateFunction, CreateTrigger, DropFunction, DropTrigger, OnNullInput,
};

impl Display for CreateFunction {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let on_null_input = match self.on_null_input {
            OnNullInput::Called => "CALLED",
            OnNullInput::ReturnsNull => "RETURNS NULL",
        };
        write!(
            formatter,
            "CREATE {}FUNCTION {}{}({}) {on_null_input} ON NULL INPUT RETURNS {} LANGUAGE {} AS {}",
            OrReplace(self.or_replace),
            IfNotExists(self.if_not_exists),
            name::FunctionName(&self.name),
            list(&self.arguments),
            self.returns,
            self.language,
            Quoted(&self.body),
        )
    }
}

impl Display for CreateAggregate {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let final_function = self.final_function.as_ref().map(name::BareFunctionName);
        write!(
            formatter,
            "CREATE {}AGGREGATE {}{}({}) SFUNC {} STYPE {}{}{}",
            OrReplace(self.or_replace),
            IfNotExists(self.if_not_exists),
            name::FunctionName(&self.name),
            list(&self.arguments),
            name::BareFunctionName(&self.state_function),
            self.state_type,
            Clause(" FINALFUNC ", final_function.as_ref()),
            Clause(" INITCOND ", self.initial_state.as_ref()),
        )
    }
}

/// `OR REPLACE `, if so.
struct OrReplace(bool);

impl Display for OrReplace {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.0 { "OR REPLACE " } else { "" })
    }
}

/// Without `DROP` and the kind.
impl Display for DropFunction {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        write!(formatter, "{if_exists}{}", name::FunctionName(&self.name))?;
        match &self.arguments {
            Some(arguments) => write!(formatter, "({})", list(arguments)),
            None => Ok(()),
        }
    }
}

impl Display for CreateTrigger {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "CREATE TRIGGER {}{} ON {} USING {}",
            IfNotExists(self.if_not_exists),
            self.name,
            self.table,
            Quoted(&self.using),
        )
    }
}

impl Display for DropTrigger {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let if_exists = IfExists(self.if_exists);
        let (name, table) = (&self.name, &self.table);
        write!(formatter, "DROP TRIGGER {if_exists}{name} ON {table}")
    }
}
