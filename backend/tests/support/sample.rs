//! A run as the engine would leave it: three personas, one question of each type, answers and failures.

use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use serde_json::{Value, json};
use simulation::answers::Provenance;
use simulation::snapshot::Snapshot;
use twinlab::email::Email;
use twinlab::models::group_members::NewMember;
use twinlab::models::groups::NewGroup;
use twinlab::models::ledger_check::{self, CheckResult};
use twinlab::models::survey_file::SurveyFile;
use twinlab::models::surveys::NewSurvey;
use twinlab::models::users::{NewUser, Role, User};

/// Stage of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlantedRun {
    /// Over, with failed requests.
    Failed,
    /// The second and third persona's interviews are queued.
    Running,
}

/// The run's id.
pub const SIMULATION: i64 = 7;

/// The run's id in the API.
pub const SIMULATION_ID: &str = "7a6b5c4d-0000-4000-8000-000000000007";

/// Hash of the run's frozen survey.
pub const SURVEY_HASH: &str = "c5f2499d7ecc57d592b7f238556bb5d5cf02a664d66019cc87053dfb98bb3a13";

/// Prompt hash of each answer.
pub const PROMPT_HASH: &str = "c0ffee0000000000000000000000000000000000000000000000000000000000";

/// Credits of the first member before the run.
pub const BUDGET: i64 = 1_000;

/// The provenance of an answer that one call of the model gave.
pub fn provenance(model: &str) -> Provenance {
    Provenance {
        option_order: None,
        attempt: 1,
        model: model.to_owned(),
        fingerprint: None,
        prompt_hash: vec![7; 32],
        latency_ms: Some(1),
        prompt_tokens: 1,
        cached_tokens: 0,
        completion_tokens: 1,
        reasoning_tokens: 0,
        cache_write_tokens: 0,
    }
}

/// The answer to each question of [`survey`], as text and typed: what the first twin says.
pub fn answers() -> Vec<(&'static str, Value)> {
    vec![
        ("-red", json!("-red")),
        ("=A1 | @home", json!(["=A1", "@home"])),
        ("Q1: Agree | Q2: Neutral", json!({"Tea": "Agree", "Coffee": "Neutral"})),
        ("-7.5", json!(-7.5)),
        ("3", json!(3)),
        ("12", json!(12)),
        ("Yes", json!(true)),
        ("\tשלום, \"world\"\r\nsecond line 😀", json!("\tשלום, \"world\"\r\nsecond line 😀")),
        ("=HYPERLINK(\"http://x.example\")", json!("=HYPERLINK(\"http://x.example\")")),
    ]
}

/// One question of each type, with hostile texts.
pub fn survey() -> Vec<u8> {
    json!({
        "title": "=1+1 survey",
        "questions": [
            {"text": "+ Which colour, \"then\"?", "type": "SINGLE_CHOICE", "options": ["-red", "blue"]},
            {"text": "Which of these?", "type": "MULTIPLE_CHOICE", "options": ["=A1", "@home", "none"]},
            {"text": "Agree?", "type": "MATRIX", "scale_labels": ["Agree", "Neutral"], "sub_questions": ["Tea", "Coffee"]},
            {"text": "How warm?", "type": "SLIDER", "min_value": -10, "max_value": 10},
            {"text": "How often?", "type": "RANGE", "min_value": 1, "max_value": 5,
             "min_description": "never", "max_description": "always"},
            {"text": "How many?", "type": "NUMBER"},
            {"text": "Do you?", "type": "BOOLEAN"},
            {"text": "ما رأيك؟", "type": "TEXT_ENTRY"},
            {"text": "Tell us 😀", "type": "OPENENDED"}
        ]
    })
    .to_string()
    .into_bytes()
}

