//! From a selector of the tree to an expression with a type and a name.

use stoa_cql::ast::{self, CellFact, NativeType, Selector};
use stoa_types::DataType;

use super::descending::{check_collections, is_reversed};
use super::expression::{Expression, FactPart, Key};
use super::plain_text::plain;
use crate::catalog::Table;
use crate::functions::{
    self, AggregateFunction, Argument, Assignability, FunctionName, Resolved, ScalarFunction,
    aggregate, arithmetic, cast,
};
use crate::refusal::Refusal;
use crate::restrict::relation::find_column;
use crate::terms::{self, Context, Receiver, Variables};

/// An aggregate of a selection.
#[derive(Debug, Clone)]
pub(crate) struct Aggregate {
    pub(crate) function: AggregateFunction,
    pub(crate) arguments: Vec<Expression>,
}

/// Resolves the selectors of one selection.
pub(crate) struct Selecting<'a, 's> {
    pub(crate) table: &'a Table,
    pub(crate) context: &'a Context<'s>,
    pub(crate) variables: &'a mut Variables,
    pub(crate) aggregates: Vec<Aggregate>,
    /// Set while the arguments of an aggregate are resolved.
    pub(crate) is_inside_aggregate: bool,
}

/// A selector as the argument of a function.
struct SelectorArgument<'a> {
    selector: &'a Selector,
    table: &'a Table,
    context: &'a Context<'a>,
}

impl Argument for SelectorArgument<'_> {
    fn own_type(&self) -> Option<DataType> {
        preferred_type(self.selector, self.table, self.context)
    }

    fn assignability(&self, receiver: &DataType) -> Assignability {
        assignability(self.selector, receiver, self.table, self.context)
    }

    fn text(&self) -> String {
        name(self.selector, self.table, self.context)
    }

    fn is_marker(&self) -> bool {
        matches!(self.selector, Selector::Term(ast::Term::Marker(_)))
    }

    fn bracketed_length(&self) -> Option<usize> {
        match self.selector {
            Selector::ListOrVector(parts) => Some(parts.len()),
            _ => None,
        }
    }
}

/// The type of a selector, literals in the type they prefer.
fn preferred_type(selector: &Selector, table: &Table, context: &Context<'_>) -> Option<DataType> {
    let of = |it: &Selector| preferred_type(it, table, context);
    match selector {
        Selector::Term(term) => terms::own_type(term, context),
        Selector::ListOrVector(parts) => {
            let element = parts.iter().find_map(of)?;
            Some(DataType::list(element).frozen())
        }
        Selector::SetOrEmptyMap(parts) => {
            let element = parts.iter().find_map(of)?;
            Some(DataType::set(element).frozen())
        }
        other => exact_type(other, table, context),
    }
}

fn assignability(
    selector: &Selector,
    receiver: &DataType,
    table: &Table,
    context: &Context<'_>,
) -> Assignability {
    let all = |parts: &mut dyn Iterator<Item = &Selector>, element: &DataType| {
        let mut fit = Assignability::Exact;
        for part in parts {
            fit = fit.and(assignability(part, element, table, context));
        }
        fit
    };
    match (selector, receiver) {
        (Selector::Term(term), _) => terms::assignability(term, receiver, context),
        (Selector::Parenthesized(parts), other)
            if parts.len() == 1 && !matches!(other, DataType::Tuple(_)) =>
        {
            all(&mut parts.iter(), receiver)
        }
        (Selector::Parenthesized(parts), DataType::Tuple(fields)) => {
            if parts.len() > fields.len() {
                return Assignability::Not;
            }
            let pairs = parts.iter().zip(fields);
            let fits = pairs.map(|(part, field)| assignability(part, field, table, context));
            fits.fold(Assignability::Exact, Assignability::and)
        }
        (Selector::ListOrVector(parts), DataType::List { element, .. }) => {
            all(&mut parts.iter(), element)
        }
        (Selector::ListOrVector(parts), DataType::Vector { element, dimension }) => {
            match usize::try_from(*dimension) == Ok(parts.len()) {
                true => all(&mut parts.iter(), element),
                false => Assignability::Not,
            }
        }
        (Selector::SetOrEmptyMap(parts), DataType::Set { element, .. }) => {
            all(&mut parts.iter(), element)
        }
        (Selector::SetOrEmptyMap(parts), DataType::Map { .. }) if parts.is_empty() => {
            Assignability::Weak
        }
        (Selector::MapOrUserType(pairs), DataType::Map { key, value, .. }) => {
            let keys = all(&mut pairs.iter().map(|(key, _)| key), key);
            keys.and(all(&mut pairs.iter().map(|(_, it)| it), value))
        }
        (Selector::MapOrUserType(_), DataType::UserDefined(_)) => Assignability::Weak,
        _ => match exact_type(selector, table, context) {
            Some(own) => functions::assignability(&own, receiver),
            None => Assignability::Not,
        },
    }
}

