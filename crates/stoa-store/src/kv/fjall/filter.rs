//! Hands the compaction rule to fjall.

use std::cell::Cell;
use std::sync::Arc;

use ::fjall::compaction::filter::{
    CompactionFilter, CompactionFilterResult, Context, Factory, ItemAccessor, Verdict,
};

use crate::kv::{self, CompactionRule, SpaceId};

thread_local! {
    /// How many compactions this thread has finished.
    static FINISHED: Cell<u64> = const { Cell::new(0) };
}

/// How many compactions the calling thread has finished. fjall does not say whether a compaction
/// it was asked for took place: it does nothing while another one has the tables.
pub(super) fn finished_by_this_thread() -> u64 {
    FINISHED.get()
}

/// Makes the filter for each compaction of one space.
pub(super) struct SpaceFactory {
    pub(super) space: SpaceId,
    pub(super) rule: Arc<dyn CompactionRule>,
}

impl Factory for SpaceFactory {
    fn name(&self) -> &str {
        "stoa"
    }

    fn make_filter(&self, _: &Context) -> Box<dyn CompactionFilter> {
        Box::new(SpaceFilter {
            space: self.space,
            rule: Arc::clone(&self.rule),
        })
    }
}

struct SpaceFilter {
    space: SpaceId,
    rule: Arc<dyn CompactionRule>,
}

impl CompactionFilter for SpaceFilter {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _: &Context) -> CompactionFilterResult {
        // Never `Destroy`: an older version of the key further down would come back.
        Ok(
            match self.rule.judge(self.space, item.key(), &item.value()?) {
                kv::Verdict::Keep => Verdict::Keep,
                kv::Verdict::Remove => Verdict::Remove,
                kv::Verdict::Replace(value) => Verdict::ReplaceValue(value.into()),
            },
        )
    }

    fn finish(self: Box<Self>) {
        FINISHED.set(FINISHED.get() + 1);
    }
}
