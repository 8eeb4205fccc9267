//! Diagnostics of open answers that repeat each other, or the same words.

use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::{Diagnostic, Finding, Thresholds};

/// Number of words whose share of different ones is measured together, because the share falls with the length of a
/// text.
const SEGMENT: usize = 100;

/// The open answers to one item, read one after the other. Keeps a hash of each different text, not the text.
#[derive(Clone, Debug, Default)]
pub struct OpenTexts {
    texts: usize,
    /// Number of texts by the hash of their normal form.
    alike: HashMap<u64, usize>,
    words: usize,
    /// The different words of the current segment.
    segment: BTreeSet<String>,
    /// Sum of the ratios of the complete segments.
    ratios: f64,
}

impl OpenTexts {
    pub fn add(&mut self, text: &str) {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let mut hasher = DefaultHasher::new();
        for word in words.map(str::to_lowercase) {
            word.hash(&mut hasher);
            self.segment.insert(word);
            self.words += 1;
            if self.words.is_multiple_of(SEGMENT) {
                self.ratios += self.segment.len() as f64 / SEGMENT as f64;
                self.segment.clear();
            }
        }
        self.texts += 1;
        *self.alike.entry(hasher.finish()).or_default() += 1;
    }

    /// The type-token ratio: different words over all words, as the mean over segments of 100 words (Johnson 1944).
    /// `None` below 100 words.
    pub fn type_token_ratio(&self) -> Option<f64> {
        let segments = self.words / SEGMENT;
        (segments > 0).then(|| self.ratios / segments as f64)
    }
}

/// The share of texts that equal another twin's, regardless of case and punctuation. `None` without texts.
pub fn duplicate_texts(item: &str, of: &OpenTexts, thresholds: &Thresholds) -> Option<Finding> {
    let doubled: usize = of.alike.values().filter(|count| **count > 1).sum();
    let share = doubled as f64 / of.texts as f64;
    (of.texts > 0)
        .then(|| Finding::above(Diagnostic::DuplicateTexts, item, share, thresholds.duplicate_texts, of.texts))
}

/// The share of different words among a hundred. `None` below 100 words.
pub fn same_words(item: &str, of: &OpenTexts, thresholds: &Thresholds) -> Option<Finding> {
    let ratio = of.type_token_ratio()?;
    let finding = Finding::below(Diagnostic::SameWords, item, ratio, thresholds.type_token, of.texts);
    Some(finding.noting(format!("{} words", of.words)))
}