fn argument<'a>(
    selector: &'a Selector,
    table: &'a Table,
    context: &'a Context<'a>,
) -> SelectorArgument<'a> {
    SelectorArgument {
        selector,
        table,
        context,
    }
}

/// The function that a call in a selection means.
fn named_function(
    name: &ast::QualifiedName,
    arguments: &[Selector],
    receiver: Option<&DataType>,
    table: &Table,
    context: &Context<'_>,
) -> Result<Resolved, Refusal> {
    if is_count_of_rows(name, arguments) {
        return Ok(Resolved::Aggregate(aggregate::count_rows()));
    }
    check_collections(name, arguments, table)?;
    let arguments: Vec<_> = arguments
        .iter()
        .map(|it| argument(it, table, context))
        .collect();
    let arguments: Vec<&dyn Argument> = arguments.iter().map(|it| it as &dyn Argument).collect();
    let called = FunctionName {
        keyspace: name.keyspace.as_ref().map(ast::Name::as_str),
        name: name.name.as_str(),
    };
    let key: Vec<DataType> = table
        .partition_key()
        .iter()
        .map(|it| it.data_type.clone())
        .collect();
    let about = functions::Context {
        partition_key: Some(&key),
    };
    functions::resolve(&called, &arguments, receiver, &about)?
        .ok_or_else(|| Refusal::invalid(format!("Unknown function '{called}'")))
}

/// `count(1)` is `count(*)`.
fn is_count_of_rows(name: &ast::QualifiedName, arguments: &[Selector]) -> bool {
    let is_literal = |it: &Selector| matches!(it, Selector::Term(ast::Term::Literal(_)));
    let is_system = name.keyspace.as_ref().is_none_or(|it| *it == "system");
    is_system && name.name == "count" && matches!(arguments, [only] if is_literal(only))
}

/// The type of a selector, where it has one by itself.
pub(crate) fn exact_type(
    selector: &Selector,
    table: &Table,
    context: &Context<'_>,
) -> Option<DataType> {
    let of = |it: &Selector| exact_type(it, table, context);
    match selector {
        Selector::Column(name) => table.column(name.as_str()).map(|it| it.data_type.clone()),
        Selector::Term(_) | Selector::MapOrUserType(_) => None,
        Selector::CountRows => Some(DataType::BigInt),
        Selector::Function { name, arguments } => {
            let found = named_function(name, arguments, None, table, context).ok()?;
            Some(found.signature().result.clone())
        }
        Selector::Cast(_, to) => Some(to.data_type()),
        Selector::CellFact(fact, part) => Some(fact_type(*fact, part, table)),
        Selector::Field(inner, field) => match of(inner)? {
            DataType::UserDefined(user_type) => {
                let mut fields = user_type.fields.iter();
                let found = fields.find(|it| *field == *it.name);
                found.map(|it| it.data_type.clone())
            }
            _ => None,
        },
        Selector::Element(inner, _) => match of(inner)? {
            DataType::Map { value, .. } => Some(*value),
            DataType::Set { element, .. } | DataType::List { element, .. } => Some(*element),
            _ => None,
        },
        Selector::Slice { of: inner, .. } => of(inner),
        Selector::Negation(inner) => of(inner),
        Selector::Arithmetic {
            operator,
            left,
            right,
        } => {
            let (left, right) = (
                argument(left, table, context),
                argument(right, table, context),
            );
            let found = arithmetic::resolve((*operator).into(), &left, &right, None).ok()?;
            Some(found.signature().result.clone())
        }
        Selector::TypeHint(hint, _) => context.resolve_type(hint).ok(),
        Selector::Parenthesized(parts) => match parts.as_slice() {
            [only] => of(only),
            several => {
                let types: Option<Vec<_>> = several.iter().map(of).collect();
                types.map(DataType::tuple)
            }
        },
        Selector::ListOrVector(parts) => {
            let element = parts.iter().find_map(of)?;
            Some(DataType::list(element).frozen())
        }
        Selector::SetOrEmptyMap(parts) => {
            let element = parts.iter().find_map(of)?;
            Some(DataType::set(element).frozen())
        }
    }
}

