//! Reads the interviews of a run, a page of personas at a time.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use diesel::QueryResult;
use diesel_async::AsyncPgConnection;
use futures_util::future::try_join;
use simulation::answers::{Answer, AskedPersona, Provenance, RequestFailure, RequestOutcome};
use simulation::dealt::{self, Dealt};
use simulation::outcomes::InterviewOutcomes;
use simulation::parameters::Parameters;
use simulation::run::Run;
use survey::plan::Plan;
use survey::walk::Reason;

use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::models::assignments::{self, TwinAssignment};
use crate::models::json::unreadable;
use crate::models::request_failures;
use crate::models::responses;
use crate::models::simulation_personas;

/// Approximate number of rows of a page, which holds at least one whole persona.
const PAGE_ROWS: usize = 2_000;

/// A cursor over a run. It follows the primary key of the answers, so that all pages cost the same.
pub struct Pages {
    simulation: i64,
    /// The plan and parameters with which interviews are walked through. `None` for a plain survey.
    design: Option<(Arc<Plan>, Parameters)>,
    /// Position in the survey by question id.
    places: HashMap<i64, usize>,
    personas_a_page: i64,
    /// Maximum number of personas still to be read.
    left: i64,
    /// Id of the last persona that was read. Ids start at 1.
    after: i32,
    with_provenance: bool,
    /// Ids of the personas that are still to be read, in their order. `None` for all, by id.
    only: Option<VecDeque<i32>>,
}

impl Pages {
    pub fn new(run: &Run) -> Self {
        let places: HashMap<i64, usize> =
            run.questions.iter().enumerate().map(|(place, question)| (question.id, place)).collect();
        let personas_a_page = (PAGE_ROWS / places.len().max(1)).max(1) as i64;
        Self {
            simulation: run.facts.id,
            design: run.plan.clone().map(|plan| (plan, run.parameters.clone())),
            places,
            personas_a_page,
            left: i64::MAX,
            after: 0,
            with_provenance: true,
            only: None,
        }
    }

    /// Leaves out the answers' provenance, which is two thirds of the data.
    pub fn without_provenance(self) -> Self {
        Self { with_provenance: false, ..self }
    }

    /// Reads these personas only, in this order, or all by id with `None`.
    pub fn only(self, personas: Option<Vec<i32>>) -> Self {
        Self { only: personas.map(VecDeque::from), ..self }
    }

    /// Starts after this persona.
    pub fn after(self, persona: i32) -> Self {
        Self { after: persona, ..self }
    }

    /// Limits the number of personas of a page.
    pub fn at_most(self, personas: u64) -> Self {
        let personas = i64::try_from(personas.max(1)).unwrap_or(i64::MAX);
        Self { personas_a_page: self.personas_a_page.min(personas), ..self }
    }

    /// Ends after this number of personas.
    pub fn first(self, personas: u64) -> Self {
        Self { left: i64::try_from(personas).unwrap_or(i64::MAX), ..self }
    }

    /// Reads the next page. `None` after the last.
    pub async fn next(&mut self, conn: &AsyncPgConnection) -> QueryResult<Option<Vec<InterviewOutcomes>>> {
        let most = self.personas_a_page.min(self.left);
        let in_order = self.only_next(most);
        let mut sorted = in_order.clone();
        if let Some(ids) = &mut sorted {
            ids.sort_unstable();
        }
        let only = sorted.as_deref();
        let after = only.map_or(self.after, |ids| ids.first().map_or(i32::MAX, |first| first - 1));
        let personas = simulation_personas::after(conn, self.simulation, after, most, only).await?;
        let Some(last) = personas.last().map(|persona| persona.id) else { return Ok(None) };
        let (answers, failures) = try_join(
            self.answers(conn, after, last, only),
            request_failures::of_personas(conn, self.simulation, after, last, only),
        )
        .await?;
        let ids: Vec<i32> = personas.iter().map(|persona| persona.id).collect();
        self.after = last;
        self.left -= personas.len() as i64;
        let mut page = self.assemble(personas, answers, failures);
        if let Some((plan, parameters)) = &self.design {
            let dealt = assignments::dealt_to(conn, self.simulation, plan, &ids).await?;
            let hidden = assignments::hidden(conn, self.simulation, &ids).await?;
            self.deal(plan, parameters, (dealt, hidden), &mut page).map_err(unreadable)?;
        }
        if let Some(in_order) = in_order {
            let places: HashMap<i32, usize> = in_order.into_iter().enumerate().map(|(place, id)| (id, place)).collect();
            page.sort_by_key(|interview| places.get(&interview.persona.id).copied());
        }
        Ok(Some(page))
    }

