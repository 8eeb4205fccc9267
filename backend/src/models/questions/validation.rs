//! What makes a payload a question.

use std::collections::HashSet;

use super::{Invalid, NewQuestion, QuestionPayload, QuestionType};

/// The longest question text, in characters.
const TEXT_LENGTH: usize = 10_000;

pub(super) const TEXT: &[&str] = &["text", "title"];
pub(super) const TYPE: &[&str] = &["type", "questionType", "question_type"];
pub(super) const OPTIONS: &[&str] = &["options", "Option", "Options", "option"];
pub(super) const SCALE_LABELS: &[&str] = &["scale_labels", "scaleLabels"];
pub(super) const SUB_QUESTIONS: &[&str] = &["sub_questions", "subQuestions"];
pub(super) const MIN_VALUE: &[&str] = &["min_value", "minValue"];
pub(super) const MAX_VALUE: &[&str] = &["max_value", "maxValue"];
pub(super) const MIN_DESCRIPTION: &[&str] = &["min_description", "minDescription"];
pub(super) const MAX_DESCRIPTION: &[&str] = &["max_description", "maxDescription"];
pub(super) const REQUIRED: &[&str] = &["required"];
pub(super) const PLACEHOLDER: &[&str] = &["placeholder"];

impl QuestionPayload {
    /// Fields that the type does not use are dropped: forms send them empty or stale.
    pub fn validate(self) -> Result<NewQuestion, Invalid> {
        let sent = self.read()?;
        let kind = sent.question_type;
        let bare = NewQuestion {
            text: sent.text,
            question_type: kind,
            required: sent.required,
            options: Vec::new(),
            scale_labels: Vec::new(),
            sub_questions: Vec::new(),
            min_value: None,
            max_value: None,
            min_description: None,
            max_description: None,
            placeholder: None,
        };
        let scale = (sent.min_value, sent.max_value);
        Ok(match kind {
            QuestionType::SingleChoice | QuestionType::MultipleChoice => {
                let too_few = "Choice questions must have at least 2 non-empty options";
                self.at_least_two(OPTIONS, &sent.options, too_few)?;
                NewQuestion { options: sent.options, ..bare }
            }
            QuestionType::Matrix => {
                let too_few = "Matrix questions must have at least 2 non-empty scale labels";
                self.at_least_two(SCALE_LABELS, &sent.scale_labels, too_few)?;
                self.none_blank(SUB_QUESTIONS, &sent.sub_questions, "Sub-questions must not be blank")?;
                self.none_twice(SUB_QUESTIONS, &sent.sub_questions)?;
                NewQuestion { scale_labels: sent.scale_labels, sub_questions: sent.sub_questions, ..bare }
            }
            QuestionType::Slider | QuestionType::Range => {
                let (min_description, max_description) = (sent.min_description, sent.max_description);
                let scaled =
                    NewQuestion { min_value: scale.0, max_value: scale.1, min_description, max_description, ..bare };
                self.must_be_scale(&scaled)?;
                scaled
            }
            QuestionType::Number => {
                self.in_order(scale)?;
                NewQuestion { min_value: scale.0, max_value: scale.1, placeholder: sent.placeholder, ..bare }
            }
            QuestionType::TextEntry | QuestionType::OpenEnded => NewQuestion { placeholder: sent.placeholder, ..bare },
            QuestionType::Boolean => bare,
        })
    }

    /// All that was sent: what stands in a field is of the field's kind, whether the type uses it or not, as the API's
    /// document says.
    fn read(&self) -> Result<NewQuestion, Invalid> {
        let text = self.text(TEXT, TEXT_LENGTH)?;
        Ok(NewQuestion {
            text: text.ok_or_else(|| Invalid::new(self.spelling(TEXT), "Question text is required"))?,
            question_type: self.question_type()?,
            required: self.flag(REQUIRED)?.unwrap_or(true),
            options: self.items(OPTIONS)?,
            scale_labels: self.items(SCALE_LABELS)?,
            sub_questions: self.items(SUB_QUESTIONS)?,
            min_value: self.number(MIN_VALUE)?,
            max_value: self.number(MAX_VALUE)?,
            min_description: self.short_text(MIN_DESCRIPTION)?,
            max_description: self.short_text(MAX_DESCRIPTION)?,
            placeholder: self.short_text(PLACEHOLDER)?,
        })
    }

    fn question_type(&self) -> Result<QuestionType, Invalid> {
        let field = self.spelling(TYPE);
        let name = self.short_text(TYPE)?.ok_or_else(|| Invalid::new(field, "Question type is required"))?;
        QuestionType::parse(&name).ok_or_else(|| {
            let known = QuestionType::ALL.map(QuestionType::name).join(", ");
            Invalid::new(field, format!("unknown question type {name:?}, must be one of {known}"))
        })
    }

    fn at_least_two(&self, field: &[&'static str], items: &[String], too_few: &str) -> Result<(), Invalid> {
        self.none_blank(field, items, too_few)?;
        if items.len() < 2 {
            return Err(Invalid::new(self.spelling(field), too_few));
        }
        self.none_twice(field, items)
    }

    fn none_blank(&self, field: &[&'static str], items: &[String], message: &str) -> Result<(), Invalid> {
        match items.iter().position(String::is_empty) {
            Some(index) => Err(self.item(field, index, message)),
            None => Ok(()),
        }
    }

    /// An answer could not say which of two equal ones was meant.
    fn none_twice(&self, field: &[&'static str], items: &[String]) -> Result<(), Invalid> {
        let mut seen = HashSet::new();
        match items.iter().enumerate().find(|(_, item)| !seen.insert(*item)) {
            Some((index, item)) => Err(self.item(field, index, &format!("{item:?} stands there twice"))),
            None => Ok(()),
        }
    }

    fn item(&self, field: &[&'static str], index: usize, message: &str) -> Invalid {
        Invalid::new(format!("{}[{index}]", self.spelling(field)), message)
    }

    fn must_be_scale(&self, question: &NewQuestion) -> Result<(), Invalid> {
        let is_range = question.question_type == QuestionType::Range;
        let kind = if is_range { "Range" } else { "Slider" };
        self.in_order((question.min_value, question.max_value))?;
        for (value, field) in [(question.min_value, MIN_VALUE), (question.max_value, MAX_VALUE)] {
            if value.is_none() {
                let message = format!("{kind} questions must have both minimum and maximum values");
                return Err(Invalid::new(self.spelling(field), message));
            }
        }
        for (description, field) in
            [(&question.min_description, MIN_DESCRIPTION), (&question.max_description, MAX_DESCRIPTION)]
        {
            if is_range && description.is_none() {
                let message = "Range questions must have descriptions for both minimum and maximum values";
                return Err(Invalid::new(self.spelling(field), message));
            }
        }
        Ok(())
    }

    /// The one below the other, where both are given.
    fn in_order(&self, (min, max): (Option<f64>, Option<f64>)) -> Result<(), Invalid> {
        match (min, max) {
            (Some(min), Some(max)) if min >= max => {
                Err(Invalid::new(self.spelling(MIN_VALUE), "Minimum value must be less than maximum value"))
            }
            _ => Ok(()),
        }
    }
}
