//! The check of a design: errors and warnings with their places, what each arm can reach, and the highest price.

mod fields;
mod nodes;
mod places;
mod price;
mod questions;

use std::collections::BTreeSet;

use serde::Serialize;
use utoipa::ToSchema;

use super::assign::{GivenArms, combinations};
use super::finding::{Finding, FindingCode, Findings, below};
use super::flow::Design;
use super::item::Item;
use super::outline::{Deal, Outline};
use super::pipe::{Template, TextPart};
use super::plan::{BlockStep, LoopStep, PatternBudget, Plan, RandomStep, Step};

/// Maximum number of arms in a report.
const MAX_REPORTED_ARMS: usize = 50;

#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DesignReport)]
pub struct DesignReport {
    /// All findings, errors first.
    pub findings: Vec<Finding>,
    /// The maximum of requests, and so of credits, for one twin. 0 if the design cannot be run.
    pub requests_per_twin: usize,
    pub arms: Vec<ArmReach>,
}

/// The questions that a twin in this arm can be asked. Only for nodes that deal one arm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArmReach {
    pub random: String,
    pub arm: String,
    /// Names of the questions, in the order written.
    pub questions: Vec<String>,
}

/// Checks a design. `attributes` are those of the twins, or `None` if no set of twins is chosen yet.
pub fn check(design: &Design, items: &[Item], attributes: Option<&BTreeSet<String>>) -> DesignReport {
    let (plan, mut findings) = examine(design, items, attributes, Some(PatternBudget::default()));
    if findings.has_errors() {
        return DesignReport { findings: findings.into_list(), requests_per_twin: 0, arms: Vec::new() };
    }
    doubts(&plan, &mut findings);
    fields::check(&plan, &mut findings);
    if plan.is_plain() {
        plain_pipes(&plan, &mut findings);
    }
    let mut arms = Vec::new();
    collect_arms(&plan.steps, &mut arms);
    // If a node deals several arms, a twin in one of them may also be in any other.
    arms.retain(|(step, _)| step.take == 1);
    arms.truncate(MAX_REPORTED_ARMS);
    let reach = |(step, arm): (&RandomStep, usize)| {
        let forced = step.arms.get(arm).map(|arm| (step.name.to_string(), arm.name.to_string())).into_iter().collect();
        let reached = Outline::traverse(&plan, None, AnyArm { forced: &forced }).reached;
        let asked = plan.items.iter().zip(reached).filter(|(item, reached)| *reached && item.is_request());
        ArmReach {
            random: step.name.to_string(),
            arm: step.arms.get(arm).map(|arm| arm.name.to_string()).unwrap_or_default(),
            questions: asked.map(|(item, _)| item.name().to_owned()).collect(),
        }
    };
    DesignReport {
        findings: findings.into_list(),
        requests_per_twin: requests_per_twin(&plan),
        arms: arms.into_iter().map(reach).collect(),
    }
}

/// Returns the maximum of requests for one twin. Conditions and branches never exceed it.
pub fn requests_per_twin(plan: &Plan) -> usize {
    let most = price::requests(plan);
    // Conditions on arms exclude each other, so the maximum over the combinations of arms is a tighter bound.
    let reached = |cell: &GivenArms| {
        let reached = Outline::traverse(plan, None, AnyArm { forced: cell }).reached;
        plan.items.iter().zip(reached).filter(|(item, reached)| *reached && item.is_request()).count()
    };
    match combinations(plan) {
        Ok(cells) => cells.iter().map(reached).max().unwrap_or_default().min(most),
        Err(_) => most,
    }
}

/// Compiles the plan and collects all errors. The plan is usable only if no finding is an error. `patterns` is the
/// budget of the design's regular expressions; with `None` they count as checked.
pub(super) fn examine(
    design: &Design,
    items: &[Item],
    attributes: Option<&BTreeSet<String>>,
    patterns: Option<PatternBudget>,
) -> (Plan, Findings) {
    let mut findings = Findings::default();
    nodes::check(design, &mut findings);
    items.iter().enumerate().for_each(|(index, item)| questions::check(index, item, &mut findings));
    let plan = Plan::compile(design, items, attributes, patterns, &mut findings);
    places::check(&plan, &mut findings);
    (plan, findings)
}

