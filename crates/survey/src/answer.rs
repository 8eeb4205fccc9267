//! Typed answers to questions.
//!
//! An [`Answer`] is decoded from its stored JSON once. Its variants are the [`AnswerShape`]s: several types of questions
//! have answers of one shape. Other code reads an answer [part by part](Answer::parts), and knows from its
//! [layout](AnswerShape::layout) which parts and values there are.

mod value;

use std::collections::{BTreeMap, HashMap};

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::number;
use crate::question::Question;

pub use value::{AnswerValue, Parts, ValueKind};

/// The names of the parts of a best and worst choice.
pub(crate) const ENDS: [&str; 2] = ["best", "worst"];

/// Separates the parts of an answer's text.
pub const SEPARATOR: &str = " | ";

/// The shape that the answers to a question have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AnswerShape {
    /// One option.
    Choice,
    /// Several options.
    Choices,
    /// A label for each row of a matrix.
    Labels,
    /// Several labels for each row of a matrix.
    LabelSets,
    /// A number.
    Number,
    /// Yes or no.
    YesNo,
    /// Free text.
    Text,
    /// A number for each option; the numbers add up to the question's total.
    Parts,
    /// All options, the best first.
    Ranking,
    /// The best and the worst option.
    BestWorst,
}

impl AnswerShape {
    /// Returns what an answer has a value for, and the kind of each value.
    pub fn layout(self) -> (Parts, ValueKind) {
        match self {
            Self::Choice => (Parts::Whole, ValueKind::Choice),
            Self::Choices => (Parts::Whole, ValueKind::Choices),
            Self::Labels => (Parts::Rows, ValueKind::Choice),
            Self::LabelSets => (Parts::Rows, ValueKind::Choices),
            Self::Number => (Parts::Whole, ValueKind::Number),
            Self::YesNo => (Parts::Whole, ValueKind::YesNo),
            Self::Text => (Parts::Whole, ValueKind::Text),
            Self::Parts => (Parts::Options, ValueKind::Number),
            Self::Ranking => (Parts::Options, ValueKind::Rank),
            Self::BestWorst => (Parts::Ends, ValueKind::Choice),
        }
    }
}

/// An answer to a question. Options, labels and rows have the texts that the twin saw.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    Choice(String),
    /// The chosen options, in the order of the survey.
    Choices(Vec<String>),
    /// The label of each row.
    Labels(BTreeMap<String, String>),
    /// The labels of each row, in the order of the survey.
    LabelSets(BTreeMap<String, Vec<String>>),
    Number(#[serde(serialize_with = "write_number")] f64),
    YesNo(bool),
    Text(String),
    /// The number of each option.
    Parts(#[serde(serialize_with = "write_numbers")] BTreeMap<String, f64>),
    Ranking(Vec<String>),
    BestWorst(BestAndWorst),
}

/// The best and the worst of a question's options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BestAndWorst {
    pub best: String,
    pub worst: String,
}

fn write_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    number::json(*number).serialize(serializer)
}

fn write_numbers<S: Serializer>(numbers: &BTreeMap<String, f64>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(numbers.iter().map(|(option, number)| (option, number::json(*number))))
}

impl Answer {
    /// Decodes the stored JSON of an answer to this question. Fails if the JSON does not have the shape of the
    /// question's answers; whether options, labels and rows are those of the question is not checked.
    pub fn decode<'de, D: Deserializer<'de>>(question: &Question, stored: D) -> Result<Self, D::Error> {
        Ok(match question.question_type.shape() {
            None => return Err(D::Error::custom("the question takes no answer")),
            Some(AnswerShape::Choice) => Self::Choice(String::deserialize(stored)?),
            Some(AnswerShape::Choices) => Self::Choices(Vec::deserialize(stored)?),
            Some(AnswerShape::Labels) => Self::Labels(BTreeMap::deserialize(stored)?),
            Some(AnswerShape::LabelSets) => Self::LabelSets(BTreeMap::deserialize(stored)?),
            Some(AnswerShape::Number) => Self::Number(f64::deserialize(stored)?),
            Some(AnswerShape::YesNo) => Self::YesNo(bool::deserialize(stored)?),
            Some(AnswerShape::Text) => Self::Text(String::deserialize(stored)?),
            Some(AnswerShape::Parts) => Self::Parts(BTreeMap::deserialize(stored)?),
            Some(AnswerShape::Ranking) => Self::Ranking(Vec::deserialize(stored)?),
            Some(AnswerShape::BestWorst) => Self::BestWorst(BestAndWorst::deserialize(stored)?),
        })
    }

