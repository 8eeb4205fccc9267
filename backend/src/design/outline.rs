//! Goes over a plan without answers: what a twin can reach, and what is known of it before it is asked.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::condition::{Facts, Known, Left, Truth};
use super::given::Given;
use super::pipe::{Rendered, TextPart};
use super::plan::{BlockStep, LoopStep, Plan, RandomStep, Step};
use super::twin::Twin;

/// What was dealt, or is being dealt, to the twin.
pub(super) trait Deal<'p> {
    /// The arms in the order shown. `None`: any of them.
    fn arms(&mut self, step: &'p RandomStep) -> Option<Vec<usize>>;

    /// The rows of the turns, from 0, of as many as the table has. `None`: any.
    fn rows(&mut self, step: &'p LoopStep, rows: usize) -> Option<Vec<usize>>;

    fn block(&mut self, step: &'p BlockStep);
}

/// The outcomes of a condition over its visits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcomes {
    pub holds: bool,
    pub fails: bool,
    pub is_open: bool,
}

pub(super) struct Outline<'p, D> {
    plan: &'p Plan,
    /// `None`: any twin.
    twin: Option<&'p Twin>,
    pub deal: D,
    /// Fields and arms.
    pub fields: HashMap<String, Known>,
    /// What the fields held before each write, to go back to where a branch began.
    journal: Vec<(String, Option<Known>)>,
    rows: HashMap<String, Vec<usize>>,
    /// Parallel to the plan's items.
    pub reached: Vec<bool>,
    /// By pointer.
    pub conditions: BTreeMap<String, Outcomes>,
    /// Pointers of the random nodes that were reached.
    pub randoms: HashSet<&'p str>,
    /// A question with two options of one text, as far as their texts are known.
    pub equal_options: Option<(usize, String)>,
}

