//! Types by the names of Cassandra's Java classes, as `CREATE TABLE t (k 'Int32Type' ...)` has them.
//!
//! ```text
//! name  := class [ '(' part ( ',' part )* ')' ]      part := name | number
//! ```
//! A class without a package is one of `org.apache.cassandra.db.marshal`. A class that we know but
//! that is no CQL type becomes a custom type, whose values are bytes.

use stoa_types::DataType;

use super::resolve::MAX_DEPTH;
use crate::refusal::{Refusal, RefusalKind};

const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

/// The type with this class name.
///
/// # Errors
/// A syntax error for what is no name of a type: so does Cassandra's parser.
pub fn parse(name: &str) -> Result<DataType, Refusal> {
    let mut parser = Parser {
        rest: name,
        depth: 0,
    };
    match parser.data_type() {
        Some(data_type) if parser.rest.trim().is_empty() => Ok(data_type),
        _ => Err(Refusal::new(
            RefusalKind::Syntax,
            format!("Error setting type {name}: Unable to find abstract-type class '{name}'"),
        )),
    }
}

struct Parser<'a> {
    rest: &'a str,
    depth: usize,
}

impl Parser<'_> {
    fn data_type(&mut self) -> Option<DataType> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let word = self.word();
        let class = word.strip_prefix(PACKAGE).unwrap_or(&word);
        let found = match class {
            "ListType" => self.one().map(DataType::list),
            "SetType" => self.one().map(DataType::set),
            "MapType" => {
                let mut parts = self.parts()?.into_iter();
                Some(DataType::map(parts.next()?, parts.next()?))
            }
            "TupleType" => self.parts().map(DataType::tuple),
            "FrozenType" => self.one().map(DataType::frozen),
            "ReversedType" => self.one(),
            "VectorType" => self.vector(),
            "CompositeType" => {
                let parts = self.parts()?;
                let parts: Vec<_> = parts.iter().map(DataType::class_name).collect();
                Some(DataType::Custom(format!(
                    "{PACKAGE}CompositeType({})",
                    parts.join(",")
                )))
            }
            "DynamicCompositeType" => self.dynamic_composite(),
            // What has no name at all is bytes, as in Cassandra.
            "" if self.rest.is_empty() => Some(DataType::Blob),
            _ => simple(class),
        };
        self.depth -= 1;
        found
    }

    fn word(&mut self) -> String {
        let rest = self.rest.trim_start();
        let ends = |letter: char| "(),".contains(letter) || letter.is_whitespace();
        let (word, rest) = match rest.find(ends) {
            Some(end) => rest.split_at_checked(end).unwrap_or((rest, "")),
            None => (rest, ""),
        };
        self.rest = rest;
        word.to_owned()
    }

    fn take(&mut self, letter: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(letter)?;
        Some(())
    }

    fn one(&mut self) -> Option<DataType> {
        let mut parts = self.parts()?.into_iter();
        let first = parts.next()?;
        parts.next().is_none().then_some(first)
    }

    fn parts(&mut self) -> Option<Vec<DataType>> {
        self.take('(')?;
        let mut parts = vec![self.data_type()?];
        while self.take(',').is_some() {
            parts.push(self.data_type()?);
        }
        self.take(')')?;
        Some(parts)
    }

    /// `DynamicCompositeType(a=>Int32Type, b=>UTF8Type)`: letters for simple types.
    fn dynamic_composite(&mut self) -> Option<DataType> {
        self.take('(')?;
        let mut parts = Vec::new();
        loop {
            let word = self.word();
            let (letter, class) = word.split_once("=>")?;
            let class = class.strip_prefix(PACKAGE).unwrap_or(class);
            let name = simple(class).filter(|_| letter.len() == 1)?.class_name();
            parts.push(format!("{letter}=>{name}"));
            if self.take(',').is_none() {
                break;
            }
        }
        self.take(')')?;
        let parts = parts.join(",");
        Some(DataType::Custom(format!(
            "{PACKAGE}DynamicCompositeType({parts})"
        )))
    }

    fn vector(&mut self) -> Option<DataType> {
        self.take('(')?;
        let element = self.data_type()?;
        self.take(',')?;
        let dimension = self.word().parse().ok().filter(|it| *it > 0)?;
        self.take(')')?;
        Some(DataType::vector(element, dimension))
    }
}

fn simple(class: &str) -> Option<DataType> {
    Some(match class {
        "AsciiType" => DataType::Ascii,
        "LongType" => DataType::BigInt,
        "BytesType" => DataType::Blob,
        "BooleanType" => DataType::Boolean,
        "CounterColumnType" => DataType::Counter,
        "SimpleDateType" => DataType::Date,
        "DecimalType" => DataType::Decimal,
        "DoubleType" => DataType::Double,
        "DurationType" => DataType::Duration,
        "EmptyType" => DataType::Empty,
        "FloatType" => DataType::Float,
        "InetAddressType" => DataType::Inet,
        "Int32Type" => DataType::Int,
        "ShortType" => DataType::SmallInt,
        "UTF8Type" => DataType::Text,
        "TimeType" => DataType::Time,
        "DateType" | "TimestampType" => DataType::Timestamp,
        "TimeUUIDType" => DataType::TimeUuid,
        "ByteType" => DataType::TinyInt,
        "UUIDType" => DataType::Uuid,
        "IntegerType" => DataType::VarInt,
        "LegacyTimeUUIDType" | "LexicalUUIDType" | "PartitionerDefinedOrder" => {
            DataType::Custom(format!("{PACKAGE}{class}"))
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_name_is_read_back() {
        let list = DataType::list(DataType::Int);
        let mut types = vec![
            list.clone(),
            list.clone().frozen(),
            DataType::map(DataType::Text, list.clone().frozen()),
            DataType::tuple(vec![DataType::Int, list]),
            DataType::vector(DataType::Float, 3),
        ];
        types.extend(DataType::NATIVE);
        for data_type in types {
            let name = data_type.class_name();
            assert_eq!(parse(&name).as_ref(), Ok(&data_type), "{name}");
        }
        assert_eq!(parse("UTF8Type"), Ok(DataType::Text));
        assert_eq!(parse(""), Ok(DataType::Blob));
        let dynamic = parse("DynamicCompositeType(a=>Int32Type)").unwrap();
        assert_eq!(
            dynamic.to_string(),
            format!("'{PACKAGE}DynamicCompositeType(a=>{PACKAGE}Int32Type)'")
        );
        let composite = parse("CompositeType(Int32Type, UTF8Type)").unwrap();
        assert_eq!(
            composite.to_string(),
            format!("'{PACKAGE}CompositeType({PACKAGE}Int32Type,{PACKAGE}UTF8Type)'")
        );
    }

    #[test]
    fn what_is_no_class_is_a_syntax_error() {
        let deep = "ListType(".repeat(1000);
        for name in [
            "(",
            "NoSuchType",
            "ListType",
            "ListType(Int32Type",
            "MapType(Int32Type)",
            "Int32Type)",
            &deep,
        ] {
            assert_eq!(
                parse(name).map_err(|it| it.kind),
                Err(RefusalKind::Syntax),
                "{name}"
            );
        }
    }
}
