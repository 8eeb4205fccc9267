//! Traverses a plan without answers: what a twin can reach, and what is known before it is asked.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::condition::{Condition, Facts, Known, Left, Truth};
use super::given::Given;
use super::pipe::{Rendered, Template, TextPart};
use super::plan::{BlockStep, LoopStep, Plan, RandomStep, Step};
use super::twin::Twin;

/// The source of what is dealt to the twin.
pub(super) trait Deal<'p> {
    /// Returns the arms in the order shown, or `None` for any of them.
    fn arms(&mut self, step: &'p RandomStep) -> Option<Vec<usize>>;

    /// Returns the 0-based rows of the turns, of `rows` in the table, or `None` for any of them.
    fn rows(&mut self, step: &'p LoopStep, rows: usize) -> Option<Vec<usize>>;

    fn block(&mut self, step: &'p BlockStep);
}

/// The results of a condition over all places where it is evaluated.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcomes {
    pub holds: bool,
    pub fails: bool,
    pub is_open: bool,
}

/// A text that inserts a field which may not be set there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnsetRead<'p> {
    pub place: ReaderPlace<'p>,
    pub field: &'p str,
    /// Whether no path sets the field before. If false, answers decide whether it is set.
    pub is_unset: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReaderPlace<'p> {
    /// A question, by its position in the plan.
    Question(usize),
    /// A set node, by its pointer and the field that it sets.
    Set(&'p str, &'p str),
}

pub(super) struct Outline<'p, D> {
    plan: &'p Plan,
    /// The twin, or `None` for any twin.
    twin: Option<&'p Twin>,
    pub deal: D,
    /// Values of fields and of random nodes.
    pub fields: HashMap<&'p str, Known>,
    /// Number of enclosing branches for which it is unknown which side is taken.
    alternatives: usize,
    /// Previous values of the fields that were written in such a branch, to restore them at its end.
    journal: Vec<(&'p str, Option<Known>)>,
    rows: HashMap<&'p str, Vec<usize>>,
    /// Fields that only some of the paths to this point set.
    unsure: HashSet<&'p str>,
    /// Pipes of fields that may not be set, or `None` if they are not collected.
    pub unset_reads: Option<Vec<UnsetRead<'p>>>,
    /// Whether each of the plan's items is reached.
    pub reached: Vec<bool>,
    /// Results of conditions, by the pointer of the branch or the question.
    pub conditions: BTreeMap<&'p str, Outcomes>,
    /// Pointers of the random nodes that were reached.
    pub randoms: HashSet<&'p str>,
    /// A question and a text that two of its options or rows share, as far as their texts are known.
    pub equal_options: Option<(usize, String)>,
}

