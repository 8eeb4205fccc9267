//! Estimates the time of runs: from the limits of the model server and from earlier runs of the same models.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Double, Nullable, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde::Serialize;
use simulation::model_options::ReasoningEffort;
use simulation::parameters::Parameters;
use utoipa::ToSchema;

use super::workload::Workload;
use crate::models::model_servers::Rates;

/// The range around the median of earlier runs, as factors.
const FASTER: f64 = 0.75;
const SLOWER: f64 = 1.5;
/// Seconds within which a model server completes a batch.
const BATCH_SECONDS: f64 = 86_400.0;

/// Limits of the model server that all runs share.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ServerLimits {
    pub rates: Rates,
    /// Calls at a time. `None`: no limit.
    pub concurrency: Option<u32>,
}

/// The limits of each model server, by its name.
pub type LimitsByServer = BTreeMap<String, ServerLimits>;

/// Source of an estimated time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeSource {
    /// Earlier runs of the same model.
    EarlierRuns,
    /// The limits of the model server, which give the shortest time only.
    Limits,
    /// The model server's Batch API, which takes up to a day.
    Batch,
}

/// Estimated time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TimeRange {
    #[schema(example = 40.5)]
    pub low_seconds: f64,
    /// Longest time; null: not known.
    #[schema(example = 81.0)]
    pub high_seconds: Option<f64>,
    pub source: TimeSource,
}

/// Seconds of a model's calls in earlier runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Measured {
    /// Latency of one call.
    latency: Option<f64>,
    /// Duration of a run divided by its calls, which it made side by side.
    per_call: Option<f64>,
}

/// Limits of the model servers, and the measured speed of models.
#[derive(Clone, Debug)]
pub struct Speeds {
    limits: LimitsByServer,
    /// The measured models, by server and name.
    models: BTreeMap<(Option<String>, String), Measured>,
    /// Tokens of reasoning in a call, by model and effort.
    reasoning: BTreeMap<(String, Option<&'static str>), f64>,
}

impl Speeds {
    /// The limits alone.
    pub fn unmeasured(limits: LimitsByServer) -> Self {
        Self { limits, models: BTreeMap::new(), reasoning: BTreeMap::new() }
    }

    /// Reads how fast the models of these runs were.
    pub async fn measure<'p>(
        conn: &mut AsyncPgConnection,
        limits: LimitsByServer,
        runs: impl IntoIterator<Item = &'p Parameters>,
    ) -> QueryResult<Self> {
        let mut speeds = Self::unmeasured(limits);
        for Parameters { model, model_server, reasoning_effort, .. } in runs {
            let effort = reasoning_effort.map(ReasoningEffort::name);
            if !speeds.reasoning.contains_key(&(model.clone(), effort))
                && let Some(tokens) = reasoning_of_call(conn, model, effort).await?
            {
                speeds.reasoning.insert((model.clone(), effort), tokens);
            }
            if let Entry::Vacant(unknown) = speeds.models.entry((model_server.clone(), model.clone())) {
                let latency = median_call_seconds(conn, model_server.as_deref(), model).await?;
                let per_call = median_seconds_per_call(conn, model_server.as_deref(), model).await?;
                unknown.insert(Measured { latency, per_call });
            }
        }
        Ok(speeds)
    }

    /// Estimates the time of runs that are started together and share the limits: no less than the limits say, about as
    /// long as earlier runs took for each call. `None`: neither is known.
    pub fn time(&self, runs: &[(&Parameters, Workload)]) -> Option<TimeRange> {
        if runs.iter().any(|(parameters, _)| parameters.batch) {
            return Some(TimeRange { low_seconds: 0.0, high_seconds: Some(BATCH_SECONDS), source: TimeSource::Batch });
        }
        let least = self.least_seconds(runs);
        let likely = runs.iter().map(|(parameters, work)| Some(work.calls as f64 * self.of(parameters).per_call?));
        match likely.sum::<Option<f64>>().map(|likely| likely.max(least)) {
            Some(likely) if !runs.is_empty() => Some(TimeRange {
                low_seconds: least.max(likely * FASTER),
                high_seconds: Some(likely * SLOWER),
                source: TimeSource::EarlierRuns,
            }),
            _ if least > 0.0 => Some(TimeRange { low_seconds: least, high_seconds: None, source: TimeSource::Limits }),
            _ => None,
        }
    }

    /// The shortest time that the limits allow: that of the server that takes the longest for its runs.
    fn least_seconds(&self, runs: &[(&Parameters, Workload)]) -> f64 {
        let mut by_server: BTreeMap<&str, Vec<(&Parameters, Workload)>> = BTreeMap::new();
        for (parameters, work) in runs {
            by_server.entry(parameters.server()).or_default().push((parameters, *work));
        }
        by_server.into_iter().map(|(server, runs)| self.least_of_server(server, &runs)).fold(0.0, f64::max)
    }

