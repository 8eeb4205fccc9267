//! README, methods, checklist, citation and licence of a study's bundle.

use simulation::markdown::{self, inline};
use simulation::parameters::StudyCell;
use simulation::run::Run;

use crate::disclosure::sheet;
use crate::documents::{Documented, ROWS_NOTICE, citation, guide, licence, model, persona_text, settings};
use crate::human::words::in_words;
use crate::study_record::{StudyRecord, StudyRunRecord};

/// Writes the documents of a study's bundle, by path.
pub fn of(study: &StudyRecord, runs: &[Documented]) -> Vec<(&'static str, String)> {
    let mut files = vec![
        ("README.md", read_me(study, runs)),
        ("methods.md", methods(study, runs)),
        ("guide-llm.md", guide(runs)),
        ("disclosure.md", sheet(runs)),
    ];
    // All runs of a study ask twins of one set.
    if let Some(Documented { run, .. }) = runs.first() {
        let have_rows = runs.iter().any(|each| each.people.have_rows);
        files.push(("LICENSE-DATA.txt", licence(run, have_rows)));
        files.push(("CITATION.cff", citation(run, &study.study.study_id.to_string())));
    }
    files
}

/// Returns the study's name, else its survey's title.
pub fn title(study: &StudyRecord, runs: &[Documented]) -> String {
    let survey = || runs.first().map(|first| first.run.survey.title.clone());
    study.study.name.clone().or_else(survey).unwrap_or_default()
}

/// Names a run within its study: `wave1_3, gpt-4.1-mini, repeat 1`.
fn cell(run: &Run) -> String {
    let cell = run.parameters.cell.as_ref().map(StudyCell::in_words);
    let effort = run.parameters.reasoning_effort.map(|effort| format!("effort {}", effort.name()));
    [Some(run.parameters.persona_variant.name().to_owned()), Some(model(run)), effort, cell]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(", ")
}

fn read_me(study: &StudyRecord, runs: &[Documented]) -> String {
    let have_rows = runs.iter().any(|each| each.people.have_rows);
    let mut notices: Vec<String> = have_rows.then(|| ROWS_NOTICE.to_owned()).into_iter().collect();
    for notice in runs.iter().flat_map(|each| each.run.notices()).map(|notice| inline(&notice)) {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
    let notices: String = notices.iter().map(|notice| format!("- {notice}\n")).collect();
    let row = |(record, each): (&StudyRunRecord, &Documented)| {
        let run = &each.run;
        let facts = &run.facts;
        format!(
            "| `{}/` | {} | {} of {} answered |\n",
            record.folder,
            markdown::cell(&cell(run)),
            facts.successful_requests,
            facts.total_requests
        )
    };
    let rows: String = study.runs.iter().zip(runs).map(row).collect();
    format!(
        include_str!("../documents/study-readme.md"),
        title = inline(&title(study, runs)),
        id = study.study.study_id,
        notices = notices,
        rows = rows,
    )
}

fn methods(study: &StudyRecord, runs: &[Documented]) -> String {
    let Some(first) = runs.first() else { return String::new() };
    let run = &first.run;
    let row = |(record, each): (&StudyRunRecord, &Documented)| {
        let run = &each.run;
        format!(
            "- `{}`: {}, {}; the model was told {}. {} of {} requests were answered, {} failed.\n",
            record.folder,
            inline(&cell(run)),
            settings(run, run.parameters.model_seed()),
            persona_text(run),
            run.facts.successful_requests,
            run.facts.total_requests,
            run.facts.failed_requests,
        )
    };
    let rows: String = study.runs.iter().zip(runs).map(row).collect();
    let mut validated: Vec<String> = Vec::new();
    for known in runs.iter().filter_map(|each| each.validation.as_ref()) {
        let words = format!("\n{}\n", known.in_words());
        if !validated.contains(&words) {
            validated.push(words);
        }
    }
    if validated.is_empty() {
        validated.push("\nThese twins were not validated with people's answers.\n".to_owned());
    }
    for words in runs.iter().filter_map(|each| in_words(&each.people)) {
        let words = format!("\n{words}\n");
        if !validated.contains(&words) {
            validated.push(words);
        }
    }
    format!(
        include_str!("../documents/study-methods.md"),
        rows = rows,
        twins = run.facts.persona_count,
        source = inline(&run.personas_source),
        invented = if run.synthetic { ", invented profiles" } else { "" },
        questions = run.facts.question_count,
        survey = inline(&run.survey.title),
        count = runs.len(),
        seed = run.parameters.seed,
        validated = validated.concat(),
    )
}
