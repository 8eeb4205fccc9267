//! A database with personas and a member who has credits, and engines that work on its runs against a model server.

use std::sync::Arc;
use std::time::Duration;

use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use model_server::ModelServer;
use serde_json::{Value, json};
use simulation::parameters::Parameters;
use simulation::row::Simulation;
use simulation::wire::Wire;
use tokio::time::{Instant, sleep};
use twinlab::config::{ModelConfig, ModelServers, Secret};
use twinlab::db::AsyncPool;
use twinlab::engine::clients::RunClients;
use twinlab::engine::{Engine, EngineConfig, RunScope, Timings};
use twinlab::llm::Llm;
use twinlab::models::group_members::{Member, NewMember};
use twinlab::models::groups::NewGroup;
use twinlab::models::ledger_check;
use twinlab::models::simulations;
use twinlab::models::simulations::start::{NewSimulation, PersonaChoice, start};
use twinlab::models::survey_file::SurveyFile;
use twinlab::models::surveys::NewSurvey;
use twinlab::models::users::Role;
use twinlab::schema::{request_failures, responses};

use super::{Database, SECRET, sample};

/// Credits of the member at first.
pub const BUDGET: i64 = 1_000_000;

/// E-mail of the payer, for `--as`.
pub const MEMBER: &str = "member@test.example";

/// Connections of an engine's pool, its settlers and its session.
pub const ENGINE_CONNECTIONS: i64 = 6 + 2 + 1;

/// Time limit of a run.
const RUN_TIMEOUT: Duration = Duration::from_secs(240);

/// A database with personas 1..=n, a member with [`BUDGET`] credits, and no runs.
pub struct EngineFixture {
    pub database: Database,
    pub pool: AsyncPool,
    pub group_id: i64,
    pub owner_id: i64,
    /// The member who pays for the runs.
    pub user_id: i64,
}

/// A request that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub code: String,
    pub message: String,
    /// The model's text.
    pub detail: Option<String>,
    pub attempts: i16,
}

impl EngineFixture {
    pub async fn new(twins: i32) -> Self {
        let database = Database::new();
        let pool = database.pool().await;
        let connection = &mut *pool.get().await.expect("a connection");
        sample::run(
            connection,
            &format!(
                "INSERT INTO persona_sets (id, source, is_current) VALUES (1, 'laboratory', true);
                 INSERT INTO personas (set_id, id, pid, name, summary)
                 SELECT 1, n, 'fixture-' || n, 'Twin ' || n, 'I am twin number ' || n || '. ' || repeat('I like tea. ', 40)
                 FROM generate_series(1, {twins}) AS n"
            ),
        )
        .await;
        let owner = sample::person(connection, "owner@test.example", Role::Admin).await;
        let group = NewGroup { group_name: "Laboratory", owner_id: owner.id, default_budget_per_user: 0 };
        let group = group.create(connection).await.expect("a group");
        let mut fixture =
            Self { database, pool: pool.clone(), group_id: group.id, owner_id: owner.id, user_id: owner.id };
        fixture.user_id = fixture.admit(MEMBER, BUDGET).await;
        fixture
    }

    /// Adds a member with this budget and returns the user's id.
    pub async fn admit(&self, email: &str, budget: i64) -> i64 {
        let connection = &mut *self.pool.get().await.expect("a connection");
        let user_id = sample::person(connection, email, Role::User).await.id;
        let new = NewMember { group_id: self.group_id, user_id, budget, created_by: self.owner_id };
        new.admit(connection).await.expect("a grant").expect("a new member");
        user_id
    }

    /// Starts an engine with its own session and share, which asks this stub. `change` changes the configuration.
    pub async fn engine(&self, stub: &ModelServer, change: impl FnOnce(&mut ModelConfig)) -> Engine {
        engine(self.database.url(), stub, Timings::default(), change).await
    }

    /// Like [`EngineFixture::engine`], with other timings than in production.
    pub async fn engine_with(
        &self,
        stub: &ModelServer,
        timings: Timings,
        change: impl FnOnce(&mut ModelConfig),
    ) -> Engine {
        engine(self.database.url(), stub, timings, change).await
    }

    /// Like [`EngineFixture::engine`], with the database at another URL.
    pub async fn engine_at(&self, database_url: &str, stub: &ModelServer, at_once: u32) -> Engine {
        engine(database_url, stub, Timings::default(), |model| model.max_concurrency = at_once).await
    }

    /// Like [`EngineFixture::engine_at`], with other timings than in production.
    pub async fn engine_with_database(
        &self,
        database_url: &str,
        stub: &ModelServer,
        timings: Timings,
        at_once: u32,
    ) -> Engine {
        engine(database_url, stub, timings, |model| model.max_concurrency = at_once).await
    }

