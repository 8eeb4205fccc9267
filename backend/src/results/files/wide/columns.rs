//! The columns of a run's wide files, and a twin's cells in them.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use survey::plan::Plan;
use survey::question::names::QuestionNames;
use survey::question::{Question, QuestionType};

use crate::results::dealt::{Dealt, code};
use crate::results::pages::{InterviewOutcomes, RequestOutcome};
use crate::results::run::Run;

const DESIGN: &str = "DESIGN";

/// What a column holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    Text,
    Number,
    /// One of these codes, with its label.
    Coded(Vec<(i32, String)>),
}

/// Where a column's values come from. Questions by their place among those that take an answer.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    PersonaId,
    PersonaPid,
    Attribute(String),
    /// Of this random node.
    Arm(String),
    /// In which the questions of this block were asked.
    Order(String),
    /// Which rows of its table the turns of this loop had.
    Rows(String),
    Field(String),
    PassedChecks,
    ScreenedOut,
    /// In which the options of this question were shown.
    Shown(usize),
    Answer(usize),
    /// This row of a matrix, this option of a constant sum, or the best or worst option.
    Row(usize, String),
    /// Whether this option was chosen.
    Chosen(usize, String),
    /// The rank of this option.
    Rank(usize, String),
    /// Whether this label was chosen for this row of a matrix.
    ChosenInRow(usize, String, String),
}

#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    /// What was asked, with the row or the option; the attribute's own name.
    pub label: String,
    /// A question's type, `ATTRIBUTE`, `DESIGN` or `ID`.
    pub kind: &'static str,
    pub values: Values,
    /// The codes' texts as answers have them; their labels may differ in what is inserted for each twin.
    written: Vec<String>,
    source: Source,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// Not asked yet, in another arm, or an attribute that the twin has not.
    Missing,
    /// The survey's design did not show it to the twin.
    Skipped,
    /// The answer failed or was refused.
    Failed,
    Text(String),
    Number(f64),
    Code(i32),
}

/// Which form coded answers have in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// As the survey words them.
    #[default]
    Labels,
    /// Options and labels of a scale 1, 2, … in the order of the survey; yes 1, no 0.
    Codes,
    /// A column of codes, and one of labels after it under its name with `_label`.
    Both,
}

/// All columns, in the order of the file.
#[derive(Clone, Debug)]
pub struct Columns(pub Vec<Column>);

impl Columns {
    /// Of a run with its attributes.
    pub fn of(run: &Run) -> Self {
        let mut names = QuestionNames::default();
        let id = |name: String, label: &str, values, source| Column {
            name,
            label: label.to_owned(),
            kind: "ID",
            values,
            written: Vec::new(),
            source,
        };
        let mut columns = vec![
            id(names.free("personaId", ""), "Twin", Values::Number, Source::PersonaId),
            id(names.free("personaPid", ""), "The dataset's own id of the person", Values::Text, Source::PersonaPid),
        ];
        for question in &run.questions {
            names.take(&question.name);
        }
        for (number, attribute) in (1..).zip(&run.attributes) {
            columns.push(Column {
                name: names.made_from(attribute, &format!("attribute{number}")),
                label: attribute.clone(),
                kind: "ATTRIBUTE",
                values: Values::Text,
                written: Vec::new(),
                source: Source::Attribute(attribute.clone()),
            });
        }
        columns.extend(run.plan.iter().flat_map(|plan| of_design(&mut names, run, plan)));
        for (place, question) in run.questions.iter().enumerate() {
            let name = question.name.clone();
            let order = (run.plan.is_some() && is_reordered(question)).then(|| names.free(&name, "__order"));
            columns.extend(of_question(&mut names, name, place, run));
            columns.extend(order.map(|name| Column {
                name,
                label: format!("{}: codes of the options in the order shown", run.labels[place]),
                kind: DESIGN,
                values: Values::Text,
                written: Vec::new(),
                source: Source::Shown(place),
            }));
        }
        Self(columns)
    }

