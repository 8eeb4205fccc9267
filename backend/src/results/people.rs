//! A run's twins beside people who answered the same survey, as the statistics read both.

use evidence::compare::{Comparison, Respondents, Settings, compare};
use evidence::intervals::Bootstrap;
use evidence::metrics::Scale;
use evidence::rectified::{self, FigureRefused, RectifiedTable};
use evidence::upload::{self, Choice, Corrections, Mapping, Question, QuestionKind, Reading, Special, Table};

use super::files::wide::columns::{Columns, Form};
use super::files::wide::text::{Encoder, TextFormat};
use super::pages::Pages;
use super::run::Run;
use super::stream::Encode;
use crate::db::AsyncPool;
use crate::design::item::Item;
use crate::design::logic;
use crate::error::{Error, Result};
use crate::models::questions::QuestionType;

/// Answers times draws: within a few seconds.
const MOST_WORK: usize = 20_000_000;
const FEWEST_DRAWS: usize = 200;
const MOST_DRAWS: usize = 2_000;

/// Columns of the people's file that are no answers to the survey, by name.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    pub arm: Option<String>,
    pub weight: Option<String>,
    /// What subgroups are made by.
    pub by: Option<String>,
    /// Attributes of people and twins that pair them where no id is common.
    pub cells: Vec<String>,
    /// What the file's other columns and its cells are.
    pub corrections: Corrections,
}

/// Twins beside people, and how the people's file was read.
#[derive(Debug)]
pub struct Compared {
    pub comparison: Comparison,
    /// Or why there is none.
    pub rectified: std::result::Result<RectifiedTable, FigureRefused>,
    /// All questions that can be compared.
    pub questions: Vec<Question>,
    pub columns: Vec<String>,
    pub mapping: Mapping,
    pub reading: Reading,
}

/// The twins' answers as a file has them: a row a twin, with its arms.
pub async fn twins(pool: &AsyncPool, run: &Run) -> Result<Vec<u8>> {
    let mut encoder = Encoder::new(Columns::of(run), Form::Labels, TextFormat::Csv { raw: true });
    let mut bytes = encoder.head();
    let mut pages = Pages::of(run).without_provenance();
    while let Some(page) = pages.next_from(pool).await? {
        encoder.page(run, &page, &mut bytes)?;
    }
    Ok(bytes)
}

/// Compares the people of a file (CSV, `.sav` or `.dta`) with the twins of [`twins`]. Bad input: the file is no table, or has not
/// a column that was chosen, or the survey has not what is chosen for it. Takes seconds: not for a thread that serves requests.
pub fn beside(run: &Run, twins: &[u8], people: &[u8], chosen: &Chosen) -> Result<Compared> {
    let items: Vec<Item> = run.questions.iter().cloned().map(Item::from).collect();
    let questions = questions(&items);
    let special = Special {
        weight: chosen.weight.clone(),
        arm: chosen.arm.clone(),
        attributes: chosen.by.iter().chain(&chosen.cells).cloned().collect(),
        id: None,
    };
    let (columns, mapping, reading) = read("file", people, &questions, &special, &chosen.corrections)?;
    let nodes = run.plan.as_ref().map(|plan| plan.random_nodes()).unwrap_or_default();
    // The twins' arms stand under the same name, or there is only one random node.
    let node = nodes.iter().find(|(name, _)| chosen.arm.as_deref() == Some(*name));
    let node = node.or(nodes.first().filter(|_| nodes.len() == 1)).map(|(name, _)| (*name).to_owned());
    let arm = chosen.arm.as_ref().and(node);
    let special = Special { arm, attributes: chosen.cells.clone(), ..Special::default() };
    let (_, _, of_twins) = read("twins", twins, &questions, &special, &Corrections::default())?;
    let items = upload::items(&questions);
    let answers = items.len() * reading.respondents.ids.len().max(of_twins.respondents.ids.len());
    let replicates = draws(answers);
    let settings = Settings { bootstrap: Bootstrap { replicates, ..Bootstrap::default() }, ..Settings::default() };
    let comparison = compare(&items, &reading.respondents, &of_twins.respondents, settings)
        .map_err(|refusal| Error::bad_input(format!("file: {refusal}")))?;
    let level = settings.bootstrap.level;
    let rectified = rectified::table(&items, &reading.respondents, &of_twins.respondents, &chosen.cells, level);
    Ok(Compared { comparison, rectified, questions, columns, mapping, reading })
}