/// The type of a time or lifetime.
fn fact_type(fact: CellFact, part: &Selector, table: &Table) -> DataType {
    let one = match fact {
        CellFact::WriteTime | CellFact::MaxWriteTime => DataType::BigInt,
        CellFact::TimeToLive => DataType::Int,
    };
    let column = |name: &ast::Name| table.column(name.as_str());
    let is_many = match part {
        Selector::Column(name) => column(name).is_some_and(|it| it.data_type.is_multi_cell()),
        Selector::Slice { of, .. } => match &**of {
            Selector::Column(name) => column(name).is_some_and(|it| it.data_type.is_multi_cell()),
            _ => false,
        },
        _ => false,
    };
    match is_many && fact != CellFact::MaxWriteTime {
        true => DataType::list(one),
        false => one,
    }
}

impl Selecting<'_, '_> {
    /// Resolves a selector; `expected` is the type wanted, where there is one.
    pub(crate) fn expression(
        &mut self,
        selector: &Selector,
        expected: Option<&DataType>,
    ) -> Result<(Expression, DataType), Refusal> {
        match selector {
            Selector::Column(name) => {
                let (at, column) = find_column(self.table, name)?;
                Ok((Expression::Column(at), column.data_type.clone()))
            }
            Selector::Term(term) => self.term(term, selector, expected),
            Selector::CountRows => self.aggregate(aggregate::count_rows(), &[]),
            Selector::Function { name, arguments } => self.function(name, arguments, expected),
            Selector::Cast(inner, to) => {
                if *to == NativeType::VarChar {
                    return Err(Refusal::invalid(format!(
                        "{} cannot be cast to varchar",
                        name(inner, self.table, self.context)
                    )));
                }
                let own = exact_type(inner, self.table, self.context);
                if own.is_none() && matches!(**inner, Selector::Term(_)) {
                    return Err(self.no_type(inner));
                }
                if !is_reversed(inner, self.table) && own.as_ref() == Some(&to.data_type()) {
                    return self.expression(inner, None);
                }
                let inner_argument = argument(inner, self.table, self.context);
                let found = cast::resolve(&inner_argument, &to.data_type(), expected);
                let function = terms::known_cast(found)?;
                self.call(function, &[inner])
            }
            Selector::CellFact(fact, part) => self.fact(*fact, part),
            Selector::Field(inner, field) => self.field(inner, field),
            Selector::Element(inner, key) => self.element(inner, key),
            Selector::Slice { of, from, to } => self.slice(of, from.as_ref(), to.as_ref()),
            Selector::Negation(inner) => {
                let inner_argument = argument(inner, self.table, self.context);
                let function = arithmetic::resolve_negation(&inner_argument, expected)?;
                self.call(function, &[inner])
            }
            Selector::Arithmetic {
                operator,
                left,
                right,
            } => {
                let (one, two) = (
                    argument(left, self.table, self.context),
                    argument(right, self.table, self.context),
                );
                let function = arithmetic::resolve((*operator).into(), &one, &two, expected)?;
                self.call(function, &[left, right])
            }
            Selector::TypeHint(hint, inner) => self.hinted(selector, hint, inner),
            // One value in parentheses may be a tuple: which it is, only its type tells.
            Selector::Parenthesized(parts)
                if parts.len() == 1 && !matches!(expected, Some(DataType::Tuple(_))) =>
            {
                match parts.first().filter(|_| expected.is_some()) {
                    Some(only) => self.expression(only, expected),
                    None => Err(self.no_type(selector)),
                }
            }
            Selector::Parenthesized(_)
            | Selector::ListOrVector(_)
            | Selector::SetOrEmptyMap(_)
            | Selector::MapOrUserType(_) => self.composite(selector, expected),
        }
    }

    fn no_type(&self, selector: &Selector) -> Refusal {
        Refusal::invalid(format!(
            "Cannot infer type for term {} in selection clause (try using a cast to force a type)",
            name(selector, self.table, self.context)
        ))
    }

