//! Replays people's own answers through the imported flow: with their arms and answers it shows them what they were
//! shown. The answers are in the folders of the studies.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;

use survey::answer::{Answer, AnswerShape};
use survey::assign::{Assignment, assign};
use survey::flow::{Node, Random};
use survey::plan::Plan;
use survey::question::QuestionType;
use survey::rehearsal::rehearse;
use survey::twin::Twin;
use survey::walk::{CallScope, OptionOrder, ShownQuestion, StageParameters};

use super::super::file::{QsfFile, children, is_block, text_of};
use super::super::names::legal;
use super::super::shapes::QuestionPart;
use super::super::{FileChoice, Importer};
use super::studies::{StudyFolder, invented_study, published_studies};
use super::*;

/// The cells of one question that are not empty, by the subject of their column: a choice, a row, `TEXT`, or nothing.
type Cells = BTreeMap<String, String>;

/// The subjects of the columns of each question, in a turn of its loop (1-based) or in none.
type Published = HashMap<(usize, String), BTreeSet<String>>;

/// One person's row, by question (with the turn of its loop, 1-based, or 0) and by random node.
#[derive(Default)]
struct Person {
    cells: HashMap<(usize, String), Cells>,
    /// Children of each random node, by the order in which they were shown.
    dealt: BTreeMap<String, BTreeMap<u32, String>>,
}

/// Reads the subjects of columns, by question, and the people. The file has a row of names, one of texts and one of
/// ids, then one for each person.
fn people(csv: &[u8]) -> (Published, Vec<Person>) {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(csv);
    let rows: Vec<Vec<String>> =
        (reader.records()).map(|row| row.unwrap().iter().map(|cell| cell.trim().to_owned()).collect()).collect();
    let columns: Vec<Option<Column>> = rows[2].iter().map(|id| Column::parse(id)).collect();
    let mut published = Published::new();
    for column in columns.iter().flatten() {
        if let Column::Answer { turn, qid, about } = column {
            published.entry((*turn, qid.clone())).or_default().insert(about.clone());
        }
    }
    let person = |row: &Vec<String>| {
        let mut person = Person::default();
        for (column, cell) in columns.iter().zip(row).filter(|(_, cell)| !cell.is_empty()) {
            match column {
                Some(Column::Answer { turn, qid, about }) => {
                    let cells = person.cells.entry((*turn, qid.clone())).or_default();
                    cells.insert(about.clone(), cell.clone());
                }
                Some(Column::Dealt { node, child }) => {
                    let place = cell.parse().unwrap();
                    person.dealt.entry(node.clone()).or_default().insert(place, child.clone());
                }
                None => {}
            }
        }
        person
    };
    (published, rows[3..].iter().map(person).collect())
}

enum Column {
    Answer { turn: usize, qid: String, about: String },
    Dealt { node: String, child: String },
}

impl Column {
    /// Parses `{"ImportId":"1_QID16_6_TEXT"}`, `{"ImportId":"QID7","choiceId":"2"}` or
    /// `{"ImportId":"FL_4_DO","choiceId":"FL_28"}`.
    fn parse(id: &str) -> Option<Self> {
        let id: Value = serde_json::from_str(id).ok()?;
        let choice = text_of(id.get("choiceId"));
        let id = text_of(id.get("ImportId"));
        if let Some(node) = id.strip_suffix("_DO") {
            let is_node = node.starts_with("FL_") && !choice.is_empty();
            return is_node.then(|| Self::Dealt { node: node.to_owned(), child: choice });
        }
        let (turn, rest) = match id.split_once("_QID") {
            Some((turn, rest)) => (turn.parse().ok()?, rest.to_owned()),
            None => (0, id.strip_prefix("QID")?.to_owned()),
        };
        let (number, about) = rest.split_once('_').unwrap_or((&rest, ""));
        let is_about_time = ["FIRST_CLICK", "LAST_CLICK", "PAGE_SUBMIT", "CLICK_COUNT"].contains(&about);
        let about = if choice.is_empty() { about.to_owned() } else { choice };
        (!is_about_time).then(|| Self::Answer { turn, qid: format!("QID{number}"), about })
    }
}

/// An imported study, with the sources of its questions and arms.
pub struct ImportedStudy {
    pub document: Document,
    /// The question of the file, by the name of the question.
    sources: HashMap<String, (String, QuestionPart)>,
    pub options: HashMap<String, Vec<FileChoice>>,
    rows: HashMap<String, Vec<FileChoice>>,
    /// Questions that must be answered.
    forced: BTreeSet<String>,
    /// Children of a random node as the columns name them, by the id of the node.
    pub children: HashMap<String, Vec<String>>,
}

