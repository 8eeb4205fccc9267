//! The meaning of a column, decided by its name.
//!
//! | columns (case, blanks and hyphens do not matter) | become |
//! |---|---|
//! | `pid`, else `persona_id`, else `id` | the person's id; without one, the row's number |
//! | `name`, `description` | themselves; without one, `Twin 17` and a line from the demographics |
//! | `persona_summary`, `summary`, `persona`, `text`, `profile` | the summary |
//! | `persona_text`, `full_text`, `full` | the full text |
//! | `wave1_3_persona_text` | the full text of Twin-2K-500's `wave_split` |
//! | `wave4_Q_wave1_3_A`, `wave4_Q_wave4_A`, next to that text | the held-out answers: stored apart, never in a prompt
//! |
//! | `wave1_3_persona_json`, and `persona_json` if only the summary is stored | the questions that the texts were made
//! from |
//! | other `wave4…` columns of Twin-2K-500, columns without a name | never read |
//! | all others | an attribute with the column's name, if its value has at most 200 characters |

use simulation::persona_source::Dataset;

use crate::error::{Error, Result};

/// The texts that an import stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ImportVariant {
    /// The summary alone.
    Summary,
    /// The summary, if the file has one, and the full text.
    Full,
    /// Twin-2K-500's text of waves 1 to 3: the only one that may be measured against wave 4.
    #[value(name = "wave1_3")]
    Wave1To3,
}

/// Options of an import.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct ImportOptions {
    /// Texts to store [default: all in the file]
    #[arg(long, value_enum)]
    pub variant: Option<ImportVariant>,
    /// Published data set that the twins are people of, whose citation and licence then apply to the files. By default
    /// it applies only to files with all of its published columns
    #[arg(long, value_enum, ignore_case = true, value_name = "NAME")]
    pub dataset: Option<Dataset>,
}

/// The meaning of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ColumnRole {
    Id,
    Name,
    Description,
    Summary,
    FullText,
    /// The person's first answers to the held-out questions.
    HeldOutFirst,
    /// The person's second answers.
    HeldOutSecond,
    /// The questions that the texts were made from.
    Questionnaire,
    Attribute(String),
}

/// The columns of a file that an import reads.
#[derive(Debug)]
pub struct ColumnPlan {
    /// Position in the header and meaning, in the header's order.
    pub columns: Vec<(usize, ColumnRole)>,
    /// The published data set whose columns the file has, all of them and perhaps others.
    pub dataset: Option<Dataset>,
    /// The part of Twin-2K-500 that has such texts.
    pub part: &'static str,
}

const IDS: [&str; 3] = ["pid", "persona_id", "id"];
const SUMMARIES: [&str; 5] = ["persona_summary", "summary", "persona", "text", "profile"];
const FULL_TEXTS: [&str; 3] = ["persona_text", "full_text", "full"];
const WAVES_1_TO_3: &str = "wave1_3_persona_text";
const HELD_OUT: [&str; 2] = ["wave4_q_wave1_3_a", "wave4_q_wave4_a"];
/// The columns of Twin-2K-500's parts, as published.
const FULL_PERSONA: [&str; 4] = ["pid", "persona_text", "persona_summary", "persona_json"];
const WAVE_SPLIT: [&str; 5] = ["pid", WAVES_1_TO_3, "wave1_3_persona_json", HELD_OUT[0], HELD_OUT[1]];