    /// Returns the JSON that is stored.
    pub fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_else(|error| unreachable!("an answer is JSON: {error}"))
    }

    /// Returns its values with the names of their parts: rows or options in the order of the stored JSON, or `best` and
    /// `worst`. A value of the whole question has no name.
    pub fn parts(&self) -> Vec<(Option<&str>, AnswerValue<'_>)> {
        let named = |(name, value)| (Some(name), value);
        match self {
            Self::Choice(text) => vec![(None, AnswerValue::Choice(text))],
            Self::Choices(chosen) => vec![(None, AnswerValue::Choices(chosen))],
            Self::Number(number) => vec![(None, AnswerValue::Number(*number))],
            Self::YesNo(yes) => vec![(None, AnswerValue::YesNo(*yes))],
            Self::Text(text) => vec![(None, AnswerValue::Text(text))],
            Self::Labels(rows) => {
                rows.iter().map(|(row, label)| named((row.as_str(), AnswerValue::Choice(label)))).collect()
            }
            Self::LabelSets(rows) => {
                rows.iter().map(|(row, labels)| named((row.as_str(), AnswerValue::Choices(labels)))).collect()
            }
            Self::Parts(numbers) => {
                numbers.iter().map(|(option, number)| named((option.as_str(), AnswerValue::Number(*number)))).collect()
            }
            Self::Ranking(ranked) => {
                (1..).zip(ranked).map(|(rank, option)| named((option.as_str(), AnswerValue::Rank(rank)))).collect()
            }
            Self::BestWorst(BestAndWorst { best, worst }) => {
                ENDS.into_iter().zip([best, worst].map(|option| AnswerValue::Choice(option))).map(named).collect()
            }
        }
    }

    /// Returns the value of a part; `None` as its name is the whole question.
    pub fn part(&self, name: Option<&str>) -> Option<AnswerValue<'_>> {
        self.parts().into_iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Returns the text for display: the option; several options joined by ` | `; a matrix as `Q1: Agree | Q2:
    /// Neutral`. `question` is the question as the twin saw it.
    pub fn text(&self, question: &Question) -> String {
        let rows = || (1..).zip(question.rows());
        let parts: Vec<String> = match self {
            Self::Choice(text) | Self::Text(text) => return text.clone(),
            Self::Number(number) => return number::text(*number),
            Self::YesNo(yes) => return yes_or_no(*yes).to_owned(),
            Self::Choices(chosen) => return chosen.join(SEPARATOR),
            Self::Labels(labels) => rows()
                .filter_map(|(number, row): (usize, _)| Some(format!("Q{number}: {}", labels.get(row)?)))
                .collect(),
            Self::LabelSets(labels) => rows()
                .filter_map(|(number, row): (usize, _)| Some(format!("Q{number}: {}", labels.get(row)?.join("; "))))
                .collect(),
            Self::Parts(numbers) => (question.options.iter())
                .filter_map(|option| Some(format!("{option}: {}", number::text(*numbers.get(option)?))))
                .collect(),
            Self::Ranking(ranked) => {
                (1..).zip(ranked).map(|(rank, option): (usize, _)| format!("{rank}: {option}")).collect()
            }
            Self::BestWorst(BestAndWorst { best, worst }) => vec![format!("Best: {best}"), format!("Worst: {worst}")],
        };
        parts.join(SEPARATOR)
    }

    /// Replaces options, labels and rows that are keys of `words` by their values.
    #[must_use]
    pub fn in_words(self, words: &HashMap<&str, &str>) -> Self {
        let word = |text: String| words.get(text.as_str()).map_or(text, |other| (*other).to_owned());
        let all = |texts: Vec<String>| texts.into_iter().map(word).collect();
        match self {
            Self::Choice(text) => Self::Choice(word(text)),
            Self::Choices(chosen) => Self::Choices(all(chosen)),
            Self::Ranking(ranked) => Self::Ranking(all(ranked)),
            Self::Labels(rows) => Self::Labels(rows.into_iter().map(|(row, label)| (word(row), word(label))).collect()),
            Self::LabelSets(rows) => {
                Self::LabelSets(rows.into_iter().map(|(row, labels)| (word(row), all(labels))).collect())
            }
            Self::Parts(parts) => {
                Self::Parts(parts.into_iter().map(|(option, number)| (word(option), number)).collect())
            }
            Self::BestWorst(BestAndWorst { best, worst }) => {
                Self::BestWorst(BestAndWorst { best: word(best), worst: word(worst) })
            }
            Self::Number(_) | Self::YesNo(_) | Self::Text(_) => self,
        }
    }
}