impl ImportedStudy {
    pub fn import(bytes: &[u8]) -> Self {
        let file = QsfFile::read(&serde_json::from_slice(bytes).unwrap()).unwrap();
        let mut importer = Importer::new(&file);
        importer.name_questions();
        let parts = importer.parts.clone();
        importer.find_fields(&file.flow, 0);
        importer.build_questions();
        let (options, rows) = (importer.options.clone(), importer.rows.clone());
        let sources = parts
            .into_iter()
            .flat_map(|(qid, parts)| parts.into_iter().map(move |part| (part.name.clone(), (qid.clone(), part))));
        let mut study = Self {
            document: imported(bytes).document,
            sources: sources.collect(),
            options,
            rows,
            forced: file
                .questions
                .iter()
                .filter(|(_, payload)| is_forced(payload))
                .map(|(qid, _)| qid.clone())
                .collect(),
            children: HashMap::new(),
        };
        study.find_children(&file, &file.flow);
        study
    }

    fn find_children(&mut self, file: &QsfFile, node: &Value) {
        if text_of(node.get("Type")) == "BlockRandomizer" {
            let name = |child: &Value| {
                if !is_block(child) {
                    return text_of(child.get("FlowID"));
                }
                let described = file.block(&text_of(child.get("ID"))).map(|block| block.description.clone());
                described.unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect()
            };
            self.children.insert(text_of(node.get("FlowID")), children(node).into_iter().map(name).collect());
        }
        children(node).into_iter().for_each(|child| self.find_children(file, child));
    }

    /// Sets the arms that a person was dealt, by their names in the design.
    fn arms(&self, person: &Person, assignment: &mut Assignment) {
        for (node, dealt) in &person.dealt {
            let name = legal(node, "random");
            let Some(random) = random(&self.document.design.flow, &name) else { continue };
            let children = &self.children[node];
            let arm = |child: &String| {
                let place = children.iter().position(|name| name == child).unwrap_or_else(|| panic!("{node}: {child}"));
                random.of[place].arm.as_str().into()
            };
            assignment.arms.insert(name.into(), dealt.values().map(arm).collect());
        }
    }

    /// Returns the cells of a question of the plan.
    fn cells<'p>(&self, person: &'p Person, item: &Item) -> Option<(&'p Cells, &QuestionPart)> {
        let (place, part) = self.place(item);
        Some((person.cells.get(&place)?, part))
    }

    /// Returns the question of the file for a question of the plan, with the turn of its loop.
    pub fn place(&self, item: &Item) -> ((usize, String), &QuestionPart) {
        let (name, turn) = item.name().split_once('#').unwrap_or((item.name(), "0"));
        let (qid, part) = &self.sources[name];
        ((turn.parse().unwrap(), qid.clone()), part)
    }

    /// Returns why a question that is shown has no answer.
    fn cause(&self, item: &Item, published: &Published) -> Cause {
        let (place, _) = self.place(item);
        let options = self.options.get(&place.1).into_iter().flatten();
        if item.kind() == QuestionType::MultipleChoice
            && options.into_iter().any(|option| !published[&place].contains(&option.id))
        {
            return Cause::UnpublishedOption;
        }
        if self.forced.contains(&place.1) { Cause::Flow } else { Cause::NotForced }
    }

    /// Returns the person's answer. `None` if there is none.
    fn answer(&self, person: &Person, item: &Item, shown: &ShownQuestion) -> Option<Answer> {
        let (cells, part) = self.cells(person, item)?;
        let ((_, qid), question) = (self.place(item).0, &shown.question);
        let choices = question.choices();
        let by_code = |code: &String| {
            let code: i64 = code.parse().ok()?;
            let codes = item.logic.codes.clone().unwrap_or_else(|| (1..=choices.len() as i64).collect());
            choices.get(codes.iter().position(|one| *one == code)?).cloned()
        };
        let ids = |lists: &HashMap<String, Vec<FileChoice>>| -> Vec<String> {
            lists.get(&qid).into_iter().flatten().map(|choice| choice.id.clone()).collect()
        };
        let chosen = |texts: &[String], ids: &[String]| -> Vec<(String, String)> {
            let given = texts.iter().zip(ids).filter_map(|(text, id)| Some((text.clone(), cells.get(id)?.clone())));
            given.collect()
        };
        let plain = part.choice.as_ref().map_or_else(
            || cells.get("").or_else(|| cells.get("TEXT")),
            |choice| cells.get(choice).or_else(|| cells.get(&format!("{choice}_TEXT"))),
        );
        Some(match question.shape()? {
            AnswerShape::Choice => Answer::Choice(plain.and_then(by_code)?),
            AnswerShape::YesNo => Answer::YesNo(plain.is_some() || !cells.is_empty()),
            AnswerShape::Choices => {
                Answer::Choices(chosen(choices, &ids(&self.options)).into_iter().map(|(text, _)| text).collect())
            }
            AnswerShape::Labels => {
                let rows = chosen(&question.sub_questions, &ids(&self.rows));
                Answer::Labels(rows.into_iter().filter_map(|(row, code)| Some((row, by_code(&code)?))).collect())
            }
            AnswerShape::Number => Answer::Number(plain.and_then(|cell| cell.parse().ok())?),
            AnswerShape::Text => Answer::Text(plain?.clone()),
            shape => panic!("{shape:?}: no study has one"),
        })
    }
}

