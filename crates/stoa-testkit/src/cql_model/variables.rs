//! The variables of a statement: what type each marker has, by where it stands.

use std::sync::Arc;

use stoa_cql::ast::{
    Condition, ConditionTarget, ConditionTest, Delete, Deletion, InValues, Insert, Marker,
    Modification, Operation, Relation, Select, Statement, Term, Update, UpdateCondition, Using,
    UsingOption,
};
use stoa_session::Column as Variable;
use stoa_types::DataType;

use super::failure::{Known, invalid, unknown};
use super::world::{Table, World};

/// The variables of a statement in the order of their markers.
pub(super) fn variables(
    world: &World,
    statement: &Statement,
    markers: usize,
) -> Known<Vec<Variable>> {
    let mut found = Finder {
        variables: vec![None; markers],
    };
    if markers == 0 {
        return Ok(Vec::new());
    }
    match statement {
        Statement::Select(select) => found.select(world.table(&select.from)?, select)?,
        Statement::Insert(insert) => found.insert(world.table(&insert.table)?, insert)?,
        Statement::Update(update) => found.update(world.table(&update.table)?, update)?,
        Statement::Delete(delete) => found.delete(world.table(&delete.table)?, delete)?,
        Statement::Batch(batch) => {
            found.using(&batch.using);
            for modification in &batch.statements {
                match modification {
                    Modification::Insert(insert) => {
                        found.insert(world.table(&insert.table)?, insert)?;
                    }
                    Modification::Update(update) => {
                        found.update(world.table(&update.table)?, update)?;
                    }
                    Modification::Delete(delete) => {
                        found.delete(world.table(&delete.table)?, delete)?;
                    }
                    Modification::InsertJson(_) => return unknown("JSON"),
                }
            }
        }
        _ => return unknown("variables of such statements"),
    }
    let all: Option<Vec<Variable>> = found.variables.into_iter().collect();
    match all {
        Some(all) => Ok(all),
        None => unknown("a variable whose type is not known"),
    }
}

struct Finder {
    variables: Vec<Option<Variable>>,
}

impl Finder {
    fn note(&mut self, marker: &Marker, data_type: &DataType) {
        let name = marker.name.as_ref().map_or("value", |name| name.as_str());
        if let Some(place) = self.variables.get_mut(marker.index) {
            *place = Some(Variable {
                keyspace: Arc::from(""),
                table: Arc::from(""),
                name: name.to_owned(),
                data_type: data_type.clone().without_frozen(),
            });
        }
    }

    /// Notes the markers of a term that is expected to be of a type.
    fn term(&mut self, term: &Term, data_type: &DataType) {
        match (term, data_type) {
            (Term::Marker(marker), _) => self.note(marker, data_type),
            (
                Term::ListOrVector(terms),
                DataType::List { element, .. } | DataType::Vector { element, .. },
            )
            | (Term::SetOrEmptyMap(terms), DataType::Set { element, .. }) => {
                terms.iter().for_each(|term| self.term(term, element));
            }
            (Term::Map(terms), DataType::Map { key, value, .. }) => {
                for (left, right) in terms {
                    self.term(left, key);
                    self.term(right, value);
                }
            }
            (Term::Tuple(terms), DataType::Tuple(types)) => {
                for (term, data_type) in terms.iter().zip(types) {
                    self.term(term, data_type);
                }
            }
            (Term::UserType(terms), DataType::UserDefined(user)) => {
                for (name, term) in terms {
                    let field = user.fields.iter().find(|field| *name == *field.name);
                    if let Some(field) = field {
                        self.term(term, &field.data_type);
                    }
                }
            }
            _ => {}
        }
    }

    fn using(&mut self, using: &Using) {
        for option in &using.0 {
            match option {
                UsingOption::Timestamp(term) => self.term(term, &DataType::BigInt),
                UsingOption::TimeToLive(term) => self.term(term, &DataType::Int),
            }
        }
    }

    fn select(&mut self, table: &Table, select: &Select) -> Known<()> {
        self.relations(table, &select.relations)?;
        let limits = [&select.per_partition_limit, &select.limit];
        for term in limits.into_iter().flatten() {
            self.term(term, &DataType::Int);
        }
        Ok(())
    }

    fn insert(&mut self, table: &Table, insert: &Insert) -> Known<()> {
        if insert.columns.len() != insert.values.len() {
            return invalid("Unmatched column names/values");
        }
        for (name, term) in insert.columns.iter().zip(&insert.values) {
            let column = table.column(name.as_str())?;
            self.term(term, &column.data_type);
        }
        self.using(&insert.using);
        Ok(())
    }

    fn update(&mut self, table: &Table, update: &Update) -> Known<()> {
        self.using(&update.using);
        for assignment in &update.assignments {
            let column = table.column(assignment.column.as_str())?;
            self.operation(&assignment.operation, &column.data_type);
        }
        self.relations(table, &update.relations)?;
        self.condition(table, update.condition.as_ref())
    }