    /// The twin's cells, one for each column.
    pub fn row(&self, run: &Run, interview: &InterviewOutcomes) -> Vec<Cell> {
        let attributes = interview.persona.attributes.labels();
        // The columns of a question stand together: its answer is parsed once.
        let mut answer: (usize, Value) = (usize::MAX, Value::Null);
        let cell = |column: &Column| {
            if let Some(place) = column.question()
                && place != answer.0
            {
                let given = given(&interview.outcomes[place]);
                let written = match &interview.dealt {
                    Some(dealt) => dealt.as_written(&run.questions[place], given),
                    None => given,
                };
                answer = (place, written);
            }
            match column.question().map(|place| &interview.outcomes[place]) {
                Some(RequestOutcome::Failed(_)) => Cell::Failed,
                Some(RequestOutcome::Skipped(_)) => Cell::Skipped,
                _ => column.cell(run, interview, &attributes, &answer.1),
            }
        };
        self.0.iter().map(cell).collect()
    }
}

/// What a run with a design says of a twin: its arms, orders and fields, and how its interview went.
fn of_design(names: &mut QuestionNames, run: &Run, plan: &Plan) -> Vec<Column> {
    let column =
        |name, label, values, source| Column { name, label, kind: DESIGN, values, written: Vec::new(), source };
    let mut columns = Vec::new();
    for (number, (node, is_ordered)) in (1..).zip(plan.random_nodes()) {
        let name = if is_ordered { format!("{node}_order") } else { node.to_owned() };
        let label = if is_ordered { format!("Arms of {node} in the order shown") } else { format!("Arm of {node}") };
        let name = names.made_from(&name, &format!("arm{number}"));
        columns.push(column(name, label, Values::Text, Source::Arm(node.to_owned())));
    }
    for (number, block) in (1..).zip(plan.shuffled_blocks()) {
        let name = names.made_from(&format!("{block}_order"), &format!("order{number}"));
        let label = format!("Questions of {block} in the order asked");
        columns.push(column(name, label, Values::Text, Source::Order(block.to_owned())));
    }
    for (number, turns) in (1..).zip(plan.loops()) {
        let name = names.made_from(&format!("{turns}_rows"), &format!("rows{number}"));
        let label = format!("Rows of {turns}, one a turn");
        columns.push(column(name, label, Values::Text, Source::Rows(turns.to_owned())));
    }
    for (number, field) in (1..).zip(plan.fields()) {
        let name = names.made_from(field, &format!("field{number}"));
        columns.push(column(name, format!("Field {field}"), Values::Text, Source::Field(field.to_owned())));
    }
    let yes_or_no = || Values::Coded(vec![(0, "No".to_owned()), (1, "Yes".to_owned())]);
    if run.questions.iter().any(|question| question.logic.check.is_some()) {
        let label = "Passed all attention checks that were answered".to_owned();
        columns.push(column(names.free("attention_passed", ""), label, yes_or_no(), Source::PassedChecks));
    }
    if plan.screens_out() {
        let label = "Screened out".to_owned();
        columns.push(column(names.free("screened_out", ""), label, yes_or_no(), Source::ScreenedOut));
    }
    columns
}

/// Whether its options may stand in another order than written, or be fewer.
fn is_reordered(question: &Question) -> bool {
    question.logic.shuffle.is_some() || question.logic.option_if.is_some()
}

