//! Functions whose signatures are made for each call, from the types of its arguments.
//!
//! The rules are those of `FunctionFactory` and `FunctionParameter`: types are inferred twice,
//! first each argument by itself, then with what is known of the others.

use stoa_types::DataType;

use super::argument::{Argument, assignability};
use super::function::Resolved;
use crate::refusal::Refusal;

type Make = Box<dyn Fn(&[DataType], Option<&DataType>) -> Result<Resolved, Refusal>>;

/// Makes the functions of one name.
pub(super) struct Factory {
    name: String,
    parameters: Parameters,
    make: Make,
}

enum Parameters {
    /// The signature is known without looking at the arguments.
    Given,
    /// Types are inferred from the arguments.
    Inferred(Vec<Parameter>),
}

/// What an argument may be.
#[derive(Debug, Clone)]
pub(super) enum Parameter {
    /// One of these types; the first, if the argument has none of its own.
    Fixed(&'static [DataType]),
    /// Anything.
    Any,
    /// Anything; the type that the answer is wanted in, if the argument has none of its own.
    AnyOrReceiver,
    /// A list, a set or a map.
    Collection,
    /// A list or a set.
    ListOrSet,
    /// A list or a set of numbers.
    NumericListOrSet,
    /// A map.
    Map,
    /// A vector of floats.
    FloatVector,
    /// The type of the argument at this place, if the argument has none of its own.
    SameAs(usize, Box<Parameter>),
    /// The type of the argument at this place, if that one has a type of its own.
    RatherSameAs(usize, Box<Parameter>),
    /// May be left out.
    Optional(Box<Parameter>),
}

impl Factory {
    /// A function with one signature that does not depend on the arguments.
    pub(super) fn given(
        name: &str,
        make: impl Fn() -> Result<Resolved, Refusal> + 'static,
    ) -> Self {
        Self {
            name: name.to_owned(),
            parameters: Parameters::Given,
            make: Box::new(move |_, _| make()),
        }
    }

    /// A function whose signature is made from the types of these parameters.
    pub(super) fn inferred(
        name: &str,
        parameters: Vec<Parameter>,
        make: impl Fn(&[DataType], Option<&DataType>) -> Result<Resolved, Refusal> + 'static,
    ) -> Self {
        Self {
            name: name.to_owned(),
            parameters: Parameters::Inferred(parameters),
            make: Box::new(make),
        }
    }

    /// The function for this call.
    pub(super) fn make(
        &self,
        arguments: &[&dyn Argument],
        receiver: Option<&DataType>,
    ) -> Result<Option<Resolved>, Refusal> {
        let types = match &self.parameters {
            Parameters::Given => Vec::new(),
            Parameters::Inferred(parameters) => self.infer(parameters, arguments, receiver)?,
        };
        (self.make)(&types, receiver).map(Some)
    }

    fn infer(
        &self,
        parameters: &[Parameter],
        arguments: &[&dyn Argument],
        receiver: Option<&DataType>,
    ) -> Result<Vec<DataType>, Refusal> {
        let is_optional = |parameter: &&Parameter| matches!(parameter, Parameter::Optional(_));
        let mandatory = parameters.len() - parameters.iter().filter(is_optional).count();
        if !(mandatory..=parameters.len()).contains(&arguments.len()) {
            let message = format!(
                "Invalid number of arguments for function {}",
                self.text(parameters)
            );
            return Err(Refusal::invalid(message));
        }
        let pairs = || parameters.iter().zip(arguments.iter().copied());
        let mut types: Vec<Option<DataType>> = pairs()
            .map(|(parameter, argument)| parameter.infer(argument, receiver, &[]))
            .collect();
        for (index, (parameter, argument)) in pairs().enumerate() {
            let inferred = parameter.infer(argument, receiver, &types).ok_or_else(|| {
                Refusal::invalid(format!(
                    "Cannot infer type of argument {} in call to function {}: use type casts to \
                     disambiguate",
                    argument.text(),
                    self.text(parameters)
                ))
            })?;
            parameter.check(&self.name, argument, &inferred)?;
            if let Some(slot) = types.get_mut(index) {
                *slot = Some(inferred);
            }
        }
        Ok(types.into_iter().flatten().collect())
    }