/// Warns of pipes in a survey without a design, whose texts are shown as they are.
fn plain_pipes(plan: &Plan, findings: &mut Findings) {
    let is_pipe = |part: &TextPart| matches!(part, TextPart::Read(_) | TextPart::Loop(_));
    for (item, templates) in plan.items.iter().zip(&plan.templates) {
        for (pointer, text) in templates.placed_texts(item.kind()) {
            if text.as_literal().is_some_and(|text| Template::parse(&text).parts.iter().any(is_pipe)) {
                let message = "Nothing is inserted here, because the survey has no flow: what stands in double braces is \
                               shown as it is.";
                findings.warning(FindingCode::BadPipe, pointer, message);
            }
        }
    }
}

/// Warns of conditions that are always or never true, and of arms and questions that no twin reaches.
fn doubts(plan: &Plan, findings: &mut Findings) {
    let any = GivenArms::new();
    let outline = Outline::traverse(plan, None, AnyArm { forced: &any });
    for (pointer, outcomes) in &outline.conditions {
        let constant = match (outcomes.holds, outcomes.fails, outcomes.is_open) {
            (true, false, false) => Some("always"),
            (false, true, false) => Some("never"),
            _ => None,
        };
        if let Some(constant) = constant {
            let message = format!("The condition {constant} holds: nothing that it reads can differ here.");
            // A pointer outside the flow is a question's, whose condition is its `show_if`.
            let is_branch = pointer.starts_with("/flow/");
            let pointer = if is_branch { (*pointer).to_owned() } else { below(pointer, "show_if") };
            findings.warning(FindingCode::ConstantCondition, pointer, message);
        }
    }
    let mut arms = Vec::new();
    collect_arms(&plan.steps, &mut arms);
    for (step, arm) in arms.into_iter().filter_map(|(step, arm)| Some((step, step.arms.get(arm)?))) {
        if !outline.randoms.contains(step.pointer.as_str()) {
            let message = format!("No twin reaches the arm {:?}.", arm.name);
            findings.warning(FindingCode::ArmNotReached, arm.pointer.clone(), message);
        }
    }
    for ((item, templates), reached) in plan.items.iter().zip(&plan.templates).zip(&outline.reached) {
        if !reached {
            let message = format!("No twin is asked {:?}.", item.name());
            findings.warning(FindingCode::NeverAsked, templates.pointer.clone(), message);
        }
    }
}

/// Collects every arm of every random node.
fn collect_arms<'p>(steps: &'p [Step], arms: &mut Vec<(&'p RandomStep, usize)>) {
    for step in steps {
        match step {
            Step::Random(random) => {
                arms.extend((0..random.arms.len()).map(|arm| (random, arm)));
                random.arms.iter().for_each(|arm| collect_arms(&arm.steps, arms));
            }
            Step::If(branch) => {
                collect_arms(&branch.then, arms);
                collect_arms(&branch.otherwise, arms);
            }
            Step::Loop(turns) => turns.flow.iter().for_each(|flow| collect_arms(flow, arms)),
            Step::Block(_) | Step::Set(_) | Step::End(_) => {}
        }
    }
}

/// A deal for any twin: any arm, except for the nodes whose arm is given.
struct AnyArm<'a> {
    forced: &'a GivenArms,
}

impl<'p> Deal<'p> for AnyArm<'_> {
    fn arms(&mut self, step: &'p RandomStep) -> Option<Vec<usize>> {
        let name = self.forced.get(&*step.name).filter(|_| step.take == 1)?;
        step.arms.iter().position(|arm| *arm.name == **name).map(|arm| vec![arm])
    }

    fn rows(&mut self, _: &'p LoopStep, _: usize) -> Option<Vec<usize>> {
        None
    }

    fn block(&mut self, _: &'p BlockStep) {}
}
