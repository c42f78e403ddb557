//! Structs as rows, as values and as user-defined types.

use stoa_session::bind::BindError;
use stoa_session::rows::RowError;
use stoa_session::{BoundValues, Column, DataType, FromCql, FromRow, Rows, ToCql, ToValues};
use stoa_types::{UserField, UserType};

#[derive(Debug, PartialEq, FromRow, ToValues)]
struct Policy {
    id: i32,
    #[cql(rename = "Title")]
    title: String,
}

#[derive(Debug, PartialEq, FromRow)]
struct Borrowed<'a> {
    #[cql(rename = "Title")]
    title: &'a str,
    #[cql(default)]
    votes: i64,
    #[cql(default)]
    id: i32,
}

#[derive(Debug, PartialEq, FromCql, ToCql)]
struct Address {
    street: String,
    number: Option<i32>,
}

fn policy_columns() -> [Column; 2] {
    [
        Column::new("Title", DataType::Text),
        Column::new("id", DataType::Int),
    ]
}

fn one_row(columns: &[Column], cells: &[Option<&[u8]>]) -> Rows {
    let mut rows = Rows::with_columns(columns.to_vec().into());
    rows.push(cells.iter().copied()).unwrap();
    rows
}

#[test]
fn fields_find_their_columns_by_name_in_any_order() {
    let rows = one_row(&policy_columns(), &[Some(b"Trees"), Some(&[0, 0, 0, 9])]);
    let read: Vec<Policy> = rows.typed().unwrap().map(Result::unwrap).collect();
    let title = "Trees".to_owned();
    assert_eq!(read, [Policy { id: 9, title }]);
}

#[test]
fn texts_can_be_borrowed_and_missing_columns_have_defaults() {
    let rows = one_row(&policy_columns(), &[Some(b"Trees"), None]);
    let mut read = rows.typed::<Borrowed<'_>>().unwrap();
    let expected = Borrowed {
        title: "Trees",
        votes: 0,
        id: 0,
    };
    assert_eq!(read.next(), Some(Ok(expected)));
    assert_eq!(read.next(), None);
}

#[test]
fn a_missing_column_or_another_type_is_named_before_a_row_is_read() {
    let columns = [Column::new("Title", DataType::Text)];
    let missing = Rows::with_columns(columns.into())
        .typed::<Policy>()
        .map(drop);
    assert_eq!(missing, Err(RowError::NoColumn("id".to_owned())));
    let columns = [
        Column::new("Title", DataType::Text),
        Column::new("id", DataType::BigInt),
    ];
    let wrong = Rows::with_columns(columns.into())
        .typed::<Policy>()
        .map(drop);
    assert_eq!(
        wrong.unwrap_err().to_string(),
        "cannot read the column \"id\": i32 and bigint do not fit"
    );
}

#[test]
fn a_null_is_refused_by_a_field_that_cannot_hold_it() {
    let rows = one_row(&policy_columns(), &[Some(b"Trees"), None]);
    let read = rows.typed::<Policy>().unwrap().next().unwrap();
    assert_eq!(
        read.unwrap_err().to_string(),
        "cannot read the column \"id\": the value is null; read it as an Option"
    );
}

#[test]
fn fields_are_bound_by_name_and_none_is_left_over() {
    let policy = Policy {
        id: 9,
        title: "Trees".to_owned(),
    };
    let mut values = BoundValues::default();
    policy.write_values(&policy_columns(), &mut values).unwrap();
    let rows = one_row(&policy_columns(), &[Some(b"Trees"), Some(&[0, 0, 0, 9])]);
    assert_eq!(values.as_bytes(), rows.as_bytes());

    let refused = |variables: &[Column]| {
        policy
            .write_values(variables, &mut BoundValues::default())
            .unwrap_err()
    };
    let [title, id] = policy_columns();
    assert_eq!(
        refused(std::slice::from_ref(&id)),
        BindError::NoVariable("Title".to_owned())
    );
    let colour = Column::new("colour", DataType::Text);
    assert_eq!(
        refused(&[title, id, colour]),
        BindError::NoField("colour".to_owned())
    );
}

fn address_type() -> DataType {
    let field = |name: &str, data_type| UserField {
        name: name.to_owned(),
        data_type,
    };
    DataType::UserDefined(Box::new(UserType {
        keyspace: "k".to_owned(),
        name: "address".to_owned(),
        fields: vec![
            field("number", DataType::Int),
            field("street", DataType::Text),
        ],
        is_frozen: false,
    }))
}

#[test]
fn a_struct_is_a_user_defined_type() {
    let address = Address {
        street: "Agora".to_owned(),
        number: Some(3),
    };
    let data_type = DataType::list(address_type());
    let mut bytes = Vec::new();
    vec![&address].write_cql(&data_type, &mut bytes).unwrap();
    <Vec<Address>>::check(&data_type).unwrap();
    assert_eq!(
        <Vec<Address>>::from_bytes(&data_type, &bytes),
        Ok(vec![address])
    );
}

#[test]
fn fields_that_were_added_later_are_null_in_old_values() {
    let only_number = [0, 0, 0, 4, 0, 0, 0, 3];
    let read = Address::from_bytes(&address_type(), &only_number);
    assert_eq!(
        read.unwrap_err().to_string(),
        "in field \"street\": the value is null; read it as an Option"
    );
}
