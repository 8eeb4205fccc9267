//! `analysis/` of a study: each run beside the first one, and how alike repeats are. The figures are those of the study's page.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use evidence::compare::{Comparison, ItemComparison};
use evidence::intervals::{Bootstrap, Estimate, Interval};
use evidence::reliability::Repeats;
use evidence::upload::Special;
use serde_json::{Value, json};

use super::StudyRecord;
use crate::error::Result;
use crate::models::study_plans::differences::is_planned_contrast;
use crate::models::study_plans::planned::{AnalysisKind, PlannedAnalyses};
use crate::results::files::bundle::analysis::{LEVEL, TableCell, ends, figure, line, number_cell};
use crate::results::files::bundle::data::failure;
use crate::results::files::bundle::documents::Documented;
use crate::results::files::bundle::{plan, record};
use crate::results::files::csv;
use crate::results::people::samples;
use crate::results::run::Run;
use crate::results::studies::{AnsweredRuns, ItemRepeats, MAX_ANSWERS, StudyComparison, beside, repeated};

const WHOLE: &str = "analysis/comparison.json";
const RUNS: &str = "analysis/tables/runs.csv";
const QUESTIONS: &str = "analysis/tables/comparison.csv";
const METRICS: &str = "analysis/tables/metrics.csv";
const OPTIONS: &str = "analysis/tables/options.csv";
const REPEATS: &str = "analysis/tables/repeats.csv";

/// Whether the frozen plan sets each run beside the first one, with what it names.
struct StudyMarks {
    planned: PlannedAnalyses,
    is_contrast: Vec<bool>,
}

impl StudyMarks {
    /// `None`: the study has no frozen plan.
    fn of(study: &StudyRecord, runs: &[Documented], root: &Path) -> Result<Option<Self>> {
        let Some((record, first)) = study.runs.first().zip(runs.first()) else { return Ok(None) };
        let Some((_, content)) = plan::read(&root.join(&record.folder))? else { return Ok(None) };
        let planned = PlannedAnalyses::of(content);
        let reference = &first.run.parameters;
        let is_contrast =
            runs.iter().map(|each| is_planned_contrast(&planned.plan, &each.run.parameters, reference)).collect();
        Ok(Some(Self { planned, is_contrast }))
    }

    fn kind(&self, place: usize, item: &str) -> AnalysisKind {
        AnalysisKind::of(self.is_contrast.get(place) == Some(&true) && self.planned.names(item))
    }
}

/// Writes all files below `root`.
pub fn write(study: &StudyRecord, runs: &[Documented], root: &Path) -> Result<()> {
    let compared = compared(study, runs, root)?;
    let marks = StudyMarks::of(study, runs, root)?;
    let written = || -> io::Result<()> {
        fs::create_dir_all(root.join("analysis/tables"))?;
        let told = serde_json::to_vec_pretty(&whole(study, runs, compared.as_ref(), marks.as_ref()))?;
        fs::write(root.join(WHOLE), told)?;
        run_table(study, runs, compared.as_ref(), root)?;
        match &compared {
            Some((compared, groups)) => {
                tables(study, compared, root, marks.as_ref())?;
                repeat_table(study, compared, groups, root)
            }
            None => Ok(()),
        }
    };
    written().map_err(|error| failure("analysis", &error))
}

type Compared = (StudyComparison, Vec<Vec<usize>>);

/// `None`: the answers are more than are compared.
fn compared(study: &StudyRecord, runs: &[Documented], root: &Path) -> Result<Option<Compared>> {
    if runs.iter().map(|each| i64::from(each.run.rows())).sum::<i64>() > MAX_ANSWERS {
        return Ok(None);
    }
    let asked = runs.first().map(|each| each.run.questions.as_slice()).unwrap_or_default();
    let mut answered = AnsweredRuns::of(samples::items(asked));
    for (record, each) in study.runs.iter().zip(runs) {
        answered.add(record::twins(&each.run, &root.join(&record.folder), &Special::default())?.respondents);
    }
    let groups = repeated(&runs.iter().map(|each| &each.run.parameters).collect::<Vec<_>>());
    Ok(Some((beside(&answered, 0, &groups)?, groups)))
}

fn estimate(of: Option<&Estimate>) -> Value {
    let Some(of) = of else { return Value::Null };
    let mut told = json!({ "value": figure(Some(of.value)), "n": of.n, "interval": interval(of.interval) });
    if let Some(note) = of.note {
        told["note"] = json!(note);
    }
    told
}

