//! Types of columns, drawn at random.

use crate::rng::Rng;

/// A CQL type, as far as values of it can be made up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// A native type, by name.
    Native(&'static str),
    /// A list.
    List(Box<Type>),
    /// A set.
    Set(Box<Type>),
    /// A map.
    Map(Box<Type>, Box<Type>),
    /// A tuple.
    Tuple(Vec<Type>),
    /// A user-defined type.
    User(UserType),
    /// A vector and its dimension.
    Vector(Box<Type>, usize),
    /// Another type, written as a whole.
    Frozen(Box<Type>),
}

/// A user-defined type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserType {
    /// Its name.
    pub name: String,
    /// Names and types of its fields.
    pub fields: Vec<(String, Type)>,
}

/// Every native type that a column of a plain table may have.
const NATIVE: [&str; 20] = [
    "ascii",
    "bigint",
    "blob",
    "boolean",
    "date",
    "decimal",
    "double",
    "duration",
    "float",
    "inet",
    "int",
    "smallint",
    "text",
    "time",
    "timestamp",
    "timeuuid",
    "tinyint",
    "uuid",
    "varint",
    "int",
];

/// Native types whose values can be added up.
const NUMBERS: [&str; 8] = [
    "bigint", "decimal", "double", "float", "int", "smallint", "tinyint", "varint",
];

/// The one native type without an order.
const DURATION: &str = "duration";

impl Type {
    /// The type as CQL writes it.
    #[must_use]
    pub fn cql(&self) -> String {
        match self {
            Self::Native(name) => (*name).to_owned(),
            Self::List(element) => format!("list<{}>", element.cql()),
            Self::Set(element) => format!("set<{}>", element.cql()),
            Self::Map(key, value) => format!("map<{}, {}>", key.cql(), value.cql()),
            Self::Tuple(fields) => {
                let fields: Vec<String> = fields.iter().map(Self::cql).collect();
                format!("tuple<{}>", fields.join(", "))
            }
            Self::User(user) => user.name.clone(),
            Self::Vector(element, dimension) => format!("vector<{}, {dimension}>", element.cql()),
            Self::Frozen(inner) => format!("frozen<{}>", inner.cql()),
        }
    }

    /// The type without `frozen`.
    #[must_use]
    pub fn bare(&self) -> &Self {
        match self {
            Self::Frozen(inner) => inner.bare(),
            other => other,
        }
    }

    /// Whether its elements or fields are cells of their own.
    #[must_use]
    pub fn is_multi_cell(&self) -> bool {
        matches!(
            self,
            Self::List(_) | Self::Set(_) | Self::Map(..) | Self::User(_)
        )
    }

    /// Whether it is a list, set or map.
    #[must_use]
    pub fn is_collection(&self) -> bool {
        matches!(self.bare(), Self::List(_) | Self::Set(_) | Self::Map(..))
    }

    /// Whether values of it can be added up.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Native(name) if NUMBERS.contains(name))
    }

    /// Whether it is the native type of this name.
    #[must_use]
    pub fn is(&self, native: &str) -> bool {
        matches!(self, Self::Native(name) if *name == native)
    }

    /// Whether it is a set or a map, or has one inside.
    pub(super) fn has_sets(&self) -> bool {
        match self {
            Self::Native(_) => false,
            Self::Set(_) | Self::Map(..) => true,
            Self::List(inner) | Self::Vector(inner, _) | Self::Frozen(inner) => inner.has_sets(),
            Self::Tuple(fields) => fields.iter().any(Self::has_sets),
            Self::User(user) => user.fields.iter().any(|(_, field)| field.has_sets()),
        }
    }

    /// Any type of a column that is no key.
    pub(super) fn of_column(rng: &mut Rng, users: &[UserType]) -> Self {
        let drawn = match rng.below(100) {
            0..60 => return Self::native(rng, Order::Any),
            60..90 => Self::compound(rng, users, Order::Any),
            _ => return Self::compound(rng, users, Order::Any).frozen(),
        };
        match rng.chance(75) {
            true => drawn,
            false => drawn.frozen(),
        }
    }

    /// Any type of a column of a key.
    pub(super) fn of_key(rng: &mut Rng, users: &[UserType]) -> Self {
        match rng.chance(88) {
            true => Self::native(rng, Order::Ordered),
            false => Self::compound(rng, users, Order::Ordered).frozen(),
        }
    }

    /// A type inside of another.
    pub(super) fn inner(rng: &mut Rng, users: &[UserType], order: Order) -> Self {
        match rng.chance(85) {
            true => Self::native(rng, order),
            false => Self::compound(rng, users, order).frozen(),
        }
    }

    fn native(rng: &mut Rng, order: Order) -> Self {
        loop {
            let name = rng.pick(&NATIVE).copied().unwrap_or("int");
            if order == Order::Any || name != DURATION {
                return Self::Native(name);
            }
        }
    }

    fn compound(rng: &mut Rng, users: &[UserType], order: Order) -> Self {
        let one = |rng: &mut Rng, order| Box::new(Self::inner(rng, users, order));
        match rng.below(10) {
            0..2 => Self::List(one(rng, order)),
            2..4 => Self::Set(one(rng, Order::Ordered)),
            4..6 => {
                let key = one(rng, Order::Ordered);
                Self::Map(key, one(rng, order))
            }
            6 => {
                let count = 1 + rng.index(3);
                let fields = (0..count).map(|_| Self::inner(rng, users, order));
                Self::Tuple(fields.collect())
            }
            7 => {
                let element = match rng.chance(50) {
                    true => Self::Native("float"),
                    false => Self::native(rng, Order::Ordered),
                };
                Self::Vector(Box::new(element), 1 + rng.index(3))
            }
            _ => match rng.pick(users).filter(|user| user.fits(order)) {
                Some(user) => Self::User(user.clone()),
                None => Self::Set(one(rng, Order::Ordered)),
            },
        }
    }

    pub(super) fn frozen(self) -> Self {
        match self {
            Self::Native(_) | Self::Vector(..) | Self::Tuple(_) | Self::Frozen(_) => self,
            other => Self::Frozen(Box::new(other)),
        }
    }

    fn is_ordered(&self) -> bool {
        match self {
            Self::Native(name) => *name != DURATION,
            Self::List(element) | Self::Set(element) | Self::Vector(element, _) => {
                element.is_ordered()
            }
            Self::Map(key, value) => key.is_ordered() && value.is_ordered(),
            Self::Tuple(fields) => fields.iter().all(Self::is_ordered),
            Self::User(user) => user.fits(Order::Ordered),
            Self::Frozen(inner) => inner.is_ordered(),
        }
    }
}

/// Whether the values must have an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Any,
    Ordered,
}

impl UserType {
    fn fits(&self, order: Order) -> bool {
        order == Order::Any || self.fields.iter().all(|(_, field)| field.is_ordered())
    }

    /// A new type with this name, which may use the others.
    pub(super) fn draw(rng: &mut Rng, name: String, others: &[Self]) -> Self {
        let count = 1 + rng.index(3);
        let field = |number: usize| (format!("f{number}"), Type::inner(rng, others, Order::Any));
        Self {
            name,
            fields: (0..count).map(field).collect(),
        }
    }

    /// The statement that makes it.
    #[must_use]
    pub fn create(&self) -> String {
        let fields = self.fields.iter();
        let fields: Vec<String> = fields
            .map(|(name, field)| format!("{name} {}", field.cql()))
            .collect();
        format!("CREATE TYPE {} ({})", self.name, fields.join(", "))
    }
}
