//! `study.json`: the runs of a bundled study.

use std::path::{Component, Path};

use export::archive::is_safe;
use serde::{Deserialize, Serialize};
use simulation::error::{Error, Result};
use simulation::parameters::PersonaVariant;
use simulation::run::Run;
use simulation::status::Status;
use simulation::study::Study;
use survey::assign::GivenArms;
use survey::walk::OptionOrder;
use uuid::Uuid;

use crate::io::read_json;
use crate::paths::STUDY;

const FOLDERS: &str = "runs";
/// Length limit of a folder's name, in characters.
const MAX_NAME_CHARACTERS: usize = 60;

/// `study.json`: which runs belong together, and what sets each of them apart.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StudyRecord {
    #[serde(flatten)]
    pub study: Study,
    /// Runs in the order of the study's cells.
    pub runs: Vec<StudyRunRecord>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StudyRunRecord {
    /// Folder of its files.
    pub folder: String,
    pub simulation_id: Uuid,
    pub status: Status,
    pub persona_variant: PersonaVariant,
    pub model: String,
    pub temperature: Option<f64>,
    /// Arms of all twins, by random node; arms of other nodes are dealt.
    pub arms: GivenArms,
    pub option_order: OptionOrder,
    /// Number of the repeat, from 1.
    pub repeat: u32,
}

impl StudyRecord {
    /// Adds the next run. Returns its folder.
    pub fn add(&mut self, run: &Run) -> String {
        let asked = &run.parameters;
        let cell = asked.cell.clone().unwrap_or_default();
        let arms = cell.arms.values().map(String::as_str);
        let reversed = (cell.option_order == OptionOrder::Reversed).then_some("reversed");
        let repeat = (cell.repeat > 0).then(|| format!("repeat-{}", cell.repeat + 1));
        let parts = [asked.persona_variant.name(), asked.model.as_str()].into_iter().chain(arms);
        let name = parts.chain(reversed).chain(repeat.as_deref()).collect::<Vec<_>>().join("-");
        let known = |each: char| each.is_ascii_alphanumeric() || ".-_".contains(each);
        let name: String =
            name.chars().take(MAX_NAME_CHARACTERS).map(|each| if known(each) { each } else { '_' }).collect();
        let name = name.trim_end_matches('.');
        // The number makes it the only one.
        let folder = format!("{FOLDERS}/{:02}-{name}", self.runs.len() + 1);
        self.runs.push(StudyRunRecord {
            folder: folder.clone(),
            simulation_id: run.facts.simulation_id,
            status: run.facts.status,
            persona_variant: asked.persona_variant,
            model: asked.model.clone(),
            temperature: asked.temperature,
            arms: cell.arms,
            option_order: cell.option_order,
            repeat: u32::from(cell.repeat) + 1,
        });
        folder
    }
}

/// Reads the record of an opened bundle. Each folder is one below `runs/`.
pub fn read(root: &Path) -> Result<StudyRecord> {
    let study: StudyRecord = read_json(root, STUDY)?;
    let is_folder = |path: &str| {
        let parts: Vec<Component<'_>> = Path::new(path).components().collect();
        is_safe(path) && parts.len() == 2 && path.starts_with(FOLDERS)
    };
    match study.runs.iter().find(|run| !is_folder(&run.folder)) {
        Some(run) => Err(Error::bad_input(format!("{STUDY}: {:?} is no folder of a run", run.folder))),
        None if study.runs.is_empty() => Err(Error::bad_input(format!("{STUDY}: it has no runs"))),
        None => Ok(study),
    }
}

/// The folders of the runs of an opened bundle, below `root`; the bundle of a run has its files in `root` itself.
pub fn run_folders(root: &Path) -> Result<Vec<String>> {
    if root.join(STUDY).is_file() {
        Ok(read(root)?.runs.into_iter().map(|run| run.folder).collect())
    } else {
        Ok(vec![String::new()])
    }
}
