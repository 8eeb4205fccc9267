//! The demo workspace, which only fills an empty database.

use futures_util::future::join;
use survey::question::QuestionType;
use twinlab::cli::demo::{self, Workspace};
use twinlab::models::group_members::Member;
use twinlab::models::questions;
use twinlab::models::{ledger_check, personas};

use crate::support::Database;
use crate::support::sample::{self, PlantedRun, number, plant};

#[actix_web::test]
async fn an_empty_database_gets_people_credits_twins_and_a_survey_of_nine_types() {
    let database = Database::new();
    let pool = database.pool().await;
    let filled = demo::fill(database.url(), &pool).await.expect("a demo workspace");
    let Workspace { user_id, group_id, survey_id } = filled.expect("the database was empty");

    let connection = &mut *pool.get().await.expect("a connection");
    let roles = "SELECT count(*) AS number FROM users WHERE (email, role) IN (
        ('superadmin@demo.example', 'super_admin'), ('admin@demo.example', 'admin'), ('user@demo.example', 'user'))";
    assert_eq!(number(connection, roles).await, 3);
    let owned = "SELECT count(*) AS number FROM groups JOIN users ON users.id = owner_id
        WHERE group_name = 'Demo Research Group' AND email = 'admin@demo.example'";
    assert_eq!(number(connection, owned).await, 1);
    let member = Member::find(connection, group_id, user_id).await.expect("an answer").expect("a member");
    assert_eq!((member.budget, member.held), (10_000, 0));
    let set = personas::current_set(connection).await.expect("an answer").expect("a current set");
    assert!(set.synthetic);
    assert_eq!(personas::count(connection, set.id).await.expect("a count"), 2_058);
    let types: Vec<QuestionType> = questions::of_survey(connection, survey_id)
        .await
        .expect("the questions")
        .into_iter()
        .map(|question| question.question_type)
        .collect();
    // The first nine types: the demo workspace stays as it was.
    assert_eq!(types, QuestionType::ALL[..9]);
    let findings = ledger_check::run(connection).await.expect("the checks run");
    assert!(findings.iter().all(|finding| !finding.is_breach()), "{findings:#?}");

    assert_eq!(demo::fill(database.url(), &pool).await.expect("an answer"), None, "a second start changes nothing");
    assert_eq!(number(connection, "SELECT count(*) AS number FROM groups").await, 1);
}

#[actix_web::test]
async fn a_database_with_groups_or_twins_of_its_own_stays_as_it_is() {
    let database = Database::new();
    let pool = database.pool().await;
    plant(&mut pool.get().await.expect("a connection"), PlantedRun::Failed).await;
    assert_eq!(demo::fill(database.url(), &pool).await.expect("an answer"), None);

    let database = Database::new();
    let pool = database.pool().await;
    let connection = &mut *pool.get().await.expect("a connection");
    sample::run(connection, "INSERT INTO persona_sets (source) VALUES ('Twin-2K-500 full_persona (t.csv)')").await;
    assert_eq!(demo::fill(database.url(), &pool).await.expect("an answer"), None);
    assert_eq!(number(connection, "SELECT count(*) AS number FROM users").await, 0);
}

#[actix_web::test]
async fn two_starts_at_once_make_one_workspace() {
    let database = Database::new();
    let pool = database.pool().await;
    let (one, other) = join(demo::fill(database.url(), &pool), demo::fill(database.url(), &pool)).await;
    let made = [one.expect("an answer"), other.expect("an answer")];
    assert_eq!(made.iter().flatten().count(), 1, "{made:?}");
    let connection = &mut *pool.get().await.expect("a connection");
    assert_eq!(number(connection, "SELECT count(*) AS number FROM surveys").await, 1);
    assert_eq!(number(connection, "SELECT count(*) AS number FROM personas").await, 2_058);
}