impl<'p, D: Deal<'p>> Outline<'p, D> {
    pub fn traverse(plan: &'p Plan, twin: Option<&'p Twin>, deal: D) -> Self {
        let mut outline = Self::new(plan, twin, deal);
        outline.go(&plan.steps);
        outline
    }

    /// Traverses the plan for any twin, and collects the pipes of fields that may not be set.
    pub fn with_unset_reads(plan: &'p Plan, deal: D) -> Self {
        let mut outline = Self { unset_reads: Some(Vec::new()), ..Self::new(plan, None, deal) };
        outline.go(&plan.steps);
        outline
    }

    fn new(plan: &'p Plan, twin: Option<&'p Twin>, deal: D) -> Self {
        // Most steps of a long flow are nodes with one field each.
        let nodes = plan.steps.len();
        Self {
            plan,
            twin,
            deal,
            fields: HashMap::with_capacity(nodes),
            alternatives: 0,
            journal: Vec::new(),
            rows: HashMap::new(),
            unsure: HashSet::new(),
            unset_reads: None,
            reached: vec![false; plan.items.len()],
            conditions: BTreeMap::new(),
            randoms: HashSet::with_capacity(nodes),
            equal_options: None,
        }
    }

    /// Returns the requests that were reached, as positions in the plan.
    pub fn requests(&self) -> impl Iterator<Item = usize> {
        let items = self.plan.items.iter().zip(&self.reached).enumerate();
        items.filter(|(_, (item, reached))| **reached && item.is_request()).map(|(place, _)| place)
    }

    /// Traverses the steps. Returns whether the interview goes on after them.
    fn go(&mut self, steps: &'p [Step]) -> bool {
        steps.iter().inspect(|_| cancellation::check()).all(|step| match step {
            Step::Block(block) => {
                self.deal.block(block);
                block.questions.iter().for_each(|item| self.question(*item));
                true
            }
            Step::Random(random) => self.random(random),
            Step::If(branch) => {
                let truth = branch.condition.evaluate(self);
                self.note(&branch.pointer, truth);
                match truth {
                    Truth::True => self.go(&branch.then),
                    Truth::False => self.go(&branch.otherwise),
                    Truth::Pending | Truth::Failed => self.either(&[&branch.then, &branch.otherwise]),
                }
            }
            Step::Set(set) => {
                for (name, value) in &set.values {
                    self.note_unset(ReaderPlace::Set(&set.pointer, name), [value].into_iter(), true);
                }
                let values: Vec<(&'p str, Known)> = (set.values.iter())
                    .map(|(name, value)| match value.render(self) {
                        Rendered::Text { text, .. } => (name.as_str(), Known::Given(Given::text(&text))),
                        Rendered::Pending | Rendered::Failed => (name.as_str(), Known::Pending),
                    })
                    .collect();
                values.into_iter().for_each(|(name, known)| self.put(name, known));
                true
            }
            Step::Loop(turns) => {
                let rows = self.plan.tables.get(&turns.table).map_or(0, |table| table.rows.len());
                if let Some(rows) = self.deal.rows(turns, rows) {
                    self.rows.insert(&turns.turns, rows);
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
                let names = dealt.iter().filter_map(|arm| Some(&*step.arms.get(*arm)?.name));
                self.put(&step.name, Known::Given(dealt_arms(step.take, names)));
                dealt.iter().filter_map(|arm| step.arms.get(*arm)).all(|arm| self.go(&arm.steps))
            }
            None => {
                self.put(&step.name, Known::Pending);
                let arms: Vec<&'p [Step]> = step.arms.iter().map(|arm| arm.steps.as_slice()).collect();
                if step.take == 1 {
                    return self.either(&arms);
                }
                // The arms may be shown in any order, so a field that one of them sets may be set in another.
                let mut set = Vec::new();
                arms.iter().for_each(|steps| set_in(steps, &mut set));
                let unset: Vec<&'p str> = set.iter().copied().filter(|name| !self.is_set(name)).collect();
                let unknown = |this: &mut Self| set.iter().copied().for_each(|name| this.put(name, Known::Pending));
                unknown(self);
                self.unsure.extend(unset.iter().copied());
                let goes_on = self.either(&arms);
                unknown(self);
                if step.take < step.arms.len() {
                    self.unsure.extend(unset);
                }
                goes_on
            }
        }
    }

    fn put(&mut self, name: &'p str, known: Known) {
        self.unsure.remove(name);
        let before = self.fields.insert(name, known);
        if self.alternatives > 0 {
            self.journal.push((name, before));
        }
    }

    /// Traverses all lists, of which one is taken. Keeps only what is the same at the end of each.
    fn either(&mut self, lists: &[&'p [Step]]) -> bool {
        let start = self.journal.len();
        let mut ends: Vec<HashMap<&'p str, Known>> = Vec::new();
        let unsure = self.unsure.clone();
        let mut unsure_then: HashSet<&'p str> = HashSet::new();
        self.alternatives += 1;
        for steps in lists {
            self.unsure.clone_from(&unsure);
            let goes_on = self.go(steps);
            if goes_on {
                unsure_then.extend(&self.unsure);
            }
            let mut end = HashMap::new();
            for (name, before) in self.journal.split_off(start).into_iter().rev() {
                let written = match before {
                    Some(before) => self.fields.insert(name, before),
                    None => self.fields.remove(name),
                };
                // The journal is reversed, so the first write found is the last one.
                if let Some(written) = written {
                    end.entry(name).or_insert(written);
                }
            }
            if goes_on {
                ends.push(end);
            }
        }
        self.alternatives -= 1;
        self.unsure = unsure;
        let names: BTreeSet<&'p str> = ends.iter().flat_map(HashMap::keys).copied().collect();
        let merged: Vec<(&'p str, Known)> = names
            .into_iter()
            .map(|name| {
                let mut at_ends = ends.iter().map(|end| end.get(name).or_else(|| self.fields.get(name)));
                if at_ends.clone().any(|end| end.is_none()) {
                    unsure_then.insert(name);
                }
                let first = at_ends.next().flatten();
                let same = first.filter(|first| at_ends.all(|other| other == Some(*first)));
                (name, same.cloned().unwrap_or(Known::Pending))
            })
            .collect();
        merged.into_iter().for_each(|(name, known)| self.put(name, known));
        self.unsure.extend(unsure_then);
        !ends.is_empty()
    }

    fn question(&mut self, item: usize) {
        let plan = self.plan;
        let Some(templates) = plan.templates.get(item) else { return };
        if let Some(condition) = &templates.show_if {
            let truth = condition.evaluate(self);
            self.note(&templates.pointer, truth);
            if truth == Truth::False {
                return;
            }
        }
        if let Some(reached) = self.reached.get_mut(item) {
            *reached = true;
        }
        if self.unset_reads.is_some() {
            let is_always =
                templates.show_if.is_none() && templates.choice_if.is_empty() && templates.row_if.is_empty();
            self.note_unset(ReaderPlace::Question(item), templates.texts(), is_always);
        }
        for (texts, conditions) in [(&templates.choices, &templates.choice_if), (&templates.rows, &templates.row_if)] {
            if self.equal_options.is_none() {
                self.equal_options = self.equal(texts, conditions).map(|text| (item, text));
            }
        }
    }

    fn is_set(&self, name: &str) -> bool {
        self.fields.contains_key(name) && !self.unsure.contains(name)
    }

    /// Collects the texts that read a field which may not be set. `is_always`: whether every twin that comes here is
    /// shown the texts. Otherwise the same answers may decide about the text and about the field.
    fn note_unset(&mut self, place: ReaderPlace<'p>, texts: impl Iterator<Item = &'p Template>, is_always: bool) {
        let Some(mut reads) = self.unset_reads.take() else { return };
        let is_certain = is_always && self.alternatives == 0;
        for left in texts.flat_map(Template::reads) {
            let Left::Field(field) = left else { continue };
            let is_unset = !self.fields.contains_key(field.as_str());
            if is_unset || is_certain && !self.is_set(field) {
                reads.push(UnsetRead { place, field, is_unset });
            }
        }
        self.unset_reads = Some(reads);
    }

    /// Returns a text that two of the texts share, if at least one of the texts has a pipe.
    fn equal(&self, texts: &[Template], conditions: &BTreeMap<usize, Condition>) -> Option<String> {
        if texts.iter().all(|text| matches!(text.parts.as_slice(), [TextPart::Text(_)])) {
            return None;
        }
        let mut seen = HashSet::new();
        texts.iter().enumerate().find_map(|(place, text)| {
            let is_shown = conditions.get(&place).is_none_or(|condition| condition.evaluate(self) == Truth::True);
            match text.render(self) {
                Rendered::Text { text, .. } if is_shown && !seen.insert(text.trim().to_owned()) => Some(text),
                _ => None,
            }
        })
    }

    fn note(&mut self, pointer: &'p str, truth: Truth) {
        let outcomes = self.conditions.entry(pointer).or_default();
        match truth {
            Truth::True => outcomes.holds = true,
            Truth::False => outcomes.fails = true,
            Truth::Pending | Truth::Failed => outcomes.is_open = true,
        }
    }
}

impl<D> Facts for Outline<'_, D> {
    fn look(&self, left: &Left) -> Cow<'_, Known> {
        match left {
            Left::Answer { .. } => Cow::Owned(Known::Pending),
            Left::Field(name) => self.fields.get(name.as_str()).map_or(Cow::Owned(Known::Nothing), Cow::Borrowed),
            Left::Twin(_) | Left::HeldOut(_) => Cow::Owned(self.twin.map_or(Known::Pending, |twin| twin.look(left))),
        }
    }

    fn cell(&self, turns: &str, turn: usize, column: usize) -> Option<String> {
        self.plan.cell(turns, *self.rows.get(turns)?.get(turn)?, column)
    }

    fn has_rows(&self, turns: &str) -> bool {
        self.rows.contains_key(turns)
    }
}

/// Returns the dealt arm of a node that deals one, or the list of arms.
pub(super) fn dealt_arms<'a>(take: usize, mut names: impl Iterator<Item = &'a str>) -> Given {
    if take == 1 { Given::text(names.next().unwrap_or_default()) } else { Given::texts(names) }
}

/// Collects the names of fields and random nodes that are set in these steps.
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