fn interval(of: Option<Interval>) -> Value {
    of.map_or(Value::Null, |of| json!([figure(Some(of.low)), figure(Some(of.high))]))
}

fn whole(study: &StudyRecord, runs: &[Documented], compared: Option<&Compared>, marks: Option<&StudyMarks>) -> Value {
    let first = study.runs.first();
    let mut told = json!({
        "studyId": study.study_id, "notice": runs.first().map(|each| each.run.notice.as_str()),
        "reference": first.map(|run| run.folder.as_str()), "level": LEVEL,
    });
    let Some((compared, groups)) = compared else {
        told["notCompared"] = json!(format!("the study has more than {MAX_ANSWERS} answers"));
        return told;
    };
    told["methods"] = json!({
        "differences": "the run's mean less the reference's over the same twins, paired t interval",
        "metrics": "percentile bootstrap over twins; exact is the share of twins with the same answer in both",
        "q": "p by Benjamini and Hochberg over the run's questions",
        "identical": "share of pairs of repeats of one twin with the same answer",
        "icc": "ICC(1): the share of the variance that is between twins; not of options without an order",
        "alpha": "Krippendorff's alpha of three or more options without an order",
    });
    told["draws"] = json!(compared.draws);
    told["seed"] = json!(Bootstrap::default().seed);
    let beside = study.runs.iter().zip(&compared.runs).enumerate();
    told["runs"] = beside
        .filter_map(|(place, (run, of))| Some((place, run, of.as_ref()?)))
        .map(|(place, run, of)| {
            let question = |item: &ItemComparison| {
                let mut told = question(item);
                if let Some(marks) = marks {
                    told["analysis"] = json!(marks.kind(place, &item.name));
                }
                told
            };
            json!({
                "folder": run.folder, "twins": of.pairs, "agreement": estimate(of.overall.accuracy.as_ref()),
                "r": estimate(of.overall.r.as_ref()), "questions": of.items.iter().map(question).collect::<Vec<_>>(),
            })
        })
        .collect();
    told["repeats"] = groups
        .iter()
        .zip(&compared.repeats)
        .map(|(group, items)| {
            let folders: Vec<&str> =
                group.iter().filter_map(|place| Some(study.runs.get(*place)?.folder.as_str())).collect();
            json!({ "folders": folders, "questions": items.iter().map(repeats).collect::<Vec<_>>() })
        })
        .collect();
    told
}

fn question(of: &ItemComparison) -> Value {
    let metrics = of.metrics.iter().map(|of| (of.metric.to_owned(), estimate(Some(&of.estimate))));
    let options = of.options.iter().map(|option| {
        json!({ "option": option.label, "reference": figure(Some(option.people)), "run": figure(Some(option.twins)),
            "difference": estimate(Some(&option.difference)) })
    });
    json!({
        "name": of.name, "text": of.text, "twins": of.n_twins, "meanReference": figure(of.mean_people),
        "meanRun": figure(of.mean_twins), "difference": figure(of.difference.map(|of| of.difference)),
        "interval": interval(of.difference.map(|of| of.interval)), "p": figure(of.p), "q": figure(of.q),
        "metrics": metrics.collect::<serde_json::Map<_, _>>(), "options": options.collect::<Vec<_>>(),
    })
}

fn repeats(of: &ItemRepeats) -> Value {
    let Repeats { twins, identical, .. } = of.repeats;
    json!({
        "name": of.name, "text": of.text, "twins": twins, "identical": figure(Some(identical)), "icc": figure(of.icc()),
        "alpha": figure(of.alpha()), "repeatsFor90": of.repeats_for_90(),
    })
}

fn table(root: &Path, path: &str, columns: &[&str]) -> io::Result<BufWriter<File>> {
    let mut out = BufWriter::new(File::create(root.join(path))?);
    out.write_all(&csv::head(columns))?;
    Ok(out)
}

fn count(value: impl Into<Value>) -> TableCell<'static> {
    TableCell::Value(value.into())
}

/// The value and its ends.
fn cells(of: Option<&Estimate>) -> [TableCell<'static>; 3] {
    let [low, high] = ends(of.and_then(|of| of.interval));
    [number_cell(of.map(|of| of.value)), low, high]
}

