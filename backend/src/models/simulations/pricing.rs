//! Prices runs before they are started. Read-only, takes no locks.

use diesel_async::AsyncPgConnection;
use serde::Serialize;
use simulation::parameters::{Memory, Parameters, PersonaVariant};
use survey::assign::GivenArms;
use utoipa::ToSchema;

use super::choice::choose;
use super::estimate::RunEstimate;
use super::interviews::text_lengths;
use super::speed::{LimitsByServer, Speeds};
use super::start::{FrozenSurvey, NewSimulation};
use super::workload::{MeasurePrompts, Workload, choose_prompt_cache};
use super::{SimulationRefusal, deal, start};
use crate::models::personas;

/// A run before it is started: its parameters and its work.
pub type PlannedRun = (Parameters, Workload);

/// Price of a run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct PricedRun {
    pub parameters: Parameters,
    #[schema(example = 1000)]
    pub credits: i64,
    pub estimate: RunEstimate,
}

/// Code of a warning about a price.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PriceWarningCode {
    /// The caller has too few credits.
    InsufficientCredits,
    /// The built-in demo model would answer.
    DemoModel,
}

/// Warning about a price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PriceWarning {
    pub code: PriceWarningCode,
    #[schema(example = "This run needs more credits than you have in this group.")]
    pub message: String,
    /// A further sentence; null: there is none.
    #[schema(example = "They pay for 81 digital twins.")]
    pub detail: Option<String>,
}

/// Price of the runs of a study, or of a single run.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StudyPrice {
    pub runs: Vec<PricedRun>,
    /// Requests of all runs.
    #[schema(example = 3000)]
    pub credits: i64,
    /// Credits that the caller can spend in the survey's group; null: the caller is no member of it.
    #[schema(example = 5000)]
    pub available: Option<i64>,
    /// Credits that remain after the start; negative: so many are missing.
    #[schema(example = 2000)]
    pub remaining: Option<i64>,
    /// Twins that each run asks.
    #[schema(example = 100)]
    pub personas: i64,
    /// Twins, out of these, that the caller's credits pay for in all runs.
    #[schema(example = 100)]
    pub affordable_personas: i64,
    /// Estimate of all runs together.
    pub estimate: RunEstimate,
    pub warnings: Vec<PriceWarning>,
}

impl StudyPrice {
    /// Computes the price of runs over the same personas. `available`: credits that the caller can spend; `noun`: what
    /// is started, for example `run`.
    pub async fn compute(
        conn: &mut AsyncPgConnection,
        runs: Vec<PlannedRun>,
        available: Option<i64>,
        limits: LimitsByServer,
        (noun, is_demo): (&str, bool),
    ) -> diesel::QueryResult<Self> {
        let speeds = Speeds::measure(conn, limits, runs.iter().map(|(parameters, _)| parameters)).await?;
        let all: Vec<(&Parameters, Workload)> = runs.iter().map(|(parameters, work)| (parameters, *work)).collect();
        let estimate = RunEstimate::of(&all, &speeds);
        let credits = estimate.answers;
        let personas = runs.first().map_or(0, |(_, work)| work.personas);
        let affordable_personas = affordable(personas, credits, available.unwrap_or_default());
        let mut warnings = Vec::new();
        if credits > available.unwrap_or_default() {
            warnings.push(PriceWarning::insufficient_credits(noun, affordable_personas));
        }
        if is_demo {
            warnings.push(PriceWarning::demo_model());
        }
        let priced = |(parameters, work): PlannedRun| {
            let estimate = RunEstimate::of(&[(&parameters, work)], &speeds);
            PricedRun { credits: work.answers, parameters, estimate }
        };
        let remaining = available.map(|available| available - credits);
        let runs = runs.into_iter().map(priced).collect();
        Ok(Self { runs, credits, available, remaining, personas, affordable_personas, estimate, warnings })
    }
}

/// The number of personas, at most all of them, that `available` credits pay for if all cost `credits`.
fn affordable(personas: i64, credits: i64, available: i64) -> i64 {
    if credits == 0 { personas } else { (available.max(0).saturating_mul(personas) / credits).min(personas) }
}

impl PriceWarning {
    fn insufficient_credits(noun: &str, affordable: i64) -> Self {
        let detail = match affordable {
            0 => "They do not pay for a single digital twin.".to_owned(),
            1 => "They pay for 1 digital twin.".to_owned(),
            twins => format!("They pay for {twins} digital twins."),
        };
        let message = format!("This {noun} needs more credits than you have in this group.");
        Self { code: PriceWarningCode::InsufficientCredits, message, detail: Some(detail) }
    }

