//! `CREATE TYPE` of a type that is there.

use stoa_types::UserType;
use stoa_types::text::identifier::quoted;

use super::Element;
use super::text::qualified;

pub(super) fn element(user: &UserType) -> Element {
    let fields = user.fields.iter();
    let fields: Vec<_> = fields
        .map(|field| format!("    {} {}", quoted(&field.name), field.data_type))
        .collect();
    Element {
        keyspace: user.keyspace.clone(),
        kind: "type",
        name: user.name.clone(),
        statement: format!(
            "CREATE TYPE {} (\n{}\n);",
            qualified(&user.keyspace, &user.name),
            fields.join(",\n")
        ),
    }
}
