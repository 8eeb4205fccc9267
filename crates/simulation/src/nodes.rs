//! The random nodes of a design that have arms, and what is asked after each of them.

use std::collections::{BTreeMap, BTreeSet};

use evidence::compare::Experiment;
use evidence::upload::{Deals, KnownArm, Question, RandomNode, SurveyNodes, UnmatchedNode, items};
use serde::Serialize;
use survey::assign::Assignment;
use survey::flow::{Arm, Design, Node, Random, all_nodes};
use utoipa::ToSchema;

/// When a question is asked, seen from a random node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AskedWhen {
    /// Within the node or after it, so that its arms can have an effect.
    After,
    /// Before the node for some and after it for others, in an order that is drawn.
    Mixed,
    /// Before the node, so that differences are chance.
    Before,
}

/// The random nodes of a design.
#[derive(Clone, Debug, Default)]
pub struct Nodes {
    /// The nodes with arms.
    pub with_arms: Vec<RandomNode>,
    /// The nodes without arms, with the reason.
    pub without: Vec<UnmatchedNode>,
    asked: BTreeMap<String, QuestionsAround>,
}

/// Names of questions around a random node.
#[derive(Clone, Debug, Default)]
struct QuestionsAround {
    after: BTreeSet<String>,
    mixed: BTreeSet<String>,
}

impl Nodes {
    /// Finds the random nodes of a design.
    pub fn of(design: &Design) -> Self {
        let mut nodes = Self::default();
        let mut placed = Vec::new();
        nodes.collect(&design.flow, &mut Vec::new(), false, &mut placed);
        nodes.merge(&placed);
        nodes
    }

    /// The design of a node's experiment: the order of its arms, and the items that are asked before
    /// it or in a drawn order beside it.
    pub fn experiment(&self, node: &str, questions: &[Question]) -> Experiment {
        let known = self.with_arms.iter().find(|known| known.name == node);
        let asked = |asked: AskedWhen| -> BTreeSet<String> {
            let such = questions.iter().filter(|question| self.asked(node, &question.name) == asked);
            such.flat_map(|question| items(std::slice::from_ref(question))).map(|item| item.name).collect()
        };
        Experiment {
            node: Some(node.to_owned()),
            arms: known.into_iter().flat_map(|known| &known.arms).map(|arm| arm.name.clone()).collect(),
            before: Some(asked(AskedWhen::Before)),
            beside: asked(AskedWhen::Mixed),
            ..Experiment::default()
        }
    }