    fn demo_model() -> Self {
        let message = "Demo model: the answers are not from a language model.".to_owned();
        Self { code: PriceWarningCode::DemoModel, message, detail: None }
    }
}

/// Average sizes of personas' texts, each read once.
#[derive(Debug, Default)]
pub struct TextSizes(Vec<(PersonaVariant, Vec<i32>, i64)>);

impl TextSizes {
    /// Returns the average size of these personas' texts in bytes.
    pub async fn average(
        &mut self,
        conn: &mut AsyncPgConnection,
        set_id: i32,
        variant: PersonaVariant,
        personas: &[i32],
    ) -> diesel::QueryResult<i64> {
        let known = self.0.iter().find(|(known, of, _)| *known == variant && of == personas);
        if let Some((_, _, bytes)) = known {
            return Ok(*bytes);
        }
        let lengths = text_lengths(conn, set_id, variant, personas).await?;
        let bytes = lengths.values().sum::<usize>() / lengths.len().max(1);
        self.0.push((variant, personas.to_vec(), bytes as i64));
        Ok(bytes as i64)
    }
}

/// Personas, seed and arms.
type Asked = (Vec<i32>, i64, GivenArms);

/// Number of questions of each persona, and what prompts repeat of earlier answers.
type Requests = (Vec<i64>, Option<Memory>);

/// Work of runs of one survey. Runs over the same personas in the same arms share one assignment: no other parameter
/// changes which questions can be reached.
pub(in crate::models) struct Pricing<'s> {
    survey: &'s FrozenSurvey,
    measure: MeasurePrompts,
    known: Vec<(Asked, Requests)>,
    texts: TextSizes,
}

impl<'s> Pricing<'s> {
    pub fn new(survey: &'s FrozenSurvey, measure: MeasurePrompts) -> Self {
        Self { survey, measure, known: Vec::new(), texts: TextSizes::default() }
    }

    /// Plans the run, with personas drawn as at a start.
    pub async fn plan(
        &mut self,
        conn: &mut AsyncPgConnection,
        new: &NewSimulation,
    ) -> Result<PlannedRun, SimulationRefusal> {
        let set = personas::current_set(conn).await?.ok_or(SimulationRefusal::NoPersonas)?;
        let twins = choose(conn, set.id, &new.choice, &new.parameters).await?;
        let profile_bytes = self.texts.average(conn, set.id, new.parameters.persona_variant, &twins).await?;
        let key = (twins, new.parameters.seed, new.parameters.arms());
        let place = match self.known.iter().position(|(known, _)| *known == key) {
            Some(place) => place,
            None => {
                let requests = self.requests(conn, set.id, &key).await?;
                self.known.push((key, requests));
                self.known.len() - 1
            }
        };
        let (requests, memory) = &self.known[place].1;
        let mut parameters = new.parameters.clone();
        parameters.memory = parameters.memory.or(*memory);
        choose_prompt_cache(&mut parameters, requests, new.shared);
        let sizes = (self.measure)(&self.survey.snapshot().questions, &parameters);
        let work = Workload::new(requests, profile_bytes, sizes, &parameters).shared(new.shared);
        let parameters = Parameters { memory: new.parameters.memory, ..parameters };
        Ok((parameters, work))
    }

    /// Returns the number of questions of each persona, and what prompts repeat of earlier answers.
    async fn requests(
        &self,
        conn: &mut AsyncPgConnection,
        set_id: i32,
        (twins, seed, arms): &Asked,
    ) -> Result<Requests, SimulationRefusal> {
        let snapshot = self.survey.snapshot();
        Ok(match deal::dealt(conn, snapshot, *seed, arms.clone(), set_id, twins).await? {
            None => (vec![start::requests(snapshot).count() as i64; twins.len()], None),
            Some((dealt, plan)) => {
                let memory = plan.reads_answers().then_some(Memory::Transcript);
                (dealt.iter().map(|dealt| i64::from(dealt.requests)).collect(), memory)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credits_pay_for_whole_twins_and_no_more_than_are_asked() {
        assert_eq!(affordable(100, 300, 299), 99);
        assert_eq!(affordable(100, 300, 1_000), 100);
        assert_eq!(affordable(100, 300, 2), 0);
        assert_eq!(affordable(100, 300, -5), 0);
        assert_eq!(affordable(3, 0, 0), 3);
        let detail = |twins| PriceWarning::insufficient_credits("run", twins).detail;
        assert_eq!(detail(1).as_deref(), Some("They pay for 1 digital twin."));
        assert_eq!(detail(0).as_deref(), Some("They do not pay for a single digital twin."));
    }
}
