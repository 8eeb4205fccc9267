//! The value that a condition compares and a pipe inserts: an answer, a field or an attribute, in one form.

use super::answer::{Answer, AnswerValue, ValueKind, yes_or_no};
use super::item::Item;
use super::number;
use super::question::Question;

/// A value: one token, or the tokens of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub values: Vec<Token>,
    /// Whether the value is a list. A list may have one token.
    pub is_list: bool,
}

/// A single value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Token {
    /// The text as it was shown.
    pub text: String,
    /// The text as the researcher wrote it, where the two may differ.
    pub written: Option<String>,
    /// The number, or the code of a choice.
    pub number: Option<f64>,
}

impl Token {
    fn number(number: f64) -> Self {
        Self { text: number.to_string(), written: None, number: Some(number) }
    }

    fn text(text: &str) -> Self {
        Self { text: text.into(), written: None, number: text.trim().parse().ok().filter(|n: &f64| n.is_finite()) }
    }

    /// Finds the choice with the text that was shown.
    fn choice(item: &Item, shown: &Question, text: &str) -> Self {
        let texts = if item.kind().is_matrix() { &shown.scale_labels } else { &shown.options };
        // The answer may also hold the text as written, if the choice was not shown in other words.
        let at = texts.iter().position(|shown| shown == text).or_else(|| item.choices().iter().position(|c| c == text));
        let Some(at) = at else { return Self { text: text.into(), ..Self::default() } };
        #[expect(clippy::cast_precision_loss, reason = "codes are small; larger ones compare alike on both sides")]
        let code = item.code(at) as f64;
        Self { text: text.into(), written: item.choices().get(at).cloned(), number: Some(code) }
    }
}

impl Given {
    /// A value from a field, an arm or an attribute.
    pub fn text(text: &str) -> Self {
        Self { values: vec![Token::text(text)], is_list: false }
    }

    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self { values: texts.into_iter().map(Token::text).collect(), is_list: true }
    }

    /// A value from an answer or one part of it (1-based). `shown` is the question as the twin saw it. Returns `None` if
    /// the answer has no such part.
    pub fn answer(item: &Item, shown: &Question, row: Option<u32>, answer: &Answer) -> Option<Self> {
        let names = shown.part_names();
        if names.is_empty() {
            return Some(Self::value(item, shown, answer.part(None)?));
        }
        match row.or_else(|| (item.kind().is_matrix() && names.len() == 1).then_some(1)) {
            Some(row) => {
                let name = names.get(usize::try_from(row).ok()?.checked_sub(1)?).copied();
                Some(Self::value(item, shown, answer.part(name)?))
            }
            None => Some(Self::parts(item, shown, &names, answer)),
        }
    }

    fn value(item: &Item, shown: &Question, value: AnswerValue<'_>) -> Self {
        let one = |token: Token| Self { values: vec![token], is_list: false };
        match value {
            AnswerValue::Choice(text) => one(Token::choice(item, shown, text)),
            AnswerValue::Choices(texts) => list(texts.iter().map(|text| Token::choice(item, shown, text))),
            AnswerValue::Number(number) => one(Token::number(number)),
            AnswerValue::Rank(rank) => one(Token::number(f64::from(rank))),
            AnswerValue::Text(text) => one(Token::text(text)),
            AnswerValue::YesNo(yes) => {
                let (text, written) = (yes_or_no(yes), if yes { "true" } else { "false" });
                one(Token { text: text.into(), written: Some(written.into()), number: Some(f64::from(yes)) })
            }
        }
    }

    /// The list of all parts: of a ranking the options, the best first; of numbers each with its option.
    fn parts(item: &Item, shown: &Question, names: &[&str], answer: &Answer) -> Self {
        let choice = |text: &str| Token::choice(item, shown, text);
        let given = answer.parts();
        if shown.layout().is_some_and(|(_, kind)| kind == ValueKind::Rank) {
            return list(given.into_iter().filter_map(|(option, _)| option.map(choice)));
        }
        let part = |name: &&str| {
            let (_, value) = given.iter().find(|(own, _)| *own == Some(*name))?;
            match value {
                AnswerValue::Choice(label) => Some(choice(label)),
                AnswerValue::Number(number) => {
                    Some(Token { text: format!("{name}: {}", number::text(*number)), ..Token::default() })
                }
                // Several rows have no single list of labels.
                AnswerValue::Choices(_) | AnswerValue::Rank(_) | AnswerValue::YesNo(_) | AnswerValue::Text(_) => None,
            }
        };
        list(names.iter().filter_map(part))
    }

    /// Returns the text that a pipe inserts.
    pub fn display(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Appends the text that a pipe inserts.
    pub fn write(&self, text: &mut String) {
        for (place, token) in self.values.iter().enumerate() {
            text.push_str(if place > 0 { ", " } else { "" });
            text.push_str(&token.text);
        }
    }
}

fn list(values: impl Iterator<Item = Token>) -> Given {
    Given { values: values.collect(), is_list: true }
}
