//! The memory budget of a design's regular expressions.

use std::collections::HashMap;

use crate::condition::{MAX_PATTERN_CHARACTERS, Pattern};

/// Maximum size of all compiled regular expressions of a design, in bytes.
pub const MAX_PATTERN_BYTES: usize = 8 * 1024 * 1024;

/// Size that an invalid pattern counts for, in bytes, because the attempt to compile it takes time.
const REFUSED_BYTES: usize = 64 * 1024;

/// The regular expressions of a design so far. Equal ones are compiled once.
#[derive(Default)]
pub struct PatternBudget {
    known: HashMap<String, Pattern>,
    /// Size of the compiled patterns, in bytes.
    bytes: usize,
}

impl PatternBudget {
    /// Compiles the pattern, unless the budget is spent. Returns what is wrong with it as a sentence.
    pub fn compile(&mut self, pattern: &Pattern) -> Result<(), String> {
        if let Some(known) = self.known.get(pattern.source()) {
            pattern.share(known);
            return Ok(());
        }
        if self.bytes > MAX_PATTERN_BYTES {
            return Ok(());
        }
        let Some(regex) = pattern.regex() else {
            self.bytes += REFUSED_BYTES;
            return Err(format!("This is no regular expression of at most {MAX_PATTERN_CHARACTERS} characters."));
        };
        self.bytes += regex.memory_usage();
        self.known.insert(pattern.source().to_owned(), pattern.clone());
        if self.bytes <= MAX_PATTERN_BYTES {
            return Ok(());
        }
        let most = MAX_PATTERN_BYTES / 1024 / 1024;
        Err(format!(
            "With this one, the regular expressions of the survey take more than {most} MiB: shorten them, or use fewer."
        ))
    }
}