    fn least_of_server(&self, server: &str, runs: &[(&Parameters, Workload)]) -> f64 {
        let limits = self.limits.get(server).copied().unwrap_or_default();
        let minutes = |amount: i64, a_minute: Option<u32>| {
            a_minute.filter(|limit| *limit > 0).map_or(0.0, |limit| amount as f64 / f64::from(limit))
        };
        let calls = runs.iter().map(|(_, work)| work.calls).sum();
        let tokens = runs.iter().map(|(_, work)| work.tokens()).sum();
        let waiting: f64 = runs
            .iter()
            .map(|(parameters, work)| work.calls as f64 * self.of(parameters).latency.unwrap_or_default())
            .sum();
        let Rates { rpm, tpm } = limits.rates;
        let by_rates = 60.0 * minutes(calls, rpm).max(minutes(tokens, tpm));
        by_rates.max(limits.concurrency.map_or(0.0, |at_a_time| waiting / f64::from(at_a_time.max(1))))
    }

    /// Average tokens of reasoning in a call of earlier runs with this model and effort. `None`: there was none.
    pub fn reasoning(&self, parameters: &Parameters) -> Option<f64> {
        let effort = parameters.reasoning_effort.map(ReasoningEffort::name);
        self.reasoning.get(&(parameters.model.clone(), effort)).copied()
    }

    fn of(&self, parameters: &Parameters) -> Measured {
        let key = (parameters.model_server.clone(), parameters.model.clone());
        self.models.get(&key).copied().unwrap_or_default()
    }
}

#[derive(QueryableByName)]
struct Median {
    #[diesel(sql_type = Nullable<Double>)]
    seconds: Option<f64>,
}

/// Returns the seconds that a call of this model takes: the median over the first 500 answers of its newest finished
/// run among the last 200 of all models. `None`: there is none.
pub async fn median_call_seconds(
    conn: &mut AsyncPgConnection,
    server: Option<&str>,
    model: &str,
) -> QueryResult<Option<f64>> {
    let median: Median = sql_query(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY measured.latency_ms) / 1000 AS seconds
         FROM (
             SELECT latency_ms FROM responses
             WHERE simulation_id = (
                 SELECT id FROM (
                     SELECT id, parameters, model_server FROM simulations
                     WHERE status IN ('COMPLETED', 'FAILED') AND successful_requests > 0 ORDER BY id DESC LIMIT 200
                 ) AS latest
                 WHERE parameters ->> 'model' = $1 AND model_server IS NOT DISTINCT FROM $2
                     AND NOT parameters ? 'batch' ORDER BY id DESC LIMIT 1)
             ORDER BY persona_id, question_id LIMIT 500
         ) AS measured",
    )
    .bind::<Text, _>(model)
    .bind::<Nullable<Text>, _>(server)
    .get_result(conn)
    .await?;
    Ok(median.seconds)
}

/// Returns the seconds that a run of this model takes for each of its calls, which it makes side by side: the median of
/// the five newest runs that were completed in one pass, among the last 200 completed runs of all models. `None`: there
/// is none.
async fn median_seconds_per_call(
    conn: &mut AsyncPgConnection,
    server: Option<&str>,
    model: &str,
) -> QueryResult<Option<f64>> {
    let median: Median = sql_query(
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY seconds / planned_calls) AS seconds
         FROM (
             SELECT extract(epoch FROM completed_at - started_at)::double precision AS seconds,
                 persona_count * ceil(total_requests::double precision / persona_count
                     / CASE parameters ->> 'callScope' WHEN 'question' THEN 1
                           ELSE (parameters ->> 'questionsPerCall')::integer END) AS planned_calls
             FROM (SELECT * FROM simulations WHERE status = 'COMPLETED' ORDER BY id DESC LIMIT 200) AS latest
             WHERE parameters ->> 'model' = $1 AND model_server IS NOT DISTINCT FROM $2
                 AND NOT parameters ? 'batch' AND attempt = 1
                 AND completed_at > started_at AND persona_count > 0 AND total_requests > 0
             ORDER BY id DESC LIMIT 5
         ) AS measured",
    )
    .bind::<Text, _>(model)
    .bind::<Nullable<Text>, _>(server)
    .get_result(conn)
    .await?;
    Ok(median.seconds)
}

#[derive(QueryableByName)]
struct Average {
    #[diesel(sql_type = Nullable<Double>)]
    tokens: Option<f64>,
}

