//! `USING`: the timestamp and the TTL of a write.

use stoa_cql::ast;
use stoa_store::cell::Expiry;
use stoa_types::DataType;

use crate::catalog::Table;
use crate::refusal::Refusal;
use crate::terms::{self, Context, Given, Receiver, Term, Values, Variables};

/// The longest TTL: twenty years.
const MAX_TTL_SECONDS: i32 = 20 * 365 * 24 * 60 * 60;

/// The last second at which something may expire, as Cassandra has it as long as it must be able
/// to go back to its version 4.
const LAST_EXPIRY: i64 = 0x7fff_fffe;

/// What `USING` says.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attributes {
    timestamp: Option<Term>,
    ttl: Option<Term>,
}

impl Attributes {
    /// Resolves `USING`.
    pub(crate) fn new(
        timestamp: Option<&ast::Term>,
        ttl: Option<&ast::Term>,
        context: &Context<'_>,
        variables: &mut Variables,
    ) -> Result<Self, Refusal> {
        let mut prepare = |term: Option<&ast::Term>, name: &str, data_type: DataType| {
            let receiver = Receiver::new(name, data_type);
            let prepared = term.map(|it| terms::prepare(it, &receiver, context, variables));
            prepared.transpose()
        };
        Ok(Self {
            timestamp: prepare(timestamp, "[timestamp]", DataType::BigInt)?,
            ttl: prepare(ttl, "[ttl]", DataType::Int)?,
        })
    }

    pub(crate) fn has_timestamp(&self) -> bool {
        self.timestamp.is_some()
    }

    pub(crate) fn has_ttl(&self) -> bool {
        self.ttl.is_some()
    }

    /// The timestamp in microseconds; `None` where it is the request's.
    pub(crate) fn timestamp(&self, values: &Values<'_>) -> Result<Option<i64>, Refusal> {
        let Some(term) = &self.timestamp else {
            return Ok(None);
        };
        let bytes = match term.give(values)? {
            Given::Bytes(bytes) => bytes,
            Given::Null => return Err(Refusal::invalid("Invalid null value of timestamp")),
            Given::Unset => return Ok(None),
        };
        let bytes = bytes.first_chunk::<8>().copied();
        let bytes = bytes.ok_or_else(|| Refusal::server("empty bytes for a timestamp"))?;
        let timestamp = i64::from_be_bytes(bytes);
        check_timestamp(timestamp)?;
        Ok(Some(timestamp))
    }

    /// When what is written at `now` (seconds) expires.
    pub(crate) fn expiry(
        &self,
        table: &Table,
        values: &Values<'_>,
        now: i64,
    ) -> Result<Option<Expiry>, Refusal> {
        let given = match &self.ttl {
            Some(term) => match term.give(values)? {
                Given::Bytes(bytes) => {
                    let bytes = bytes.first_chunk::<4>().copied();
                    Some(i32::from_be_bytes(bytes.unwrap_or_default()))
                }
                Given::Null => Some(0),
                Given::Unset => None,
            },
            None => None,
        };
        let ttl_seconds = given.unwrap_or(table.options.default_time_to_live);
        if ttl_seconds < 0 {
            return Err(Refusal::invalid(format!(
                "A TTL must be greater or equal to 0, but was {ttl_seconds}"
            )));
        }
        if ttl_seconds > MAX_TTL_SECONDS {
            return Err(Refusal::invalid(format!(
                "ttl is too large. requested ({ttl_seconds}) maximum ({MAX_TTL_SECONDS})"
            )));
        }
        if ttl_seconds == 0 {
            return Ok(None);
        }
        let expires_at = now + i64::from(ttl_seconds);
        if expires_at > LAST_EXPIRY {
            let which = if given.is_some() { "" } else { "default " };
            return Err(Refusal::invalid(format!(
                "Request on table {}.{} with {which}ttl of {ttl_seconds} seconds exceeds maximum supported expiration date of 2038-01-19T03:14:06+00:00",
                table.keyspace, table.name
            )));
        }
        Ok(Some(Expiry {
            ttl_seconds,
            expires_at,
        }))
    }
}

/// Refuses the one timestamp that means "never written".
pub(crate) fn check_timestamp(timestamp: i64) -> Result<(), Refusal> {
    if timestamp == i64::MIN {
        return Err(Refusal::invalid(format!(
            "Out of bound timestamp, must be in [{}, {}]",
            i64::MIN + 1,
            i64::MAX
        )));
    }
    Ok(())
}
