//! Studies: runs of one survey over the same twins with the same seed, one for each cell of a product of arms, variants,
//! models, repeats and orders of options.
//!
//! Each is an ordinary run with its own credits, pauses and entries in the ledger. A study consists of its runs, which
//! start together and may be active side by side.

use diesel::dsl::auto_type;
use diesel::prelude::*;
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use simulation::parameters::{MAX_RUNS, Parameters, StudyCell};
use simulation::plans::differences::StartedRuns;
use simulation::prompt_cache::{SharedTexts, pays_less_for_cached_texts, shares_texts};
use simulation::row::Simulation;
use simulation::study::Study;
use survey::assign::{GivenArms, combinations};
use survey::walk::OptionOrder;
use uuid::Uuid;

use super::simulations::SimulationRefusal;
use super::simulations::names::NameChanges;
use super::simulations::overview::{self, SimulationCondition, SimulationFilter, SimulationOverview};
use super::simulations::passes::Pass;
use super::simulations::pricing::{PlannedRun, Pricing};
use super::simulations::start::{FrozenSurvey, NewSimulation, PersonaChoice, PreparedRun};
use super::simulations::workload::MeasurePrompts;
use super::{queue, study_plans};
use crate::models::json::unreadable;
use crate::schema::{simulations, studies, study_runs};

#[derive(Clone, Debug)]
pub struct NewStudy {
    pub survey_id: i64,
    /// The member of the survey's group who pays.
    pub user_id: i64,
    pub choice: PersonaChoice,
    pub demo_model: bool,
    /// Parameters of the runs. With `every_arm` each is started once for every combination of arms.
    pub cells: Vec<Parameters>,
    pub every_arm: bool,
    pub name: Option<String>,
    pub note: Option<String>,
    /// Cost cap of each run, in micro-units.
    pub max_cost: Option<i64>,
    /// The row of the plan that the study follows.
    pub plan: Option<i64>,
}

/// The columns of a study, in the order of its fields.
#[auto_type]
fn columns() -> _ {
    (studies::id, studies::study_id, studies::name, studies::note, studies::created_at)
}

impl NewStudy {
    /// The runs of the study, whose parameters are these.
    fn runs(&self, cells: &[Parameters]) -> impl Iterator<Item = NewSimulation> {
        cells.iter().enumerate().map(|(place, parameters)| NewSimulation {
            max_cost: self.max_cost,
            shared: SharedTexts::of(cells, place),
            ..NewSimulation::new(self.survey_id, self.user_id, self.choice.clone(), parameters.clone(), self.demo_model)
        })
    }

    /// Returns the survey as all runs ask it, and the parameters of each run.
    fn cells_over(&self, mut survey: FrozenSurvey) -> Result<(FrozenSurvey, Vec<Parameters>), SimulationRefusal> {
        if self.cells.iter().any(|cell| cell.of_walk().option_order != OptionOrder::AsWritten) {
            // All runs must be asked in the same way, except for the order.
            survey = survey.with_design();
        }
        let arms = if self.every_arm { every_arm(&survey)? } else { vec![GivenArms::new()] };
        let runs: Vec<Parameters> = (self.cells.iter())
            .flat_map(|cell| {
                arms.iter().map(|arms| {
                    let mut parameters = cell.clone();
                    parameters.cell.get_or_insert_default().arms.clone_from(arms);
                    parameters
                })
            })
            .collect();
        if runs.len() > MAX_RUNS { Err(SimulationRefusal::TooManyRuns) } else { Ok((survey, runs)) }
    }

    /// Computes the work of the runs with personas drawn as at a start. Stores and locks nothing.
    pub async fn planned_runs(
        &self,
        conn: &mut AsyncPgConnection,
        measure: MeasurePrompts,
    ) -> Result<Vec<PlannedRun>, SimulationRefusal> {
        let (survey, cells) = self.cells_over(FrozenSurvey::read(conn, self.survey_id).await?)?;
        let mut runs = Vec::with_capacity(cells.len());
        let mut pricing = Pricing::new(&survey, measure);
        for run in self.runs(&cells) {
            runs.push(pricing.plan(conn, &run).await?);
        }
        Ok(runs)
    }

