//! A question as one twin sees it: texts with what is piped, and the orders of options and rows.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rand_chacha::rand_core::Rng;

use super::{OptionOrder, ShownQuestion, Walk};
use crate::design::condition::{Condition, Truth};
use crate::design::item::Item;
use crate::design::logic::Shuffle;
use crate::design::pipe::{Rendered, Template};
use crate::design::plan::{BlockStep, Templates};
use crate::models::questions::Question;
use crate::random::{generator, reverse_around, shuffle_around};

impl Walk<'_> {
    /// `Err`: what it reads is pending or failed; false where it has options or rows and none is shown.
    pub(super) fn show(&self, item: usize, block: &BlockStep) -> Result<ShownQuestion, Truth> {
        let plan = self.interview.plan;
        let (Some(asked), Some(templates)) = (plan.items.get(item), plan.templates.get(item)) else {
            return Err(Truth::False);
        };
        if let Some(question) = &templates.as_written
            && self.is_shown_as_written(asked)
        {
            let (item, block, question) = (item, block.name.clone(), Arc::clone(question));
            return Ok(ShownQuestion {
                item,
                block,
                calls_before: 0,
                position: 0,
                question,
                order: None,
                rows: None,
                empty_pipes: 0,
            });
        }
        let shown = match &templates.as_written {
            Some(question) => {
                let (choices, rows) = (asked.choices().len(), question.sub_questions.len());
                let question = Arc::clone(question);
                Rendering { question, choices: (0..choices).collect(), rows: (0..rows).collect(), empty_pipes: 0 }
            }
            None => self.render(asked, templates)?,
        };
        let logic = &asked.logic;
        let pinned = |written: &[String]| {
            let pins = logic.pin.as_deref().unwrap_or_default();
            (0..written.len()).filter(|place| written.get(*place).is_some_and(|text| pins.contains(text))).collect()
        };
        let name = asked.name();
        let of_choices = Ordering {
            what: b"options",
            name,
            shuffle: logic.shuffle.unwrap_or_default(),
            is_reversed: self.interview.parameters.option_order == OptionOrder::Reversed,
            pinned: pinned(asked.choices()),
        };
        let of_rows = Ordering {
            what: b"rows",
            name,
            shuffle: logic.row_shuffle.unwrap_or_default(),
            is_reversed: false,
            pinned: pinned(&asked.question.sub_questions),
        };
        let Rendering { question, choices, rows, empty_pipes } = shown;
        let order = self.ordered(&of_choices, choices, asked.choices().len());
        let rows = self.ordered(&of_rows, rows, question.sub_questions.len());
        Ok(ShownQuestion {
            item,
            block: block.name.clone(),
            calls_before: 0,
            position: 0,
            question,
            order,
            rows,
            empty_pipes,
        })
    }

    /// Whether its options, labels and rows stand in the order written: of most questions.
    fn is_shown_as_written(&self, asked: &Item) -> bool {
        let is_drawn = |shuffle: Option<Shuffle>| shuffle.is_some_and(|shuffle| shuffle != Shuffle::None);
        let is_reversed = self.interview.parameters.option_order == OptionOrder::Reversed;
        !is_reversed && !is_drawn(asked.logic.shuffle) && !is_drawn(asked.logic.row_shuffle)
    }

    /// With what is piped into it. Errors: as of [`show`](Self::show).
    fn render(&self, asked: &Item, templates: &Templates) -> Result<Rendering, Truth> {
        let mut texts = Texts { walk: self, empty: 0, is_pending: false, has_failed: false };
        let mut question = asked.question.clone();
        question.text = texts.render(&templates.text);
        let choices: Vec<String> = templates.choices.iter().map(|choice| texts.render(choice)).collect();
        question.sub_questions = templates.rows.iter().map(|row| texts.render(row)).collect();
        let [min, max] = &templates.ends;
        question.min_description = min.as_ref().map(|text| texts.render(text));
        question.max_description = max.as_ref().map(|text| texts.render(text));
        let shown_choices = texts.visible(&choices, &templates.choice_if);
        let shown_rows = texts.visible(&question.sub_questions, &templates.row_if);
        let empty_pipes = texts.empty;
        if let Some(open) = texts.open() {
            return Err(open);
        }
        let is_gone = |shown: &[usize], written: &[String]| shown.is_empty() && !written.is_empty();
        if is_gone(&shown_choices, &choices) || is_gone(&shown_rows, &question.sub_questions) {
            return Err(Truth::False);
        }
        question.logic.exclusive = asked.exclusive(&choices);
        question.set_choices(choices);
        Ok(Rendering { question: Arc::new(question), choices: shown_choices, rows: shown_rows, empty_pipes })
    }

    /// 1-based positions in the order shown; `None` where that is all of them as written.
    fn ordered(&self, ordering: &Ordering<'_>, mut shown: Vec<usize>, of: usize) -> Option<Vec<i16>> {
        let Ordering { what, name, shuffle, is_reversed, ref pinned } = *ordering;
        if of == 0 || (shuffle == Shuffle::None && !is_reversed && shown.len() == of) {
            return None;
        }
        let twin = self.interview.twin.id.to_be_bytes();
        let mut random = generator(self.interview.parameters.seed, &[what, name.as_bytes(), &twin]);
        let is_pinned = |place: usize| pinned.contains(&place);
        match shuffle {
            Shuffle::None => {}
            Shuffle::All => shuffle_around(&mut shown, is_pinned, &mut random),
            Shuffle::Flip => {
                if random.next_u64() % 2 == 1 {
                    reverse_around(&mut shown, is_pinned);
                }
            }
            Shuffle::Subset(size) => {
                shuffle_around(&mut shown, is_pinned, &mut random);
                let mut left = size;
                shown.retain(|place| {
                    let stays = is_pinned(*place) || left > 0;
                    left -= u32::from(stays && !is_pinned(*place));
                    stays
                });
            }
        }
        if is_reversed {
            reverse_around(&mut shown, is_pinned);
        }
        Some(shown.into_iter().map(|place| i16::try_from(place + 1).unwrap_or(i16::MAX)).collect())
    }
}