    /// Like [`EngineFixture::engine`], with both servers at other URLs and the attempts of production.
    pub async fn engine_between(&self, database_url: &str, base_url: &str, at_once: u32) -> Engine {
        let mut model = model(base_url);
        (model.max_concurrency, model.max_attempts) = (at_once, 6);
        start_engine(database_url, Timings::default(), model).await
    }

    /// Starts an engine that asks several servers, by their names and addresses.
    pub async fn engine_of(&self, servers: &[(&str, &str)]) -> Engine {
        engine_of(self.database.url(), servers).await
    }

    /// Starts a run of this survey and returns its id.
    pub async fn start(&self, survey: &Value, choice: PersonaChoice, change: impl FnOnce(&mut Parameters)) -> i64 {
        let content = SurveyFile::parse(survey.to_string().as_bytes(), "survey.json").expect("a valid survey");
        let connection = &mut *self.pool.get().await.expect("a connection");
        let new = NewSurvey { user_id: self.user_id, group_id: self.group_id, content: &content };
        let (survey, _) = new.create(connection).await.expect("a survey");
        let mut parameters = parameters();
        change(&mut parameters);
        let new = NewSimulation::new(survey.id, self.user_id, choice, parameters, false);
        start(connection, new).await.expect("the run starts").id
    }

    pub async fn run(&self, id: i64) -> Simulation {
        run(&self.pool, id).await
    }

    /// [`until`] on this database.
    pub async fn until(&self, id: i64, wanted: impl Fn(&Simulation) -> bool) -> Simulation {
        until(&self.pool, id, wanted).await
    }

    /// Waits until the query's `number` is positive, and fails if it never is.
    pub async fn until_found(&self, sql: &str) {
        let start = Instant::now();
        while self.number(sql).await == 0 {
            assert!(start.elapsed() < RUN_TIMEOUT, "never found: {sql}");
            look_later(start).await;
        }
    }

    /// Waits until a statement waits for another transaction's lock.
    pub async fn until_waiting_for_lock(&self) {
        let waiting = "SELECT count(*) AS number FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        self.until_found(waiting).await;
    }

    pub async fn ended(&self, id: i64) -> Simulation {
        self.until(id, |run| run.status.is_over()).await
    }

    /// The requests that failed, by persona and question.
    pub async fn failures(&self, id: i64) -> Vec<Failed> {
        let rows: Vec<(String, String, Option<String>, i16)> = request_failures::table
            .filter(request_failures::simulation_id.eq(id))
            .order((request_failures::persona_id, request_failures::question_id))
            .select((
                request_failures::code,
                request_failures::message,
                request_failures::detail,
                request_failures::attempts,
            ))
            .load(&mut self.pool.get().await.expect("a connection"))
            .await
            .expect("an answer");
        let failed = |(code, message, detail, attempts)| Failed { code, message, detail, attempts };
        rows.into_iter().map(failed).collect()
    }

    /// Number of calls for each answer, by persona and question.
    pub async fn attempts(&self, id: i64) -> Vec<i16> {
        responses::table
            .filter(responses::simulation_id.eq(id))
            .order((responses::persona_id, responses::question_id))
            .select(responses::attempt)
            .load(&mut self.pool.get().await.expect("a connection"))
            .await
            .expect("an answer")
    }

    pub async fn member(&self) -> Member {
        let connection = &mut *self.pool.get().await.expect("a connection");
        Member::find(connection, self.group_id, self.user_id).await.expect("an answer").expect("a member")
    }

    /// The number that a query selects as `number`.
    pub async fn number(&self, sql: &str) -> i64 {
        sample::number(&mut self.pool.get().await.expect("a connection"), sql).await
    }

    /// Number of connections to the database that are not the fixture's own, according to the server.
    pub async fn engine_sessions(&self) -> i64 {
        let sessions = "SELECT count(*) AS number FROM pg_stat_activity
            WHERE datname = current_database() AND backend_type = 'client backend'";
        self.number(sessions).await - i64::from(self.pool.stats().connections)
    }

    /// Checks everything that `twinlab verify` checks, and that the member paid for `answers` answers and holds nothing
    /// more.
    pub async fn sound_and_paid(&self, answers: i32) {
        let findings = ledger_check::run(&mut self.pool.get().await.expect("a connection")).await.expect("the checks");
        let breaches: Vec<_> = findings.iter().filter(|finding| finding.is_breach()).collect();
        assert!(breaches.is_empty(), "{breaches:#?}");
        let member = self.member().await;
        assert_eq!((member.budget, member.held), (BUDGET - i64::from(answers), 0));
    }
}

