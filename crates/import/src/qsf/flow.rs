//! Converts the flow of the file to a flow of the design.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;
use survey::condition::{Condition, Left};
use survey::flow::{Arm, Block, End, Ending, If, Node, Order, Random, Set};
use survey::pipe::Template;
use survey::williams;

use super::drawn::drawn_number;
use super::file::{FileBlock, MAX_DEPTH, children, is_block, is_true, listed, number_of, question_of, text_of, whole};
use super::names::UniqueLabels;
use super::texts::TextPlace;
use super::{Importer, arm_fields, loops};
use crate::text::{label, short_label};
use crate::{LossCode, LossSeverity, ReportList};

impl Importer<'_> {
    pub fn flow(&mut self) -> Vec<Node> {
        let file = self.file;
        self.nodes(&children(&file.flow), false, 1)
    }

    fn nodes(&mut self, nodes: &[&Value], is_in_branch: bool, depth: usize) -> Vec<Node> {
        if depth > MAX_DEPTH {
            self.lost(LossCode::Flow, LossSeverity::Error, "nodes nested too deeply", "nothing");
            return Vec::new();
        }
        nodes.iter().flat_map(|node| self.node(node, is_in_branch, depth)).collect()
    }

    fn node(&mut self, node: &Value, is_in_branch: bool, depth: usize) -> Vec<Node> {
        if is_block(node) {
            return self.block(&text_of(node.get("ID")));
        }
        match text_of(node.get("Type")).as_str() {
            "Group" | "Root" => match self.nodes(&children(node), is_in_branch, depth + 1) {
                nodes if nodes.len() < 2 => nodes,
                nodes => vec![Node::Group(nodes)],
            },
            "BlockRandomizer" | "Randomizer" => self.random(node, is_in_branch, depth),
            "Branch" => {
                let place = TextPlace { name: Some("a branch of the flow"), ..TextPlace::default() };
                let condition = self.condition(node.get("BranchLogic").unwrap_or(&Value::Null), &place, 0);
                let then = self.nodes(&children(node), true, depth + 1);
                if then.is_empty() { Vec::new() } else { vec![Node::If(If { condition, then, otherwise: None })] }
            }
            "EmbeddedData" => self.set(node),
            "EndSurvey" => {
                let end = if is_in_branch { Ending::ScreenedOut } else { Ending::Complete };
                if is_in_branch {
                    let place = TextPlace { name: Some("an end of the survey in a branch"), ..TextPlace::default() };
                    let (was, now) = ("the survey ends", "the twin counts as screened out");
                    self.note(&place, ReportList::Changed, LossCode::EndOfSurvey, LossSeverity::Note, was, now);
                }
                let options = node.get("Options").unwrap_or(&Value::Null);
                if !text_of(options.get("EOSRedirectURL")).is_empty() || !text_of(options.get("EOSMessage")).is_empty()
                {
                    let was = "an end with an address or a message of its own";
                    self.lost(LossCode::EndOfSurvey, LossSeverity::Note, was, "an end");
                }
                vec![Node::End(End { end })]
            }
            kind @ ("WebService" | "Authenticator" | "Quota" | "QuotaCheck" | "ReferenceSurvey" | "TableOfContents"
            | "Conjoint" | "SupplementalData") => {
                let fields = Self::filled_by(node);
                let was = format!("a node {kind}");
                if fields.is_empty() {
                    self.lost(LossCode::Flow, LossSeverity::Warning, &was, "what stands below it");
                } else {
                    let was = format!("{was}, which fills {}", fields.join(", "));
                    self.lost(LossCode::Flow, LossSeverity::Warning, &was, "nothing: give a table or a set");
                }
                self.nodes(&children(node), is_in_branch, depth + 1)
            }
            "" if children(node).is_empty() => Vec::new(),
            other => {
                self.lost(LossCode::Flow, LossSeverity::Warning, &format!("a node {other:?}"), "what stands below it");
                self.nodes(&children(node), is_in_branch, depth + 1)
            }
        }
    }

    fn lost(&mut self, code: LossCode, severity: LossSeverity, was: &str, now: &str) {
        self.note(&TextPlace::default(), ReportList::Lost, code, severity, was, now);
    }

    fn random(&mut self, node: &Value, is_in_branch: bool, depth: usize) -> Vec<Node> {
        let name = self.nodes.name(&text_of(node.get("FlowID")), "random");
        let mut arms: Vec<Arm> = Vec::new();
        let mut labels = UniqueLabels::default();
        let children = children(node);
        for (child, label) in children.iter().zip(self.arm_labels(&children)) {
            let flow = self.node(child, is_in_branch, depth + 1);
            let arm = labels.free(&label, |number| format!("{label} ({number})"));
            let (import_id, import_name) = (flow_id(child), self.full_description(child));
            arms.push(Arm { arm, import_id, import_name, weight: None, flow });
        }
        if arms.is_empty() {
            return Vec::new();
        }
        let place = TextPlace { name: Some(&name), ..TextPlace::default() };
        let size = number_of(node.get("SubSet")).and_then(whole).and_then(|size| usize::try_from(size).ok());
        let take = size.unwrap_or(arms.len()).min(arms.len());
        let is_even = is_true(node.get("EvenPresentation"))
            || text_of(node.pointer("/RandomizerOptions/Randomization")) == "Evenly";
        if take < arms.len() && !is_even {
            self.note(
                &place,
                ReportList::Changed,
                LossCode::MadeEven,
                LossSeverity::Note,
                "plain draws",
                "balanced: dealt evenly",
            );
        }
        if take == arms.len() {
            self.offer_latin(&name, take);
        }
        let (take, order) = (u32::try_from(take).ok(), Some(Order::Random));
        vec![Node::Random(Random { name, import_id: flow_id(node), take, order, strata: None, of: arms })]
    }

    /// Reports that a random order can be replaced by a balanced one.
    fn offer_latin(&mut self, node: &str, arms: usize) {
        if !(2..=williams::MAX_ITEMS).contains(&arms) {
            return;
        }
        let place = TextPlace { name: Some(node), ..TextPlace::default() };
        let was = "all elements, in random order";
        let now = "the same, as the file has it; for orders that are balanced over twins choose \"Balanced orders (Latin \
                   square)\" in the flow, or write \"order\": \"latin\" into the survey's file";
        self.note(&place, ReportList::Changed, LossCode::RandomOrder, LossSeverity::Note, was, now);
    }

    /// Returns the names of a randomiser's children: the first description in it that no other child has, or else what the
    /// fields say that it sets, or its id.
    fn arm_labels(&self, children: &[&Value]) -> Vec<String> {
        let described: Vec<Option<String>> =
            children.iter().map(|child| first_below(child, 1, &|node| self.description(node))).collect();
        let mut uses: HashMap<&str, usize> = HashMap::new();
        described.iter().flatten().for_each(|description| *uses.entry(description).or_default() += 1);
        let by_fields = arm_fields::labels(children);
        let arm_label = |(place, child): (usize, &&Value)| {
            let description = described.get(place).cloned().flatten();
            let alone = description.clone().filter(|description| uses.get(description.as_str()) == Some(&1));
            let by_field = || by_fields.as_ref().and_then(|labels| labels.get(place)).cloned();
            let given = alone.or_else(by_field).or_else(|| first_below(child, 1, &given_text)).or(description);
            given.unwrap_or_else(|| flow_id(child).map_or_else(|| "arm".to_owned(), |id| label(&id)))
        };
        children.iter().enumerate().map(arm_label).collect()
    }

    /// Returns the name that Qualtrics' files have for a child of a randomiser, besides its id.
    fn full_description(&self, node: &Value) -> Option<String> {
        let block = self.file.block(&text_of(node.get("ID"))).filter(|_| is_block(node));
        let described = block.map_or_else(|| text_of(node.get("Description")), |block| block.description.clone());
        Some(described.trim().to_owned()).filter(|name| !["", "Untitled Group", "New Branch"].contains(&name.as_str()))
    }

    /// Returns the description that the file's author gave the node.
    fn description(&self, node: &Value) -> Option<String> {
        let described = if is_block(node) {
            self.file.block(&text_of(node.get("ID"))).map(|block| block.description.clone()).unwrap_or_default()
        } else {
            text_of(node.get("Description"))
        };
        // The editor's default texts are no descriptions.
        Some(label(&described)).filter(|label| !["", "Untitled Group", "New Branch"].contains(&label.as_str()))
    }

    fn set(&mut self, node: &Value) -> Vec<Node> {
        let mut done: Vec<Node> = Vec::new();
        let mut nodes: Vec<Set> = Vec::new();
        for (_, field) in listed(node.get("EmbeddedData")) {
            let (name, value) = (text_of(field.get("Field")), text_of(field.get("Value")));
            let Some(legal) = self.fields.get(&name).map(str::to_owned).filter(|_| !value.is_empty()) else {
                let place = TextPlace { name: Some(&name), ..TextPlace::default() };
                let (was, now) = ("a field without a value, filled from outside", "nothing");
                self.note(&place, ReportList::Dropped, LossCode::EmptyField, LossSeverity::Note, was, now);
                continue;
            };
            let place = TextPlace { name: Some(&legal), ..TextPlace::default() };
            if let Some(numbers) = drawn_number(&value) {
                done.extend(nodes.drain(..).map(Node::Set));
                done.push(self.drawn(&legal, numbers, &place));
                continue;
            }
            let value = self.text(&value, &place);
            // Fields are set in order, because a later one may read or replace an earlier one.
            let template = Template::parse(&value);
            let reads = |set: &Set| {
                let is_read = |left: &Left| matches!(left, Left::Field(name) if set.set.contains_key(name));
                set.set.contains_key(&legal) || template.reads().any(is_read)
            };
            match nodes.last_mut() {
                Some(set) if !reads(set) => {
                    set.set.insert(legal, value);
                }
                _ => nodes.push(Set { set: BTreeMap::from([(legal, value)]) }),
            }
        }
        done.extend(nodes.into_iter().map(Node::Set));
        done
    }

    fn block(&mut self, id: &str) -> Vec<Node> {
        let file = self.file;
        let Some(block) = file.block(id).filter(|block| !block.is_trash) else {
            self.lost(
                LossCode::Flow,
                LossSeverity::Warning,
                &format!("a block {id:?} that is not in the file"),
                "nothing",
            );
            return Vec::new();
        };
        let name = self.block_name(block);
        if block.elements.is_empty() && !["", "Standard", "Default"].contains(&block.kind.as_str()) {
            let was = format!("a block of kind {:?}, whose questions are not in the file: {name}", block.kind);
            self.lost(LossCode::Flow, LossSeverity::Warning, &was, "nothing");
        }
        let flow = self.elements(&block.elements, block, &name, 1);
        if flow.is_empty() || !loops::is_looped(block) {
            return flow;
        }
        self.looped(block, flow, &TextPlace { name: Some(&name), ..TextPlace::default() })
    }

    /// Returns the questions of a block, with the skips between them.
    fn elements(&mut self, elements: &[Value], block: &FileBlock, name: &str, number: usize) -> Vec<Node> {
        let mut questions: Vec<String> = Vec::new();
        let mut nodes = Vec::new();
        for (at, element) in elements.iter().enumerate() {
            let Some(qid) = question_of(element) else {
                let kind = text_of(element.get("Type"));
                if !["Page Break", "Question", ""].contains(&kind.as_str()) {
                    let was = format!("{kind:?} in the block {name}");
                    self.lost(LossCode::Flow, LossSeverity::Warning, &was, "nothing");
                }
                continue;
            };
            if self.file.question(&qid).is_none() {
                let was = format!("a question {qid}, which is not in the file, in the block {name}");
                self.lost(LossCode::Flow, LossSeverity::Warning, &was, "nothing");
            }
            questions.extend(self.parts.get(&qid).into_iter().flatten().map(|part| part.name.clone()));
            let rules = listed(element.get("SkipLogic"));
            if rules.is_empty() {
                continue;
            }
            nodes.extend(self.asked(std::mem::take(&mut questions), block, name, number + nodes.len()));
            let rest = elements.get(at + 1..).unwrap_or_default();
            let place = TextPlace { qid: Some(&qid), ..TextPlace::default() };
            for (_, rule) in &rules {
                let condition = self.skip(rule, &place);
                let target = text_of(rule.get("SkipToDestination"));
                match target.as_str() {
                    "ENDOFSURVEY" => {
                        let (was, now) = ("a skip to the end of the survey", "the twin counts as screened out");
                        self.note(&place, ReportList::Changed, LossCode::EndOfSurvey, LossSeverity::Note, was, now);
                        let then = vec![Node::End(End { end: Ending::ScreenedOut })];
                        nodes.push(Node::If(If { condition, then, otherwise: None }));
                    }
                    // Of several rules the first counts: the others are about the answers that it leaves.
                    "ENDOFBLOCK" if rest.is_empty() => {}
                    target => {
                        let to = rest.iter().position(|element| question_of(element).as_deref() == Some(target));
                        if to.is_none() && target != "ENDOFBLOCK" {
                            self.note(
                                &place,
                                ReportList::Lost,
                                LossCode::SkipLogic,
                                LossSeverity::Warning,
                                &format!("a skip to {target}"),
                                "nothing is skipped",
                            );
                            continue;
                        }
                        if rules.len() > 1 {
                            self.note(
                                &place,
                                ReportList::Lost,
                                LossCode::SkipLogic,
                                LossSeverity::Warning,
                                "several skips of one question",
                                "the first one that is not to the end",
                            );
                        }
                        let (between, after) = rest.split_at(to.unwrap_or(rest.len()));
                        let then = self.elements(between, block, name, number + nodes.len());
                        if !then.is_empty() {
                            let condition = Condition::Not(Box::new(condition));
                            nodes.push(Node::If(If { condition, then, otherwise: None }));
                        }
                        let number = number + nodes.len();
                        nodes.extend(self.elements(after, block, name, number));
                        return nodes;
                    }
                }
            }
        }
        nodes.extend(self.asked(questions, block, name, number + nodes.len()));
        nodes
    }

    /// Returns a block of the design. A block that is cut by skips becomes several.
    fn asked(&mut self, questions: Vec<String>, block: &FileBlock, name: &str, number: usize) -> Option<Node> {
        if questions.is_empty() {
            return None;
        }
        let place = TextPlace { name: Some(name), ..TextPlace::default() };
        let word = text_of(block.options.get("RandomizeQuestions"));
        let advanced = block.options.pointer("/Randomization/Advanced");
        let order = match word.as_str() {
            "" | "false" | "None" => None,
            _ => Some(Order::Random),
        };
        let fixed = advanced.map(|advanced| listed(advanced.get("FixedOrder"))).unwrap_or_default();
        let fixed = fixed.into_iter().filter_map(|(_, qid)| self.parts.get(&text_of(Some(qid)))).flatten();
        let pin: Vec<String> = fixed.map(|part| part.name.clone()).filter(|name| questions.contains(name)).collect();
        let subset = advanced.and_then(|advanced| number_of(advanced.get("TotalRandSubset"))).and_then(whole);
        if let Some(size) = subset.filter(|_| order.is_some() && pin.is_empty() && number == 1)
            && let Some(drawn) = self.some_of(&questions, size, block, name)
        {
            return Some(drawn);
        }
        if word == "RandomWithOnlyX" || (order.is_some() && subset.is_some()) {
            self.note(
                &place,
                ReportList::Lost,
                LossCode::QuestionSubset,
                LossSeverity::Warning,
                "some of the questions, drawn",
                "all of them",
            );
        }
        let is_all_pinned = questions.iter().all(|name| pin.contains(name));
        let order = order.filter(|_| questions.len() > 1 && !is_all_pinned);
        let pin = (order.is_some() && !pin.is_empty()).then_some(pin);
        let name = if number == 1 { name.to_owned() } else { format!("{name} ({number})") };
        Some(Node::Block(Block { name, questions, order, pin }))
    }

    /// Returns the name of a block, which is the same for the same block.
    fn block_name(&mut self, block: &FileBlock) -> String {
        if let Some(name) = self.labels.get(&block.id) {
            return name.clone();
        }
        let described = label(&block.description);
        let base = if described.is_empty() { label(&block.id) } else { described };
        let name = self.taken.free(&base, |number| format!("{base} [{number}]"));
        self.labels.insert(block.id.clone(), name.clone());
        name
    }
}

/// Returns the FlowID of a node.
fn flow_id(node: &Value) -> Option<String> {
    Some(text_of(node.get("FlowID"))).filter(|id| !id.is_empty())
}

/// Returns the first value that `read` finds in the node or below it.
fn first_below(node: &Value, depth: usize, read: &dyn Fn(&Value) -> Option<String>) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    read(node).or_else(|| children(node).into_iter().find_map(|child| first_below(child, depth + 1, read)))
}

/// Returns, as a label, the first text that the node sets a field to and that is the same for everybody.
fn given_text(node: &Value) -> Option<String> {
    let values = listed(node.get("EmbeddedData")).into_iter().map(|(_, field)| text_of(field.get("Value")));
    values.filter(|value| !value.contains("${")).map(|value| short_label(&value)).find(|value| !value.is_empty())
}
