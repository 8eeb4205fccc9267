//! Normal forms, by which names and labels are compared if they are not equal, and limits of their length.

use sha2::{Digest, Sha256};
use unicode_normalization::UnicodeNormalization;

use super::questions::{Question, QuestionKind};

/// Maximum number of letters in all names and labels of a file's columns, as [`expanded`] counts them.
pub(super) const MAX_HEADER_LETTERS: usize = 10_000_000;
/// Maximum number of letters in all texts, rows and options of a survey's questions.
const MAX_SURVEY_LETTERS: usize = 20_000_000;

/// The texts of a survey are too long to be compared with those of a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the survey's questions and options have more than {MAX_SURVEY_LETTERS} letters, too many to be found in a file"
)]
pub struct SurveyTooLong;

/// Returns letters and digits only, in lower case and Unicode's compatibility form.
fn letters(text: &str) -> impl Iterator<Item = char> {
    text.nfkc().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase)
}

/// Returns the normal form. `None` if it is longer than `most` bytes; the rest of the text is not read.
pub(super) fn normal_within(text: &str, most: usize) -> Option<String> {
    let mut form = String::new();
    for letter in letters(text) {
        form.push(letter);
        if form.len() > most {
            return None;
        }
    }
    Some(form)
}

/// The SHA-256 of a normal form, so that long texts are compared without being kept.
#[derive(Clone)]
pub(super) struct NormalForm {
    hash: Sha256,
    is_empty: bool,
}

impl NormalForm {
    pub fn new(text: &str) -> Self {
        Self { hash: Sha256::new(), is_empty: true }.followed_by(text)
    }

    /// The form of this text followed by another, which is the same with or without a hyphen between them.
    pub fn followed_by(&self, text: &str) -> Self {
        let mut form = self.clone();
        let (mut buffer, mut bytes) = (Vec::with_capacity(4096), [0; 4]);
        for letter in letters(text) {
            buffer.extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
            if buffer.len() > 4000 {
                form.hash.update(&buffer);
                buffer.clear();
                form.is_empty = false;
            }
        }
        form.is_empty &= buffer.is_empty();
        form.hash.update(&buffer);
        form
    }

    /// Whether the text has no letter and no digit.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    pub fn digest(&self) -> [u8; 32] {
        self.hash.clone().finalize().into()
    }
}

/// Counts the letters of the texts in Unicode's compatibility form, in which one ligature can be eighteen letters.
/// Stops at one more than `most`.
pub(super) fn expanded<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> usize {
    texts.fold(0, |so_far, text| {
        let room = (most + 1).saturating_sub(so_far);
        so_far + if text.is_ascii() { text.len().min(room) } else { text.nfkc().take(room).count() }
    })
}

/// Refuses a survey whose texts would take minutes to compare.
pub fn check_lengths(questions: &[Question]) -> Result<(), SurveyTooLong> {
    let of_question = |question: &Question| {
        let rows: &[String] = if let QuestionKind::Matrix { rows, .. } = &question.kind { rows } else { &[] };
        let labels = question.choices().iter().map(|choice| choice.label.as_str());
        let texts = [question.name.as_str(), &question.text].into_iter().chain(rows.iter().map(String::as_str));
        expanded(texts.chain(labels), MAX_SURVEY_LETTERS)
    };
    let all = questions.iter().try_fold(0, |so_far, question| {
        Some(so_far + of_question(question)).filter(|letters| *letters <= MAX_SURVEY_LETTERS)
    });
    all.map(|_| ()).ok_or(SurveyTooLong)
}
