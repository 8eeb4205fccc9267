//! The columns of a run's wide files, and a twin's cells in them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::models::questions::names::Names;
use crate::models::questions::{Question, QuestionType};
use crate::results::pages::{Interview, Outcome};
use crate::results::run::Run;

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
    /// A question's type, `ATTRIBUTE` or `ID`.
    pub kind: &'static str,
    pub values: Values,
    source: Source,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// Not asked yet, or an attribute that the twin has not.
    Missing,
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
        let mut names = Names::default();
        let id = |name: String, label: &str, values, source| Column {
            name,
            label: label.to_owned(),
            kind: "ID",
            values,
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
                source: Source::Attribute(attribute.clone()),
            });
        }
        for (place, question) in run.questions.iter().enumerate() {
            let name = match &question.name {
                none if none.is_empty() => names.made_from(&question.text, &format!("q{}", place + 1)),
                name => name.clone(),
            };
            columns.extend(of_question(&mut names, name, place, question));
        }
        Self(columns)
    }

    /// The twin's cells, one for each column.
    pub fn row(&self, interview: &Interview) -> Vec<Cell> {
        let attributes = interview.persona.attributes.labels();
        // The columns of a question stand together: its answer is parsed once.
        let mut answer: (usize, Value) = (usize::MAX, Value::Null);
        let cell = |column: &Column| {
            if let Some(place) = column.question()
                && place != answer.0
            {
                answer = (place, given(&interview.outcomes[place]));
            }
            if let Some(place) = column.question()
                && matches!(interview.outcomes[place], Outcome::Failed(_))
            {
                return Cell::Failed;
            }
            column.cell(interview, &attributes, &answer.1)
        };
        self.0.iter().map(cell).collect()
    }
}

fn of_question(names: &mut Names, name: String, place: usize, question: &Question) -> Vec<Column> {
    let column = |name, part: Option<&String>, values, source| Column {
        name,
        label: part.map_or_else(|| question.text.clone(), |part| format!("{}: {part}", question.text)),
        kind: question.question_type.name(),
        values,
        source,
    };
    let one = |values| vec![column(name.clone(), None, values, Source::Answer(place))];
    let mut part = |number: usize| names.free(&name, &format!("_{number}"));
    let counted = |labels: &[String]| Values::Coded((1..).zip(labels.iter().cloned()).collect());
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

/// The typed answer; null where there is none.
fn given(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Answered(answer, _) => answer.answer_value.parse().unwrap_or_default(),
        Outcome::Failed(_) | Outcome::Open => Value::Null,
    }
}

impl Column {
    fn cell(
        &self,
        interview: &Interview,
        attributes: &std::collections::BTreeMap<String, String>,
        answer: &Value,
    ) -> Cell {
        match &self.source {
            Source::PersonaId => Cell::Number(interview.persona.id.into()),
            Source::PersonaPid => Cell::Text(interview.persona.pid.clone()),
            Source::Attribute(name) => attributes.get(name).map_or(Cell::Missing, |value| Cell::Text(value.clone())),
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

    fn typed(&self, value: &Value) -> Cell {
        match (&self.values, value) {
            (_, Value::Bool(yes)) => Cell::Code((*yes).into()),
            (Values::Number, Value::Number(number)) => number.as_f64().map_or(Cell::Missing, Cell::Number),
            (Values::Text, Value::String(text)) => Cell::Text(text.clone()),
            (Values::Coded(codes), Value::String(text)) => {
                let code = codes.iter().find(|(_, label)| label == text);
                code.map_or(Cell::Missing, |(code, _)| Cell::Code(*code))
            }
            _ => Cell::Missing,
        }
    }

    /// The place of its question among those that take an answer; `None`: it is about the twin.
    fn question(&self) -> Option<usize> {
        match self.source {
            Source::Answer(place)
            | Source::Row(place, _)
            | Source::Chosen(place, _)
            | Source::Rank(place, _)
            | Source::ChosenInRow(place, ..) => Some(place),
            Source::PersonaId | Source::PersonaPid | Source::Attribute(_) => None,
        }
    }

    pub fn is_answer(&self) -> bool {
        self.question().is_some()
    }

    /// Whether an answer is one of several labels, and not only chosen or not: 0 and 1 stay numbers in every form.
    pub fn is_worded(&self) -> bool {
        matches!(self.values, Values::Coded(_)) && !matches!(self.source, Source::Chosen(..) | Source::ChosenInRow(..))
    }

    pub fn label_of(&self, code: i32) -> Option<&str> {
        let Values::Coded(codes) = &self.values else { return None };
        codes.iter().find(|(known, _)| *known == code).map(|(_, label)| label.as_str())
    }
}
