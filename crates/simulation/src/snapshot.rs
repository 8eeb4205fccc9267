//! The survey of a run.

use serde::{Deserialize, Serialize};
use survey::finding::Finding;
use survey::flow::Design;
use survey::item::Item;
use survey::plan::Plan;
use survey::question::Question;

/// The survey as it was when the run started. Prompts and downloads are made from it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    pub title: String,
    pub description: String,
    /// Questions, with each turn of a loop as a question of its own.
    pub questions: Vec<Question>,
    /// `None`: a plain survey.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub design: Option<Design>,
}

impl Snapshot {
    /// Compiles the plan. `None`: a plain survey. Fails if another version of the program wrote a design that this one
    /// cannot run.
    pub fn plan(&self) -> Result<Option<Plan>, String> {
        let Some(design) = &self.design else { return Ok(None) };
        let items: Vec<Item> = self.questions.iter().cloned().map(Item::from).collect();
        let first =
            |findings: Vec<Finding>| findings.into_iter().next().map_or_else(String::new, |found| found.message);
        Plan::of_run(design, &items).map(Some).map_err(first)
    }
}
