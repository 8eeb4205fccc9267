//! Grants of owners: budget and ledger change together, also with concurrent grants.

use futures_util::future::join_all;
use twinlab::models::group_members::{Member, NewMember};
use twinlab::models::ledger_check;
use twinlab::models::transactions::{Amount, BudgetGrant, GrantError, MAX_CREDITS, Transaction};
use twinlab::models::users::Role;

use crate::support::Database;
use crate::support::sample::{self, BUDGET, PlantedRun, number, plant};

/// A database with one member, whose run under way holds 10 of 983 credits.
struct Account {
    database: Database,
    group_id: i64,
    user_id: i64,
    admin_id: i64,
}

impl Account {
    async fn new() -> Self {
        let database = Database::new();
        let pool = database.pool().await;
        let connection = &mut *pool.get().await.expect("a connection");
        plant(connection, PlantedRun::Running).await;
        let group_id = number(connection, "SELECT max(group_id) AS number FROM group_members").await;
        let user_id = number(connection, "SELECT max(user_id) AS number FROM group_members").await;
        let admin_id = number(connection, "SELECT owner_id AS number FROM groups").await;
        Self { database, group_id, user_id, admin_id }
    }

    async fn book(&self, amount: Amount) -> Result<Transaction, GrantError> {
        let pool = self.database.pool().await;
        let grant = BudgetGrant {
            group_id: self.group_id,
            user_id: self.user_id,
            amount,
            description: "Test",
            created_by: self.admin_id,
        };
        grant.book(&mut pool.get().await.expect("a connection")).await
    }

    async fn budget(&self) -> i64 {
        let pool = self.database.pool().await;
        let connection = &mut *pool.get().await.expect("a connection");
        let findings = ledger_check::run(connection).await.expect("the checks run");
        let breaches: Vec<_> = findings.iter().filter(|finding| finding.is_breach()).collect();
        assert!(breaches.is_empty(), "{breaches:#?}");
        Member::find(connection, self.group_id, self.user_id).await.expect("an answer").expect("a member").budget
    }
}

#[actix_web::test]
async fn add_and_set_say_in_the_ledger_what_they_did_to_the_budget() {
    let account = Account::new().await;
    assert_eq!(account.budget().await, BUDGET - 17);
    let added = account.book(Amount::Add(50)).await.expect("a grant");
    assert_eq!((&*added.type_, added.amount, added.effect), ("ADD", 50, 50));
    let set = account.book(Amount::Set(100)).await.expect("a grant");
    assert_eq!((&*set.type_, set.amount, set.effect), ("SET", 100, 100 - (BUDGET - 17 + 50)));
    assert_eq!(account.budget().await, 100);
    let pool = account.database.pool().await;
    let connection = &mut *pool.get().await.expect("a connection");
    assert_eq!(number(connection, "SELECT count(*) AS number FROM audit_log WHERE action = 'grant'").await, 3);
}

#[actix_web::test]
async fn what_would_break_a_promise_is_refused_and_changes_nothing() {
    let account = Account::new().await;
    let below = account.book(Amount::Set(9)).await.expect_err("10 credits are held");
    assert!(matches!(below, GrantError::BelowHeld { held: 10 }), "{below:?}");
    for amount in [Amount::Add(-1), Amount::Set(-1), Amount::Set(MAX_CREDITS + 1), Amount::Add(i64::MAX)] {
        let refused = account.book(amount).await.expect_err("not an amount");
        assert!(matches!(refused, GrantError::Amount), "{amount:?}: {refused:?}");
    }
    let too_much = account.book(Amount::Add(MAX_CREDITS)).await.expect_err("more than anybody can have");
    assert!(matches!(too_much, GrantError::TooMuch), "{too_much:?}");
    let stranger = Account { user_id: 99, ..account };
    let refused = stranger.book(Amount::Add(1)).await.expect_err("nobody has the id");
    assert!(matches!(refused, GrantError::NotAMember), "{refused:?}");
    let account = Account {
        user_id: {
            let pool = stranger.database.pool().await;
            number(&mut pool.get().await.expect("a connection"), "SELECT max(user_id) AS number FROM group_members")
                .await
        },
        ..stranger
    };
    assert_eq!(account.budget().await, BUDGET - 17);
    account.book(Amount::Set(10)).await.expect("exactly what is held");
}

#[actix_web::test]
async fn grants_at_the_same_time_lose_and_repeat_nothing() {
    let account = Account::new().await;
    let adds = join_all((0..20).map(|_| account.book(Amount::Add(7)))).await;
    assert!(adds.iter().all(Result::is_ok), "{adds:#?}");
    assert_eq!(account.budget().await, BUDGET - 17 + 140);

    // In any order, the effect of a SET is the difference to the budget that it found.
    let mixed = (0..20).map(|n| account.book(if n % 2 == 0 { Amount::Set(500 + n) } else { Amount::Add(3) }));
    let mixed = join_all(mixed).await;
    assert!(mixed.iter().all(Result::is_ok), "{mixed:#?}");
    account.budget().await;
}

#[actix_web::test]
async fn a_member_is_admitted_once_and_comes_back_after_removal() {
    let account = Account::new().await;
    let pool = account.database.pool().await;
    let connection = &mut *pool.get().await.expect("a connection");
    let member = |user_id| NewMember { group_id: account.group_id, user_id, budget: 25, created_by: account.admin_id };
    assert!(member(account.user_id).admit(connection).await.expect("an answer").is_none(), "already a member");
    let new = sample::person(connection, "new@test.example", Role::User).await.id;
    let admitted = member(new).admit(connection).await.expect("an answer").expect("a new member");
    assert_eq!((admitted.budget, admitted.held), (25, 0));

    let removed = BudgetGrant {
        group_id: account.group_id,
        user_id: new,
        amount: Amount::Set(0),
        description: "Removed",
        created_by: account.admin_id,
    };
    removed.book(connection).await.expect("a grant");
    sample::run(connection, &format!("UPDATE group_members SET removed_at = now() WHERE user_id = {new}")).await;
    assert!(Member::find(connection, account.group_id, new).await.expect("an answer").is_none());
    assert!(member(new).admit(connection).await.expect("an answer").is_some());
    account.budget().await;
}
