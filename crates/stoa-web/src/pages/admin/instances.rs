//! The instances that live: programs that serve this community together.

use maud::html;

use super::{none, page, short_id};
use crate::route::Outcome;
use crate::visit::Visit;

const LIST: &str = "/admin/instances";

/// `GET /admin/instances`
pub async fn show(visit: Visit) -> Outcome {
    let (texts, format) = (&visit.texts.admin_running, &visit.texts.format);
    let title = visit.texts.admin.instances;
    let Some(background) = visit.app.background() else {
        let main = html! { h1 { (title) } (none(title, texts.nothing_runs)) };
        return Ok(page(&visit, LIST, title, &main));
    };
    let mut live = background.tables.instances.live().await?;
    live.sort_by_key(|it| (it.started.map(|at| at.0), it.id));
    let main = html! {
        h1 { (title) }
        p.text { (texts.instances_about) }
        @if live.is_empty() { (none(texts.no_instances, texts.no_instances_more)) } @else {
            table.tbl.fold role="table" {
                caption.vh { (title) }
                thead role="rowgroup" { tr role="row" {
                    th role="columnheader" scope="col" { (texts.instance) }
                    th role="columnheader" scope="col" { (texts.version) }
                    th role="columnheader" scope="col" { (texts.started) }
                    th.n role="columnheader" scope="col" { (texts.load) }
                } }
                tbody role="rowgroup" { @for it in &live {
                    tr role="row" {
                        th role="rowheader" scope="row" {
                            code { (short_id(it.id)) }
                            @if it.id == background.instance { " " span.badge.is-info { (texts.this_one) } }
                        }
                        td role="cell" data-l=(texts.version) { (it.version) }
                        td role="cell" data-l=(texts.started) {
                            @if let Some(at) = it.started { (format.moment(at.0.saturating_mul(1_000))) }
                        }
                        td.n role="cell" data-l=(texts.load) { (format!("{:.2}", it.load)) }
                    }
                } }
            }
        }
    };
    Ok(page(&visit, LIST, title, &main))
}
