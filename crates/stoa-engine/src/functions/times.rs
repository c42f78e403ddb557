//! Conversions between points in time, and `floor`.

use stoa_types::time_uuid;
use stoa_types::{DataType, Duration};
use uuid::Uuid;

use super::arithmetic::{date, duration, timestamp};
use super::calendar;
use super::function::{Answer, Call, Monotonicity, ScalarFunction, Signature};
use crate::refusal::Refusal;

/// The functions of this name.
pub(super) fn overloads(name: &str) -> Vec<ScalarFunction> {
    let (result, arguments): (DataType, &[DataType]) = match name {
        "to_date" | "todate" => (DataType::Date, &[DataType::TimeUuid, DataType::Timestamp]),
        "to_timestamp" | "totimestamp" => {
            (DataType::Timestamp, &[DataType::TimeUuid, DataType::Date])
        }
        "to_unix_timestamp" | "tounixtimestamp" => (
            DataType::BigInt,
            &[DataType::TimeUuid, DataType::Timestamp, DataType::Date],
        ),
        "min_timeuuid" | "mintimeuuid" => {
            return vec![bound(name, time_uuid::least_at_unix_millis)];
        }
        "max_timeuuid" | "maxtimeuuid" => {
            return vec![bound(name, time_uuid::greatest_at_unix_millis)];
        }
        "floor" => return floors(),
        _ => return Vec::new(),
    };
    let conversion = |argument: &DataType| {
        let signature = Signature::new(name, vec![argument.clone()], result.clone());
        let (argument, result) = (argument.clone(), result.clone());
        ScalarFunction::new(signature, move |call| convert(call, &argument, &result))
            .with_monotonicity(Monotonicity::Always)
    };
    arguments.iter().map(conversion).collect()
}

/// A value of one type of time as another.
pub(super) fn convert(call: &Call<'_>, from: &DataType, to: &DataType) -> Answer {
    Ok(millis_of(from, call.argument(0)).map(|millis| match to {
        DataType::Date => calendar::date_of_millis(millis).0.to_be_bytes().to_vec(),
        _ => millis.to_be_bytes().to_vec(),
    }))
}

/// The milliseconds since 1970 of a value; `None` for null, which an empty value is taken for.
fn millis_of(data_type: &DataType, bytes: Option<&[u8]>) -> Option<i64> {
    match data_type {
        DataType::TimeUuid => {
            let bytes = bytes?.try_into().ok()?;
            time_uuid::unix_millis(&Uuid::from_bytes(bytes))
        }
        DataType::Date => date(bytes).map(calendar::millis_of_date),
        _ => timestamp(bytes),
    }
}

fn bound(name: &str, bound: fn(i64) -> Uuid) -> ScalarFunction {
    let signature = Signature::new(name, vec![DataType::Timestamp], DataType::TimeUuid);
    ScalarFunction::new(signature, move |call| {
        Ok(timestamp(call.argument(0)).map(|millis| bound(millis).as_bytes().to_vec()))
    })
}

fn floors() -> Vec<ScalarFunction> {
    let kinds = [
        (DataType::Timestamp, DataType::Timestamp),
        (DataType::TimeUuid, DataType::Timestamp),
        (DataType::Date, DataType::Date),
    ];
    let mut functions = Vec::new();
    for (moment, result) in kinds {
        let two = vec![moment, DataType::Duration];
        let three = [two.as_slice(), std::slice::from_ref(&result)].concat();
        functions.push(floor_function(two, &result));
        functions.push(floor_function(three, &result));
    }
    let signature = Signature::new(
        "floor",
        vec![DataType::Time, DataType::Duration],
        DataType::Time,
    );
    functions.push(
        ScalarFunction::new(signature, floor_of_time)
            .with_monotonicity(Monotonicity::InFirstArgument),
    );
    functions
}

fn floor_function(types: Vec<DataType>, result: &DataType) -> ScalarFunction {
    let signature = Signature::new("floor", types.clone(), result.clone());
    let result = result.clone();
    ScalarFunction::new(signature, move |call| {
        floor_of_moment(call, &types, &result)
    })
    .with_monotonicity(Monotonicity::InFirstArgument)
}

fn floor_of_moment(call: &Call<'_>, types: &[DataType], result: &DataType) -> Answer {
    let millis = |index: usize| millis_of(types.get(index)?, call.argument(index));
    let start = if types.len() > 2 { millis(2) } else { Some(0) };
    let (Some(moment), Some(duration), Some(start)) =
        (millis(0), duration(call.argument(1))?, start)
    else {
        return Ok(None);
    };
    if *result == DataType::Date && duration.nanoseconds() != 0 {
        return Err(Refusal::invalid(format!(
            "The floor on date values cannot be computed for the {duration} duration as precision \
             is below 1 day"
        )));
    }
    if !calendar::is_whole_millis(&duration) {
        return Err(Refusal::invalid(format!(
            "The floor cannot be computed for the {duration} duration as precision is below 1 \
             millisecond"
        )));
    }
    if start > moment {
        return Err(Refusal::invalid(
            "The floor function starting time is greater than the provided time",
        ));
    }
    check_not_negative(&duration)?;
    let floor = calendar::floor(moment, &duration, start);
    Ok(Some(match result {
        DataType::Date => calendar::date_of_millis(floor).0.to_be_bytes().to_vec(),
        _ => floor.to_be_bytes().to_vec(),
    }))
}

fn floor_of_time(call: &Call<'_>) -> Answer {
    let (Some(time), Some(duration)) = (timestamp(call.argument(0)), duration(call.argument(1))?)
    else {
        return Ok(None);
    };
    check_not_negative(&duration)?;
    let nanoseconds = duration.nanoseconds();
    let is_beyond_day = nanoseconds > stoa_types::Time::NANOS_PER_DAY;
    if duration.months() != 0 || duration.days() != 0 || is_beyond_day {
        return Err(Refusal::invalid(
            "For time values, the floor can only be computed for durations smaller that a day",
        ));
    }
    let beyond = time.checked_rem(nanoseconds).unwrap_or(0);
    Ok(Some(time.wrapping_sub(beyond).to_be_bytes().to_vec()))
}

fn check_not_negative(duration: &Duration) -> Result<(), Refusal> {
    if duration.months() < 0 || duration.days() < 0 || duration.nanoseconds() < 0 {
        return Err(Refusal::invalid(
            "Negative durations are not supported by the floor function",
        ));
    }
    Ok(())
}