/// Decides what each column of `header` means. Without a variant all texts of the file are stored, but for a
/// `wave_split` file only that of waves 1 to 3. Errors name the columns that are missing, doubled or in conflict.
pub fn plan(file: &str, header: &[String], variant: Option<ImportVariant>) -> Result<ColumnPlan> {
    let names: Vec<String> = header.iter().map(|name| normal(name)).collect();
    let refuse = |what: String| Err(Error::bad_input(format!("{file}: {what}")));
    for (position, name) in names.iter().enumerate() {
        if !name.is_empty() && names[..position].contains(name) {
            return refuse(format!("the column {:?} is in the header twice", header[position].trim()));
        }
    }
    let only = |wanted: &[&str], what: &str| {
        let mut found = names.iter().enumerate().filter(|(_, name)| wanted.contains(&name.as_str()));
        match (found.next(), found.next()) {
            (Some((first, _)), Some((second, _))) => Err(Error::bad_input(format!(
                "{file}: the columns {:?} and {:?} both hold the {what}; keep one",
                header[first], header[second]
            ))),
            (first, _) => Ok(first.map(|(position, _)| position)),
        }
    };
    let summary = only(&SUMMARIES, "summary")?;
    let full = only(&FULL_TEXTS, "full text")?;
    let waves = only(&[WAVES_1_TO_3], "text of waves 1 to 3")?;
    let id = IDS.iter().find_map(|wanted| names.iter().position(|name| name == wanted));

    let variant = variant.or(waves.map(|_| ImportVariant::Wave1To3));
    let (summary, full) = match variant {
        Some(ImportVariant::Summary) => (summary, None),
        Some(ImportVariant::Full) => (full.and(summary), full),
        Some(ImportVariant::Wave1To3) => (None, waves),
        None => (summary, full),
    };
    if summary.is_none() && full.is_none() {
        let wanted = match variant {
            Some(ImportVariant::Summary) => SUMMARIES.join(", "),
            Some(ImportVariant::Full) => FULL_TEXTS.join(", "),
            Some(ImportVariant::Wave1To3) => WAVES_1_TO_3.to_owned(),
            None => [&SUMMARIES[..], &FULL_TEXTS[..], &[WAVES_1_TO_3]].concat().join(", "),
        };
        return refuse(format!("no column holds the twins' text: expected one of {wanted}; found {}", list(header)));
    }

    let is_of_waves = full.is_some() && full == waves;
    let has_held_out = is_of_waves && HELD_OUT.iter().all(|name| names.iter().any(|column| column == name));
    let role = |position: usize, name: &str| match name {
        _ if Some(position) == id => Some(ColumnRole::Id),
        _ if Some(position) == summary => Some(ColumnRole::Summary),
        _ if Some(position) == full => Some(ColumnRole::FullText),
        // "__index_level_0__" and similar names are row numbers of pandas.
        _ if name.starts_with("__") => None,
        "wave1_3_persona_json" if is_of_waves => Some(ColumnRole::Questionnaire),
        // A longer text holds the questions itself.
        "persona_json" if full.is_none() => Some(ColumnRole::Questionnaire),
        "" | WAVES_1_TO_3 | "persona_json" | "wave1_3_persona_json" => None,
        // Twins are measured against wave 4, so they must never see its answers.
        _ if has_held_out && name == HELD_OUT[0] => Some(ColumnRole::HeldOutFirst),
        _ if has_held_out && name == HELD_OUT[1] => Some(ColumnRole::HeldOutSecond),
        _ if name.starts_with("wave4") => None,
        _ if SUMMARIES.contains(&name) || FULL_TEXTS.contains(&name) => None,
        "name" => Some(ColumnRole::Name),
        "description" => Some(ColumnRole::Description),
        _ => Some(ColumnRole::Attribute(header[position].trim().to_owned())),
    };
    let columns = names.iter().enumerate().filter_map(|(at, name)| Some((at, role(at, name)?))).collect();
    let (part, published) = match waves {
        Some(_) => ("wave_split", &WAVE_SPLIT[..]),
        None => ("full_persona", &FULL_PERSONA[..]),
    };
    let is_whole = published.iter().all(|wanted| names.iter().any(|name| name == wanted));
    Ok(ColumnPlan { columns, dataset: is_whole.then_some(Dataset::Twin2k500), part })
}

