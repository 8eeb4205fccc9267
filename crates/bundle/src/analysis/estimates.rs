//! Shares, means and effects of a question.

use evidence::effects::{newcombe, welch};
use evidence::groups::{AnalysisKind, GroupTest, LEVEL};
use evidence::intervals::{Interval, of_mean, of_share};
use evidence::sample::Mean;
use export::number::figure;
use serde_json::{Value, json};
use simulation::group_tests::item_name;
use simulation::plans::planned::PlannedAnalyses;
use simulation::run::Run;
use simulation::summaries::figures::{Figures, RowFigures};
use survey::answer::{Parts, ValueKind};
use survey::question::Question;

use crate::analysis::collected::{Collected, QuestionOutcomes};
use crate::analysis::significance::NodeTest;

/// The twins of an estimate: those in an arm of a random node. Both are empty: all twins.
#[derive(Clone, Debug, Default)]
pub struct EstimateGroup {
    pub node: String,
    pub arm: String,
}

/// The quantity that is estimated.
#[derive(Clone, Debug)]
pub struct EstimateItem {
    pub group: EstimateGroup,
    /// The row of a matrix, or an option of a constant sum, a ranking or a best and worst choice. Otherwise empty.
    pub row: String,
    /// Whether the frozen plan names the estimate; `None`: there is no frozen plan.
    pub analysis: Option<AnalysisKind>,
}

/// The share of `n` twins who gave an answer.
#[derive(Clone, Debug)]
pub struct EstimatedShare {
    pub of: EstimateItem,
    pub option: String,
    pub n: i64,
    pub count: i64,
    pub share: f64,
    pub interval: Interval,
}

#[derive(Clone, Debug)]
pub struct EstimatedMean {
    pub of: EstimateItem,
    pub n: i64,
    pub mean: f64,
    pub sd: Option<f64>,
    pub interval: Option<Interval>,
}

/// The difference between an arm and the base, in the share of an option or in the mean.
#[derive(Clone, Debug)]
pub struct ArmEffect {
    pub of: EstimateItem,
    pub base: String,
    /// Empty: of the mean.
    pub option: String,
    pub difference: f64,
    pub interval: Interval,
    /// t, its degrees of freedom, p and d of a difference of means.
    pub test: Option<[f64; 4]>,
    /// p adjusted over the tests of all questions between arms of the node and their first.
    pub adjusted_p: Option<f64>,
}

/// All that is computed of a question.
pub struct Estimates<'a> {
    pub question: &'a Question,
    /// The question's text as labels have it.
    pub label: &'a str,
    pub name: String,
    pub outcomes: QuestionOutcomes,
    pub shares: Vec<EstimatedShare>,
    pub means: Vec<EstimatedMean>,
    pub effects: Vec<ArmEffect>,
    /// The tests of all arms of a node.
    pub tests: Vec<NodeTest>,
    /// Analyses that the frozen plan names.
    pub planned: Option<&'a PlannedAnalyses>,
}

impl<'a> Estimates<'a> {
    /// Computes the estimates of the question at this place.
    pub fn of(
        run: &'a Run,
        collected: &Collected,
        place: usize,
        planned: Option<&'a PlannedAnalyses>,
        node_tests: &[NodeTest],
    ) -> Self {
        let (tests, of_two_arms): (Vec<NodeTest>, Vec<NodeTest>) =
            node_tests.iter().filter(|of| of.place == place).cloned().partition(|of| of.arm.is_empty());
        let question = &run.questions[place];
        let everyone = &collected.everyone[place];
        let mut estimates = Self {
            question,
            label: &run.labels[place],
            name: question.name.clone(),
            outcomes: collected.outcomes[place],
            shares: Vec::new(),
            means: Vec::new(),
            effects: Vec::new(),
            tests,
            planned,
        };
        estimates.add(&EstimateGroup::default(), &everyone.figures(question, everyone));
        for (node, arms) in collected.arms(place) {
            let figures = arms.into_iter().map(|(arm, counts)| (arm, counts.figures(question, everyone)));
            // An arm that was not shown the question has no share in it.
            let figures: Vec<(&str, Figures)> = figures.filter(|(_, figures)| figures.n > 0).collect();
            for (arm, figures) in &figures {
                estimates.add(&EstimateGroup { node: node.to_owned(), arm: (*arm).to_owned() }, figures);
            }
            let Some(((base, first), others)) = figures.split_first() else { continue };
            for (arm, other) in others {
                let of = EstimateGroup { node: node.to_owned(), arm: (*arm).to_owned() };
                estimates.compare(&of, other, (base, first), &of_two_arms);
            }
        }
        estimates.label_parts(run);
        estimates
    }

