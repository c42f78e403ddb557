//! Where user types stand within other types, and what replaces them.

use std::sync::Arc;

use stoa_types::{DataType, UserType};

use super::resolve::UserTypes;

/// Whether a user type stands anywhere within a type.
#[must_use]
pub fn refers_to(data_type: &DataType, name: &str) -> bool {
    match data_type {
        DataType::UserDefined(user) if user.name == name => true,
        _ => data_type.inner().into_iter().any(|it| refers_to(it, name)),
    }
}

/// The type with a user type replaced wherever it stands; what was frozen stays frozen.
#[must_use]
pub fn replace(data_type: &DataType, new: &UserType) -> DataType {
    match data_type {
        DataType::UserDefined(user) if user.name == new.name => {
            let replaced = DataType::UserDefined(Box::new(new.clone()));
            match user.is_frozen {
                true => replaced.frozen(),
                false => replaced,
            }
        }
        other => other.map_inner(|inner| replace(inner, new)),
    }
}

/// The type with user types as the tuples of their fields, as dropped columns keep it: the user
/// type may be dropped afterwards.
#[must_use]
pub fn expand(data_type: &DataType) -> DataType {
    match data_type {
        DataType::Tuple(_) | DataType::UserDefined(_) => {
            DataType::tuple(data_type.inner().into_iter().map(expand).collect())
        }
        other => other.map_inner(expand),
    }
}

/// The user types of a keyspace, each after all those it is made of, otherwise by name.
#[must_use]
pub fn in_order_of_use(types: &UserTypes) -> Vec<Arc<UserType>> {
    let mut names = Vec::new();
    for (name, user) in types {
        for field in &user.fields {
            note_user_types(&field.data_type, &mut names);
        }
        note(name, &mut names);
    }
    let found = names.iter().filter_map(|name| types.get(name.as_str()));
    found.cloned().collect()
}

fn note_user_types(data_type: &DataType, names: &mut Vec<String>) {
    for inner in data_type.inner() {
        note_user_types(inner, names);
    }
    if let DataType::UserDefined(user) = data_type {
        note(&user.name, names);
    }
}

fn note(name: &str, names: &mut Vec<String>) {
    if !names.iter().any(|it| it == name) {
        names.push(name.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stoa_types::UserField;

    fn user(name: &str, fields: &[(&str, DataType)]) -> UserType {
        UserType {
            keyspace: "ks".to_owned(),
            name: name.to_owned(),
            fields: fields
                .iter()
                .map(|(name, data_type)| UserField {
                    name: (*name).to_owned(),
                    data_type: data_type.clone(),
                })
                .collect(),
            is_frozen: false,
        }
    }

    fn of(user: &UserType) -> DataType {
        DataType::UserDefined(Box::new(user.clone()))
    }

    #[test]
    fn a_type_comes_after_those_it_is_made_of() {
        let leaf = user("z", &[("a", DataType::Int)]);
        let root = user("a", &[("x", DataType::list(of(&leaf)).frozen())]);
        let other = user("m", &[("a", DataType::Int)]);
        let types: UserTypes = [&leaf, &root, &other]
            .into_iter()
            .map(|it| (Arc::from(it.name.as_str()), Arc::new(it.clone())))
            .collect();
        let names: Vec<_> = in_order_of_use(&types)
            .iter()
            .map(|it| it.name.clone())
            .collect();
        assert_eq!(names, ["z", "a", "m"]);
    }

    #[test]
    fn a_replaced_type_stays_as_frozen_as_it_was() {
        let old = user("u", &[("a", DataType::Int)]);
        let new = user(
            "u",
            &[("a", DataType::Int), ("b", DataType::list(DataType::Int))],
        );
        let list = DataType::list(of(&old).frozen());
        assert_eq!(replace(&list, &new), DataType::list(of(&new).frozen()));
        assert_eq!(replace(&of(&old), &new), of(&new));
        let outer = user("o", &[("u", of(&old).frozen())]);
        let expected = user("o", &[("u", of(&new).frozen())]);
        assert_eq!(replace(&of(&outer), &new), of(&expected));
        assert!(refers_to(&of(&outer), "u") && !refers_to(&of(&old), "o"));
    }

    #[test]
    fn dropped_columns_know_user_types_as_tuples() {
        let old = user(
            "u",
            &[("a", DataType::Int), ("b", DataType::list(DataType::Text))],
        );
        let expanded = expand(&DataType::set(of(&old).frozen()));
        assert_eq!(
            expanded.to_string(),
            "set<frozen<tuple<int, frozen<list<text>>>>>"
        );
    }
}