fn run_table(study: &StudyRecord, runs: &[Documented], compared: Option<&Compared>, root: &Path) -> io::Result<()> {
    const COLUMNS: [&str; 18] = [
        "folder",
        "simulationId",
        "status",
        "personaVariant",
        "model",
        "arms",
        "optionOrder",
        "repeat",
        "twins",
        "requests",
        "answered",
        "failed",
        "agreement",
        "agreementLow",
        "agreementHigh",
        "r",
        "rLow",
        "rHigh",
    ];
    let mut out = table(root, RUNS, &COLUMNS)?;
    for (place, (record, each)) in study.runs.iter().zip(runs).enumerate() {
        let facts = &each.run.facts;
        let arms = record.arms.iter().map(|(node, arm)| format!("{node}: {arm}")).collect::<Vec<_>>().join(" | ");
        let order = serde_json::to_value(record.option_order)?;
        let order = order.as_str().unwrap_or_default();
        let beside: Option<&Comparison> = compared.and_then(|(of, _)| of.runs.get(place)?.as_ref());
        let named = [
            record.folder.as_str(),
            each.run.simulation_id.as_str(),
            record.status.as_str(),
            record.persona_variant.name(),
            record.model.as_str(),
            arms.as_str(),
            order,
        ];
        let counts = [facts.persona_count, facts.total_requests, facts.successful_requests, facts.failed_requests];
        let overall = beside.map(|of| &of.overall);
        let row = named
            .into_iter()
            .map(TableCell::Words)
            .chain([count(record.repeat)])
            .chain(counts.map(count))
            .chain(cells(overall.and_then(|of| of.accuracy.as_ref())))
            .chain(cells(overall.and_then(|of| of.r.as_ref())));
        line(&mut out, row)?;
    }
    out.flush()
}

/// `marks`: what the column `analysis` says; without them it is empty.
fn tables(study: &StudyRecord, compared: &StudyComparison, root: &Path, marks: Option<&StudyMarks>) -> io::Result<()> {
    use TableCell::Words;
    const COLUMNS: [&str; 12] = [
        "folder",
        "question",
        "text",
        "twins",
        "meanReference",
        "meanRun",
        "difference",
        "low",
        "high",
        "p",
        "q",
        "analysis",
    ];
    let mut questions = table(root, QUESTIONS, &COLUMNS)?;
    let mut metrics = table(root, METRICS, &["folder", "question", "metric", "value", "low", "high", "n"])?;
    let mut options =
        table(root, OPTIONS, &["folder", "question", "option", "reference", "run", "difference", "low", "high"])?;
    for (place, (run, of)) in study.runs.iter().zip(&compared.runs).enumerate() {
        let Some(of) = of else { continue };
        for item in &of.items {
            let mark = Words(marks.map_or("", |marks| marks.kind(place, &item.name).name()));
            let about = || [Words(&run.folder), Words(&item.name)].into_iter();
            let means = [item.mean_people, item.mean_twins, item.difference.map(|of| of.difference)].map(number_cell);
            let tested = [item.p, item.q].map(number_cell);
            let means = [count(item.n_twins)].into_iter().chain(means);
            let interval = ends(item.difference.map(|of| of.interval));
            let row = about().chain([Words(&item.text)]).chain(means).chain(interval).chain(tested);
            line(&mut questions, row.chain([mark]))?;
            for metric in &item.metrics {
                let n = [count(metric.estimate.n)];
                let told = cells(Some(&metric.estimate)).into_iter().chain(n);
                line(&mut metrics, about().chain([Words(metric.metric)]).chain(told))?;
            }
            for option in &item.options {
                let shares = [option.people, option.twins].map(|share| number_cell(Some(share)));
                let told = [Words(&option.label)].into_iter().chain(shares).chain(cells(Some(&option.difference)));
                line(&mut options, about().chain(told))?;
            }
        }
    }
    [questions, metrics, options].iter_mut().try_for_each(Write::flush)
}

fn repeat_table(study: &StudyRecord, compared: &StudyComparison, groups: &[Vec<usize>], root: &Path) -> io::Result<()> {
    use TableCell::Words;
    let columns = ["folders", "question", "twins", "repeats", "identical", "icc", "repeatsFor90", "alpha"];
    let mut alike = table(root, REPEATS, &columns)?;
    for (group, items) in groups.iter().zip(&compared.repeats) {
        let folders: Vec<&str> =
            group.iter().filter_map(|place| Some(study.runs.get(*place)?.folder.as_str())).collect();
        let folders = folders.join(" | ");
        for item in items {
            let of = item.repeats;
            let counts = [of.twins, of.repeats].map(count);
            let measured = [number_cell(item.icc()), count(item.repeats_for_90()), number_cell(item.alpha())];
            let told = [number_cell(Some(of.identical))].into_iter().chain(measured);
            line(&mut alike, [Words(&folders), Words(&item.name)].into_iter().chain(counts).chain(told))?;
        }
    }
    alike.flush()
}
