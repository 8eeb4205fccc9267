//! Texts with pipes: `{{answer:Q3}}`, `{{answer:Q3.row2}}`, `{{field:fee}}`, `{{twin:Age}}`, `{{loop:text}}`. `\{{`
//! stands for two braces. Inserted text is never expanded again.

use std::borrow::Cow;

use super::condition::{Facts, Known, Left};

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
/// Capacity that is reserved for an inserted value, in bytes.
const RESERVED_BYTES: usize = 32;

/// A text in parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    pub parts: Vec<TextPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextPart {
    Text(String),
    Read(Left),
    /// A column name as written. The plan replaces it by a `Cell`.
    Loop(String),
    /// A column of the row that a loop drew for one of its turns (0-based).
    Cell {
        turns: String,
        turn: usize,
        column: usize,
    },
    /// Text in double braces that is no pipe. It is shown as written.
    Unknown(String),
}

/// The result of rendering a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rendered {
    /// The text. `empty` is the number of pipes that had nothing to insert.
    Text {
        text: String,
        empty: u32,
    },
    Pending,
    Failed,
}

impl Template {
    /// A template for a text that is shown as it is.
    pub fn literal(text: &str) -> Self {
        Self { parts: vec![TextPart::Text(text.to_owned())] }
    }

    pub fn parse(source: &str) -> Self {
        let mut parts = Vec::new();
        let mut text = String::new();
        for token in tokens(source) {
            match token {
                Token::Text(written) => text.push_str(written),
                Token::Braces => text.push_str(OPEN),
                Token::Pipe(name) => {
                    if !text.is_empty() {
                        parts.push(TextPart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(part(name));
                }
            }
        }
        if !text.is_empty() || parts.is_empty() {
            parts.push(TextPart::Text(text));
        }
        Self { parts }
    }

    /// Returns the text, or `None` if it depends on the twin.
    pub fn as_literal(&self) -> Option<String> {
        let mut text = String::new();
        for part in &self.parts {
            match part {
                TextPart::Text(literal) => text.push_str(literal),
                TextPart::Unknown(name) => text.extend([OPEN, name, CLOSE]),
                TextPart::Read(_) | TextPart::Loop(_) | TextPart::Cell { .. } => return None,
            }
        }
        Some(text)
    }

    /// Returns the left sides that the text reads, without the columns of loops.
    pub fn reads(&self) -> impl Iterator<Item = &Left> {
        self.parts.iter().filter_map(|part| match part {
            TextPart::Read(left) => Some(left),
            _ => None,
        })
    }

    pub fn render(&self, facts: &impl Facts) -> Rendered {
        let written = |part: &TextPart| if let TextPart::Text(text) = part { text.len() } else { RESERVED_BYTES };
        let mut text = String::with_capacity(self.parts.iter().map(written).sum());
        let mut empty = 0;
        let (mut is_pending, mut has_failed) = (false, false);
        for part in &self.parts {
            let length = text.len();
            match part {
                TextPart::Text(literal) => text.push_str(literal),
                TextPart::Unknown(name) | TextPart::Loop(name) => {
                    let prefix = if matches!(part, TextPart::Loop(_)) { "loop:" } else { "" };
                    text.extend([OPEN, prefix, name, CLOSE]);
                }
                TextPart::Cell { turns, .. } if !facts.has_rows(turns) => is_pending = true,
                TextPart::Cell { turns, turn, column } => {
                    text.push_str(&facts.cell(turns, *turn, *column).unwrap_or_default());
                }
                TextPart::Read(left) => match facts.look(left).as_ref() {
                    Known::Given(given) => given.write(&mut text),
                    Known::Nothing => {}
                    Known::Pending => is_pending = true,
                    Known::Failed => has_failed = true,
                },
            }
            let is_inserted = matches!(part, TextPart::Cell { .. } | TextPart::Read(_));
            empty += u32::from(is_inserted && text.len() == length);
        }
        match (is_pending, has_failed) {
            (true, _) => Rendered::Pending,
            (false, true) => Rendered::Failed,
            (false, false) => Rendered::Text { text, empty },
        }
    }
}

/// A piece of a source.
enum Token<'a> {
    Text(&'a str),
    /// `\{{`: two braces that open no pipe.
    Braces,
    /// Text between double braces.
    Pipe(&'a str),
}

fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(OPEN) {
        let (before, from) = rest.split_at(at);
        let inside = from.get(OPEN.len()..).unwrap_or_default();
        if let Some(before) = before.strip_suffix('\\') {
            tokens.extend([Token::Text(before), Token::Braces]);
            rest = inside;
            continue;
        }
        tokens.push(Token::Text(before));
        // A pipe contains no brace, so an unclosed one does not swallow the next.
        let Some(name) = name_in(inside) else {
            tokens.push(Token::Text(OPEN));
            rest = inside;
            continue;
        };
        tokens.push(Token::Pipe(name));
        rest = inside.get(name.len() + CLOSE.len()..).unwrap_or_default();
    }
    tokens.push(Token::Text(rest));
    tokens
}

/// The source with other names in its pipes: `rename` returns what a pipe reads instead, or `None` where it stays.
pub fn with_names(source: &str, rename: impl Fn(&Left) -> Option<Left>) -> String {
    let written = |token| match token {
        Token::Text(text) => text.to_owned(),
        Token::Braces => format!("\\{OPEN}"),
        Token::Pipe(pipe) => {
            let renamed = if let TextPart::Read(left) = part(pipe) { rename(&left) } else { None };
            let renamed = renamed.zip(pipe.split_once(':'));
            let changed =
                renamed.map(|(left, (kind, name))| format!("{kind}:{}", name.replacen(name.trim(), &name_of(left), 1)));
            format!("{OPEN}{}{CLOSE}", changed.as_deref().unwrap_or(pipe))
        }
    };
    tokens(source).into_iter().map(written).collect()
}

/// Writes a text outside an interview, e.g. as a label in a file: each pipe becomes the name of what it inserts, in
/// brackets, such as `[fee]`.
pub fn plain(source: &str) -> Cow<'_, str> {
    if !source.contains(OPEN) {
        return Cow::Borrowed(source);
    }
    let mut text = String::with_capacity(source.len());
    for part in Template::parse(source).parts {
        match part {
            TextPart::Text(literal) => text.push_str(&literal),
            TextPart::Unknown(name) => text.extend([OPEN, &name, CLOSE]),
            TextPart::Loop(name) => text.extend(["[", &name, "]"]),
            TextPart::Read(left) => text.extend(["[", &name_of(left), "]"]),
            // Only a plan has cells, not a text that was just parsed.
            TextPart::Cell { .. } => {}
        }
    }
    Cow::Owned(text)
}

fn name_of(left: Left) -> String {
    match left {
        Left::Answer { question, row: Some(row) } => format!("{question}.row{row}"),
        Left::Answer { question: name, row: None } | Left::Field(name) | Left::Twin(name) | Left::HeldOut(name) => name,
    }
}

/// Returns the text before the closing braces, unless another brace opens first or the line ends.
fn name_in(inside: &str) -> Option<&str> {
    let end =
        inside.match_indices(['{', '\n', '}']).find(|(at, found)| *found != "}" || inside[*at..].starts_with(CLOSE))?;
    (end.1 == "}").then(|| inside.get(..end.0)).flatten()
}

fn part(name: &str) -> TextPart {
    let pipe = name.trim().split_once(':').map(|(kind, name)| (kind.trim(), name.trim()));
    match pipe {
        Some(("answer", name)) if !name.is_empty() => TextPart::Read(answer(name)),
        Some(("field", name)) if !name.is_empty() => TextPart::Read(Left::Field(name.to_owned())),
        Some(("twin", name)) if !name.is_empty() => TextPart::Read(Left::Twin(name.to_owned())),
        Some(("loop", name)) if !name.is_empty() => TextPart::Loop(name.to_owned()),
        _ => TextPart::Unknown(name.to_owned()),
    }
}

/// Parses `Q3` or `Q3.row2`.
fn answer(name: &str) -> Left {
    let row = name.rsplit_once(".row").and_then(|(question, row)| Some((question, row.parse().ok()?)));
    match row {
        Some((question, row)) => Left::Answer { question: question.to_owned(), row: Some(row) },
        None => Left::Answer { question: name.to_owned(), row: None },
    }
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_label_has_the_names_of_what_is_inserted() {
        let same = |text: &str| assert_eq!(plain(text), text);
        assert_eq!(plain("How fair is {{field:fee}} of {{ twin : Age }}?"), "How fair is [fee] of [Age]?");
        assert_eq!(
            plain("You said {{answer:Q3.row2}}, {{answer:Q4}} and {{loop:text}}."),
            "You said [Q3.row2], [Q4] and [text]."
        );
        assert_eq!(
            plain("\\{{field:fee}} {{field:fee}}"),
            "{{field:fee}} [fee]",
            "two braces that were written as such"
        );
        same("no pipe");
        same("{{other}} {{field:fee}");
    }
}
