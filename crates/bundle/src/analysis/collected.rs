//! Counting of a run's answers.

use std::collections::BTreeMap;

use simulation::answers::RequestOutcome;
use simulation::dealt::decode;
use simulation::outcomes::InterviewOutcomes;
use simulation::run::Run;
use simulation::summaries::counts::AnswerCounts;
use simulation::summaries::order::compare_values;

/// How a question's requests ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct QuestionOutcomes {
    pub answered: u64,
    pub failed: u64,
    pub not_shown: u64,
    /// Requests without an answer or a failure: the run is not over, or was stopped.
    pub open: u64,
}

/// Counts for each question, in the order of the run's.
type ByQuestion = Vec<AnswerCounts>;

/// Counts of a run's answers.
pub struct Collected {
    pub outcomes: Vec<QuestionOutcomes>,
    pub everyone: ByQuestion,
    /// Counts by arm, for each random node that deals one arm to a twin, in the order of the flow.
    arms: Vec<(String, BTreeMap<String, ByQuestion>)>,
}

impl Collected {
    pub fn of(run: &Run) -> Self {
        let nodes = run.plan.iter().flat_map(|plan| plan.random_nodes());
        let nodes = nodes.filter(|(_, is_ordered)| !is_ordered);
        Self {
            outcomes: vec![QuestionOutcomes::default(); run.questions.len()],
            everyone: vec![AnswerCounts::default(); run.questions.len()],
            arms: nodes.map(|(node, _)| (node.to_owned(), BTreeMap::new())).collect(),
        }
    }

    pub fn add(&mut self, run: &Run, interview: &InterviewOutcomes) {
        let dealt = interview.dealt.as_ref();
        let mut arms: Vec<&mut ByQuestion> = Vec::new();
        for (node, groups) in &mut self.arms {
            let Some(arm) = dealt.and_then(|dealt| dealt.arms.get(node)) else { continue };
            let none = || vec![AnswerCounts::default(); run.questions.len()];
            arms.push(groups.entry(arm.clone()).or_insert_with(none));
        }
        for (place, (question, outcome)) in run.questions.iter().zip(&interview.outcomes).enumerate() {
            let outcomes = &mut self.outcomes[place];
            match outcome {
                RequestOutcome::Answered(..) => {
                    outcomes.answered += 1;
                    let answer = decode(question, outcome, dealt);
                    for arm in &mut arms {
                        arm[place].add(answer.as_ref());
                    }
                    self.everyone[place].add(answer.as_ref());
                }
                RequestOutcome::Failed(_) => outcomes.failed += 1,
                RequestOutcome::Skipped(_) => outcomes.not_shown += 1,
                RequestOutcome::Open => outcomes.open += 1,
                RequestOutcome::NotAssigned => {}
            }
        }
    }

    /// Returns the names of the random nodes that deal one arm to a twin.
    pub fn nodes(&self) -> impl Iterator<Item = &str> {
        self.arms.iter().map(|(node, _)| node.as_str())
    }

    /// Returns the random nodes, each with the answers to the question by arm. Arms are ordered as in the app; the first is the
    /// base.
    pub fn arms(&self, place: usize) -> impl Iterator<Item = (&str, Vec<(&str, &AnswerCounts)>)> {
        self.arms.iter().map(move |(node, arms)| {
            let mut arms: Vec<(&str, &AnswerCounts)> =
                arms.iter().map(|(arm, counts)| (arm.as_str(), &counts[place])).collect();
            arms.sort_by(|(a, _), (b, _)| compare_values(node, a, b));
            (node.as_str(), arms)
        })
    }
}
