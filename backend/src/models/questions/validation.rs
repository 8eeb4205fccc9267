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
    /// Fields that the type does not use are dropped: forms send them empty or stale. Only their length counts, as
    /// the API's document says.
    pub fn validate(self) -> Result<NewQuestion, Invalid> {
        for list in [OPTIONS, SCALE_LABELS, SUB_QUESTIONS] {
            self.must_fit(list)?;
        }
        let text = self.text(TEXT, TEXT_LENGTH)?;
        let mut question = NewQuestion {
            text: text.ok_or_else(|| Invalid::new(self.spelling(TEXT), "Question text is required"))?,
            question_type: self.question_type()?,
            required: self.flag(REQUIRED)?.unwrap_or(true),
            options: Vec::new(),
            scale_labels: Vec::new(),
            sub_questions: Vec::new(),
            min_value: None,
            max_value: None,
            min_description: None,
            max_description: None,
            placeholder: None,
        };
        match question.question_type {
            QuestionType::SingleChoice | QuestionType::MultipleChoice => question.options = self.options()?,
            QuestionType::Matrix => {
                question.scale_labels = self.scale_labels()?;
                question.sub_questions = self.sub_questions()?;
            }
            QuestionType::Slider | QuestionType::Range => self.read_scale(&mut question)?,
            QuestionType::Number => {
                (question.min_value, question.max_value) = self.bounds()?;
                question.placeholder = self.short_text(PLACEHOLDER)?;
            }
            QuestionType::TextEntry | QuestionType::OpenEnded => {
                question.placeholder = self.short_text(PLACEHOLDER)?;
            }
            QuestionType::Boolean => {}
        }
        Ok(question)
    }

    fn question_type(&self) -> Result<QuestionType, Invalid> {
        let field = self.spelling(TYPE);
        let name = self.short_text(TYPE)?.ok_or_else(|| Invalid::new(field, "Question type is required"))?;
        QuestionType::parse(&name).ok_or_else(|| {
            let known = QuestionType::ALL.map(QuestionType::name).join(", ");
            Invalid::new(field, format!("unknown question type {name:?}, must be one of {known}"))
        })
    }

    fn options(&self) -> Result<Vec<String>, Invalid> {
        const TOO_FEW: &str = "Choice questions must have at least 2 non-empty options";
        let (field, options) = self.items(OPTIONS)?;
        if let Some(index) = options.iter().position(String::is_empty) {
            return Err(Invalid::new(format!("{field}[{index}]"), TOO_FEW));
        }
        if options.len() < 2 {
            return Err(Invalid::new(field, TOO_FEW));
        }
        distinct(field, options)
    }

    fn scale_labels(&self) -> Result<Vec<String>, Invalid> {
        const TOO_FEW: &str = "Matrix questions must have at least 2 non-empty scale labels";
        let (field, labels) = self.items(SCALE_LABELS)?;
        if let Some(index) = labels.iter().position(String::is_empty) {
            return Err(Invalid::new(format!("{field}[{index}]"), TOO_FEW));
        }
        if labels.len() < 2 {
            return Err(Invalid::new(field, TOO_FEW));
        }
        distinct(field, labels)
    }

    fn sub_questions(&self) -> Result<Vec<String>, Invalid> {
        let (field, rows) = self.items(SUB_QUESTIONS)?;
        if let Some(index) = rows.iter().position(String::is_empty) {
            return Err(Invalid::new(format!("{field}[{index}]"), "Sub-questions must not be blank"));
        }
        distinct(field, rows)
    }

    fn read_scale(&self, question: &mut NewQuestion) -> Result<(), Invalid> {
        let is_range = question.question_type == QuestionType::Range;
        let kind = if is_range { "Range" } else { "Slider" };
        let (min, max) = self.bounds()?;
        for (value, field) in [(min, MIN_VALUE), (max, MAX_VALUE)] {
            if value.is_none() {
                let message = format!("{kind} questions must have both minimum and maximum values");
                return Err(Invalid::new(self.spelling(field), message));
            }
        }
        question.min_value = min;
        question.max_value = max;
        question.min_description = self.short_text(MIN_DESCRIPTION)?;
        question.max_description = self.short_text(MAX_DESCRIPTION)?;
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

    /// The minimum and the maximum, the one below the other where both are given.
    fn bounds(&self) -> Result<(Option<f64>, Option<f64>), Invalid> {
        let (min, max) = (self.number(MIN_VALUE)?, self.number(MAX_VALUE)?);
        if let (Some(min), Some(max)) = (min, max)
            && min >= max
        {
            return Err(Invalid::new(self.spelling(MIN_VALUE), "Minimum value must be less than maximum value"));
        }
        Ok((min, max))
    }
}

/// The items, refused where one of them stands twice: an answer could not say which was meant.
fn distinct(field: &str, items: Vec<String>) -> Result<Vec<String>, Invalid> {
    let mut seen = HashSet::new();
    match items.iter().position(|item| !seen.insert(item)) {
        Some(index) => Err(Invalid::new(format!("{field}[{index}]"), format!("{:?} stands there twice", items[index]))),
        None => Ok(items),
    }
}