    fn term(
        &mut self,
        term: &ast::Term,
        selector: &Selector,
        expected: Option<&DataType>,
    ) -> Result<(Expression, DataType), Refusal> {
        let data_type = expected.cloned().ok_or_else(|| self.no_type(selector))?;
        let receiver = Receiver::new("[selection]", data_type.clone());
        let term = terms::prepare(term, &receiver, self.context, self.variables)?;
        Ok((Expression::Term(term), data_type))
    }

    fn function(
        &mut self,
        name: &ast::QualifiedName,
        arguments: &[Selector],
        expected: Option<&DataType>,
    ) -> Result<(Expression, DataType), Refusal> {
        let found = named_function(name, arguments, expected, self.table, self.context)?;
        let selectors: Vec<&Selector> = arguments.iter().collect();
        match found {
            Resolved::Scalar(function) => self.call(function, &selectors),
            Resolved::Aggregate(function) if is_count_of_rows(name, arguments) => {
                self.aggregate(function, &[])
            }
            Resolved::Aggregate(function) => self.aggregate(function, &selectors),
        }
    }

    fn call(
        &mut self,
        function: ScalarFunction,
        arguments: &[&Selector],
    ) -> Result<(Expression, DataType), Refusal> {
        let mut resolved = Vec::with_capacity(arguments.len());
        for (selector, wanted) in arguments.iter().zip(&function.signature().argument_types) {
            resolved.push(self.expression(selector, Some(wanted))?.0);
        }
        let result = function.signature().result.clone();
        Ok((Expression::Call(Box::new(function), resolved), result))
    }

    fn aggregate(
        &mut self,
        function: AggregateFunction,
        arguments: &[&Selector],
    ) -> Result<(Expression, DataType), Refusal> {
        if self.is_inside_aggregate {
            return Err(Refusal::invalid(
                "aggregate functions cannot be used as arguments of aggregate functions",
            ));
        }
        self.is_inside_aggregate = true;
        let mut resolved = Vec::with_capacity(arguments.len());
        for (selector, wanted) in arguments.iter().zip(&function.signature().argument_types) {
            resolved.push(self.expression(selector, Some(wanted))?.0);
        }
        self.is_inside_aggregate = false;
        let result = function.signature().result.clone();
        self.aggregates.push(Aggregate {
            function,
            arguments: resolved,
        });
        Ok((Expression::Aggregate(self.aggregates.len() - 1), result))
    }

    fn hinted(
        &mut self,
        whole: &Selector,
        hint: &ast::CqlType,
        inner: &Selector,
    ) -> Result<(Expression, DataType), Refusal> {
        let wanted = self.context.resolve_type(hint)?;
        let fit = assignability(inner, &wanted, self.table, self.context);
        if !fit.is_assignable() {
            let name = name(whole, self.table, self.context);
            return Err(Refusal::invalid(format!(
                "Cannot assign value {name} to {name} of type {wanted}"
            )));
        }
        let (expression, _) = self.expression(inner, Some(&wanted))?;
        Ok((expression, wanted))
    }

    fn field(
        &mut self,
        inner: &Selector,
        field: &ast::Name,
    ) -> Result<(Expression, DataType), Refusal> {
        let (expression, data_type) = self.expression(inner, None)?;
        let number = field_of(&data_type, field, || name(inner, self.table, self.context))?;
        Ok((Expression::Field(Box::new(expression), number.0), number.1))
    }

    fn element(
        &mut self,
        inner: &Selector,
        key: &ast::Term,
    ) -> Result<(Expression, DataType), Refusal> {
        let (expression, data_type) = self.expression(inner, None)?;
        let text = name(inner, self.table, self.context);
        let (receiver, result) = self.element_types(&data_type, &text, "Element")?;
        let key = self.key(key, &receiver, &text)?;
        Ok((
            Expression::Element(Box::new(expression), data_type, key),
            result,
        ))
    }

    fn slice(
        &mut self,
        inner: &Selector,
        from: Option<&ast::Term>,
        to: Option<&ast::Term>,
    ) -> Result<(Expression, DataType), Refusal> {
        let (expression, data_type) = self.expression(inner, None)?;
        let text = name(inner, self.table, self.context);
        let (receiver, _) = self.element_types(&data_type, &text, "Slice")?;
        let from = from.map(|it| self.key(it, &receiver, &text)).transpose()?;
        let to = to.map(|it| self.key(it, &receiver, &text)).transpose()?;
        let slice = Expression::Slice(Box::new(expression), data_type.clone(), from, to);
        Ok((slice, data_type))
    }

