//! The tables of the voting domain: one file for each, with its statements and its rows.
//!
//! Statements are prepared once, when the tables are opened. How a table is written is said in
//! `schema/`: by conditional writes alone, or by plain ones whose write time makes them
//! repeatable in any order.

pub mod books;
pub mod chain;
pub mod claims;
pub mod counts;
pub mod days;
pub mod discussion;
pub mod happenings;
pub mod intents;
pub mod logins;
pub mod merges;
pub mod moderation;
pub mod money;
pub mod outbox;
pub mod pages;
pub mod policies;
pub mod roles;
pub mod signals;
pub mod tokens;
pub mod users;

use std::sync::Arc;

use stoa_session::{
    Consistency, Error, Options, Prepared, SerialConsistency, Session, Shortcuts, Statement,
};
use stoa_types::WriteTime;

use books::BooksReader;
use chain::ChainTable;
use claims::ClaimTables;
use counts::CountTables;
use days::DaysTable;
use discussion::DiscussionTable;
use happenings::HappeningTables;
use intents::IntentTable;
use logins::LoginTables;
use merges::MergeTable;
use moderation::ModerationTable;
use money::MoneyTables;
use outbox::OutboxTable;
use pages::PageTable;
use policies::PolicyTable;
use roles::RoleTable;
use signals::SignalTables;
use tokens::TokenTable;
use users::UserTable;

/// Every table.
#[derive(Debug)]
pub struct Tables {
    /// The chains of users.
    pub chain: ChainTable,
    /// What is about to be decided.
    pub intents: IntentTable,
    /// Where policies stand.
    pub policies: PolicyTable,
    /// What is derived from chains.
    pub counts: CountTables,
    /// Which days are closed.
    pub days: DaysTable,
    /// Salaries and what they are.
    pub money: MoneyTables,
    /// Merges under way.
    pub merges: MergeTable,
    /// Accounts of people.
    pub users: UserTable,
    /// Who has a name or an address.
    pub claims: ClaimTables,
    /// What users may do.
    pub roles: RoleTable,
    /// Who is signed in.
    pub logins: LoginTables,
    /// What links in mails are good for.
    pub tokens: TokenTable,
    /// Signs of second accounts, and cases.
    pub signals: SignalTables,
    /// Mail to be sent.
    pub outbox: OutboxTable,
    /// What moderators did.
    pub moderation: ModerationTable,
    /// What lists need of policies.
    pub pages: PageTable,
    /// How much is said about policies.
    pub discussion: DiscussionTable,
    /// What happened, and who is told.
    pub happenings: HappeningTables,
    /// All of it at once.
    pub books: BooksReader,
}

impl Tables {
    /// Creates the tables that are missing in a keyspace, and prepares what is asked of them.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn open(session: Arc<dyn Session>, keyspace: &str) -> Result<Self, Error> {
        create(&*session, keyspace).await?;
        Self::prepare(session, keyspace).await
    }

    /// Prepares what is asked of tables that exist.
    ///
    /// # Errors
    /// Those of the session.
    pub async fn prepare(session: Arc<dyn Session>, keyspace: &str) -> Result<Self, Error> {
        let base = Base { session, keyspace };
        Ok(Self {
            chain: ChainTable::prepare(&base).await?,
            intents: IntentTable::prepare(&base).await?,
            policies: PolicyTable::prepare(&base).await?,
            counts: CountTables::prepare(&base).await?,
            days: DaysTable::prepare(&base).await?,
            money: MoneyTables::prepare(&base).await?,
            merges: MergeTable::prepare(&base).await?,
            users: UserTable::prepare(&base).await?,
            claims: ClaimTables::prepare(&base).await?,
            roles: RoleTable::prepare(&base).await?,
            logins: LoginTables::prepare(&base).await?,
            tokens: TokenTable::prepare(&base).await?,
            signals: SignalTables::prepare(&base).await?,
            outbox: OutboxTable::prepare(&base).await?,
            moderation: ModerationTable::prepare(&base).await?,
            pages: PageTable::prepare(&base).await?,
            discussion: DiscussionTable::prepare(&base).await?,
            happenings: HappeningTables::prepare(&base).await?,
            books: BooksReader::prepare(&base).await?,
        })
    }
}

/// The tables, a file for each of their subjects.
const SCHEMA: [&str; 6] = [
    include_str!("tables/schema/counting.cql"),
    include_str!("tables/schema/accounts.cql"),
    include_str!("tables/schema/moderation.cql"),
    include_str!("tables/schema/pages.cql"),
    include_str!("tables/schema/discussion.cql"),
    include_str!("tables/schema/happenings.cql"),
];

/// The statements that create every table of a keyspace.
#[must_use]
pub fn schema(keyspace: &str) -> Vec<String> {
    let lines = SCHEMA.iter().flat_map(|text| text.lines());
    let lines = lines.filter(|line| !line.starts_with("--"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let statements = text.split(';').map(str::trim);
    let statements = statements.filter(|statement| !statement.is_empty());
    statements
        .map(|statement| statement.replace("{ks}", keyspace))
        .collect()
}

async fn create(session: &dyn Session, keyspace: &str) -> Result<(), Error> {
    for statement in schema(keyspace) {
        session.run(&Statement::new(statement), None).await?;
    }
    Ok(())
}

/// What tables are prepared with.
struct Base<'a> {
    session: Arc<dyn Session>,
    keyspace: &'a str,
}

impl Base<'_> {
    async fn prepare(&self, text: &str) -> Result<Prepared, Error> {
        let text = text.replace("{ks}", self.keyspace);
        self.session.prepare(&text).await
    }

    fn session(&self) -> Arc<dyn Session> {
        Arc::clone(&self.session)
    }
}

/// A read that sees every acknowledged plain write.
fn quorum() -> Options {
    Options::new().consistency(Consistency::Quorum).idempotent()
}

/// A read that sees every conditional write, and leaves none undecided.
fn serial() -> Options {
    Options::new().consistency(Consistency::Serial).idempotent()
}

/// A conditional write.
fn conditional() -> Options {
    Options::new()
        .consistency(Consistency::Quorum)
        .serial_consistency(SerialConsistency::Serial)
}

/// A plain write of a given time, which may be repeated.
fn written_at(micros: i64) -> Options {
    let options = quorum();
    match WriteTime::from_micros(micros) {
        Some(time) => options.timestamp(time),
        None => options,
    }
}

/// Executes a plain write of a given time.
async fn write(
    session: &dyn Session,
    prepared: &Prepared,
    values: impl stoa_session::ToValues,
    at_micros: i64,
) -> Result<(), Error> {
    let bound = prepared.bind(values)?.with(written_at(at_micros));
    session.execute(&bound, None).await.map(|_| ())
}

/// Executes a conditional write; whether it was applied.
async fn decide(
    session: &dyn Session,
    prepared: &Prepared,
    values: impl stoa_session::ToValues,
) -> Result<bool, Error> {
    let bound = prepared.bind(values)?.with(conditional());
    Ok(session.apply(&bound).await?.is_yes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_one_statement_for_each_table() {
        let statements = schema("votes");
        assert!(statements.len() > SCHEMA.len());
        for statement in statements {
            assert!(
                statement.starts_with("CREATE TABLE IF NOT EXISTS votes."),
                "{statement}"
            );
        }
    }
}
