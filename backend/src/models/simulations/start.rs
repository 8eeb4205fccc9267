//! Starts a run: all checks, the held credits, the frozen lists and the queued interviews are one transaction.

use std::collections::HashMap;

use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Array, BigInt, Bool, Integer, Jsonb, Text};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use sha2::{Digest, Sha256};
use simulation::parameters::Parameters;
use simulation::prompt_cache::SharedTexts;
use simulation::row::Simulation;
use simulation::snapshot::Snapshot;
use survey::assign::Assignment;
use survey::flow::Design;
use survey::hex::hex;
use survey::plan::Plan;
use survey::question::Question;

use super::choice::hold_and_choose;
use super::names::NameChanges;
use super::workload::choose_prompt_cache;
use super::{SimulationRefusal, costs, deal, plans};
use crate::models::assignments::TwinAssignment;
use crate::models::{assignments, group_model_keys, questions, queue};
use crate::schema::{simulations, surveys};

pub use super::choice::{PersonaChoice, PersonaQuota};

#[derive(Clone, Debug)]
pub struct NewSimulation {
    pub survey_id: i64,
    /// The member of the survey's group who pays.
    pub user_id: i64,
    pub choice: PersonaChoice,
    pub parameters: Parameters,
    /// Whether the built-in demo model answers.
    pub demo_model: bool,
    /// Cost in micro-units at which the run pauses. `None`: it never does.
    pub max_cost: Option<i64>,
    pub names: NameChanges,
    pub shared: SharedTexts,
}

impl NewSimulation {
    /// A run without a name and without a limit of its cost.
    pub fn new(survey_id: i64, user_id: i64, choice: PersonaChoice, parameters: Parameters, demo_model: bool) -> Self {
        Self {
            survey_id,
            user_id,
            choice,
            parameters,
            demo_model,
            max_cost: None,
            names: NameChanges::default(),
            shared: SharedTexts::default(),
        }
    }
}

/// Starts a run: holds a credit for each question that a persona can be asked, freezes survey and persona list, and
/// queues the interviews.
pub async fn start(conn: &mut AsyncPgConnection, new: NewSimulation) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let survey = FrozenSurvey::lock(conn, new.survey_id).await?;
        let run = PreparedRun::prepare(conn, &survey, new).await?;
        run.hold(conn).await?;
        let id = run.insert(conn).await?;
        queue::notify_workers(conn).await?;
        super::lock(conn, id).await
    })
    .await
}

/// Survey and assignments of an earlier run, to be repeated.
#[derive(Clone, Debug)]
pub struct AskedBefore {
    pub snapshot: Snapshot,
    /// Each persona's assignment, for a run with a design.
    pub assignments: HashMap<i32, Assignment>,
}

/// Starts a run that repeats an earlier one, on a survey with the same questions.
pub async fn start_again(
    conn: &mut AsyncPgConnection,
    new: NewSimulation,
    asked: AskedBefore,
) -> Result<Simulation, SimulationRefusal> {
    conn.transaction(async |conn| {
        let survey = FrozenSurvey::lock(conn, new.survey_id).await?;
        let run = PreparedRun::again(conn, &survey, new, asked).await?;
        run.hold(conn).await?;
        let id = run.insert(conn).await?;
        queue::notify_workers(conn).await?;
        super::lock(conn, id).await
    })
    .await
}

/// Gives the questions the ids of the survey's, and turns of loops new ones.
async fn number_anew(
    conn: &mut AsyncPgConnection,
    snapshot: &mut Snapshot,
    survey: &[Question],
) -> Result<(), SimulationRefusal> {
    let ids: HashMap<&str, i64> = survey.iter().map(|question| (question.name.as_str(), question.id)).collect();
    let known: Vec<Option<i64>> =
        snapshot.questions.iter().map(|question| ids.get(question.name.as_str()).copied()).collect();
    let unknown = known.iter().filter(|id| id.is_none()).count();
    let mut new = assignments::new_question_ids(conn, unknown).await?.into_iter();
    for (question, known) in snapshot.questions.iter_mut().zip(known) {
        question.id = known.or_else(|| new.next()).unwrap_or_default();
    }
    Ok(())
}

