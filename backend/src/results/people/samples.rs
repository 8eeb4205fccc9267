//! Samples of people's answers: the parts of a file that are kept, and how they are read again.

use std::collections::{BTreeMap, HashSet};
use std::io::{Read, Write};

use evidence::compare::Respondents;
use evidence::options::ComparisonOptions;
use evidence::people::weigh;
use evidence::upload::{self, Dropped, ReadPeople, Reading, Table, score_as};
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use simulation::items::asked;
use simulation::nodes::Nodes;
use survey::flow::Design;
use survey::question::Question;

use super::{read_table, table};
use crate::error::{Error, Result};
use crate::models::human_samples::MAX_SAMPLE_BYTES;

/// Maximum size of uncompressed answers, in bytes. No kept file has more.
const MAX_OPENED_BYTES: u64 = 1024 * 1024 * 1024;

/// A survey to which people's answers are kept.
#[derive(Debug)]
pub struct SampledSurvey {
    pub questions: Vec<Question>,
    nodes: Nodes,
}

impl SampledSurvey {
    pub fn new(questions: Vec<Question>, design: &Design) -> Self {
        Self { questions, nodes: Nodes::of(design) }
    }

    /// The questions that are compared, scored as the options say. Fails with bad input if they name another question.
    fn scored(&self, options: &ComparisonOptions) -> Result<Vec<upload::Question>> {
        let mut questions = asked(&self.questions);
        score_as(&mut questions, &options.scales).map_err(|refused| Error::bad_input(refused.to_string()))?;
        Ok(questions)
    }
}

/// The part of a file that is kept.
#[derive(Debug)]
pub struct KeptAnswers {
    /// The compressed table.
    pub content: Vec<u8>,
    pub people: usize,
    /// How the kept part is read.
    pub read: ReadPeople,
    /// Columns that were not kept, with the reason.
    pub dropped: Vec<Dropped>,
}

/// Keeps the columns of a file that are needed. Fails with bad input if the file is no table, lacks a chosen column, or
/// is too large. Takes seconds, so it must not run on a thread that serves requests.
pub fn keep(survey: &SampledSurvey, file: &[u8], options: &ComparisonOptions) -> Result<KeptAnswers> {
    let questions = survey.scored(options)?;
    let mut reserved = options.people_columns();
    let attributes = reserved.attributes.clone();
    let table = table("file", file, &questions)?;
    let read = read_table("file", &table, &questions, &survey.nodes, options)?;
    // The columns of arms are kept, so that the arms can still be compared.
    let of_arms = read
        .arms
        .matched
        .iter()
        .flat_map(|node| node.columns.iter().chain(node.agreeing.iter().map(|agreeing| &agreeing.column)));
    reserved.attributes.extend(of_arms.cloned());
    let (kept, dropped) = upload::kept_columns(&questions, &table, &read.mapping, &reserved);
    let names = [&reserved.arm, &reserved.weight, &reserved.probability].into_iter().flatten();
    let names = names.chain(&attributes).chain(options.matching.values().flatten());
    let chosen_names: HashSet<&String> = names.collect();
    if let Some(address) = dropped.iter().find(|column| chosen_names.contains(&column.column)) {
        let message = format!("file: the column {} holds {}, which is not kept", address.column, address.reason);
        return Err(Error::bad_input(message));
    }
    let json = table.to_json(&kept).map_err(|error| Error::internal(error.to_string()))?;
    let again = Table::from_json(&json).map_err(|error| Error::internal(error.to_string()))?;
    let mut read = read_table("file", &again, &questions, &survey.nodes, options)?;
    weigh(&mut read.reading.respondents, &mut [], options).map_err(Error::bad_input)?;
    let people = read.reading.respondents.ids.len();
    if people == 0 {
        return Err(Error::bad_input("file: no row has an answer"));
    }
    once("file", &read.reading.respondents)?;
    let content = compressed(&json)?;
    if content.len() > MAX_SAMPLE_BYTES {
        let most = MAX_SAMPLE_BYTES / 1024 / 1024;
        let message = format!("file: its answers take more than {most} MiB compressed; leave out columns or rows");
        return Err(Error::bad_input(message));
    }
    // The database cannot store NUL in a text.
    let dropped = dropped.into_iter().map(|of| Dropped { column: of.column.replace('\0', ""), ..of }).collect();
    Ok(KeptAnswers { content, people, read, dropped })
}

/// Refuses a person who is listed twice in one arm, or without arms: the two rows could not be paired.
fn once(name: &str, people: &Respondents) -> Result<()> {
    let arm = |row: usize| people.arms.as_ref().and_then(|arms| arms.get(row)).map_or("", String::as_str);
    let mut known = HashSet::new();
    let twice = people.ids.iter().enumerate().find(|(row, id)| !known.insert((id.as_str(), arm(*row))));
    twice.map_or(Ok(()), |(_, id)| Err(Error::bad_input(format!("{name}: people: {id} is listed twice"))))
}

/// Returns the questions with a column.
pub fn matched(read: &ReadPeople) -> Vec<String> {
    read.mapping.matches.iter().map(|found| found.item.clone()).collect()
}

fn compressed(json: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let written = encoder.write_all(json).and_then(|()| encoder.finish());
    written.map_err(|error| Error::internal(error.to_string()))
}

/// Reads the table of a kept sample.
pub fn open(content: &[u8]) -> Result<Table> {
    let mut json = Vec::new();
    let mut decoder = ZlibDecoder::new(content).take(MAX_OPENED_BYTES);
    decoder.read_to_end(&mut json).map_err(|error| Error::internal(format!("a sample: {error}")))?;
    Table::from_json(&json).map_err(|error| Error::internal(format!("a sample: {error}")))
}

/// Reads a kept sample with the questions of its survey. Fails with bad input if it lacks a chosen column, or the
/// survey lacks something that is chosen.
pub fn read(survey: &SampledSurvey, content: &[u8], options: &ComparisonOptions) -> Result<ReadPeople> {
    let table = open(content)?;
    let mut read = read_table("sample", &table, &survey.scored(options)?, &survey.nodes, options)?;
    once("sample", &read.reading.respondents)?;
    weigh(&mut read.reading.respondents, &mut [], options).map_err(Error::bad_input)?;
    Ok(read)
}

/// Reads the answers of a kept sample, with people's weights. Fails as [`read`] does.
pub fn answers(survey: &SampledSurvey, content: &[u8], options: &ComparisonOptions) -> Result<Reading> {
    let options = of_questions(options.clone(), &survey.questions);
    Ok(read(survey, content, &options)?.reading)
}

/// Removes options for questions that the survey no longer has.
pub fn of_questions(mut options: ComparisonOptions, of_survey: &[Question]) -> ComparisonOptions {
    fn keep<T>(said: &mut BTreeMap<String, T>, names: &HashSet<String>) {
        said.retain(|name, _| names.contains(name));
    }
    let names: HashSet<String> = upload::items(&asked(of_survey)).into_iter().map(|item| item.name).collect();
    keep(&mut options.matching, &names);
    keep(&mut options.recodes, &names);
    options.outcomes.values_mut().for_each(|items| items.retain(|item| names.contains(item)));
    options.outcomes.retain(|_, items| !items.is_empty());
    options.scales.retain(|name, _| of_survey.iter().any(|question| question.name == *name));
    options
}
