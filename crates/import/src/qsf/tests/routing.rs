//! Compares what twins are asked with a second reading of the studies' files, which follows Qualtrics' flow itself and
//! uses neither the importer nor the walk.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::sync::Arc;

use regex::Regex;
use survey::answer::Answer;
use survey::assign::assign;
use survey::plan::Plan;
use survey::rehearsal::{invented, rehearse};
use survey::twin::Twin;
use survey::walk::{CallScope, OptionOrder, StageParameters};

use super::responses::{ImportedStudy, random};
use super::studies::{StudyFolder, invented_study, published_studies};
use super::*;

const TWINS: i32 = 500;

/// A question and the turn of its loop, 1-based; 0 outside of loops.
type Asked = (usize, String);

/// The answer of one twin: ids of chosen choices, or a text.
#[derive(Default)]
struct Said {
    choices: BTreeSet<String>,
    text: String,
}

/// Follows the flow of a file for one twin.
struct Follower<'a> {
    blocks: Vec<&'a Value>,
    questions: HashMap<&'a str, &'a Value>,
    /// Children of each random node in the order dealt.
    dealt: &'a HashMap<String, Vec<usize>>,
    said: &'a HashMap<Asked, Said>,
    fields: HashMap<String, String>,
    asked: BTreeSet<Asked>,
}

impl<'a> Follower<'a> {
    fn new(file: &'a Value, dealt: &'a HashMap<String, Vec<usize>>, said: &'a HashMap<Asked, Said>) -> Self {
        let elements = || file["SurveyElements"].as_array().unwrap().iter();
        let of_kind = |kind: &'static str| elements().filter(move |element| element["Element"] == kind);
        let blocks = of_kind("BL").flat_map(|element| each(&element["Payload"])).collect();
        let questions =
            of_kind("SQ").map(|element| (element["PrimaryAttribute"].as_str().unwrap(), &element["Payload"]));
        let questions = questions.collect();
        Self { blocks, questions, dealt, said, fields: HashMap::new(), asked: BTreeSet::new() }
    }

    /// Follows a node. Returns whether the survey goes on after it.
    fn follow(&mut self, node: &'a Value) -> bool {
        let children = || each(&node["Flow"]).into_iter();
        match node["Type"].as_str().unwrap_or_default() {
            "Standard" | "Block" => {
                let block = self.blocks.iter().find(|block| block["ID"] == node["ID"]).unwrap();
                self.block(block);
                true
            }
            "EmbeddedData" => {
                for field in each(&node["EmbeddedData"]) {
                    if let Some(value) = field["Value"].as_str().filter(|value| !value.is_empty()) {
                        self.fields.insert(field["Field"].as_str().unwrap().to_owned(), value.to_owned());
                    }
                }
                true
            }
            "BlockRandomizer" => {
                let dealt = self.dealt[node["FlowID"].as_str().unwrap()].clone();
                let children: Vec<&Value> = children().collect();
                dealt.into_iter().all(|child| self.follow(children[child]))
            }
            "Branch" => !self.holds(&node["BranchLogic"], 0) || children().all(|child| self.follow(child)),
            "EndSurvey" => false,
            _ => children().all(|child| self.follow(child)),
        }
    }

    fn block(&mut self, block: &'a Value) {
        let rows = each(&block["Options"]["LoopingOptions"]["Static"]).len();
        let loops = block["Options"]["Looping"] == "Static" && rows > 0;
        let turns = if loops { 1..=rows } else { 0..=0 };
        for turn in turns {
            for element in each(&block["BlockElements"]) {
                let Some((qid, question)) =
                    element["QuestionID"].as_str().and_then(|qid| Some((qid, *self.questions.get(qid)?)))
                else {
                    continue;
                };
                let is_silent =
                    ["DB", "Timing", "Meta", "Captcha"].contains(&question["QuestionType"].as_str().unwrap());
                if !is_silent && self.holds(&question["DisplayLogic"], turn) {
                    self.asked.insert((turn, qid.to_owned()));
                }
            }
        }
    }

    /// Evaluates groups of expressions. Missing logic is true.
    fn holds(&self, logic: &Value, turn: usize) -> bool {
        let groups = numbered(logic);
        let of_group = |group: &Value| {
            joined(numbered(group).into_iter().map(|expression| {
                let word = expression["Conjuction"].as_str().unwrap_or_default();
                (word.contains("Or"), self.expression(expression, turn))
            }))
        };
        joined(groups.into_iter().map(|group| {
            let word = group["Type"].as_str().unwrap_or_default();
            (["OrIf", "ElseIf"].contains(&word), of_group(group))
        }))
    }

