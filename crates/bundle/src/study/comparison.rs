//! `analysis/` of a study: each run compared with the first one, and how alike repeats are. The figures are those of the study's
//! page.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use evidence::compare::Comparison;
use evidence::groups::{AnalysisKind, LEVEL};
use evidence::intervals::Estimate;
use evidence::rows::RUNS;
use evidence::upload::ReservedColumns;
use export::csv::{self, TableCell, ends, line};
use export::{figures, number};
use serde_json::{Value, json};
use simulation::applied_rule::{AppliedRule, TestScope};
use simulation::error::Result;
use simulation::items::items;
use simulation::plans::planned::PlannedAnalyses;
use simulation::studies::{
    AnsweredRuns, FiguresOfRun, ItemRepeats, MAX_ANSWERS, PlannedComparison, StudyComparison, compare_with_reference,
    repeated,
};

use crate::documents::Documented;
use crate::io::failure;
use crate::study_record::{StudyRecord, StudyRunRecord};
use crate::{plan, record};

const WHOLE: &str = "analysis/comparison.json";
const RUN_TABLE: &str = "analysis/tables/runs.csv";
const QUESTIONS: &str = "analysis/tables/comparison.csv";
const REPEATS: &str = "analysis/tables/repeats.csv";

/// The comparison of a study's runs, of which some are repeats of each other.
struct Compared {
    of: StudyComparison,
    groups: Vec<Vec<usize>>,
}

/// Writes all files below `root`.
pub fn write(study: &StudyRecord, runs: &[Documented], root: &Path) -> Result<()> {
    let plan = frozen_plan(study, root)?;
    let rule = AppliedRule::of(plan.as_ref(), TestScope::StudyRuns);
    let compared = compared(study, runs, root, plan)?;
    let written = || -> io::Result<()> {
        fs::create_dir_all(root.join("analysis/tables"))?;
        let text = serde_json::to_vec_pretty(&whole(study, runs, compared.as_ref(), &rule)?)?;
        fs::write(root.join(WHOLE), text)?;
        run_table(study, runs, compared.as_ref(), root)?;
        match &compared {
            Some(compared) => {
                questions(study, &compared.of, root, &rule)?;
                repeats(study, compared, root)
            }
            None => Ok(()),
        }
    };
    written().map_err(|error| failure("analysis", &error))
}

/// The study's frozen plan. `None`: it has none.
fn frozen_plan(study: &StudyRecord, root: &Path) -> Result<Option<PlannedAnalyses>> {
    let Some(first) = study.runs.first() else { return Ok(None) };
    Ok(plan::read(&root.join(&first.folder))?.map(|(_, content)| PlannedAnalyses::new(content)))
}

/// `None`: the answers are more than are compared.
fn compared(
    study: &StudyRecord,
    runs: &[Documented],
    root: &Path,
    plan: Option<PlannedAnalyses>,
) -> Result<Option<Compared>> {
    if runs.iter().map(|each| i64::from(each.run.rows())).sum::<i64>() > MAX_ANSWERS {
        return Ok(None);
    }
    let labelled = runs.first().map(|first| first.run.label_items(items(&first.run.questions)));
    let mut answered = AnsweredRuns::new(labelled.unwrap_or_default());
    for (record, each) in study.runs.iter().zip(runs) {
        answered.add(record::twins(&each.run, &root.join(&record.folder), &ReservedColumns::default())?.respondents);
    }
    let parameters: Vec<_> = runs.iter().map(|each| &each.run.parameters).collect();
    let groups = repeated(&parameters);
    let planned = plan.and_then(|plan| PlannedComparison::new(plan, &parameters, 0));
    let of = compare_with_reference(&answered, 0, &groups, planned.as_ref())?;
    Ok(Some(Compared { of, groups }))
}

