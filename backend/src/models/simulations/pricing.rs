//! Estimates credits. Read-only, takes no locks.

use diesel_async::AsyncPgConnection;
use survey::assign::GivenArms;

use super::choice::choose;
use super::start::{FrozenSurvey, NewSimulation};
use super::{SimulationRefusal, deal, start};
use crate::models::personas;

/// Personas, seed and arms.
type Asked = (Vec<i32>, i64, GivenArms);

/// Credits of runs of one survey. Runs over the same personas in the same arms share one assignment: no other parameter
/// changes which questions can be reached.
pub(in crate::models) struct Pricing<'s> {
    survey: &'s FrozenSurvey,
    known: Vec<(Asked, i64)>,
}

impl<'s> Pricing<'s> {
    pub fn new(survey: &'s FrozenSurvey) -> Self {
        Self { survey, known: Vec::new() }
    }

    /// Credits of the run, with personas drawn as at a start.
    pub async fn credits(
        &mut self,
        conn: &mut AsyncPgConnection,
        new: &NewSimulation,
    ) -> Result<i64, SimulationRefusal> {
        let set = personas::current_set(conn).await?.ok_or(SimulationRefusal::NoPersonas)?;
        let twins = choose(conn, set.id, &new.choice, &new.parameters).await?;
        let (seed, arms) = (new.parameters.seed, new.parameters.arms());
        let key = (twins, seed, arms);
        if let Some((_, credits)) = self.known.iter().find(|(known, _)| *known == key) {
            return Ok(*credits);
        }
        let (twins, _, arms) = &key;
        let snapshot = self.survey.snapshot();
        let dealt = deal::dealt(conn, snapshot, seed, arms.clone(), set.id, twins).await?.map(|(dealt, _)| dealt);
        let credits = start::credits(snapshot, twins.len(), dealt.as_deref());
        self.known.push((key, credits));
        Ok(credits)
    }
}
