//! README, methods, checklist, citation and licence of a bundle.

use std::path::Path;

use simulation::error::Result;
use simulation::markdown::inline;
use simulation::parameters::{Memory, PersonaVariant};
use simulation::persona_source::PersonaSource;
use simulation::run::Run;

use super::validation::ValidationRecord;
use crate::human::samples::PeopleRecords;
use crate::human::words::in_words;
use crate::io::read_json;
use crate::paths::{ROWS, VALIDATION};
use crate::record;

/// Stands where only the authors know what to write.
pub const BLANK: &str = "[to be filled in by the authors]";

/// A run, what a validation says of its twins, and the people beside them.
pub struct Documented {
    pub run: Run,
    pub validation: Option<ValidationRecord>,
    pub people: PeopleRecords,
}

impl Documented {
    /// Reads the run of an opened bundle.
    pub fn read(folder: &Path) -> Result<Self> {
        let validation = folder.join(VALIDATION).is_file().then(|| read_json(folder, VALIDATION)).transpose()?;
        Ok(Self { run: record::run(folder)?, validation, people: PeopleRecords::read(folder)? })
    }

    /// Says how twins agree with people, by a validation and by kept samples. `None`: the bundle has neither.
    pub fn beside_people(&self) -> Option<String> {
        let validation = self.validation.as_ref().map(ValidationRecord::in_words);
        let words: Vec<String> = validation.into_iter().chain(in_words(&self.people)).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }
}

/// Writes the documents of a run's bundle, by path.
pub fn of(documented: &Documented) -> [(&'static str, String); 5] {
    let run = &documented.run;
    [
        ("README.md", read_me(documented)),
        ("methods.md", methods(documented)),
        ("guide-llm.md", guide(std::slice::from_ref(documented))),
        ("CITATION.cff", citation(run, &run.simulation_id)),
        ("LICENSE-DATA.txt", licence(run, documented.people.have_rows)),
    ]
}

/// Writes the licence of the twins' texts, as far as it is known. `have_rows`: the bundle also has rows of people's answers.
pub fn licence(run: &Run, have_rows: bool) -> String {
    let source = &run.personas_source;
    let twins = match run.source() {
        PersonaSource::Dataset(dataset) => format!("{}\n\nPlease cite: {}", dataset.licence(), dataset.citation()),
        PersonaSource::Synthetic => format!("The twins are invented profiles ({source}): no data set has to be cited."),
        PersonaSource::ByHand => {
            format!("The twins were written by users of Digital Twin Lab ({source}). Licence: {BLANK}")
        }
        PersonaSource::OwnFile => format!("The twins are from {source}. Licence: {BLANK}"),
    };
    let rows = if have_rows {
        format!("\n{ROWS}: answers of people, whose licence the authors state: {BLANK}\n")
    } else {
        String::new()
    };
    format!("{twins}\n{rows}")
}

/// First notice of a bundle that has people's rows.
pub const ROWS_NOTICE: &str = "contains personal data: `human/rows.csv` has the answers of people, a row a person, which the survey's author chose to pass on. \
     Names, addresses and other personal columns are not among them, but somebody may be recognised by their answers: pass the \
     bundle on only as these people agreed to";

fn read_me(Documented { run, people, .. }: &Documented) -> String {
    let rows = people.have_rows.then(|| ROWS_NOTICE.to_owned());
    let notices = rows.into_iter().chain(run.notices().into_iter().map(|notice| inline(&notice)));
    let notices: String = notices.map(|notice| format!("- {notice}\n")).collect();
    format!(
        include_str!("documents/run-readme.md"),
        notices = notices,
        title = inline(&run.survey.title),
        id = run.simulation_id,
        begins = begins(run),
    )
}

/// Says where a replay begins.
fn begins(run: &Run) -> &'static str {
    if run.parameters.keep_replies {
        "It begins at the raw replies of the model: each is read again by the checks of answers, and compared with the \
         checked answers."
    } else {
        "Raw replies of the model are not kept: replay begins at the checked answers."
    }
}

/// Says temperature and seed, as they follow the name of a model.
pub fn settings(run: &Run, seed: i64) -> String {
    let inactive = run.inactive();
    let temperature = match (run.parameters.temperature, run.facts.demo_model) {
        (Some(temperature), _) if !inactive.is_sent("temperature") => Some(match inactive.reason("temperature") {
            Some(reason) => format!("at the model's own temperature ({temperature} was not sent: {reason})"),
            None => format!("at the model's own temperature, because it does not take {temperature}"),
        }),
        (Some(temperature), _) => Some(format!("at temperature {temperature}")),
        (None, true) => None,
        (None, false) => Some("at the model server's default temperature".to_owned()),
    };
    let options = run.parameters.model_options().into_iter();
    let options = options.filter(|(name, _)| inactive.is_sent(&name.to_lowercase().replace(' ', "_")));
    let options = options.map(|(name, value)| format!("{} {value}", name.to_lowercase()));
    let settings: Vec<String> = temperature.into_iter().chain(options).collect();
    let seed = format!("seed {seed}{}", inactive.after_seed());
    match settings.as_slice() {
        [] => format!("with {seed}"),
        settings => format!("{} and {seed}", settings.join(", ")),
    }
}