    /// The nodes as files of people's answers are read with.
    pub fn survey_nodes(&self) -> SurveyNodes<'_> {
        SurveyNodes { with_arms: &self.with_arms, without: &self.without }
    }

    /// When a question is asked, seen from a node. The turn of a loop after `#` does not count.
    pub fn asked(&self, node: &str, question: &str) -> AskedWhen {
        let question = question.split('#').next().unwrap_or_default();
        match self.asked.get(node) {
            Some(around) if around.after.contains(question) => AskedWhen::After,
            Some(around) if around.mixed.contains(question) => AskedWhen::Mixed,
            _ => AskedWhen::Before,
        }
    }

    /// The arm of each node in an assignment; empty for none.
    pub fn arms_of(&self, assignment: &Assignment) -> BTreeMap<String, String> {
        let own = |node: &RandomNode| {
            let dealt = assignment.arms.get(node.name.as_str()).map(Vec::as_slice).unwrap_or_default();
            let arm = match node.deals {
                Deals::OneArm | Deals::FirstOfTwo => dealt.first(),
                Deals::LastOfAll => dealt.last(),
            };
            arm.map_or_else(String::new, ToString::to_string)
        };
        let of_flow = self.with_arms.iter().filter(|node| node.parts.is_empty());
        let mut arms: BTreeMap<String, String> = of_flow.map(|node| (node.name.clone(), own(node))).collect();
        for node in self.with_arms.iter().filter(|node| !node.parts.is_empty()) {
            let of_part = |part: &String| {
                let arm = arms.get(part).filter(|arm| !arm.is_empty())?;
                node.arm_of_part(&self.with_arms, part, arm)
            };
            let arm = node.parts.iter().find_map(of_part).and_then(|arm| node.arms.get(arm));
            arms.insert(node.name.clone(), arm.map_or_else(String::new, |arm| arm.name.clone()));
        }
        arms
    }

    fn collect<'d>(
        &mut self,
        nodes: &'d [Node],
        around: &mut Vec<Around<'d>>,
        is_in_loop: bool,
        placed: &mut Vec<Placed>,
    ) {
        for (place, node) in nodes.iter().enumerate() {
            around.push(Around::List { nodes, place });
            match node {
                Node::Random(random) => {
                    self.add(random, around, is_in_loop, placed);
                    for (place, arm) in random.of.iter().enumerate() {
                        around.push(Around::Arms { random, place });
                        self.collect(&arm.flow, around, is_in_loop, placed);
                        around.pop();
                    }
                }
                Node::If(branch) => {
                    for (place, nodes) in [Some(&branch.then), branch.otherwise.as_ref()].into_iter().enumerate() {
                        around.push(Around::Branch { place });
                        self.collect(nodes.map_or(&[][..], Vec::as_slice), around, is_in_loop, placed);
                        around.pop();
                    }
                }
                Node::Loop(turns) => self.collect(&turns.flow, around, true, placed),
                Node::Group(group) => self.collect(group, around, is_in_loop, placed),
                Node::Block(_) | Node::Set(_) | Node::End(_) => {}
            }
            around.pop();
        }
    }

    fn add(&mut self, random: &Random, around: &[Around<'_>], is_in_loop: bool, placed: &mut Vec<Placed>) {
        if random.of.len() < 2 {
            return;
        }
        let arms: Vec<KnownArm> = random.of.iter().map(known).collect();
        let deals = match deals(random, &arms) {
            Ok(_) if is_in_loop => Err("its arms are dealt anew in each turn of a loop".to_owned()),
            found => found,
        };
        match deals {
            Ok(deals) => {
                self.asked.insert(random.name.clone(), questions_around(random, around));
                placed.push(Placed {
                    node: random.name.clone(),
                    path: around.iter().map(Around::place).collect(),
                    kinds: around.iter().map(Around::excludes_siblings).collect(),
                });
                let (name, import_id) = (random.name.clone(), random.import_id.clone());
                self.with_arms.push(RandomNode { name, import_id, deals, arms, parts: Vec::new() });
            }
            Err(reason) => {
                self.without.push(UnmatchedNode { node: random.name.clone(), reason, nearest: None, arms: Vec::new() });
            }
        }
    }

    /// Adds a node for nodes with the same arms of which each person meets one.
    fn merge(&mut self, placed: &[Placed]) {
        let fields = |node: &RandomNode| node.arms.iter().map(|arm| arm.fields.clone()).collect::<BTreeSet<_>>();
        let mut merged: Vec<RandomNode> = Vec::new();
        for (at, first) in self.with_arms.iter().enumerate() {
            let is_told_by_fields = first.arms.iter().all(|arm| !arm.fields.is_empty());
            let is_part = |node: &RandomNode| merged.iter().any(|of| of.parts.contains(&node.name));
            if !is_told_by_fields || first.deals != Deals::OneArm || is_part(first) {
                continue;
            }
            let same = self.with_arms[at + 1..].iter().filter(|other| {
                other.deals == Deals::OneArm
                    && other.arms.len() == first.arms.len()
                    && fields(other) == fields(first)
                    && never_both(placed, &first.name, &other.name)
            });
            let parts: Vec<String> = std::iter::once(first).chain(same).map(|node| node.name.clone()).collect();
            if parts.len() > 1 {
                let arms = first.arms.iter().map(|arm| KnownArm { also: Vec::new(), ..arm.clone() }).collect();
                merged.push(RandomNode { name: parts.join("+"), import_id: None, deals: Deals::OneArm, arms, parts });
            }
        }
        for node in &merged {
            // What is asked after some of its parts alone is of them alone.
            let of_parts: Vec<&QuestionsAround> = node.parts.iter().filter_map(|part| self.asked.get(part)).collect();
            let together = |of: fn(&QuestionsAround) -> &BTreeSet<String>| {
                of_parts.iter().flat_map(|part| of(part).iter().cloned()).collect::<BTreeSet<_>>()
            };
            let (after, mut mixed) = (together(|of| &of.after), together(|of| &of.mixed));
            mixed.retain(|question| !after.contains(question));
            self.asked.insert(node.name.clone(), QuestionsAround { after, mixed });
        }
        self.with_arms.extend(merged);
    }
}

