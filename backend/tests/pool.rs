//! The connections that requests share.

use diesel::dsl::sql;
use diesel::sql_types::Text;
use diesel_async::{AnsiTransactionManager, TransactionManager};
use futures_util::poll;
use twinlab::db::{self, AsyncPool};

use crate::support::Database;

#[tokio::test]
async fn callers_get_a_connection_in_the_order_in_which_they_asked() {
    let database = Database::new();
    let pool = AsyncPool::open(database.url(), 1).await.expect("the test's database answers");
    let held = pool.get().await.expect("a connection");
    let mut first = Box::pin(pool.get());
    assert!(poll!(&mut first).is_pending());
    drop(held);
    let mut newcomer = Box::pin(pool.get());
    assert!(poll!(&mut newcomer).is_pending(), "the first caller is still waiting");
    drop(first.await.expect("a connection"));
    drop(newcomer.await.expect("a connection"));
    let stats = pool.stats();
    assert_eq!((stats.connections, stats.idle), (1, 1));
    assert_eq!((stats.checkouts, stats.waited, stats.timed_out), (3, 2, 0));
}

#[tokio::test]
async fn a_connection_that_is_dropped_inside_a_transaction_is_closed_at_once() {
    let database = Database::new();
    let pool = AsyncPool::open(database.url(), 1).await.expect("the test's database answers");
    let mut connection = pool.get().await.expect("a connection");
    AnsiTransactionManager::begin_transaction(&mut *connection).await.expect("it answers");
    drop(connection);
    assert_eq!(pool.stats().connections, 0);
}

#[tokio::test]
async fn a_connection_whose_query_was_given_up_is_closed_at_once_and_others_are_used_again() {
    let database = Database::new();
    let pool = AsyncPool::open(database.url(), 1).await.expect("the test's database answers");
    let mut connection = pool.get().await.expect("a connection");
    let slow = diesel::sql_query("SELECT pg_sleep(60)");
    let mut asked = diesel_async::RunQueryDsl::execute(slow, &mut *connection);
    assert!(poll!(&mut asked).is_pending());
    drop(asked);
    drop(connection);
    assert_eq!(pool.stats().connections, 0);
    let mut connection = pool.get().await.expect("another connection");
    for wrong in ["SELECT 1", "SELECT nothing"] {
        let answer = diesel_async::RunQueryDsl::execute(diesel::sql_query(wrong), &mut *connection).await;
        assert_eq!(answer.is_ok(), wrong == "SELECT 1");
    }
    drop(connection);
    assert_eq!((pool.stats().connections, pool.stats().idle), (1, 1));
}

#[tokio::test]
async fn the_server_ends_sessions_that_stand_still_in_a_transaction() {
    let database = Database::new();
    let setting = || diesel::select(sql::<Text>("current_setting('idle_in_transaction_session_timeout')"));
    let pool = AsyncPool::open(database.url(), 1).await.expect("the test's database answers");
    let mut connection = pool.get().await.expect("a connection");
    let found: String = diesel_async::RunQueryDsl::get_result(setting(), &mut *connection).await.expect("it answers");
    assert_eq!(found, "10s");
    let pool = db::blocking_pool(database.url(), 1).expect("the URL works");
    let found: String =
        diesel::RunQueryDsl::get_result(setting(), &mut pool.get().expect("a connection")).expect("it answers");
    assert_eq!(found, "10s");
}