/// The statistics' items of a survey, and the answers of a file of [`twins`] to them.
pub fn answers(run: &Run, twins: &[u8]) -> Result<(Vec<evidence::compare::Item>, Respondents)> {
    let items: Vec<Item> = run.questions.iter().cloned().map(Item::from).collect();
    let questions = questions(&items);
    let (_, _, reading) = read("twins", twins, &questions, &Special::default(), &Corrections::default())?;
    Ok((upload::items(&questions), reading.respondents))
}

/// Draws of a bootstrap over so many answers that it takes seconds.
pub fn draws(answers: usize) -> usize {
    (MOST_WORK / answers.max(1)).clamp(FEWEST_DRAWS, MOST_DRAWS)
}

fn read(
    name: &str,
    bytes: &[u8],
    questions: &[Question],
    special: &Special,
    corrections: &Corrections,
) -> Result<(Vec<String>, Mapping, Reading)> {
    let is_label = |cell: &str| questions.iter().any(|question| !question.text.is_empty() && question.text == cell);
    let table: Table =
        upload::parse(bytes, is_label).map_err(|refusal| Error::bad_input(format!("{name}: {refusal}")))?;
    let mapping = upload::match_corrected(questions, &table, corrections)
        .map_err(|refusal| Error::bad_input(refusal.to_string()))?;
    let reading = upload::respondents(questions, &table, &mapping, special);
    match reading.missing.first() {
        Some(column) => Err(Error::bad_input(format!("{name}: there is no column {column}"))),
        None => Ok((table.names, mapping, reading)),
    }
}

/// Those whose answers are compared: choices and numbers, not texts, ranks and sums.
pub fn questions(items: &[Item]) -> Vec<Question> {
    items.iter().filter_map(|item| Some((item, kind(item)?))).map(|(item, kind)| question(item, kind)).collect()
}

fn question(item: &Item, kind: QuestionKind) -> Question {
    // Surveys do not keep Qualtrics' ids.
    Question { name: item.name().to_owned(), import_id: None, text: item.question.text.clone(), kind }
}

fn kind(item: &Item) -> Option<QuestionKind> {
    let labels = item.choices().iter().enumerate();
    let choices: Vec<Choice> =
        labels.map(|(place, label)| Choice { label: label.clone(), code: item.code(place) }).collect();
    let is_ordered = |by_default: bool| item.logic.scale.map_or(by_default, |scale| scale != logic::Scale::Nominal);
    match item.kind() {
        QuestionType::SingleChoice => Some(QuestionKind::Single { choices, is_ordered: is_ordered(false) }),
        QuestionType::Boolean => {
            let choice = |label: &str, code| Choice { label: label.to_owned(), code };
            Some(QuestionKind::Single { choices: vec![choice("Yes", 1), choice("No", 0)], is_ordered: false })
        }
        QuestionType::MultipleChoice => Some(QuestionKind::Multiple { choices }),
        QuestionType::Matrix => Some(QuestionKind::Matrix {
            rows: item.question.sub_questions.clone(),
            choices,
            is_ordered: is_ordered(true),
        }),
        QuestionType::Slider | QuestionType::Range | QuestionType::Number => {
            let bounds = item.question.min_value.zip(item.question.max_value);
            let scale = bounds.map_or(Scale::Unbounded, |(min, max)| Scale::Interval { min, max });
            Some(QuestionKind::Number { scale })
        }
        QuestionType::TextEntry
        | QuestionType::OpenEnded
        | QuestionType::Info
        | QuestionType::ConstantSum
        | QuestionType::Rank
        | QuestionType::BestWorst
        | QuestionType::MatrixMulti => None,
    }
}
