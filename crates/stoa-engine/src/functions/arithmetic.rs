//! Operators on numbers, texts, and points in time.
//!
//! Cassandra has a function for each operator and each pair of types (`OperationFcts`), which is
//! why an operator is resolved as a call is. What two numbers make:
//!
//! | | with integers | with float | with double | with decimal |
//! |---|---|---|---|---|
//! | tinyint, smallint, int | the larger | float | double | decimal |
//! | bigint, counter | bigint, or varint | double | double | decimal |
//! | varint | varint | decimal | decimal | decimal |
//!
//! Integers wrap around. With a null or an empty value the answer is null.

use stoa_types::{DataType, Date, Duration, Value, native};

use super::argument::Argument;
use super::calendar;
use super::decimal::{self, NoAnswer};
use super::function::{Answer, Call, ColumnName, Resolved, ScalarFunction, Signature};
use super::number::{NUMBERS, Number};
use super::resolve::{Callee, choose};
use crate::refusal::{Refusal, RefusalKind};

/// A binary operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Modulo,
}

const OPERATORS: [Operator; 5] = [
    Operator::Add,
    Operator::Subtract,
    Operator::Multiply,
    Operator::Divide,
    Operator::Modulo,
];

const NEGATION: &str = "_negate";

impl Operator {
    /// The operator as CQL writes it.
    #[must_use]
    pub fn symbol(self) -> char {
        match self {
            Self::Add => '+',
            Self::Subtract => '-',
            Self::Multiply => '*',
            Self::Divide => '/',
            Self::Modulo => '%',
        }
    }

    /// The name of its function.
    fn function_name(self) -> &'static str {
        match self {
            Self::Add => "_add",
            Self::Subtract => "_substract",
            Self::Multiply => "_multiply",
            Self::Divide => "_divide",
            Self::Modulo => "_modulo",
        }
    }
}

/// Finds the function of an operator between two arguments.
///
/// `receiver` is the type that the answer is wanted in, where that is known: literals are then
/// reckoned in that type.
///
/// # Errors
/// When the operator does not fit the arguments, or fits them in several ways.
pub fn resolve(
    operator: Operator,
    left: &dyn Argument,
    right: &dyn Argument,
    receiver: Option<&DataType>,
) -> Result<ScalarFunction, Refusal> {
    let candidates = operations(operator)
        .into_iter()
        .map(Resolved::Scalar)
        .collect();
    let callee = Callee::Operator(operator.symbol());
    only_scalar(choose(&callee, candidates, &[left, right], receiver)?)
}

/// Finds the function of a minus sign before an argument.
///
/// # Errors
/// When the argument is not a number, or may be several kinds of number.
pub fn resolve_negation(
    argument: &dyn Argument,
    receiver: Option<&DataType>,
) -> Result<ScalarFunction, Refusal> {
    let candidates = negations().into_iter().map(Resolved::Scalar).collect();
    only_scalar(choose(
        &Callee::Negation,
        candidates,
        &[argument],
        receiver,
    )?)
}

fn only_scalar(resolved: Option<Resolved>) -> Result<ScalarFunction, Refusal> {
    match resolved {
        Some(Resolved::Scalar(function)) => Ok(function),
        _ => Err(Refusal::server("operators are scalar functions")),
    }
}

/// The functions of operators, by name.
pub(super) fn overloads(name: &str) -> Vec<ScalarFunction> {
    if name == NEGATION {
        return negations();
    }
    OPERATORS
        .into_iter()
        .find(|operator| operator.function_name() == name)
        .map(operations)
        .unwrap_or_default()
}

fn negations() -> Vec<ScalarFunction> {
    let negation = |data_type: &DataType| {
        let signature = Signature::new(NEGATION, vec![data_type.clone()], data_type.clone())
            .with_column(ColumnName::Minus);
        let data_type = data_type.clone();
        ScalarFunction::new(signature, move |call| {
            let number = Number::read(&data_type, call.argument(0))?;
            Ok(number.map(|number| negated(&number).to_bytes()))
        })
    };
    NUMBERS.iter().map(negation).collect()
}

