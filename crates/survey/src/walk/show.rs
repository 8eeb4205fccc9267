//! A question as one twin sees it: texts with pipes rendered, and the orders of options and rows.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use rand_chacha::rand_core::Rng;

use super::{OptionOrder, ShownQuestion, Walk};
use crate::condition::{Condition, Truth};
use crate::item::Item;
use crate::logic::Shuffle;
use crate::pipe::{Rendered, Template};
use crate::plan::{BlockStep, Templates, Wording};
use crate::question::Question;
use random::{generator, reverse_around, shuffle_around};

impl Walk<'_> {
    /// Renders a question. The error is `Pending` or `Failed` if a value that it reads is, and `False` if it has
    /// options or rows of which none is shown.
    pub(super) fn show(&self, item: usize, block: &BlockStep) -> Result<ShownQuestion, Truth> {
        let plan = self.interview.plan;
        let (Some(asked), Some(templates)) = (plan.items.get(item), plan.templates.get(item)) else {
            return Err(Truth::False);
        };
        let Rendering { question, choices, rows, empty_pipes } = match &templates.as_written {
            Some(question) => Rendering { question: Arc::clone(question), choices: None, rows: None, empty_pipes: 0 },
            None => self.render(asked, templates)?,
        };
        let logic = &asked.logic;
        let of_choices = Ordering {
            what: b"options",
            written: asked.choices(),
            shuffle: logic.shuffle.unwrap_or_default(),
            is_reversed: self.interview.parameters.option_order == OptionOrder::Reversed,
        };
        let of_rows = Ordering {
            what: b"rows",
            written: &asked.question.sub_questions,
            shuffle: logic.row_shuffle.unwrap_or_default(),
            is_reversed: false,
        };
        Ok(ShownQuestion {
            item,
            block: Arc::clone(&block.name),
            calls_before: 0,
            position: 0,
            question,
            order: self.ordered(&of_choices, asked, choices),
            rows: self.ordered(&of_rows, asked, rows),
            empty_pipes,
        })
    }

    /// Renders the texts of the question, with the errors of [`show`](Self::show).
    fn render(&self, asked: &Item, templates: &Templates) -> Result<Rendering, Truth> {
        let mut texts = Texts { walk: self, empty: 0, is_pending: false, has_failed: false };
        let text = texts.render(&templates.text);
        let ends = templates.ends.each_ref().map(|end| end.as_ref().map(|text| texts.render(text)));
        let mut list = |texts_of: &[Template], is_fixed: bool, conditions| {
            let own = (!is_fixed).then(|| texts_of.iter().map(|text| texts.render(text)).collect::<Vec<_>>());
            let shown = own.as_ref().and_then(|own| texts.visible(own, conditions));
            (own, shown)
        };
        let (choices, shown_choices) =
            list(&templates.choices, templates.fixed_choices.is_some(), &templates.choice_if);
        let (rows, shown_rows) = list(&templates.rows, templates.fixed_rows.is_some(), &templates.row_if);
        if let Some(open) = texts.open() {
            return Err(open);
        }
        if [&shown_choices, &shown_rows].into_iter().flatten().any(Vec::is_empty) {
            return Err(Truth::False);
        }
        let question = templates.worded(asked, Wording { text, ends, choices, rows });
        Ok(Rendering { question, choices: shown_choices, rows: shown_rows, empty_pipes: texts.empty })
    }

    /// Returns the 1-based positions in the order shown, or `None` if all are shown as written. `shown` are the
    /// positions of what is shown, as written.
    fn ordered(&self, ordering: &Ordering<'_>, asked: &Item, shown: Option<Vec<usize>>) -> Option<Vec<i16>> {
        let Ordering { what, written, shuffle, is_reversed } = *ordering;
        if written.is_empty() || (shuffle == Shuffle::None && !is_reversed && shown.is_none()) {
            return None;
        }
        let mut shown = shown.unwrap_or_else(|| (0..written.len()).collect());
        let pins = asked.logic.pin.as_deref().unwrap_or_default();
        let is_pinned = |place: usize| written.get(place).is_some_and(|text| pins.contains(text));
        let twin = self.interview.twin.id.to_be_bytes();
        let mut random = generator(self.interview.parameters.seed, &[what, asked.name().as_bytes(), &twin]);
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

/// A question with its texts, and the positions of the options and rows that are shown, or `None` for all.
struct Rendering {
    question: Arc<Question>,
    choices: Option<Vec<usize>>,
    rows: Option<Vec<usize>>,
    empty_pipes: u32,
}

struct Ordering<'a> {
    what: &'static [u8],
    written: &'a [String],
    shuffle: Shuffle,
    is_reversed: bool,
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

    /// Returns the positions of the texts that are shown, or `None` for all. Leaves out texts whose condition is false,
    /// and texts that pipes made blank or equal to an earlier one.
    fn visible(&mut self, texts: &[String], conditions: &BTreeMap<usize, Condition>) -> Option<Vec<usize>> {
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
        (visible.len() < texts.len()).then_some(visible)
    }

    fn open(&self) -> Option<Truth> {
        match (self.is_pending, self.has_failed) {
            (true, _) => Some(Truth::Pending),
            (false, true) => Some(Truth::Failed),
            (false, false) => None,
        }
    }
}
