//! The columns of a run's table as Qualtrics exports its own responses, so that scripts for those files read twins: three heads
//! (name, text, import id), recode values or the texts of choices, orders of random nodes, and fields.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use export::table::{Cell, Form, Values};
use serde_json::{Value, json};
use survey::answer::{Parts, ValueKind};
use survey::assign::Assignment;
use survey::flow::{Arm, Design, Node, Random, all_nodes};
use survey::question::Question;

use super::{AnswerSource, Columns, LastAnswer, RunColumn, Source};
use crate::answers::RequestOutcome;
use crate::drawn_rows::MAX_QUESTIONS;
use crate::outcomes::InterviewOutcomes;
use crate::run::Run;

/// Format of times in Qualtrics' files.
const TIME: &str = "%Y-%m-%d %H:%M:%S";
/// Separator of arms in a cell with their order.
const ORDER_SEPARATOR: &str = "|";

/// A column with its three heads.
#[derive(Clone, Debug)]
pub struct QualtricsColumn {
    pub name: String,
    pub text: String,
    /// JSON with `ImportId`.
    pub import_id: String,
    source: QualtricsSource,
}

#[derive(Clone, Debug)]
enum QualtricsSource {
    Interview(Fact),
    Answer(RunColumn),
    /// The answer of the turn that had this row of a loop's table: by turn, and the row's number from 1.
    Row {
        table: String,
        row: u32,
        turns: Arc<[RunColumn]>,
    },
    /// Arms that were dealt at a random node. `arm`: the place of this arm in the order instead.
    Dealt {
        node: String,
        arm: Option<String>,
        /// Names of the arms in the file, by their names in the design.
        values: BTreeMap<String, String>,
    },
    Field(String),
    Notice,
}

/// Known facts of an interview.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    Begin,
    End,
    /// A normal response, in Qualtrics' terms.
    Status,
    Progress,
    /// Nothing, because a twin takes no time to read.
    Duration,
    Finished,
    ResponseId,
    TwinId,
}

const FACTS: [(&str, &str, &str, Fact); 8] = [
    ("StartDate", "Start Date", "startDate", Fact::Begin),
    ("EndDate", "End Date", "endDate", Fact::End),
    ("Status", "Response Type", "status", Fact::Status),
    ("Progress", "Progress", "progress", Fact::Progress),
    ("Duration (in seconds)", "Duration (in seconds)", "duration", Fact::Duration),
    ("Finished", "Finished", "finished", Fact::Finished),
    ("RecordedDate", "Recorded Date", "recordedDate", Fact::End),
    ("ResponseId", "Response ID", "_recordId", Fact::ResponseId),
];

/// All columns, in the order of the file.
#[derive(Clone, Debug)]
pub struct QualtricsColumns(pub Vec<QualtricsColumn>);

impl QualtricsColumns {
    pub fn of(run: &Run) -> Self {
        let fact = |(name, text, id, fact): (&str, &str, &str, Fact)| {
            let mut import_id = json!({ "ImportId": id });
            if matches!(fact, Fact::Begin | Fact::End) {
                import_id["timeZone"] = json!("UTC");
            }
            QualtricsColumn::new(name, text, import_id, QualtricsSource::Interview(fact))
        };
        let mut columns: Vec<QualtricsColumn> = FACTS.into_iter().map(fact).collect();
        let design = run.survey.design.as_ref();
        columns.extend(of_answers(run, design));
        columns.extend(design.into_iter().flat_map(|design| of_nodes(&design.flow)));
        let embedded = |name: &str, source| QualtricsColumn::new(name, name, json!({ "ImportId": name }), source);
        for field in run.plan.iter().flat_map(|plan| plan.fields()) {
            columns.push(embedded(field, QualtricsSource::Field(field.to_owned())));
        }
        columns.push(embedded("TWIN_ID", QualtricsSource::Interview(Fact::TwinId)));
        columns.push(embedded("notice", QualtricsSource::Notice));
        Self(columns)
    }