fn is_forced(payload: &Value) -> bool {
    payload.pointer("/Validation/Settings/ForceResponse").is_some_and(|forced| text_of(Some(forced)) == "ON")
}

/// Finds the random node with this name.
pub fn random<'d>(nodes: &'d [Node], name: &str) -> Option<&'d Random> {
    nodes.iter().find_map(|node| match node {
        Node::Random(found) if found.name == name => Some(found),
        Node::Random(other) => other.of.iter().find_map(|arm| random(&arm.flow, name)),
        Node::If(branch) => random(&branch.then, name)
            .or_else(|| branch.otherwise.as_deref().and_then(|otherwise| random(otherwise, name))),
        Node::Loop(turns) => random(&turns.flow, name),
        Node::Group(nodes) => random(nodes, name),
        Node::Block(_) | Node::Set(_) | Node::End(_) => None,
    })
}

/// Reasons why a person has no answer to a question that the flow shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cause {
    /// The file permits leaving it out.
    NotForced,
    /// The published answers have no column for one of its options.
    UnpublishedOption,
    /// The flow differs from the one that people went through.
    Flow,
}

/// A question, why it was left out, and by how many people.
type LeftOut = (&'static str, Cause, usize);

/// The people of each study, and the answers that are missing. Everybody else has answers to exactly what the flow
/// shows.
const LEFT_OUT: [(&str, usize, &[LeftOut]); 7] = [
    ("corner_cafe", 24, &[("quit_why", Cause::NotForced, 1)]),
    ("affective_priming", 1_000, &[("g_writing", Cause::NotForced, 2)]),
    ("consumer_minimalism", 200, &[]),
    ("junk_fees", 400, &[]),
    ("privacy", 1_200, &[]),
    (
        "recommendation_algorithms",
        598,
        &[
            ("Q16#1", Cause::UnpublishedOption, 34),
            ("Q16#2", Cause::UnpublishedOption, 9),
            ("Q18#1", Cause::UnpublishedOption, 178),
            ("Q18#2", Cause::UnpublishedOption, 81),
        ],
    ),
    ("targeting_fairness", 357, &[("comments", Cause::NotForced, 230)]),
];

#[test]
fn people_of_the_invented_study_are_shown_by_the_flow_what_they_answered() {
    are_shown_what_they_answered(&invented_study());
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn people_of_the_published_studies_are_shown_by_the_flow_what_they_answered() {
    are_shown_what_they_answered(&published_studies());
}

fn are_shown_what_they_answered(studies: &[StudyFolder]) {
    for (name, path) in studies {
        let csv = fs::read(path.join("response.csv")).unwrap();
        let study = ImportedStudy::import(&fs::read(path.join("survey.qsf")).unwrap());
        let (published, people) = people(&csv);
        let plan = Plan::new(&study.document.design, &study.document.items).unwrap().numbered();
        let twins: Vec<Twin> = (1..).map(|id| Twin { id, ..Twin::default() }).take(people.len()).collect();
        let parameters = StageParameters {
            seed: 1,
            questions_per_call: 10,
            call_scope: CallScope::Chunk,
            option_order: OptionOrder::AsWritten,
        };
        let mut left_out: BTreeMap<(String, Cause), usize> = BTreeMap::new();
        let mut astray = BTreeSet::new();
        let assignments = assign(&plan, 1, &twins).unwrap();
        for ((person, twin), mut assignment) in people.iter().zip(&twins).zip(assignments) {
            study.arms(person, &mut assignment);
            let answer = |item: &Item, shown: &ShownQuestion| study.answer(person, item, shown);
            let rehearsal = rehearse(&plan, twin, &assignment, parameters, answer);
            assert!(rehearsal.progress.stage.is_none(), "{name}: {} is not done", twin.id);
            let is_published = |item: &&Item| item.is_request() && published.contains_key(&study.place(item).0);
            let answered: BTreeSet<&str> = (plan.items.iter().filter(is_published))
                .filter(|item| study.cells(person, item).is_some())
                .map(Item::name)
                .collect();
            let asked = rehearsal.asked.iter().map(|asked| &plan.items[asked.shown.item]);
            let shown: Vec<&Item> = asked.filter(is_published).collect();
            let names: BTreeSet<&str> = shown.iter().map(|item| item.name()).collect();
            if answered.difference(&names).next().is_some() {
                astray.insert(twin.id);
            }
            for item in shown.into_iter().filter(|item| !answered.contains(item.name())) {
                let cause = study.cause(item, &published);
                if cause == Cause::Flow {
                    astray.insert(twin.id);
                }
                *left_out.entry((item.name().to_owned(), cause)).or_default() += 1;
            }
        }
        assert!(astray.len() * 100 <= people.len(), "{name}: {} of {} went astray", astray.len(), people.len());
        if let Some((_, count, expected)) = LEFT_OUT.iter().find(|(known, ..)| known == name) {
            let left_out: Vec<_> =
                left_out.iter().map(|((item, cause), count)| (item.as_str(), *cause, *count)).collect();
            assert_eq!((people.len(), left_out.as_slice(), astray.len()), (*count, *expected, 0), "{name}");
        }
    }
}