/// Returns the average tokens of reasoning in a call of the newest ended run with this model and effort, among the last 200
/// of all models. `None`: there is none.
async fn reasoning_of_call(
    conn: &mut AsyncPgConnection,
    model: &str,
    effort: Option<&str>,
) -> QueryResult<Option<f64>> {
    let average: Option<Average> = sql_query(
        "SELECT reasoning_tokens::double precision / calls AS tokens
         FROM (
             SELECT * FROM simulations
             WHERE status IN ('COMPLETED', 'FAILED') AND successful_requests > 0 ORDER BY id DESC LIMIT 200
         ) AS latest
         WHERE parameters ->> 'model' = $1 AND parameters ->> 'reasoningEffort' IS NOT DISTINCT FROM $2 AND calls > 0
         ORDER BY id DESC LIMIT 1",
    )
    .bind::<Text, _>(model)
    .bind::<Nullable<Text>, _>(effort)
    .get_result(conn)
    .await
    .optional()?;
    Ok(average.and_then(|average| average.tokens))
}

#[cfg(test)]
mod tests {
    use simulation::parameters::DEFAULT_SERVER;

    use super::*;
    use crate::models::simulations::workload::PromptSizes;

    fn run(model: &str, batch: bool) -> Parameters {
        Parameters { batch, ..Parameters::new(model, 1, 1) }
    }

    /// 120 calls of 500 tokens: 60,000 tokens.
    fn work(parameters: &Parameters) -> Workload {
        let work = Workload::new(&[1; 120], 500 * 4, PromptSizes::default(), parameters);
        assert_eq!((work.calls, work.tokens()), (120, 60_000));
        work
    }

    fn speeds(rpm: Option<u32>, tpm: Option<u32>, concurrency: Option<u32>, measured: Measured) -> Speeds {
        let limits = ServerLimits { rates: Rates { rpm, tpm }, concurrency };
        let limits = BTreeMap::from([(DEFAULT_SERVER.to_owned(), limits)]);
        Speeds { reasoning: BTreeMap::new(), limits, models: BTreeMap::from([((None, "m".to_owned()), measured)]) }
    }

    /// Returns the estimated time of such runs of `m`.
    fn time(speeds: &Speeds, runs: usize) -> Option<TimeRange> {
        let run = run("m", false);
        speeds.time(&vec![(&run, work(&run)); runs])
    }

    const NOTHING: Measured = Measured { latency: None, per_call: None };

    #[test]
    fn a_run_takes_at_least_what_the_slowest_of_its_limits_takes() {
        let least = |low_seconds| Some(TimeRange { low_seconds, high_seconds: None, source: TimeSource::Limits });
        let measured = Measured { latency: Some(3.0), per_call: None };
        assert_eq!(time(&speeds(Some(600), None, None, NOTHING), 1), least(12.0));
        assert_eq!(time(&speeds(Some(600), Some(30_000), Some(10), measured), 1), least(120.0));
        assert_eq!(time(&speeds(Some(600), None, Some(10), measured), 1), least(36.0));
        assert_eq!(time(&speeds(None, None, Some(10), NOTHING), 1), None);
        assert_eq!(time(&speeds(Some(600), None, None, NOTHING), 3), least(36.0), "runs of a study share the limits");
    }

    #[test]
    fn runs_of_several_servers_take_as_long_as_the_slowest_one() {
        let mut speeds = speeds(Some(600), None, None, NOTHING);
        let slow = ServerLimits { rates: Rates { rpm: Some(60), tpm: None }, concurrency: None };
        speeds.limits.insert("slow".to_owned(), slow);
        let (here, there) = (run("m", false), Parameters { model_server: Some("slow".to_owned()), ..run("m", false) });
        let time = speeds.time(&[(&here, work(&here)), (&there, work(&there))]).expect("a time");
        assert_eq!(time.low_seconds, 120.0);
    }

    #[test]
    fn a_run_takes_about_what_earlier_runs_took_for_each_call_and_never_less_than_its_limits() {
        let measured = Measured { latency: None, per_call: Some(0.45) };
        let earlier = |low_seconds, high_seconds| {
            Some(TimeRange { low_seconds, high_seconds: Some(high_seconds), source: TimeSource::EarlierRuns })
        };
        assert_eq!(time(&speeds(None, None, None, measured), 1), earlier(54.0 * FASTER, 54.0 * SLOWER));
        assert_eq!(time(&speeds(Some(60), None, None, measured), 1), earlier(120.0, 180.0));
    }

    #[test]
    fn a_run_is_not_measured_by_other_models_and_batches_take_up_to_a_day() {
        let speeds = speeds(None, None, None, Measured { latency: None, per_call: Some(0.45) });
        let (other, batch) = (run("other", false), run("m", true));
        assert_eq!(speeds.time(&[(&other, work(&other))]), None);
        let of_batch = speeds.time(&[(&batch, work(&batch))]).expect("a time");
        assert_eq!((of_batch.high_seconds, of_batch.source), (Some(86_400.0), TimeSource::Batch));
    }
}
