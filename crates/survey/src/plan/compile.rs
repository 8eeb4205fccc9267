//! Unrolls loops and resolves names.

mod operands;
mod patterns;
mod resolve;

use std::collections::{BTreeMap, BTreeSet, HashMap};

pub use self::patterns::PatternBudget;
use super::names::PlanNames;
use super::{ArmStep, BlockStep, IfStep, LoopStep, Plan, RandomStep, SetStep, Step, Templates};
use crate::finding::{FindingCode, Findings, below};
use crate::flow::{Block, Design, Loop, Node, Order, Random};
use crate::item::Item;
use crate::pipe::Template;

/// One turn of a loop around a node.
#[derive(Clone)]
struct Turn {
    turns: String,
    table: String,
    /// The turn's number, 0-based.
    turn: usize,
    of: usize,
}

pub struct Compiler<'a> {
    design: &'a Design,
    items: &'a [Item],
    attributes: Option<&'a BTreeSet<String>>,
    /// The budget of patterns, or `None` to compile each at its first use.
    patterns: Option<PatternBudget>,
    findings: &'a mut Findings,
    sources: HashMap<&'a str, usize>,
    names: PlanNames,
    /// Keys of loops by their pointers.
    loops: BTreeMap<String, String>,
    plan: Plan,
    /// The source of each of the plan's items: its position in `items`, and the turns around it.
    origins: Vec<(usize, Vec<Turn>)>,
}

impl<'a> Compiler<'a> {
    pub fn new(
        design: &'a Design,
        items: &'a [Item],
        attributes: Option<&'a BTreeSet<String>>,
        patterns: Option<PatternBudget>,
        findings: &'a mut Findings,
    ) -> Self {
        let names = PlanNames::check(design, items, findings);
        let is_plain = design.flow.is_empty() && items.iter().all(|item| item.logic.is_empty());
        let sources = items.iter().enumerate().map(|(index, item)| (item.name(), index)).collect();
        let plan = Plan { tables: design.tables.clone(), is_plain, ..Plan::default() };
        let (loops, origins) = (BTreeMap::new(), Vec::new());
        Self { design, items, attributes, patterns, findings, sources, names, loops, plan, origins }
    }

    pub fn plan(mut self) -> Plan {
        let design = self.design;
        if design.flow.is_empty() {
            let questions = (0..self.items.len()).map(|index| self.add(index, None, &[])).collect::<Vec<_>>();
            let pins = vec![false; questions.len()];
            let (pointer, name) = ("/questions".to_owned(), String::new());
            self.plan.steps =
                vec![Step::Block(BlockStep { pointer, name: name.into(), questions, order: Order::Fixed, pins })];
        } else {
            self.place(&design.flow, "/flow", &mut Vec::new());
            self.plan.steps = self.steps(&design.flow, "/flow", &mut Vec::new());
        }
        let mut is_placed = vec![false; self.items.len()];
        for (source, _) in &self.origins {
            if let Some(placed) = is_placed.get_mut(*source) {
                *placed = true;
            }
        }
        for (index, _) in is_placed.iter().enumerate().filter(|(_, placed)| !**placed) {
            let name = self.items.get(index).map_or("", Item::name);
            let message = format!("The question {name:?} stands nowhere in the flow.");
            self.findings.error(FindingCode::NoPlace, format!("/questions/{index}"), message);
        }
        let origins = std::mem::take(&mut self.origins);
        self.plan.templates =
            (0..).zip(&origins).map(|(item, (source, turns))| self.templates(item, *source, turns)).collect();
        self.plan
    }

    /// Returns the question's position in the plan. Adds the question if it is new.
    fn add(&mut self, source: usize, slot: Option<&str>, turns: &[Turn]) -> usize {
        let mut item = self.items.get(source).cloned().unwrap_or_default();
        if let Some(slot) = slot.filter(|slot| *slot != item.name()) {
            // The slot is not stored yet.
            item.question.id = 0;
            item.question.name = slot.to_owned();
        }
        let place = self.plan.items.len();
        self.plan.index.insert(item.question.name.clone(), place);
        self.plan.items.push(item);
        self.origins.push((source, turns.to_vec()));
        place
    }

