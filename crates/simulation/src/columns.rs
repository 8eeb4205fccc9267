//! The columns of a run's table with a row a twin, and a twin's cells in it.

mod probabilities;
pub mod qualtrics;

use export::table::{Cell, Column, Values};
use survey::answer::{Answer, AnswerValue, Parts, ValueKind};
use survey::distribution::{Distribution, has_distribution};
use survey::plan::Plan;
use survey::question::Question;
use survey::question::names::QuestionNames;

use self::probabilities::{ProbabilitySource, given_distribution, of_distribution};
use crate::answers::RequestOutcome;
use crate::dealt::{self, Dealt};
use crate::outcomes::InterviewOutcomes;
use crate::run::Run;

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
    Answer(AnswerSource),
    Probability(ProbabilitySource),
}

/// The part of an answer that a column holds.
#[derive(Clone, Debug, PartialEq)]
struct AnswerSource {
    /// Place of the question among those that take an answer.
    place: usize,
    /// The row, option or end; `None`: the whole answer.
    part: Option<String>,
    /// The option or label of which the column says whether it was chosen.
    choice: Option<String>,
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
            if run.parameters.has_distributions() && has_distribution(question) {
                let probabilities = of_distribution(&mut names, place, run).into_iter();
                columns
                    .extend(probabilities.map(|(column, source)| RunColumn::new(column, Source::Probability(source))));
            }
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
        let mut last = LastAnswer::default();
        let mut distribution: (usize, Option<Distribution>) = (usize::MAX, None);
        let cell = |column: &RunColumn| {
            let answer = column.question().and_then(|place| last.of(run, interview, place));
            if let Source::Probability(of) = &column.source
                && of.place != distribution.0
            {
                distribution = (of.place, given_distribution(&interview.outcomes[of.place]));
            }
            match column.asks().map(|place| &interview.outcomes[place]) {
                Some(RequestOutcome::Failed(_)) => Cell::Failed,
                Some(RequestOutcome::Skipped(_)) => Cell::Skipped,
                _ if let Source::Probability(of) = &column.source => of.cell(distribution.1.as_ref()),
                _ => column.cell(run, interview, &attributes, answer),
            }
        };
        self.0.iter().map(cell).collect()
    }
}

/// The answer to the question of the last column. The columns of a question are neighbours, so that each answer is parsed
/// once.
#[derive(Default)]
struct LastAnswer(Option<(usize, Option<Answer>)>);

impl LastAnswer {
    /// Returns the twin's answer to the question at this place.
    fn of(&mut self, run: &Run, interview: &InterviewOutcomes, place: usize) -> Option<&Answer> {
        if self.0.as_ref().is_none_or(|(last, _)| *last != place) {
            let answer = dealt::decode(&run.questions[place], &interview.outcomes[place], interview.dealt.as_ref());
            self.0 = Some((place, answer));
        }
        self.0.as_ref().and_then(|(_, answer)| answer.as_ref())
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
    let Some((parts, kind)) = question.layout() else { return Vec::new() };
    let either = |no: &str, yes: &str| Values::Coded(vec![(0, no.to_owned()), (1, yes.to_owned())]);
    let values = match kind {
        ValueKind::Choice => {
            let label = |(place, label): (i32, &String)| (short_code(question, place), run.label(label).into_owned());
            Values::Coded((1..).zip(written).map(label).collect())
        }
        ValueKind::Choices => either("Not chosen", "Chosen"),
        ValueKind::YesNo => either("No", "Yes"),
        ValueKind::Number | ValueKind::Rank => Values::Number,
        ValueKind::Text => Values::Text,
    };
    let column = |name, part: Option<&str>, choice: Option<&String>| {
        let named = part.filter(|_| !question.is_its_own_row());
        let labels: Vec<&str> = named.into_iter().chain(choice.map(String::as_str)).collect();
        let label = match labels.as_slice() {
            [] => text.clone(),
            labels => format!("{text}: {}", run.label(&labels.join(": "))),
        };
        let kind = question.question_type.name();
        let column = Column { name, label, kind, values: values.clone(), is_indicator: choice.is_some() };
        let source = AnswerSource { place, part: part.map(str::to_owned), choice: choice.cloned() };
        RunColumn { column, written: written.to_vec(), source: Source::Answer(source) }
    };
    let suffix = |(number, part): (usize, &str)| match parts {
        Parts::Ends => format!("_{part}"),
        Parts::Whole | Parts::Rows | Parts::Options => format!("_{number}"),
    };
    let named = (1..).zip(question.part_names()).map(|part| (Some(part.1), suffix(part)));
    let mut of_parts: Vec<(Option<&str>, String)> = named.collect();
    if parts == Parts::Whole {
        of_parts.push((None, String::new()));
    }
    let mut columns = Vec::new();
    for (part, suffix) in of_parts {
        if kind == ValueKind::Choices {
            for (number, choice) in (1..).zip(written) {
                let name = names.free(&name, &format!("{suffix}_{number}"));
                columns.push(column(name, part, Some(choice)));
            }
        } else {
            let name = if part.is_some() { names.free(&name, &suffix) } else { name.clone() };
            columns.push(column(name, part, None));
        }
    }
    columns
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
            Source::Probability(_) => Cell::Missing,
            Source::Answer(AnswerSource { part, choice, .. }) => {
                let value = answer.and_then(|answer| answer.part(part.as_deref()));
                value.map_or(Cell::Missing, |value| self.value(value, choice.as_ref()))
            }
        }
    }

    fn value(&self, value: AnswerValue<'_>, choice: Option<&String>) -> Cell {
        match value {
            AnswerValue::Choice(text) => self.code_of(text),
            AnswerValue::Choices(chosen) => {
                choice.map_or(Cell::Missing, |choice| Cell::Code(chosen.contains(choice).into()))
            }
            AnswerValue::Number(number) => Cell::Number(number),
            AnswerValue::Rank(rank) => Cell::Number(rank.into()),
            AnswerValue::YesNo(yes) => Cell::Code(yes.into()),
            AnswerValue::Text(text) => Cell::Text(text.to_owned()),
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

    /// Returns the place of the question whose answer it holds, among those that take one. `None`: it holds no answer.
    pub fn question(&self) -> Option<usize> {
        match &self.source {
            Source::Answer(of) => Some(of.place),
            Source::PersonaId
            | Source::PersonaPid
            | Source::Attribute(_)
            | Source::Arm(_)
            | Source::Order(_)
            | Source::Rows(_)
            | Source::Field(_)
            | Source::PassedChecks
            | Source::ScreenedOut
            | Source::Shown(_)
            | Source::Probability(_) => None,
        }
    }

    /// Returns the place of the question whose outcome its cells depend on.
    fn asks(&self) -> Option<usize> {
        match &self.source {
            Source::Probability(of) => Some(of.place),
            _ => self.question(),
        }
    }

    /// Whether it holds the dataset's id of the person.
    pub fn is_person_id(&self) -> bool {
        self.source == Source::PersonaPid
    }
}
