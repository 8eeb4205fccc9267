//! The calls of a model server, and the cost of its runs of this month.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Double, Jsonb, Nullable, Text, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::{Deserialize, Serialize};
use simulation::key_owner::KeyOwner;
use simulation::money::{Money, Price, Tokens};
use simulation::parameters::DEFAULT_SERVER;
use utoipa::ToSchema;

use crate::models::summed_tokens::{SUMMED_TOKENS, SummedTokens};

/// Calls of a model server in a minute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema, QueryableByName)]
pub struct ServerMinute {
    #[diesel(sql_type = Timestamptz)]
    pub minute: DateTime<Utc>,
    /// Calls that were answered.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 412)]
    pub calls: i64,
}

/// Calls of the live workers at a model server, now and in the last minute.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema, QueryableByName)]
#[serde(rename_all = "camelCase")]
pub struct ServerTraffic {
    /// Calls that were answered in the last 60 seconds. The minute before the present one counts by the part that is left.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 412)]
    pub requests_per_minute: i64,
    /// Tokens of these calls.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 441_000)]
    pub tokens_per_minute: i64,
    /// Calls under way.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 15)]
    pub in_flight: i64,
    /// Calls that wait for the limits.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 0)]
    pub waiting_calls: i64,
    /// Requests of active runs that are still open.
    #[diesel(sql_type = BigInt)]
    #[schema(example = 1206)]
    pub open_requests: i64,
}

