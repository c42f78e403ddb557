//! Which Java classes are types.

/// The classes of `org.apache.cassandra.db.marshal` that are types on their own, too.
const SIMPLE: [&str; 27] = [
    "AsciiType",
    "BooleanType",
    "ByteType",
    "BytesType",
    "CompositeType",
    "CounterColumnType",
    "DateType",
    "DecimalType",
    "DoubleType",
    "DurationType",
    "DynamicCompositeType",
    "EmptyType",
    "FloatType",
    "InetAddressType",
    "Int32Type",
    "IntegerType",
    "LegacyTimeUUIDType",
    "LexicalUUIDType",
    "LongType",
    "ShortType",
    "SimpleDateType",
    "TimeType",
    "TimeUUIDType",
    "TimestampType",
    "TupleType",
    "UTF8Type",
    "UUIDType",
];

/// Those that are types only with parameters in parentheses.
const PARAMETRIC: [&str; 7] = [
    "FrozenType",
    "ListType",
    "MapType",
    "ReversedType",
    "SetType",
    "UserType",
    "VectorType",
];

const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

/// How deep parameters may nest; more is refused.
const DEEPEST: usize = 100;

/// Checks that a text begins with a type that Cassandra has, as `TypeParser.java` reads it: what
/// follows it is not looked at, and no name at all means bytes.
pub(super) fn check(class: &str) -> Result<(), String> {
    read_type(class, DEEPEST).map(|_rest| ())
}

/// Reads a type; gives back what follows it.
fn read_type(text: &str, depth: usize) -> Result<&str, String> {
    let text = text.trim_start();
    let is_inner =
        |character: char| character.is_ascii_alphanumeric() || "-+._&".contains(character);
    let end = text
        .find(|character| !is_inner(character))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    if name.is_empty() {
        return Ok(rest);
    }
    let short = match name.strip_prefix(PACKAGE) {
        None if name.contains('.') => "",
        None => name,
        Some(short) => short,
    };
    if SIMPLE.contains(&short) {
        return Ok(after_parameters(rest));
    }
    if !PARAMETRIC.contains(&short) {
        let package = if name.contains('.') { "" } else { PACKAGE };
        return Err(format!(
            "Unable to find abstract-type class '{package}{name}'"
        ));
    }
    let invalid = || format!("Invalid definition for comparator {PACKAGE}{short}.");
    let parameters = rest.trim_start().strip_prefix('(').ok_or_else(invalid)?;
    if short == "UserType" || depth == 0 {
        return match after_parameters(rest) {
            after if after.len() < rest.len() && depth > 0 => Ok(after),
            _ => Err(invalid()),
        };
    }
    if parameters.trim_start().starts_with(')') {
        return Err(invalid());
    }
    let first = read_type(parameters, depth - 1).map_err(|_inner| invalid())?;
    let second = match first.trim_start().strip_prefix(',') {
        None => first,
        Some(second) if short == "VectorType" => second
            .trim_start_matches(|character: char| character.is_ascii_digit() || character == ' '),
        Some(second) => read_type(second, depth - 1).map_err(|_inner| invalid())?,
    };
    second.trim_start().strip_prefix(')').ok_or_else(invalid)
}

/// What follows parentheses that open here; everything, if none do.
fn after_parameters(text: &str) -> &str {
    let mut depth = 0_usize;
    if !text.trim_start().starts_with('(') {
        return text;
    }
    for (index, character) in text.trim_start().char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.trim_start().get(index + 1..).unwrap_or("");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_found_with_and_without_their_package() {
        for class in [
            "Int32Type",
            "org.apache.cassandra.db.marshal.UTF8Type",
            "MapType(Int32Type, UTF8Type)",
            "ListType(SetType(org.apache.cassandra.db.marshal.LongType))) and more",
            "VectorType(FloatType , 3)",
            "UserType(ks,61,62:Int32Type)",
            "[5]",
            "DynamicCompositeType(a => BytesType)",
            "",
        ] {
            assert_eq!(check(class), Ok(()), "{class}");
        }
        for class in [
            "int",
            "NoSuchType",
            "MapType",
            "java.lang.String",
            "ListType(",
            "ListType(Nope)",
            "FrozenType()",
            "UserType",
        ] {
            assert!(check(class).is_err(), "{class}");
        }
        let deep = "ListType(".repeat(100_000);
        assert!(check(&deep).is_err());
    }
}