#[auto_type]
fn of_start(survey_id: i64) -> _ {
    let columns = (surveys::group_id, surveys::title, surveys::description, surveys::design);
    surveys::table.find(survey_id).filter(surveys::deleted_at.is_null()).select(columns)
}

/// A survey's group, title, description and design.
type SurveyRow = (i64, String, String, Design);

/// A survey as runs ask it. If it is locked, nobody edits it or starts another run of it until the transaction ends.
pub(in crate::models) struct FrozenSurvey {
    pub group_id: i64,
    snapshot: Snapshot,
}

impl FrozenSurvey {
    /// Reads and locks the survey. Fails if it has an active run.
    pub async fn lock(conn: &mut AsyncPgConnection, survey_id: i64) -> Result<Self, SimulationRefusal> {
        // The lock makes another start, or an edit of the questions, wait for this transaction. NO KEY: foreign-key
        // checks of the survey's runs do not wait for it.
        let survey: Option<SurveyRow> = of_start(survey_id).for_no_key_update().first(conn).await.optional()?;
        Self::from_row(conn, survey_id, survey.ok_or(SimulationRefusal::SurveyNotFound)?).await
    }

    /// Reads the survey without a lock, so that edits need not wait.
    pub async fn read(conn: &mut AsyncPgConnection, survey_id: i64) -> Result<Self, SimulationRefusal> {
        let survey: Option<SurveyRow> = of_start(survey_id).first(conn).await.optional()?;
        Self::from_row(conn, survey_id, survey.ok_or(SimulationRefusal::SurveyNotFound)?).await
    }

    async fn from_row(
        conn: &mut AsyncPgConnection,
        survey_id: i64,
        (group_id, title, description, design): SurveyRow,
    ) -> Result<Self, SimulationRefusal> {
        let questions = questions::of_survey(conn, survey_id).await?;
        if !questions.iter().any(Question::is_request) {
            return Err(SimulationRefusal::NoQuestions);
        }
        let active = simulations::table
            .filter(simulations::survey_id.eq(survey_id))
            .filter(simulations::status.eq_any(["PENDING", "QUEUED", "RUNNING", "PAUSED"]));
        if diesel::select(diesel::dsl::exists(active)).get_result(conn).await? {
            return Err(SimulationRefusal::AlreadyActive);
        }
        Ok(Self { group_id, snapshot: snapshot(title, description, questions, design) })
    }

    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Gives a plain survey a design, which can show options and labels in another order.
    pub fn with_design(mut self) -> Self {
        self.snapshot.design.get_or_insert_default();
        self
    }

    /// Compiles the plan. `None`: a plain survey.
    pub fn plan(&self) -> Result<Option<Plan>, SimulationRefusal> {
        plans::compile(&self.snapshot).map_err(SimulationRefusal::Design)
    }
}

fn snapshot(title: String, description: String, questions: Vec<Question>, design: Design) -> Snapshot {
    let is_plain = design.flow.is_empty() && questions.iter().all(|question| question.logic.is_empty());
    Snapshot { title, description, questions, design: (!is_plain).then_some(design) }
}

/// Returns a survey as a run would ask it now, with its hash; nobody edits it until the transaction ends.
pub(in crate::models) async fn current_survey(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
) -> QueryResult<Option<(Snapshot, String)>> {
    let found: Option<(String, String, Design)> = surveys::table
        .find(survey_id)
        .filter(surveys::deleted_at.is_null())
        .select((surveys::title, surveys::description, surveys::design))
        .for_no_key_update()
        .first(conn)
        .await
        .optional()?;
    let Some((title, description, design)) = found else { return Ok(None) };
    let snapshot = snapshot(title, description, questions::of_survey(conn, survey_id).await?, design);
    let json =
        serde_json::to_value(&snapshot).map_err(|error| diesel::result::Error::SerializationError(Box::new(error)))?;
    Ok(Some((snapshot, survey_hash(&json))))
}

