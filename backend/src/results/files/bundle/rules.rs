//! By which version's rules the files of a bundle are built.

use super::manifest::Manifest;
use super::survey_text::SURVEY_TEXT;
use super::templates::TEMPLATES;
use super::{DATA_PACKAGE, FORMAT, RO_CRATE};
use crate::results::files::PROGRAM;

/// The first format whose tables say what a frozen plan names.
const WITH_MARKS: u32 = 3;
/// The first format whose analysis has diagnostics.
const WITH_DIAGNOSTICS: u32 = 4;
/// The first format whose diagnostics compare refusals by question.
const WITH_REFUSALS_BY_QUESTION: u32 = 5;
/// The first format whose files cite Twin-2K-500 only where the twins are its people, whose repeats of categories without an
/// order have Krippendorff's alpha in place of an ICC, and whose labels name what a design inserts.
const WITH_TRUE_WORDS: u32 = 6;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BuildRules {
    pub format: u32,
    /// That wrote the bundle, as some files name it.
    pub program: String,
}

impl BuildRules {
    pub fn of_this_version() -> Self {
        Self { format: FORMAT, program: PROGRAM.to_owned() }
    }

    pub fn of(manifest: &Manifest) -> Self {
        Self { format: manifest.format, program: manifest.program.clone() }
    }

    pub fn have_marks(&self) -> bool {
        self.format >= WITH_MARKS
    }

    pub fn have_diagnostics(&self) -> bool {
        self.format >= WITH_DIAGNOSTICS
    }

    pub fn compare_refusals_by_question(&self) -> bool {
        self.format >= WITH_REFUSALS_BY_QUESTION
    }

    /// Files cite Twin-2K-500 only of its people; before, of any twins.
    pub fn cite_only_the_data_set(&self) -> bool {
        self.format >= WITH_TRUE_WORDS
    }

    /// Labels have the name of what a design inserts, `[fee]`; before, the survey's `{{field:fee}}`.
    pub fn name_what_is_inserted(&self) -> bool {
        self.format >= WITH_TRUE_WORDS
    }

    /// Repeats of categories without an order have alpha; before, an ICC.
    pub fn have_alpha(&self) -> bool {
        self.format >= WITH_TRUE_WORDS
    }

    /// Words for readers are built. Otherwise they are another version's, which may have said it otherwise.
    pub fn have_words(&self) -> bool {
        *self == Self::of_this_version()
    }
}

/// Whether the file tells readers in words, or describes, what others hold, or holds prompts as a version words them.
pub(super) fn is_words(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let texts = ["README.md", "methods.md", "guide-llm.md", "deviations.md", "CITATION.cff", "LICENSE-DATA.txt"];
    let readers = ["codebook.xml", "read.R", "read.py", "read.do"];
    path.contains("prompts/texts/")
        || [SURVEY_TEXT, TEMPLATES].iter().any(|words| path.ends_with(words))
        || texts.contains(&name)
        || readers.contains(&name)
        || [DATA_PACKAGE, RO_CRATE].contains(&name)
}
