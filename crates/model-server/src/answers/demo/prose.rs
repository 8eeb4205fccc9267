//! Parses questions in prose, without a schema: what they offer to choose from, or their bounds.

use serde_json::Value;

/// The kind of answer that a prose question wants.
#[derive(Debug, PartialEq)]
pub enum Wanted {
    /// One of these values.
    One(Vec<Value>),
    /// Any of these values, as a JSON list.
    Several(Vec<Value>),
    /// A whole number.
    Number { min: f64, max: f64 },
}

/// Parses the question. `None` if any text will do.
pub fn wanted(question: &str) -> Option<Wanted> {
    let lower = question.to_ascii_lowercase();
    let options =
        listed_in_line(question, &lower).or_else(|| listed_in_lines(question)).or_else(|| paragraph(question));
    if let Some(options) = options {
        let several = ["all that apply", "select all", "choose all", "with a list"];
        let options = options.into_iter().map(Value::from).collect();
        return Some(match several.iter().any(|words| lower.contains(words)) {
            true => Wanted::Several(options),
            false => Wanted::One(options),
        });
    }
    range(&lower).map(|(min, max)| Wanted::Number { min, max })
}

/// Parses `Choose one of: tea, coffee or water.`
fn listed_in_line(question: &str, lower: &str) -> Option<Vec<String>> {
    const BEFORE: [&str; 5] = ["one of:", "one of the following:", "options:", "options are:", "from:"];
    let end = BEFORE.iter().filter_map(|words| lower.find(words).map(|at| at + words.len())).min()?;
    let line = question[end..].lines().next().unwrap_or_default().trim().trim_matches(['[', ']', '(', ')']);
    let separator = [';', '|', ','].into_iter().find(|separator| line.contains(*separator));
    let mut options: Vec<String> = match separator {
        Some(separator) => line.split(separator).map(str::to_owned).collect(),
        None => line.split(" or ").map(str::to_owned).collect(),
    };
    if let Some(last) = options.pop() {
        options.extend(last.split(" or ").map(str::to_owned));
    }
    several(options.iter().map(|option| option.trim().strip_prefix("or ").unwrap_or(option)).map(bare))
}

/// Parses `- tea`, `1. tea`, `a) tea` or `0: tea`, one on each line.
fn listed_in_lines(question: &str) -> Option<Vec<String>> {
    several(question.lines().filter_map(|line| item(line.trim())).map(bare))
}

fn item(line: &str) -> Option<&str> {
    if let Some(text) = ["- ", "* ", "• "].iter().find_map(|bullet| line.strip_prefix(bullet)) {
        return Some(text);
    }
    let (mark, text) = line.split_once([':', '.', ')'])?;
    let is_mark = mark.len() <= 2 && !mark.is_empty() && mark.chars().all(|c| c.is_ascii_digit())
        || mark.len() == 1 && mark.chars().all(|c| c.is_ascii_alphabetic());
    text.strip_prefix(' ').filter(|text| is_mark && !text.is_empty())
}

/// Parses a paragraph of lines between the question and the words about the options, as EDSL writes them.
fn paragraph(question: &str) -> Option<Vec<String>> {
    let lines: Vec<&str> = question.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let about = lines.iter().position(|line| {
        let line = line.to_ascii_lowercase();
        line.contains("option") && ["select", "choose", "one of", "respond"].iter().any(|words| line.contains(words))
    })?;
    several(lines.get(1..about)?.iter().map(|line| bare(line)))
}

/// Parses `between 0 and 10`, `from 1 to 7`, `on a scale of 1 to 5`, or `Minimum answer value: 0 … Maximum answer
/// value: 10`.
fn range(lower: &str) -> Option<(f64, f64)> {
    let number = |text: &str| {
        let text = text.trim_start_matches(|c: char| c == ':' || c.is_whitespace());
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(text.len());
        text[..end].parse::<f64>().ok().map(|number| (number, text[end..].to_owned()))
    };
    let pairs = [
        ("between ", " and "),
        ("from ", " to "),
        ("scale of ", " to "),
        ("minimum answer value", "maximum answer value"),
    ];
    pairs.into_iter().find_map(|(first, second)| {
        lower.match_indices(first).find_map(|(at, _)| {
            let (min, rest) = number(&lower[at + first.len()..])?;
            let (max, _) = number(rest.split_once(second)?.1)?;
            (min < max).then_some((min, max))
        })
    })
}

/// Removes quotes and the full stop at the end.
fn bare(text: &str) -> String {
    text.trim().trim_end_matches(['.', '?']).trim_matches(['"', '\'', '“', '”']).trim().to_owned()
}

fn several(options: impl Iterator<Item = String>) -> Option<Vec<String>> {
    let options: Vec<String> = options.filter(|option| !option.is_empty()).collect();
    (options.len() >= 2).then_some(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(options: &[&str]) -> Option<Wanted> {
        Some(Wanted::One(options.iter().map(|option| Value::from(*option)).collect()))
    }

    #[test]
    fn options_are_found_however_they_are_listed() {
        let drinks = &["tea", "coffee", "water"];
        for question in [
            "What do you drink? Choose one of: tea, coffee, water.",
            "What do you drink? Choose one of the following: \"tea\"; \"coffee\"; \"water\"",
            "What do you drink?\nOptions: tea, coffee or water",
            "What do you drink?\n- tea\n- coffee\n- water\n",
            "What do you drink?\n1. tea\n2. coffee\n3. water\nAnswer with one of them.",
            "What do you drink?\n\nThe options are\n\n0: tea\n\n1: coffee\n\n2: water\n\nOnly 1 option may be selected.",
            "What do you drink?\n\n    \ntea\n    \ncoffee\n    \nwater\n    \n\nOnly 1 option may be selected.\n\n\
             Respond only with a string corresponding to one of the options.\n\nAfter the answer, you can put a comment.",
        ] {
            assert_eq!(wanted(question), one(drinks), "{question}");
        }
    }

    #[test]
    fn several_answers_and_numbers_are_told_apart_from_free_text() {
        let question = "Which do you like? Select all that apply.\n- tea\n- coffee";
        assert_eq!(wanted(question), Some(Wanted::Several(vec!["tea".into(), "coffee".into()])));
        for question in [
            "How satisfied are you, between 0 and 10?",
            "On a scale of 0 to 10, how satisfied are you?",
            "How satisfied are you?\nMinimum answer value: 0\nMaximum answer value: 10",
        ] {
            assert_eq!(wanted(question), Some(Wanted::Number { min: 0.0, max: 10.0 }), "{question}");
        }
        for question in ["How are you?", "Tell me about your week: what was good, what was bad?", "It is 10: why?"] {
            assert_eq!(wanted(question), None, "{question}");
        }
    }
}
