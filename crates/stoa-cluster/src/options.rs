//! Options of the waist as settings of the driver's statements.

use scylla::statement::{Consistency as TheirLevel, SerialConsistency as TheirSerialLevel};
use stoa_session::{Consistency, SerialConsistency};

/// Sets everything about a statement, whichever of the driver's three kinds it is: they have the
/// same setters and no trait in common. What is not set is as the session's profile has it.
macro_rules! configure {
    ($statement:ident, $options:expr, $plan:expr) => {{
        let (options, plan) = (&$options, &$plan);
        if let Some(level) = options.consistency {
            $statement.set_consistency($crate::options::level(level));
        }
        if let Some(level) = options.serial_consistency {
            $statement.set_serial_consistency(Some($crate::options::serial_level(level)));
        }
        if let Some(time) = options.timestamp {
            $statement.set_timestamp(Some(time.as_micros()));
        }
        $statement.set_is_idempotent(plan.may_repeat);
        if let Some(policy) = plan.retries {
            let policy: std::sync::Arc<dyn scylla::policies::retry::RetryPolicy> = policy.clone();
            $statement.set_retry_policy(Some(policy));
        }
        $statement.set_history_listener(plan.attempts.clone());
    }};
}

pub(crate) use configure;

/// A level as the driver has it.
pub(crate) fn level(level: Consistency) -> TheirLevel {
    match level {
        Consistency::Any => TheirLevel::Any,
        Consistency::One => TheirLevel::One,
        Consistency::Two => TheirLevel::Two,
        Consistency::Three => TheirLevel::Three,
        Consistency::Quorum => TheirLevel::Quorum,
        Consistency::All => TheirLevel::All,
        Consistency::LocalQuorum => TheirLevel::LocalQuorum,
        Consistency::EachQuorum => TheirLevel::EachQuorum,
        Consistency::Serial => TheirLevel::Serial,
        Consistency::LocalSerial => TheirLevel::LocalSerial,
        Consistency::LocalOne => TheirLevel::LocalOne,
    }
}

/// A level as the driver has it.
pub(crate) fn serial_level(level: SerialConsistency) -> TheirSerialLevel {
    match level {
        SerialConsistency::Serial => TheirSerialLevel::Serial,
        SerialConsistency::LocalSerial => TheirSerialLevel::LocalSerial,
    }
}

/// Whether a read at this level is a round between replicas, as a conditional write is.
pub(crate) fn is_serial(level: Consistency) -> bool {
    matches!(level, Consistency::Serial | Consistency::LocalSerial)
}
