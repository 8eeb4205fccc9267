//! The facts of a run for the workbook's last sheet and the notes of a parquet file, so that they can be understood
//! without the product.

use chrono::{DateTime, SecondsFormat, Utc};
use simulation::answer_mode::AnswerMode;
use simulation::known_parameters::InactiveParameters;
use simulation::parameters::StudyCell;
use simulation::row::Simulation;
use simulation::run::Run;
use simulation::status::Status;

/// Labels and values, those without a value left out.
pub fn facts(run: &Run) -> Vec<(&'static str, String)> {
    let (facts, parameters, inactive) = (&run.facts, &run.parameters, run.inactive());
    let open = facts.total_requests - facts.successful_requests - facts.failed_requests;
    let mut lines: Vec<(&str, String)> = run.notices().into_iter().map(|notice| ("Notice", notice)).collect();
    lines.extend([
        ("Survey", run.survey.title.clone()),
        ("Survey description", run.survey.description.clone()),
        ("Survey hash", facts.survey_hash.clone()),
        ("Simulation id", run.simulation_id.clone()),
        ("Status", facts.status.as_str().to_owned()),
        ("Message", message(run)),
        ("Personas", facts.persona_count.to_string()),
        ("Personas source", run.personas_source.clone()),
        ("Persona text", parameters.persona_variant.name().to_owned()),
        ("Questions", facts.question_count.to_string()),
        ("Requests", facts.total_requests.to_string()),
        ("Answered (credits)", facts.successful_requests.to_string()),
        ("Failed", facts.failed_requests.to_string()),
        ("Open", open.to_string()),
        ("Passes", facts.attempt.to_string()),
        ("Model", parameters.model.clone()),
        ("API of the model", parameters.other_api().unwrap_or_default().to_owned()),
        ("Model server", parameters.model_server.clone().unwrap_or_default()),
        ("Asked with", parameters.stated_key().map(|key| key.in_words().to_owned()).unwrap_or_default()),
        ("Temperature", temperature(parameters.temperature, &inactive)),
    ]);
    lines.extend(parameters.model_options().into_iter().map(|(name, value)| (name, value.to_owned())));
    lines.extend([
        (
            "Asked for",
            if parameters.answer_mode == AnswerMode::Draw { "" } else { parameters.answer_mode.in_words() }.to_owned(),
        ),
        ("Answers per question", parameters.draws.map(|draws| draws.to_string()).unwrap_or_default()),
        ("Unsupported parameters", if parameters.lenient { "left out, see Not sent" } else { "" }.to_owned()),
        ("Seed", parameters.seed.to_string()),
        ("Not sent", inactive.not_sent_in_words()),
        ("Sent, without effect", inactive.without_effect_in_words()),
        ("Questions per call", parameters.questions_per_call.to_string()),
        ("Options shuffled", if parameters.shuffle_options { "yes" } else { "no" }.to_owned()),
        ("Cell of the study", parameters.cell.as_ref().map(StudyCell::in_words).unwrap_or_default()),
        ("Calls", facts.calls.to_string()),
        ("Tokens", facts.tokens_in_words()),
        ("Tokens from the server's cache", from_cache(facts)),
        ("Created", time(Some(facts.created_at))),
        ("Started", time(facts.started_at)),
        ("Completed", time(facts.completed_at)),
        ("Program", format!("Digital Twin Lab {}", facts.program_version)),
    ]);
    if let Some(dataset) = run.dataset {
        lines.push(("Please cite", dataset.citation().to_owned()));
        lines.push(("Licence of the dataset", dataset.licence().to_owned()));
    }
    lines.retain(|(_, value)| !value.is_empty());
    lines
}

/// The share of the prompt tokens that the server had cached, and what that saved. Empty: it had none.
fn from_cache(facts: &Simulation) -> String {
    let Some(share) = facts.tokens().cached_share().filter(|share| *share > 0.0) else { return String::new() };
    let saved = facts.saved_by_cache().map(|saved| format!("; its cache saved {saved}")).unwrap_or_default();
    format!("{:.1} % of the prompts'{saved}", share * 100.0)
}

/// Why the run stands still or what failed. A run that a retry completed keeps the message of the earlier pass, which is
/// not true any more.
fn message(run: &Run) -> String {
    let is_over = run.facts.status == Status::Completed;
    run.facts.error_message.clone().filter(|_| !is_over).unwrap_or_default()
}

fn temperature(temperature: Option<f64>, inactive: &InactiveParameters) -> String {
    match (temperature, inactive.reason("temperature")) {
        (Some(temperature), _) if inactive.is_sent("temperature") => temperature.to_string(),
        (Some(temperature), Some(_)) => format!("the model's own: {temperature} was not sent"),
        (Some(temperature), None) => format!("the model's own: it does not take {temperature}"),
        (None, _) => "the server's default".to_owned(),
    }
}

fn time(at: Option<DateTime<Utc>>) -> String {
    at.map(|at| at.to_rfc3339_opts(SecondsFormat::Secs, true)).unwrap_or_default()
}