/// The word of a yes/no answer in texts, figures and files.
pub fn yes_or_no(yes: bool) -> &'static str {
    if yes { "Yes" } else { "No" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::question::QuestionType;

    fn of_type(question_type: QuestionType) -> Question {
        let texts = |texts: [&str; 2]| texts.map(str::to_owned).to_vec();
        Question {
            question_type,
            options: texts(["Tea", "Water"]),
            scale_labels: texts(["No", "Yes"]),
            sub_questions: texts(["Zeal", "Calm"]),
            ..Question::default()
        }
    }

    #[test]
    fn every_type_is_decoded_and_written_as_it_was_stored() {
        use QuestionType::*;
        for (question_type, stored, text) in [
            (SingleChoice, json!("Tea"), "Tea"),
            (MultipleChoice, json!(["Tea", "Water"]), "Tea | Water"),
            (Matrix, json!({ "Zeal": "No", "Calm": "Yes" }), "Q1: No | Q2: Yes"),
            (MatrixMulti, json!({ "Zeal": ["No", "Yes"], "Calm": ["Yes"] }), "Q1: No; Yes | Q2: Yes"),
            (Slider, json!(7), "7"),
            (Range, json!(-0.5), "-0.5"),
            (Number, json!(12), "12"),
            (Boolean, json!(true), "Yes"),
            (TextEntry, json!("baker"), "baker"),
            (OpenEnded, json!("Because."), "Because."),
            (ConstantSum, json!({ "Water": 0.5, "Tea": 9.5 }), "Tea: 9.5 | Water: 0.5"),
            (Rank, json!(["Water", "Tea"]), "1: Water | 2: Tea"),
            (BestWorst, json!({ "best": "Tea", "worst": "Water" }), "Best: Tea | Worst: Water"),
        ] {
            let question = of_type(question_type);
            let answer = Answer::decode(&question, &stored).unwrap();
            assert_eq!(
                (answer.to_value(), answer.text(&question).as_str()),
                (stored.clone(), text),
                "{question_type:?}"
            );
            let (parts, values) = question.layout().unwrap();
            let is_kind = |value: &AnswerValue<'_>| format!("{value:?}").starts_with(&format!("{values:?}("));
            assert!(answer.parts().iter().all(|(_, value)| is_kind(value)), "{question_type:?}");
            let names: Option<Vec<&str>> = answer.parts().into_iter().map(|(name, _)| name).collect();
            let mut names = names.unwrap_or_default();
            names.sort_by_key(|name| question.part_names().iter().position(|known| known == name));
            assert_eq!((names, parts == Parts::Whole), (question.part_names(), question.part_names().is_empty()));
            let of_text = Answer::decode(&question, &mut serde_json::Deserializer::from_str(&stored.to_string()));
            assert_eq!(of_text.unwrap(), answer);
        }
        assert!(Answer::decode(&of_type(Info), &json!("Tea")).is_err());
    }

    #[test]
    fn json_of_another_shape_is_no_answer() {
        for (question_type, stored) in [
            (QuestionType::SingleChoice, json!(1)),
            (QuestionType::MultipleChoice, json!("Tea")),
            (QuestionType::Matrix, json!({ "Zeal": ["No"] })),
            (QuestionType::MatrixMulti, json!({ "Zeal": "No" })),
            (QuestionType::Number, json!("7")),
            (QuestionType::Boolean, json!("Yes")),
            (QuestionType::Rank, json!({ "Tea": 1 })),
            (QuestionType::BestWorst, json!({ "best": "Tea" })),
            // Answers of an erased person are stored as null.
            (QuestionType::OpenEnded, json!(null)),
        ] {
            assert!(Answer::decode(&of_type(question_type), &stored).is_err(), "{question_type:?} {stored}");
        }
    }

    #[test]
    fn other_words_stand_for_options_labels_and_rows_alone() {
        let words = HashMap::from([("Tea", "Chai"), ("best", "first"), ("Zeal", "Drive"), ("No", "Never")]);
        let in_words = |question_type, stored| {
            let answer = Answer::decode(&of_type(question_type), &stored).unwrap();
            answer.in_words(&words).to_value()
        };
        for (question_type, stored, expected) in [
            (QuestionType::SingleChoice, json!("Tea"), json!("Chai")),
            (QuestionType::Rank, json!(["Water", "Tea"]), json!(["Water", "Chai"])),
            (QuestionType::Matrix, json!({ "Zeal": "No" }), json!({ "Drive": "Never" })),
            (QuestionType::MatrixMulti, json!({ "Zeal": ["No"] }), json!({ "Drive": ["Never"] })),
            (QuestionType::ConstantSum, json!({ "Tea": 3 }), json!({ "Chai": 3 })),
            (
                QuestionType::BestWorst,
                json!({ "best": "Tea", "worst": "Water" }),
                json!({ "best": "Chai", "worst": "Water" }),
            ),
            (QuestionType::OpenEnded, json!("Tea"), json!("Tea")),
        ] {
            assert_eq!(in_words(question_type, stored), expected);
        }
    }
}
