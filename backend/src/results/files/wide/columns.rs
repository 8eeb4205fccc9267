//! The columns of a run's table with a row a twin, and a twin's cells in it.

use export::table::{Cell, Column, Values};
use survey::answer::{Answer, AnswerShape, BestAndWorst};
use survey::plan::Plan;
use survey::question::Question;
use survey::question::names::QuestionNames;

use crate::results::dealt::{self, Dealt};
use crate::results::pages::{InterviewOutcomes, RequestOutcome};
use crate::results::run::Run;

/// Source of a column's values. Questions are named by their place among those that take an answer.
#[derive(Clone, Debug, PartialEq)]
enum Source {
    PersonaId,
    PersonaPid,
    Attribute(String),
    /// The arm of this random node.
    Arm(String),
    /// The order in which the questions of this block were asked.
    Order(String),
    /// The rows of its table that the turns of this loop had.
    Rows(String),
    Field(String),
    PassedChecks,
    ScreenedOut,
    /// The order in which the options of this question were shown.
    Shown(usize),
    Answer(usize),
    /// The answer to this row of a matrix or option of a constant sum, or the best or worst option.
    Row(usize, String),
    /// Whether this option was chosen.
    Chosen(usize, String),
    /// The rank of this option.
    Rank(usize, String),
    /// Whether this label was chosen for this row of a matrix.
    ChosenInRow(usize, String, String),
}

/// A column with the source of its cells.
#[derive(Clone, Debug)]
pub struct RunColumn {
    pub column: Column,
    /// The codes' texts as answers have them; their labels may differ in what is inserted for each twin.
    written: Vec<String>,
    source: Source,
}

/// All columns, in the order of the file.
#[derive(Clone, Debug)]
pub struct Columns(pub Vec<RunColumn>);

impl Columns {
    /// Describes a run that was read with its attributes.
    pub fn of(run: &Run) -> Self {
        let mut names = QuestionNames::default();
        let id = |name: String, label: &str, values, source| {
            RunColumn::new(
                Column { name, label: label.to_owned(), kind: Column::ID, values, is_indicator: false },
                source,
            )
        };
        let mut columns = vec![
            id(names.free("personaId", ""), "Twin", Values::Number, Source::PersonaId),
            id(names.free("personaPid", ""), "The dataset's own id of the person", Values::Text, Source::PersonaPid),
        ];
        for question in &run.questions {
            names.take(&question.name);
        }
        for (number, attribute) in (1..).zip(&run.attributes) {
            let column = Column {
                name: names.made_from(attribute, &format!("attribute{number}")),
                label: attribute.clone(),
                kind: Column::ATTRIBUTE,
                values: Values::Text,
                is_indicator: false,
            };
            columns.push(RunColumn::new(column, Source::Attribute(attribute.clone())));
        }
        columns.extend(run.plan.iter().flat_map(|plan| of_design(&mut names, run, plan)));
        for (place, question) in run.questions.iter().enumerate() {
            let name = question.name.clone();
            let order = (run.plan.is_some() && is_reordered(question)).then(|| names.free(&name, "__order"));
            columns.extend(of_question(&mut names, name, place, run));
            let label = format!("{}: codes of the options in the order shown", run.labels[place]);
            columns.extend(order.map(|name| RunColumn::of_design(name, label, Values::Text, Source::Shown(place))));
        }
        Self(columns)
    }

    /// Returns the columns as writers of tables take them.
    pub fn described(&self) -> Vec<Column> {
        self.0.iter().map(|of| of.column.clone()).collect()
    }

    /// Returns the twin's cells, one for each column.
    pub fn row(&self, run: &Run, interview: &InterviewOutcomes) -> Vec<Cell> {
        let attributes = interview.persona.attributes.labels();
        // The columns of a question are neighbours, so its answer is parsed once.
        let mut answer: (usize, Option<Answer>) = (usize::MAX, None);
        let cell = |column: &RunColumn| {
            if let Some(place) = column.question()
                && place != answer.0
            {
                let outcome = &interview.outcomes[place];
                answer = (place, dealt::decode(&run.questions[place], outcome, interview.dealt.as_ref()));
            }
            match column.question().map(|place| &interview.outcomes[place]) {
                Some(RequestOutcome::Failed(_)) => Cell::Failed,
                Some(RequestOutcome::Skipped(_)) => Cell::Skipped,
                _ => column.cell(run, interview, &attributes, answer.1.as_ref()),
            }
        };
        self.0.iter().map(cell).collect()
    }
}

