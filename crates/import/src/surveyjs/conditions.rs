//! Parses conditions in SurveyJS' syntax: `{age} >= 18 and ({city} = 'Rome' or {tea} notempty)`.

use std::collections::HashMap;

use serde_json::{Value, json};
use survey::question::QuestionType;

/// A question of the file.
#[derive(Clone, Debug)]
pub struct KnownQuestion {
    pub name: String,
    /// Its type. `None` if it has no counterpart here.
    pub kind: Option<QuestionType>,
    /// Values and texts of its choices.
    pub choices: Vec<(String, String)>,
}

/// Maximum depth of brackets.
const MAX_DEPTH: usize = 12;
/// Maximum length of a condition, in bytes.
const MAX_CONDITION_BYTES: usize = 50_000;

/// Converts a condition. `None` if it has no counterpart.
pub fn condition(text: &str, known: &HashMap<String, KnownQuestion>) -> Option<Value> {
    if text.len() > MAX_CONDITION_BYTES {
        return None;
    }
    let mut parser = Parser { tokens: tokens(text)?, at: 0, known };
    let found = parser.any(0)?;
    (parser.at == parser.tokens.len()).then_some(found)
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    /// A name in braces.
    Question(String),
    /// A text in quotation marks, or a number.
    Value(String),
    /// A word in lower case, or signs.
    Word(String),
}

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '{' => {
                let end = rest.find('}')?;
                (Token::Question(rest.get(1..end)?.trim().to_owned()), end + 1)
            }
            '\'' | '"' => {
                let inside = rest.get(1..)?;
                let end = inside.find(first)?;
                (Token::Value(inside.get(..end)?.to_owned()), end + 2)
            }
            '(' | ')' | '[' | ']' | ',' => (Token::Word(first.to_string()), 1),
            '=' | '<' | '>' | '!' | '&' | '|' => {
                let end = rest.find(|c: char| !"=<>!&|".contains(c)).unwrap_or(rest.len());
                (Token::Word(rest.get(..end)?.to_owned()), end)
            }
            _ => {
                let end =
                    rest.find(|c: char| c.is_whitespace() || "{}'\"()[],=<>!&|".contains(c)).unwrap_or(rest.len());
                let word = rest.get(..end)?;
                let token = if word.parse::<f64>().is_ok() {
                    Token::Value(word.to_owned())
                } else {
                    Token::Word(word.to_lowercase())
                };
                (token, end.max(first.len_utf8()))
            }
        };
        tokens.push(token);
        rest = rest.get(length..)?.trim_start();
    }
    Some(tokens)
}

struct Parser<'k> {
    tokens: Vec<Token>,
    at: usize,
    known: &'k HashMap<String, KnownQuestion>,
}

impl Parser<'_> {
    fn any(&mut self, depth: usize) -> Option<Value> {
        self.list("any", ["or", "||"], depth, Self::all)
    }

    fn all(&mut self, depth: usize) -> Option<Value> {
        self.list("all", ["and", "&&"], depth, Self::one)
    }

    fn list(
        &mut self,
        name: &str,
        words: [&str; 2],
        depth: usize,
        part: impl Fn(&mut Self, usize) -> Option<Value>,
    ) -> Option<Value> {
        let mut parts = vec![part(self, depth)?];
        while words.iter().any(|word| self.takes(word)) {
            parts.push(part(self, depth)?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(json!({ name: parts })) }
    }

    fn one(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        if self.takes("(") {
            let found = self.any(depth + 1)?;
            return self.takes(")").then_some(found);
        }
        let Token::Question(name) = self.next()? else { return None };
        let known = self.known.get(&name)?;
        let kind = known.kind?;
        let Token::Word(operator) = self.next()? else { return None };
        let answer = &known.name;
        Some(match operator.as_str() {
            "notempty" => json!({ "answered": answer }),
            "empty" => json!({ "not": { "answered": answer } }),
            "anyof" | "allof" => {
                let values = self.values(known)?;
                let leaves: Vec<Value> =
                    values.into_iter().map(|value| json!({ "answer": answer, has(kind): value })).collect();
                json!({ if operator == "anyof" { "any" } else { "all" }: leaves })
            }
            "=" | "==" | "equal" => json!({ "answer": answer, has(kind): self.value(known)? }),
            "!=" | "<>" | "notequal" => json!({ "answer": answer, has_not(kind): self.value(known)? }),
            "contains" | "contain" => match kind {
                QuestionType::TextEntry | QuestionType::OpenEnded => {
                    let Token::Value(text) = self.next()? else { return None };
                    json!({ "answer": answer, "contains": text })
                }
                _ => json!({ "answer": answer, has(kind): self.value(known)? }),
            },
            "notcontains" | "notcontain" if kind == QuestionType::MultipleChoice => {
                json!({ "answer": answer, "has_not": self.value(known)? })
            }
            ">" | "greater" => json!({ "answer": answer, "gt": self.number()? }),
            "<" | "less" => json!({ "answer": answer, "lt": self.number()? }),
            ">=" | "greaterorequal" => json!({ "answer": answer, "ge": self.number()? }),
            "<=" | "lessorequal" => json!({ "answer": answer, "le": self.number()? }),
            _ => return None,
        })
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).cloned();
        self.at += 1;
        token
    }

    fn takes(&mut self, word: &str) -> bool {
        let is_there = matches!(self.tokens.get(self.at), Some(Token::Word(found)) if found == word);
        self.at += usize::from(is_there);
        is_there
    }

    /// Parses an answer to the question, in the words of its options.
    fn value(&mut self, known: &KnownQuestion) -> Option<Value> {
        let text = match self.next()? {
            Token::Value(text) | Token::Word(text) => text,
            Token::Question(_) => return None,
        };
        match known.kind? {
            QuestionType::Boolean => match text.as_str() {
                "true" => Some(json!("Yes")),
                "false" => Some(json!("No")),
                _ => None,
            },
            QuestionType::Range | QuestionType::Number => number(&text),
            QuestionType::SingleChoice | QuestionType::MultipleChoice => {
                let found = known.choices.iter().find(|(value, _)| value.to_lowercase() == text.to_lowercase());
                found.map(|(_, text)| json!(text))
            }
            QuestionType::TextEntry | QuestionType::OpenEnded => Some(json!(text)),
            _ => None,
        }
    }

    fn values(&mut self, known: &KnownQuestion) -> Option<Vec<Value>> {
        if !self.takes("[") {
            return Some(vec![self.value(known)?]);
        }
        let mut values = vec![self.value(known)?];
        while self.takes(",") {
            values.push(self.value(known)?);
        }
        self.takes("]").then_some(values)
    }

    fn number(&mut self) -> Option<Value> {
        match self.next()? {
            Token::Value(text) => number(&text),
            _ => None,
        }
    }
}

/// Parses a number. Whole numbers have no point.
fn number(text: &str) -> Option<Value> {
    text.parse::<i64>().map(Value::from).ok().or_else(|| Some(json!(text.parse::<f64>().ok()?)))
}

fn has(kind: QuestionType) -> &'static str {
    if kind == QuestionType::MultipleChoice { "has" } else { "is" }
}

fn has_not(kind: QuestionType) -> &'static str {
    if kind == QuestionType::MultipleChoice { "has_not" } else { "is_not" }
}
