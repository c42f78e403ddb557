//! The tables of the voting domain: one file for each, with its statements and its rows.
//!
//! Statements are prepared once, when the tables are opened. How a table is written is said in
//! `schema/`: by conditional writes alone, or by plain ones whose write time makes them
//! repeatable in any order.

pub mod books;
pub mod breadth;
pub mod chain;
pub mod changes;
pub mod claims;
pub mod copies;
pub mod counts;
pub mod days;
pub mod discussion;
pub mod front_page;
pub mod happenings;
pub mod intents;
pub mod ledger;
pub mod logins;
pub mod merges;
pub mod moderation;
pub mod money;
pub mod origins;
pub mod outbox;
pub mod owners;
pub mod page_change;
pub mod pages;
pub mod places;
pub mod policies;
pub mod policy_facts;
pub mod policy_tags;
pub mod progress;
pub mod proposal_index;
pub mod proposals;
pub mod rank_history;
pub mod roles;
pub mod signals;
pub mod store_time;
pub mod tag_figures;
pub mod tag_suggestions;
pub mod tags;
pub mod talk;
pub mod telling;
pub mod tokens;
pub mod users;
pub mod watching;

use std::sync::Arc;
use std::time::Duration;

use stoa_session::{
    Consistency, Error, Options, Prepared, SerialConsistency, Session, Shortcuts, Statement,
};
use stoa_types::WriteTime;

use books::BooksReader;
use breadth::BreadthTable;
use chain::ChainTable;
use changes::ChangeTable;
use claims::ClaimTables;
use counts::CountTables;
use days::DaysTable;
use discussion::DiscussionTable;
use front_page::FrontPageTable;
use happenings::HappeningTables;
use intents::IntentTable;
use ledger::LedgerTables;
use logins::LoginTables;
use merges::MergeTable;
use moderation::{ModerationTable, Readers};
use money::MoneyTables;
use origins::OriginTables;
use outbox::OutboxTable;
use owners::OwnerTable;
use pages::PageTable;
use places::PlaceTables;
use policies::PolicyTable;
use policy_facts::FactsReader;
use policy_tags::PolicyTagTables;
use progress::ProgressTable;
use proposal_index::ProposalIndex;
use proposals::ProposalTable;
use rank_history::RankHistoryTables;
use roles::RoleTable;
use signals::SignalTables;
use store_time::StoreTime;
use tag_figures::TagFigureTables;
use tag_suggestions::TagSuggestionTable;
use tags::TagTables;
use talk::TalkTables;
use telling::TellingTables;
use tokens::TokenTable;
use users::UserTable;
use watching::WatchingTables;

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
    /// Signs of second accounts.
    pub signals: SignalTables,
    /// Who registered when and from where.
    pub origins: OriginTables,
    /// Mail to be sent.
    pub outbox: OutboxTable,
    /// What moderators did, for everybody to read.
    pub moderation: ModerationTable,
    /// What those with roles did besides, for admins to read.
    pub audit: ModerationTable,
    /// What people read about policies.
    pub pages: PageTable,
    /// Categories and parties.
    pub places: PlaceTables,
    /// What those say who carry policies out.
    pub progress: ProgressTable,
    /// What is on the front page.
    pub front_page: FrontPageTable,
    /// Merges that are proposed.
    pub proposals: ProposalTable,
    /// Where they are found.
    pub proposal_index: ProposalIndex,
    /// How much is said about policies.
    pub discussion: DiscussionTable,
    /// What happened, and who is told.
    pub happenings: HappeningTables,
    /// Which policies changed lately.
    pub changes: ChangeTable,
    /// How broadly policies are supported.
    pub breadth: BreadthTable,
    /// What boards are made of.
    pub facts: FactsReader,
    /// How policies were ranked.
    pub rank_history: RankHistoryTables,
    /// What people say and report.
    pub talk: TalkTables,
    /// Tags and their names.
    pub tags: TagTables,
    /// Which policy has which tags.
    pub policy_tags: PolicyTagTables,
    /// Tags that people suggest.
    pub tag_suggestions: TagSuggestionTable,
    /// What is counted of tags and categories.
    pub tag_figures: TagFigureTables,
    /// Who watches what.
    pub watching: WatchingTables,
    /// What those who tell remember.
    pub telling: TellingTables,
    /// Who created which policies.
    pub owners: OwnerTable,
    /// The public ledger.
    pub ledger: LedgerTables,
    /// What time it is there.
    pub store_time: StoreTime,
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
            origins: OriginTables::prepare(&base).await?,
            outbox: OutboxTable::prepare(&base).await?,
            moderation: ModerationTable::prepare(&base, Readers::Everybody).await?,
            audit: ModerationTable::prepare(&base, Readers::Admins).await?,
            pages: PageTable::prepare(&base).await?,
            places: PlaceTables::prepare(&base).await?,
            progress: ProgressTable::prepare(&base).await?,
            front_page: FrontPageTable::prepare(&base).await?,
            proposals: ProposalTable::prepare(&base).await?,
            proposal_index: ProposalIndex::prepare(&base).await?,
            discussion: DiscussionTable::prepare(&base).await?,
            happenings: HappeningTables::prepare(&base).await?,
            changes: ChangeTable::prepare(&base).await?,
            breadth: BreadthTable::prepare(&base).await?,
            facts: FactsReader::prepare(&base).await?,
            rank_history: RankHistoryTables::prepare(&base).await?,
            talk: TalkTables::prepare(&base).await?,
            tags: TagTables::prepare(&base).await?,
            policy_tags: PolicyTagTables::prepare(&base).await?,
            tag_suggestions: TagSuggestionTable::prepare(&base).await?,
            tag_figures: TagFigureTables::prepare(&base).await?,
            watching: WatchingTables::prepare(&base).await?,
            telling: TellingTables::prepare(&base).await?,
            owners: OwnerTable::prepare(&base).await?,
            ledger: LedgerTables::prepare(&base).await?,
            store_time: StoreTime::prepare(&base).await?,
            books: BooksReader::prepare(&base).await?,
        })
    }
}