/// A question with its texts, and the places of what is shown of it, as written.
struct Rendering {
    question: Arc<Question>,
    choices: Vec<usize>,
    rows: Vec<usize>,
    empty_pipes: u32,
}

struct Ordering<'a> {
    what: &'static [u8],
    name: &'a str,
    shuffle: Shuffle,
    is_reversed: bool,
    /// From 0.
    pinned: HashSet<usize>,
}

struct Texts<'w, 'a> {
    walk: &'w Walk<'a>,
    empty: u32,
    is_pending: bool,
    has_failed: bool,
}

impl Texts<'_, '_> {
    fn render(&mut self, template: &Template) -> String {
        match template.render(self.walk) {
            Rendered::Text { text, empty } => {
                self.empty += empty;
                return text;
            }
            Rendered::Pending => self.is_pending = true,
            Rendered::Failed => self.has_failed = true,
        }
        String::new()
    }

    /// The places of the texts that are shown: where their conditions hold, and not what pipes left blank or made equal
    /// to one before.
    fn visible(&mut self, texts: &[String], conditions: &BTreeMap<usize, Condition>) -> Vec<usize> {
        let mut seen = HashSet::new();
        let mut visible = Vec::with_capacity(texts.len());
        for (place, text) in texts.iter().enumerate() {
            match conditions.get(&place).map_or(Truth::True, |condition| condition.evaluate(self.walk)) {
                Truth::True if !text.trim().is_empty() && seen.insert(text.trim()) => visible.push(place),
                Truth::True | Truth::False => {}
                Truth::Pending => self.is_pending = true,
                Truth::Failed => self.has_failed = true,
            }
        }
        visible
    }

    fn open(&self) -> Option<Truth> {
        match (self.is_pending, self.has_failed) {
            (true, _) => Some(Truth::Pending),
            (false, true) => Some(Truth::Failed),
            (false, false) => None,
        }
    }
}