    /// Like [`Self::next`], with a connection that is taken for this page only. Fails if the database does not answer
    /// in time.
    pub async fn next_from(&mut self, pool: &AsyncPool) -> Result<Option<Vec<InterviewOutcomes>>> {
        db::in_time(async { Ok(self.next(&*db::checkout(pool).await?).await?) }).await
    }

    /// Takes the next personas to read, at most `most`.
    fn only_next(&mut self, most: i64) -> Option<Vec<i32>> {
        let only = self.only.as_mut()?;
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(only.len());
        Some(only.drain(..most).collect())
    }

    /// Reads the answers behind the persona `after`, up to and including the persona `last`.
    async fn answers(
        &self,
        conn: &AsyncPgConnection,
        after: i32,
        last: i32,
        only: Option<&[i32]>,
    ) -> QueryResult<Vec<(Answer, Option<Provenance>)>> {
        if self.with_provenance {
            let answers = responses::with_provenance(conn, self.simulation, after, last, only).await?;
            return Ok(answers.into_iter().map(|(answer, provenance)| (answer, Some(provenance))).collect());
        }
        let answers = responses::of_personas(conn, self.simulation, after, last, only).await?;
        Ok(answers.into_iter().map(|answer| (answer, None)).collect())
    }

    fn assemble(
        &self,
        personas: Vec<AskedPersona>,
        answers: Vec<(Answer, Option<Provenance>)>,
        failures: Vec<RequestFailure>,
    ) -> Vec<InterviewOutcomes> {
        let mut page: Vec<InterviewOutcomes> = personas
            .into_iter()
            .map(|persona| InterviewOutcomes {
                persona,
                outcomes: vec![RequestOutcome::Open; self.places.len()],
                dealt: None,
            })
            .collect();
        let mut place = |persona_id: i32, question_id: i64, outcome: RequestOutcome| {
            let interview = page.binary_search_by_key(&persona_id, |interview| interview.persona.id);
            if let (Ok(interview), Some(&question)) = (interview, self.places.get(&question_id)) {
                page[interview].outcomes[question] = outcome;
            }
        };
        for failure in failures.into_iter().filter(|failure| !failure.retrying) {
            place(failure.persona_id, failure.question_id, RequestOutcome::Failed(failure));
        }
        // Answers are applied after failures: while a run goes on, an answer may be newer than the failure that it
        // replaces.
        for (answer, provenance) in answers {
            place(answer.persona_id, answer.question_id, RequestOutcome::Answered(answer, provenance));
        }
        page
    }

    /// Adds the assignments of the twins and the questions that they were shown.
    fn deal(
        &self,
        plan: &Plan,
        parameters: &Parameters,
        (dealt, mut hidden): (Vec<TwinAssignment>, HashMap<i32, HashMap<i64, Reason>>),
        page: &mut [InterviewOutcomes],
    ) -> serde_json::Result<()> {
        for TwinAssignment { twin, assignment, .. } in dealt {
            let Ok(place) = page.binary_search_by_key(&twin.id, |interview| interview.persona.id) else { continue };
            let outcomes = &mut page[place].outcomes;
            let not_shown = hidden.remove(&twin.id).unwrap_or_default();
            let standing = dealt::standing(twin, assignment, not_shown, outcomes)?;
            page[place].dealt = Some(Dealt::walk(plan, parameters, &self.places, standing, outcomes));
        }
        Ok(())
    }
}
