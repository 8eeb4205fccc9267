//! Whether the arms of a random node differ: the tests that the app shows of a run that is split by the node, and the test of
//! each arm and the first.

use evidence::groups::{GroupTest, adjust};
use simulation::group_tests::{self, parts};
use simulation::plans::planned::PlannedAnalyses;
use simulation::run::Run;
use simulation::summaries::figures::Figures;

use crate::analysis::collected::Collected;

/// The test of a question, or of a part of it.
#[derive(Clone, Debug)]
pub struct NodeTest {
    /// The question's place in the run.
    pub place: usize,
    pub node: String,
    /// The arm that is compared with the first; empty: all arms are.
    pub arm: String,
    pub test: GroupTest,
}

/// Tests all questions, p adjusted over those of a node: the tests of all arms are counted together, and those of two arms.
pub fn collect(run: &Run, collected: &Collected, planned: Option<&PlannedAnalyses>) -> Vec<NodeTest> {
    let mut tests: Vec<NodeTest> =
        (0..run.questions.len()).flat_map(|place| of_question(run, collected, place, planned)).collect();
    let nodes: Vec<String> = collected.nodes().map(str::to_owned).collect();
    for node in nodes {
        for of_all_arms in [true, false] {
            let own = tests.iter_mut().filter(|of| of.node == node && of.arm.is_empty() == of_all_arms);
            adjust(&mut own.map(|of| &mut of.test).collect::<Vec<_>>());
        }
    }
    tests
}

fn of_question(run: &Run, collected: &Collected, place: usize, planned: Option<&PlannedAnalyses>) -> Vec<NodeTest> {
    let question = &run.questions[place];
    let everyone = &collected.everyone[place];
    let rule = planned.map(PlannedAnalyses::rule).unwrap_or_default();
    let mut tests = Vec::new();
    for (node, arms) in collected.arms(place) {
        let figures: Vec<(&str, Figures)> =
            arms.into_iter().map(|(arm, counts)| (arm, counts.figures(question, everyone))).collect();
        let figures: Vec<(&str, &Figures)> =
            figures.iter().filter(|(_, figures)| figures.n > 0).map(|(arm, figures)| (*arm, figures)).collect();
        let mut add = |arm: &str, groups: &[(&str, &Figures)], planned: Option<(&PlannedAnalyses, bool)>| {
            let found = group_tests::test(question, &parts(question, groups, None), rule, planned);
            let node_test = |test| NodeTest { place, node: node.to_owned(), arm: arm.to_owned(), test };
            tests.extend(found.into_iter().map(node_test));
        };
        add("", &figures, planned.map(|plan| (plan, plan.plan.plans_groups(node))));
        let Some((base, others)) = figures.split_first() else { continue };
        for other in others {
            let planned = planned.map(|plan| (plan, plan.plan.plans_contrast(node, other.0, base.0)));
            add(other.0, &[*base, *other], planned);
        }
    }
    tests
}
