//! Bundles of runs whose survey was imported from another program's file.

use super::*;
use crate::survey_files::qsf;

const REPORT: &str = "survey/import-report.json";

/// Tests that the report of an import, which a reviewer has to know, is in the bundle and checked by a replay.
#[actix_web::test]
async fn a_bundle_holds_the_report_of_the_import_and_a_replay_checks_it() {
    let imported = import::import(qsf().to_string().as_bytes()).expect("a file that is imported");
    let report = serde_json::to_value(&imported.report).expect("JSON");
    assert!(!report["lost"].as_array().expect("a list").is_empty(), "{report}");
    let survey = serde_json::to_value(imported.into_document()).expect("JSON");
    let (_fixture, _, folder, path) = bundled(&survey, Faults::default()).await;

    let all = entries(&path);
    let stored = &all.iter().find(|(name, _)| name == REPORT).expect("the report").1;
    assert_eq!(serde_json::from_slice::<Value>(stored).expect("JSON"), report);
    let equal = Replay::Built { files: all.len() - 1, differing: Vec::new(), other: None, raw: RawReplies::default() };
    assert_eq!(replayed(&path), equal);

    let mut changed = all.clone();
    changed.iter_mut().find(|(name, _)| name == REPORT).expect("the report").1[10] ^= 1;
    let other = folder.path().join("changed.zip");
    zipped(&other, &changed);
    assert_eq!(replayed(&other), Replay::Damaged(vec![REPORT.to_owned()]));
    let without: Vec<(String, Vec<u8>)> = all.into_iter().filter(|(name, _)| name != REPORT).collect();
    zipped(&other, &without);
    assert_eq!(replayed(&other), Replay::Damaged(vec![REPORT.to_owned()]));

    // The whole command, as a reviewer calls it.
    let home = DataDir::new();
    let checked = Outcome::of(home.twinlab().args(["replay", path.to_str().expect("UTF-8"), "--check"]));
    assert_eq!(checked.code, Some(0), "{checked:#?}");

    // A survey that was made here has no report.
    let plain = bundled(&super::survey(1), Faults::default()).await;
    assert!(entries(&plain.3).iter().all(|(name, _)| name != REPORT));
}
