//! Who may watch which run, looked up for many watchers at once.

use diesel_async::SimpleAsyncConnection;
use futures_util::future::join_all;
use twinlab::auth::rules::{WatchedRun, Watcher};
use twinlab::models::users::{Role, User};

use crate::support::sample::{self, SIMULATION, SIMULATION_ID, Stage};
use crate::support::{TestApp, with_app};

fn by_id(user: &User) -> Watcher {
    let run = WatchedRun::ById(SIMULATION_ID.parse().expect("an id"));
    Watcher { user_id: user.id, token_version: user.token_version, run }
}

/// Asks for all of them at the same moment. `Err`: what they were told instead.
async fn told(app: &TestApp, watchers: &[Watcher]) -> Vec<Result<Option<i64>, String>> {
    let asked = watchers.iter().map(|&watcher| app.app.watchers.run(watcher));
    join_all(asked).await.into_iter().map(|told| told.map_err(|reason| reason.to_string())).collect()
}

#[tokio::test]
async fn watchers_who_ask_together_are_each_told_what_they_alone_may_see() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, Stage::Failed).await;
        let author = app.user("user@test.example", Role::User).await;
        let owner = app.user("admin@test.example", Role::Admin).await;
        let root = app.user("root@test.example", Role::SuperAdmin).await;
        let stranger = app.user("stranger@test.example", Role::User).await;
        let suspended = app.user("suspended@test.example", Role::SuperAdmin).await;
        let suspend = format!("UPDATE users SET suspended_at = now() WHERE id = {}", suspended.id);
        app.connection().await.batch_execute(&suspend).await.expect("the statement runs");
        let latest = |user: &User| Watcher { run: WatchedRun::LatestOf(1), ..by_id(user) };
        let nowhere = Watcher { run: WatchedRun::LatestOf(2), ..by_id(&author) };
        let old_token = Watcher { token_version: author.token_version - 1, ..by_id(&author) };
        let expected = [
            (by_id(&author), Some(SIMULATION)),
            (old_token, None),
            (by_id(&owner), Some(SIMULATION)),
            (by_id(&stranger), None),
            (by_id(&suspended), None),
            (by_id(&root), Some(SIMULATION)),
            (latest(&author), Some(SIMULATION)),
            (latest(&stranger), None),
            (nowhere, None),
            (by_id(&author), Some(SIMULATION)),
        ];
        let watchers = expected.map(|(watcher, _)| watcher);
        assert_eq!(told(app, &watchers).await, expected.map(|(_, run)| Ok(run)));
    })
    .await;
}

#[tokio::test]
async fn an_error_reaches_everyone_who_asked_and_nobody_who_asks_later() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, Stage::Failed).await;
        let watchers = vec![by_id(&app.user("user@test.example", Role::User).await); 5];
        let rename = async |from: &str, to: &str| {
            let rename = format!("ALTER TABLE {from} RENAME TO {to}");
            app.connection().await.batch_execute(&rename).await.expect("the statement runs");
        };
        rename("group_members", "hidden_members").await;
        let failed = told(app, &watchers).await;
        assert!(failed.iter().all(Result::is_err), "{failed:?}");
        rename("hidden_members", "group_members").await;
        assert_eq!(told(app, &watchers).await, vec![Ok(Some(SIMULATION)); 5]);
    })
    .await;
}

#[tokio::test]
async fn more_watchers_than_one_look_takes_are_all_told() {
    with_app(async |app| {
        sample::plant(&mut *app.connection().await, Stage::Failed).await;
        let watchers = vec![by_id(&app.user("user@test.example", Role::User).await); 250];
        assert_eq!(told(app, &watchers).await, vec![Ok(Some(SIMULATION)); 250]);
    })
    .await;
}
