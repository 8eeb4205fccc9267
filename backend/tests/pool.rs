//! The connections that requests share.

use futures_util::poll;
use twinlab::db::AsyncPool;

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