    fn text(&self, parameters: &[Parameter]) -> String {
        let texts: Vec<String> = parameters.iter().map(Parameter::text).collect();
        format!("system.{}({})", self.name, texts.join(", "))
    }
}

impl Parameter {
    fn infer(
        &self,
        argument: &dyn Argument,
        receiver: Option<&DataType>,
        others: &[Option<DataType>],
    ) -> Option<DataType> {
        let of_other = |index: usize| others.get(index).cloned().flatten();
        match self {
            Self::Fixed(types) => argument.own_type().or_else(|| types.first().cloned()),
            Self::AnyOrReceiver => argument.own_type().or_else(|| receiver.cloned()),
            Self::FloatVector => match argument.bracketed_length() {
                Some(length) => Some(DataType::vector(
                    DataType::Float,
                    u32::try_from(length).ok()?,
                )),
                None => argument.own_type().or_else(|| receiver.cloned()),
            },
            Self::SameAs(index, inner) => inner
                .infer(argument, receiver, others)
                .or_else(|| of_other(*index)),
            Self::RatherSameAs(index, inner) => {
                of_other(*index).or_else(|| inner.infer(argument, receiver, others))
            }
            Self::Optional(inner) => inner.infer(argument, receiver, others),
            Self::Any | Self::Collection | Self::ListOrSet | Self::NumericListOrSet | Self::Map => {
                argument.own_type()
            }
        }
    }

    fn check(
        &self,
        name: &str,
        argument: &dyn Argument,
        data_type: &DataType,
    ) -> Result<(), Refusal> {
        let wanted = match self {
            Self::Any | Self::AnyOrReceiver => return Ok(()),
            Self::SameAs(_, inner) | Self::RatherSameAs(_, inner) | Self::Optional(inner) => {
                return inner.check(name, argument, data_type);
            }
            Self::Fixed(_) => format!("an argument of type {}", self.text()),
            Self::Collection => "a collection argument".to_owned(),
            Self::ListOrSet => "a set or list argument".to_owned(),
            Self::NumericListOrSet => "a numeric set/list argument".to_owned(),
            Self::Map => "a map argument".to_owned(),
            Self::FloatVector => "a float vector argument".to_owned(),
        };
        if self.accepts(data_type) {
            return Ok(());
        }
        Err(Refusal::invalid(format!(
            "Function system.{name} requires {wanted}, but found argument {} of type {data_type}",
            argument.text()
        )))
    }

    fn accepts(&self, data_type: &DataType) -> bool {
        match (self, data_type) {
            (Self::Fixed(types), own) => types
                .iter()
                .any(|wanted| assignability(own, wanted).is_assignable()),
            (Self::Collection, own) => own.is_collection(),
            (Self::ListOrSet, DataType::List { .. } | DataType::Set { .. })
            | (Self::Map, DataType::Map { .. }) => true,
            (
                Self::NumericListOrSet,
                DataType::List { element, .. } | DataType::Set { element, .. },
            ) => is_number(element),
            (
                Self::FloatVector,
                DataType::Vector { element, .. } | DataType::List { element, .. },
            ) => **element == DataType::Float,
            _ => false,
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Fixed([only]) => only.to_string(),
            Self::Fixed(types) => {
                let texts: Vec<String> = types.iter().map(ToString::to_string).collect();
                format!("[{}]", texts.join("|"))
            }
            Self::Any | Self::AnyOrReceiver => "any".to_owned(),
            Self::Collection => "collection".to_owned(),
            Self::ListOrSet | Self::NumericListOrSet => "numeric_set_or_list".to_owned(),
            Self::Map => "map".to_owned(),
            Self::FloatVector => "vector<float, n>".to_owned(),
            Self::SameAs(_, inner) | Self::RatherSameAs(_, inner) => inner.text(),
            Self::Optional(inner) => format!("[{}]", inner.text()),
        }
    }
}

/// Whether this is one of the types that Cassandra's `NumberType` covers.
pub(super) fn is_number(data_type: &DataType) -> bool {
    matches!(
        data_type,
        DataType::TinyInt
            | DataType::SmallInt
            | DataType::Int
            | DataType::BigInt
            | DataType::Float
            | DataType::Double
            | DataType::Decimal
            | DataType::VarInt
            | DataType::Counter
    )
}
