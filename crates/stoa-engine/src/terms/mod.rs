//! Terms: what stands where a value is expected, typed and ready to give the value.
//!
//! A term of the tree has no type of its own: what it is for, its *receiver*, decides what it means.
//! [`prepare()`] turns it into a [`Term`] that gives native bytes. All that can be computed once is
//! computed then.
//!
//! Invariants:
//! 1. What a term gives is valid for the type of its receiver; sets and maps come sorted and
//!    without doubles.

mod assign;
mod bound;
mod evaluate;
mod prepare;
mod variables;

pub(crate) use assign::{assignability, literal_fits, own_type};
pub(crate) use bound::{sorted_map, sorted_set};
pub(crate) use evaluate::{Given, Values};
pub(crate) use prepare::{check_digits, known_cast, prepare};
pub(crate) use variables::Variables;

use stoa_cql::ast::{ArithmeticOperator, CqlType, Name, QualifiedName};
use stoa_types::DataType;

use crate::catalog::{Schema, Table, UserTypes, resolve_type};
use crate::functions::arithmetic::Operator;
use crate::functions::{Environment, ScalarFunction};
use crate::refusal::Refusal;

/// What is known while a statement is prepared.
#[derive(Clone, Copy)]
pub(crate) struct Context<'s> {
    pub(crate) schema: &'s Schema,
    /// The keyspace in which names of types and functions are looked up.
    pub(crate) keyspace: &'s str,
    /// The table that `token` is about.
    pub(crate) table: Option<&'s Table>,
    pub(crate) environment: Environment<'s>,
}

impl Context<'_> {
    /// The type that is written, in the keyspace of the statement.
    pub(crate) fn resolve_type(&self, written: &CqlType) -> Result<DataType, Refusal> {
        match self.schema.keyspace(self.keyspace) {
            Some(keyspace) => resolve_type(written, self.keyspace, &keyspace.types),
            None => resolve_type(written, self.keyspace, &UserTypes::new()),
        }
    }

    /// The type as it is written, but names of user-defined types tell their keyspace.
    pub(crate) fn qualified_type(&self, written: &CqlType) -> CqlType {
        let of = |inner: &CqlType| Box::new(self.qualified_type(inner));
        match written {
            CqlType::Native(_) | CqlType::Custom(_) => written.clone(),
            CqlType::List(element) => CqlType::List(of(element)),
            CqlType::Set(element) => CqlType::Set(of(element)),
            CqlType::Map(key, value) => CqlType::Map(of(key), of(value)),
            CqlType::Tuple(fields) => {
                let fields = fields.iter().map(|it| match self.qualified_type(it) {
                    whole @ (CqlType::List(_)
                    | CqlType::Set(_)
                    | CqlType::Map(..)
                    | CqlType::UserType(_)) => CqlType::Frozen(Box::new(whole)),
                    other => other,
                });
                CqlType::Tuple(fields.collect())
            }
            CqlType::Vector(element, dimension) => CqlType::Vector(of(element), *dimension),
            CqlType::Frozen(inner) => CqlType::Frozen(of(inner)),
            CqlType::UserType(name) => CqlType::UserType(QualifiedName {
                keyspace: name
                    .keyspace
                    .clone()
                    .or_else(|| Some(Name::exact(self.keyspace))),
                name: name.name.clone(),
            }),
        }
    }
}

impl From<ArithmeticOperator> for Operator {
    fn from(operator: ArithmeticOperator) -> Self {
        match operator {
            ArithmeticOperator::Add => Self::Add,
            ArithmeticOperator::Subtract => Self::Subtract,
            ArithmeticOperator::Multiply => Self::Multiply,
            ArithmeticOperator::Divide => Self::Divide,
            ArithmeticOperator::Remainder => Self::Modulo,
        }
    }
}

/// What a term is for.
#[derive(Debug, Clone)]
pub(crate) struct Receiver {
    pub(crate) name: String,
    pub(crate) data_type: DataType,
}

impl Receiver {
    pub(crate) fn new(name: impl Into<String>, data_type: DataType) -> Self {
        Self {
            name: name.into(),
            data_type,
        }
    }
}

/// A term that is ready to give its value.
#[derive(Debug, Clone)]
pub(crate) enum Term {
    /// Always the same; `None` is null.
    Constant(Option<Box<[u8]>>),
    /// The value of a variable, of this type.
    Variable(usize, DataType),
    /// A function of other terms.
    Call(Box<ScalarFunction>, Vec<Term>),
    /// A collection, tuple or user type of other terms: keys and values in turn for a map.
    Composite(DataType, Vec<Term>),
    /// Nothing: Cassandra accepts it and fails when it is executed.
    Failing(&'static str),
}

impl Term {
    /// The constant null.
    pub(crate) const NULL: Self = Self::Constant(None);

    /// Whether its value does not depend on the execution.
    pub(crate) fn is_constant(&self) -> bool {
        matches!(self, Self::Constant(_))
    }

    /// Whether there is a variable in it.
    pub(crate) fn has_variable(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Failing(_) => false,
            Self::Variable(..) => true,
            Self::Call(_, parts) | Self::Composite(_, parts) => {
                parts.iter().any(Self::has_variable)
            }
        }
    }

    /// Whether a function in it may answer otherwise the next time.
    pub(crate) fn is_deterministic(&self) -> bool {
        match self {
            Self::Constant(_) | Self::Variable(..) | Self::Failing(_) => true,
            Self::Call(function, parts) => {
                function.is_deterministic() && parts.iter().all(Self::is_deterministic)
            }
            Self::Composite(_, parts) => parts.iter().all(Self::is_deterministic),
        }
    }
}
