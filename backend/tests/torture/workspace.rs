//! The needs of a run: a member with credits, personas, and a survey.

use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use serde_json::{Value, json};
use simulation::parameters::Parameters;
use simulation::wire::Wire;
use twinlab::email::Email;
use twinlab::models::group_members::NewMember;
use twinlab::models::groups::NewGroup;
use twinlab::models::simulations::start::{NewSimulation, PersonaChoice, start};
use twinlab::models::survey_file::SurveyFile;
use twinlab::models::surveys::NewSurvey;
use twinlab::models::users::{NewUser, Role};

pub const QUESTIONS: usize = 10;
/// Budget in credits.
pub const BUDGET: i64 = 10_000;

/// Ten questions that everybody is asked.
pub fn plain() -> Value {
    let question = |n| json!({"text": format!("Question {n}?"), "type": "SINGLE_CHOICE", "options": ["Yes", "No"]});
    json!({"title": "Torture", "questions": (1..=QUESTIONS).map(question).collect::<Vec<_>>()})
}

/// Ten questions in two arms: each of the first five decides whether one of the others is asked, and is piped into it.
pub fn staged() -> Value {
    let decides = |n: usize| {
        json!({"name": format!("a{n}"), "text": format!("Question {n} of {{{{field:fee}}}}?"), "type": "SINGLE_CHOICE",
            "options": ["Yes", "No"]})
    };
    let follows = |n: usize| {
        json!({"name": format!("b{n}"), "text": format!("You said {{{{answer:a{n}}}}} to question {n}. Sure?"),
            "type": "SINGLE_CHOICE", "options": ["Yes", "No"], "show_if": {"answer": format!("a{n}"), "is": "Yes"}})
    };
    let questions: Vec<Value> = (1..=QUESTIONS / 2).flat_map(|n| [decides(n), follows(n)]).collect();
    let names: Vec<String> = (1..=QUESTIONS / 2).flat_map(|n| [format!("a{n}"), format!("b{n}")]).collect();
    let arm = |name: &str| json!({"arm": name, "flow": [{"set": {"fee": name}}]});
    json!({"title": "Torture", "questions": questions, "flow": [
        {"random": "fee_arm", "take": 1, "of": [arm("one"), arm("two")]}, {"block": "main", "questions": names}]})
}

/// Starts a run of this number of personas in a database without any, with every question asked alone, and returns its
/// id.
pub async fn start_run(
    connection: &mut AsyncPgConnection,
    twins: i32,
    survey: &Value,
    (wire, batch): (Wire, bool),
) -> i64 {
    let email = Email::parse("researcher@test.example").expect("an address");
    let user = NewUser { email: &email, name: None, role: Role::Admin };
    let user_id = user.create(connection).await.expect("the database answers").expect("a new person").id;
    let group = NewGroup { group_name: "Laboratory", owner_id: user_id, default_budget_per_user: 0 };
    let group_id = group.create(connection).await.expect("a group").id;
    let email = Email::parse("student@test.example").expect("an address");
    let student = NewUser { email: &email, name: None, role: Role::User };
    let owner_id = user_id;
    let user_id = student.create(connection).await.expect("the database answers").expect("a new person").id;
    let member = NewMember { group_id, user_id, budget: BUDGET, created_by: owner_id };
    member.admit(connection).await.expect("a grant").expect("a new member");
    let invented = format!(
        "INSERT INTO persona_sets (id, source, is_current) VALUES (1, 'Invented for this test', true);
         INSERT INTO personas (set_id, id, pid, name, summary)
         SELECT 1, n, 'test-' || n, 'Twin ' || n, 'Person ' || n || ', invented for this test.'
         FROM generate_series(1, {twins}) AS n"
    );
    connection.batch_execute(&invented).await.expect("twins");
    let content = SurveyFile::parse(survey.to_string().as_bytes(), "survey.json");
    let survey = NewSurvey { user_id, group_id, content: &content.expect("a valid survey") };
    let survey_id = survey.create(connection).await.expect("a survey").0.id;
    let parameters = Parameters { wire, batch, ..Parameters::new("stub", 1, 1) };
    let simulation = NewSimulation::new(survey_id, user_id, PersonaChoice::Random(twins), parameters, false);
    start(connection, simulation).await.expect("a run").id
}