    fn operation(&mut self, operation: &Operation, data_type: &DataType) {
        match (operation, data_type) {
            (Operation::SetElement { key, value }, DataType::List { element, .. }) => {
                self.term(key, &DataType::Int);
                self.term(value, element);
            }
            (
                Operation::SetElement { key, value },
                DataType::Map {
                    key: key_type,
                    value: value_type,
                    ..
                },
            ) => {
                self.term(key, key_type);
                self.term(value, value_type);
            }
            (Operation::SetField { field, value }, DataType::UserDefined(user)) => {
                let found = user.fields.iter().find(|it| *field == *it.name);
                if let Some(found) = found {
                    self.term(value, &found.data_type);
                }
            }
            (Operation::Subtract(term), DataType::Map { key, .. }) => {
                self.term(term, &DataType::set((**key).clone()));
            }
            (
                Operation::Set(term)
                | Operation::Add(term)
                | Operation::Subtract(term)
                | Operation::Prepend(term),
                _,
            ) => self.term(term, data_type),
            _ => {}
        }
    }

    fn delete(&mut self, table: &Table, delete: &Delete) -> Known<()> {
        for deletion in &delete.deletions {
            if let Deletion::Element(name, term) = deletion {
                match &table.column(name.as_str())?.data_type {
                    DataType::List { .. } => self.term(term, &DataType::Int),
                    DataType::Set { element: key, .. } | DataType::Map { key, .. } => {
                        self.term(term, key);
                    }
                    _ => {}
                }
            }
        }
        if let Some(term) = &delete.timestamp {
            self.term(term, &DataType::BigInt);
        }
        self.relations(table, &delete.relations)?;
        self.condition(table, delete.condition.as_ref())
    }

    fn relations(&mut self, table: &Table, relations: &[Relation]) -> Known<()> {
        for relation in relations {
            self.relation(table, relation)?;
        }
        Ok(())
    }

    fn relation(&mut self, table: &Table, relation: &Relation) -> Known<()> {
        match relation {
            Relation::Column { column, value, .. } => {
                self.term(value, &table.column(column.as_str())?.data_type);
            }
            Relation::In { column, values } => {
                self.in_values(values, &table.column(column.as_str())?.data_type);
            }
            Relation::Contains { column, value } => {
                match &table.column(column.as_str())?.data_type {
                    DataType::List { element, .. }
                    | DataType::Set { element, .. }
                    | DataType::Map { value: element, .. } => self.term(value, element),
                    _ => {}
                }
            }
            Relation::ContainsKey { column, key } => {
                if let DataType::Map { key: key_type, .. } =
                    &table.column(column.as_str())?.data_type
                {
                    self.term(key, key_type);
                }
            }
            Relation::Element {
                column, key, value, ..
            } => {
                if let DataType::Map {
                    key: key_type,
                    value: value_type,
                    ..
                } = &table.column(column.as_str())?.data_type
                {
                    self.term(key, key_type);
                    self.term(value, value_type);
                }
            }
            Relation::Token { value, .. } => match value {
                Term::Function { arguments, .. } => {
                    for (term, column) in arguments.iter().zip(table.partition_key()) {
                        self.term(term, &column.data_type);
                    }
                }
                other => self.term(other, &DataType::BigInt),
            },
            Relation::Columns { columns, value, .. } => {
                self.term(value, &tuple_type(table, columns)?);
            }
            Relation::ColumnsIn { columns, values } => {
                self.in_values(values, &tuple_type(table, columns)?);
            }
            Relation::Like { .. } | Relation::IsNotNull(_) | Relation::IndexExpression { .. } => {}
        }
        Ok(())
    }

    fn in_values(&mut self, values: &InValues, data_type: &DataType) {
        match values {
            InValues::List(terms) => terms.iter().for_each(|term| self.term(term, data_type)),
            InValues::Marker(marker) => self.note(marker, &DataType::list(data_type.clone())),
        }
    }

    fn condition(&mut self, table: &Table, condition: Option<&UpdateCondition>) -> Known<()> {
        let Some(UpdateCondition::All(conditions)) = condition else {
            return Ok(());
        };
        for condition in conditions {
            self.one_condition(table, condition)?;
        }
        Ok(())
    }

    fn one_condition(&mut self, table: &Table, condition: &Condition) -> Known<()> {
        let whole = &table.column(condition.column.as_str())?.data_type;
        let part = match (&condition.target, whole) {
            (ConditionTarget::Element(term), DataType::List { element, .. }) => {
                self.term(term, &DataType::Int);
                (**element).clone()
            }
            (ConditionTarget::Element(term), DataType::Map { key, value, .. }) => {
                self.term(term, key);
                (**value).clone()
            }
            (ConditionTarget::Field(name), DataType::UserDefined(user)) => {
                let found = user.fields.iter().find(|it| *name == *it.name);
                found.map_or(DataType::Blob, |it| it.data_type.clone())
            }
            _ => whole.clone(),
        };
        match (&condition.test, &part) {
            (ConditionTest::Compare(_, term), part) => self.term(term, part),
            (ConditionTest::In(values), part) => self.in_values(values, part),
            (
                ConditionTest::Contains(term),
                DataType::List { element, .. }
                | DataType::Set { element, .. }
                | DataType::Map { value: element, .. },
            ) => self.term(term, element),
            (ConditionTest::ContainsKey(term), DataType::Map { key, .. }) => self.term(term, key),
            _ => {}
        }
        Ok(())
    }
}

fn tuple_type(table: &Table, columns: &[stoa_cql::ast::Name]) -> Known<DataType> {
    let types = columns
        .iter()
        .map(|name| Ok(table.column(name.as_str())?.data_type.clone()));
    Ok(DataType::tuple(types.collect::<Known<Vec<_>>>()?))
}