    /// Writes rows and options as labels. Before, they are the survey's own texts, by which items are found.
    fn label_parts(&mut self, run: &Run) {
        let shares = self.shares.iter_mut().flat_map(|each| [&mut each.of.row, &mut each.option]);
        let means = self.means.iter_mut().map(|each| &mut each.of.row);
        let effects = self.effects.iter_mut().flat_map(|each| [&mut each.of.row, &mut each.option]);
        let tests = self.tests.iter_mut().map(|each| &mut each.test.part);
        for part in shares.chain(means).chain(effects).chain(tests) {
            *part = run.label(part).into_owned();
        }
    }

    fn add(&mut self, of: &EstimateGroup, figures: &Figures) {
        let arm = (!of.node.is_empty()).then_some((of.node.as_str(), of.arm.as_str()));
        let item = |row: &str| EstimateItem {
            group: of.clone(),
            row: row.to_owned(),
            analysis: self.planned.map(|planned| planned.of_estimate(&item_name(self.question, row), arm)),
        };
        let mut shares = Vec::new();
        let mut means = Vec::new();
        for counted in counted(self.question, figures) {
            let Counted { row, option, n, count } = counted;
            let Some(interval) = of_share(count as f64, n as f64, LEVEL) else { continue };
            shares.push(EstimatedShare { of: item(&row), option, n, count, share: count as f64 / n as f64, interval });
        }
        let averages = if has_means(self.question) { averaged(figures) } else { Vec::new() };
        for RowFigures { row, n, mean, sd, .. } in averages {
            let Some(mean) = mean else { continue };
            let interval = sd.and_then(|sd| of_mean(mean, sd, n as usize, LEVEL));
            means.push(EstimatedMean { of: item(&row), n, mean, sd, interval });
        }
        self.shares.append(&mut shares);
        self.means.append(&mut means);
    }

    /// The effects on an arm, as charts have them: of means where there are some, else of shares.
    fn compare(
        &mut self,
        of: &EstimateGroup,
        arm: &Figures,
        (base, first): (&str, &Figures),
        of_two_arms: &[NodeTest],
    ) {
        let planned = self.planned;
        let adjusted_p = |row: &str| {
            let own =
                of_two_arms.iter().find(|each| each.node == of.node && each.arm == of.arm && each.test.part == row);
            own.and_then(|each| each.test.adjusted.p)
        };
        let effect = |item: &str, row: String, option, difference, interval, test: Option<_>| ArmEffect {
            adjusted_p: test.and_then(|_: [f64; 4]| adjusted_p(&row)),
            of: EstimateItem {
                group: of.clone(),
                row,
                analysis: planned.map(|planned| planned.of_contrast(item, &of.node, (&of.arm, base))),
            },
            base: base.to_owned(),
            option,
            difference,
            interval,
            test,
        };
        if has_means(self.question) {
            let bases = averaged(first);
            for one in averaged(arm) {
                let other = bases.iter().find(|base| base.row == one.row).and_then(sample);
                let found = sample(&one).zip(other).and_then(|(one, other)| welch(one, other, LEVEL));
                let item = item_name(self.question, &one.row);
                self.effects.extend(found.map(|found| {
                    let test = [found.t, found.df, found.p, found.d];
                    effect(&item, one.row, String::new(), found.difference, found.interval(), Some(test))
                }));
            }
            return;
        }
        for (one, other) in counted(self.question, arm).into_iter().zip(counted(self.question, first)) {
            let found = newcombe(one.count as f64, one.n as f64, other.count as f64, other.n as f64, LEVEL);
            let item = item_name(self.question, &one.row);
            let written =
                found.map(|(difference, interval)| effect(&item, one.row, one.option, difference, interval, None));
            self.effects.extend(written);
        }
    }

