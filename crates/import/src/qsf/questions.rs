//! Converts questions of the file to questions of the design.

use std::collections::BTreeMap;

use serde_json::Value;
use survey::answer::{Parts, ValueKind};
use survey::item::Item;
use survey::logic::{QuestionLogic, Scale, Shuffle};
use survey::question::{Question, QuestionType};
use survey::scales::{self, ScaleReason};

use super::Importer;
use super::choices::{ChoiceKind, FileChoice};
use super::file::{listed, number_of, text_of};
use super::orders::FileOrder;
use super::shapes::{QuestionPart, QuestionShape, column_of, ends};
use super::texts::{TextPlace, escaped};
use super::unsupported::column_labels;
use crate::{LossCode, LossSeverity, ReportList};

impl Importer<'_> {
    /// Makes the questions, in the order of the flow.
    pub fn build_questions(&mut self) {
        for (qid, columns) in self.live() {
            let Some(payload) = self.file.question(&qid) else { continue };
            let place = TextPlace { qid: Some(&qid), name: None, columns };
            self.scripts(payload, &place);
            self.note_plugin(payload, &place);
            let shape = QuestionShape::find(self.file, payload);
            if let Some(answer) = self.file.constant_answer(&qid) {
                let was = format!("an answer that is chosen beforehand, by a field that is {answer:?} for everybody");
                let now = "that answer: the question is not asked";
                self.note(&place, ReportList::Changed, LossCode::DefaultAnswer, LossSeverity::Note, &was, now);
                self.parts.insert(qid, Vec::new());
                continue;
            }
            let described = format!("{} / {}", text_of(payload.get("QuestionType")), text_of(payload.get("Selector")));
            match shape {
                QuestionShape::Silent => {
                    self.note(
                        &place,
                        ReportList::Dropped,
                        LossCode::Timing,
                        LossSeverity::Note,
                        &described,
                        "nothing: no person answers it",
                    );
                }
                QuestionShape::Unsupported => {
                    self.note(
                        &place,
                        ReportList::Lost,
                        LossCode::UnsupportedType,
                        LossSeverity::Warning,
                        &described,
                        "its text, without an answer",
                    );
                }
                QuestionShape::Info => {}
                QuestionShape::One(_) | QuestionShape::Each(_) | QuestionShape::SideBySide => {
                    self.note_lists(payload, ChoiceKind::Options, &place);
                    self.note_lists(payload, ChoiceKind::Labels, &place);
                    self.note_rules(payload, &place);
                    self.note_graphic(payload, &place);
                }
            }
            for part in self.parts.get(&qid).cloned().unwrap_or_default() {
                let place = TextPlace { name: Some(&part.name), ..place };
                let item = match (shape, &part.choice) {
                    (QuestionShape::SideBySide, Some(column)) => self.column(payload, column, &part, &place),
                    _ => self.item(payload, &part, &place),
                };
                match item {
                    Some(mut item) => {
                        item.logic.import_id = Some(part.import_id(shape, &qid));
                        let tag = text_of(payload.get("DataExportTag"));
                        let tag = part.import_id(shape, tag.trim());
                        item.logic.export_tag = Some(tag).filter(|tag| *tag != part.name);
                        self.infer_scale(&mut item, &place);
                        self.items.push(item);
                    }
                    None => {
                        self.note(
                            &place,
                            ReportList::Dropped,
                            LossCode::EmptyText,
                            LossSeverity::Note,
                            "a text that is empty",
                            "nothing",
                        );
                        self.parts.entry(qid.clone()).or_default().retain(|known| known.name != part.name);
                    }
                }
            }
        }
    }

    fn column(&mut self, payload: &Value, column: &str, part: &QuestionPart, place: &TextPlace<'_>) -> Option<Item> {
        let columns = listed(payload.get("AdditionalQuestions"));
        let matrix = column_of(payload, columns.into_iter().find(|(id, _)| id == column)?.1);
        if part.kind == QuestionType::Info {
            let was = format!("a column of kind {}", text_of(matrix.get("Selector")));
            let now = "its text, without an answer";
            self.note(place, ReportList::Lost, LossCode::UnsupportedType, LossSeverity::Warning, &was, now);
        } else {
            self.note_lists(&matrix, ChoiceKind::Labels, place);
            self.note_rules(&matrix, place);
        }
        let mut item = self.item(&matrix, &QuestionPart { choice: None, ..part.clone() }, place)?;
        if let Some(qid) = place.qid {
            // Logic and pipes append the column to the question's id.
            let name = format!("{qid}#{column}");
            for known in [&mut self.options, &mut self.rows] {
                if let Some(choices) = known.get(qid).cloned() {
                    known.insert(name.clone(), choices);
                }
            }
            self.parts.insert(name, vec![part.clone()]);
        }
        let whole = self.text(payload.get("QuestionText").and_then(Value::as_str).unwrap_or_default(), place);
        if !whole.is_empty() && whole != item.question.text {
            item.question.text = format!("{whole}\n{}", item.question.text);
        }
        Some(item)
    }

    /// Converts a question or a part of it. `None` for an empty text without an answer.
    fn item(&mut self, payload: &Value, part: &QuestionPart, place: &TextPlace<'_>) -> Option<Item> {
        let mut text = self.text(payload.get("QuestionText").and_then(Value::as_str).unwrap_or_default(), place);
        if part.kind == QuestionType::Info {
            text = self.graphic(payload, text, place);
            if text.is_empty() {
                return None;
            }
        }
        let mut item = Item {
            question: Question {
                name: part.name.clone(),
                required: true,
                question_type: part.kind,
                ..Question::default()
            },
            logic: QuestionLogic::default(),
        };
        match part.kind.layout() {
            None | Some((_, ValueKind::Text)) => {}
            Some((Parts::Ends, _)) => {
                self.choose(payload, &mut item, place);
                if let Some([best, worst]) = ends(payload) {
                    let [best, worst] = [best, worst].map(|end| self.choice_text(&escaped(&end), place));
                    text = format!("{text}\nBest means: {best}. Worst means: {worst}.").trim().to_owned();
                }
            }
            Some((_, ValueKind::YesNo)) => {
                let options = self.options_of(payload, place);
                let only = options.first().map(|option| option.text.clone()).unwrap_or_default();
                self.note(place, ReportList::Changed, LossCode::OneOption, LossSeverity::Note, &only, "yes or no");
                text = format!("{text}\n{only}").trim().to_owned();
            }
            Some((Parts::Whole, ValueKind::Choice | ValueKind::Choices) | (_, ValueKind::Rank)) => {
                self.choose(payload, &mut item, place);
            }
            Some((Parts::Options, _)) => {
                if part.choice.is_some() {
                    // For a row of a matrix, the columns are the parts of the sum.
                    item.question.options = texts(&self.choices(payload, ChoiceKind::Labels, place));
                } else {
                    self.choose(payload, &mut item, place);
                }
                item.logic.codes = None;
                let total = number_of(payload.pointer("/Validation/Settings/ChoiceTotal")).filter(|total| *total > 0.0);
                item.question.total = total.filter(|total| *total != 100.0);
            }
            Some((Parts::Rows, _)) => self.rate(payload, &mut item, place),
            Some((Parts::Whole, _)) if part.kind == QuestionType::Slider => self.slide(payload, &mut item, place),
            Some((Parts::Whole, _)) if part.kind == QuestionType::Range => {
                (item.question.min_value, item.question.max_value) = (Some(0.0), Some(10.0));
                let mut labels = column_labels(payload).into_iter();
                let mut end = |otherwise: &str| {
                    let label = labels.next().unwrap_or_default();
                    let label = self.choice_text(&label, place);
                    Some(if label.is_empty() { otherwise.to_owned() } else { label })
                };
                item.question.min_description = end("Not at all likely");
                item.question.max_description = end("Extremely likely");
            }
            Some((Parts::Whole, _)) => {
                let bound = |field: &str| {
                    let settings = payload.pointer("/Validation/Settings");
                    let nested =
                        settings.and_then(|settings| number_of(settings.pointer(&format!("/ValidNumber/{field}"))));
                    nested.or_else(|| settings.and_then(|settings| number_of(settings.get(field))))
                };
                let (min, max) = (bound("Min"), bound("Max"));
                if min.zip(max).is_none_or(|(min, max)| min < max) {
                    (item.question.min_value, item.question.max_value) = (min, max);
                }
            }
        }
        if let Some(choice) = &part.choice {
            let rows = self.choices(payload, ChoiceKind::Rows, place);
            let row = rows.iter().find(|row| row.id == *choice).map(|row| row.text.as_str()).unwrap_or_default();
            // A slider with one choice has a blank label, or one without information.
            if !(row.is_empty() || rows.len() == 1 && row.starts_with("(blank")) {
                text = format!("{text}\n{row}").trim().to_owned();
            }
        }
        if text.is_empty() {
            text = "(blank)".into();
            self.note(
                place,
                ReportList::Changed,
                LossCode::BlankText,
                LossSeverity::Note,
                "a question without a text",
                &text,
            );
        }
        item.question.text = text;
        Some(item)
    }

    /// Returns the text of a question: its own, or the image's if the question is an image.
    fn graphic(&mut self, payload: &Value, text: String, place: &TextPlace<'_>) -> String {
        let graphic = text_of(payload.get("Graphics"));
        if text_of(payload.get("Selector")) != "GRB" && graphic.is_empty() {
            return text;
        }
        let described = text_of(payload.get("GraphicsDescription"));
        let described = if described.trim().is_empty() { graphic } else { described };
        self.note(place, ReportList::Lost, LossCode::Image, LossSeverity::Warning, &described, "its description");
        let image = format!("[image: {}]", escaped(described.trim()));
        // Without a text box, the text is the image's name.
        let has_text = text_of(payload.get("SubSelector")) != "WOTXB" && !text.is_empty();
        if has_text { format!("{text}\n{image}") } else { image }
    }

    /// Reports an image beside a question that takes an answer.
    fn note_graphic(&mut self, payload: &Value, place: &TextPlace<'_>) {
        let graphic = text_of(payload.get("Graphics"));
        if !graphic.is_empty() {
            let described = text_of(payload.get("GraphicsDescription"));
            let was = if described.trim().is_empty() { graphic } else { described };
            self.note(place, ReportList::Lost, LossCode::Image, LossSeverity::Warning, &was, "nothing");
        }
    }

    fn options_of(&mut self, payload: &Value, place: &TextPlace<'_>) -> Vec<FileChoice> {
        let options = self.choices(payload, ChoiceKind::Options, place);
        if let Some(qid) = place.qid {
            self.options.insert(qid.to_owned(), options.clone());
        }
        options
    }

    fn choose(&mut self, payload: &Value, item: &mut Item, place: &TextPlace<'_>) {
        let options = self.options_of(payload, place);
        item.logic.codes = self.codes(payload, &options, place);
        item.question.options = texts(&options);
        if item.kind() == QuestionType::MultipleChoice {
            item.logic.part_ids = part_ids(&options);
            let exclusive = options.iter().filter(|option| option.is_exclusive).map(|option| option.text.clone());
            item.logic.exclusive = Some(exclusive.collect()).filter(|exclusive: &Vec<String>| !exclusive.is_empty());
        }
        let order = FileOrder::read_choices(payload, ChoiceKind::Options);
        let flip = order.is_flipped.then_some(Shuffle::Flip);
        item.logic.shuffle = self.fitting(order.shuffle.or(flip), options.len(), place);
        item.logic.pin = pins(&options, &order, item.logic.shuffle);
    }

    fn rate(&mut self, payload: &Value, item: &mut Item, place: &TextPlace<'_>) {
        let (rows, labels) =
            (self.choices(payload, ChoiceKind::Rows, place), self.choices(payload, ChoiceKind::Labels, place));
        item.logic.codes = self.codes(payload, &labels, place);
        item.question.sub_questions = texts(&rows);
        item.logic.part_ids = part_ids(&rows);
        item.question.scale_labels = texts(&labels);
        let (of_rows, of_labels) =
            (FileOrder::read_choices(payload, ChoiceKind::Rows), FileOrder::read_choices(payload, ChoiceKind::Labels));
        item.logic.row_shuffle = self.fitting(of_rows.shuffle, rows.len(), place);
        // The file reverses the scale, not the rows.
        let flip = (of_rows.is_flipped || of_labels.is_flipped).then_some(Shuffle::Flip);
        item.logic.shuffle = self.fitting(of_labels.shuffle.or(flip), labels.len(), place);
        let pinned = [pins(&rows, &of_rows, item.logic.row_shuffle), pins(&labels, &of_labels, item.logic.shuffle)];
        item.logic.pin =
            Some(pinned.into_iter().flatten().flatten().collect()).filter(|pin: &Vec<String>| !pin.is_empty());
        if let Some(qid) = place.qid {
            self.options.insert(qid.to_owned(), labels);
            self.rows.insert(qid.to_owned(), rows);
        }
    }

    fn slide(&mut self, payload: &Value, item: &mut Item, place: &TextPlace<'_>) {
        let bound = |fields: &[&str]| {
            fields.iter().find_map(|field| number_of(payload.pointer(&format!("/Configuration/{field}"))))
        };
        let is_star = text_of(payload.get("Selector")) == "STAR";
        let (min, max) = if is_star {
            (Some(0.0), bound(&["StarCount", "CSSliderMax"]).or(Some(5.0)))
        } else {
            (bound(&["CSSliderMin", "SliderMin"]), bound(&["CSSliderMax", "SliderMax"]))
        };
        let (min, max) = (min.unwrap_or(0.0), max.unwrap_or(100.0));
        (item.question.min_value, item.question.max_value) =
            if min < max { (Some(min), Some(max)) } else { (Some(0.0), Some(100.0)) };
        let labels = listed(payload.get("Labels"));
        let mut label = |label: Option<&(String, &Value)>| {
            let text = label?.1.get("Display")?.as_str()?;
            Some(self.choice_text(text, place)).filter(|text| !text.is_empty())
        };
        item.question.min_description = label(labels.first());
        item.question.max_description = label(labels.last().filter(|_| labels.len() > 1));
        let dropped = labels.len().saturating_sub(2);
        let between: Vec<String> = (labels.iter().skip(1).take(dropped))
            .filter_map(|(_, label)| Some(crate::text::plain(label.get("Display")?.as_str()?).text))
            .filter(|text| !text.is_empty())
            .collect();
        if !between.is_empty() {
            let was = format!("labels between the ends: {}", between.join(", "));
            self.note(place, ReportList::Lost, LossCode::BlankText, LossSeverity::Note, &was, "the labels of the ends");
        }
    }

    /// States the scale of a choice whose options are degrees, and reports one that somebody has to decide.
    fn infer_scale(&mut self, item: &mut Item, place: &TextPlace<'_>) {
        if item.kind() != QuestionType::SingleChoice {
            return;
        }
        let (scale, why) = scales::infer(&item.question.options, item.logic.codes.as_deref());
        if scale != Scale::Nominal {
            item.logic.scale = Some(scale);
        } else if why == ScaleReason::CodesDisagree {
            let (was, now) = ("options that rise or fall, with codes that do not", "options without an order");
            self.note(place, ReportList::Lost, LossCode::Codes, LossSeverity::Note, was, now);
        }
    }

    /// Cuts the size of a subset to that of its list.
    fn fitting(&mut self, shuffle: Option<Shuffle>, of: usize, place: &TextPlace<'_>) -> Option<Shuffle> {
        match shuffle {
            Some(Shuffle::Subset(size)) if usize::try_from(size).unwrap_or(usize::MAX) >= of => {
                self.note(
                    place,
                    ReportList::Changed,
                    LossCode::TooManyOptions,
                    LossSeverity::Note,
                    &format!("{size} of {of} shown"),
                    "all",
                );
                Some(Shuffle::All)
            }
            shuffle => shuffle,
        }
    }
}

fn texts(choices: &[FileChoice]) -> Vec<String> {
    choices.iter().map(|choice| choice.text.clone()).collect()
}

/// Returns the ids of rows or options by their texts. `None` if there are none.
fn part_ids(choices: &[FileChoice]) -> Option<BTreeMap<String, String>> {
    let ids = choices.iter().map(|choice| (choice.text.clone(), choice.id.clone()));
    Some(ids.collect()).filter(|ids: &BTreeMap<_, _>| !ids.is_empty())
}

/// Returns the pinned choices, if others are shuffled around them.
fn pins(choices: &[FileChoice], order: &FileOrder, shuffle: Option<Shuffle>) -> Option<Vec<String>> {
    let is_pinned = |choice: &&FileChoice| order.pinned().any(|id| *id == choice.id);
    let pinned: Vec<String> = choices.iter().filter(is_pinned).map(|choice| choice.text.clone()).collect();
    (shuffle.is_some() && !pinned.is_empty()).then_some(pinned)
}
