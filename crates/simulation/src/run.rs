//! A run with everything that its files and pages show.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use evidence::compare::{Item, ItemKind};
use serde::Serialize;
use survey::answer::{AnswerShape, yes_or_no};
use survey::pipe;
use survey::plan::Plan;
use survey::question::Question;
use utoipa::ToSchema;

use crate::answers::DEMO_MODEL;
use crate::error::{Error, Result};
use crate::known_parameters::InactiveParameters;
use crate::parameters::{Parameters, PersonaVariant};
use crate::persona_source::{Dataset, PersonaSource, names_own_file};
use crate::row::Simulation;
use crate::snapshot::Snapshot;
use crate::status::Status;

/// The questions of each block whose order is drawn, by id in the written order.
pub type ShuffledBlocks = HashMap<String, Vec<i64>>;

/// Separator of several options in one cell.
pub const OPTION_SEPARATOR: &str = " | ";

/// Facts that all requests of a run share.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunFacts<'a> {
    /// Seed of the choice of twins and the order of options.
    #[schema(example = 42)]
    pub seed: i64,
    /// Temperature; null for the model server's default.
    #[schema(example = 0.7)]
    pub temperature: Option<f64>,
    /// The variant of the twins' text that was sent.
    pub persona_variant: PersonaVariant,
    /// Maximum number of questions in one call.
    #[schema(example = 20)]
    pub questions_per_call: u16,
    /// SHA-256 of the survey as it was asked.
    pub survey_hash: &'a str,
    #[schema(example = "1.0.0")]
    pub program_version: &'a str,
}

/// A run and its survey.
pub struct Run {
    pub facts: Simulation,
    /// `facts.simulation_id` as text.
    pub simulation_id: String,
    pub parameters: Parameters,
    pub survey: Snapshot,
    /// The plan of the design. `None` for a plain survey, in which every twin is asked every question.
    pub plan: Option<Arc<Plan>>,
    /// The survey's questions that take an answer, in its order.
    pub questions: Vec<Question>,
    /// The text of each question as [`Run::label`] writes it.
    pub labels: Vec<String>,
    /// The options of each question, in survey order; empty for free text.
    pub available: Vec<Vec<String>>,
    /// The options of each question in one cell.
    pub offered: Vec<String>,
    /// The labels of its twins' attributes, in their order; empty until they are read.
    pub attributes: Vec<String>,
    pub personas_source: String,
    pub synthetic: bool,
    /// The published data set that its files name, cite and license.
    pub dataset: Option<Dataset>,
    /// [`Run::notices`] on one line.
    pub notice: String,
    /// The notice of an answer of the demo model, and that of an answer of a language model.
    notices_by_model: [String; 2],
}

impl Run {
    /// Creates a run from its stored facts.
    pub fn new(facts: Simulation, personas_source: String, synthetic: bool) -> Result<Self> {
        let survey = snapshot(&facts)?;
        let plan = survey.plan().map_err(|reason| unplanned(&facts, &reason))?.map(Arc::new);
        Self::with_plan(facts, survey, plan, personas_source, synthetic)
    }

    /// Creates a run from its stored facts and its parts that were read already.
    pub fn with_plan(
        facts: Simulation,
        survey: Snapshot,
        plan: Option<Arc<Plan>>,
        personas_source: String,
        synthetic: bool,
    ) -> Result<Self> {
        let unreadable = |error| Error::internal(format!("simulation {}: its parameters: {error}", facts.id));
        let parameters = facts.parameters().map_err(unreadable)?;
        let questions: Vec<Question> =
            survey.questions.iter().filter(|question| question.is_request()).cloned().collect();
        let mut run = Self {
            simulation_id: facts.simulation_id.to_string(),
            offered: Vec::new(),
            available: Vec::new(),
            notice: String::new(),
            notices_by_model: Default::default(),
            facts,
            parameters,
            survey,
            plan,
            labels: Vec::new(),
            questions,
            attributes: Vec::new(),
            dataset: PersonaSource::classify(&personas_source, synthetic).dataset(),
            personas_source,
            synthetic,
        };
        run.write_labels();
        run.notice = run.notices().join("; ");
        run.notices_by_model = [true, false].map(|demo| run.notices_if(demo).join("; "));
        Ok(run)
    }

