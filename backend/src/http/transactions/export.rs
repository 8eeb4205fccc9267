//! The ledger as CSV, a part of the entries in memory at a time.

use std::fmt::Write;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use chrono::SecondsFormat;
use export::csv;
use futures_util::stream::{self, Stream, StreamExt};

use super::TransactionView;
use super::lists::LedgerQuery;
use crate::app::App;
use crate::auth::rules::{Caller, EntryVisibility};
use crate::db::{self, AsyncPool};
use crate::http::download::attach;
use crate::http::error::{ApiError, Result};
use crate::http::extract::Query;
use crate::http::request_id::logged;
use crate::models::transactions::lists as entries;

/// Entries that are read at once.
const CHUNK: usize = 500;

/// The entries that the caller sees, as CSV
///
/// Columns: id, date, type, description, user, group, amount with its sign, effect on the budget, balance after it, and the
/// run that it pays for.
#[utoipa::path(
    get, path = "", operation_id = "export_all_transactions",
    params(LedgerQuery),
    responses((status = 200, description = "A line for each entry", body = String))
)]
pub async fn all(app: Data<App>, caller: Caller, Query(query): Query<LedgerQuery>) -> Result<HttpResponse> {
    let visible = EntryVisibility::load(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, caller, &visible, &query).await
}

/// The entries that the caller sees of the groups that they own or belong to, as CSV
///
/// The same columns as of `/transactions/all/export.csv`.
#[utoipa::path(
    get, path = "", operation_id = "export_transactions_of_own_groups",
    params(LedgerQuery),
    responses((status = 200, description = "A line for each entry", body = String))
)]
pub async fn of_own_groups(app: Data<App>, caller: Caller, Query(query): Query<LedgerQuery>) -> Result<HttpResponse> {
    let visible = EntryVisibility::of_own_groups(&mut *db::checkout(&app.pool).await?, &caller).await?;
    answer(&app, caller, &visible, &query).await
}

async fn answer(app: &App, caller: Caller, visible: &EntryVisibility, query: &LedgerQuery) -> Result<HttpResponse> {
    let mut conn = db::checkout(&app.pool).await?;
    let order = (query.sort, query.order);
    let ids = entries::ids(&mut conn, visible.entries(), &query.filter()?, order).await?;
    drop(conn);
    Ok(attach(&mut HttpResponse::Ok(), "transactions.csv").streaming(lines(app.pool.clone(), caller, ids)))
}

const COLUMNS: [&str; 13] = [
    "id",
    "date",
    "type",
    "description",
    "userName",
    "userEmail",
    "group",
    "amount",
    "effect",
    "balance",
    "simulationId",
    "reverses",
    "reversedAt",
];

/// A connection is taken for each part only: a slow reader holds none. An error ends the stream.
fn lines(pool: AsyncPool, caller: Caller, ids: Vec<i64>) -> impl Stream<Item = Result<Bytes>> {
    let state = (pool, caller, ids, 0);
    let rows = stream::try_unfold(state, async |(pool, caller, ids, part)| {
        let Some(chunk) = ids.chunks(CHUNK).nth(part) else { return Ok::<_, ApiError>(None) };
        let shown = async { Ok(TransactionView::of(&mut *db::checkout(&pool).await?, &caller, chunk).await) };
        let shown = db::in_time(shown).await??;
        let mut out = Vec::new();
        for entry in &shown {
            line(entry, &mut out);
        }
        Ok(Some((Bytes::from(out), (pool, caller, ids, part + 1))))
    });
    let head = stream::once(async { Ok(Bytes::from(csv::head(&COLUMNS))) });
    logged(head.chain(rows))
}

fn line(shown: &TransactionView, out: &mut Vec<u8>) {
    let TransactionView { entry, balance, simulation_id, group_user } = shown;
    let account = group_user.as_ref();
    let time = |at: chrono::DateTime<chrono::Utc>| at.to_rfc3339_opts(SecondsFormat::Millis, true);
    let sign = if entry.type_ == "MINES" { "-" } else { "" };
    let mut plain = String::new();
    // Writing to a String cannot fail.
    let _ = write!(plain, "{},{},{},", entry.id, time(entry.created_at), entry.type_);
    out.extend_from_slice(plain.as_bytes());
    let name = account.and_then(|account| account.user.user.name.as_deref()).unwrap_or_default();
    let email = account.map_or("", |account| &account.user.user.email);
    let group = account.map_or("", |account| &account.group.group.group_name);
    for text in [entry.description.as_str(), name, email, group] {
        csv::text(out, text, false);
        out.push(b',');
    }
    plain.clear();
    let _ = write!(
        plain,
        "{sign}{},{},{balance},{},{},{}\r\n",
        entry.amount,
        entry.effect,
        simulation_id.map(|id| id.to_string()).unwrap_or_default(),
        entry.reverses.map(|id| id.to_string()).unwrap_or_default(),
        entry.reversed_at.map(time).unwrap_or_default(),
    );
    out.extend_from_slice(plain.as_bytes());
}
