//! Rules for bundles that another version wrote: everything is built but prose, whose wording differs between versions.

use crate::paths::{DATA_PACKAGE, RO_CRATE, SURVEY_TEXT, TEMPLATES};

/// Name and version of the program, as files have it.
pub const PROGRAM: &str = concat!("Digital Twin Lab ", env!("CARGO_PKG_VERSION"));

/// The version that wrote a bundle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildRules {
    /// The program's name and version, as some files have it.
    pub program: String,
}

impl BuildRules {
    pub fn of_this_version() -> Self {
        Self { program: PROGRAM.to_owned() }
    }

    /// Whether prose is built and compared: only the same version reproduces its wording.
    pub fn have_words(&self) -> bool {
        self.program == PROGRAM
    }
}

/// Whether a file holds prose: texts for readers, descriptions of other files, and prompts.
pub fn is_words(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let texts = [
        "README.md",
        "methods.md",
        "guide-llm.md",
        "disclosure.md",
        "deviations.md",
        "CITATION.cff",
        "LICENSE-DATA.txt",
    ];
    let readers = ["codebook.xml", "read.R", "read.py", "read.do"];
    path.contains("prompts/texts/")
        || [SURVEY_TEXT, TEMPLATES].iter().any(|words| path.ends_with(words))
        || texts.contains(&name)
        || readers.contains(&name)
        || [DATA_PACKAGE, RO_CRATE].contains(&name)
}