    /// Writes a text of the survey outside an interview: a pipe becomes the name of what it inserts, e.g. `[fee]`.
    pub fn label<'a>(&self, text: &'a str) -> Cow<'a, str> {
        // Braces are plain text in a survey without a design.
        if self.plan.is_none() { Cow::Borrowed(text) } else { pipe::plain(text) }
    }

    /// Writes the texts of compared items, and their options, as labels.
    pub fn label_items(&self, mut items: Vec<Item>) -> Vec<Item> {
        for item in &mut items {
            let labels = match &mut item.kind {
                ItemKind::Single { labels, .. } | ItemKind::Multiple { labels } => labels,
            };
            for text in labels.iter_mut().chain([&mut item.text]) {
                *text = self.label(text).into_owned();
            }
        }
        items
    }

    fn write_labels(&mut self) {
        let label = |text: &String| self.label(text).into_owned();
        let available = self.questions.iter().map(|question| available(question).iter().map(label).collect());
        let available: Vec<Vec<String>> = available.collect();
        let labels = self.questions.iter().map(|question| label(&question.text)).collect();
        self.offered = available.iter().map(|options| options.join(OPTION_SEPARATOR)).collect();
        (self.available, self.labels) = (available, labels);
    }

    /// Whether the account that owned it was deleted, with its survey and answers; its counters stay.
    pub fn is_erased(&self) -> bool {
        self.survey.questions.is_empty()
    }

    /// The questions of each block with a drawn order, by id in the order written.
    pub fn shuffled_blocks(&self) -> ShuffledBlocks {
        let Some(plan) = &self.plan else { return ShuffledBlocks::new() };
        let id =
            |name: &&str| self.survey.questions.iter().find(|question| question.name == **name).map(|found| found.id);
        let questions = |block: &str| plan.questions_of(block).iter().filter_map(id).collect();
        plan.shuffled_blocks().into_iter().map(|block| (block.to_owned(), questions(block))).collect()
    }

    /// Number of rows of its lists and files: one for each twin and question, asked or not.
    pub fn rows(&self) -> i32 {
        match &self.plan {
            Some(_) => self.facts.persona_count.saturating_mul(self.questions.len() as i32),
            None => self.facts.total_requests,
        }
    }

    /// Facts of the run that its rows repeat.
    pub fn row_facts(&self) -> RunFacts<'_> {
        RunFacts {
            seed: self.parameters.seed,
            temperature: self.parameters.temperature,
            persona_variant: self.parameters.persona_variant,
            questions_per_call: self.parameters.questions_per_call,
            survey_hash: &self.facts.survey_hash,
            program_version: &self.facts.program_version,
        }
    }

    /// The parameters of its calls that the model's replies do not follow.
    pub fn inactive(&self) -> InactiveParameters {
        InactiveParameters::new(&self.parameters.inactive, &self.facts.left_out)
    }

    /// Returns the notice for an answer of this model, or the run's notice for a request without an answer.
    pub fn notice_of(&self, model: Option<&str>) -> &str {
        let [demo, language_model] = &self.notices_by_model;
        match model {
            Some(DEMO_MODEL) => demo,
            Some(_) => language_model,
            None => &self.notice,
        }
    }

    /// Notices that must accompany the answers, most important first.
    pub fn notices(&self) -> Vec<String> {
        self.notices_if(self.facts.demo_model)
    }

    fn notices_if(&self, demo: bool) -> Vec<String> {
        let mut notices = vec![if demo {
            "demo model: not from a language model".to_owned()
        } else {
            "answers generated by a language model, not given by people".to_owned()
        }];
        match self.source() {
            PersonaSource::Synthetic => notices.push("synthetic twins: invented profiles".to_owned()),
            PersonaSource::Dataset(dataset) => notices.push(format!("twins from {}", dataset.in_short())),
            PersonaSource::OwnFile if names_own_file(&self.personas_source) => {
                notices.push(format!("twins from {}", self.personas_source));
            }
            PersonaSource::OwnFile | PersonaSource::ByHand => {}
        }
        if let Some(partial) = self.partial() {
            notices.push(partial);
        }
        notices
    }

    /// The source of its twins.
    pub fn source(&self) -> PersonaSource {
        PersonaSource::classify(&self.personas_source, self.synthetic)
    }

    /// Whether the texts of its twins may be passed on: those of the dataset by its licence, invented ones, and those
    /// that were written here. The licence of any other file is unknown.
    pub fn texts_may_be_shown(&self) -> bool {
        self.source() != PersonaSource::OwnFile
    }

    /// Returns why answers may be missing. `None` if every request has ended.
    pub fn partial(&self) -> Option<String> {
        match self.facts.status {
            Status::Completed | Status::Failed => None,
            status => Some(format!("partial: the run is {}", status.as_str().to_lowercase())),
        }
    }

    /// The time in its files: when the run ended or last changed. Files of the same answers have the same bytes.
    pub fn files_time(&self) -> DateTime<Utc> {
        self.facts.completed_at.unwrap_or(self.facts.updated_at)
    }

    /// Returns `simulation-`, the last eight digits of its id, and `end`.
    pub fn short_file_name(&self, end: &str) -> String {
        format!("simulation-{}-{end}", &self.simulation_id[self.simulation_id.len() - 8..])
    }
}

/// Reads the survey of a run.
pub fn snapshot(facts: &Simulation) -> Result<Snapshot> {
    facts.snapshot().map_err(|error| Error::internal(format!("simulation {}: its survey: {error}", facts.id)))
}

/// The error for a run whose design has no plan.
pub fn unplanned(facts: &Simulation, reason: &str) -> Error {
    Error::internal(format!("simulation {}: {reason}", facts.id))
}

/// The options of a question in survey order, or the ends of its scale; empty for free text.
pub fn available(question: &Question) -> Vec<String> {
    match question.shape() {
        Some(AnswerShape::YesNo) => [true, false].map(|yes| yes_or_no(yes).to_owned()).to_vec(),
        Some(AnswerShape::Number) => {
            let bounds =
                [(question.min_value, &question.min_description), (question.max_value, &question.max_description)];
            bounds
                .into_iter()
                .filter_map(|(value, description)| {
                    let value = value?;
                    Some(match description.as_deref() {
                        Some(description) if !description.is_empty() => format!("{value} = {description}"),
                        _ => value.to_string(),
                    })
                })
                .collect()
        }
        Some(AnswerShape::Text) | None => Vec::new(),
        Some(_) => question.choices().to_vec(),
    }
}
