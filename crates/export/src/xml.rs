//! XML 1.0, element by element.

use std::fmt::Write;

/// Writes elements on lines of their own, indented by their depth.
pub struct XmlWriter {
    out: String,
    open: Vec<&'static str>,
}

/// Names and values of attributes.
pub type XmlAttributes<'a> = &'a [(&'a str, &'a str)];

impl XmlWriter {
    /// Begins a document.
    pub fn begin() -> Self {
        Self { out: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned(), open: Vec::new() }
    }

    /// Opens an element. Those until [`Self::close`] are within it.
    pub fn open(&mut self, name: &'static str, attributes: XmlAttributes<'_>) {
        self.tag(name, attributes);
        self.out.push_str(">\n");
        self.open.push(name);
    }

    /// Closes the innermost open element.
    pub fn close(&mut self) {
        let Some(name) = self.open.pop() else { return };
        self.indent();
        // Writing to a String cannot fail.
        let _ = writeln!(self.out, "</{name}>");
    }

    /// Writes an element that holds a text.
    pub fn text(&mut self, name: &'static str, attributes: XmlAttributes<'_>, text: &str) {
        self.tag(name, attributes);
        self.out.push('>');
        escape(&mut self.out, text);
        let _ = writeln!(self.out, "</{name}>");
    }

    /// Writes an element without content.
    pub fn empty(&mut self, name: &'static str, attributes: XmlAttributes<'_>) {
        self.tag(name, attributes);
        self.out.push_str("/>\n");
    }

    /// Closes what is open. Returns the document.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.close();
        }
        self.out
    }

    fn tag(&mut self, name: &str, attributes: XmlAttributes<'_>) {
        self.indent();
        let _ = write!(self.out, "<{name}");
        for (name, value) in attributes {
            let _ = write!(self.out, " {name}=\"");
            escape(&mut self.out, value);
            self.out.push('"');
        }
    }

    fn indent(&mut self) {
        for _ in &self.open {
            self.out.push_str("  ");
        }
    }
}

/// Appends the text as content or as an attribute's value. A character that XML does not have is replaced.
fn escape(out: &mut String, text: &str) {
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            // A reader would make a blank or a line feed of them.
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_closed_and_what_xml_reads_as_markup_is_escaped() {
        let mut xml = XmlWriter::begin();
        xml.open("a", &[("b", "\"<\n>\"")]);
        xml.text("c", &[], "R&D ]]> \u{1}é");
        xml.open("d", &[]);
        xml.empty("e", &[]);
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        let body =
            "<a b=\"&quot;&lt;&#10;&gt;&quot;\">\n  <c>R&amp;D ]]&gt; \u{fffd}é</c>\n  <d>\n    <e/>\n  </d>\n</a>\n";
        assert_eq!(xml.finish(), format!("{head}{body}"));
    }
}