    fn expression(&self, expression: &Value, turn: usize) -> bool {
        let text = |name: &str| expression[name].as_str().unwrap_or_default();
        let right = text("RightOperand");
        if text("LogicType") == "EmbeddedField" {
            let value = self.fields.get(text("LeftOperand")).map_or("", String::as_str);
            return match text("Operator") {
                "EqualTo" => value == right,
                "MatchesRegex" => Regex::new(right).unwrap().is_match(value),
                other => panic!("no study has {other}"),
            };
        }
        let place = text("LeftOperand").strip_prefix("q://").unwrap();
        let (qid, what) = place.split_once('/').unwrap();
        let asked = [(turn, qid.to_owned()), (0, qid.to_owned())].into_iter().find(|asked| self.asked.contains(asked));
        let said = asked.and_then(|asked| self.said.get(&asked));
        let is_chosen = |choice: &str| said.is_some_and(|said| said.choices.contains(choice));
        match (text("Operator"), what.split_once('/')) {
            ("Selected", Some((_, choice))) => is_chosen(choice),
            ("NotSelected", Some((_, choice))) => !is_chosen(choice),
            ("DoesNotContain", None) => !said.is_some_and(|said| said.text.contains(right)),
            (other, _) => panic!("no study has {other}"),
        }
    }
}

/// The elements of a list, or of an object that stands for one.
fn each(list: &Value) -> Vec<&Value> {
    match list {
        Value::Array(list) => list.iter().collect(),
        Value::Object(list) => list.values().collect(),
        _ => Vec::new(),
    }
}

/// Returns the values of the keys 0, 1, 2 and so on.
fn numbered(object: &Value) -> Vec<&Value> {
    (0..).map_while(|number: usize| object.get(number.to_string())).collect()
}

/// Joins from the left. The first joint is ignored, and no parts are true.
fn joined(parts: impl Iterator<Item = (bool, bool)>) -> bool {
    parts
        .reduce(|(_, so_far), (or, holds)| (or, if or { so_far || holds } else { so_far && holds }))
        .is_none_or(|(_, holds)| holds)
}

#[test]
fn five_hundred_twins_of_the_invented_study_are_asked_what_a_second_reading_of_its_flow_says() {
    are_asked_what_a_second_reading_says(&invented_study());
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn five_hundred_twins_of_the_published_studies_are_asked_what_a_second_reading_of_their_flow_says() {
    are_asked_what_a_second_reading_says(&published_studies());
}

fn are_asked_what_a_second_reading_says(studies: &[StudyFolder]) {
    for (name, path) in studies {
        let bytes = fs::read(path.join("survey.qsf")).unwrap();
        let raw: Value = serde_json::from_slice(&bytes).unwrap();
        let elements = raw["SurveyElements"].as_array().unwrap();
        let flow = &elements.iter().find(|element| element["Element"] == "FL").unwrap()["Payload"];
        let study = ImportedStudy::import(&bytes);
        let plan = Plan::new(&study.document.design, &study.document.items).unwrap().numbered();
        let twins: Vec<Twin> = (1..=TWINS).map(|id| Twin { id, ..Twin::default() }).collect();
        let parameters = StageParameters {
            seed: 11,
            questions_per_call: 10,
            call_scope: CallScope::Chunk,
            option_order: OptionOrder::AsWritten,
        };
        let mut dealt_so_far: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
        for (twin, assignment) in twins.iter().zip(assign(&plan, 11, &twins).unwrap()) {
            let mut said: HashMap<Asked, Said> = HashMap::new();
            let rehearsal = rehearse(&plan, twin, &assignment, parameters, |item, shown| {
                let answer = invented(item, shown, twin, 11);
                let (asked, _) = study.place(item);
                let options = study.options.get(&asked.1).into_iter().flatten();
                let said = said.entry(asked.clone()).or_default();
                let chosen: Vec<&str> = match &answer {
                    Some(Answer::Choices(several)) => several.iter().map(String::as_str).collect(),
                    Some(Answer::Choice(text) | Answer::Text(text)) => vec![text],
                    _ => Vec::new(),
                };
                said.text = chosen.join(" ");
                let texts = shown.question.options.iter().zip(options.clone());
                said.choices
                    .extend(texts.filter(|(text, _)| chosen.contains(&text.as_str())).map(|(_, of)| of.id.clone()));
                if answer == Some(Answer::YesNo(true)) {
                    said.choices.extend(options.map(|of| of.id.clone()));
                }
                answer
            });
            let mut dealt: HashMap<String, Vec<usize>> = HashMap::new();
            for node in study.children.keys() {
                let name = super::super::names::legal(node, "random");
                let (Some(arms), Some(random)) =
                    (assignment.arms.get(&*name), random(&study.document.design.flow, &name))
                else {
                    continue;
                };
                let place = |arm: &Arc<str>| random.of.iter().position(|one| *one.arm == **arm).unwrap();
                dealt.insert(node.clone(), arms.iter().map(place).collect());
                if random.take == Some(1) {
                    let counts = dealt_so_far
                        .entry(name.clone())
                        .or_insert_with(|| random.of.iter().map(|arm| (arm.arm.clone(), 0)).collect());
                    *counts.get_mut(&*arms[0]).unwrap() += 1;
                    let (least, most) = (counts.values().min().unwrap(), counts.values().max().unwrap());
                    assert!(most - least <= 1, "{name}: after twin {}: {counts:?}", twin.id);
                }
            }
            let mut follower = Follower::new(&raw, &dealt, &said);
            follower.follow(flow);
            let asked = rehearsal.asked.iter().map(|asked| &plan.items[asked.shown.item]);
            let asked: BTreeSet<Asked> =
                asked.filter(|item| item.is_request()).map(|item| study.place(item).0).collect();
            assert_eq!(asked, follower.asked, "{name}: twin {}", twin.id);
        }
    }
}