pub fn persona_text(run: &Run) -> &'static str {
    match run.parameters.persona_variant {
        PersonaVariant::Summary => "a summary of the person's profile",
        PersonaVariant::Full => "the person's full profile",
        PersonaVariant::Waves1To3 => "what the person answered in waves 1 to 3",
        PersonaVariant::Demographics => "the person's demographics alone",
        PersonaVariant::Empty => "nothing about the person (baseline)",
    }
}

pub fn model(run: &Run) -> String {
    if run.facts.demo_model {
        return "the built-in demo model, which is no language model".to_owned();
    }
    match run.parameters.other_api() {
        Some(api) => format!("{} through {api}", run.parameters.model_in_words()),
        None => run.parameters.model_in_words(),
    }
}

fn methods(Documented { run, validation, people }: &Documented) -> String {
    let facts = &run.facts;
    let parameters = &run.parameters;
    let started = facts.started_at.unwrap_or(facts.created_at).format("%Y-%m-%d");
    let answered = i64::from(facts.successful_requests);
    let memory = match parameters.memory.unwrap_or_default() {
        Memory::None => "Calls did not know of each other.",
        Memory::Transcript => "Each call was told the twin's earlier questions and answers.",
    };
    let cell = parameters
        .cell
        .as_ref()
        .map(|cell| format!(" Of its study the run was the cell: {}.", inline(&cell.in_words())));
    let key = parameters.stated_key().map(|owner| format!(" Calls were made with {}.", owner.in_words()));
    let partial = run.partial().map(|partial| format!(" The run is not whole ({}).", inline(&partial)));
    format!(
        include_str!("documents/run-methods.md"),
        started = started,
        answered = answered,
        memory = memory,
        twins = facts.persona_count,
        source = inline(&run.personas_source),
        invented = if run.synthetic { ", invented profiles" } else { "" },
        questions = facts.question_count,
        title = inline(&run.survey.title),
        model = inline(&model(run)),
        settings = settings(run, parameters.seed),
        persona = persona_text(run),
        per_call = parameters.questions_per_call,
        order = if parameters.shuffle_options { "shuffled for each twin" } else { "shown as the survey has them" },
        requests = facts.total_requests,
        failed = facts.failed_requests,
        key = key.unwrap_or_default(),
        cell = cell.unwrap_or_default(),
        partial = partial.unwrap_or_default(),
        validated = validated(validation.as_ref()),
        people = in_words(people).map(|words| format!(" {words}")).unwrap_or_default(),
        version = facts.program_version,
        hash = facts.survey_hash,
    )
}

/// Says how far the twins were found to agree with people.
fn validated(validation: Option<&ValidationRecord>) -> String {
    match validation {
        Some(known) => known.in_words(),
        None => "These twins were not validated with people's answers.".to_owned(),
    }
}

/// Joins the different texts, in their order.
pub fn each_once(words: impl Iterator<Item = String>) -> String {
    let mut different: Vec<String> = Vec::new();
    words.for_each(|words| {
        if !different.contains(&words) {
            different.push(words);
        }
    });
    different.join("; ")
}

/// Lists the parameters that the model's replies do not follow.
fn inactive(run: &Run) -> String {
    let inactive = run.inactive();
    let lists =
        [("not sent", inactive.not_sent_in_words()), ("sent, without effect", inactive.without_effect_in_words())];
    let listed = lists.into_iter().filter(|(_, words)| !words.is_empty());
    listed.map(|(what, words)| format!("; {what}: {words}")).collect()
}

