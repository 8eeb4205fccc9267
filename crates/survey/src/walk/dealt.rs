//! An assignment as a source of dealt arms, and helpers for branches that may not be taken.

use crate::assign::Assignment;
use crate::outline::Deal;
use crate::plan::{BlockStep, LoopStep, RandomStep, Step};

/// A deal from a stored assignment.
pub struct AssignmentDeal<'a>(pub &'a Assignment);

impl<'p> Deal<'p> for AssignmentDeal<'_> {
    fn arms(&mut self, step: &'p RandomStep) -> Option<Vec<usize>> {
        let dealt = self.0.arms.get(&step.name)?;
        Some(dealt.iter().filter_map(|name| step.arms.iter().position(|arm| arm.name == *name)).collect())
    }

    fn rows(&mut self, step: &'p LoopStep, _: usize) -> Option<Vec<usize>> {
        let rows = self.0.rows.get(&step.turns)?;
        Some(rows.iter().filter_map(|row| usize::try_from(*row).ok()?.checked_sub(1)).collect())
    }

    fn block(&mut self, _: &'p BlockStep) {}
}

/// Visits the questions of the steps, whether they are taken or not.
pub fn each_question(steps: &[Step], each: &mut impl FnMut(usize)) {
    for step in steps {
        match step {
            Step::Block(block) => block.questions.iter().for_each(|item| each(*item)),
            Step::Random(random) => random.arms.iter().for_each(|arm| each_question(&arm.steps, each)),
            Step::If(branch) => {
                each_question(&branch.then, each);
                each_question(&branch.otherwise, each);
            }
            Step::Loop(turns) => turns.flow.iter().for_each(|flow| each_question(flow, each)),
            Step::Set(_) | Step::End(_) => {}
        }
    }
}

pub fn has_end(steps: &[Step]) -> bool {
    steps.iter().any(|step| match step {
        Step::End(_) => true,
        Step::Random(random) => random.arms.iter().any(|arm| has_end(&arm.steps)),
        Step::If(branch) => has_end(&branch.then) || has_end(&branch.otherwise),
        Step::Loop(turns) => turns.flow.iter().any(|flow| has_end(flow)),
        Step::Block(_) | Step::Set(_) => false,
    })
}
