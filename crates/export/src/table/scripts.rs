//! Scripts that open a table of codes with its labels. They need what comes with R or Stata, or pandas in Python.

use std::fmt::Write;

use super::{Column, Form, Values, WideTable};
use crate::program::{Program, legal_names};

/// Length limit of the label of a variable in Stata, in characters.
const MAX_STATA_LABEL: usize = 80;

/// Returns the text in double quotes with the escapes that JSON, Python and R share.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// Returns the text on one line: a comment must not end midway.
fn comment(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Writes the script for R. `file` is the wide CSV with codes, in the folder where R runs.
pub fn r(columns: &[Column], file: &str, notice: &str) -> String {
    let classes = columns.iter().filter(|column| column.values == Values::Text);
    let classes = list(classes.map(|column| format!("{} = \"character\"", column.name)));
    let mut script = format!(
        "# {}\n\ndata <- read.csv({}, fileEncoding = \"UTF-8-BOM\", na.strings = \"\", check.names = FALSE,\n  \
         colClasses = c({classes}))\n\n",
        comment(notice),
        quoted(file)
    );
    for column in columns {
        let name = &column.name;
        if let Values::Coded(codes) = &column.values {
            let levels = list(codes.iter().map(|(code, _)| code.to_string()));
            let labels = list(codes.iter().map(|(_, label)| quoted(label)));
            // Writing to a String cannot fail.
            let _ = writeln!(script, "data${name} <- factor(data${name}, levels = c({levels}), labels = c({labels}))");
        }
        let _ = writeln!(script, "attr(data${name}, \"label\") <- {}", quoted(&column.label));
    }
    script
}

/// Writes the script for Python. `file` is the wide CSV with codes, in the folder where Python runs.
pub fn python(columns: &[Column], file: &str, notice: &str) -> String {
    let texts = columns.iter().filter(|column| column.values == Values::Text);
    let texts = list(texts.map(|column| format!("{}: str", quoted(&column.name))));
    let mut script = format!(
        "# {}\n\nimport pandas as pd\n\ndata = pd.read_csv({}, encoding=\"utf-8-sig\", dtype={{{texts}}}, \
         keep_default_na=False, na_values=[\"\"])\n\n",
        comment(notice),
        quoted(file)
    );
    for column in columns {
        let Values::Coded(codes) = &column.values else { continue };
        let name = quoted(&column.name);
        let labels = list(codes.iter().map(|(code, label)| format!("{code}: {}", quoted(label))));
        let order = list(codes.iter().map(|(_, label)| quoted(label)));
        let _ = writeln!(script, "data[{name}] = pd.Categorical(data[{name}].map({{{labels}}}), categories=[{order}])");
    }
    script.push_str("\ndata.attrs[\"labels\"] = {\n");
    for column in columns {
        let _ = writeln!(script, "    {}: {},", quoted(&column.name), quoted(&column.label));
    }
    script.push_str("}\n");
    script
}

/// Writes the script for Stata 14 or later. `file` is the wide CSV with codes, in the folder where Stata runs. Names are those of the .dta file.
pub fn stata(columns: &[Column], file: &str, notice: &str) -> String {
    let table = WideTable::new(columns.to_vec(), Form::Codes);
    let names = legal_names(table.header(), Program::Stata);
    // The names of the file are not all Stata's, and a column without a value would have any type: both are set here.
    let mut script = format!(
        "* {}\n\nversion 14\nimport delimited using {}, clear varnames(nonames) rowrange(2) encoding(\"UTF-8\") ///\n  \
         bindquotes(strict) maxquotedrows(unlimited) stringcols(_all)\n\n\
         * A question may be called v7, too.\nrename v* __*\n\n",
        // A comment that ends so would go on.
        comment(notice).replace("///", "/ / /").replace("/*", "/ *"),
        in_stata(file)
    );
    for (number, (name, (column, _))) in (1..).zip(names.iter().zip(table.written())) {
        let _ = writeln!(script, "rename __{number} {name}");
        let Some(column) = column else { continue };
        if column.values != Values::Text {
            let _ = writeln!(script, "destring {name}, replace");
        }
        let label = comment(&column.label);
        let short: String = label.chars().take(MAX_STATA_LABEL).collect();
        let _ = writeln!(script, "label variable {name} {}", in_stata(&short));
        if short != label {
            let _ = writeln!(script, "char {name}[label] {}", in_stata(&label));
        }
        if let Values::Coded(codes) = &column.values {
            for (place, (code, label)) in codes.iter().enumerate() {
                let more = if place == 0 { "" } else { ", add" };
                let _ = writeln!(script, "label define {name} {code} {}{more}", in_stata(&comment(label)));
            }
            let _ = writeln!(script, "label values {name} {name}");
        }
    }
    script
}

/// Returns the text in Stata's compound quotes. They have no escapes for what would end them or expand a macro: a blank is
/// inserted, and a grave accent becomes an apostrophe.
fn in_stata(text: &str) -> String {
    let text = text.replace('`', "'").replace("\"'", "\" '").replace('$', "\\$");
    format!("`\"{text}\"'")
}

#[cfg(test)]
mod tests {
    use super::in_stata;

    #[test]
    fn a_text_neither_ends_its_quotes_nor_expands_a_macro_of_stata() {
        assert_eq!(in_stata("say \"hi\"'s $5 `x'"), "`\"say \"hi\" 's \\$5 'x'\"'");
    }
}
