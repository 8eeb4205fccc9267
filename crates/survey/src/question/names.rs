//! Names of questions, which are variable names in files for statistics programs. Each is unique in its survey,
//! regardless of case.

use std::collections::{HashMap, HashSet};

use super::payload::NAME;
use super::{Invalid, Question};

/// Maximum length of a generated name, in characters: SPSS, Stata and R all accept it.
pub const MAX_MADE_NAME: usize = 32;
/// Maximum length of a name that callers give, in characters.
pub const MAX_NAME: usize = 63;

/// Names of the files' own columns, in lower case.
const COLUMNS: [&str; 5] = ["arm_order", "notice", "personaid", "personapid", "twin_id"];
/// Suffix of the columns with the order in which a block was asked.
const ORDER: &str = "__order";

/// Words that SPSS, Stata, R or Python reserve, in lower case.
const RESERVED: [&str; 59] = [
    "all", "and", "as", "assert", "async", "await", "break", "by", "byte", "class", "continue", "def", "del", "double",
    "elif", "else", "eq", "except", "false", "finally", "float", "for", "from", "function", "ge", "global", "gt", "if",
    "import", "in", "inf", "int", "is", "lambda", "le", "long", "lt", "na", "nan", "ne", "next", "none", "nonlocal",
    "not", "null", "or", "pass", "raise", "repeat", "return", "strl", "to", "true", "try", "using", "while", "with",
    "xor", "yield",
];

/// Checks a name that callers give. Returns what is wrong with it.
pub fn check(name: &str) -> Result<(), String> {
    let known = |character: char| character.is_ascii_alphanumeric() || "_.".contains(character);
    if !name.starts_with(|first: char| first.is_ascii_alphabetic()) || name.len() > MAX_NAME || !name.chars().all(known)
    {
        return Err(format!(
            "must be a letter and at most {} letters, digits, underscores and dots after it, all of ASCII",
            MAX_NAME - 1
        ));
    }
    let lower = name.to_ascii_lowercase();
    if is_reserved(&lower) {
        return Err(format!("{name:?} is a word that statistics programs keep for themselves"));
    }
    if COLUMNS.contains(&lower.as_str()) || lower.ends_with(ORDER) {
        return Err(format!("{name:?} is kept for a column of the files"));
    }
    Ok(())
}

/// Whether a statistics program reserves the word, which is in lower case.
pub fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// Names the questions of a survey that have no name, from their texts. Returns the position of a question whose name
/// is a duplicate.
pub fn complete(questions: &mut [Question]) -> Result<(), (usize, Invalid)> {
    let mut names = QuestionNames::of_survey();
    for (place, question) in questions.iter().enumerate() {
        if !question.name.is_empty() && !names.take(&question.name) {
            let message = format!("{:?} is the name of another question too", question.name);
            return Err((place, Invalid::new(NAME[0], message)));
        }
    }
    for (number, question) in (1..).zip(questions).filter(|(_, question)| question.name.is_empty()) {
        question.name = names.made_from(&question.text, &format!("q{number}"));
    }
    Ok(())
}

/// Generates names that are not taken.
#[derive(Debug, Default)]
pub struct QuestionNames {
    /// The names that are taken, in lower case.
    taken: HashSet<String>,
    /// The number to try next, by base name.
    next: HashMap<String, u32>,
}

impl QuestionNames {
    /// Names of a survey's questions. Excludes the names of the files' own columns.
    pub fn of_survey() -> Self {
        Self { taken: COLUMNS.map(str::to_owned).into(), next: HashMap::new() }
    }

    /// Takes a name. Returns whether it was free.
    pub fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_ascii_lowercase())
    }

    /// Generates a name from the text, or from `otherwise` if the text has no ASCII letters or digits.
    pub fn made_from(&mut self, text: &str, otherwise: &str) -> String {
        let words = text.replace(['\'', '’'], "");
        let mut name = String::new();
        for word in words.split(|character: char| !character.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            let between = usize::from(!name.is_empty());
            if name.len() + between + word.len() > MAX_MADE_NAME && !name.is_empty() {
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
        if is_reserved(&name.to_ascii_lowercase()) {
            name.push('_');
        }
        // The text is one long word.
        name.truncate(MAX_MADE_NAME);
        self.free(&name, "")
    }

    /// Generates a name from `base` and `ending`: shortens the base if the name would be too long, and numbers it if it
    /// is taken.
    pub fn free(&mut self, base: &str, ending: &str) -> String {
        let longest = if base.len() > MAX_MADE_NAME { MAX_NAME } else { MAX_MADE_NAME };
        let named = |number: &str| {
            let room = longest.saturating_sub(ending.len() + number.len());
            let end = base.len().min(room);
            format!("{}{ending}{number}", base.get(..end).unwrap_or(base))
        };
        let plain = named("");
        if self.take(&plain) {
            return plain;
        }
        // Names are never freed, so the search can start at the last number.
        let mut number = self.next.get(&plain).copied().unwrap_or(2);
        loop {
            let name = named(&format!("_{number}"));
            number += 1;
            if self.take(&name) {
                self.next.insert(plain, number);
                return name;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_from_whole_words_of_the_text() {
        let name = |text| QuestionNames::default().made_from(text, "q7");
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
        assert_eq!(name(&"x".repeat(400)), "x".repeat(MAX_MADE_NAME));
    }

    #[test]
    fn no_name_is_given_twice_whatever_its_case_and_none_is_too_long() {
        let mut names = QuestionNames::default();
        let given: Vec<String> = ["Age", "age", "AGE"].iter().map(|text| names.made_from(text, "q1")).collect();
        assert_eq!(given, ["Age", "age_2", "AGE_3"]);
        let long = "x".repeat(40);
        let given: Vec<String> = (0..12).map(|_| names.free(&long, "_10")).collect();
        assert!(given.iter().all(|name| name.len() <= MAX_NAME && name.contains("_10")), "{given:?}");
        assert_eq!(given.iter().collect::<HashSet<_>>().len(), 12);
    }

    #[test]
    fn a_name_is_a_letter_and_what_no_file_or_program_keeps_for_itself() {
        let long = format!("a{}", "b".repeat(MAX_NAME - 1));
        for name in ["a", "Age", "wave.2_income", "x9", &long] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
        for name in ["", "9x", "_age", ".age", "my age", "größe", "a-b", "a\n", &format!("{long}c")] {
            assert!(check(name).unwrap_err().starts_with("must be a letter"), "{name}");
        }
        for name in ["Or", "if", "NA", "strL"] {
            assert!(check(name).unwrap_err().contains("statistics programs"), "{name}");
        }
        for name in ["personaId", "PERSONAPID", "notice", "twin_id", "arm_order", "block__order"] {
            assert!(check(name).unwrap_err().contains("a column of the files"), "{name}");
        }
    }

    #[test]
    fn questions_without_a_name_get_one_that_no_other_has() {
        let asked = |name: &str, text: &str| Question { name: name.into(), text: text.into(), ..Question::default() };
        let mut questions = [asked("", "Age?"), asked("AGE", "How old?"), asked("", "Notice"), asked("", "نعم")];
        complete(&mut questions).unwrap();
        assert_eq!(questions.map(|question| question.name), ["Age_2", "AGE", "Notice_2", "q4"]);
        let mut doubled = [asked("age", "One"), asked("", "Two"), asked("Age", "Three")];
        let (place, invalid) = complete(&mut doubled).unwrap_err();
        assert_eq!((place, invalid.to_string().as_str()), (2, "name: \"Age\" is the name of another question too"));
    }
}