    fn key(&mut self, key: &ast::Term, receiver: &Receiver, of: &str) -> Result<Key, Refusal> {
        let term = terms::prepare(key, receiver, self.context, self.variables)?;
        Ok(Key {
            term,
            of: of.to_owned(),
        })
    }

    /// The type of the keys and of the elements of a collection of which one is selected.
    fn element_types(
        &self,
        data_type: &DataType,
        text: &str,
        what: &str,
    ) -> Result<(Receiver, DataType), Refusal> {
        match data_type {
            DataType::Map { key, value, .. } => {
                let receiver = Receiver::new(format!("key({text})"), (**key).clone());
                Ok((receiver, (**value).clone()))
            }
            DataType::Set { element, .. } => {
                let receiver = Receiver::new(format!("value({text})"), (**element).clone());
                Ok((receiver, (**element).clone()))
            }
            DataType::List { .. } => Err(Refusal::invalid(format!(
                "{what} selection is only allowed on sets and maps, but {text} is a list"
            ))),
            other => Err(Refusal::invalid(format!(
                "Invalid element selection: {text} is of type {other} is not a collection"
            ))),
        }
    }

    fn fact(&mut self, fact: CellFact, part: &Selector) -> Result<(Expression, DataType), Refusal> {
        let function = match fact {
            CellFact::WriteTime => "writetime",
            CellFact::MaxWriteTime => "maxwritetime",
            CellFact::TimeToLive => "ttl",
        };
        let result = fact_type(fact, part, self.table);
        let column_of = |selector: &Selector| match selector {
            Selector::Column(name) => Ok(name.clone()),
            _ => Err(Refusal::invalid(format!(
                "{function} can only be asked of columns"
            ))),
        };
        let (name, inner) = match part {
            Selector::Column(name) => (name.clone(), None),
            Selector::Field(of, _) | Selector::Element(of, _) | Selector::Slice { of, .. } => {
                (column_of(of)?, Some(part))
            }
            other => (column_of(other)?, None),
        };
        let (at, column) = find_column(self.table, &name)?;
        if column.is_key() {
            return Err(Refusal::invalid(format!(
                "Cannot use selection function {function} on PRIMARY KEY part {}",
                column.name
            )));
        }
        let data_type = column.data_type.clone();
        let text = column.name.to_string();
        let part = match inner {
            None => FactPart::Whole(data_type),
            Some(Selector::Field(_, field)) => {
                let (number, _) = field_of(&data_type, field, || text.clone())?;
                FactPart::Field(number)
            }
            Some(Selector::Element(_, key)) => {
                let (receiver, _) = self.element_types(&data_type, &text, "Element")?;
                FactPart::Element(data_type, self.key(key, &receiver, &text)?)
            }
            Some(Selector::Slice { from, to, .. }) => {
                let (receiver, _) = self.element_types(&data_type, &text, "Slice")?;
                let from = from.as_ref().map(|it| self.key(it, &receiver, &text));
                let from = from.transpose()?;
                let to = to.as_ref().map(|it| self.key(it, &receiver, &text));
                FactPart::Slice(data_type, from, to.transpose()?)
            }
            Some(_) => FactPart::Whole(data_type),
        };
        Ok((Expression::Fact(fact, at, part), result))
    }

    fn composite(
        &mut self,
        selector: &Selector,
        expected: Option<&DataType>,
    ) -> Result<(Expression, DataType), Refusal> {
        let own = match expected {
            Some(expected) => Some(expected.clone()),
            None => exact_type(selector, self.table, self.context),
        };
        let data_type = own.ok_or_else(|| self.no_type(selector))?;
        let refuse = || {
            Refusal::invalid(format!(
                "Invalid literal {} for type {data_type}",
                name(selector, self.table, self.context)
            ))
        };
        let mut parts = Vec::new();
        match (selector, &data_type) {
            (
                Selector::ListOrVector(items),
                DataType::List { element, .. } | DataType::Vector { element, .. },
            )
            | (Selector::SetOrEmptyMap(items), DataType::Set { element, .. }) => {
                for item in items {
                    parts.push(self.expression(item, Some(element))?.0);
                }
            }
            (Selector::SetOrEmptyMap(items), DataType::Map { .. }) if items.is_empty() => {}
            (Selector::MapOrUserType(pairs), DataType::Map { key, value, .. }) => {
                for (one, other) in pairs {
                    parts.push(self.expression(one, Some(key))?.0);
                    parts.push(self.expression(other, Some(value))?.0);
                }
            }
            (Selector::MapOrUserType(pairs), DataType::UserDefined(user_type)) => {
                for field in &user_type.fields {
                    let is_it = |it: &Selector| matches!(it, Selector::Column(name) if *name == *field.name);
                    let given = pairs.iter().find(|(key, _)| is_it(key));
                    parts.push(match given {
                        Some((_, it)) => self.expression(it, Some(&field.data_type))?.0,
                        None => Expression::Term(terms::Term::NULL),
                    });
                }
            }
            (Selector::Parenthesized(items), DataType::Tuple(fields)) => {
                for (item, field) in items.iter().zip(fields) {
                    parts.push(self.expression(item, Some(field))?.0);
                }
            }
            _ => return Err(refuse()),
        }
        Ok((Expression::Composite(data_type.clone(), parts), data_type))
    }
}