    /// Returns the cells of a twin as texts, one for each column; empty where there is nothing.
    pub fn row(&self, run: &Run, interview: &InterviewOutcomes, form: Form) -> Vec<String> {
        let mut last = LastAnswer::default();
        self.0.iter().map(|column| column.cell(run, interview, form, &mut last)).collect()
    }
}

/// The table of the innermost loop around each question, by the question's name without a turn.
fn tables_of(flow: &[Node]) -> BTreeMap<&str, &str> {
    let mut tables = BTreeMap::new();
    for node in all_nodes(flow) {
        let Node::Loop(turns) = node else { continue };
        for node in all_nodes(&turns.flow) {
            if let Node::Block(block) = node {
                tables.extend(block.questions.iter().map(|name| (name.as_str(), turns.table.as_str())));
            }
        }
    }
    tables
}

/// The columns of all answers. Those of a loop are by its row, and not by its turn.
fn of_answers(run: &Run, design: Option<&Design>) -> Vec<QualtricsColumn> {
    let tables = design.map(|design| tables_of(&design.flow)).unwrap_or_default();
    let all = Columns::of(run).0;
    let of_question = |place: usize| {
        all.iter().filter(move |column| matches!(&column.source, Source::Answer(of) if of.place == place))
    };
    let mut columns = Vec::new();
    let mut done = BTreeSet::new();
    for (place, question) in run.questions.iter().enumerate() {
        let plain = |column: &RunColumn| named(run, question, column, None, QualtricsSource::Answer(column.clone()));
        let Some((base, _)) = question.name.split_once('#') else {
            columns.extend(of_question(place).map(plain));
            continue;
        };
        let table = tables.get(base).copied().unwrap_or_default();
        let ids = design.and_then(|design| design.tables.get(table)).map(|table| (table.rows.len(), &table.row_ids));
        let is_nested = question.name[base.len() + 1..].contains('#');
        let columns_a_row = of_question(place).count();
        let Some((rows, ids)) = ids.filter(|(rows, _)| !is_nested && rows * columns_a_row <= MAX_QUESTIONS) else {
            // A loop within a loop, or more columns than anybody reads.
            columns.extend(of_question(place).map(plain));
            continue;
        };
        if !done.insert(base.to_owned()) {
            continue;
        }
        let in_turns = run.questions.iter().enumerate().filter(|(_, other)| {
            other
                .name
                .strip_prefix(base)
                .and_then(|rest| rest.strip_prefix('#'))
                .is_some_and(|turn| !turn.contains('#'))
        });
        let by_turn: Vec<Vec<&RunColumn>> = in_turns.map(|(place, _)| of_question(place).collect()).collect();
        let of_part = |part: usize| -> Arc<[RunColumn]> {
            by_turn.iter().filter_map(|turn| turn.get(part).map(|column| (*column).clone())).collect()
        };
        let parts: Vec<Arc<[RunColumn]>> = (0..columns_a_row).map(of_part).collect();
        for (row, number) in (0..rows).zip(1..) {
            let id = ids.as_ref().and_then(|ids| ids.get(row)).cloned().unwrap_or_else(|| (row + 1).to_string());
            for turns in &parts {
                let Some(column) = turns.first() else { continue };
                let source = QualtricsSource::Row { table: table.to_owned(), row: number, turns: Arc::clone(turns) };
                columns.push(named(run, question, column, Some(&id), source));
            }
        }
    }
    columns
}

