//! Compares the answers of a run with those of its repeats.

use diesel_async::AsyncPgConnection;
use evidence::compare::Item;
use evidence::upload::ReservedColumns;
use simulation::items;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use simulation::studies::{AnsweredRuns, MAX_ANSWERS, repeated};
use simulation::twins::TwinAnswers;

use crate::db::{self, AsyncPool};
use crate::error::Result;
use crate::models::studies;
use crate::results::people;
use crate::results::runs;

/// Collects the answers of a run and of its repeats in a study.
pub(super) struct RepeatedAnswers {
    own: TwinAnswers,
    /// Row ids of all repeats with the run's own, in the order of the study.
    group: Vec<i64>,
}

impl RepeatedAnswers {
    /// Finds the repeats. `None` if there are none, or too many answers.
    pub async fn find(conn: &mut AsyncPgConnection, run: &Run) -> Result<Option<Self>> {
        let Some(study) = studies::of_run(conn, run.facts.simulation_id).await? else { return Ok(None) };
        let runs = studies::parameters(conn, study).await?;
        let groups = repeated(&runs.iter().map(|(_, parameters)| parameters).collect::<Vec<_>>());
        let ids = groups.into_iter().map(|group| group.iter().map(|place| runs[*place].0).collect::<Vec<_>>());
        let group = ids.into_iter().find(|group| group.contains(&run.facts.id)).unwrap_or_default();
        // All runs of a study ask the same questions of the same number of twins.
        let is_small = i64::from(run.rows()) * group.len() as i64 <= MAX_ANSWERS;
        Ok((group.len() > 1 && is_small)
            .then(|| Self { own: TwinAnswers::new(run, &ReservedColumns::default()), group }))
    }

    /// Adds the run's next interviews.
    pub fn add(&mut self, run: &Run, page: &[InterviewOutcomes]) {
        self.own.add(run, page);
    }

    /// Returns the items with the answers of each twin in every repeat. Reads the other runs.
    pub async fn rows(mut self, pool: &AsyncPool, run: &Run) -> Result<Vec<(Item, Vec<Vec<f64>>)>> {
        let mut answered = AnsweredRuns::new(items::items(&run.questions));
        for id in &self.group {
            let reading = if *id == run.facts.id {
                self.own.take()
            } else {
                let other = runs::load(&*db::checkout(pool).await?, *id).await?;
                people::twins(pool, &other, &ReservedColumns::default()).await?
            };
            answered.add(reading.respondents);
        }
        let all: Vec<usize> = (0..self.group.len()).collect();
        let of_item = |item: &Item| Some((item.clone(), answered.rows(item, &all)?));
        Ok(answered.items().iter().filter_map(of_item).collect())
    }
}
