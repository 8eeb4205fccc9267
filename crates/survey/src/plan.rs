//! A design made ready for use: loops unrolled into slots, names resolved, texts parsed. One plan serves a whole run.
//!
//! A question in a loop has a slot a turn, `Q7#1`, `Q7#2` and so on, which is a question of its own. A block, a random
//! node or a loop inside a loop has the same endings.

mod compile;
mod limits;
pub(crate) mod names;
mod templates;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use super::condition::{Condition, Left};
use super::finding::{Finding, Findings};
use super::flow::{Design, Ending, Order, Table};
use super::item::Item;
use super::pipe::Template;

pub(super) use compile::PatternBudget;
pub use limits::{MAX_DEPTH, MAX_QUESTIONS};
pub(super) use templates::{Templates, Wording};

#[derive(Debug, Default)]
pub struct Plan {
    /// The questions that the flow places, slot by slot, in the order written.
    pub items: Vec<Item>,
    /// The templates of each item.
    pub(super) templates: Vec<Templates>,
    pub(super) index: HashMap<String, usize>,
    pub(super) steps: Vec<Step>,
    pub(super) tables: BTreeMap<String, Table>,
    is_plain: bool,
}

#[derive(Debug)]
pub(super) enum Step {
    Block(BlockStep),
    Random(RandomStep),
    If(IfStep),
    Set(SetStep),
    Loop(LoopStep),
    End(Ending),
}

#[derive(Debug)]
pub(super) struct BlockStep {
    pub pointer: String,
    pub name: Arc<str>,
    /// Positions in the plan's items.
    pub questions: Vec<usize>,
    pub order: Order,
    /// Whether each question keeps its position.
    pub pins: Vec<bool>,
}

#[derive(Debug)]
pub(super) struct RandomStep {
    pub pointer: String,
    pub name: Arc<str>,
    pub take: usize,
    pub order: Order,
    pub strata: Vec<String>,
    pub arms: Vec<ArmStep>,
}

#[derive(Debug)]
pub(super) struct ArmStep {
    pub pointer: String,
    pub name: Arc<str>,
    pub weight: u32,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub(super) struct IfStep {
    pub pointer: String,
    pub condition: Condition,
    pub then: Vec<Step>,
    pub otherwise: Vec<Step>,
}

#[derive(Debug)]
pub(super) struct SetStep {
    pub pointer: String,
    pub values: Vec<(String, Template)>,
}

#[derive(Debug)]
pub(super) struct LoopStep {
    /// The key of the rows that a twin is dealt.
    pub turns: String,
    pub table: String,
    pub order: Order,
    /// The steps of each turn.
    pub flow: Vec<Vec<Step>>,
}

impl Plan {
    /// Compiles a plan. `items` are the survey's questions as they are written, or their slots as they are stored.
    /// Returns all errors of a design that cannot be run.
    pub fn new(design: &Design, items: &[Item]) -> Result<Self, Vec<Finding>> {
        ready(super::check::examine(design, items, None, Some(PatternBudget::default())))
    }

    /// Like [`new`](Self::new), but also checks that strata name attributes of the twins.
    pub fn for_twins(design: &Design, items: &[Item], attributes: &BTreeSet<String>) -> Result<Self, Vec<Finding>> {
        ready(super::check::examine(design, items, Some(attributes), Some(PatternBudget::default())))
    }

    /// Like [`new`](Self::new), for the design of a run that was started. Compiles each pattern at its first use.
    pub fn of_run(design: &Design, items: &[Item]) -> Result<Self, Vec<Finding>> {
        ready(super::check::examine(design, items, None, None))
    }

    /// Whether the questions asked, or their texts, depend on answers.
    pub fn reads_answers(&self) -> bool {
        self.reads(&|left| matches!(left, Left::Answer { .. }))
    }

    /// Whether the questions asked, or their texts, depend on attributes of the twins.
    pub fn reads_attributes(&self) -> bool {
        self.reads(&|left| matches!(left, Left::Twin(_)))
    }

    fn reads(&self, such: &impl Fn(&Left) -> bool) -> bool {
        let of_questions = self.templates.iter().any(|templates| {
            templates.texts().flat_map(Template::reads).any(such)
                || templates.conditions().flat_map(Condition::reads).any(such)
        });
        of_questions || steps_read(&self.steps, such)
    }

    /// Like [`new`](Self::new), but returns a plan even if there are errors, with every name that could be resolved.
    /// `attributes` are those of the twins.
    pub(super) fn compile(
        design: &Design,
        items: &[Item],
        attributes: Option<&BTreeSet<String>>,
        patterns: Option<PatternBudget>,
        findings: &mut Findings,
    ) -> Self {
        if limits::check(design, items, findings) {
            return Self::default();
        }
        compile::Compiler::new(design, items, attributes, patterns, findings).plan()
    }

    /// Numbers the questions, for a plan that is not stored: a walk finds answers by question id.
    pub fn numbered(mut self) -> Self {
        for (id, (item, templates)) in (1..).zip(self.items.iter_mut().zip(&mut self.templates)) {
            item.question.id = id;
            if let Some(written) = &mut templates.as_written {
                Arc::make_mut(written).id = id;
            }
        }
        self
    }