    /// Gives every question that the flow names its position in the plan.
    fn place(&mut self, nodes: &[Node], pointer: &str, turns: &mut Vec<Turn>) {
        for (index, node) in nodes.iter().enumerate() {
            let place = below(pointer, index);
            match node {
                Node::Block(block) => {
                    for (number, name) in block.questions.iter().enumerate() {
                        let slot = slot(name, turns);
                        if self.plan.index.contains_key(&slot) {
                            continue;
                        }
                        match self.sources.get(slot.as_str()).or_else(|| self.sources.get(name.as_str())).copied() {
                            Some(source) => {
                                self.add(source, Some(&slot), turns);
                            }
                            None => {
                                let message = format!("There is no question {name:?}.");
                                let place = format!("{place}/questions/{number}");
                                self.findings.error(FindingCode::UnknownName, place, message);
                            }
                        }
                    }
                }
                Node::Random(random) => {
                    for (arm, of) in random.of.iter().enumerate() {
                        self.place(&of.flow, &format!("{place}/of/{arm}/flow"), turns);
                    }
                }
                Node::If(branch) => {
                    self.place(&branch.then, &below(&place, "then"), turns);
                    self.place(branch.otherwise.as_deref().unwrap_or_default(), &below(&place, "else"), turns);
                }
                Node::Loop(node) => {
                    self.in_turns(node, &place, turns, |this, place, turns| this.place(&node.flow, place, turns));
                }
                Node::Group(group) => self.place(group, &place, turns),
                Node::Set(_) | Node::End(_) => {}
            }
        }
    }

    /// Calls `each` once for each turn of the loop.
    fn in_turns<T>(
        &mut self,
        node: &Loop,
        place: &str,
        turns: &mut Vec<Turn>,
        mut each: impl FnMut(&mut Self, &str, &mut Vec<Turn>) -> T,
    ) -> Vec<T> {
        let key = slot(&self.loop_key(node, place), turns);
        let rows = self.design.tables.get(&node.table).map_or(0, |table| table.rows.len());
        let of = node.take.map_or(rows, |take| take.try_into().unwrap_or(usize::MAX));
        let flow = below(place, "flow");
        (0..of)
            .map(|turn| {
                turns.push(Turn { turns: key.clone(), table: node.table.clone(), turn, of });
                let result = each(self, &flow, turns);
                turns.pop();
                result
            })
            .collect()
    }

    /// The key of a loop: the name of its table, with a number for a second loop over the same table.
    fn loop_key(&mut self, node: &Loop, place: &str) -> String {
        if let Some(key) = self.loops.get(place) {
            return key.clone();
        }
        let number = self.loops.values().filter(|key| key.split('@').next() == Some(node.table.as_str())).count() + 1;
        let key = if number == 1 { node.table.clone() } else { format!("{}@{number}", node.table) };
        self.loops.insert(place.to_owned(), key.clone());
        key
    }

