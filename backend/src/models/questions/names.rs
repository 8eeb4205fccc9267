//! Names of questions for statistics programs: letters, digits and underscores after a letter, at most [`MAX_NAME`] of
//! them, each once in a file whatever the case.

use std::collections::HashSet;

/// What SPSS, Stata and R all take.
pub const MAX_NAME: usize = 32;

/// Words that SPSS, Stata, R or Python keep for themselves, in lower case.
const RESERVED: [&str; 59] = [
    "all", "and", "as", "assert", "async", "await", "break", "by", "byte", "class", "continue", "def", "del", "double",
    "elif", "else", "eq", "except", "false", "finally", "float", "for", "from", "function", "ge", "global", "gt", "if",
    "import", "in", "inf", "int", "is", "lambda", "le", "long", "lt", "na", "nan", "ne", "next", "none", "nonlocal",
    "not", "null", "or", "pass", "raise", "repeat", "return", "strl", "to", "true", "try", "using", "while", "with",
    "xor", "yield",
];

/// Gives names that were not given before.
#[derive(Debug, Default)]
pub struct Names(HashSet<String>);

impl Names {
    /// A new name made from the text, or from `otherwise` where the text has neither letters nor digits of ASCII.
    pub fn made_from(&mut self, text: &str, otherwise: &str) -> String {
        let words = text.replace(['\'', '’'], "");
        let mut name = String::new();
        for word in words.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            let between = usize::from(!name.is_empty());
            if name.len() + between + word.len() > MAX_NAME && !name.is_empty() {
                break;
            }
            if between == 1 {
                name.push('_');
            }
            name.push_str(word);
        }
        if name.is_empty() {
            otherwise.clone_into(&mut name);
        }
        if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
            name.insert(0, 'q');
        }
        if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            name.push('_');
        }
        self.free(&name, "")
    }

    /// `base` with the ending, shortened before it where that would be too long, and numbered where it is taken.
    pub fn free(&mut self, base: &str, ending: &str) -> String {
        let named = |number: &str| {
            let room = MAX_NAME.saturating_sub(ending.len() + number.len());
            let end = base.len().min(room);
            format!("{}{ending}{number}", base.get(..end).unwrap_or(base))
        };
        let mut name = named("");
        let mut number = 2;
        while !self.0.insert(name.to_ascii_lowercase()) {
            name = named(&format!("_{number}"));
            number += 1;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_from_whole_words_of_the_text() {
        let name = |text| Names::default().made_from(text, "q7");
        for (text, expected) in [
            ("How do you usually get to work?", "How_do_you_usually_get_to_work"),
            ("What's your age, in years, at the end of this very long day?", "Whats_your_age_in_years_at_the"),
            ("2 cups?", "q2_cups"),
            ("ما رأيك؟", "q7"),
            ("Or", "Or_"),
            ("", "q7"),
        ] {
            assert_eq!(name(text), expected, "{text}");
        }
        assert_eq!(name(&"x".repeat(400)), "x".repeat(MAX_NAME));
    }

    #[test]
    fn no_name_is_given_twice_whatever_its_case_and_none_is_too_long() {
        let mut names = Names::default();
        let given: Vec<String> = ["Age", "age", "AGE"].iter().map(|text| names.made_from(text, "q1")).collect();
        assert_eq!(given, ["Age", "age_2", "AGE_3"]);
        let long = "x".repeat(40);
        let given: Vec<String> = (0..12).map(|_| names.free(&long, "_10")).collect();
        assert!(given.iter().all(|name| name.len() <= MAX_NAME && name.contains("_10")), "{given:?}");
        assert_eq!(given.iter().collect::<HashSet<_>>().len(), 12);
    }
}
