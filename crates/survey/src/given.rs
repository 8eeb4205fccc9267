//! The value that a condition compares and a pipe inserts: an answer, a field or an attribute, in one form.

use super::answer::{Answer, BestAndWorst, yes_or_no};
use super::item::Item;
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

    /// A value from an answer or one row of it (1-based). `shown` is the question as the twin saw it. Returns `None` if
    /// the answer has no such row.
    pub fn answer(item: &Item, shown: &Question, row: Option<u32>, answer: &Answer) -> Option<Self> {
        let one = |token: Token| Some(Self { values: vec![token], is_list: false });
        let choice = |text: &str| Token::choice(item, shown, text);
        let choices = |texts: &[String]| list(texts.iter().map(|text| choice(text)));
        let at = |texts: &[String], row: u32| texts.get(usize::try_from(row).ok()?.checked_sub(1)?).cloned();
        let row_of_matrix = || row.or_else(|| (shown.rows().len() == 1).then_some(1));
        match answer {
            Answer::Choice(text) => one(choice(text)),
            Answer::Choices(chosen) => Some(choices(chosen)),
            Answer::Number(number) => one(Token::number(*number)),
            Answer::Text(text) => one(Token::text(text)),
            Answer::YesNo(yes) => {
                let (text, written) = (yes_or_no(*yes), if *yes { "true" } else { "false" });
                one(Token { text: text.into(), written: Some(written.into()), number: Some(f64::from(*yes)) })
            }
            Answer::Labels(labels) => match row_of_matrix() {
                Some(row) => one(choice(labels.get(&at(shown.rows(), row)?)?)),
                None => Some(list(shown.rows().iter().filter_map(|row| labels.get(row)).map(|label| choice(label)))),
            },
            // Several rows have no single list of labels.
            Answer::LabelSets(labels) => match row_of_matrix() {
                Some(row) => Some(choices(labels.get(&at(shown.rows(), row)?)?)),
                None => Some(list(std::iter::empty())),
            },
            Answer::Parts(parts) => match row {
                Some(row) => one(Token::number(*parts.get(&at(&shown.options, row)?)?)),
                None => Some(list(shown.options.iter().filter_map(|option| {
                    Some(Token { text: format!("{option}: {}", parts.get(option)?), ..Token::default() })
                }))),
            },
            Answer::Ranking(ranked) => match row {
                Some(row) => {
                    let option = at(&shown.options, row)?;
                    let rank = ranked.iter().position(|text| *text == option)?;
                    one(Token::number(f64::from(u32::try_from(rank + 1).ok()?)))
                }
                None => Some(choices(ranked)),
            },
            Answer::BestWorst(BestAndWorst { best, worst }) => match row {
                Some(1) => one(choice(best)),
                Some(2) => one(choice(worst)),
                Some(_) => None,
                None => Some(list([best, worst].into_iter().map(|text| choice(text)))),
            },
        }
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
