//! Plans of runs, compiled once for all readers of a survey, off the threads that serve requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use simulation::snapshot::Snapshot;
use survey::plan::Plan;
use tokio::sync::OnceCell;

use crate::error::Error;
use crate::metrics;
use crate::work::blocking;

/// Upper limit of cached plans.
const MAX_CACHED_PLANS: usize = 16;

/// Surveys with their plans, most recently used first.
struct PlanCache(VecDeque<Arc<PlannedSurvey>>);

struct PlannedSurvey {
    hash: String,
    survey: Snapshot,
    plan: OnceCell<Arc<Plan>>,
}

static PLANS: Mutex<PlanCache> = Mutex::new(PlanCache(VecDeque::new()));

/// Returns the plan of a run of this survey, which has this hash. `None`: a plain survey. Fails if another version of
/// the program wrote a design that this one cannot run.
pub async fn compiled(hash: &str, survey: &Snapshot) -> Result<Option<Arc<Plan>>, String> {
    if survey.design.is_none() {
        return Ok(None);
    }
    let planned = PLANS.lock().unwrap_or_else(PoisonError::into_inner).entry(hash, survey);
    let compile = async || {
        let planned = Arc::clone(&planned);
        let compiled =
            blocking(move || compile(&planned.survey)).await.map_err(|error| Error::from(error).to_string())??;
        compiled.map(Arc::new).ok_or_else(|| "it has no design".to_owned())
    };
    planned.plan.get_or_try_init(compile).await.cloned().map(Some)
}

/// Compiles the plan of a run, and counts that. Fails as [`compiled`] does.
pub fn compile(survey: &Snapshot) -> Result<Option<Plan>, String> {
    if survey.design.is_some() {
        metrics::plan_compiled();
    }
    survey.plan()
}

impl PlanCache {
    /// Returns the survey's entry and moves it to the front. The surveys are compared too, because the hash leaves out
    /// the questions' names.
    fn entry(&mut self, hash: &str, survey: &Snapshot) -> Arc<PlannedSurvey> {
        let known = self.0.iter().position(|known| known.hash == hash && known.survey == *survey);
        let planned = known.and_then(|place| self.0.remove(place)).unwrap_or_else(|| {
            Arc::new(PlannedSurvey { hash: hash.to_owned(), survey: survey.clone(), plan: OnceCell::new() })
        });
        self.0.push_front(Arc::clone(&planned));
        self.0.truncate(MAX_CACHED_PLANS);
        planned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survey(title: &str) -> Snapshot {
        let (title, description) = (title.to_owned(), String::new());
        Snapshot { title, description, questions: Vec::new(), design: None }
    }

    #[test]
    fn the_surveys_used_last_are_kept() {
        let mut cache = PlanCache(VecDeque::new());
        let first = cache.entry("0", &survey("first"));
        (1..MAX_CACHED_PLANS).for_each(|hash| drop(cache.entry(&hash.to_string(), &survey("other"))));
        assert!(Arc::ptr_eq(&first, &cache.entry("0", &survey("first"))));
        assert!(!Arc::ptr_eq(&first, &cache.entry("0", &survey("second"))), "another survey");
        assert!(Arc::ptr_eq(&first, &cache.entry("0", &survey("first"))), "the oldest was dropped");
        (1..=MAX_CACHED_PLANS).for_each(|hash| drop(cache.entry(&hash.to_string(), &survey("other"))));
        assert!(!Arc::ptr_eq(&first, &cache.entry("0", &survey("first"))));
        assert_eq!(cache.0.len(), MAX_CACHED_PLANS);
    }
}
