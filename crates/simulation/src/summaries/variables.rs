//! Variables that a run's personas are grouped and filtered by.

use std::collections::BTreeSet;
use std::fmt;

use survey::answer::{Parts, ValueKind, yes_or_no};
use survey::question::Question;

use crate::summaries::numbers::{Extent, Intervals};

/// Upper limit of a filter's conditions.
const MAX_CONDITIONS: usize = 100;
const QUESTION: &str = "question:";
const ROW: &str = "row:";
const POSITION: &str = "question:position";

/// Name of the group of twins that have no value.
pub const NOT_STATED: &str = "(not stated)";

/// An attribute, or the answers to a question.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Variable {
    /// An attribute, by its name.
    Attribute(String),
    /// A choice, a yes/no question or a number, by the question's id.
    Question(i64),
    /// A row of a matrix, by the question's id and the row's position from 1.
    Row(i64, usize),
    /// The position of each question in blocks whose order is drawn. It belongs to answers, not to personas, so it
    /// cannot be filtered by.
    Position,
}

impl fmt::Display for Variable {
    /// Writes the syntax that [`parse`](Self::parse) reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Attribute(name) => f.write_str(name),
            Self::Question(id) => write!(f, "{QUESTION}{id}"),
            Self::Row(id, place) => write!(f, "{QUESTION}{id}:{ROW}{place}"),
            Self::Position => f.write_str(POSITION),
        }
    }
}

impl Variable {
    /// Reads `Gender`, `question:31`, `question:32:row:2` or `question:position`. Errors name the wrong part.
    pub fn parse(text: &str, questions: &[Question]) -> Result<Self, String> {
        if text == POSITION {
            return Ok(Self::Position);
        }
        let Some(rest) = text.strip_prefix(QUESTION) else { return Ok(Self::Attribute(text.to_owned())) };
        match of_question(rest, questions)? {
            (variable, None) => Ok(variable),
            (_, Some(_)) => Err(format!("{text} names an answer, not a question")),
        }
    }

    /// Reads a variable and one of its values: `Gender:Female`, `question:31:By bicycle`, `question:32:row:2:Agree`.
    fn with_value(text: &str, questions: &[Question]) -> Result<(Self, String), String> {
        let incomplete = || format!("where must be name:value or question:id:option, not {text}");
        let (variable, value) = match text.strip_prefix(QUESTION) {
            None => match text.split_once(':') {
                Some((name, value)) => (Self::Attribute(name.to_owned()), Some(value)),
                None => return Err(incomplete()),
            },
            Some(rest) => of_question(rest, questions).map_err(|reason| format!("where: {reason}"))?,
        };
        Ok((variable, value.ok_or_else(incomplete)?.to_owned()))
    }

    /// The question whose answers it is.
    pub fn question_in<'a>(&self, questions: &'a [Question]) -> Option<&'a Question> {
        let id = self.question()?;
        questions.iter().find(|question| question.id == id)
    }

    pub fn question(&self) -> Option<i64> {
        match self {
            Self::Attribute(_) | Self::Position => None,
            Self::Question(id) | Self::Row(id, _) => Some(*id),
        }
    }
}

/// Reads the text after `question:`, with the value that follows it.
fn of_question<'a>(text: &'a str, questions: &[Question]) -> Result<(Variable, Option<&'a str>), String> {
    let (id, rest) = split(text);
    let Some(question) = questions.iter().find(|question| id.parse() == Ok(question.id)) else {
        return Err(format!("the run has no question {id}"));
    };
    match question.layout() {
        Some((_, ValueKind::Text)) => Err(format!("question {id} is answered in free words")),
        Some((Parts::Options | Parts::Ends, _)) => {
            Err(format!("question {id} is answered with several values: twins cannot be grouped by it"))
        }
        None => Err(format!("question {id} is a text without an answer")),
        Some((Parts::Rows, _)) => {
            let Some(rest) = rest.and_then(|rest| rest.strip_prefix(ROW)) else {
                return Err(format!("question {id} is a matrix: name one of its rows, as {QUESTION}{id}:{ROW}1"));
            };
            let (place, value) = split(rest);
            match place.parse() {
                Ok(row) if (1..=question.rows().len()).contains(&row) => Ok((Variable::Row(question.id, row), value)),
                _ => Err(format!("question {id} has no row {place}")),
            }
        }
        Some((Parts::Whole, _)) => Ok((Variable::Question(question.id), rest)),
    }
}