    fn steps(&mut self, nodes: &[Node], pointer: &str, turns: &mut Vec<Turn>) -> Vec<Step> {
        let mut steps = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let place = below(pointer, index);
            match node {
                Node::Block(block) => steps.push(Step::Block(self.block(block, place, turns))),
                Node::Random(random) => steps.push(Step::Random(self.random(random, place, turns))),
                Node::If(branch) => {
                    let condition = self.condition(&branch.condition, &below(&place, "if"), turns);
                    let then = self.steps(&branch.then, &below(&place, "then"), turns);
                    let otherwise = branch.otherwise.as_deref().unwrap_or_default();
                    let otherwise = self.steps(otherwise, &below(&place, "else"), turns);
                    steps.push(Step::If(IfStep { pointer: below(&place, "if"), condition, then, otherwise }));
                }
                Node::Set(set) => {
                    let pointer = below(&place, "set");
                    let values = (set.set.iter())
                        .map(|(name, value)| (name.clone(), self.template(value, &below(&pointer, name), turns)))
                        .collect();
                    steps.push(Step::Set(SetStep { pointer, values }));
                }
                Node::Loop(node) => {
                    if !self.design.tables.contains_key(&node.table) {
                        let message = format!("There is no table {:?}.", node.table);
                        self.findings.error(FindingCode::UnknownName, below(&place, "loop"), message);
                        continue;
                    }
                    let key = slot(&self.loop_key(node, &place), turns);
                    let flow =
                        self.in_turns(node, &place, turns, |this, place, turns| this.steps(&node.flow, place, turns));
                    let (table, order) = (node.table.clone(), node.order.unwrap_or_default());
                    steps.push(Step::Loop(LoopStep { turns: key, table, order, flow }));
                }
                Node::Group(group) => steps.extend(self.steps(group, &place, turns)),
                Node::End(end) => steps.push(Step::End(end.end)),
            }
        }
        steps
    }

    fn block(&mut self, block: &Block, pointer: String, turns: &[Turn]) -> BlockStep {
        let pinned = block.pin.as_deref().unwrap_or_default();
        for (index, name) in pinned.iter().enumerate().filter(|(_, name)| !block.questions.contains(name)) {
            let message = format!("{name:?} is no question of this block.");
            self.findings.error(FindingCode::UnknownName, format!("{pointer}/pin/{index}"), message);
        }
        let known = block.questions.iter().filter_map(|name| Some((name, self.plan.item(&slot(name, turns))?)));
        let (pins, questions) = known.map(|(name, item)| (pinned.contains(name), item)).unzip();
        let (name, order) = (slot(&block.name, turns), block.order.unwrap_or_default());
        BlockStep { pointer, name: name.into(), questions, order, pins }
    }

    fn random(&mut self, random: &Random, pointer: String, turns: &mut Vec<Turn>) -> RandomStep {
        let strata = random.strata.clone().unwrap_or_default();
        for (index, attribute) in strata.iter().enumerate() {
            self.attribute(attribute, &format!("{pointer}/strata/{index}"));
        }
        let mut arms = Vec::with_capacity(random.of.len());
        for (index, arm) in random.of.iter().enumerate() {
            let place = format!("{pointer}/of/{index}");
            let steps = self.steps(&arm.flow, &below(&place, "flow"), turns);
            arms.push(ArmStep {
                pointer: place,
                name: arm.arm.as_str().into(),
                weight: arm.weight.unwrap_or(1),
                steps,
            });
        }
        let take = random.take.map_or(arms.len(), |take| take.try_into().unwrap_or(usize::MAX));
        let (name, order) = (slot(&random.name, turns).into(), random.order.unwrap_or_default());
        RandomStep { pointer, name, take, order, strata, arms }
    }

    fn templates(&mut self, item: usize, source: usize, turns: &[Turn]) -> Templates {
        let pointer = format!("/questions/{source}");
        let Some(item) = self.plan.items.get(item).cloned() else {
            return Templates::default();
        };
        let Item { question, logic } = &item;
        let kind = question.question_type;
        let mut templates = Templates::default();
        templates.pointer.clone_from(&pointer);
        templates.text = self.template(&question.text, &below(&pointer, "text"), turns);
        let (choices, field) =
            if kind.is_matrix() { (&question.scale_labels, "scale_labels") } else { (&question.options, "options") };
        let all = |this: &mut Self, texts: &[String], field: &str| -> Vec<Template> {
            let texts = texts.iter().enumerate();
            texts.map(|(index, text)| this.template(text, &format!("{pointer}/{field}/{index}"), turns)).collect()
        };
        templates.choices = all(self, choices, field);
        templates.rows = all(self, &question.sub_questions, "sub_questions");
        for (end, text, field) in
            [(0, &question.min_description, "min_description"), (1, &question.max_description, "max_description")]
        {
            if let (Some(place), Some(text)) = (templates.ends.get_mut(end), text) {
                *place = Some(self.template(text, &below(&pointer, field), turns));
            }
        }
        templates.show_if =
            logic.show_if.as_ref().map(|condition| self.condition(condition, &below(&pointer, "show_if"), turns));
        for (name, condition) in logic.option_if.iter().flatten() {
            let place = below(&below(&pointer, "option_if"), name);
            let condition = self.condition(condition, &place, turns);
            if let Some(row) = question.sub_questions.iter().position(|row| kind.is_matrix() && row == name) {
                templates.row_if.insert(row, condition);
            } else if let Some(choice) = choices.iter().position(|choice| choice == name) {
                templates.choice_if.insert(choice, condition);
            } else {
                self.findings.error(
                    FindingCode::UnknownName,
                    place,
                    format!("The question has no option or row {name:?}."),
                );
            }
        }
        templates.fix(&item);
        templates
    }
}

/// The name of a slot: the question's name with the numbers of the turns.
fn slot(name: &str, turns: &[Turn]) -> String {
    turns.iter().fold(name.to_owned(), |name, turn| format!("{name}#{}", turn.turn + 1))
}