/// The tables, a file for each of their subjects.
const SCHEMA: &[&str] = &[
    include_str!("tables/schema/counting.cql"),
    include_str!("tables/schema/accounts.cql"),
    include_str!("tables/schema/moderation.cql"),
    include_str!("tables/schema/pages.cql"),
    include_str!("tables/schema/discussion.cql"),
    include_str!("tables/schema/happenings.cql"),
    include_str!("tables/schema/rankings.cql"),
    include_str!("tables/schema/comments.cql"),
    include_str!("tables/schema/reports.cql"),
    include_str!("tables/schema/tags.cql"),
    include_str!("tables/schema/watching.cql"),
    include_str!("tables/schema/ledger.cql"),
];

/// On a cluster a read asks another replica soon when one does not answer. Reads of a new table would
/// wait for half of all the time they have when a node is gone.
const OF_EVERY_TABLE: &str = "speculative_retry = '50ms'";

/// The statements that create every table of a keyspace.
#[must_use]
pub fn schema(keyspace: &str) -> Vec<String> {
    let lines = SCHEMA.iter().flat_map(|text| text.lines());
    let lines = lines.filter(|line| !line.starts_with("--"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let statements = text.split(';').map(str::trim);
    let statements = statements.filter(|statement| !statement.is_empty());
    statements
        .map(|statement| with_options(statement.replace("{ks}", keyspace)))
        .collect()
}

fn with_options(mut statement: String) -> String {
    if statement.starts_with("CREATE TABLE") {
        let joined = if statement.contains(") WITH ") {
            "AND"
        } else {
            "WITH"
        };
        statement.push_str(&format!(" {joined} {OF_EVERY_TABLE}"));
    }
    statement
}

/// All nodes of a cluster have to agree on a new table, which a busy one takes its time for.
const TO_MAKE_A_TABLE: Duration = Duration::from_secs(60);

async fn create(session: &dyn Session, keyspace: &str) -> Result<(), Error> {
    let patient = Options::new().deadline(TO_MAKE_A_TABLE);
    for statement in schema(keyspace) {
        let statement = Statement::new(statement).with(patient.clone());
        session.run(&statement, None).await?;
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
