//! A type as it is written, resolved: user types looked up, freezing spread, nesting checked.
//!
//! The rules are those of Cassandra's `CQL3Type.Raw`:
//! 1. Inside a collection that is not frozen, collections and user types must be.
//! 2. `frozen<...>` freezes everything inside but what is in a vector; a tuple freezes its fields.
//! 3. Counters stand in no collection and no tuple, durations neither in a set nor as keys of a
//!    map. Only what stands there directly counts: a set of user types with durations is fine.
//! 4. User types come from the keyspace of the statement.

use std::collections::BTreeMap;
use std::sync::Arc;

use stoa_cql::ast::{CqlType, NativeType, QualifiedName};
use stoa_types::{DataType, UserType};

use super::class_name;
use crate::refusal::Refusal;

/// The user types of a keyspace by name.
pub type UserTypes = BTreeMap<Arc<str>, Arc<UserType>>;

/// How deep types may be nested. Cassandra has no limit, but its parser gives up at some depth;
/// ours keeps every walk over a value shallow.
pub const MAX_DEPTH: usize = 64;

/// The type that is written, for a statement on `keyspace` that knows these user types.
///
/// # Errors
/// An unknown type, or one that is nested as types must not be.
pub fn resolve_type(
    written: &CqlType,
    keyspace: &str,
    types: &UserTypes,
) -> Result<DataType, Refusal> {
    let resolved = Resolver { keyspace, types }.resolve(written, Freezing::AsWritten)?;
    match resolved.depth() > MAX_DEPTH {
        true => Err(Refusal::invalid(format!(
            "Types cannot be nested more than {MAX_DEPTH} deep"
        ))),
        false => Ok(resolved),
    }
}

/// Whether a type is a counter as it is written.
#[must_use]
pub fn is_counter(written: &CqlType) -> bool {
    matches!(written, CqlType::Native(NativeType::Counter))
}

/// Whether a type is a user type that is not frozen.
#[must_use]
pub fn is_thawed_user_type(written: &CqlType) -> bool {
    matches!(written, CqlType::UserType(_))
}

struct Resolver<'a> {
    keyspace: &'a str,
    types: &'a UserTypes,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freezing {
    AsWritten,
    Frozen,
}

impl Resolver<'_> {
    fn resolve(&self, written: &CqlType, freezing: Freezing) -> Result<DataType, Refusal> {
        let resolved = match written {
            CqlType::Native(native) => native.data_type(),
            CqlType::Custom(class) => class_name::parse(class)?,
            CqlType::Frozen(inner) => return self.resolve(inner, Freezing::Frozen),
            CqlType::List(element) => DataType::list(self.element(written, element, freezing)?),
            CqlType::Set(element) => {
                if matches!(&**element, CqlType::Native(NativeType::Duration)) {
                    return Err(Refusal::invalid(format!(
                        "Durations are not allowed inside sets: {}",
                        Shown(written, freezing)
                    )));
                }
                DataType::set(self.element(written, element, freezing)?)
            }
            CqlType::Map(key, value) => {
                if matches!(&**key, CqlType::Native(NativeType::Duration)) {
                    return Err(Refusal::invalid(format!(
                        "Durations are not allowed as map keys: {}",
                        Shown(written, freezing)
                    )));
                }
                DataType::map(
                    self.element(written, key, freezing)?,
                    self.element(written, value, freezing)?,
                )
            }
            CqlType::Tuple(fields) => {
                if fields.iter().any(is_counter) {
                    return Err(Refusal::invalid("Counters are not allowed inside tuples"));
                }
                let fields = fields.iter().map(|it| self.resolve(it, Freezing::Frozen));
                DataType::tuple(fields.collect::<Result<_, _>>()?)
            }
            CqlType::Vector(element, dimension) => {
                let element = self.resolve(element, Freezing::AsWritten)?;
                match u32::try_from(*dimension) {
                    Ok(dimension) if dimension > 0 => DataType::vector(element, dimension),
                    _ => {
                        return Err(Refusal::invalid(format!(
                            "vectors may only have positive dimensions; given {dimension}"
                        )));
                    }
                }
            }
            CqlType::UserType(name) => self.user_type(name)?,
        };
        Ok(match freezing {
            Freezing::Frozen => resolved.frozen(),
            Freezing::AsWritten => resolved,
        })
    }

    /// The type of an element of a collection, or of a key or value of a map.
    fn element(
        &self,
        collection: &CqlType,
        element: &CqlType,
        freezing: Freezing,
    ) -> Result<DataType, Refusal> {
        let is_thawed = freezing == Freezing::AsWritten;
        let problem = match element {
            CqlType::Native(NativeType::Counter) => "Counters are not allowed inside collections",
            CqlType::UserType(_) if is_thawed => {
                "Non-frozen UDTs are not allowed inside collections"
            }
            CqlType::List(_) | CqlType::Set(_) | CqlType::Map(..) if is_thawed => {
                "Non-frozen collections are not allowed inside collections"
            }
            _ => return self.resolve(element, freezing),
        };
        Err(Refusal::invalid(format!(
            "{problem}: {}",
            Shown(collection, freezing)
        )))
    }

    fn user_type(&self, name: &QualifiedName) -> Result<DataType, Refusal> {
        let keyspace = self.keyspace;
        if let Some(other) = name.keyspace.as_ref().filter(|it| it.as_str() != keyspace) {
            return Err(Refusal::invalid(format!(
                "Statement on keyspace {keyspace} cannot refer to a user type in keyspace {}; user \
                 types can only be used in the keyspace they are defined in",
                other.as_str()
            )));
        }
        match self.types.get(name.name.as_str()) {
            Some(found) => Ok(DataType::UserDefined(Box::new(UserType::clone(found)))),
            None => Err(Refusal::invalid(format!(
                "Unknown type {keyspace}.{}",
                name.name.as_str()
            ))),
        }
    }
}

/// A type as messages show it.
struct Shown<'a>(&'a CqlType, Freezing);

impl std::fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.1 == Freezing::Frozen {
            return write!(f, "frozen<{}>", Shown(self.0, Freezing::AsWritten));
        }
        let inner = |inner| Shown(inner, Freezing::AsWritten);
        match self.0 {
            CqlType::Native(native) => f.write_str(native.name()),
            CqlType::Custom(class) => write!(f, "'{class}'"),
            CqlType::List(element) => write!(f, "list<{}>", inner(element)),
            CqlType::Set(element) => write!(f, "set<{}>", inner(element)),
            CqlType::Map(key, value) => write!(f, "map<{}, {}>", inner(key), inner(value)),
            CqlType::Vector(element, dimension) => {
                write!(f, "vector<{}, {dimension}>", inner(element))
            }
            CqlType::Frozen(frozen) => write!(f, "frozen<{}>", inner(frozen)),
            CqlType::Tuple(fields) => {
                let fields: Vec<_> = fields.iter().map(|it| inner(it).to_string()).collect();
                write!(f, "tuple<{}>", fields.join(", "))
            }
            CqlType::UserType(name) => f.write_str(name.name.as_str()),
        }
    }
}

/// A type as messages show it.
#[must_use]
pub fn shown(written: &CqlType) -> String {
    Shown(written, Freezing::AsWritten).to_string()
}
