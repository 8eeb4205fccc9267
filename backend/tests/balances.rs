//! Balances next to the entries of the ledger. They are added up from the member's first entry or back from the budget.

use std::collections::HashMap;

use diesel::prelude::*;
use diesel::sql_types::BigInt;
use diesel_async::RunQueryDsl;
use twinlab::models::users::Role;

use crate::support::sample::{self, PlantedRun};
use crate::support::with_app;

/// A thousand entries of the member before their run's entry and a thousand after it, two at a time.
const ENTRIES: &str = "
    INSERT INTO transactions (group_id, user_id, type, amount, effect, description, created_at)
        SELECT 1, 2, 'ADD', 1 + n % 7, 1 + n % 7, 'Grant', booked.created_at + n / 2 * interval '1 minute'
        FROM generate_series(0, 1000) AS n, transactions AS booked WHERE booked.simulation_id = 7
        UNION ALL
        SELECT 1, 2, 'ADD', 1 + n % 7, 1 + n % 7, 'Grant', booked.created_at - n / 2 * interval '1 minute'
        FROM generate_series(1, 1000) AS n, transactions AS booked WHERE booked.simulation_id = 7;
    UPDATE group_members SET budget = (SELECT sum(effect) FROM transactions WHERE user_id = 2) WHERE user_id = 2";

#[derive(QueryableByName)]
struct Balance {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = BigInt)]
    balance: i64,
}

#[tokio::test]
async fn every_page_of_a_member_with_many_entries_shows_the_balance_after_each() {
    with_app(async |app| {
        let connection = &mut *app.connection().await;
        sample::plant(connection, PlantedRun::Failed).await;
        sample::run(connection, ENTRIES).await;
        let sums: Vec<Balance> = diesel::sql_query(
            "SELECT id, (sum(effect) OVER (ORDER BY created_at, id))::bigint AS balance
             FROM transactions WHERE user_id = 2",
        )
        .load(connection)
        .await
        .expect("the query runs");
        let sums: HashMap<i64, i64> = sums.into_iter().map(|sum| (sum.id, sum.balance)).collect();
        let member = app.client("user@test.example", Role::User).await;
        for (page, expected) in [
            ("limit=500", 500),
            ("limit=500&order=asc", 500),
            ("limit=500&offset=900", 500),
            ("limit=500&offset=1800", sums.len() - 1_800),
            ("limit=500&sort=amount", 500),
            ("limit=50&type=MINES", 1),
        ] {
            let entries = member.get(&format!("/api/transactions?{page}")).await.ok();
            let entries = entries.as_array().expect("a list");
            assert_eq!(entries.len(), expected, "{page}");
            for entry in entries {
                let id = entry["id"].as_i64().expect("an id");
                assert_eq!(entry["balance"].as_i64(), sums.get(&id).copied(), "{page}: {id}");
            }
        }
    })
    .await;
}
