//! A group with an author who has credits, a member who has none, and personas to ask.

use std::time::Duration;

use model_server::ModelServer;
use serde_json::{Value, json};
use tokio::time::Instant;
use twinlab::engine::{Engine, Timings};
use twinlab::models::group_members::NewMember;
use twinlab::models::groups::NewGroup;
use twinlab::models::users::Role;

use super::engine_fixture::{engine, look_later};
use super::{Client, TestApp, sample};

/// Number of personas in the current set.
pub const TWINS: i64 = 20;

pub struct GroupFixture<'a> {
    pub app: &'a TestApp,
    pub group_id: i64,
    pub author_id: i64,
    pub author: Client,
    pub member: Client,
    pub owner: Client,
}

impl<'a> GroupFixture<'a> {
    /// Creates the group; `budget` is the author's.
    pub async fn open(app: &'a TestApp, budget: i64) -> Self {
        let mut conn = app.connection().await;
        sample::run(
            &mut conn,
            &format!(
                "INSERT INTO persona_sets (id, source, is_current) VALUES (1, 'workshop', true);
                 INSERT INTO personas (set_id, id, pid, name, summary)
                 SELECT 1, n, 'w-' || n, 'Twin ' || n, 'I am twin number ' || n || '.'
                 FROM generate_series(1, {TWINS}) AS n"
            ),
        )
        .await;
        let owner = sample::person(&mut conn, "owner@test.example", Role::Admin).await;
        let group = NewGroup { group_name: "Workshop", owner_id: owner.id, default_budget_per_user: 0 };
        let group_id = group.create(&mut conn).await.expect("a group").id;
        let author = sample::person(&mut conn, "author@test.example", Role::User).await;
        let member = sample::person(&mut conn, "member@test.example", Role::User).await;
        for (user, budget) in [(&author, budget), (&member, 0)] {
            let new = NewMember { group_id, user_id: user.id, budget, created_by: owner.id };
            new.admit(&mut conn).await.expect("a grant").expect("a new member");
        }
        Self {
            app,
            group_id,
            author_id: author.id,
            author: app.signed_in(&author),
            member: app.signed_in(&member),
            owner: app.signed_in(&owner),
        }
    }

    /// Creates the author's survey of this many yes-no questions and returns its id.
    pub async fn survey(&self, questions: usize) -> i64 {
        let survey = json!({"title": "Tea", "groupId": self.group_id});
        let id = self.author.post("/api/surveys", survey).await.ok()["id"].as_i64().expect("an id");
        for n in 1..=questions {
            let question = json!({"text": format!("Question {n}?"), "type": "SINGLE_CHOICE", "options": ["Yes", "No"]});
            self.author.post(&format!("/api/surveys/{id}/questions"), question).await.ok();
        }
        id
    }

    /// Starts the author's run of a survey over this many personas.
    pub async fn start(&self, survey: i64, twins: i64) -> Value {
        let path = format!("/api/simulations/survey/{survey}/start");
        self.author.post(&path, json!({"personaCount": twins})).await.ok()
    }

    /// The author's budget, and the credits that runs hold.
    pub async fn budget(&self) -> (i64, i64) {
        let column = |name| {
            let (group, user) = (self.group_id, self.author_id);
            format!("SELECT {name} AS number FROM group_members WHERE group_id = {group} AND user_id = {user}")
        };
        let mut conn = self.app.connection().await;
        (sample::number(&mut conn, &column("budget")).await, sample::number(&mut conn, &column("held")).await)
    }

    /// Lets an engine ask until the study is over.
    pub async fn study_ended(&self, stub: &ModelServer, study: &Value) -> Value {
        let engine = engine(self.app.database.url(), stub, Timings::default(), |_| ()).await;
        self.study_ended_by(engine, study).await
    }

    /// Lets this engine ask until the study is over.
    pub async fn study_ended_by(&self, engine: Engine, study: &Value) -> Value {
        let path = format!("/api/studies/{}", study["studyId"].as_str().expect("an id"));
        let start = Instant::now();
        let over = loop {
            let now = self.author.get(&path).await.ok();
            if ["COMPLETED", "FAILED", "STOPPED"].contains(&now["status"].as_str().expect("a status")) {
                break now;
            }
            assert!(start.elapsed() < Duration::from_secs(60), "{now:#?}");
            look_later(start).await;
        };
        engine.shut_down().await;
        over
    }
}