/// Names the column of an answer as Qualtrics does. `row`: the id of the row of the loop around it.
fn named(
    run: &Run,
    question: &Question,
    column: &RunColumn,
    row: Option<&str>,
    source: QualtricsSource,
) -> QualtricsColumn {
    let logic = &question.logic;
    let base = question.name.split('#').next().unwrap_or_default();
    let tag = logic.export_tag.as_deref().unwrap_or(base);
    let prefix = row.map(|row| format!("{row}_")).unwrap_or_default();
    let (tag, id) = (format!("{prefix}{tag}"), format!("{prefix}{}", logic.import_id.as_deref().unwrap_or(base)));
    let Source::Answer(AnswerSource { place, part, choice }) = &column.source else {
        return QualtricsColumn::new(&tag, &column.column.label, json!({ "ImportId": id }), source);
    };
    let written: Vec<&str> = match choice {
        Some(_) => column.written.iter().map(String::as_str).collect(),
        None => question.part_names(),
    };
    let of_part = |text: &str| {
        let number =
            written.iter().position(|written| *written == text).map_or_else(String::new, |at| (at + 1).to_string());
        logic.part_ids.as_ref().and_then(|ids| ids.get(text)).cloned().unwrap_or(number)
    };
    let label = |parts: &[&str]| [&run.labels[*place], parts.join(" - ").as_str()].join(" - ");
    match (part.as_deref().filter(|_| !question.is_its_own_row()), choice.as_deref()) {
        (None, None) => {
            let is_entry = matches!(question.layout(), Some((Parts::Whole, ValueKind::Text | ValueKind::Number)));
            // A slider's only bar has its number in the id already.
            let id = if is_entry && !id.trim_start_matches(&prefix).contains('_') { format!("{id}_TEXT") } else { id };
            QualtricsColumn::new(&tag, &run.labels[*place], json!({ "ImportId": id }), source)
        }
        (None, Some(choice)) => {
            let part = of_part(choice);
            let import_id = json!({ "ImportId": id, "choiceId": part });
            QualtricsColumn::new(&format!("{tag}_{part}"), &label(&[&run.label(choice)]), import_id, source)
        }
        (Some(row), choice) => {
            let mut name = format!("_{}", of_part(row));
            let mut texts = vec![run.label(row)];
            if let Some(choice) = choice {
                name = format!("{name}_{}", of_part(choice));
                texts.push(run.label(choice));
            }
            let texts: Vec<&str> = texts.iter().map(AsRef::as_ref).collect();
            let import_id = json!({ "ImportId": format!("{id}{name}") });
            QualtricsColumn::new(&format!("{tag}{name}"), &label(&texts), import_id, source)
        }
    }
}

/// The columns of the random nodes that have an id: the arm, or the order of the arms, and the place of each arm.
fn of_nodes(flow: &[Node]) -> Vec<QualtricsColumn> {
    let columns = |node: &Node| match node {
        Node::Random(random) => of_node(random),
        _ => Vec::new(),
    };
    all_nodes(flow).into_iter().flat_map(columns).collect()
}

fn of_node(random: &Random) -> Vec<QualtricsColumn> {
    let Some(id) = &random.import_id else { return Vec::new() };
    let values: BTreeMap<String, String> =
        random.of.iter().map(|arm| (arm.arm.clone(), value_of(arm).unwrap_or_else(|| arm.arm.clone()))).collect();
    let source = |arm: Option<&Arm>| QualtricsSource::Dealt {
        node: random.name.clone(),
        arm: arm.map(|arm| arm.arm.clone()),
        values: values.clone(),
    };
    let name = format!("{id}_DO");
    let whole = QualtricsColumn::new(
        &name,
        &format!("{id} - Block Randomizer - Display Order"),
        json!({ "ImportId": name }),
        source(None),
    );
    let of_arm = |arm: &Arm| {
        let value = &values[&arm.arm];
        let import_id = json!({ "ImportId": name, "choiceId": value });
        QualtricsColumn::new(
            &format!("{name}_{value}"),
            &format!("{id} - Block Randomizer - Display Order - {}", arm.import_name.as_deref().unwrap_or(value)),
            import_id,
            source(Some(arm)),
        )
    };
    std::iter::once(whole).chain(random.of.iter().map(of_arm)).collect()
}

/// The value of an arm in Qualtrics' files: the name of its block without spaces, or else the id of its node.
pub fn value_of(arm: &Arm) -> Option<String> {
    let block = arm.import_name.as_ref().filter(|_| matches!(arm.flow.as_slice(), [Node::Block(_) | Node::Loop(_)]));
    let block = block.map(|name| name.chars().filter(|character| !character.is_whitespace()).collect());
    block.or_else(|| arm.import_id.clone())
}