/// Describes what a run with a design knows about a twin: its arms, orders and fields, and how its interview went.
fn of_design(names: &mut QuestionNames, run: &Run, plan: &Plan) -> Vec<RunColumn> {
    let column = RunColumn::of_design;
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

/// Whether its options may be shown in another order than written, or only some of them.
fn is_reordered(question: &Question) -> bool {
    question.logic.shuffle.is_some() || question.logic.option_if.is_some()
}

fn of_question(names: &mut QuestionNames, name: String, place: usize, run: &Run) -> Vec<RunColumn> {
    let (question, text) = (&run.questions[place], &run.labels[place]);
    let written = question.choices();
    let column = |name, part: Option<&String>, values, source| {
        let label = part.map_or_else(|| text.clone(), |part| format!("{text}: {}", run.label(part)));
        let is_indicator = matches!(source, Source::Chosen(..) | Source::ChosenInRow(..));
        let column = Column { name, label, kind: question.question_type.name(), values, is_indicator };
        RunColumn { column, written: written.to_vec(), source }
    };
    let one = |values| vec![column(name.clone(), None, values, Source::Answer(place))];
    let mut part = |number: usize| names.free(&name, &format!("_{number}"));
    let counted = |labels: &[String]| {
        let coded =
            (1..).zip(labels).map(|(place, label)| (short_code(question, place), run.label(label).into_owned()));
        Values::Coded(coded.collect())
    };
    let either = |no: &str, yes: &str| Values::Coded(vec![(0, no.to_owned()), (1, yes.to_owned())]);
    let Some(shape) = question.shape() else { return Vec::new() };
    match shape {
        AnswerShape::Choice => one(counted(&question.options)),
        AnswerShape::YesNo => one(either("No", "Yes")),
        AnswerShape::Choices => (1..)
            .zip(&question.options)
            .map(|(number, option)| {
                let source = Source::Chosen(place, option.clone());
                column(part(number), Some(option), either("Not chosen", "Chosen"), source)
            })
            .collect(),
        AnswerShape::Labels => (1..)
            .zip(question.rows())
            .map(|(number, row)| {
                let named = Some(row).filter(|_| !question.sub_questions.is_empty());
                column(part(number), named, counted(&question.scale_labels), Source::Row(place, row.clone()))
            })
            .collect(),
        AnswerShape::LabelSets => {
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
        AnswerShape::Parts | AnswerShape::Ranking => (1..)
            .zip(&question.options)
            .map(|(number, option)| {
                let source = match shape {
                    AnswerShape::Ranking => Source::Rank(place, option.clone()),
                    _ => Source::Row(place, option.clone()),
                };
                column(part(number), Some(option), Values::Number, source)
            })
            .collect(),
        AnswerShape::BestWorst => ["best", "worst"]
            .map(|end| {
                let source = Source::Row(place, end.to_owned());
                let name = names.free(&name, &format!("_{end}"));
                column(name, Some(&end.to_owned()), counted(&question.options), source)
            })
            .into(),
        AnswerShape::Number => one(Values::Number),
        AnswerShape::Text => one(Values::Text),
    }
}

/// Returns the code of the choice at this place, from 1; the place itself if files have no room for the code.
fn short_code(question: &Question, place: i32) -> i32 {
    let code = usize::try_from(place - 1).ok().map(|choice| question.code(choice));
    code.and_then(|code| i32::try_from(code).ok()).unwrap_or(place)
}

impl RunColumn {
    fn new(column: Column, source: Source) -> Self {
        Self { column, written: Vec::new(), source }
    }

    fn of_design(name: String, label: String, values: Values, source: Source) -> Self {
        Self::new(Column { name, label, kind: Column::DESIGN, values, is_indicator: false }, source)
    }

    fn cell(
        &self,
        run: &Run,
        interview: &InterviewOutcomes,
        attributes: &std::collections::BTreeMap<String, String>,
        answer: Option<&Answer>,
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
            Source::Answer(_) => match answer {
                Some(Answer::YesNo(yes)) => Cell::Code((*yes).into()),
                Some(Answer::Number(number)) => Cell::Number(*number),
                Some(Answer::Text(text)) => Cell::Text(text.clone()),
                Some(Answer::Choice(option)) => self.code_of(option),
                _ => Cell::Missing,
            },
            Source::Row(_, row) => match answer {
                Some(Answer::Labels(labels)) => labels.get(row).map_or(Cell::Missing, |label| self.code_of(label)),
                Some(Answer::Parts(parts)) => parts.get(row).map_or(Cell::Missing, |part| Cell::Number(*part)),
                Some(Answer::BestWorst(BestAndWorst { best, worst })) => {
                    self.code_of(if row == "best" { best } else { worst })
                }
                _ => Cell::Missing,
            },
            Source::Chosen(_, option) => match answer {
                Some(Answer::Choices(chosen)) => Cell::Code(chosen.contains(option).into()),
                _ => Cell::Missing,
            },
            Source::ChosenInRow(_, row, label) => match answer {
                Some(Answer::LabelSets(rows)) => {
                    rows.get(row).map_or(Cell::Missing, |chosen| Cell::Code(chosen.contains(label).into()))
                }
                _ => Cell::Missing,
            },
            Source::Rank(_, option) => match answer {
                Some(Answer::Ranking(ranked)) => {
                    let rank = (1_u32..).zip(ranked).find(|(_, each)| *each == option);
                    rank.map_or(Cell::Missing, |(rank, _)| Cell::Number(rank.into()))
                }
                _ => Cell::Missing,
            },
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

    /// Returns the code of an option or a label.
    fn code_of(&self, text: &str) -> Cell {
        let Values::Coded(codes) = &self.column.values else { return Cell::Missing };
        let place = self.written.iter().position(|written| written == text);
        place.and_then(|place| codes.get(place)).map_or(Cell::Missing, |(code, _)| Cell::Code(*code))
    }

    /// Returns the place of its question among those that take an answer. `None`: the column is about the twin.
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

    /// Whether it holds the dataset's id of the person.
    pub fn is_person_id(&self) -> bool {
        self.source == Source::PersonaPid
    }
}