fn whole(
    study: &StudyRecord,
    runs: &[Documented],
    compared: Option<&Compared>,
    rule: &AppliedRule,
) -> serde_json::Result<Value> {
    let first = study.runs.first();
    let mut value = json!({
        "studyId": study.study.study_id, "notice": runs.first().map(|each| each.run.notice.as_str()),
        "reference": first.map(|run| run.folder.as_str()), "level": LEVEL,
    });
    let Some(Compared { of: compared, groups }) = compared else {
        value["notCompared"] = json!(format!("the study has more than {MAX_ANSWERS} answers"));
        return Ok(value);
    };
    value["methods"] = json!({
        "differences": "the run's mean less the reference's over the same twins, paired t interval",
        "metrics": "percentile bootstrap over twins; exact is the share of twins with the same answer in both",
        "q": "p by Benjamini and Hochberg over the run's questions, also where a frozen plan has another rule",
        "adjustedP": "p adjusted over the tests of its family, by the rule",
        "identical": "share of pairs of repeats of one twin with the same answer",
        "icc": "ICC(1): the share of the variance that is between twins; not of options without an order",
        "alpha": "Krippendorff's alpha of three or more options without an order",
    });
    value["rule"] = json!(rule);
    value["draws"] = json!(compared.bootstrap.replicates);
    value["seed"] = json!(compared.bootstrap.seed);
    let beside = study.runs.iter().zip(&compared.runs);
    let of_run = |(run, of): (&StudyRunRecord, &Option<Comparison>)| {
        let of = FiguresOfRun::new(of.clone()?);
        Some(number::figures(&of).map(|mut value| {
            value["folder"] = json!(run.folder);
            value
        }))
    };
    value["runs"] = beside.filter_map(of_run).collect::<serde_json::Result<_>>()?;
    let of_group = |(group, questions): (&Vec<usize>, &Vec<ItemRepeats>)| {
        Ok(json!({ "folders": folders(study, group), "questions": number::figures(questions)? }))
    };
    value["repeats"] = groups.iter().zip(&compared.repeats).map(of_group).collect::<serde_json::Result<_>>()?;
    Ok(value)
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
    let [low, high] = ends(of.and_then(Estimate::interval));
    [csv::number(of.map(|of| of.value)), low, high]
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
    let mut out = table(root, RUN_TABLE, &COLUMNS)?;
    for (place, (record, each)) in study.runs.iter().zip(runs).enumerate() {
        let facts = &each.run.facts;
        let arms = record.arms.iter().map(|(node, arm)| format!("{node}: {arm}")).collect::<Vec<_>>().join(" | ");
        let order = serde_json::to_value(record.option_order)?;
        let order = order.as_str().unwrap_or_default();
        let beside: Option<&Comparison> = compared.and_then(|compared| compared.of.runs.get(place)?.as_ref());
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

/// A row for each figure of each run but the reference.
fn questions(study: &StudyRecord, compared: &StudyComparison, root: &Path, rule: &AppliedRule) -> io::Result<()> {
    let mut out = figures::head(&["folder", "analysis"]);
    for (run, of) in study.runs.iter().zip(&compared.runs) {
        for item in of.iter().flat_map(|of| &of.questions) {
            let analysis = item.adjusted.analysis.map_or("", AnalysisKind::name);
            item.rows(RUNS).iter().for_each(|row| figures::line(&mut out, &[&run.folder, analysis], row));
        }
    }
    if let Some(row) = rule.row() {
        figures::line(&mut out, &["", ""], &row);
    }
    fs::write(root.join(QUESTIONS), out)
}

fn repeats(study: &StudyRecord, Compared { of, groups }: &Compared, root: &Path) -> io::Result<()> {
    let mut out = figures::head(&["folders"]);
    for (group, items) in groups.iter().zip(&of.repeats) {
        let folders = folders(study, group).join(" | ");
        for row in items.iter().flat_map(|item| item.repeats.rows(&item.name)) {
            figures::line(&mut out, &[&folders], &row);
        }
    }
    fs::write(root.join(REPEATS), out)
}

fn folders<'s>(study: &'s StudyRecord, group: &[usize]) -> Vec<&'s str> {
    group.iter().filter_map(|place| Some(study.runs.get(*place)?.folder.as_str())).collect()
}