/// Lists GUIDE-LLM's core items, of one run or of those of a study. What only the authors know is left as a marked blank.
pub fn guide(of: &[Documented]) -> String {
    let blank = format!("**{BLANK}**");
    let each = |words: &dyn Fn(&Run) -> String| each_once(of.iter().map(|each| words(&each.run)));
    let memory = |run: &Run| {
        let words = match run.parameters.memory.unwrap_or_default() {
            Memory::None => "none",
            Memory::Transcript => "earlier questions and answers of the same twin, as text",
        };
        words.to_owned()
    };
    let model = |run: &Run| {
        let asked = run.facts.created_at.format("%Y-%m-%d");
        let model = inline(&model(run));
        format!("{model}; models and fingerprints as the server named them stand with each answer; {asked}")
    };
    let settings = |run: &Run| format!("{}{}", settings(run, run.parameters.model_seed()), inactive(run));
    let runs = if of.len() == 1 { "one run".to_owned() } else { format!("{} runs", of.len()) };
    let failed: i64 = of.iter().map(|each| i64::from(each.run.facts.failed_requests)).sum();
    let validation = |each: &Documented| {
        let none = each.run.parameters.persona_variant.name();
        each.beside_people().unwrap_or_else(|| format!("None in this bundle of twins with the text {none}."))
    };
    let rows = [
        ("A.1", "Use of the LLM", format!("Answers to a survey, given in the role of persons. Purpose: {blank}")),
        ("A.2", "Human in the loop", "None between prompt and stored answer; code checks every reply.".to_owned()),
        ("B.1", "Name, version, date", each(&model)),
        ("B.2", "Access", format!("{}; each call is a request of its own.", each(&|run| run.parameters.wire.in_words().to_owned()))),
        ("B.3", "Settings", format!("{}; {runs}", each(&settings))),
        ("B.4", "Fine-tuning", "None by this product.".to_owned()),
        ("B.5", "State between calls", each(&memory)),
        ("C.1", "Prompts", "`prompts/templates.json` word for word, and the hash of the exact bytes with each answer; the product shows the prompt of any answer.".to_owned()),
        ("C.2", "System instructions", format!("The twin's text ({}) and how to answer.", each(&|run| run.parameters.persona_variant.name().to_owned()))),
        ("D.1", "Personal data", format!("Profiles: {}. Further: {blank}", each(&|run| inline(&run.personas_source)))),
        ("E.1", "Validation with people", format!("{} Further: {blank}", each_once(of.iter().map(validation)))),
        ("E.2", "Filtering, post-processing", format!("None. {failed} requests without an answer are rows with their reason.")),
        ("F.1", "Code", "This bundle: `twinlab replay FILE --check`.".to_owned()),
        ("G.1", "Funding", blank.clone()),
    ];
    let rows: String =
        rows.iter().map(|(item, what, words)| format!("| {item} | {what} | {} |\n", cell(words))).collect();
    let optional: String =
        optional_items(of).iter().map(|(what, words)| format!("| optional | {what} | {} |\n", cell(words))).collect();
    format!(
        "# GUIDE-LLM, core items\n\n| item | what | here |\n|---|---|---|\n{rows}\n\
         # Optional items\n\n| item | what | here |\n|---|---|---|\n{optional}"
    )
}

/// The words as a cell of a Markdown table: a cell is one line, and a line of a table has no other bars.
pub fn cell(words: &str) -> String {
    words.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Lists GUIDE-LLM's optional items.
fn optional_items(of: &[Documented]) -> [(&'static str, String); 8] {
    let blank = format!("**{BLANK}**");
    let sum = |part: fn(&Run) -> i64| of.iter().map(|each| part(&each.run)).sum::<i64>();
    let comparison = match of.len() {
        1 => "None in this bundle.".to_owned(),
        runs => format!("{runs} runs of one survey over the same twins: `analysis/`."),
    };
    let some = |tokens: i64, what: &str| if tokens > 0 { format!(", {tokens} of them {what}") } else { String::new() };
    let resources = format!(
        "{} calls: {} prompt tokens, {} of them cached{}, and {} completion tokens{}.",
        sum(|run| run.facts.calls),
        sum(|run| run.facts.prompt_tokens),
        sum(|run| run.facts.cached_tokens),
        some(sum(|run| run.facts.cache_write_tokens), "written to the cache"),
        sum(|run| run.facts.completion_tokens),
        some(sum(|run| run.facts.reasoning_tokens), "reasoning"),
    );
    let raw = match of.iter().filter(|each| each.run.parameters.keep_replies).count() {
        0 => "raw replies are not kept",
        kept if kept == of.len() => "`replies/raw.jsonl`: every raw reply",
        _ => "`replies/raw.jsonl`: every raw reply, of the runs that keep them",
    };
    let known = "Before a start questions are named whose words stand in the twins' profiles. What the model was trained on is not known.";
    [
        ("Contamination", format!("{known} Further: {blank}")),
        ("Comparison of models or prompts", format!("{comparison} Further: {blank}")),
        ("Bias", format!("`analysis/` has answers by arm; groups need people's answers beside them. Further: {blank}")),
        ("Transcripts", format!("`replies/replies.jsonl`: every checked answer; {raw}.")),
        ("Resources", resources),
        ("Justification of the model", blank.clone()),
        ("Rationale of the prompts", blank.clone()),
        ("Ethics", blank),
    ]
}

/// Writes `CITATION.cff`, CFF 1.2.0. `id` is that of the cited run or study.
pub fn citation(run: &Run, id: &str) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let date = run.files_time().format("%Y-%m-%d");
    let (cited, references) = match run.dataset {
        Some(dataset) => {
            let (title, authors) = (quoted(dataset.citation()), quoted(dataset.authors()));
            let reference = format!("  - type: generic\n    title: {title}\n    authors:\n      - name: {authors}\n");
            ("Please cite this run and the data set of its twins.", format!("references:\n{reference}"))
        }
        None => ("Please cite this run.", String::new()),
    };
    format!(
        "cff-version: 1.2.0\nmessage: {}\ntitle: {}\ntype: dataset\nauthors:\n  - name: {}\ndate-released: {date}\n\
         identifiers:\n  - type: other\n    value: {}\n{references}",
        quoted(cited),
        quoted(&format!("{}: answers of LLM digital twins", run.survey.title)),
        quoted(BLANK),
        quoted(id),
    )
}
