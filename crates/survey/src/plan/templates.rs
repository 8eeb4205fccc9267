//! The parsed texts and conditions of a question, and the wordings that are made of them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::condition::Condition;
use crate::item::Item;
use crate::pipe::Template;
use crate::question::{Question, QuestionType};

/// Maximum number of wordings of a question that are kept. Arms make few of them; a piped answer makes one for each
/// twin.
const MAX_WORDINGS: usize = 32;

#[derive(Debug, Default)]
pub(crate) struct Templates {
    /// Pointer of the question as it is written.
    pub pointer: String,
    pub show_if: Option<Condition>,
    /// Conditions of options or labels, by 0-based position.
    pub choice_if: BTreeMap<usize, Condition>,
    pub row_if: BTreeMap<usize, Condition>,
    pub text: Template,
    /// The options or labels.
    pub choices: Vec<Template>,
    pub rows: Vec<Template>,
    /// The descriptions of the minimum and the maximum.
    pub ends: [Option<Template>; 2],
    /// The options or labels, if all twins are shown the same.
    pub fixed_choices: Option<Vec<String>>,
    /// The rows, if all twins are shown the same.
    pub fixed_rows: Option<Vec<String>>,
    /// The question as it is shown, unless something in it depends on the twin. All walks share it.
    pub as_written: Option<Arc<Question>>,
    /// The latest wordings that were shown. Twins with the same wording share it.
    worded: Mutex<HashMap<Wording, Arc<Question>>>,
}

/// The texts of a question for one twin.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Wording {
    pub text: String,
    pub ends: [Option<String>; 2],
    /// The options or labels, or `None` for the fixed ones.
    pub choices: Option<Vec<String>>,
    /// The rows, or `None` for the fixed ones.
    pub rows: Option<Vec<String>>,
}

impl Templates {
    /// Precomputes what is the same for every twin, after texts and conditions are set.
    pub fn fix(&mut self, item: &Item) {
        self.fixed_choices = fixed(&self.choices, &self.choice_if);
        self.fixed_rows = fixed(&self.rows, &self.row_if);
        self.as_written = self.fixed_wording().map(|wording| Arc::new(self.in_words(item, &wording)));
    }

    fn fixed_wording(&self) -> Option<Wording> {
        let is_fixed = self.fixed_choices.is_some() && self.fixed_rows.is_some();
        let text = self.text.as_literal().filter(|_| is_fixed)?;
        let [min, max] = &self.ends;
        let end = |template: &Option<Template>| match template {
            Some(template) => template.as_literal().map(Some),
            None => Some(None),
        };
        Some(Wording { text, ends: [end(min)?, end(max)?], choices: None, rows: None })
    }

    /// Returns the question in these words.
    pub fn worded(&self, item: &Item, wording: Wording) -> Arc<Question> {
        let mut worded = self.worded.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(question) = worded.get(&wording) {
            return Arc::clone(question);
        }
        if worded.len() >= MAX_WORDINGS {
            worded.clear();
        }
        let question = Arc::new(self.in_words(item, &wording));
        worded.insert(wording, Arc::clone(&question));
        question
    }

    fn in_words(&self, item: &Item, wording: &Wording) -> Question {
        let list = |own: &Option<Vec<String>>, fixed: &Option<Vec<String>>| {
            own.as_ref().or(fixed.as_ref()).cloned().unwrap_or_default()
        };
        let choices = list(&wording.choices, &self.fixed_choices);
        let mut question = Question {
            text: wording.text.clone(),
            sub_questions: list(&wording.rows, &self.fixed_rows),
            ..item.question.clone()
        };
        [question.min_description, question.max_description] = wording.ends.clone();
        question.logic.exclusive = item.exclusive(&choices);
        question.set_choices(choices);
        question
    }

    pub fn texts(&self) -> impl Iterator<Item = &Template> {
        [&self.text].into_iter().chain(&self.choices).chain(&self.rows).chain(self.ends.iter().flatten())
    }

    /// Like [`texts`](Self::texts), but with the place of each text in the survey.
    pub fn placed_texts(&self, kind: QuestionType) -> Vec<(String, &Template)> {
        let choices = if kind.is_matrix() { "scale_labels" } else { "options" };
        let [min, max] = &self.ends;
        let numbered = |list: &'static str| move |(place, text)| (format!("{list}/{place}"), text);
        let mut texts = vec![("text".to_owned(), &self.text)];
        texts.extend(self.choices.iter().enumerate().map(numbered(choices)));
        texts.extend(self.rows.iter().enumerate().map(numbered("sub_questions")));
        texts.extend(min.iter().map(|text| ("min_description".to_owned(), text)));
        texts.extend(max.iter().map(|text| ("max_description".to_owned(), text)));
        texts.into_iter().map(|(place, text)| (format!("{}/{place}", self.pointer), text)).collect()
    }

    pub fn conditions(&self) -> impl Iterator<Item = &Condition> {
        self.show_if.iter().chain(self.choice_if.values()).chain(self.row_if.values())
    }
}

/// Returns the texts, or `None` if they depend on the twin. Leaves out blank texts and duplicates.
fn fixed(texts: &[Template], conditions: &BTreeMap<usize, Condition>) -> Option<Vec<String>> {
    let texts = texts.iter().map(Template::as_literal).collect::<Option<Vec<_>>>()?;
    let mut seen = HashSet::new();
    let are_all_shown = texts.iter().all(|text| !text.trim().is_empty() && seen.insert(text.trim().to_owned()));
    (conditions.is_empty() && are_all_shown).then_some(texts)
}