    pub fn json(&self) -> Value {
        let with = |EstimateItem { group, analysis, .. }: &EstimateItem, mut value: Value| {
            if !group.node.is_empty() {
                value["node"] = json!(group.node);
                value["arm"] = json!(group.arm);
            }
            if let Some(analysis) = analysis {
                value["analysis"] = json!(analysis);
            }
            value
        };
        let between = |mut value: Value, of: Option<Interval>| {
            value["low"] = figure(of.map(|of| of.low));
            value["high"] = figure(of.map(|of| of.high));
            value
        };
        let shares = self.shares.iter().map(|each| {
            let share = json!({ "row": each.of.row, "option": each.option, "n": each.n, "count": each.count,
                "share": figure(Some(each.share)) });
            with(&each.of, between(share, Some(each.interval)))
        });
        let means = self.means.iter().map(|each| {
            let mean =
                json!({ "row": each.of.row, "n": each.n, "mean": figure(Some(each.mean)), "sd": figure(each.sd) });
            with(&each.of, between(mean, each.interval))
        });
        let effects = self.effects.iter().map(|each| {
            let mut written = json!({ "row": each.of.row, "option": each.option, "base": each.base,
                "difference": figure(Some(each.difference)) });
            for (name, value) in ["t", "df", "p", "d"].iter().zip(each.test.into_iter().flatten()) {
                written[*name] = figure(Some(value));
            }
            if each.adjusted_p.is_some() {
                written["adjustedP"] = figure(each.adjusted_p);
            }
            with(&each.of, between(written, Some(each.interval)))
        });
        let tests = self.tests.iter().map(|NodeTest { node, test, .. }| rounded(node, test));
        let QuestionOutcomes { answered, failed, not_shown, open } = self.outcomes;
        json!({
            "name": self.name, "questionId": self.question.id, "order": self.question.order, "text": self.label,
            "questionType": self.question.question_type.name(), "answered": answered, "failed": failed,
            "notShown": not_shown, "open": open, "shares": shares.collect::<Vec<_>>(),
            "means": means.collect::<Vec<_>>(), "effects": effects.collect::<Vec<_>>(),
            "tests": tests.collect::<Vec<_>>(),
        })
    }
}

/// A test with the digits that all figures have.
fn rounded(node: &str, test: &GroupTest) -> Value {
    let mut value = json!(test);
    value["node"] = json!(node);
    for field in value.as_object_mut().into_iter().flatten().map(|(_, field)| field) {
        if field.is_f64() {
            *field = figure(field.as_f64());
        }
    }
    value
}

struct Counted {
    row: String,
    option: String,
    n: i64,
    count: i64,
}

/// Counts the options; of numbers the intervals that charts show, of a matrix the labels of each row.
fn counted(question: &Question, figures: &Figures) -> Vec<Counted> {
    let of_rows = |rows: &[RowFigures]| {
        let of_row = |row: &RowFigures| {
            let (name, n) = (row.row.clone(), row.n);
            let counted = row.counts.iter().map(move |each| Counted {
                row: name.clone(),
                option: each.value.clone(),
                n,
                count: each.count,
            });
            counted.collect::<Vec<_>>()
        };
        rows.iter().flat_map(of_row).collect()
    };
    let one = |option: String, count| Counted { row: String::new(), option, n: figures.n, count };
    if question.question_type.is_number() {
        let name = |from: f64, to: f64| if from == to { from.to_string() } else { format!("{from} to {to}") };
        return figures.bins.iter().map(|bin| one(name(bin.from, bin.to), bin.count)).collect();
    }
    match figures.rows.as_slice() {
        _ if !has_means(question) && !figures.counts.is_empty() && question.has_degrees() => {
            figures.counts.iter().map(|each| one(each.value.clone(), each.count)).collect()
        }
        [] => figures.counts.iter().map(|each| one(each.value.clone(), each.count)).collect(),
        rows => of_rows(rows),
    }
}

/// The sample of a mean. `None`: too few to tell a spread.
fn sample(of: &RowFigures) -> Option<Mean> {
    let (mean, sd) = of.mean.zip(of.sd.filter(|_| of.n > 1))?;
    let size = of.n as f64;
    Some(Mean { n: of.n as usize, n_effective: size, mean, sd, squared_error: sd * sd / size })
}

/// The figures that have a mean: of the whole question, or of each row.
fn averaged(figures: &Figures) -> Vec<RowFigures> {
    let whole = RowFigures::of_moments("", figures.n, (figures.mean, figures.sd), Vec::new());
    [whole].iter().chain(&figures.rows).filter(|row| row.mean.is_some()).cloned().collect()
}

/// Whether an answer is numbers or ranks, or places rows or options on a scale.
fn has_means(question: &Question) -> bool {
    match question.layout() {
        Some((_, ValueKind::Number | ValueKind::Rank)) => true,
        Some((Parts::Rows | Parts::Ends, kind)) => kind == ValueKind::Choice,
        _ => false,
    }
}
