//! Validates payloads.

use std::collections::HashSet;

use super::payload::{
    MAX_DESCRIPTION, MAX_VALUE, MIN_DESCRIPTION, MIN_VALUE, NAME, OPTIONS, PLACEHOLDER, REQUIRED, SCALE_LABELS,
    SUB_QUESTIONS, TEXT, TOTAL, TYPE,
};
use super::{Invalid, Question, QuestionPayload, QuestionType, names};
use crate::answer::AnswerShape;
use crate::types::definition;

/// Maximum length of a question's text, in characters.
const MAX_TEXT_LENGTH: usize = 10_000;

impl QuestionPayload {
    /// Validates a question without a position. Drops fields that its type does not use, because forms send them empty
    /// or stale.
    pub fn validate(&self) -> Result<Question, Invalid> {
        let mut question = self.read()?;
        question.drop_unused();
        definition(question.question_type).validate(self, &question)?;
        Ok(question)
    }

    /// Applies the payload to `before`, at the same position. Fields that it does not mention stay.
    pub fn amend(self, before: &Question) -> Result<Question, Invalid> {
        let Question { id, survey_id, order, .. } = *before;
        Ok(Question { id, survey_id, order, ..self.completed_by(before).validate()? })
    }

    /// Reads the payload. Every field must have its JSON type, even if the question's type does not use it.
    fn read(&self) -> Result<Question, Invalid> {
        let text = self.text(TEXT, MAX_TEXT_LENGTH)?;
        Ok(Question {
            text: text.ok_or_else(|| Invalid::new(self.spelling(TEXT), "Question text is required"))?,
            name: self.name()?,
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
            total: self.number(TOTAL)?,
            logic: self.logic()?,
            ..Question::default()
        })
    }

    /// Returns the name, or an empty text if it has to be generated.
    fn name(&self) -> Result<String, Invalid> {
        let name = self.short_text(NAME)?.unwrap_or_default();
        if !name.is_empty() {
            names::check(&name).map_err(|message| Invalid::new(self.spelling(NAME), message))?;
        }
        Ok(name)
    }

    fn question_type(&self) -> Result<QuestionType, Invalid> {
        let field = self.spelling(TYPE);
        let name = self.short_text(TYPE)?.ok_or_else(|| Invalid::new(field, "Question type is required"))?;
        QuestionType::parse(&name).ok_or_else(|| {
            let known = QuestionType::ALL.map(QuestionType::name).join(", ");
            Invalid::new(field, format!("unknown question type {name:?}, must be one of {known}"))
        })
    }

    /// Checks that there are at least two options, none blank or equal. `too_few` is the message if there are fewer.
    pub(crate) fn must_have_options(&self, options: &[String], too_few: &str) -> Result<(), Invalid> {
        self.at_least_two(OPTIONS, options, too_few)?;
        self.none_with_separator(OPTIONS, options)
    }

    /// Checks that there are at least two labels, that labels and rows are not blank, and that none are equal.
    pub(crate) fn must_have_labels_and_rows(&self, question: &Question) -> Result<(), Invalid> {
        let too_few = "Matrix questions must have at least 2 non-empty scale labels";
        self.at_least_two(SCALE_LABELS, &question.scale_labels, too_few)?;
        self.none_with_separator(SCALE_LABELS, &question.scale_labels)?;
        self.none_blank(SUB_QUESTIONS, &question.sub_questions, "Sub-questions must not be blank")?;
        self.none_twice(SUB_QUESTIONS, &question.sub_questions)
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

    /// Refuses duplicates: an answer could not say which of two equal items it means.
    fn none_twice(&self, field: &[&'static str], items: &[String]) -> Result<(), Invalid> {
        let mut seen = HashSet::new();
        match items.iter().enumerate().find(|(_, item)| !seen.insert(*item)) {
            Some((index, item)) => Err(self.item(field, index, &format!("{item:?} is listed twice"))),
            None => Ok(()),
        }
    }

    /// Refuses ` | ` in items: answers of several items are joined by it and must be separable again.
    fn none_with_separator(&self, field: &[&'static str], items: &[String]) -> Result<(), Invalid> {
        match items.iter().position(|item| format!(" {item} ").contains(" | ")) {
            Some(index) => Err(self.item(field, index, "must not hold \" | \", which separates answers")),
            None => Ok(()),
        }
    }

    fn item(&self, field: &[&'static str], index: usize, message: &str) -> Invalid {
        Invalid::new(format!("{}[{index}]", self.spelling(field)), message)
    }

    /// Checks that the minimum is below the maximum, if both are given.
    pub(crate) fn must_be_in_order(&self, (min, max): (Option<f64>, Option<f64>)) -> Result<(), Invalid> {
        match (min, max) {
            (Some(min), Some(max)) if min >= max => {
                Err(Invalid::new(self.spelling(MIN_VALUE), "Minimum value must be less than maximum value"))
            }
            _ => Ok(()),
        }
    }
}

impl Question {
    fn drop_unused(&mut self) {
        let of_type = definition(self.question_type);
        let (is_number, has_descriptions) = (self.question_type.is_number(), of_type.has_descriptions());
        if !self.has_options() {
            self.options.clear();
        }
        if !self.question_type.is_matrix() {
            self.scale_labels.clear();
            self.sub_questions.clear();
        }
        if !is_number {
            (self.min_value, self.max_value) = (None, None);
        }
        if !has_descriptions {
            (self.min_description, self.max_description) = (None, None);
        }
        if !self.is_text() && (!is_number || has_descriptions) {
            self.placeholder = None;
        }
        if self.shape() != Some(AnswerShape::Parts) {
            self.total = None;
        }
    }
}