fn field_of(
    data_type: &DataType,
    field: &ast::Name,
    text: impl Fn() -> String,
) -> Result<(usize, DataType), Refusal> {
    let DataType::UserDefined(user_type) = data_type else {
        return Err(Refusal::invalid(format!(
            "Invalid field selection: {} of type {data_type} is not a user type",
            text()
        )));
    };
    let mut fields = user_type.fields.iter().enumerate();
    let found = fields.find(|(_, it)| *field == *it.name);
    let found = found.map(|(number, it)| (number, it.data_type.clone()));
    found.ok_or_else(|| {
        Refusal::invalid(format!(
            "{} of type {} has no field {}",
            text(),
            user_type.name,
            field.as_str()
        ))
    })
}

/// The name of a selector in the answer.
pub(crate) fn name(selector: &Selector, table: &Table, context: &Context<'_>) -> String {
    let of = |it: &Selector| name(it, table, context);
    let joined = |parts: &[Selector]| {
        let names: Vec<String> = parts.iter().map(of).collect();
        names.join(", ")
    };
    match selector {
        Selector::Column(name) => name.as_str().to_owned(),
        Selector::Term(ast::Term::Null) => "NULL".to_owned(),
        Selector::Term(ast::Term::Marker(_)) => "?".to_owned(),
        Selector::Term(term) => plain(term),
        Selector::CountRows => "count".to_owned(),
        Selector::Function { name, arguments } => {
            let names: Vec<String> = arguments.iter().map(of).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            match named_function(name, arguments, None, table, context) {
                Ok(found) => found.signature().column_name(&names),
                Err(_) => format!("system.{}({})", name.name.as_str(), names.join(", ")),
            }
        }
        Selector::Cast(inner, to) => {
            let own = exact_type(inner, table, context);
            match !is_reversed(inner, table) && own == Some(to.data_type()) {
                true => of(inner),
                false => format!("cast({} as {})", of(inner), to.data_type()),
            }
        }
        Selector::CellFact(fact, inner) => {
            let function = match fact {
                CellFact::WriteTime => "writetime",
                CellFact::MaxWriteTime => "maxwritetime",
                CellFact::TimeToLive => "ttl",
            };
            format!("{function}({})", of(inner))
        }
        Selector::Field(inner, field) => format!("{}.{}", of(inner), field.as_str()),
        Selector::Element(inner, key) => format!("{}[{}]", of(inner), plain(key)),
        Selector::Slice {
            of: inner,
            from,
            to,
        } => {
            let text = |it: &Option<ast::Term>| it.as_ref().map_or_else(String::new, plain);
            format!("{}[{}..{}]", of(inner), text(from), text(to))
        }
        Selector::Negation(inner) => format!("-{}", of(inner)),
        Selector::Arithmetic {
            operator,
            left,
            right,
        } => format!("{} {} {}", of(left), operator.sign(), of(right)),
        Selector::TypeHint(hint, inner) => {
            let hint = context.qualified_type(hint);
            format!("({hint}){}", of(inner))
        }
        Selector::Parenthesized(parts) => format!("({})", joined(parts)),
        Selector::ListOrVector(parts) => format!("[{}]", joined(parts)),
        Selector::SetOrEmptyMap(parts) => format!("{{{}}}", joined(parts)),
        Selector::MapOrUserType(pairs) => {
            let pairs: Vec<String> = pairs
                .iter()
                .map(|(key, value)| format!("{}: {}", of(key), of(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}