/// Reads what happens at the server now.
pub async fn traffic(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<ServerTraffic> {
    sql_query(
        "SELECT recent.calls AS requests_per_minute, recent.tokens AS tokens_per_minute, held.in_flight,
             held.waiting AS waiting_calls, coalesce(open.requests, 0)::bigint AS open_requests
         FROM (SELECT coalesce(round(sum(calls * part)), 0)::bigint AS calls,
                   coalesce(round(sum(tokens * part)), 0)::bigint AS tokens
               FROM model_server_minutes, LATERAL (SELECT CASE WHEN minute = date_trunc('minute', now()) THEN 1
                   ELSE 1 - extract(second FROM now()) / 60 END AS part) AS counted
               WHERE server = $1 AND minute >= date_trunc('minute', now()) - interval '1 minute') AS recent,
             (SELECT coalesce(sum(worker_shares.in_flight), 0)::bigint AS in_flight,
                   coalesce(sum(waiting), 0)::bigint AS waiting
               FROM worker_shares JOIN workers ON id = worker_id
               WHERE server = $1 AND lease_until > now()) AS held,
             (SELECT sum(open_requests) AS requests FROM simulations
               WHERE status IN ('QUEUED', 'RUNNING') AND coalesce(model_server, $2) = $1) AS open",
    )
    .bind::<Text, _>(server)
    .bind::<Text, _>(DEFAULT_SERVER)
    .get_result(conn)
    .await
}

/// Whether a run has asked the server.
pub async fn was_asked(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<bool> {
    let asked = sql_query(
        "SELECT FROM model_server_minutes WHERE server = $1
         UNION ALL (SELECT FROM simulations WHERE coalesce(model_server, $2) = $1 AND calls > 0 LIMIT 1) LIMIT 1",
    );
    let rows = asked.bind::<Text, _>(server).bind::<Text, _>(DEFAULT_SERVER).execute(conn).await?;
    Ok(rows > 0)
}

/// Reads the calls of each minute of the last hour, the oldest first. Minutes without a call are among them.
pub async fn last_hour(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<Vec<ServerMinute>> {
    sql_query(
        "SELECT series.minute, coalesce(counted.calls, 0)::bigint AS calls
         FROM generate_series(date_trunc('minute', now()) - interval '60 minutes',
             date_trunc('minute', now()) - interval '1 minute', interval '1 minute') AS series (minute)
             LEFT JOIN model_server_minutes AS counted ON counted.minute = series.minute AND counted.server = $1
         ORDER BY series.minute",
    )
    .bind::<Text, _>(server)
    .load(conn)
    .await
}

/// Use of a model server by the runs that started this month.
#[derive(Clone, Debug, Default, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ServerMonth {
    #[schema(example = 61)]
    pub runs: i64,
    /// Part of the prompt tokens that the server read from its cache. Null: nothing was asked.
    #[schema(example = 0.71)]
    pub cached_share: Option<f64>,
    /// Sums of money, by key and currency. Runs whose price is not known are left out.
    pub money: Vec<ServerMoney>,
}

/// Money that runs with one key have cost.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct ServerMoney {
    pub key: KeyOwner,
    pub spent: Money,
    /// Savings by the server's cache, less what writes to it cost more. Negative where that is more.
    pub saved: Money,
}

#[derive(QueryableByName)]
struct MonthRow {
    #[diesel(sql_type = Nullable<Jsonb>)]
    price: Option<serde_json::Value>,
    #[diesel(sql_type = Nullable<Text>)]
    key: Option<String>,
    #[diesel(sql_type = BigInt)]
    runs: i64,
    #[diesel(embed)]
    tokens: SummedTokens,
}

/// Sums up the runs of the server that were created since the beginning of the month (UTC).
pub async fn this_month(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<ServerMonth> {
    let rows: Vec<MonthRow> = sql_query(format!(
        "SELECT parameters -> 'price' AS price, parameters ->> 'keyOwner' AS key, count(*) AS runs, {SUMMED_TOKENS}
         FROM simulations
         WHERE coalesce(model_server, $2) = $1 AND created_at >= date_trunc('month', now() AT TIME ZONE 'UTC') AT TIME ZONE 'UTC'
         GROUP BY 1, 2",
    ))
    .bind::<Text, _>(server)
    .bind::<Text, _>(DEFAULT_SERVER)
    .load(conn)
    .await?;
    Ok(sum(&rows))
}

fn sum(rows: &[MonthRow]) -> ServerMonth {
    let mut sums: Vec<(KeyOwner, Price, i64, i64)> = Vec::new();
    let mut all = Tokens::default();
    for row in rows {
        let tokens = Tokens::from(row.tokens);
        (all.prompt, all.cached) = (all.prompt + tokens.prompt, all.cached + tokens.cached);
        let Some(price) = row.price.as_ref().and_then(|price| Price::deserialize(price).ok()) else { continue };
        let key = if row.key.as_deref() == Some("group") { KeyOwner::Group } else { KeyOwner::Instance };
        let (spent, saved) = (price.cost(tokens), price.saved_by_cache(tokens));
        match sums.iter_mut().find(|(owner, of, ..)| *owner == key && of.currency == price.currency) {
            Some((_, _, spent_before, saved_before)) => {
                (*spent_before, *saved_before) = (*spent_before + spent, *saved_before + saved);
            }
            None => sums.push((key, price, spent, saved)),
        }
    }
    sums.sort_by(|(a, price, ..), (b, other, ..)| (a, &price.currency).cmp(&(b, &other.currency)));
    let money = |(key, price, spent, saved): (KeyOwner, Price, i64, i64)| ServerMoney {
        key,
        spent: price.money(spent),
        saved: price.money(saved),
    };
    ServerMonth {
        runs: rows.iter().map(|row| row.runs).sum(),
        cached_share: all.cached_share(),
        money: sums.into_iter().map(money).collect(),
    }
}

#[derive(QueryableByName)]
struct MedianSeconds {
    #[diesel(sql_type = Nullable<Double>)]
    seconds: Option<f64>,
}

/// Seconds within which half of the calls of the server's newest run with answers were answered: over its first 500 answers.
/// `None`: there is none, or it was asked in batches.
pub async fn median_seconds(conn: &mut AsyncPgConnection, server: &str) -> QueryResult<Option<f64>> {
    let median: MedianSeconds = sql_query(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY measured.latency_ms) / 1000 AS seconds
         FROM (SELECT latency_ms FROM responses
             WHERE simulation_id = (SELECT id FROM simulations
                 WHERE coalesce(model_server, $2) = $1 AND successful_requests > 0 AND NOT parameters ? 'batch'
                 ORDER BY id DESC LIMIT 1)
             ORDER BY persona_id, question_id LIMIT 500) AS measured",
    )
    .bind::<Text, _>(server)
    .bind::<Text, _>(DEFAULT_SERVER)
    .get_result(conn)
    .await?;
    Ok(median.seconds)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn row(price: serde_json::Value, key: Option<&str>) -> MonthRow {
        MonthRow {
            price: Some(price),
            key: key.map(str::to_owned),
            runs: 2,
            tokens: SummedTokens {
                prompt: 1_000_000,
                cached: 500_000,
                cache_write: 0,
                completion: 100_000,
                reasoning: 0,
            },
        }
    }

    #[test]
    fn money_is_summed_by_key_and_currency_and_runs_without_a_price_count_without_money() {
        let usd = json!({"currency": "USD", "prompt": 2_000_000, "cached": 1_000_000, "completion": 10_000_000});
        let eur = json!({"currency": "EUR", "prompt": 1_000_000, "cached": 1_000_000, "completion": 1_000_000});
        let unpriced = MonthRow { price: None, ..row(json!(null), None) };
        let month =
            sum(&[row(usd.clone(), None), row(eur, None), row(usd.clone(), Some("group")), row(usd, None), unpriced]);
        let money: Vec<_> =
            month.money.iter().map(|sum| (sum.key, sum.spent.to_string(), sum.saved.to_string())).collect();
        let line = |key, spent: &str, saved: &str| (key, spent.to_owned(), saved.to_owned());
        assert_eq!(
            money,
            [
                line(KeyOwner::Instance, "EUR 1.10", "EUR 0.00"),
                line(KeyOwner::Instance, "USD 5.00", "USD 1.00"),
                line(KeyOwner::Group, "USD 2.50", "USD 0.50"),
            ]
        );
        assert_eq!((month.runs, month.cached_share), (10, Some(0.5)));
    }
}
