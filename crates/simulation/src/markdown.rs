//! Escapes text that people wrote for Markdown, so that it is shown as it is: without a picture, link, heading, table
//! or HTML.

use std::borrow::Cow;

/// Writes the text on one line.
pub fn inline(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Writes the text in a cell of a table.
pub fn cell(text: &str) -> String {
    inline(text).replace('|', "\\|")
}

/// Writes the text as paragraphs and plain lists, in its own lines.
pub fn block(text: &str) -> String {
    let line = |line: &str| {
        let line = escape(line.trim());
        // Such lines are headings or quotes, or make a heading or a table of the line above.
        let marks = line.starts_with(['#', '>', '=']) || line.starts_with("--") || is_table(&line);
        if marks { format!("\\{line}") } else { line }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Writes the text as code on one line.
pub fn code(text: &str) -> String {
    let text: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Whether the line of dashes and bars would make a table of the line above.
fn is_table(line: &str) -> bool {
    line.contains('-') && line.chars().all(|letter| matches!(letter, '|' | '-' | ':' | ' '))
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut letters = text.char_indices().peekable();
    while let Some((place, letter)) = letters.next() {
        let next = letters.peek().map_or(' ', |(_, next)| *next);
        let is_mark = match letter {
            '\\' | '`' | '*' | '[' | ']' | '<' => true,
            // An underscore within a word marks nothing.
            '_' => !(before.is_alphanumeric() && next.is_alphanumeric()),
            '~' => before == '~' || next == '~',
            '&' => is_entity(&text[place..]),
            _ => false,
        };
        if is_mark {
            escaped.push('\\');
        }
        escaped.push(letter);
        before = letter;
    }
    escaped
}

/// Whether the text begins with an entity such as `&amp;` or `&#60;`.
fn is_entity(text: &str) -> bool {
    let name = text.get(1..).and_then(|rest| rest.split_once(';')).map_or("", |(name, _)| name);
    let name = name.strip_prefix('#').map_or(Cow::Borrowed(name), |digits| Cow::Owned(format!("x{digits}")));
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_words_stay_as_they_are() {
        for text in ["R&D, wave1_3 (2025): \"how fair?\" 5 > 3!", "Über 東京 – 50 %", "- one", "1. first", "a | b"]
        {
            assert_eq!(inline(text), text);
            assert_eq!(block(text), text);
        }
    }

    #[test]
    fn what_markdown_or_html_would_be_is_shown() {
        for (text, shown) in [
            ("![x](http://evil.example/x.png)", "!\\[x\\](http://evil.example/x.png)"),
            ("<img src=x onerror=alert(1)>", "\\<img src=x onerror=alert(1)>"),
            ("**bold** _it_ `code` \\[a]", "\\*\\*bold\\*\\* \\_it\\_ \\`code\\` \\\\\\[a\\]"),
            ("~~gone~~ ~5", "\\~\\~gone\\~\\~ ~5"),
            ("&lt;b&gt; &#60; R&D; a & b;", "\\&lt;b\\&gt; \\&#60; R\\&D; a & b;"),
            ("two\n\n# lines", "two # lines"),
        ] {
            assert_eq!(inline(text), shown);
        }
        assert_eq!(cell("a | b"), "a \\| b");
        assert_eq!(
            block("# No\n  > heading\nwords\n===\n---\n| - | - |\n    code"),
            "\\# No\n\\> heading\nwords\n\\===\n\\---\n\\| - | - |\ncode"
        );
        assert_eq!([code("a"), code("a `b` ``c"), code("`")], ["`a`", "```a `b` ``c```", "`` ` ``"]);
    }
}