/// A list, an arm or a branch around a node.
enum Around<'d> {
    List { nodes: &'d [Node], place: usize },
    Arms { random: &'d Random, place: usize },
    Branch { place: usize },
}

impl Around<'_> {
    fn place(&self) -> usize {
        match self {
            Self::List { place, .. } | Self::Arms { place, .. } | Self::Branch { place } => *place,
        }
    }

    /// Whether a person meets one of the children alone.
    fn excludes_siblings(&self) -> bool {
        match self {
            Self::List { .. } => false,
            Self::Arms { random, .. } => random.take == Some(1),
            Self::Branch { .. } => true,
        }
    }
}

/// The place of a random node in the flow.
struct Placed {
    node: String,
    path: Vec<usize>,
    kinds: Vec<bool>,
}

/// Whether no person meets both nodes: they are in different arms, or in different branches.
fn never_both(placed: &[Placed], one: &str, other: &str) -> bool {
    let find = |name: &str| placed.iter().find(|placed| placed.node == name);
    let Some((one, other)) = find(one).zip(find(other)) else { return false };
    let parts = one.path.iter().zip(&other.path).position(|(one, other)| one != other);
    parts.is_some_and(|at| one.kinds.get(at) == Some(&true))
}

fn known(arm: &Arm) -> KnownArm {
    let blocks = arm.flow.iter().filter_map(|node| match node {
        Node::Block(block) if arm.flow.len() == 1 => Some(block.name.clone()),
        _ => None,
    });
    let also = arm.import_id.iter().chain(&arm.import_name).cloned().chain(blocks);
    let mut fields = BTreeMap::new();
    set_for_certain(&arm.flow, &mut fields);
    KnownArm { name: arm.arm.clone(), also: also.collect(), fields }
}

/// Collects the fields that everybody has who comes to these nodes, with values that are the same for all.
fn set_for_certain(nodes: &[Node], fields: &mut BTreeMap<String, String>) {
    for node in nodes {
        match node {
            Node::Set(set) => {
                for (name, value) in &set.set {
                    if value.contains("{{") {
                        fields.remove(name);
                    } else {
                        fields.insert(name.clone(), value.clone());
                    }
                }
            }
            Node::Group(group) => set_for_certain(group, fields),
            _ => {}
        }
    }
}

/// Says how a random node tells twins apart, or why it does not.
fn deals(random: &Random, arms: &[KnownArm]) -> Result<Deals, String> {
    let count = random.of.len();
    match random.take.and_then(|take| usize::try_from(take).ok()).unwrap_or(count).min(count) {
        1 => Ok(Deals::OneArm),
        take if take < count => Err(format!("each person is shown {take} of its {count} parts")),
        _ => {
            let is_common = |field: &&String| arms.iter().all(|arm| arm.fields.contains_key(*field));
            let has_field = arms.first().is_some_and(|first| first.fields.keys().any(|field| is_common(&field)));
            let asks = |arm: &Arm| {
                let mut questions = BTreeSet::new();
                collect_questions(&arm.flow, &mut questions);
                !questions.is_empty()
            };
            if has_field {
                Ok(Deals::LastOfAll)
            } else if count == 2 && random.of.iter().all(asks) {
                Ok(Deals::FirstOfTwo)
            } else {
                Err("all its parts are shown in a drawn order, and no field tells them apart".to_owned())
            }
        }
    }
}

fn collect_questions(nodes: &[Node], questions: &mut BTreeSet<String>) {
    for node in all_nodes(nodes) {
        if let Node::Block(block) = node {
            questions.extend(block.questions.iter().cloned());
        }
    }
}

/// Finds the questions in and after a random node, and those whose turn is drawn beside it.
fn questions_around(random: &Random, around: &[Around<'_>]) -> QuestionsAround {
    let mut questions = QuestionsAround::default();
    random.of.iter().for_each(|arm| collect_questions(&arm.flow, &mut questions.after));
    for around in around.iter().rev() {
        match around {
            Around::List { nodes, place } => {
                collect_questions(nodes.get(place + 1..).unwrap_or_default(), &mut questions.after);
            }
            Around::Arms { random, place } if random.take != Some(1) => {
                let others = random.of.iter().enumerate().filter(|(other, _)| other != place);
                others.for_each(|(_, arm)| collect_questions(&arm.flow, &mut questions.mixed));
            }
            Around::Arms { .. } | Around::Branch { .. } => {}
        }
    }
    questions.mixed.retain(|question| !questions.after.contains(question));
    questions
}
