//! How places in a ranking changed since the day before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use maud::{Markup, html};
use stoa_votes::model::{PolicyId, RankingKind};
use stoa_votes::rules::ranking::RankingBoard;

use crate::visit::Frame;

/// Rankings of which the day before is remembered.
const MOST_KINDS: usize = 4;

type Ranks = Arc<HashMap<PolicyId, usize>>;

/// The ranks at the end of the last closed day, for the board that there is.
#[derive(Debug, Default)]
pub struct KnownMoves(Mutex<Vec<(Arc<RankingBoard>, RankingKind, Ranks)>>);

impl KnownMoves {
    /// The ranks of all active policies at the end of the last closed day; nothing for what is not
    /// ranked by votes.
    #[must_use]
    pub fn before(&self, board: &Arc<RankingBoard>, kind: RankingKind) -> Ranks {
        if !kind.is_of_votes() {
            return Ranks::default();
        }
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(of, _, _)| Arc::ptr_eq(of, board));
        if let Some((_, _, ranks)) = known.iter().find(|(_, of, _)| *of == kind) {
            return Arc::clone(ranks);
        }
        let ranks: Ranks = Arc::new(board.ranks_on(kind, board.closed_through()));
        if known.len() < MOST_KINDS {
            known.push((Arc::clone(board), kind, Arc::clone(&ranks)));
        }
        ranks
    }
}

/// How a place changed, in words for those who do not see the arrow.
#[must_use]
pub fn shown(frame: &Frame, before: Option<usize>, now: usize) -> Markup {
    let texts = &frame.texts.front;
    let number = |places: usize| {
        frame
            .texts
            .format
            .number(i64::try_from(places).unwrap_or(0))
    };
    html! {
        @match before {
            None => { span aria-hidden="true" { "·" } span.vh { (texts.not_ranked_before) } },
            Some(before) if before > now => {
                span.up {
                    span aria-hidden="true" { "▲ " (number(before - now)) }
                    span.vh { ((texts.places_up)(before - now)) }
                }
            },
            Some(before) if before < now => {
                span aria-hidden="true" { "▼ " (number(now - before)) }
                span.vh { ((texts.places_down)(now - before)) }
            },
            Some(_) => { span aria-hidden="true" { "–" } span.vh { (texts.unchanged) } },
        }
    }
}