impl<'p, D: Deal<'p>> Outline<'p, D> {
    pub fn of(plan: &'p Plan, twin: Option<&'p Twin>, deal: D) -> Self {
        let mut outline = Self {
            plan,
            twin,
            deal,
            fields: HashMap::new(),
            journal: Vec::new(),
            rows: HashMap::new(),
            reached: vec![false; plan.items.len()],
            conditions: BTreeMap::new(),
            randoms: HashSet::new(),
            equal_options: None,
        };
        outline.go(&plan.steps);
        outline
    }

    /// Whether the twin may go on behind these steps.
    fn go(&mut self, steps: &'p [Step]) -> bool {
        steps.iter().all(|step| match step {
            Step::Block(block) => {
                self.deal.block(block);
                block.questions.iter().for_each(|item| self.question(*item));
                true
            }
            Step::Random(random) => self.random(random),
            Step::If(branch) => {
                let truth = branch.condition.evaluate(self);
                self.note(branch.pointer.clone(), truth);
                match truth {
                    Truth::True => self.go(&branch.then),
                    Truth::False => self.go(&branch.otherwise),
                    Truth::Pending | Truth::Failed => self.either(&[&branch.then, &branch.otherwise]),
                }
            }
            Step::Set(set) => {
                let values: Vec<_> = (set.values.iter())
                    .map(|(name, value)| match value.render(self) {
                        Rendered::Text { text, .. } => (name, Known::Given(Given::text(&text))),
                        Rendered::Pending | Rendered::Failed => (name, Known::Pending),
                    })
                    .collect();
                values.into_iter().for_each(|(name, known)| self.put(name, known));
                true
            }
            Step::Loop(turns) => {
                let rows = self.plan.tables.get(&turns.table).map_or(0, |table| table.rows.len());
                if let Some(rows) = self.deal.rows(turns, rows) {
                    self.rows.insert(turns.turns.clone(), rows);
                }
                turns.flow.iter().all(|flow| self.go(flow))
            }
            Step::End(_) => false,
        })
    }

    fn random(&mut self, step: &'p RandomStep) -> bool {
        self.randoms.insert(&step.pointer);
        match self.deal.arms(step) {
            Some(dealt) => {
                let names = dealt.iter().filter_map(|arm| Some(step.arms.get(*arm)?.name.as_str()));
                self.put(&step.name, Known::Given(dealt_arms(step.take, names)));
                dealt.iter().filter_map(|arm| step.arms.get(*arm)).all(|arm| self.go(&arm.steps))
            }
            None => {
                self.put(&step.name, Known::Pending);
                let arms: Vec<&'p [Step]> = step.arms.iter().map(|arm| arm.steps.as_slice()).collect();
                if step.take == 1 {
                    return self.either(&arms);
                }
                // In any order: what one sets may be there in another.
                let mut set = Vec::new();
                arms.iter().for_each(|steps| set_in(steps, &mut set));
                let unknown = |this: &mut Self| set.iter().for_each(|name| this.put(name, Known::Pending));
                unknown(self);
                let goes_on = self.either(&arms);
                unknown(self);
                goes_on
            }
        }
    }

    fn put(&mut self, name: &str, known: Known) {
        let before = self.fields.insert(name.to_owned(), known);
        self.journal.push((name.to_owned(), before));
    }

    /// One of several lists, it is not known which.
    fn either(&mut self, lists: &[&'p [Step]]) -> bool {
        let start = self.journal.len();
        let mut ends: Vec<HashMap<String, Known>> = Vec::new();
        for steps in lists {
            let goes_on = self.go(steps);
            let mut end = HashMap::new();
            for (name, before) in self.journal.split_off(start).into_iter().rev() {
                let written = match before {
                    Some(before) => self.fields.insert(name.clone(), before),
                    None => self.fields.remove(&name),
                };
                // The last write is the first one here.
                if let Some(written) = written {
                    end.entry(name).or_insert(written);
                }
            }
            if goes_on {
                ends.push(end);
            }
        }
        let names: BTreeSet<&String> = ends.iter().flat_map(HashMap::keys).collect();
        let merged: Vec<(String, Known)> = names
            .into_iter()
            .map(|name| {
                let mut at_ends = ends.iter().map(|end| end.get(name).or_else(|| self.fields.get(name)));
                let first = at_ends.next().flatten();
                let same = first.filter(|first| at_ends.all(|other| other == Some(*first)));
                (name.clone(), same.cloned().unwrap_or(Known::Pending))
            })
            .collect();
        merged.into_iter().for_each(|(name, known)| self.put(&name, known));
        !ends.is_empty()
    }

    fn question(&mut self, item: usize) {
        let plan = self.plan;
        let Some(templates) = plan.templates.get(item) else { return };
        if let Some(condition) = &templates.show_if {
            let truth = condition.evaluate(self);
            self.note(format!("{}/show_if", templates.pointer), truth);
            if truth == Truth::False {
                return;
            }
        }
        if let Some(reached) = self.reached.get_mut(item) {
            *reached = true;
        }
        let is_piped = templates.choices.iter().any(|choice| !matches!(choice.parts.as_slice(), [TextPart::Text(_)]));
        if is_piped && self.equal_options.is_none() {
            let mut seen = HashSet::new();
            for (place, choice) in templates.choices.iter().enumerate() {
                let is_shown =
                    templates.choice_if.get(&place).is_none_or(|condition| condition.evaluate(self) == Truth::True);
                if let Rendered::Text { text, .. } = choice.render(self)
                    && is_shown
                    && !seen.insert(text.trim().to_owned())
                {
                    self.equal_options = Some((item, text));
                    break;
                }
            }
        }
    }

    fn note(&mut self, pointer: String, truth: Truth) {
        let outcomes = self.conditions.entry(pointer).or_default();
        match truth {
            Truth::True => outcomes.holds = true,
            Truth::False => outcomes.fails = true,
            Truth::Pending | Truth::Failed => outcomes.is_open = true,
        }
    }
}

impl<D> Facts for Outline<'_, D> {
    fn look(&self, left: &Left) -> Known {
        match left {
            Left::Answer { .. } => Known::Pending,
            Left::Field(name) => self.fields.get(name).cloned().unwrap_or(Known::Nothing),
            Left::Twin(_) | Left::HeldOut(_) => self.twin.map_or(Known::Pending, |twin| twin.look(left)),
        }
    }

    fn cell(&self, turns: &str, turn: usize, column: usize) -> Option<String> {
        self.plan.cell(turns, *self.rows.get(turns)?.get(turn)?, column)
    }
}

/// The arm of a node that deals one, the list of several.
pub(super) fn dealt_arms<'a>(take: usize, mut names: impl Iterator<Item = &'a str>) -> Given {
    if take == 1 { Given::text(names.next().unwrap_or_default()) } else { Given::texts(names) }
}

/// Fields and arms that are set somewhere in these steps.
pub(super) fn set_in<'p>(steps: &'p [Step], names: &mut Vec<&'p str>) {
    for step in steps {
        match step {
            Step::Set(set) => names.extend(set.values.iter().map(|(name, _)| name.as_str())),
            Step::Random(random) => {
                names.push(&random.name);
                random.arms.iter().for_each(|arm| set_in(&arm.steps, names));
            }
            Step::If(branch) => [&branch.then, &branch.otherwise].into_iter().for_each(|steps| set_in(steps, names)),
            Step::Loop(turns) => turns.flow.iter().for_each(|steps| set_in(steps, names)),
            Step::Block(_) | Step::End(_) => {}
        }
    }
}
