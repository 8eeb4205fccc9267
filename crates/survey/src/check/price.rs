//! An upper bound of the requests for one twin.

use std::collections::HashSet;

use crate::condition::{Condition, Left};
use crate::item::Item;
use crate::pipe::Template;
use crate::plan::{Plan, Step};

/// Counts the requests of the most expensive path. A random node counts its most expensive children, a branch whose
/// condition is known at the start its more expensive side, and a branch on answers both sides, because credits are
/// held for either.
pub fn requests(plan: &Plan) -> usize {
    let all = plan.items.iter().filter(|item| item.is_request()).count();
    let mut open = HashSet::new();
    loop {
        let before = open.len();
        open_fields(&plan.steps, false, &mut open);
        if open.len() == before {
            break;
        }
    }
    // A question with several places is asked once.
    most(plan, &plan.steps, &open).min(all)
}

fn most<'p>(plan: &'p Plan, steps: &'p [Step], open: &HashSet<&'p str>) -> usize {
    let of_step = |step: &'p Step| match step {
        Step::Block(block) => {
            block.questions.iter().filter(|item| plan.items.get(**item).is_some_and(Item::is_request)).count()
        }
        Step::Random(random) => {
            let mut arms: Vec<usize> = random.arms.iter().map(|arm| most(plan, &arm.steps, open)).collect();
            arms.sort_unstable_by(|a, b| b.cmp(a));
            arms.iter().take(random.take).sum()
        }
        Step::If(branch) => {
            let sides = [most(plan, &branch.then, open), most(plan, &branch.otherwise, open)];
            if is_open(&branch.condition, open) { sides.iter().sum() } else { sides.into_iter().max().unwrap_or(0) }
        }
        Step::Loop(turns) => turns.flow.iter().map(|flow| most(plan, flow, open)).sum(),
        Step::Set(_) | Step::End(_) => 0,
    };
    steps.iter().map(of_step).sum()
}

/// Collects the fields whose values may depend on answers.
fn open_fields<'p>(steps: &'p [Step], is_behind_answers: bool, open: &mut HashSet<&'p str>) {
    for step in steps {
        match step {
            Step::Set(set) => {
                for (name, value) in &set.values {
                    if is_behind_answers || reads_open(value, open) {
                        open.insert(name);
                    }
                }
            }
            Step::Random(random) => {
                if is_behind_answers {
                    open.insert(&random.name);
                }
                random.arms.iter().for_each(|arm| open_fields(&arm.steps, is_behind_answers, open));
            }
            Step::If(branch) => {
                let is_behind = is_behind_answers || is_open(&branch.condition, open);
                open_fields(&branch.then, is_behind, open);
                open_fields(&branch.otherwise, is_behind, open);
            }
            Step::Loop(turns) => turns.flow.iter().for_each(|flow| open_fields(flow, is_behind_answers, open)),
            Step::Block(_) | Step::End(_) => {}
        }
    }
}

fn is_open(condition: &Condition, open: &HashSet<&str>) -> bool {
    condition.reads().any(|left| is_open_side(left, open))
}

fn reads_open(template: &Template, open: &HashSet<&str>) -> bool {
    template.reads().any(|left| is_open_side(left, open))
}

fn is_open_side(left: &Left, open: &HashSet<&str>) -> bool {
    match left {
        Left::Answer { .. } => true,
        Left::Field(name) => open.contains(name.as_str()),
        Left::Twin(_) | Left::HeldOut(_) => false,
    }
}
