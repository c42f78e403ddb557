//! Functions of no arguments: the present moment and new identifiers.

use stoa_types::{DataType, Date, Time};

use super::function::{Answer, Call, ScalarFunction, Signature};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// The function of this name: one or none.
pub(super) fn overloads(name: &str) -> Vec<ScalarFunction> {
    let (result, body): (DataType, fn(&Call<'_>) -> Answer) = match name {
        "now" | "current_timeuuid" | "currenttimeuuid" => (DataType::TimeUuid, time_uuid),
        "current_timestamp" | "currenttimestamp" => (DataType::Timestamp, timestamp),
        "current_date" | "currentdate" => (DataType::Date, date),
        "current_time" | "currenttime" => (DataType::Time, time),
        "uuid" => (DataType::Uuid, uuid),
        _ => return Vec::new(),
    };
    let signature = Signature::new(name, Vec::new(), result);
    vec![ScalarFunction::new(signature, body).not_deterministic()]
}

fn time_uuid(call: &Call<'_>) -> Answer {
    Ok(Some(call.environment.ids.time_uuid().as_bytes().to_vec()))
}

fn uuid(call: &Call<'_>) -> Answer {
    Ok(Some(call.environment.ids.uuid().as_bytes().to_vec()))
}

fn timestamp(call: &Call<'_>) -> Answer {
    let millis = call.environment.clock.now_micros().div_euclid(1_000);
    Ok(Some(millis.to_be_bytes().to_vec()))
}

fn date(call: &Call<'_>) -> Answer {
    let days = call
        .environment
        .clock
        .now_micros()
        .div_euclid(MICROS_PER_DAY);
    let date = Date::from_days_since_epoch(i32::try_from(days).unwrap_or(i32::MAX));
    Ok(Some(date.0.to_be_bytes().to_vec()))
}

fn time(call: &Call<'_>) -> Answer {
    let of_day = call
        .environment
        .clock
        .now_micros()
        .rem_euclid(MICROS_PER_DAY);
    Ok(Some(Time(of_day * 1_000).0.to_be_bytes().to_vec()))
}
