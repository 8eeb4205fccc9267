//! What a reader of a study's bundle is told in words.

use crate::models::run::StudyCell;
use crate::results::files::bundle::documents::{
    Documented, ROWS_NOTICE, citation, guide, licence, model, settings, told,
};
use crate::results::files::bundle::human;
use crate::results::files::bundle::study_record::{StudyRecord, StudyRunRecord};
use crate::results::markdown::{self, inline};
use crate::results::run::Run;

/// Files by their path.
pub fn of(study: &StudyRecord, runs: &[Documented]) -> Vec<(&'static str, String)> {
    let mut files =
        vec![("README.md", read_me(study, runs)), ("methods.md", methods(study, runs)), ("guide-llm.md", guide(runs))];
    // All runs of a study ask twins of one set.
    if let Some(Documented { run, .. }) = runs.first() {
        let have_rows = runs.iter().any(|each| each.people.have_rows);
        files.push(("LICENSE-DATA.txt", licence(run, have_rows)));
        files.push(("CITATION.cff", citation(run, &study.study_id.to_string())));
    }
    files
}

/// The study's name, else its survey's title.
pub fn title(study: &StudyRecord, runs: &[Documented]) -> String {
    let survey = || runs.first().map(|first| first.run.survey.title.clone());
    study.name.clone().or_else(survey).unwrap_or_default()
}

/// `wave1_3, gpt-4.1-mini, repeat 1`.
fn cell(run: &Run) -> String {
    let cell = run.parameters.cell.as_ref().map(StudyCell::in_words);
    [Some(run.parameters.persona_variant.name().to_owned()), Some(model(run)), cell]
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
        "# {title}\n\nA study of Digital Twin Lab, {id}, as a bundle: runs of one survey over the same twins.\n\n{notices}\n\
         | folder | run | requests |\n|---|---|---|\n{rows}\n\
         Each folder has all that a bundle of the run alone has; its own `README.md` says what.\n\n\
         | path | what |\n|---|---|\n\
         | `study.json` | the runs of the study, and what sets each of them apart |\n\
         | `analysis/` | every run beside the first one, question by question, with 95 % intervals, and how alike repeats are: `comparison.json`, tables |\n\
         | `ro-crate-metadata.json` | all files as RO-Crate 1.2 describes them |\n\
         | `methods.md`, `guide-llm.md` | how the answers came about, for a paper and for its reviewers |\n\
         | `manifest.json` | SHA-256 and size of every file |\n\n\
         `twinlab replay FILE --check` verifies the checksums, builds everything but `study.json` and each run's `survey/`, `run/`, \
         `replies/` and `human/` anew from these, and compares it byte for byte.\n",
        title = inline(&title(study, runs)),
        id = study.study_id,
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
            told(run),
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
    for words in runs.iter().filter_map(|each| human::in_words(&each.people)) {
        let words = format!("\n{words}\n");
        if !validated.contains(&words) {
            validated.push(words);
        }
    }
    format!(
        "# Methods\n\nThe same {twins} LLM digital twins ({source}{invented}) were asked the {questions} questions of \"{survey}\" in \
         {count} runs, each a session of its own, with the same choice of twins and the same draws of orders and arms \
         (seed {seed}):\n\n{rows}\n\
         Repeats differ in nothing but the seed that the model is sent. Each run's `methods.md` says the rest. The runs are \
         compared with the first one over the same twins, with bootstrap and t intervals of 95 %; q is p by Benjamini and Hochberg \
         over a run's questions. Answers were generated by a model, not given by people.\n{validated}",
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
