//! Choices of a question: options, rows and labels with their ids, codes and orders.

use serde_json::Value;

use super::Importer;
use super::file::{entries, listed, number_of, text_of};
use super::texts::{TextPlace, escaped};
use crate::design::logic::Shuffle;
use crate::import::{LossCode, LossSeverity, ReportList};

/// Options, rows or labels of one question.
const MAX_CHOICES: usize = 200;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileChoice {
    pub id: String,
    /// As the design has it, with its pipes.
    pub text: String,
}

/// Which of a question's lists.
#[derive(Clone, Copy, PartialEq)]
pub enum Of {
    Options,
    Rows,
    Labels,
}

impl Importer<'_> {
    /// In the order of the file, each text not blank and once.
    pub fn choices(&mut self, payload: &Value, of: Of, place: &TextPlace<'_>) -> Vec<FileChoice> {
        let mut choices: Vec<FileChoice> = Vec::new();
        for (number, (id, choice)) in (1..).zip(raw_choices(payload, of)) {
            if number > MAX_CHOICES {
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::TooManyOptions,
                    LossSeverity::Error,
                    "more than 200 choices",
                    "the first 200",
                );
                break;
            }
            let display = choice.get("Display").or(Some(choice)).and_then(Value::as_str).unwrap_or_default();
            let mut text = self.choice_text(display, place);
            if let Some(image) = choice.get("Image").filter(|image| image.is_object() || image.is_string()) {
                let described = ["ImageLocation", "Description", "Display"]
                    .into_iter()
                    .find_map(|key| Some(text_of(image.get(key))).filter(|text| !text.is_empty()));
                let described = described.unwrap_or_else(|| text_of(Some(image)));
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::Image,
                    LossSeverity::Warning,
                    &described,
                    "its description",
                );
                if text.is_empty() {
                    text = format!("[image: {}]", escaped(described.trim()));
                }
            }
            if of == Of::Rows && text_of(payload.get("Selector")) == "Bipolar" {
                text = text.replacen(':', " .. ", 1);
            }
            if text.is_empty() {
                text = if of == Of::Labels { number.to_string() } else { format!("(blank {number})") };
                let was = format!("choice {id} without a text");
                self.note(place, ReportList::Changed, LossCode::BlankText, LossSeverity::Note, &was, &text);
            }
            if choices.iter().any(|other| other.text == text) {
                let was = text.clone();
                let mut copy = 2;
                while choices.iter().any(|other| other.text == text) {
                    text = format!("{was} ({copy})");
                    copy += 1;
                }
                self.note(place, ReportList::Changed, LossCode::EqualText, LossSeverity::Note, &was, &text);
            }
            if choice
                .get("TextEntry")
                .is_some_and(|entry| entry != &Value::Bool(false) && text_of(Some(entry)) != "false")
            {
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::OtherText,
                    LossSeverity::Note,
                    &format!("a field for text at {text:?}"),
                    "the option",
                );
            }
            if choice.get("ExclusiveAnswer").is_some_and(|exclusive| text_of(Some(exclusive)) != "false") {
                let was = format!("{text:?} excludes the others");
                self.note(
                    place,
                    ReportList::Lost,
                    LossCode::ExclusiveOption,
                    LossSeverity::Note,
                    &was,
                    "an option like others",
                );
            }
            choices.push(FileChoice { id, text });
        }
        choices
    }

    /// What files call the choices, where that is not 1, 2, 3.
    pub fn codes(&mut self, payload: &Value, choices: &[FileChoice], place: &TextPlace<'_>) -> Option<Vec<i64>> {
        let recoded = payload.get("RecodeValues").filter(|codes| !entries(codes).is_empty())?;
        let code = |choice: &FileChoice| text_of(recoded.get(&choice.id)).trim().parse::<i64>().ok();
        let codes: Option<Vec<i64>> = choices.iter().map(code).collect();
        let Some(codes) = codes.filter(|codes| {
            let mut different = codes.clone();
            different.sort_unstable();
            different.dedup();
            different.len() == codes.len()
        }) else {
            let was = "codes that are no whole numbers, missing or equal";
            self.note(place, ReportList::Lost, LossCode::Codes, LossSeverity::Note, was, "1, 2, 3");
            return None;
        };
        let is_default = codes.iter().zip(1..).all(|(code, place)| *code == place);
        (!is_default).then_some(codes)
    }
}

fn raw_choices(payload: &Value, of: Of) -> Vec<(String, &Value)> {
    let (field, order) = match of {
        Of::Options | Of::Rows => ("Choices", "ChoiceOrder"),
        Of::Labels => ("Answers", "AnswerOrder"),
    };
    let all = listed(payload.get(field));
    let ordered: Vec<(String, &Value)> = (listed(payload.get(order)).into_iter())
        .filter_map(|(_, id)| all.iter().find(|(known, _)| *known == text_of(Some(id))).cloned())
        .collect();
    if ordered.is_empty() { all } else { ordered }
}

/// The ids of options or rows, in the order of the file.
pub fn ids(payload: &Value) -> Vec<String> {
    raw_choices(payload, Of::Rows).into_iter().map(|(id, _)| id).collect()
}

/// How choices are shuffled, and the ids of those that keep their place.
pub fn shuffle(payload: &Value) -> (Option<Shuffle>, Vec<String>) {
    let Some(randomization) = payload.get("Randomization") else { return (None, Vec::new()) };
    let subset = number_of(randomization.get("TotalRandSubset")).filter(|size| *size >= 1.0);
    let advanced = randomization.get("Advanced").filter(|advanced| advanced.is_object());
    let fixed = advanced.map(|advanced| listed(advanced.get("FixedOrder"))).unwrap_or_default();
    let pinned = fixed.iter().map(|(_, id)| text_of(Some(id))).filter(|id| id != "{~Randomized~}").collect();
    let of_advanced =
        advanced.and_then(|advanced| number_of(advanced.get("TotalRandSubset"))).filter(|size| *size >= 1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at least 1; what is more than all is cut"
    )]
    let subset = subset.or(of_advanced).map(|size| Shuffle::Subset(size as u32));
    match text_of(randomization.get("Type")).as_str() {
        "All" => (subset.or(Some(Shuffle::All)), Vec::new()),
        "Subset" | "Advanced" => (subset.or(Some(Shuffle::All)), pinned),
        "ScaleReversal" => (Some(Shuffle::Flip), Vec::new()),
        _ => (None, Vec::new()),
    }
}