/// A run before its credits are held and its rows written.
pub(in crate::models) struct PreparedRun {
    new: NewSimulation,
    group_id: i64,
    set_id: i32,
    persona_ids: Vec<i32>,
    snapshot: Snapshot,
    /// Assignments; `None`: a plain survey.
    dealt: Option<Vec<TwinAssignment>>,
    /// Credits: number of questions that its personas can be asked.
    pub cost: i64,
}

impl PreparedRun {
    pub async fn prepare(
        conn: &mut AsyncPgConnection,
        survey: &FrozenSurvey,
        mut new: NewSimulation,
    ) -> Result<Self, SimulationRefusal> {
        let mut snapshot = survey.snapshot.clone();
        group_model_keys::choose(conn, survey.group_id, &mut new.parameters, new.demo_model).await?;
        let (set_id, persona_ids) = hold_and_choose(conn, &new.choice, &new.parameters).await?;
        let dealt = deal::deal(conn, &mut snapshot, &mut new.parameters, set_id, &persona_ids).await?;
        let requests = requests_of_twins(&snapshot, persona_ids.len(), dealt.as_deref());
        choose_prompt_cache(&mut new.parameters, &requests, new.shared);
        let cost = requests.iter().sum();
        Ok(Self { new, group_id: survey.group_id, set_id, persona_ids, snapshot, dealt, cost })
    }

    pub fn persona_count(&self) -> i32 {
        self.persona_ids.len() as i32
    }

    /// Prepares a run that repeats another one, with its wording and its assignments.
    pub async fn again(
        conn: &mut AsyncPgConnection,
        survey: &FrozenSurvey,
        mut new: NewSimulation,
        asked: AskedBefore,
    ) -> Result<Self, SimulationRefusal> {
        let AskedBefore { mut snapshot, assignments } = asked;
        group_model_keys::choose(conn, survey.group_id, &mut new.parameters, new.demo_model).await?;
        let (set_id, persona_ids) = hold_and_choose(conn, &new.choice, &new.parameters).await?;
        number_anew(conn, &mut snapshot, &survey.snapshot.questions).await?;
        let plan = plans::compile(&snapshot).map_err(SimulationRefusal::Design)?;
        let dealt = match plan {
            None => None,
            Some(plan) => Some(deal::again(conn, &plan, set_id, &persona_ids, assignments).await?),
        };
        let cost = credits(&snapshot, persona_ids.len(), dealt.as_deref());
        Ok(Self { new, group_id: survey.group_id, set_id, persona_ids, snapshot, dealt, cost })
    }

    /// Sets the run's credits aside.
    pub async fn hold(&self, conn: &mut AsyncPgConnection) -> Result<(), SimulationRefusal> {
        super::hold(conn, self.group_id, self.new.user_id, self.cost).await
    }

    /// Writes the run's rows and queues its interviews, after its credits were held. Returns the row's id.
    pub async fn insert(self, conn: &mut AsyncPgConnection) -> Result<i64, SimulationRefusal> {
        let id = self.insert_row(conn).await?;
        if self.new.max_cost.is_some() {
            costs::set_cap(conn, id, self.new.max_cost).await?;
        }
        self.new.names.give(conn, id).await?;
        freeze_lists(conn, id, self.set_id, &self.persona_ids, &self.snapshot).await?;
        let asked = match self.dealt {
            None => self.persona_ids,
            Some(dealt) => {
                assignments::insert(conn, id, &dealt).await?;
                dealt.iter().filter(|dealt| dealt.requests > 0).map(|dealt| dealt.twin.id).collect()
            }
        };
        queue::send(conn, id, &asked).await?;
        Ok(id)
    }

