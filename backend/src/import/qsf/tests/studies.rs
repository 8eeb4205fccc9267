//! The published studies, where TWINLAB_STUDIES_DIR says where they are.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::design::assign::assign;
use crate::design::plan::Plan;
use crate::design::rehearsal::{invented, rehearse};
use crate::design::twin::Twin;
use crate::design::walk::{CallScope, OptionOrder, StageParameters};

/// Names and folders; none where the studies are not there.
pub fn folder() -> Vec<(String, PathBuf)> {
    let Some(folder) = std::env::var_os("TWINLAB_STUDIES_DIR").map(PathBuf::from) else { return Vec::new() };
    let entries = fs::read_dir(folder).expect("the folder of studies").map(|entry| entry.unwrap().path());
    let mut studies: Vec<(String, PathBuf)> = entries
        .filter(|path| path.is_dir())
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path)))
        .collect();
    studies.sort();
    studies
}

/// Names and files.
pub fn studies() -> Vec<(String, Vec<u8>)> {
    folder().into_iter().filter_map(|(name, path)| Some((name, fs::read(path.join("survey.qsf")).ok()?))).collect()
}

/// Live and asked questions, as they were counted by hand.
const COUNTS: [(&str, usize, usize); 7] = [
    ("accuracy_nudges", 95, 38),
    ("affective_priming", 17, 10),
    ("hiring_algorithms", 26, 26),
    ("junk_fees", 133, 72),
    ("privacy", 20, 11),
    ("story_beliefs", 71, 49),
    ("targeting_fairness", 9, 4),
];

#[test]
fn every_study_is_imported_without_an_error() {
    for (name, file) in studies() {
        let imported = imported(&file);
        let errors: Vec<_> =
            imported.report.entries().filter(|(_, entry)| entry.severity == LossSeverity::Error).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        if let Some((_, live, asked)) = COUNTS.iter().find(|(known, ..)| *known == name) {
            let kept = imported.report.kept;
            assert_eq!((kept.live, kept.asked), (*live, *asked), "{name}");
        }
    }
}

#[test]
fn twins_walk_through_every_study_to_an_end() {
    for (name, file) in studies() {
        let Document { design, items, .. } = imported(&file).document;
        let plan = Plan::new(&design, &items).unwrap().numbered();
        let twins: Vec<Twin> = (1..=60).map(|id| Twin { id, ..Twin::default() }).collect();
        let parameters = StageParameters {
            seed: 5,
            questions_per_call: 10,
            call_scope: CallScope::Chunk,
            option_order: OptionOrder::AsWritten,
        };
        for (twin, assignment) in twins.iter().zip(assign(&plan, 5, &twins).unwrap()) {
            let answer = |item: &Item, shown: &_| invented(item, shown, twin, 5);
            let rehearsal = rehearse(&plan, twin, &assignment, parameters, answer);
            assert!(rehearsal.progress.stage.is_none(), "{name}: twin {} is not done", twin.id);
            let texts = rehearsal.asked.iter().map(|answered| &answered.shown.question.text);
            let piped: Vec<_> = texts.filter(|text| text.contains("{{") || text.contains("${")).collect();
            assert!(piped.is_empty(), "{name}: {piped:?}");
        }
    }
}
