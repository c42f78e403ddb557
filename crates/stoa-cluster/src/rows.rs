//! An answer of the driver as an answer of the waist: raw cells are copied, nothing is decoded.

use std::ops::ControlFlow;

use scylla::deserialize::row::ColumnIterator;
use scylla::response::PagingStateResponse;
use scylla::response::query_result::{QueryResult, QueryRowsResult};
use stoa_session::{Answer, Body, PagingState, Rows};

use crate::columns::Known;
use crate::failure::{Cause, unreadable};

/// One page with its warnings, and where the next begins.
pub(crate) fn answer(
    result: QueryResult,
    next: PagingStateResponse,
    known: &Known,
) -> Result<Answer, Cause> {
    let warnings = result.warnings().map(str::to_owned).collect();
    let body = if result.is_rows() {
        Body::Rows(rows(
            &result.into_rows_result().map_err(unreadable)?,
            known,
        )?)
    } else {
        Body::Done
    };
    Ok(Answer {
        body,
        next: following(next),
        warnings,
    })
}

fn following(next: PagingStateResponse) -> Option<PagingState> {
    match next.into_paging_control_flow() {
        ControlFlow::Continue(state) => state
            .as_bytes_slice()
            .map(|bytes| PagingState::from_bytes(bytes)),
        ControlFlow::Break(()) => None,
    }
}

fn rows(page: &QueryRowsResult, known: &Known) -> Result<Rows, Cause> {
    let mut rows = Rows::with_columns(known.of_page(page.column_specs().as_slice()));
    rows.reserve(page.rows_bytes_size());
    for row in page.rows::<ColumnIterator<'_, '_>>().map_err(unreadable)? {
        let mut broken = None;
        let cells = row.map_err(unreadable)?.map_while(|column| match column {
            Ok(column) => Some(column.slice.map(|slice| slice.as_slice())),
            Err(problem) => {
                broken = Some(problem);
                None
            }
        });
        let pushed = rows.push(cells);
        match broken {
            Some(problem) => return Err(unreadable(problem)),
            None => pushed.map_err(unreadable)?,
        }
    }
    Ok(rows)
}