fn operations(operator: Operator) -> Vec<ScalarFunction> {
    let mut functions = Vec::new();
    for left in &NUMBERS {
        for right in &NUMBERS {
            functions.push(operation(operator, left, right, &result_type(left, right)));
        }
    }
    if matches!(operator, Operator::Add | Operator::Subtract) {
        for moment in [DataType::Timestamp, DataType::Date] {
            functions.push(operation(operator, &moment, &DataType::Duration, &moment));
        }
    }
    if operator == Operator::Add {
        let (text, ascii) = (DataType::Text, DataType::Ascii);
        functions.push(operation(operator, &text, &text, &text));
        functions.push(operation(operator, &ascii, &ascii, &ascii));
        functions.push(operation(operator, &ascii, &text, &text));
        functions.push(operation(operator, &text, &ascii, &text));
    }
    functions
}

fn operation(
    operator: Operator,
    left: &DataType,
    right: &DataType,
    result: &DataType,
) -> ScalarFunction {
    let types = vec![left.clone(), right.clone()];
    let signature = Signature::new(operator.function_name(), types, result.clone())
        .with_column(ColumnName::Infix(operator.symbol()));
    let (left, right, result) = (left.clone(), right.clone(), result.clone());
    ScalarFunction::new(signature, move |call| {
        let answer = match &result {
            DataType::Text | DataType::Ascii => return joined(call),
            DataType::Timestamp => moved_timestamp(operator, call)?,
            DataType::Date => moved_date(operator, call)?,
            number => {
                let left = Number::read(&left, call.argument(0))?;
                let right = Number::read(&right, call.argument(1))?;
                let (Some(left), Some(right)) = (left, right) else {
                    return Ok(None);
                };
                reckon(operator, &left, &right, number).map(|number| Some(number.to_bytes()))
            }
        };
        answer.map_err(|NoAnswer(reason)| {
            let message = format!(
                "the operation '{left} {} {right}' failed: {reason}",
                operator.symbol()
            );
            Refusal::new(RefusalKind::FunctionFailure, message)
        })
    })
}

/// The type of what two numbers make.
fn result_type(left: &DataType, right: &DataType) -> DataType {
    let is_floating = |data_type: &DataType| {
        matches!(
            data_type,
            DataType::Float | DataType::Double | DataType::Decimal
        )
    };
    match (
        is_floating(left) || is_floating(right),
        size(left).max(size(right)),
    ) {
        (true, 4) => DataType::Float,
        (true, 8) => DataType::Double,
        (true, _) => DataType::Decimal,
        (false, 1) => DataType::TinyInt,
        (false, 2) => DataType::SmallInt,
        (false, 4) => DataType::Int,
        (false, 8) => DataType::BigInt,
        (false, _) => DataType::VarInt,
    }
}

fn size(data_type: &DataType) -> u32 {
    match data_type {
        DataType::TinyInt => 1,
        DataType::SmallInt => 2,
        DataType::Int | DataType::Float => 4,
        DataType::BigInt | DataType::Counter | DataType::Double => 8,
        _ => u32::MAX,
    }
}

const BY_ZERO: NoAnswer = NoAnswer("/ by zero");

fn reckon(
    operator: Operator,
    left: &Number,
    right: &Number,
    result: &DataType,
) -> Result<Number, NoAnswer> {
    Ok(match result {
        DataType::TinyInt => {
            Number::TinyInt(reckon_i64(operator, left.to_i64(), right.to_i64())? as i8)
        }
        DataType::SmallInt => {
            Number::SmallInt(reckon_i64(operator, left.to_i64(), right.to_i64())? as i16)
        }
        DataType::Int => Number::Int(reckon_i64(operator, left.to_i64(), right.to_i64())? as i32),
        DataType::BigInt => Number::BigInt(reckon_i64(operator, left.to_i64(), right.to_i64())?),
        DataType::Float => Number::Float(reckon_f32(operator, left.to_f32(), right.to_f32())),
        DataType::Double => Number::Double(reckon_f64(operator, left.to_f64(), right.to_f64())),
        DataType::VarInt => {
            let (left, right) = (left.to_varint(), right.to_varint());
            let is_by_zero = right.sign() == num_bigint::Sign::NoSign;
            Number::VarInt(match operator {
                Operator::Add => left + right,
                Operator::Subtract => left - right,
                Operator::Multiply => left * right,
                Operator::Divide | Operator::Modulo if is_by_zero => {
                    return Err(NoAnswer("BigInteger divide by zero"));
                }
                Operator::Divide => left / right,
                Operator::Modulo => left % right,
            })
        }
        _ => {
            let not_finite =
                NoAnswer("a number that is not finite cannot be converted into a decimal");
            let left = left.to_decimal().ok_or(not_finite)?;
            let right = right.to_decimal().ok_or(not_finite)?;
            Number::Decimal(match operator {
                Operator::Add => decimal::add(&left, &right),
                Operator::Subtract => decimal::subtract(&left, &right),
                Operator::Multiply => decimal::multiply(&left, &right),
                Operator::Divide => decimal::divide(&left, &right),
                Operator::Modulo => decimal::remainder(&left, &right),
            }?)
        }
    })
}

