//! Analyses that a frozen plan names.

use std::collections::BTreeSet;

use evidence::groups::AnalysisKind;
use evidence::multiplicity::TestRule;

use super::content::PlanContent;
use crate::plans::document::{NotApplied, PlanDocument};

/// A frozen plan with its primary items, resolved with the survey that was frozen with it.
#[derive(Clone, Debug)]
pub struct PlannedAnalyses {
    pub plan: PlanDocument,
    items: BTreeSet<String>,
}

impl PlannedAnalyses {
    pub fn new(content: PlanContent) -> Self {
        let items = content.plan.items(&content.survey.questions);
        Self { plan: content.plan, items }
    }

    /// The rule by which differences are called.
    pub fn rule(&self) -> TestRule {
        TestRule { adjustment: self.plan.choices.multiplicity, alpha: self.plan.choices.alpha }
    }

    pub fn not_applied(&self) -> Vec<NotApplied> {
        self.plan.choices.not_applied()
    }

    /// Whether the item (a question's name, or `name_2` for the second row of a matrix) is primary.
    pub fn names(&self, item: &str) -> bool {
        self.items.contains(item)
    }

    /// Classifies an estimate of an item, for all personas or for those of an arm.
    pub fn of_estimate(&self, item: &str, arm: Option<(&str, &str)>) -> AnalysisKind {
        let is_planned = arm.is_none_or(|(node, arm)| {
            self.plan.contrasts.iter().any(|planned| planned.of == node && (planned.a == arm || planned.b == arm))
        });
        AnalysisKind::classify(is_planned && self.names(item))
    }

    /// Classifies the difference of two arms in an item.
    pub fn of_contrast(&self, item: &str, node: &str, arms: (&str, &str)) -> AnalysisKind {
        AnalysisKind::classify(self.plan.plans_contrast(node, arms.0, arms.1) && self.names(item))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::plans::document::PlannedContrast;
    use survey::question::Question;

    fn questions() -> Vec<Question> {
        let question = |(place, (name, kind, rows)): (usize, (&str, &str, Value))| {
            serde_json::from_value(json!({ "id": place, "surveyId": 1, "order": place, "text": name, "name": name,
                "questionType": kind, "required": true, "options": [], "scale_labels": [], "subQuestions": rows }))
            .expect("a question")
        };
        let grid = json!(["one", "two"]);
        let names = [
            ("fair", "SINGLE_CHOICE", json!([])),
            ("fair_2", "SINGLE_CHOICE", json!([])),
            ("grid", "MATRIX", grid.clone()),
            ("other", "MATRIX", grid),
        ];
        names.into_iter().enumerate().map(question).collect()
    }

    #[test]
    fn a_matrix_stands_for_its_rows_and_a_question_for_no_other_one() {
        let plan = PlanDocument {
            primary_items: ["fair", "grid", "other_2"].map(str::to_owned).to_vec(),
            ..PlanDocument::default()
        };
        let items: Vec<String> = plan.items(&questions()).into_iter().collect();
        assert_eq!(items, ["fair", "grid", "grid_1", "grid_2", "other_2"]);
    }

    #[test]
    fn an_estimate_is_planned_by_its_item_and_a_contrast_by_both() {
        let plan = PlanDocument {
            primary_items: vec!["fair".into()],
            contrasts: vec![PlannedContrast { of: "fee_arm".into(), a: "one".into(), b: "two".into() }],
            ..PlanDocument::default()
        };
        let items = plan.items(&questions());
        let planned = PlannedAnalyses { plan, items };
        let is_planned = |kind| kind == AnalysisKind::Preregistered;
        assert!(is_planned(planned.of_estimate("fair", None)));
        assert!(is_planned(planned.of_estimate("fair", Some(("fee_arm", "two")))));
        assert!(!is_planned(planned.of_estimate("fair", Some(("fee_arm", "three")))));
        assert!(!is_planned(planned.of_estimate("fair_2", None)));
        assert!(is_planned(planned.of_contrast("fair", "fee_arm", ("two", "one"))));
        assert!(!is_planned(planned.of_contrast("fair", "fee_arm", ("two", "three"))));
        assert!(!is_planned(planned.of_contrast("grid_1", "fee_arm", ("two", "one"))));
    }
}
