//! Whole studies as Qualtrics exports them: an invented one, and published ones in the folder that TWINLAB_STUDIES_DIR
//! names.

use std::fs;
use std::path::PathBuf;

use survey::assign::assign;
use survey::plan::Plan;
use survey::rehearsal::{invented, rehearse};
use survey::twin::Twin;
use survey::walk::{CallScope, OptionOrder, StageParameters};

use super::*;

/// The invented study of the repository, which has the form of a real export.
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/studies");

/// Name and folder of a study.
pub type StudyFolder = (String, PathBuf);

/// The study of the repository.
pub fn invented_study() -> Vec<StudyFolder> {
    in_folder(FIXTURES.into())
}

/// The studies in the folder that TWINLAB_STUDIES_DIR names.
pub fn published_studies() -> Vec<StudyFolder> {
    let folder = std::env::var_os("TWINLAB_STUDIES_DIR").expect("TWINLAB_STUDIES_DIR names the folder of the studies");
    in_folder(folder.into())
}

fn in_folder(folder: PathBuf) -> Vec<StudyFolder> {
    let entries = fs::read_dir(folder).expect("the folder of studies").map(|entry| entry.unwrap().path());
    let mut studies: Vec<StudyFolder> = entries
        .filter(|path| path.is_dir())
        .filter_map(|path| Some((path.file_name()?.to_str()?.to_owned(), path)))
        .collect();
    studies.sort();
    assert!(!studies.is_empty(), "the folder holds no study");
    studies
}

pub fn survey((_, folder): &StudyFolder) -> Vec<u8> {
    fs::read(folder.join("survey.qsf")).expect("the study's survey")
}

/// Numbers of live and of asked questions, counted by hand.
const COUNTS: [(&str, usize, usize); 8] = [
    ("accuracy_nudges", 95, 38),
    ("affective_priming", 17, 10),
    ("corner_cafe", 10, 6),
    ("hiring_algorithms", 26, 26),
    ("junk_fees", 133, 72),
    ("privacy", 20, 11),
    ("story_beliefs", 71, 49),
    ("targeting_fairness", 9, 4),
];

fn is_imported_without_an_error(studies: &[StudyFolder]) {
    for study in studies {
        let (name, imported) = (&study.0, imported(&survey(study)));
        let errors: Vec<_> =
            imported.report.entries().filter(|(_, entry)| entry.severity == LossSeverity::Error).collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
        if let Some((_, live, asked)) = COUNTS.iter().find(|(known, ..)| known == name) {
            let kept = imported.report.kept;
            assert_eq!((kept.live, kept.asked), (*live, *asked), "{name}");
        }
    }
}

#[test]
fn the_invented_study_is_imported_without_an_error() {
    is_imported_without_an_error(&invented_study());
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn the_published_studies_are_imported_without_an_error() {
    is_imported_without_an_error(&published_studies());
}

fn twins_walk_to_an_end(studies: &[StudyFolder]) {
    for study in studies {
        let name = &study.0;
        let Document { design, items, .. } = imported(&survey(study)).document;
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

#[test]
fn twins_walk_through_the_invented_study_to_an_end() {
    twins_walk_to_an_end(&invented_study());
}

#[test]
#[ignore = "needs the studies that TWINLAB_STUDIES_DIR names: make check-studies"]
fn twins_walk_through_the_published_studies_to_an_end() {
    twins_walk_to_an_end(&published_studies());
}