async fn run(pool: &AsyncPool, id: i64) -> Simulation {
    let connection = &mut *pool.get().await.expect("a connection");
    simulations::find(connection, id).await.expect("an answer").expect("the run is there")
}

/// Waits until the run is as wanted, and fails if it never is.
pub async fn until(pool: &AsyncPool, id: i64, wanted: impl Fn(&Simulation) -> bool) -> Simulation {
    let start = Instant::now();
    loop {
        let run = run(pool, id).await;
        if wanted(&run) {
            return run;
        }
        assert!(start.elapsed() < RUN_TIMEOUT, "this run got nowhere: {run:#?}");
        look_later(start).await;
    }
}

/// Waits between two checks of a changing state: longer and longer, because many tests check at once.
pub async fn look_later(start: Instant) {
    sleep((start.elapsed() / 10).clamp(Duration::from_millis(20), Duration::from_millis(200))).await;
}

/// Starts an engine on this database; see [`EngineFixture::engine`].
pub async fn engine(
    database_url: &str,
    stub: &ModelServer,
    timings: Timings,
    change: impl FnOnce(&mut ModelConfig),
) -> Engine {
    let mut model = model(&stub.base_url());
    change(&mut model);
    start_engine(database_url, timings, model).await
}

/// Starts an engine on this database that asks a server at this address, with the timings of production.
pub async fn engine_reaching(database_url: &str, base_url: &str) -> Engine {
    // It may take seconds to find out that a host does not exist.
    let timeout = Duration::from_secs(20);
    let model = ModelConfig { timeout, idle_timeout: timeout, ..model(base_url) };
    start_engine(database_url, Timings::default(), model).await
}

/// Starts an engine on this database that asks several servers, by their names and addresses.
pub async fn engine_of(database_url: &str, servers: &[(&str, &str)]) -> Engine {
    let named = |(name, url): &(&str, &str)| ModelConfig { name: (*name).to_owned(), ..model(url) };
    let mut servers = servers.iter().map(named);
    let first = ModelServers::one(servers.next().expect("a server"));
    let timings = Timings { batch_interval: Duration::from_millis(50), ..Timings::default() };
    start_engine_of(database_url, timings, servers.fold(first, ModelServers::with)).await
}

async fn start_engine(database_url: &str, timings: Timings, model: ModelConfig) -> Engine {
    start_engine_of(database_url, timings, ModelServers::one(model)).await
}

async fn start_engine_of(database_url: &str, timings: Timings, models: ModelServers) -> Engine {
    Engine::start(EngineConfig {
        database_url: database_url.to_owned(),
        models,
        demo_url: String::new(),
        secret: Some(Secret::new(SECRET)),
        scope: RunScope::Everything,
        timings,
    })
    .await
    .expect("the engine starts")
}

/// A configuration without limits except 64 simultaneous calls; a call has a second, a request three attempts.
fn model(base_url: &str) -> ModelConfig {
    ModelConfig {
        wire: Default::default(),
        models: Vec::new(),
        prices: Default::default(),
        base_url: Some(base_url.to_owned()),
        name: "default".into(),
        key_source: None,
        known: Default::default(),
        reasoning: Vec::new(),
        contexts: Default::default(),
        api_key: None,
        model: "stub".into(),
        rpm: Some(u32::MAX),
        tpm: Some(u32::MAX),
        max_concurrency: 64,
        questions_per_call: 20,
        timeout: Duration::from_secs(1),
        idle_timeout: Duration::from_secs(1),
        stream: true,
        max_attempts: 3,
    }
}

/// A client that calls this stub as an engine of [`engine`] does.
pub fn llm(stub: &ModelServer) -> Llm {
    llm_on(Wire::default(), stub)
}

pub fn llm_on(wire: Wire, stub: &ModelServer) -> Llm {
    let model = ModelConfig { wire, ..model(&stub.base_url()) };
    Llm::new(&model, &stub.base_url()).expect("an address")
}

/// The clients of an engine whose only server is this stub.
pub fn clients(stub: &ModelServer) -> RunClients {
    let models = Arc::new(ModelServers::one(model(&stub.base_url())));
    RunClients::new(models, "", Some(Secret::new(SECRET))).expect("an address")
}

/// Parameters of a run that asks the stub.
pub fn parameters() -> Parameters {
    Parameters { max_text_length: None, ..Parameters::new("stub", 1, 20) }
}

/// A survey of this many single-choice questions.
pub fn survey(questions: usize) -> Value {
    let question =
        |n| json!({"text": format!("Question {n}?"), "type": "SINGLE_CHOICE", "options": ["Yes", "No", "Perhaps"]});
    json!({"title": "Laboratory", "questions": (1..=questions).map(question).collect::<Vec<_>>()})
}
