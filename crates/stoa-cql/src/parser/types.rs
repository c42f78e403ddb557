//! Types.

use super::Parser;
use super::class_name;
use super::failure::Parsed;
use crate::ast::{CqlType, Name, NativeType, QualifiedName};
use crate::keyword::{Freedom, Keyword};
use crate::lexer::TokenKind;

/// Names that Cassandra keeps for types it may have one day; only in lower case and without
/// quotes.
const KEPT_TYPE_NAMES: [&str; 7] = [
    "byte",
    "complex",
    "enum",
    "date",
    "interval",
    "macaddr",
    "bitstring",
];

impl Parser<'_> {
    pub(super) fn cql_type(&mut self) -> Parsed<CqlType> {
        if matches!(self.peek(), TokenKind::String | TokenKind::DollarString) {
            return self.custom_type();
        }
        let TokenKind::Keyword(keyword) = self.peek() else {
            return Ok(CqlType::UserType(self.type_name()?));
        };
        // A keyword before a dot is a keyspace, even that of a type.
        if self.peek_at(1) == TokenKind::Dot {
            return Ok(CqlType::UserType(self.type_name()?));
        }
        if let Some(native) = native_type(keyword) {
            self.advance();
            return Ok(CqlType::Native(native));
        }
        let is_parametric = keyword == Keyword::Set || self.peek_at(1) == TokenKind::Less;
        match keyword {
            Keyword::List
            | Keyword::Set
            | Keyword::Map
            | Keyword::Tuple
            | Keyword::Vector
            | Keyword::Frozen
                if is_parametric =>
            {
                self.advance();
                self.expect(TokenKind::Less)?;
                let cql_type = self.nested(|parser| parser.parametric_type(keyword))?;
                self.expect(TokenKind::Greater)?;
                match cql_type {
                    CqlType::Frozen(inner) => self.frozen(inner),
                    other => Ok(other),
                }
            }
            _ => Ok(CqlType::UserType(self.type_name()?)),
        }
    }

    /// What stands between the angle brackets.
    fn parametric_type(&mut self, keyword: Keyword) -> Parsed<CqlType> {
        if keyword == Keyword::Tuple {
            return self.list(Self::cql_type).map(CqlType::Tuple);
        }
        let first = Box::new(self.cql_type()?);
        Ok(match keyword {
            Keyword::Set => CqlType::Set(first),
            Keyword::Map => {
                self.expect(TokenKind::Comma)?;
                CqlType::Map(first, Box::new(self.cql_type()?))
            }
            Keyword::Vector => {
                self.expect(TokenKind::Comma)?;
                CqlType::Vector(first, self.dimension()?)
            }
            Keyword::Frozen => CqlType::Frozen(first),
            _ => CqlType::List(first),
        })
    }

    fn dimension(&mut self) -> Parsed<i32> {
        let text = self.token_text();
        self.expect(TokenKind::Integer)?;
        if let Ok(dimension) = text.parse() {
            return Ok(dimension);
        }
        self.refuse_unless_abandoned(format!("a vector's dimension cannot be {text}"))?;
        Ok(0)
    }

    /// Native and custom types are always whole; Cassandra does not let one say so.
    fn frozen(&mut self, inner: Box<CqlType>) -> Parsed<CqlType> {
        if matches!(*inner, CqlType::Native(_) | CqlType::Custom(_)) {
            self.refuse_unless_abandoned(format!(
                "frozen<> is only allowed on collections, tuples, and user-defined types \
                 (got {inner})"
            ))?;
        }
        Ok(CqlType::Frozen(inner))
    }

    fn custom_type(&mut self) -> Parsed<CqlType> {
        let class = self.string_literal()?;
        if let Err(reason) = class_name::check(&class) {
            self.refuse_unless_abandoned(format!("Error setting type {class}: {reason}"))?;
        }
        Ok(CqlType::Custom(class.into()))
    }

    pub(super) fn native_type(&mut self) -> Parsed<NativeType> {
        let native = match self.peek() {
            TokenKind::Keyword(keyword) => native_type(keyword),
            _ => None,
        };
        match native {
            Some(native) => {
                self.advance();
                Ok(native)
            }
            None => self.unexpected(),
        }
    }

    /// The name of a user-defined type.
    pub(super) fn type_name(&mut self) -> Parsed<QualifiedName> {
        // What is a name but not of a type can only be a keyspace here.
        let keyspace = if self.peek_at(1) == TokenKind::Dot || self.is_name_but_no_type() {
            let keyspace = self.name()?;
            self.expect(TokenKind::Dot)?;
            Some(keyspace)
        } else {
            None
        };
        let name = self.bare_type_name()?;
        Ok(QualifiedName { keyspace, name })
    }

    fn is_name_but_no_type(&self) -> bool {
        match self.peek() {
            TokenKind::Keyword(Keyword::Key) => false,
            TokenKind::Keyword(keyword) => {
                matches!(keyword.freedom(), Freedom::Name | Freedom::NativeType)
            }
            _ => false,
        }
    }

    fn bare_type_name(&mut self) -> Parsed<Name> {
        if self.is_name_but_no_type() {
            return self.unexpected();
        }
        let text = self.token_text();
        let is_bare_word = self.at(TokenKind::Identifier);
        let name = self.name()?;
        if is_bare_word && is_kept_type_name(text) {
            self.refuse_unless_abandoned(format!("Invalid (reserved) user type name {text}"))?;
        }
        Ok(name)
    }
}

/// The native type that a keyword is.
fn native_type(keyword: Keyword) -> Option<NativeType> {
    Some(match keyword {
        Keyword::Ascii => NativeType::Ascii,
        Keyword::BigInt => NativeType::BigInt,
        Keyword::Blob => NativeType::Blob,
        Keyword::Boolean => NativeType::Boolean,
        Keyword::Counter => NativeType::Counter,
        Keyword::Date => NativeType::Date,
        Keyword::Decimal => NativeType::Decimal,
        Keyword::Double => NativeType::Double,
        Keyword::Duration => NativeType::Duration,
        Keyword::Float => NativeType::Float,
        Keyword::Inet => NativeType::Inet,
        Keyword::Int => NativeType::Int,
        Keyword::SmallInt => NativeType::SmallInt,
        Keyword::Text => NativeType::Text,
        Keyword::Time => NativeType::Time,
        Keyword::Timestamp => NativeType::Timestamp,
        Keyword::TimeUuid => NativeType::TimeUuid,
        Keyword::TinyInt => NativeType::TinyInt,
        Keyword::Uuid => NativeType::Uuid,
        Keyword::VarChar => NativeType::VarChar,
        Keyword::VarInt => NativeType::VarInt,
        _ => return None,
    })
}

/// Whether Cassandra keeps a name for a type it may have one day.
pub(crate) fn is_kept_type_name(name: &str) -> bool {
    KEPT_TYPE_NAMES.contains(&name)
}