/// Plants the run: the first persona has answered everything, the second all but the last question, the third nothing.
pub async fn plant(connection: &mut AsyncPgConnection, stage: PlantedRun) {
    let admin = person(connection, "admin@test.example", Role::Admin).await;
    let user = person(connection, "user@test.example", Role::User).await;
    let group = NewGroup { group_name: "Testers", owner_id: admin.id, default_budget_per_user: 0 };
    let group = group.create(connection).await.expect("a group");
    let member = NewMember { group_id: group.id, user_id: user.id, budget: BUDGET, created_by: admin.id };
    member.admit(connection).await.expect("a grant").expect("a new member");
    let content = SurveyFile::parse(&survey(), "survey.json").expect("a valid survey");
    let survey = NewSurvey { user_id: user.id, group_id: group.id, content: &content };
    let (survey, questions) = survey.create(connection).await.expect("a survey");

    let numbers: Vec<String> = questions.iter().map(|question| question.id.to_string()).collect();
    let snapshot = Snapshot { title: survey.title, description: survey.description, questions, design: None };
    let snapshot = serde_json::to_string(&snapshot).expect("a snapshot");
    let (status, failed, open) = match stage {
        PlantedRun::Failed => ("FAILED", 10, 0),
        PlantedRun::Running => ("RUNNING", 0, 10),
    };
    let (user_id, group_id, survey_id) = (user.id, group.id, survey.id);
    let completed = if open == 0 { "now()" } else { "NULL" };
    let list = numbers.join(", ");
    run(
        connection,
        &format!(
            "INSERT INTO persona_sets (source, is_current) VALUES ('Twin-2K-500 full_persona (t.csv)', true);
             INSERT INTO personas (set_id, id, pid, name, summary) VALUES
                (1, 1, 'a', 'Twin 1', 'One'), (1, 2, 'b', '@twin', 'Two'), (1, 3, 'c', 'עומר', 'Three');
             INSERT INTO simulations (id, simulation_id, survey_id, user_id, group_id, persona_set_id, status, persona_count,
                question_count, total_requests, successful_requests, failed_requests, open_requests, held, calls,
                prompt_tokens, cached_tokens, completion_tokens, parameters, survey_snapshot, survey_hash, demo_model,
                program_version, started_at, completed_at)
             VALUES (7, '{SIMULATION_ID}', {survey_id}, {user_id}, {group_id}, 1, '{status}', 3, 9, 27, 17, {failed}, {open}, {open}, 2, 1700, 1020, 85,
                '{{\"model\": \"gpt-test\", \"temperature\": 0.5, \"seed\": 42, \"questionsPerCall\": 20,
                   \"personaVariant\": \"summary\", \"shuffleOptions\": true}}',
                $snapshot${snapshot}$snapshot$, '{SURVEY_HASH}', false, '0.1.0', now(), {completed});
             INSERT INTO simulation_personas VALUES (7, 1, 1), (7, 2, 1), (7, 3, 1);
             INSERT INTO simulation_questions (simulation_id, question_id, position)
                SELECT 7, id, position FROM questions WHERE id IN ({list});
             INSERT INTO transactions (group_id, user_id, type, amount, effect, description, simulation_id, attempt)
                VALUES ({group_id}, {user_id}, 'MINES', 17, -17, 'Simulation', 7, 1);
             UPDATE group_members SET budget = budget - 17, held = {open} WHERE user_id = {user_id};"
        ),
    )
    .await;
    for (persona, answered) in [(1, 9), (2, 8)] {
        for (question, (answer, value)) in numbers.iter().zip(answers()).take(answered) {
            run(
                connection,
                &format!(
                    "INSERT INTO responses (simulation_id, persona_id, question_id, answer, answer_value, option_order,
                        attempt, model, fingerprint, prompt_hash, latency_ms, prompt_tokens, cached_tokens,
                        completion_tokens)
                     VALUES (7, {persona}, {question}, $answer${answer}$answer$, $value${value}$value$, '{{2,1}}', 1,
                        'gpt-test-2026', '-fp', '\\x{PROMPT_HASH}', 250, 100, 60, 5)"
                ),
            )
            .await;
        }
    }
    let last = format!(
        "SELECT 7, p.id, q.id FROM personas p, questions q
         WHERE q.id IN ({list}) AND (p.id = 3 OR (p.id = 2 AND q.position = 9))"
    );
    run(
        connection,
        &match stage {
            PlantedRun::Failed => format!(
                "INSERT INTO request_failures (simulation_id, persona_id, question_id, code, message, attempts)
                 SELECT open.*, 'refused', '=the model refused', 2 FROM ({last}) open"
            ),
            PlantedRun::Running => "SELECT pgmq.send('interviews', '{\"simulation\": 7, \"persona\": 2}'),
                pgmq.send('interviews', '{\"simulation\": 7, \"persona\": 3}')"
                .to_owned(),
        },
    )
    .await;
}

/// Creates a user with this role.
pub async fn person(connection: &mut AsyncPgConnection, email: &str, role: Role) -> User {
    let email = Email::parse(email).expect("an address");
    let person = NewUser { email: &email, name: None, role };
    person.create(connection).await.expect("the database answers").expect("a new person")
}

/// Runs one or more statements.
pub async fn run(connection: &mut AsyncPgConnection, sql: &str) {
    connection.batch_execute(sql).await.unwrap_or_else(|reason| panic!("{sql}: {reason}"));
}

/// Returns the number that a query selects as `number`.
pub async fn number(connection: &mut AsyncPgConnection, sql: &str) -> i64 {
    #[derive(diesel::QueryableByName)]
    struct Row {
        #[diesel(sql_type = diesel::sql_types::BigInt)]
        number: i64,
    }
    let row: Row =
        diesel::sql_query(sql).get_result(connection).await.unwrap_or_else(|reason| panic!("{sql}: {reason}"));
    row.number
}

/// Checks of results of calls. Answers that a test writes by hand came from no call.
const OF_CALLS: [&str; 5] = [
    "each answer is one that its question takes",
    "the text of each answer says",
    "each answer names the prompt",
    "each run counts at least the calls and tokens",
    "each run's frozen survey has the hash",
];

/// Breaches in the ledger, the counters and the queue.
pub async fn breaches(connection: &mut AsyncPgConnection) -> Vec<CheckResult> {
    let breaches = all_breaches(connection).await.into_iter();
    breaches.filter(|breach| !OF_CALLS.iter().any(|name| breach.check.starts_with(name))).collect()
}

/// All breaches, including those of results of calls.
pub async fn all_breaches(connection: &mut AsyncPgConnection) -> Vec<CheckResult> {
    let findings = ledger_check::run(connection).await.expect("the checks run");
    findings.into_iter().filter(CheckResult::is_breach).collect()
}
