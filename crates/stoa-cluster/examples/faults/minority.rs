//! Two of three nodes down: nothing can be saved, and nobody may hear that it was.

use std::time::Duration;

use stoa_session::Outcome;
use stoa_testkit::nodes::{Control, Deed};
use stoa_types::clock::{Clock, SystemClock};

use crate::act;
use crate::ledger::{Fate, Ledger};
use crate::tables::Tables;

/// What was answered while two nodes were down, and after.
#[derive(Debug, Default)]
pub(crate) struct Minority {
    /// Said to be saved, which cannot be.
    pub(crate) saved: u64,
    /// Said not to be saved.
    pub(crate) refused: u64,
    /// Said to be unknown.
    pub(crate) unknown: u64,
    /// The longest answer.
    pub(crate) longest: Duration,
    /// How long after the nodes were back the same session saved again; `None` if it never did.
    pub(crate) recovered_after: Option<Duration>,
}

/// A client of its own in the ledger.
const CLIENT: i32 = 1_000;
const ATTEMPTS: i32 = 100;
/// How long the session may take to find the nodes again.
const RECOVERY: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

pub(crate) async fn run(
    tables: &Tables,
    control: &Control,
    ledger: &Ledger,
) -> Result<Minority, String> {
    act(control, Deed::Kill(2)).await?;
    act(control, Deed::Kill(3)).await?;
    let clock = SystemClock::new();
    let since = |begin: i64| {
        let micros = u64::try_from(clock.now_micros() - begin).unwrap_or_default();
        Duration::from_micros(micros)
    };
    let mut result = Minority::default();
    for number in 0..ATTEMPTS {
        let begin = clock.now_micros();
        let fate = match tables.save(CLIENT, number).await {
            Ok(()) => Fate::Saved,
            Err(error) if error.outcome() == Outcome::NotApplied => Fate::Refused,
            Err(_) => Fate::Unknown,
        };
        result.longest = result.longest.max(since(begin));
        match fate {
            Fate::Saved => result.saved += 1,
            Fate::Refused => result.refused += 1,
            Fate::Unknown => {
                result.unknown += 1;
                // It may be there in the end or not; nobody waits for it.
                continue;
            }
        }
        ledger.note_save(CLIENT, number, fate);
    }
    act(control, Deed::Start(2)).await?;
    act(control, Deed::Start(3)).await?;
    let begin = clock.now_micros();
    while since(begin) < RECOVERY {
        if tables.save(CLIENT, ATTEMPTS).await.is_ok() {
            result.recovered_after = Some(since(begin));
            break;
        }
        tokio::time::sleep(PAUSE).await;
    }
    Ok(result)
}
