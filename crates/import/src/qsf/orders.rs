//! The order of choices and questions, and which of them are never shown.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use survey::logic::Shuffle;

use super::choices::ChoiceKind;
use super::file::{is_true, listed, number_of, text_of};

/// Mark of a position that is drawn at random.
const DRAWN: &str = "{~Randomized~}";

/// The order of a list in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOrder {
    pub shuffle: Option<Shuffle>,
    /// Whether the list is reversed for half of the people, the same in all questions.
    pub is_flipped: bool,
    /// A kind of order that is not supported.
    pub unknown: Option<String>,
    /// Whether some are always shown and others are drawn, at random positions.
    pub is_mixed: bool,
    /// The id at each position, or [`DRAWN`].
    slots: Vec<String>,
    undisplayed: Vec<String>,
}

impl FileOrder {
    pub fn read_choices(payload: &Value, kind: ChoiceKind) -> Self {
        let rows = payload.get("Randomization");
        match kind {
            ChoiceKind::Options | ChoiceKind::Rows => rows.map(Self::read).unwrap_or_default(),
            ChoiceKind::Labels => rows.and_then(|rows| rows.get("Answers")).map(Self::read).unwrap_or_default(),
        }
    }

    fn read(randomization: &Value) -> Self {
        let size = |of: &Value| number_of(of.get("TotalRandSubset")).filter(|size| *size >= 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "at least 1; what is more than all is cut"
        )]
        let subset = |size: f64| Shuffle::Subset(size as u32);
        let mut order = Self { is_flipped: is_true(randomization.get("ConsistentScaleReversal")), ..Self::default() };
        match text_of(randomization.get("Type")).as_str() {
            "" | "None" => {}
            "All" | "Subset" | "SubSet" | "RandomWithOnlyX" => {
                order.shuffle = Some(size(randomization).map_or(Shuffle::All, subset));
            }
            "ScaleReversal" => order.is_flipped = true,
            "Advanced" => {
                let advanced = randomization.get("Advanced").filter(|advanced| advanced.is_object());
                let drawn = size(randomization).or_else(|| advanced.and_then(size));
                let advanced = advanced.unwrap_or(&Value::Null);
                let all = list(advanced, "RandomizeAll").len();
                order.is_mixed = drawn.is_some() && all > 0 && !list(advanced, "RandomSubSet").is_empty();
                #[expect(clippy::cast_precision_loss, reason = "ids of one question")]
                let drawn = drawn.map(|drawn| if order.is_mixed { drawn + all as f64 } else { drawn });
                order.shuffle = Some(drawn.map_or(Shuffle::All, subset));
                order.is_flipped |= is_true(advanced.get("ScaleReversal"));
                order.place(advanced);
            }
            other => order.unknown = Some(other.to_owned()),
        }
        order
    }

    /// Reads the order of the questions of a block.
    pub fn read_block(options: &Value) -> Self {
        let mut order = Self::default();
        if text_of(options.get("RandomizeQuestions")) == "Advanced" {
            order.place(options.pointer("/Randomization/Advanced").unwrap_or(&Value::Null));
        }
        order
    }

    fn place(&mut self, advanced: &Value) {
        self.slots = list(advanced, "FixedOrder");
        self.undisplayed = list(advanced, "Undisplayed");
    }

    /// Ids of those that keep their position.
    pub fn pinned(&self) -> impl Iterator<Item = &String> {
        self.slots.iter().filter(|slot| *slot != DRAWN)
    }

    /// Whether all are shown, and none has a fixed position.
    pub fn is_as_written(&self) -> bool {
        self.undisplayed.is_empty() && self.pinned().next().is_none()
    }

    /// Returns those that are shown, with the fixed ones at their positions.
    pub fn arranged<T>(&self, mut all: Vec<(String, T)>) -> Vec<(String, T)> {
        all.retain(|(id, _)| !self.undisplayed.contains(id));
        if self.pinned().next().is_none() {
            return all;
        }
        let fixed: HashSet<&String> = self.pinned().collect();
        let (fixed, drawn): (Vec<_>, Vec<_>) = all.into_iter().partition(|(id, _)| fixed.contains(id));
        let (mut fixed, mut drawn): (HashMap<_, _>, _) = (fixed.into_iter().collect(), drawn.into_iter());
        let mut arranged = Vec::new();
        for slot in &self.slots {
            if slot == DRAWN {
                arranged.extend(drawn.next());
            } else {
                arranged.extend(fixed.remove_entry(slot));
            }
        }
        arranged.extend(drawn);
        arranged
    }
}

fn list(advanced: &Value, field: &str) -> Vec<String> {
    listed(advanced.get(field)).into_iter().map(|(_, id)| text_of(Some(id))).collect()
}