    async fn insert_row(&self, conn: &mut AsyncPgConnection) -> Result<i64, SimulationRefusal> {
        let snapshot_json = serde_json::to_value(&self.snapshot).map_err(unserialisable)?;
        let parameters = serde_json::to_value(&self.new.parameters).map_err(unserialisable)?;
        let NewId { id } = sql_query(
            "INSERT INTO simulations (survey_id, user_id, group_id, persona_set_id, status, persona_count,
                 question_count, total_requests, open_requests, held, parameters, survey_snapshot, survey_hash,
                 demo_model, program_version)
             VALUES ($1, $2, $3, $4, 'QUEUED', $5, $6, $12, $12, $12, $7, $8, $9, $10, $11) RETURNING id",
        )
        .bind::<BigInt, _>(self.new.survey_id)
        .bind::<BigInt, _>(self.new.user_id)
        .bind::<BigInt, _>(self.group_id)
        .bind::<Integer, _>(self.set_id)
        .bind::<Integer, _>(self.persona_ids.len() as i32)
        .bind::<Integer, _>(requests(&self.snapshot).count() as i32)
        .bind::<Jsonb, _>(parameters)
        .bind::<Jsonb, _>(&snapshot_json)
        .bind::<Text, _>(survey_hash(&snapshot_json))
        .bind::<Bool, _>(self.new.demo_model)
        .bind::<Text, _>(env!("CARGO_PKG_VERSION"))
        .bind::<Integer, _>(self.cost as i32)
        .get_result(conn)
        .await?;
        Ok(id)
    }
}

/// The number of questions that each persona can be asked.
fn requests_of_twins(snapshot: &Snapshot, twins: usize, dealt: Option<&[TwinAssignment]>) -> Vec<i64> {
    match dealt {
        None => vec![requests(snapshot).count() as i64; twins],
        Some(dealt) => dealt.iter().map(|dealt| i64::from(dealt.requests)).collect(),
    }
}

/// Credits of a run: number of questions that its personas can be asked. `dealt` has the assignments of a run with a
/// design.
pub(super) fn credits(snapshot: &Snapshot, twins: usize, dealt: Option<&[TwinAssignment]>) -> i64 {
    requests_of_twins(snapshot, twins, dealt).iter().sum()
}

/// The questions that take an answer.
pub(super) fn requests(snapshot: &Snapshot) -> impl Iterator<Item = &Question> {
    snapshot.questions.iter().filter(|question| question.is_request())
}

#[derive(QueryableByName)]
struct NewId {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

async fn freeze_lists(
    conn: &mut AsyncPgConnection,
    id: i64,
    set_id: i32,
    persona_ids: &[i32],
    snapshot: &Snapshot,
) -> QueryResult<()> {
    // Sorted as in the index, so that inserts hit neighbouring pages.
    sql_query(
        "INSERT INTO simulation_personas (simulation_id, persona_id, persona_set_id)
         SELECT $1, persona, $2 FROM unnest($3) AS persona ORDER BY persona",
    )
    .bind::<BigInt, _>(id)
    .bind::<Integer, _>(set_id)
    .bind::<Array<Integer>, _>(persona_ids)
    .execute(conn)
    .await?;
    sql_query(
        "INSERT INTO simulation_questions (simulation_id, question_id, position)
         SELECT $1, question, place FROM unnest($2, $3) AS frozen (question, place)",
    )
    .bind::<BigInt, _>(id)
    .bind::<Array<BigInt>, _>(requests(snapshot).map(|question| question.id).collect::<Vec<_>>())
    .bind::<Array<Integer>, _>(requests(snapshot).map(|question| question.order).collect::<Vec<_>>())
    .execute(conn)
    .await?;
    Ok(())
}

/// SHA-256 of the snapshot's JSON with sorted keys and without the questions' names, as hex. Two runs with the same
/// hash asked the same survey.
pub fn survey_hash(snapshot: &Value) -> String {
    let mut snapshot = snapshot.clone();
    // Names are not part of a prompt.
    for question in snapshot["questions"].as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        question.remove("name");
    }
    hex(&Sha256::digest(snapshot.to_string()))
}

fn unserialisable(error: serde_json::Error) -> SimulationRefusal {
    SimulationRefusal::Database(diesel::result::Error::SerializationError(Box::new(error)))
}