    /// Starts all runs or none. Returns the study's row id.
    pub async fn start(&self, conn: &mut AsyncPgConnection) -> Result<i64, SimulationRefusal> {
        conn.transaction(async |conn| {
            let (survey, cells) = self.cells_over(FrozenSurvey::lock(conn, self.survey_id).await?)?;
            let id: i64 = diesel::insert_into(studies::table)
                .values((studies::name.eq(&self.name), studies::note.eq(&self.note)))
                .returning(studies::id)
                .get_result(conn)
                .await?;
            let (mut held, mut too_few) = (0, None);
            let mut persona_count = 0;
            for run in self.runs(&cells) {
                let run = PreparedRun::prepare(conn, &survey, run).await?;
                let cost = run.cost;
                persona_count = run.persona_count();
                // After a lack of credits, go on to add up what all runs cost: the error names the total.
                if too_few.is_none() {
                    match run.hold(conn).await {
                        Ok(()) => {
                            let run = run.insert(conn).await?;
                            diesel::insert_into(study_runs::table)
                                .values((study_runs::simulation_id.eq(run), study_runs::study_id.eq(id)))
                                .execute(conn)
                                .await?;
                        }
                        Err(SimulationRefusal::NotEnoughCredits { available, .. }) => too_few = Some(available + held),
                        Err(refusal) => return Err(refusal),
                    }
                }
                held += cost;
            }
            if let Some(available) = too_few {
                return Err(SimulationRefusal::NotEnoughCredits { needed: held, available });
            }
            if let Some(plan) = self.plan {
                let started = StartedRuns { persona_count, parameters: &cells };
                study_plans::attach(conn, plan, (id, self.survey_id), self.user_id, survey.snapshot(), &started)
                    .await?;
            }
            queue::notify_workers(conn).await?;
            Ok(id)
        })
        .await
    }
}

/// Returns a run's parameters once for each order of options and each repeat.
pub fn cells_of(parameters: &Parameters, orders: &[OptionOrder], repeats: u16) -> Vec<Parameters> {
    let cell = |repeat, option_order| StudyCell { repeat, option_order, ..StudyCell::default() };
    let cells = orders.iter().flat_map(|order| (0..repeats).map(move |repeat| cell(repeat, *order)));
    cells.map(|cell| Parameters { cell: Some(cell), ..parameters.clone() }).collect()
}

fn every_arm(survey: &FrozenSurvey) -> Result<Vec<GivenArms>, SimulationRefusal> {
    let plan = survey.plan()?.ok_or(SimulationRefusal::NoArms)?;
    let arms = combinations(&plan).map_err(|refusal| SimulationRefusal::Design(refusal.to_string()))?;
    if arms.iter().all(GivenArms::is_empty) { Err(SimulationRefusal::NoArms) } else { Ok(arms) }
}