fn of_question(names: &mut QuestionNames, name: String, place: usize, run: &Run) -> Vec<Column> {
    let (question, text) = (&run.questions[place], &run.labels[place]);
    let written = match question.question_type {
        QuestionType::Matrix => &question.scale_labels,
        _ => &question.options,
    };
    let column = |name, part: Option<&String>, values, source| Column {
        name,
        label: part.map_or_else(|| text.clone(), |part| format!("{text}: {}", run.label(part))),
        kind: question.question_type.name(),
        values,
        written: written.clone(),
        source,
    };
    let one = |values| vec![column(name.clone(), None, values, Source::Answer(place))];
    let mut part = |number: usize| names.free(&name, &format!("_{number}"));
    let counted = |labels: &[String]| {
        let coded =
            (1..).zip(labels).map(|(place, label)| (short_code(question, place), run.label(label).into_owned()));
        Values::Coded(coded.collect())
    };
    let either = |no: &str, yes: &str| Values::Coded(vec![(0, no.to_owned()), (1, yes.to_owned())]);
    match question.question_type {
        QuestionType::SingleChoice => one(counted(&question.options)),
        QuestionType::Boolean => one(either("No", "Yes")),
        QuestionType::MultipleChoice => (1..)
            .zip(&question.options)
            .map(|(number, option)| {
                let source = Source::Chosen(place, option.clone());
                column(part(number), Some(option), either("Not chosen", "Chosen"), source)
            })
            .collect(),
        QuestionType::Matrix => (1..)
            .zip(question.rows())
            .map(|(number, row)| {
                let named = Some(row).filter(|_| !question.sub_questions.is_empty());
                column(part(number), named, counted(&question.scale_labels), Source::Row(place, row.clone()))
            })
            .collect(),
        QuestionType::MatrixMulti => {
            let mut columns = Vec::new();
            for (number, row) in (1..).zip(question.rows()) {
                for (choice, label) in (1..).zip(&question.scale_labels) {
                    let named =
                        if question.sub_questions.is_empty() { label.clone() } else { format!("{row}: {label}") };
                    let source = Source::ChosenInRow(place, row.clone(), label.clone());
                    let name = names.free(&name, &format!("_{number}_{choice}"));
                    columns.push(column(name, Some(&named), either("Not chosen", "Chosen"), source));
                }
            }
            columns
        }
        QuestionType::ConstantSum | QuestionType::Rank => (1..)
            .zip(&question.options)
            .map(|(number, option)| {
                let source = match question.question_type {
                    QuestionType::Rank => Source::Rank(place, option.clone()),
                    _ => Source::Row(place, option.clone()),
                };
                column(part(number), Some(option), Values::Number, source)
            })
            .collect(),
        QuestionType::BestWorst => ["best", "worst"]
            .map(|end| {
                let source = Source::Row(place, end.to_owned());
                let name = names.free(&name, &format!("_{end}"));
                column(name, Some(&end.to_owned()), counted(&question.options), source)
            })
            .into(),
        QuestionType::Info => Vec::new(),
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => one(Values::Number),
        QuestionType::TextEntry | QuestionType::OpenEnded => one(Values::Text),
    }
}

/// The code of the choice at this place from 1; the place where files have no room for the code.
fn short_code(question: &Question, place: i32) -> i32 {
    usize::try_from(place).ok().and_then(|place| i32::try_from(code(question, place)).ok()).unwrap_or(place)
}

/// The typed answer; null where there is none.
fn given(outcome: &RequestOutcome) -> Value {
    match outcome {
        RequestOutcome::Answered(answer, _) => answer.answer_value.parse().unwrap_or_default(),
        RequestOutcome::Failed(_) | RequestOutcome::Open | RequestOutcome::Skipped(_) | RequestOutcome::NotAssigned => {
            Value::Null
        }
    }
}

impl Column {
    fn cell(
        &self,
        run: &Run,
        interview: &InterviewOutcomes,
        attributes: &std::collections::BTreeMap<String, String>,
        answer: &Value,
    ) -> Cell {
        match &self.source {
            Source::PersonaId => Cell::Number(interview.persona.id.into()),
            Source::PersonaPid => Cell::Text(interview.persona.pid.clone()),
            Source::Attribute(name) => attributes.get(name).map_or(Cell::Missing, |value| Cell::Text(value.clone())),
            Source::Arm(_)
            | Source::Order(_)
            | Source::Rows(_)
            | Source::Field(_)
            | Source::PassedChecks
            | Source::ScreenedOut
            | Source::Shown(_) => {
                interview.dealt.as_ref().map_or(Cell::Missing, |dealt| self.dealt(run, interview, dealt))
            }
            Source::Answer(_) => self.typed(answer),
            Source::Row(_, row) => answer.get(row).map_or(Cell::Missing, |rating| self.typed(rating)),
            Source::Chosen(_, option) => answer.as_array().map_or(Cell::Missing, |chosen| {
                Cell::Code(chosen.iter().any(|each| each.as_str() == Some(option)).into())
            }),
            Source::ChosenInRow(_, row, label) => {
                answer.get(row).and_then(Value::as_array).map_or(Cell::Missing, |chosen| {
                    Cell::Code(chosen.iter().any(|each| each.as_str() == Some(label)).into())
                })
            }
            Source::Rank(_, option) => {
                let ranked = (1_u32..).zip(answer.as_array().into_iter().flatten());
                let mut ranks = ranked.filter(|(_, each)| each.as_str() == Some(option));
                ranks.next().map_or(Cell::Missing, |(rank, _)| Cell::Number(rank.into()))
            }
        }
    }

