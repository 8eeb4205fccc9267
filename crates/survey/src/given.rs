//! What a condition compares and a pipe inserts: an answer, a field or an attribute in one form.

use serde_json::Value;

use super::item::Item;
use crate::question::{Question, QuestionType};

/// One value, or several of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    pub values: Vec<Token>,
    /// The answer is a list, also where it has one entry.
    pub is_list: bool,
}

/// A single value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Token {
    /// As it was shown.
    pub text: String,
    /// As the researcher wrote it, where that may differ.
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

    /// A choice by the text that was shown.
    fn choice(item: &Item, shown: &Question, text: &str) -> Self {
        let texts = if item.kind().is_matrix() { &shown.scale_labels } else { &shown.options };
        // A choice that was not shown as such may still stand there as written.
        let at = texts.iter().position(|shown| shown == text).or_else(|| item.choices().iter().position(|c| c == text));
        let Some(at) = at else { return Self { text: text.into(), ..Self::default() } };
        #[expect(clippy::cast_precision_loss, reason = "codes are small; larger ones compare alike on both sides")]
        let code = item.code(at) as f64;
        Self { text: text.into(), written: item.choices().get(at).cloned(), number: Some(code) }
    }
}

impl Given {
    /// A field, an arm or an attribute.
    pub fn text(text: &str) -> Self {
        Self { values: vec![Token::text(text)], is_list: false }
    }

    pub fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        Self { values: texts.into_iter().map(Token::text).collect(), is_list: true }
    }

    /// A stored answer, or one row of it, 1-based. `shown`: the question as the twin saw it. `None` where the answer has
    /// no such row, or is not of the question's form.
    pub fn answer(item: &Item, shown: &Question, row: Option<u32>, value: &Value) -> Option<Self> {
        let one = |token: Token| Some(Self { values: vec![token], is_list: false });
        let choice = |text: &str| Token::choice(item, shown, text);
        let at = |texts: &[String], row: u32| texts.get(usize::try_from(row).ok()?.checked_sub(1)?).cloned();
        match item.kind() {
            QuestionType::Info => None,
            QuestionType::SingleChoice => one(choice(value.as_str()?)),
            QuestionType::MultipleChoice => Some(list(texts(value)?.map(choice))),
            QuestionType::Slider | QuestionType::Range | QuestionType::Number => one(Token::number(value.as_f64()?)),
            QuestionType::TextEntry | QuestionType::OpenEnded => one(Token::text(value.as_str()?)),
            QuestionType::Boolean => {
                let yes = value.as_bool()?;
                let (text, written) = if yes { ("Yes", "true") } else { ("No", "false") };
                one(Token { text: text.into(), written: Some(written.into()), number: Some(f64::from(yes)) })
            }
            QuestionType::Matrix | QuestionType::MatrixMulti => {
                let rows = value.as_object()?;
                let shown_rows = shown.rows();
                let row = row.or_else(|| (shown_rows.len() == 1).then_some(1));
                let Some(row) = row else {
                    let all = shown_rows.iter().filter_map(|row| rows.get(row)).filter_map(Value::as_str);
                    return Some(list(all.map(choice)));
                };
                let rating = rows.get(&at(shown_rows, row)?)?;
                match rating.as_str() {
                    Some(label) => one(choice(label)),
                    None => Some(list(texts(rating)?.map(choice))),
                }
            }
            QuestionType::ConstantSum => {
                let parts = value.as_object()?;
                match row {
                    Some(row) => one(Token::number(parts.get(&at(&shown.options, row)?)?.as_f64()?)),
                    None => Some(list(shown.options.iter().filter_map(|option| {
                        Some(Token { text: format!("{option}: {}", parts.get(option)?.as_f64()?), ..Token::default() })
                    }))),
                }
            }
            QuestionType::Rank => match row {
                Some(row) => {
                    let option = at(&shown.options, row)?;
                    let rank = texts(value)?.position(|text| text == option)?;
                    one(Token::number(f64::from(u32::try_from(rank + 1).ok()?)))
                }
                None => Some(list(texts(value)?.map(choice))),
            },
            QuestionType::BestWorst => {
                let [best, worst] = ["best", "worst"].map(|end| value.get(end).and_then(Value::as_str));
                match row {
                    Some(1) => one(choice(best?)),
                    Some(2) => one(choice(worst?)),
                    Some(_) => None,
                    None => Some(list([best?, worst?].into_iter().map(choice))),
                }
            }
        }
    }

    /// As a pipe inserts it.
    pub fn display(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// The same at the end of a text.
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

fn texts(value: &Value) -> Option<impl Iterator<Item = &str>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str))
}
