//! Statements that make, alter and drop user-defined types.

use stoa_cql::ast::{AlterType, CreateType, DropObject, Rename, TypeChange};
use stoa_types::{DataType, UserField, UserType};

use super::failure::{Known, invalid, unknown};
use super::schema::if_missing;
use super::world::World;

impl World {
    pub(super) fn create_type(&mut self, create: &CreateType) -> Known<()> {
        let keyspace = self.keyspace_name(create.name.keyspace.as_ref())?;
        let name = create.name.name.as_str();
        if self.keyspace(&keyspace)?.types.contains_key(name) {
            let words = "A user type of that name already exists";
            return if_missing(create.if_not_exists, || invalid(words));
        }
        let mut fields: Vec<UserField> = Vec::new();
        for field in &create.fields {
            if fields.iter().any(|it| field.name == *it.name) {
                return invalid("Duplicate field name in type");
            }
            let data_type = self.data_type(&keyspace, &field.cql_type)?;
            fields.push(UserField {
                name: field.name.as_str().to_owned(),
                data_type: field_type(data_type)?,
            });
        }
        let made = UserType {
            keyspace: keyspace.clone(),
            name: name.to_owned(),
            fields,
            is_frozen: false,
        };
        let keyspace = self.keyspace_mut(&keyspace)?;
        keyspace.types.insert(name.to_owned(), made);
        Ok(())
    }

    pub(super) fn alter_type(&mut self, alter: &AlterType) -> Known<()> {
        let keyspace = self.keyspace_name(alter.name.keyspace.as_ref())?;
        let name = alter.name.name.as_str();
        let Some(mut changed) = self.keyspace(&keyspace)?.types.get(name).cloned() else {
            return if_missing(alter.if_exists, || invalid("Type does not exist"));
        };
        match &alter.change {
            TypeChange::Alter(_) => return invalid("Altering field types is no longer supported"),
            TypeChange::Add {
                if_not_exists,
                field,
            } => {
                if changed.fields.iter().any(|it| field.name == *it.name) {
                    return if_missing(*if_not_exists, || invalid("Cannot add field again"));
                }
                let data_type = self.data_type(&keyspace, &field.cql_type)?;
                if mentions(&data_type, name) {
                    return invalid("Cannot add a new field that makes a circle");
                }
                if self.is_in_a_key(&keyspace, name) {
                    self.estrange_users(&keyspace, name);
                    return unknown("a new field of a type in a key");
                }
                changed.fields.push(UserField {
                    name: field.name.as_str().to_owned(),
                    data_type: field_type(data_type)?,
                });
            }
            TypeChange::Rename { if_exists, renames } => {
                rename_fields(&mut changed, renames, *if_exists)?;
            }
        }
        self.replace_type(&keyspace, &changed)
    }

    fn is_in_a_key(&self, keyspace: &str, name: &str) -> bool {
        let tables = self.keyspaces.get(keyspace).map(|it| it.tables.values());
        tables.into_iter().flatten().any(|table| {
            let mut keys = table.columns.iter().filter(|it| it.is_key());
            keys.any(|column| mentions(&column.data_type, name))
        })
    }

    /// From now on nothing is known of the tables that use a type.
    fn estrange_users(&mut self, keyspace: &str, name: &str) {
        let Some(keyspace) = self.keyspaces.get_mut(keyspace) else {
            return;
        };
        let uses = |table: &super::world::Table| {
            let mut columns = table.columns.iter();
            columns.any(|column| mentions(&column.data_type, name))
        };
        let used = keyspace.tables.iter().filter(|(_, table)| uses(table));
        let used: Vec<String> = used.map(|(name, _)| name.clone()).collect();
        for name in used {
            keyspace.tables.remove(&name);
            keyspace.strange.insert(name);
        }
    }

    /// Puts a changed type into everything that uses it.
    fn replace_type(&mut self, keyspace: &str, changed: &UserType) -> Known<()> {
        let keyspace = self.keyspace_mut(keyspace)?;
        for other in keyspace.types.values_mut() {
            for field in &mut other.fields {
                replace(&mut field.data_type, changed);
            }
        }
        let tables = keyspace.tables.values_mut();
        for table in tables {
            for column in &mut table.columns {
                replace(&mut column.data_type, changed);
            }
            for key in &mut table.clustering {
                replace(&mut key.data_type, changed);
            }
        }
        keyspace.types.insert(changed.name.clone(), changed.clone());
        Ok(())
    }

    pub(super) fn drop_type(&mut self, drop: &DropObject) -> Known<()> {
        let keyspace = self.keyspace_name(drop.name.keyspace.as_ref())?;
        let name = drop.name.name.as_str();
        if drop.if_exists && !self.keyspaces.contains_key(&keyspace) {
            return Ok(());
        }
        let there = self.keyspace(&keyspace)?;
        if !there.types.contains_key(name) {
            return if_missing(drop.if_exists, || invalid("Type doesn't exist"));
        }
        let in_types = there.types.values().any(|other| {
            let mut fields = other.fields.iter();
            fields.any(|field| mentions(&field.data_type, name))
        });
        let in_tables = there.tables.values().any(|table| {
            let mut columns = table.columns.iter();
            columns.any(|column| mentions(&column.data_type, name))
        });
        if in_types || in_tables {
            return invalid("Cannot drop a type that is still used");
        }
        if !there.strange.is_empty() {
            return unknown("a type that an unknown table may use");
        }
        self.keyspace_mut(&keyspace)?.types.remove(name);
        Ok(())
    }
}

fn field_type(data_type: DataType) -> Known<DataType> {
    match &data_type {
        DataType::Counter => invalid("A user type cannot contain counters"),
        DataType::UserDefined(user) if !user.is_frozen => {
            invalid("A user type cannot contain non-frozen UDTs")
        }
        _ => Ok(data_type),
    }
}

fn rename_fields(changed: &mut UserType, renames: &[Rename], if_exists: bool) -> Known<()> {
    for rename in renames {
        if changed.fields.iter().any(|it| rename.to == *it.name) {
            return invalid("a field of that name already exists");
        }
        let found = changed.fields.iter_mut().find(|it| rename.from == *it.name);
        match found {
            Some(field) => rename.to.as_str().clone_into(&mut field.name),
            None if if_exists => {}
            None => return invalid("Unkown field in type"),
        }
    }
    Ok(())
}

fn mentions(data_type: &DataType, name: &str) -> bool {
    let is_it = matches!(data_type, DataType::UserDefined(user) if user.name == name);
    is_it || data_type.inner().into_iter().any(|it| mentions(it, name))
}

fn replace(data_type: &mut DataType, changed: &UserType) {
    match data_type {
        DataType::List { element, .. }
        | DataType::Set { element, .. }
        | DataType::Vector { element, .. } => replace(element, changed),
        DataType::Map { key, value, .. } => {
            replace(key, changed);
            replace(value, changed);
        }
        DataType::Tuple(fields) => fields.iter_mut().for_each(|it| replace(it, changed)),
        DataType::UserDefined(user) if user.name == changed.name => {
            let whole = DataType::UserDefined(Box::new(changed.clone()));
            *data_type = match user.is_frozen {
                true => whole.frozen(),
                false => whole,
            };
        }
        DataType::UserDefined(user) => {
            for field in &mut user.fields {
                replace(&mut field.data_type, changed);
            }
        }
        _ => {}
    }
}
