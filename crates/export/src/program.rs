//! Statistics programs, and the names of variables that they take.

use survey::question::names::{MAX_MADE_NAME, QuestionNames, is_reserved};

/// A statistics program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Spss,
    Stata,
}

impl Program {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Spss => "sav",
            Self::Stata => "dta",
        }
    }
}

/// Length limits of names, in bytes.
const MAX_SPSS_NAME: usize = 64;
const MAX_STATA_NAME: usize = MAX_MADE_NAME;

/// Returns the names as the program takes them, in their order. Legal names stay, and each is unique in the file, whatever its
/// case.
pub fn legal_names<'a>(names: impl Iterator<Item = &'a str>, program: Program) -> Vec<String> {
    let names: Vec<&str> = names.collect();
    let mut taken = QuestionNames::default();
    let stay: Vec<bool> = names.iter().map(|name| is_legal(name, program) && taken.take(name)).collect();
    let legal = |(name, stays): (&&str, bool)| {
        if stays { (*name).to_owned() } else { taken.free(&make_legal(name, program), "") }
    };
    names.iter().zip(stay).map(legal).collect()
}

fn is_legal(name: &str, program: Program) -> bool {
    let longest = match program {
        Program::Spss => MAX_SPSS_NAME,
        Program::Stata => MAX_STATA_NAME,
    };
    name.len() <= longest
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.chars().all(|character| is_allowed(character, program))
        && !name.ends_with('.')
        && !is_reserved_word(name, program)
}

/// Whether a name may contain the character. A period ends a command of SPSS, so it ends no name.
fn is_allowed(character: char, program: Program) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || (character == '.' && program == Program::Spss)
}

/// Whether the word is reserved. Stata also reserves the names of its types of text, `str1` to `str2045`.
fn is_reserved_word(name: &str, program: Program) -> bool {
    let lower = name.to_ascii_lowercase();
    let type_of_text = |rest: &str| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    is_reserved(&lower) || (program == Program::Stata && lower.strip_prefix("str").is_some_and(type_of_text))
}

fn make_legal(name: &str, program: Program) -> String {
    let replaced = |character| if is_allowed(character, program) { character } else { '_' };
    let mut mended: String = name.trim_end_matches('.').chars().map(replaced).collect();
    if !mended.starts_with(|first: char| first.is_ascii_alphabetic()) {
        mended.insert(0, 'v');
    }
    if program == Program::Stata {
        mended.truncate(MAX_STATA_NAME);
    }
    if is_reserved_word(&mended, program) {
        mended.push('_');
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_program_takes_stay_and_others_are_mended_to_one_that_nothing_has() {
        let long = format!("{}1", "x".repeat(40));
        let names = ["a.b", "a_b", "by.", "str12", "größe", "9lives", "A_B.", &long, "personaId"];
        let spss = legal_names(names.into_iter(), Program::Spss);
        assert_eq!(spss, ["a.b", "a_b", "by_", "str12", "gr__e", "v9lives", "A_B_2", &long, "personaId"]);
        let stata = legal_names(names.into_iter(), Program::Stata);
        let cut = "x".repeat(32);
        assert_eq!(stata, ["a_b_2", "a_b", "by_", "str12_", "gr__e", "v9lives", "A_B_3", &cut, "personaId"]);
    }

    #[test]
    fn long_names_with_the_same_start_are_numbered_within_the_length() {
        let names: Vec<String> = (1..=12).map(|row| format!("{}_{row}", "x".repeat(50))).collect();
        let stata = legal_names(names.iter().map(String::as_str), Program::Stata);
        assert!(stata.iter().all(|name| name.len() <= 32), "{stata:?}");
        assert_eq!((&*stata[1], &*stata[11]), (&*format!("{}_2", "x".repeat(30)), &*format!("{}_12", "x".repeat(29))));
        assert_eq!(legal_names(names.iter().map(String::as_str), Program::Spss), names);
    }
}
