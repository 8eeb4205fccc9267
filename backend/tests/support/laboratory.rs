//! What a run needs: a member with credits, twins, and surveys to ask them.

use diesel::sql_types::{Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use twinlab::email::Email;
use twinlab::models::group_members::NewMember;
use twinlab::models::groups::NewGroup;
use twinlab::models::ledger_check::{self, Finding};
use twinlab::models::simulations::start::{Choice, NewSimulation};
use twinlab::models::simulations::{Parameters, PersonaVariant};
use twinlab::models::survey_file::SurveyFile;
use twinlab::models::surveys::NewSurvey;
use twinlab::models::users::{NewUser, Role};
use twinlab_bench::inputs;

/// A group of one, who owns it, and whose surveys all have the same questions.
pub struct Laboratory {
    pub user_id: i64,
    pub surveys: Vec<i64>,
    pub twins: i32,
}

impl Laboratory {
    /// `budget` in credits. The twins are 1 to `twins`.
    pub async fn furnish(
        connection: &mut AsyncPgConnection,
        twins: i32,
        surveys: usize,
        questions: usize,
        budget: i64,
    ) -> Self {
        let email = Email::parse("researcher@test.example").expect("an address");
        let user = NewUser { email: &email, name: None, role: Role::Admin };
        let user = user.create(connection).await.expect("the database answers").expect("a new person");
        let group = NewGroup { group_name: "Laboratory", owner_id: user.id, default_budget_per_user: 0 };
        let group_id = group.create(connection).await.expect("a group").id;
        let member = NewMember { group_id, user_id: user.id, budget, created_by: user.id };
        member.admit(connection).await.expect("a grant").expect("a new member");
        invent(connection, twins).await;
        let content = SurveyFile::parse(inputs::survey(questions).to_string().as_bytes(), "survey.json");
        let content = content.expect("a valid survey");
        let mut laboratory = Self { user_id: user.id, surveys: Vec::new(), twins };
        for _ in 0..surveys {
            let survey = NewSurvey { user_id: user.id, group_id, content: &content };
            laboratory.surveys.push(survey.create(connection).await.expect("a survey").0.id);
        }
        laboratory
    }

    /// A run of the survey over all twins, one question a call.
    pub fn simulation(&self, survey_id: i64) -> NewSimulation {
        NewSimulation {
            survey_id,
            user_id: self.user_id,
            choice: Choice::Random(self.twins),
            parameters: Parameters {
                model: "stub".into(),
                temperature: None,
                seed: 1,
                questions_per_call: 1,
                persona_variant: PersonaVariant::Summary,
                shuffle_options: false,
            },
            demo_model: false,
        }
    }
}

async fn invent(connection: &mut AsyncPgConnection, twins: i32) {
    diesel::sql_query("INSERT INTO persona_sets (id, source, is_current) VALUES (1, $1, true)")
        .bind::<Text, _>("Invented for this test")
        .execute(connection)
        .await
        .expect("a set");
    diesel::sql_query(
        "INSERT INTO personas (set_id, id, pid, name, summary)
         SELECT 1, n, 'test-' || n, 'Twin ' || n, 'Person ' || n || ', invented for this test.'
         FROM generate_series(1, $1) AS n",
    )
    .bind::<Integer, _>(twins)
    .execute(connection)
    .await
    .expect("twins");
}

/// What is not as it must be in the ledger, the counters and the queue.
pub async fn breaches(connection: &mut AsyncPgConnection) -> Vec<Finding> {
    let findings = ledger_check::run(connection).await.expect("the checks run");
    findings.into_iter().filter(Finding::is_breach).collect()
}