fn normal(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

/// Shortens the header for a message.
fn list(header: &[String]) -> String {
    let shown: Vec<String> = header.iter().take(8).map(|name| name.chars().take(40).collect()).collect();
    let more = if header.len() > shown.len() { ", …" } else { "" };
    format!("{}{more}", shown.join(", ")).replace(char::is_control, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    fn roles(names: &[&str], variant: Option<ImportVariant>) -> Vec<(usize, ColumnRole)> {
        plan("f", &header(names), variant).unwrap().columns
    }

    #[test]
    fn a_published_file_gives_what_the_variant_asks_for() {
        let names = ["pid", "persona_text", "persona_summary", "persona_json"];
        use ColumnRole::{FullText, Id, Summary};
        assert_eq!(roles(&names, None), [(0, Id), (1, FullText), (2, Summary)]);
        assert_eq!(roles(&names, Some(ImportVariant::Full)), [(0, Id), (1, FullText), (2, Summary)]);
        assert_eq!(
            roles(&names, Some(ImportVariant::Summary)),
            [(0, Id), (2, Summary), (3, ColumnRole::Questionnaire)]
        );
    }

    #[test]
    fn a_data_set_is_known_by_all_of_its_published_columns() {
        let dataset = |names: &[&str]| {
            let plan = plan("f", &header(names), None).unwrap();
            (plan.dataset, plan.part)
        };
        let whole = Some(Dataset::Twin2k500);
        assert_eq!(dataset(&["pid", "persona_text", "persona_summary", "persona_json"]), (whole, "full_persona"));
        assert_eq!(dataset(&["persona_json", "Persona Text", "pid", "x", "persona_summary"]), (whole, "full_persona"));
        assert_eq!(dataset(&["pid", "persona_summary", "Gender", "Age"]), (None, "full_persona"));
        assert_eq!(dataset(&["pid", "persona_text", "persona_summary"]), (None, "full_persona"));
        let split = ["pid", WAVES_1_TO_3, "wave1_3_persona_json", "wave4_Q_wave1_3_A", "wave4_Q_wave4_A"];
        assert_eq!(dataset(&split), (whole, "wave_split"));
        assert_eq!(dataset(&split[..4]), (None, "wave_split"));
    }

    #[test]
    fn wave_4_is_held_out_of_every_variant() {
        let names =
            ["pid", "wave1_3_persona_text", "wave1_3_persona_json", "wave4_Q_wave1_3_A", "wave4_Q_wave4_A", "Wave4 x"];
        use ColumnRole::{FullText, HeldOutFirst, HeldOutSecond, Id, Questionnaire};
        let expected = [(0, Id), (1, FullText), (2, Questionnaire), (3, HeldOutFirst), (4, HeldOutSecond)];
        assert_eq!(roles(&names, None), expected);
        assert_eq!(roles(&names, Some(ImportVariant::Wave1To3)), expected);
        assert_eq!(roles(&names[..4], None), expected[..3], "one wave alone is none");
        let error = plan("f", &header(&names), Some(ImportVariant::Summary)).unwrap_err();
        assert!(error.to_string().starts_with("f: no column holds the twins' text: expected one of persona_summary"));
    }

    #[test]
    fn further_columns_are_attributes_under_their_own_names() {
        let names = ["", "ID", "Name", "Persona", "Favourite colour"];
        assert_eq!(
            roles(&names, None),
            [
                (1, ColumnRole::Id),
                (2, ColumnRole::Name),
                (3, ColumnRole::Summary),
                (4, ColumnRole::Attribute("Favourite colour".into()))
            ]
        );
    }

    #[test]
    fn two_columns_for_one_thing_are_refused_by_name() {
        let doubled = plan("f", &header(&["text", "Text "]), None).unwrap_err();
        assert_eq!(doubled.to_string(), "f: the column \"Text\" is in the header twice");
        let rivals = plan("f", &header(&["summary", "text"]), None).unwrap_err();
        assert_eq!(rivals.to_string(), "f: the columns \"summary\" and \"text\" both hold the summary; keep one");
    }
}
