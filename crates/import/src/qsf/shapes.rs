//! The type that a question of the file becomes, and the number of questions that are made of it.

use serde_json::Value;
use survey::question::QuestionType;
use survey::question::names::QuestionNames;

use super::choices::ids;
use super::file::{QsfFile, listed, text_of};
use crate::text::plain;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionShape {
    /// One question of this type.
    One(QuestionType),
    /// A question of this type for each choice.
    Each(QuestionType),
    /// A matrix for each column.
    SideBySide,
    /// A text without an answer.
    Info,
    /// A text without an answer, because this product has no such type.
    Unsupported,
    /// Left out, because no person answers it.
    Silent,
}

/// A question that is made of a question of the file, or of a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionPart {
    pub name: String,
    pub kind: QuestionType,
    /// The id of the choice, or of the column, that it is made of.
    pub choice: Option<String>,
}

impl QuestionPart {
    /// Returns the id by which Qualtrics' files name the question: `QID7`, the choice `QID7_3` of it, or its column
    /// `QID7#2`.
    pub fn import_id(&self, shape: QuestionShape, qid: &str) -> String {
        match (shape, &self.choice) {
            (_, None) => qid.to_owned(),
            (QuestionShape::SideBySide, Some(column)) => format!("{qid}#{column}"),
            (_, Some(choice)) => format!("{qid}_{choice}"),
        }
    }
}

impl QuestionShape {
    pub fn find(file: &QsfFile, payload: &Value) -> Self {
        let text = |field: &str| text_of(payload.get(field));
        let (choices, labels) = (ids(file, payload).len(), listed(payload.get("Answers")));
        let settings = payload.pointer("/Validation/Settings");
        match (text("QuestionType").as_str(), text("Selector").as_str(), text("SubSelector").as_str()) {
            ("MC", "NPS", _) => Self::One(QuestionType::Range),
            ("MC", _, _) if choices == 0 => Self::Unsupported,
            ("MC", "SAVR" | "SAHR" | "SACOL" | "DL" | "SB" | "MAVR" | "MAHR" | "MACOL" | "MSB", _) if choices == 1 => {
                Self::One(QuestionType::Boolean)
            }
            ("MC", "SAVR" | "SAHR" | "SACOL" | "DL" | "SB", _) => Self::One(QuestionType::SingleChoice),
            ("MC", "MAVR" | "MAHR" | "MACOL" | "MSB", _) => Self::One(QuestionType::MultipleChoice),
            ("Matrix", "TE", _) => Self::Each(QuestionType::TextEntry),
            ("Matrix", "CS", _) if labels.len() > 1 => Self::Each(QuestionType::ConstantSum),
            ("Matrix", "MaxDiff", _) if choices > 1 && ends(payload).is_some() => Self::One(QuestionType::BestWorst),
            // Each row may have labels of its own, or there may be nothing to choose from.
            ("Matrix", _, _) if labels.len() < 2 || labels.iter().any(|(_, label)| label.get("Display").is_none()) => {
                Self::Unsupported
            }
            ("Matrix", "Likert" | "Profile", "MultipleAnswer") => Self::One(QuestionType::MatrixMulti),
            ("Matrix", "Likert" | "Profile", "SingleAnswer" | "DL" | "DND" | "SACH" | "SACV" | "None" | "")
            | ("Matrix", "Bipolar", _) => Self::One(QuestionType::Matrix),
            ("TE", "FORM", _) => Self::Each(QuestionType::TextEntry),
            ("TE", "SL" | "ESTB" | "PW" | "AUTO" | "", _) => {
                let is = |field: &str, value: &str| text_of(settings.and_then(|settings| settings.get(field))) == value;
                let is_number = is("Type", "ContentType") && is("ContentType", "ValidNumber");
                Self::One(if is_number { QuestionType::Number } else { QuestionType::TextEntry })
            }
            ("TE", "ML", _) => Self::One(QuestionType::OpenEnded),
            ("Slider", "HSLIDER" | "HBAR" | "STAR", _) => Self::Each(QuestionType::Slider),
            ("CS", "VRTL" | "VR" | "TB" | "HR" | "HSLIDER" | "HBAR", _) if choices > 1 => {
                Self::One(QuestionType::ConstantSum)
            }
            ("RO", "DND" | "RB" | "TB" | "SB", _) if choices > 1 => Self::One(QuestionType::Rank),
            ("SBS", _, _) => Self::SideBySide,
            ("DB", _, _) => Self::Info,
            ("Timing" | "Meta" | "Captcha", _, _) => Self::Silent,
            _ => Self::Unsupported,
        }
    }

    pub fn is_asked(self) -> bool {
        matches!(self, Self::One(_) | Self::Each(_) | Self::SideBySide)
    }

    pub fn parts(self, file: &QsfFile, payload: &Value, name: &str, names: &mut QuestionNames) -> Vec<QuestionPart> {
        match self {
            Self::Silent => Vec::new(),
            Self::One(kind) => vec![QuestionPart { name: names.free(name, ""), kind, choice: None }],
            Self::Info | Self::Unsupported => {
                vec![QuestionPart { name: names.free(name, ""), kind: QuestionType::Info, choice: None }]
            }
            Self::Each(kind) => match ids(file, payload).as_slice() {
                [] => vec![QuestionPart { name: names.free(name, ""), kind, choice: None }],
                [one] => vec![QuestionPart { name: names.free(name, ""), kind, choice: Some(one.clone()) }],
                several => numbered(several.iter().map(|id| (id.clone(), kind)), name, names),
            },
            Self::SideBySide => {
                let kind = |column: &Value| match Self::find(file, &column_of(payload, column)) {
                    Self::One(kind) if kind.is_matrix() => kind,
                    _ => QuestionType::Info,
                };
                let columns = listed(payload.get("AdditionalQuestions"));
                numbered(columns.into_iter().map(|(id, column)| (id, kind(column))), name, names)
            }
        }
    }
}

/// Returns the labels of the best and the worst option, if they can be distinguished.
pub fn ends(payload: &Value) -> Option<[String; 2]> {
    let labels = listed(payload.get("Answers")).into_iter();
    let labels: Vec<String> = labels.map(|(_, label)| plain(&text_of(label.get("Display"))).text).collect();
    let is_worst = |label: &String| {
        let label = label.to_lowercase();
        ["least", "worst", "lowest", "dislike"].iter().any(|word| label.contains(word))
    };
    match labels.as_slice() {
        [one, other] if is_worst(one) && !is_worst(other) => Some([other.clone(), one.clone()]),
        [one, other] if is_worst(other) && !is_worst(one) => Some([one.clone(), other.clone()]),
        _ => None,
    }
}

fn numbered(
    ids: impl Iterator<Item = (String, QuestionType)>,
    name: &str,
    names: &mut QuestionNames,
) -> Vec<QuestionPart> {
    let legal = |id: &str| id.chars().filter(char::is_ascii_alphanumeric).take(20).collect::<String>();
    ids.map(|(id, kind)| QuestionPart { name: names.free(name, &format!("_{}", legal(&id))), kind, choice: Some(id) })
        .collect()
}

/// Returns a column of a side-by-side question as a matrix over its rows.
pub fn column_of(payload: &Value, column: &Value) -> Value {
    let mut matrix = column.clone();
    if let Some(matrix) = matrix.as_object_mut() {
        for field in ["Choices", "ChoiceOrder", "DynamicChoices", "Randomization"] {
            if let (false, Some(value)) = (matrix.contains_key(field), payload.get(field)) {
                matrix.insert(field.to_owned(), value.clone());
            }
        }
    }
    matrix
}