/// Smaller integers are reckoned in 64 bits too: the low bits are the same.
fn reckon_i64(operator: Operator, left: i64, right: i64) -> Result<i64, NoAnswer> {
    Ok(match operator {
        Operator::Add => left.wrapping_add(right),
        Operator::Subtract => left.wrapping_sub(right),
        Operator::Multiply => left.wrapping_mul(right),
        Operator::Divide | Operator::Modulo if right == 0 => return Err(BY_ZERO),
        Operator::Divide => left.wrapping_div(right),
        Operator::Modulo => left.wrapping_rem(right),
    })
}

fn reckon_f32(operator: Operator, left: f32, right: f32) -> f32 {
    match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        Operator::Modulo => left % right,
    }
}

fn reckon_f64(operator: Operator, left: f64, right: f64) -> f64 {
    match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide => left / right,
        Operator::Modulo => left % right,
    }
}

fn negated(number: &Number) -> Number {
    match number {
        Number::TinyInt(number) => Number::TinyInt(number.wrapping_neg()),
        Number::SmallInt(number) => Number::SmallInt(number.wrapping_neg()),
        Number::Int(number) => Number::Int(number.wrapping_neg()),
        Number::BigInt(number) => Number::BigInt(number.wrapping_neg()),
        Number::Float(number) => Number::Float(-number),
        Number::Double(number) => Number::Double(-number),
        Number::VarInt(number) => Number::VarInt(-number),
        Number::Decimal(number) => Number::Decimal(decimal::negate(number)),
    }
}

/// One text after the other.
fn joined(call: &Call<'_>) -> Answer {
    let texts = call.argument(0).zip(call.argument(1));
    Ok(texts.map(|(left, right)| [left, right].concat()))
}

/// The answer of an operation that may fail; the outer error is of wrong bytes.
type Attempt = Result<Result<Option<Vec<u8>>, NoAnswer>, Refusal>;

fn moved_timestamp(operator: Operator, call: &Call<'_>) -> Attempt {
    let (Some(millis), Some(by)) = (timestamp(call.argument(0)), duration(call.argument(1))?)
    else {
        return Ok(Ok(None));
    };
    if !calendar::is_whole_millis(&by) {
        return Ok(Err(NoAnswer(
            "The duration must have a millisecond precision",
        )));
    }
    let moved = match operator {
        Operator::Subtract => calendar::subtract(millis, &by),
        _ => calendar::add(millis, &by),
    };
    Ok(Ok(Some(moved.to_be_bytes().to_vec())))
}

fn moved_date(operator: Operator, call: &Call<'_>) -> Attempt {
    let (Some(date), Some(by)) = (date(call.argument(0)), duration(call.argument(1))?) else {
        return Ok(Ok(None));
    };
    if by.nanoseconds() != 0 {
        return Ok(Err(NoAnswer("The duration must have a day precision")));
    }
    let millis = calendar::millis_of_date(date);
    let moved = match operator {
        Operator::Subtract => calendar::subtract(millis, &by),
        _ => calendar::add(millis, &by),
    };
    let date = calendar::date_of_millis(moved);
    Ok(Ok(Some(date.0.to_be_bytes().to_vec())))
}

/// The milliseconds of a timestamp; `None` for null, which an empty value is taken for.
pub(super) fn timestamp(bytes: Option<&[u8]>) -> Option<i64> {
    bytes?.try_into().ok().map(i64::from_be_bytes)
}

/// A date, or `None` for null.
pub(super) fn date(bytes: Option<&[u8]>) -> Option<Date> {
    bytes?.try_into().ok().map(u32::from_be_bytes).map(Date)
}

/// A duration, or `None` for null.
pub(super) fn duration(bytes: Option<&[u8]>) -> Result<Option<Duration>, Refusal> {
    let Some(bytes) = bytes else {
        return Ok(None);
    };
    match native::decode(&DataType::Duration, bytes) {
        Ok(Value::Duration(duration)) => Ok(Some(duration)),
        Ok(_) => Ok(None),
        Err(error) => Err(Refusal::server(error.to_string())),
    }
}
