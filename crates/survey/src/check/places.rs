//! Checks where questions stand: at most once on any path, and before everything that reads them.

use std::collections::HashMap;

use crate::condition::Left;
use crate::finding::{FindingCode, Findings, below};
use crate::flow::Order;
use crate::plan::{BlockStep, Plan, Step};

/// A step down the tree: the parent node, the number of the child, and how the children relate.
#[derive(Clone, Copy, PartialEq)]
struct Hop {
    parent: usize,
    child: usize,
    among: Among,
}

#[derive(Clone, Copy, PartialEq)]
enum Among {
    /// The children follow one another.
    Sequence,
    /// Only one child is taken: the sides of a branch, or arms of which one is dealt.
    Alternatives,
    /// Several children are taken, in the order written.
    SeveralFixed,
    SeveralShuffled,
    /// The child is a question of a block, with its first and last possible positions.
    Block {
        first: usize,
        last: usize,
    },
}

#[derive(Debug, PartialEq)]
enum Relation {
    Before,
    Later,
    MaybeLater,
    Alternative,
    Same,
}

struct Reader {
    pointer: String,
    path: Vec<Hop>,
    reads: Vec<usize>,
}

#[derive(Default)]
struct Tree {
    parents: usize,
    /// The places of each item: its path and its pointer.
    places: HashMap<usize, Vec<(Vec<Hop>, String)>>,
    readers: Vec<Reader>,
}

pub fn check(plan: &Plan, findings: &mut Findings) {
    let mut tree = Tree::default();
    tree.add(plan, &plan.steps, &mut Vec::new());
    for (item, places) in &tree.places {
        let name = plan.items.get(*item).map_or("", |item| item.name());
        let (first, others) =
            places.split_first().map_or((None, [].as_slice()), |(first, others)| (Some(first), others));
        for (path, pointer) in others {
            // In branches and arms a twin may reach one place only; if it reaches two, it is asked at the first one.
            if first.is_some_and(|(first, _)| !may_exclude(first, path)) {
                let message = format!("{name:?} stands at two places that the same twin reaches.");
                findings.error(FindingCode::TwoPlaces, pointer.clone(), message);
            }
        }
    }
    for reader in &tree.readers {
        cancellation::check();
        for item in &reader.reads {
            let places = tree.places.get(item).map(Vec::as_slice).unwrap_or_default();
            let relations = || places.iter().map(|(path, _)| relation(path, &reader.path));
            let name = plan.items.get(*item).map_or("", |item| item.name());
            if relations().any(|relation| relation == Relation::Before) {
                let is_sure = places.iter().any(|(path, _)| is_surely_before(path, &reader.path));
                if !is_sure && relations().any(|relation| matches!(relation, Relation::Later | Relation::MaybeLater)) {
                    let message = format!(
                        "For some twins {name:?} may be asked later than this: for them it has no answer here."
                    );
                    findings.warning(FindingCode::ReadMaybeLater, reader.pointer.clone(), message);
                }
                continue;
            }
            let (code, message) = match relations().next() {
                None | Some(Relation::Before) => continue,
                Some(Relation::Alternative) => (
                    FindingCode::ReadOtherArm,
                    format!("{name:?} is asked in another arm or branch only, so never before this."),
                ),
                Some(Relation::MaybeLater) => (
                    FindingCode::ReadMaybeLater,
                    format!("{name:?} may be asked later than this: their order is drawn."),
                ),
                Some(Relation::Later | Relation::Same) => (
                    FindingCode::ReadLater,
                    format!("{name:?} is asked later than this, so its answer is not there yet."),
                ),
            };
            findings.error(code, reader.pointer.clone(), message);
        }
    }
}

impl Tree {
    fn add(&mut self, plan: &Plan, steps: &[Step], path: &mut Vec<Hop>) {
        let parent = self.parent();
        for (child, step) in steps.iter().enumerate() {
            path.push(Hop { parent, child, among: Among::Sequence });
            match step {
                Step::Block(block) => self.block(plan, block, path),
                Step::Random(random) => {
                    let among = match (random.take, random.order) {
                        (1, _) => Among::Alternatives,
                        (_, Order::Fixed) => Among::SeveralFixed,
                        (_, Order::Random | Order::Latin) => Among::SeveralShuffled,
                    };
                    self.children(plan, random.arms.iter().map(|arm| arm.steps.as_slice()), among, path);
                }
                Step::If(branch) => {
                    self.read(plan, branch.pointer.clone(), path, branch.condition.reads());
                    let sides = [branch.then.as_slice(), branch.otherwise.as_slice()];
                    self.children(plan, sides.into_iter(), Among::Alternatives, path);
                }
                Step::Set(set) => {
                    for (name, value) in &set.values {
                        self.read(plan, below(&set.pointer, name), path, value.reads());
                    }
                }
                Step::Loop(turns) => {
                    self.children(plan, turns.flow.iter().map(Vec::as_slice), Among::Sequence, path);
                }
                Step::End(_) => {}
            }
            path.pop();
        }
    }

