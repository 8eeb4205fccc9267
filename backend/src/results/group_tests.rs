//! Whether groups of a run's twins answer alike: the tests of a summary, by the rule of the frozen plan where there is one.

use evidence::groups::{GroupDifference, PartFigures, adjust};
use simulation::group_tests::{parts, test};
use simulation::plans::planned::PlannedAnalyses;
use simulation::summaries::figures::Figures;
use simulation::summaries::variables::Variable;
use survey::answer::AnswerShape;
use survey::question::Question;

use crate::models::summaries::QuestionSummary;

/// The groups whose answers are tested.
#[derive(Clone, Copy, Debug)]
pub struct TestedGroups<'a> {
    /// The variable that makes them. `None`: they are runs.
    pub by: Option<&'a Variable>,
    pub plan: Option<&'a PlannedAnalyses>,
    /// Whether the plan names the comparison of these groups, among all twins.
    pub is_planned: bool,
}

/// Adds to each summary how far its groups are apart and whether they differ. `questions` are those of the summaries, in
/// their order.
pub fn add(summaries: &mut [&mut QuestionSummary], questions: &[Question], tested: TestedGroups<'_>) {
    let rule = tested.plan.map(PlannedAnalyses::rule).unwrap_or_default();
    if tested.by.and_then(|by| by.question_in(questions)).is_some_and(takes_several) {
        // A twin that chose several answers is in several groups.
        return;
    }
    for (summary, question) in summaries.iter_mut().zip(questions) {
        let groups: Vec<(&str, &Figures)> = summary.groups.iter().map(|of| (of.value.as_str(), &of.figures)).collect();
        let parts = parts(question, &groups, tested.by);
        summary.tests = test(question, &parts, rule, tested.plan.map(|plan| (plan, tested.is_planned)));
        summary.differences = parts.iter().flat_map(PartFigures::differences).collect::<Vec<GroupDifference>>();
    }
    adjust(&mut summaries.iter_mut().flat_map(|summary| summary.tests.iter_mut()).collect::<Vec<_>>());
}

fn takes_several(question: &Question) -> bool {
    matches!(question.shape(), Some(AnswerShape::Choices | AnswerShape::LabelSets))
}