pub async fn find(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Study> {
    studies::table.find(id).select(columns()).first(conn).await
}

/// Returns the row id of the study with the id that the API shows, and one of its runs, whose access rules hold for
/// all.
pub async fn first_run(conn: &mut AsyncPgConnection, study_id: Uuid) -> QueryResult<Option<(i64, Uuid)>> {
    studies::table
        .inner_join(study_runs::table.inner_join(simulations::table))
        .filter(studies::study_id.eq(study_id))
        .order(simulations::id)
        .select((studies::id, simulations::simulation_id))
        .first(conn)
        .await
        .optional()
}

/// Returns the row id of the study that has a run with this id.
pub async fn of_run(conn: &mut AsyncPgConnection, simulation_id: Uuid) -> QueryResult<Option<i64>> {
    let runs = study_runs::table.inner_join(simulations::table).filter(simulations::simulation_id.eq(simulation_id));
    runs.select(study_runs::study_id).first(conn).await.optional()
}

/// Returns a study's runs, in the order of its cells.
pub async fn runs(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<SimulationOverview>> {
    let of_study = run_ids(conn, id).await?;
    let which = || -> SimulationCondition { Box::new(simulations::id.eq_any(of_study.clone())) };
    let (mut runs, _) = overview::list(conn, which, SimulationFilter::default(), MAX_RUNS as i64, 0).await?;
    runs.sort_by_key(|run| run.id);
    Ok(runs)
}

/// Returns the row ids of a study's runs, in the order of its cells.
pub async fn run_ids(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<i64>> {
    study_runs::table
        .filter(study_runs::study_id.eq(id))
        .order(study_runs::simulation_id)
        .select(study_runs::simulation_id)
        .load(conn)
        .await
}

/// Returns the parameters of a study's runs, by row id, in the order of its cells.
pub async fn parameters(conn: &mut AsyncPgConnection, id: i64) -> QueryResult<Vec<(i64, Parameters)>> {
    let rows: Vec<(i64, Value)> = study_runs::table
        .inner_join(simulations::table)
        .filter(study_runs::study_id.eq(id))
        .order(simulations::id)
        .select((simulations::id, simulations::parameters))
        .load(conn)
        .await?;
    rows.into_iter().map(|(id, of)| Ok((id, serde_json::from_value(of).map_err(unreadable)?))).collect()
}

/// Returns the studies of a survey, newest first, and how many there are.
pub async fn of_survey(
    conn: &mut AsyncPgConnection,
    survey_id: i64,
    limit: i64,
    offset: i64,
) -> QueryResult<(Vec<Study>, i64)> {
    let of_survey = || {
        let runs = study_runs::table.inner_join(simulations::table).filter(simulations::survey_id.eq(survey_id));
        studies::table.filter(studies::id.eq_any(runs.select(study_runs::study_id)))
    };
    let page = of_survey().order(studies::id.desc()).limit(limit).offset(offset).select(columns());
    let rows = page.load(conn).await?;
    Ok((rows, of_survey().count().get_result(conn).await?))
}

/// Applies the action to every run that allows it; the others stay as they are, and their pages say why. Fails if no
/// run allows it. Returns the ids of the changed runs.
pub async fn change(
    conn: &mut AsyncPgConnection,
    id: i64,
    action: impl AsyncFn(&mut AsyncPgConnection, i64) -> Result<Simulation, SimulationRefusal>,
) -> Result<Vec<i64>, SimulationRefusal> {
    let (mut changed, mut refused) = (Vec::new(), None);
    // Each run gets its own transaction: otherwise a second run's locks would follow those of the first one's member.
    for run in run_ids(conn, id).await? {
        match action(conn, run).await {
            Ok(_) => changed.push(run),
            Err(SimulationRefusal::Database(error)) => return Err(SimulationRefusal::Database(error)),
            // Reaching the cost cap is a more useful reason than a run that is over.
            Err(SimulationRefusal::WrongState { .. }) if refused.is_some() => {}
            Err(refusal) => refused = Some(refusal),
        }
    }
    match refused {
        Some(refusal) if changed.is_empty() => Err(refusal),
        _ => Ok(changed),
    }
}

/// Begins the pass of every run that allows it, with credits for all of them or for none. Returns their ids.
pub async fn begin_pass(conn: &mut AsyncPgConnection, id: i64, pass: Pass) -> Result<Vec<i64>, SimulationRefusal> {
    let runs = run_ids(conn, id).await?;
    pass.begin_all(conn, &runs).await
}

/// The last of the study's runs before this one that sends the same texts of twins to the same model, if this one pays less
/// for texts that the model server has in its cache.
pub async fn run_before(conn: &mut AsyncPgConnection, run: i64, parameters: &Parameters) -> QueryResult<Option<i64>> {
    if !pays_less_for_cached_texts(parameters) {
        return Ok(None);
    }
    let study = study_runs::table.find(run).select(study_runs::study_id).first::<i64>(conn).await.optional()?;
    let Some(study) = study else { return Ok(None) };
    let earlier: Vec<(i64, Value)> = study_runs::table
        .inner_join(simulations::table)
        .filter(study_runs::study_id.eq(study))
        .filter(simulations::id.lt(run))
        .order(simulations::id.desc())
        .select((simulations::id, simulations::parameters))
        .load(conn)
        .await?;
    for (id, earlier) in earlier {
        if serde_json::from_value(earlier).is_ok_and(|earlier| shares_texts(&earlier, parameters)) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Renames the study; the names of its runs stay.
pub async fn rename(conn: &mut AsyncPgConnection, id: i64, changes: &NameChanges) -> QueryResult<()> {
    if *changes == NameChanges::default() {
        return Ok(());
    }
    let name = changes.name.as_ref().map(|name| studies::name.eq(name));
    let note = changes.note.as_ref().map(|note| studies::note.eq(note));
    diesel::update(studies::table.find(id)).set((name, note)).execute(conn).await.map(drop)
}