    fn parent(&mut self) -> usize {
        self.parents += 1;
        self.parents
    }

    fn children<'p>(
        &mut self,
        plan: &Plan,
        children: impl Iterator<Item = &'p [Step]>,
        among: Among,
        path: &mut Vec<Hop>,
    ) {
        let parent = self.parent();
        for (child, steps) in children.enumerate() {
            path.push(Hop { parent, child, among });
            self.add(plan, steps, path);
            path.pop();
        }
    }

    fn block(&mut self, plan: &Plan, block: &BlockStep, path: &mut Vec<Hop>) {
        let parent = self.parent();
        let is_free = |place: &usize| !block.pins.get(*place).copied().unwrap_or(false);
        let free: Vec<usize> = (0..block.questions.len()).filter(is_free).collect();
        for (child, item) in block.questions.iter().enumerate() {
            let is_moved = block.order != Order::Fixed && is_free(&child);
            let (first, last) = match (is_moved, free.first(), free.last()) {
                (true, Some(first), Some(last)) => (*first, *last),
                _ => (child, child),
            };
            path.push(Hop { parent, child, among: Among::Block { first, last } });
            self.places.entry(*item).or_default().push((path.clone(), block.pointer.clone()));
            if let (Some(templates), Some(of)) = (plan.templates.get(*item), plan.items.get(*item)) {
                if let Some(condition) = &templates.show_if {
                    self.read(plan, below(&templates.pointer, "show_if"), path, condition.reads());
                }
                let of_options = templates.choice_if.values().chain(templates.row_if.values());
                let reads = of_options.flat_map(|condition| condition.reads());
                self.read(plan, below(&templates.pointer, "option_if"), path, reads);
                for (pointer, text) in templates.placed_texts(of.kind()) {
                    self.read(plan, pointer, path, text.reads());
                }
            }
            path.pop();
        }
    }

    fn read<'p>(&mut self, plan: &Plan, pointer: String, path: &[Hop], reads: impl Iterator<Item = &'p Left>) {
        let mut items: Vec<usize> = reads
            .filter_map(|left| match left {
                Left::Answer { question, .. } => plan.item(question),
                _ => None,
            })
            .collect();
        items.sort_unstable();
        items.dedup();
        if !items.is_empty() {
            self.readers.push(Reader { pointer, path: path.to_vec(), reads: items });
        }
    }
}

/// Returns how the place that is read relates to the place of its reader.
fn relation(read: &[Hop], reader: &[Hop]) -> Relation {
    let Some((read, reader)) = read.iter().zip(reader).find(|(read, reader)| read.child != reader.child) else {
        // The reader contains what is read, or is the same.
        return Relation::Same;
    };
    let is_before = read.child < reader.child;
    match (read.among, reader.among) {
        (Among::Alternatives, _) => Relation::Alternative,
        (Among::SeveralShuffled, _) => Relation::MaybeLater,
        (Among::Block { last, .. }, Among::Block { first, .. }) if last < first => Relation::Before,
        (Among::Block { first, .. }, Among::Block { last, .. }) if first < last => Relation::MaybeLater,
        (Among::Sequence | Among::SeveralFixed, _) if is_before => Relation::Before,
        _ => Relation::Later,
    }
}

/// Whether every twin that reaches the reader has passed the place that is read: no branch or arm leads there alone.
fn is_surely_before(read: &[Hop], reader: &[Hop]) -> bool {
    let apart = read.iter().zip(reader).position(|(read, reader)| read.child != reader.child);
    let has_no_branch = |at: usize| read.iter().skip(at).all(|hop| hop.among != Among::Alternatives);
    relation(read, reader) == Relation::Before && apart.is_some_and(has_no_branch)
}

/// Whether two places may exclude each other: they are alternatives, or each is in a branch or an arm.
fn may_exclude(one: &[Hop], other: &[Hop]) -> bool {
    let Some(at) = one.iter().zip(other).position(|(one, other)| one.child != other.child) else { return false };
    let is_conditional = |path: &[Hop]| path.iter().skip(at).any(|hop| hop.among == Among::Alternatives);
    is_conditional(one) && is_conditional(other)
}