    /// Returns the items whose texts or options depend on the twin.
    pub fn tailored(&self) -> impl Iterator<Item = &Item> {
        let tailored = self.items.iter().zip(&self.templates).filter(|(_, templates)| templates.as_written.is_none());
        tailored.map(|(item, _)| item)
    }

    /// Whether the survey has no design. Nothing is piped then, and prompts have the bytes of a survey without designs.
    pub fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// Position of the question with this name.
    pub fn item(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Returns the random nodes by name, and whether they deal several arms. A node in a loop is listed once.
    pub fn random_nodes(&self) -> Vec<(&str, bool)> {
        let mut nodes = Vec::new();
        each_step(&self.steps, &mut |step| {
            if let Step::Random(random) = step {
                nodes.push((&*random.name, random.take > 1));
            }
        });
        nodes
    }

    /// Returns the arms of the nodes that deal one, by the name of the node.
    pub fn arms(&self) -> BTreeMap<&str, Vec<&str>> {
        let mut arms = BTreeMap::new();
        each_step(&self.steps, &mut |step| {
            if let Step::Random(random) = step
                && random.take == 1
            {
                arms.insert(&*random.name, random.arms.iter().map(|arm| &*arm.name).collect());
            }
        });
        arms
    }

    /// Names of the blocks whose questions are in a drawn order.
    pub fn shuffled_blocks(&self) -> Vec<&str> {
        let mut blocks = Vec::new();
        each_step(&self.steps, &mut |step| match step {
            Step::Block(block) if block.order != Order::Fixed => blocks.push(&*block.name),
            _ => {}
        });
        blocks
    }

    /// Returns the keys of the loops' dealt rows.
    pub fn loops(&self) -> Vec<&str> {
        let mut loops = Vec::new();
        each_step(&self.steps, &mut |step| {
            if let Step::Loop(turns) = step {
                loops.push(turns.turns.as_str());
            }
        });
        loops
    }

    /// Names of a block's questions, in the order written.
    pub fn questions_of(&self, block: &str) -> Vec<&str> {
        let mut names = Vec::new();
        each_step(&self.steps, &mut |step| {
            if let Step::Block(found) = step
                && *found.name == *block
            {
                names = found.questions.iter().filter_map(|item| Some(self.items.get(*item)?.name())).collect();
            }
        });
        names
    }

    /// Names of the fields that the flow sets.
    pub fn fields(&self) -> Vec<&str> {
        let mut fields = Vec::new();
        each_step(&self.steps, &mut |step| {
            if let Step::Set(set) = step {
                fields.extend(set.values.iter().map(|(name, _)| name.as_str()));
            }
        });
        let mut seen = BTreeSet::new();
        fields.retain(|field| seen.insert(*field));
        fields
    }

    /// Whether a node of the flow ends interviews as screened out.
    pub fn screens_out(&self) -> bool {
        let mut screens_out = false;
        each_step(&self.steps, &mut |step| screens_out |= matches!(step, Step::End(Ending::ScreenedOut)));
        screens_out
    }

    /// Returns the value of a column in a row (0-based) of a loop's table.
    pub(super) fn cell(&self, turns: &str, row: usize, column: usize) -> Option<String> {
        let table = turns.split(['#', '@']).next()?;
        self.tables.get(table)?.rows.get(row)?.get(column).cloned()
    }
}

fn ready((plan, findings): (Plan, Findings)) -> Result<Plan, Vec<Finding>> {
    match findings.has_errors() {
        false => Ok(plan),
        true => Err(findings.into_list().into_iter().filter(Finding::is_error).collect()),
    }
}

/// Visits every step in the order written.
fn each_step<'p>(steps: &'p [Step], visit: &mut impl FnMut(&'p Step)) {
    for step in steps {
        visit(step);
        match step {
            Step::If(branch) => {
                each_step(&branch.then, visit);
                each_step(&branch.otherwise, visit);
            }
            Step::Random(random) => random.arms.iter().for_each(|arm| each_step(&arm.steps, visit)),
            Step::Loop(turns) => turns.flow.iter().for_each(|flow| each_step(flow, visit)),
            Step::Block(_) | Step::Set(_) | Step::End(_) => {}
        }
    }
}

fn steps_read(steps: &[Step], such: &impl Fn(&Left) -> bool) -> bool {
    steps.iter().any(|step| match step {
        Step::If(branch) => {
            let inside = [&branch.then, &branch.otherwise];
            branch.condition.reads().any(such) || inside.into_iter().any(|steps| steps_read(steps, such))
        }
        Step::Set(set) => set.values.iter().flat_map(|(_, value)| value.reads()).any(such),
        Step::Random(random) => random.arms.iter().any(|arm| steps_read(&arm.steps, such)),
        Step::Loop(turns) => turns.flow.iter().any(|flow| steps_read(flow, such)),
        Step::Block(_) | Step::End(_) => false,
    })
}
