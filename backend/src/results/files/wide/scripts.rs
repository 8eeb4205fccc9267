//! Scripts that open a run's wide file of codes with its labels. They need what comes with R, or pandas in Python.

use std::fmt::Write;

use super::columns::{Columns, Values};

/// The text in double quotes with the escapes that JSON, Python and R share.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// One line: a comment must not end midway.
fn comment(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// For R. `file` is the wide CSV with codes, in the folder where R runs.
pub fn r(columns: &Columns, file: &str, notice: &str) -> String {
    let classes = columns.0.iter().filter(|column| column.values == Values::Text);
    let classes = list(classes.map(|column| format!("{} = \"character\"", column.name)));
    let mut script = format!(
        "# {}\n\ndata <- read.csv({}, fileEncoding = \"UTF-8-BOM\", na.strings = \"\", check.names = FALSE,\n  \
         colClasses = c({classes}))\n\n",
        comment(notice),
        quoted(file)
    );
    for column in &columns.0 {
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

/// For Python. `file` is the wide CSV with codes, in the folder where Python runs.
pub fn python(columns: &Columns, file: &str, notice: &str) -> String {
    let texts = columns.0.iter().filter(|column| column.values == Values::Text);
    let texts = list(texts.map(|column| format!("{}: str", quoted(&column.name))));
    let mut script = format!(
        "# {}\n\nimport pandas as pd\n\ndata = pd.read_csv({}, encoding=\"utf-8-sig\", dtype={{{texts}}}, \
         keep_default_na=False, na_values=[\"\"])\n\n",
        comment(notice),
        quoted(file)
    );
    for column in &columns.0 {
        let Values::Coded(codes) = &column.values else { continue };
        let name = quoted(&column.name);
        let labels = list(codes.iter().map(|(code, label)| format!("{code}: {}", quoted(label))));
        let order = list(codes.iter().map(|(_, label)| quoted(label)));
        let _ = writeln!(script, "data[{name}] = pd.Categorical(data[{name}].map({{{labels}}}), categories=[{order}])");
    }
    script.push_str("\ndata.attrs[\"labels\"] = {\n");
    for column in &columns.0 {
        let _ = writeln!(script, "    {}: {},", quoted(&column.name), quoted(&column.label));
    }
    script.push_str("}\n");
    script
}
