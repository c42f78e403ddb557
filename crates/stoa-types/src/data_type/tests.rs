//! Names in both languages, and the properties of types.

use super::class_name::PACKAGE;
use super::*;

fn address(is_frozen: bool) -> DataType {
    let field = |name: &str, data_type| UserField {
        name: name.to_owned(),
        data_type,
    };
    DataType::UserDefined(Box::new(UserType {
        keyspace: "ks".to_owned(),
        name: "Address".to_owned(),
        fields: vec![
            field("street", DataType::Text),
            field("phones", DataType::list(DataType::Text).frozen()),
        ],
        is_frozen,
    }))
}

#[test]
fn cql_texts() {
    let list = DataType::list(DataType::Int);
    assert_eq!(list.to_string(), "list<int>");
    assert_eq!(list.clone().frozen().to_string(), "frozen<list<int>>");
    let map = DataType::map(DataType::Text, list.clone().frozen());
    assert_eq!(map.to_string(), "map<text, frozen<list<int>>>");
    assert_eq!(
        DataType::set(list.clone()).frozen().to_string(),
        "frozen<set<frozen<list<int>>>>"
    );
    let tuple = DataType::tuple(vec![DataType::Int, list]);
    assert_eq!(tuple.to_string(), "frozen<tuple<int, frozen<list<int>>>>");
    assert_eq!(
        DataType::vector(DataType::Float, 3).to_string(),
        "vector<float, 3>"
    );
    let of_lists = DataType::vector(DataType::list(DataType::Int), 2);
    assert_eq!(of_lists.to_string(), "vector<list<int>, 2>");
    assert_eq!(address(false).to_string(), "\"Address\"");
    assert_eq!(address(false).frozen().to_string(), "frozen<\"Address\">");
    assert_eq!(DataType::Custom("a.B".to_owned()).to_string(), "'a.B'");
}

#[test]
fn class_names() {
    let short = |data_type: DataType| data_type.class_name().replace(PACKAGE, "");
    assert_eq!(
        DataType::Int.class_name(),
        "org.apache.cassandra.db.marshal.Int32Type"
    );
    let list = DataType::list(DataType::Int);
    assert_eq!(short(list.clone()), "ListType(Int32Type)");
    assert_eq!(
        short(list.clone().frozen()),
        "FrozenType(ListType(Int32Type))"
    );
    let map = DataType::map(DataType::Text, list.clone().frozen());
    assert_eq!(
        short(map.clone()),
        "MapType(UTF8Type,FrozenType(ListType(Int32Type)))"
    );
    assert_eq!(
        short(map.frozen()),
        "FrozenType(MapType(UTF8Type,ListType(Int32Type)))"
    );
    let tuple = DataType::tuple(vec![DataType::Int, list]);
    assert_eq!(short(tuple), "TupleType(Int32Type,ListType(Int32Type))");
    assert_eq!(
        short(DataType::vector(DataType::Float, 3)),
        "VectorType(FloatType , 3)"
    );
    let fields = "737472656574:UTF8Type,70686f6e6573";
    assert_eq!(
        short(address(false)),
        format!("UserType(ks,41646472657373,{fields}:FrozenType(ListType(UTF8Type)))")
    );
    assert_eq!(
        short(address(true)),
        format!("FrozenType(UserType(ks,41646472657373,{fields}:ListType(UTF8Type)))")
    );
    let reversed = KeyColumn::descending(DataType::Int).class_name();
    assert_eq!(reversed.replace(PACKAGE, ""), "ReversedType(Int32Type)");
}

#[test]
fn native_names_are_read_back() {
    for native in DataType::NATIVE {
        let name = native.native_name().unwrap();
        assert_eq!(DataType::from_native_name(name), Some(native));
    }
    assert_eq!(DataType::from_native_name("varchar"), Some(DataType::Text));
    assert_eq!(DataType::from_native_name("nothing"), None);
}

#[test]
fn keys_take_whole_comparable_types_only() {
    assert!(DataType::Text.is_allowed_in_key());
    assert!(DataType::list(DataType::Int).frozen().is_allowed_in_key());
    assert!(!DataType::list(DataType::Int).is_allowed_in_key());
    assert!(!DataType::Counter.is_allowed_in_key());
    assert!(!DataType::tuple(vec![DataType::Duration]).is_allowed_in_key());
}

#[test]
fn lengths_and_depths() {
    assert_eq!(
        DataType::vector(DataType::Float, 3).fixed_length(),
        Some(12)
    );
    assert_eq!(DataType::vector(DataType::SmallInt, 3).fixed_length(), None);
    assert_eq!(DataType::Text.fixed_length(), None);
    assert_eq!(
        DataType::map(DataType::Int, DataType::set(DataType::Int)).depth(),
        3
    );
}

#[test]
fn nothing_is_frozen_in_the_type_that_answers_tell() {
    let stored = DataType::map(
        DataType::Int,
        DataType::tuple(vec![DataType::list(DataType::Text), DataType::Int]),
    )
    .frozen();
    let told = DataType::map(
        DataType::Int,
        DataType::Tuple(vec![DataType::list(DataType::Text), DataType::Int]),
    );
    assert_eq!(stored.without_frozen(), told);
}
