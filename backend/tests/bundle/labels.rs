//! Text that a design inserts is shown by its name wherever people read a bundle.

use model_server::Faults;
use serde_json::{Value, json};

use super::study::bundled_study;
use super::{bundled, entries, replayed};
use twinlab::results::files::bundle::{RawReplies, Replay};

/// A survey with a field in every part of a question that can have one.
fn survey() -> Value {
    json!({ "title": "Fees", "questions": [
        { "name": "fair", "type": "SINGLE_CHOICE", "text": "How fair is {{field:fee}}?",
          "options": ["Fair", "Unfair, {{field:fee}}"] },
        { "name": "several", "type": "MULTIPLE_CHOICE", "text": "What is said?", "options": ["{{field:fee}}", "A tax"] },
        { "name": "views", "type": "MATRIX", "text": "Do you agree?", "scale_labels": ["No", "Yes to {{field:fee}}"],
          "sub_questions": ["{{field:fee}} is cheap", "It is clear"] },
        { "name": "points", "type": "CONSTANT_SUM", "text": "Divide.", "options": ["{{field:fee}}", "The price"], "total": 10 },
        { "name": "order", "type": "RANK", "text": "Order.", "options": ["{{field:fee}}", "The price", "A tax"] },
        { "name": "ends", "type": "BEST_WORST", "text": "Choose.", "options": ["{{field:fee}}", "The price", "A tax"] }
      ], "flow": [
        { "random": "fee_arm", "take": 1, "of": [
            { "arm": "one", "flow": [{ "set": { "fee": "a RESORT fee" } }] },
            { "arm": "two", "flow": [{ "set": { "fee": "a SERVICE fee" } }] }] },
        { "block": "dv", "questions": ["fair", "several", "views", "points", "order", "ends"] }] })
}

/// Whether the file is read again as the survey, or holds the prompts.
fn is_source(path: &str) -> bool {
    path.contains("survey/") || path.contains("prompts/") || path.ends_with("run/run.json")
}

#[actix_web::test]
async fn no_table_figure_or_text_of_a_bundle_has_the_braces_of_a_field() {
    let (_fixture, _, _folder, run) = bundled(&survey(), Faults::default()).await;
    let (_fixture, _, _folder, study) = bundled_study(&survey(), Faults::default()).await;
    for path in [run, study] {
        let all = entries(&path);
        let figures = all.iter().filter(|(name, _)| name.ends_with(".svg")).collect::<Vec<_>>();
        assert!(figures.iter().any(|(_, svg)| String::from_utf8_lossy(svg).contains("Unfair, [fee]")), "{figures:?}");
        let braced = all.iter().filter(|(name, _)| !is_source(name));
        let braced = braced.filter(|(_, bytes)| bytes.windows(8).any(|part| part == b"{{field:"));
        let braced: Vec<&str> = braced.map(|(name, _)| name.as_str()).collect();
        assert!(braced.is_empty(), "{braced:#?}");
        let equal =
            Replay::Built { files: all.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() };
        assert_eq!(replayed(&path), equal);
    }
}