impl QualtricsColumn {
    fn new(name: &str, text: &str, import_id: Value, source: QualtricsSource) -> Self {
        Self { name: name.to_owned(), text: text.to_owned(), import_id: import_id.to_string(), source }
    }

    fn cell(&self, run: &Run, interview: &InterviewOutcomes, form: Form, last: &mut LastAnswer) -> String {
        match &self.source {
            QualtricsSource::Interview(fact) => fact.cell(run, interview),
            QualtricsSource::Answer(column) => answer(column, run, interview, form, last),
            QualtricsSource::Row { table, row, turns } => {
                let rows = interview.dealt.as_ref().and_then(|dealt| dealt.assignment.rows.get(table));
                let turn = match rows {
                    Some(rows) => rows.iter().position(|of_turn| of_turn == row),
                    None => usize::try_from(*row).ok().and_then(|row| row.checked_sub(1)),
                };
                turn.and_then(|turn| turns.get(turn))
                    .map_or_else(String::new, |column| answer(column, run, interview, form, last))
            }
            QualtricsSource::Dealt { node, arm, values } => interview
                .dealt
                .as_ref()
                .map_or_else(String::new, |dealt| placed(&dealt.assignment, node, arm.as_deref(), values)),
            QualtricsSource::Field(field) => {
                interview.dealt.as_ref().and_then(|dealt| dealt.fields.get(field)).cloned().unwrap_or_default()
            }
            QualtricsSource::Notice => run.notice.clone(),
        }
    }
}

/// The arms of a node in the order dealt, or the place of one of them, from 1.
fn placed(assignment: &Assignment, node: &str, arm: Option<&str>, values: &BTreeMap<String, String>) -> String {
    let dealt = assignment.arms.get(node).map(Vec::as_slice).unwrap_or_default();
    let value = |arm: &str| values.get(arm).cloned().unwrap_or_else(|| arm.to_owned());
    match arm {
        None => dealt.iter().map(|arm| value(arm)).collect::<Vec<_>>().join(ORDER_SEPARATOR),
        Some(arm) => dealt.iter().position(|dealt| **dealt == *arm).map_or_else(String::new, |at| (at + 1).to_string()),
    }
}

/// An answer as Qualtrics writes it: the recode value or the text of a choice, nothing for an option that was not chosen.
fn answer(column: &RunColumn, run: &Run, interview: &InterviewOutcomes, form: Form, last: &mut LastAnswer) -> String {
    let Some(place) = column.question() else { return String::new() };
    match column.cell(run, interview, &BTreeMap::new(), last.of(run, interview, place)) {
        Cell::Missing | Cell::Skipped | Cell::Failed => String::new(),
        Cell::Text(text) => text,
        Cell::Number(number) => number.to_string(),
        Cell::Code(0) if column.column.is_indicator => String::new(),
        Cell::Code(code) => match (form, &column.source) {
            (Form::Codes, _) => code.to_string(),
            (_, Source::Answer(AnswerSource { choice: Some(choice), .. })) => run.label(choice).into_owned(),
            _ => match &column.column.values {
                Values::Coded(_) => column.column.label_of(code).unwrap_or_default().to_owned(),
                Values::Text | Values::Number => code.to_string(),
            },
        },
    }
}

impl Fact {
    fn cell(self, run: &Run, interview: &InterviewOutcomes) -> String {
        let facts = &run.facts;
        let open = interview.outcomes.iter().filter(|outcome| matches!(outcome, RequestOutcome::Open)).count();
        match self {
            Self::Begin => facts.started_at.unwrap_or(facts.created_at).format(TIME).to_string(),
            Self::End => run.files_time().format(TIME).to_string(),
            Self::Status => "0".to_owned(),
            Self::Progress => {
                let all = interview.outcomes.len().max(1);
                ((all - open.min(all)) * 100 / all).to_string()
            }
            Self::Duration => String::new(),
            Self::Finished => u8::from(open == 0).to_string(),
            Self::ResponseId => {
                format!("R_{}_{}", &run.simulation_id[run.simulation_id.len() - 8..], interview.persona.id)
            }
            Self::TwinId => interview.persona.pid.clone(),
        }
    }
}