fn split(text: &str) -> (&str, Option<&str>) {
    text.split_once(':').map_or((text, None), |(head, rest)| (head, Some(rest)))
}

/// A condition on personas: they must have one of the listed values of every variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TwinFilter(Vec<(Variable, Vec<String>)>);

impl TwinFilter {
    /// Reads conditions `Gender:Female`, `question:31:By bicycle` or `question:32:row:2:Agree`. Errors name the
    /// condition.
    pub fn parse(conditions: &[String], questions: &[Question]) -> Result<Self, String> {
        if conditions.len() > MAX_CONDITIONS {
            return Err(format!("where may be given at most {MAX_CONDITIONS} times"));
        }
        let mut filter = Self::default();
        for condition in conditions {
            let (variable, value) = Variable::with_value(condition, questions)?;
            match filter.0.iter_mut().find(|(known, _)| *known == variable) {
                Some((_, values)) => values.push(value),
                None => filter.0.push((variable, vec![value])),
            }
        }
        Ok(filter)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The conditions, each once and sorted, so that equal filters have equal lists.
    pub fn conditions(&self) -> Vec<String> {
        let of_variable = |(variable, values): &(Variable, Vec<String>)| {
            values.iter().map(|value| format!("{variable}:{value}")).collect::<Vec<_>>()
        };
        let all: BTreeSet<String> = self.0.iter().flat_map(of_variable).collect();
        all.into_iter().collect()
    }

    /// The variables with their allowed values.
    pub fn wanted(&self) -> impl Iterator<Item = (&Variable, &[String])> {
        self.0.iter().map(|(variable, values)| (variable, values.as_slice()))
    }

    /// The variables that the filter and the grouping need.
    pub fn variables<'a>(&'a self, by: Option<&'a Variable>) -> impl Iterator<Item = &'a Variable> {
        self.0.iter().map(|(variable, _)| variable).chain(by)
    }

    /// Whether every variable has one of its allowed values. `values` looks up a variable's values.
    pub fn passes(&self, values: impl Fn(&Variable) -> Vec<String>) -> bool {
        self.0.iter().all(|(variable, wanted)| values(variable).iter().any(|value| wanted.contains(value)))
    }
}

/// The possible values of a question's answers, in their order.
pub enum Domain {
    Labels(Vec<String>),
    /// The intervals in which numbers are counted, and their names.
    Intervals(Intervals, Vec<String>),
}

impl Domain {
    /// The possible values of a question. `numbers` is the range of its answers.
    pub fn from_question(question: &Question, numbers: &Extent) -> Self {
        match question.layout() {
            Some((_, ValueKind::YesNo)) => Self::Labels([true, false].map(|yes| yes_or_no(yes).to_owned()).to_vec()),
            Some((_, ValueKind::Number)) => {
                let intervals = Intervals::over(question.min_value, question.max_value, numbers);
                let names = intervals.names();
                Self::Intervals(intervals, names)
            }
            _ => Self::Labels(question.choices().to_vec()),
        }
    }

    pub fn names(&self) -> &[String] {
        match self {
            Self::Labels(names) | Self::Intervals(_, names) => names,
        }
    }

    /// The name of the interval that contains the number.
    pub fn name_of(&self, number: f64) -> Option<String> {
        match self {
            Self::Labels(_) => None,
            Self::Intervals(intervals, names) => names.get(intervals.place(number)?).cloned(),
        }
    }
}
