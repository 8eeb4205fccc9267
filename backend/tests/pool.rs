//! The connections that requests share.

use diesel::dsl::sql;
use diesel::sql_types::Text;
use futures_util::poll;
use twinlab::db::{self, AsyncPool};

use crate::support::Database;

#[tokio::test]
async fn who_asks_first_gets_a_connection_first() {
    let database = Database::new();
    let pool = AsyncPool::open(database.url(), 1).await.expect("the test's database answers");
    let held = pool.get().await.expect("a connection");
    let mut first = Box::pin(pool.get());
    assert!(poll!(&mut first).is_pending());
    drop(held);
    let mut newcomer = Box::pin(pool.get());
    assert!(poll!(&mut newcomer).is_pending(), "it was promised to somebody who waits");
    drop(first.await.expect("a connection"));
    newcomer.await.expect("a connection");
    let standing = pool.standing();
    assert_eq!((standing.connections, standing.idle), (1, 1));
    assert_eq!((standing.checkouts, standing.waited, standing.timed_out), (3, 2, 0));
}

#[tokio::test]
async fn connections_are_open_when_they_are_needed() {
    let database = Database::new();
    let pool = AsyncPool::open(database.url(), 4).await.expect("the test's database answers");
    pool.open_ahead(3).await;
    let standing = pool.standing();
    assert_eq!((standing.connections, standing.idle), (3, 3));
}

#[tokio::test]
async fn the_server_ends_whoever_stands_still_in_a_transaction() {
    let database = Database::new();
    let setting = || diesel::select(sql::<Text>("current_setting('idle_in_transaction_session_timeout')"));
    let pool = AsyncPool::open(database.url(), 1).await.expect("the test's database answers");
    let mut connection = pool.get().await.expect("a connection");
    let told: String = diesel_async::RunQueryDsl::get_result(setting(), &mut *connection).await.expect("it answers");
    assert_eq!(told, "10s");
    let mut connection = db::blocking_pool(database.url(), 1).get().expect("a connection");
    let told: String = diesel::RunQueryDsl::get_result(setting(), &mut connection).expect("it answers");
    assert_eq!(told, "10s");
}