    fn dealt(&self, run: &Run, interview: &InterviewOutcomes, dealt: &Dealt) -> Cell {
        let text = |text: Option<&String>| text.map_or(Cell::Missing, |text| Cell::Text(text.clone()));
        match &self.source {
            Source::Arm(node) => text(dealt.arms.get(node)),
            Source::Order(block) => text(dealt.orders.get(block)),
            Source::Rows(turns) => text(dealt.rows.get(turns)),
            Source::Field(field) => text(dealt.fields.get(field)),
            Source::PassedChecks => {
                let passed = dealt.passed_checks(run, &interview.outcomes);
                passed.map_or(Cell::Missing, |passed| Cell::Code(passed.into()))
            }
            Source::ScreenedOut => Cell::Code(dealt.is_screened_out.into()),
            Source::Shown(place) => text(dealt.option_order(&run.questions[*place]).as_ref()),
            _ => Cell::Missing,
        }
    }

    fn typed(&self, value: &Value) -> Cell {
        match (&self.values, value) {
            (_, Value::Bool(yes)) => Cell::Code((*yes).into()),
            (Values::Number, Value::Number(number)) => number.as_f64().map_or(Cell::Missing, Cell::Number),
            (Values::Text, Value::String(text)) => Cell::Text(text.clone()),
            (Values::Coded(codes), Value::String(text)) => {
                let place = self.written.iter().position(|written| written == text);
                place.and_then(|place| codes.get(place)).map_or(Cell::Missing, |(code, _)| Cell::Code(*code))
            }
            _ => Cell::Missing,
        }
    }

    /// The place of its question among those that take an answer; `None`: it is about the twin.
    pub fn question(&self) -> Option<usize> {
        match self.source {
            Source::Answer(place)
            | Source::Row(place, _)
            | Source::Chosen(place, _)
            | Source::Rank(place, _)
            | Source::ChosenInRow(place, ..) => Some(place),
            Source::PersonaId
            | Source::PersonaPid
            | Source::Attribute(_)
            | Source::Arm(_)
            | Source::Order(_)
            | Source::Rows(_)
            | Source::Field(_)
            | Source::PassedChecks
            | Source::ScreenedOut
            | Source::Shown(_) => None,
        }
    }

    pub fn is_answer(&self) -> bool {
        self.question().is_some()
    }

    /// Whether an answer is one of several labels, and not only chosen or not: 0 and 1 stay numbers in every form.
    pub fn is_worded(&self) -> bool {
        matches!(self.values, Values::Coded(_)) && !matches!(self.source, Source::Chosen(..) | Source::ChosenInRow(..))
    }

    /// Whether it holds the dataset's id of the person.
    pub fn is_person_id(&self) -> bool {
        self.source == Source::PersonaPid
    }

    /// The place of a code among those of the column, from 0.
    pub fn place_of(&self, code: i32) -> Option<usize> {
        let Values::Coded(codes) = &self.values else { return None };
        codes.iter().position(|(known, _)| *known == code)
    }

    pub fn label_of(&self, code: i32) -> Option<&str> {
        let Values::Coded(codes) = &self.values else { return None };
        codes.iter().find(|(known, _)| *known == code).map(|(_, label)| label.as_str())
    }
}
